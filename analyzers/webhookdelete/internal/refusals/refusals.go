// Package refusals finds what makes a webhook refuse an object that is being deleted: another
// object is gone that a function reads, here or in another package of the module.
package refusals

import (
	"go/types"
	"reflect"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/facts"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// Refuses is a fact about a function that fails if another object is gone, so that
// webhooks in other packages which call it do.
type Refuses struct {
	Kind  string // of the other object, empty if it is not known
	Where string // it is read, as in validation/backup.go:12
}

// AFact marks a fact on a function.
func (*Refuses) AFact() {}

// IsZero reports whether there is nothing to tell.
func (r *Refuses) IsZero() bool { return r.Where == "" }

// Table has what is known of functions that refuse.
type Table = facts.Table[Refuses, *Refuses]

// Analyzer tells of the functions that validate for the webhooks of other packages; its
// result is a *[Table].
var Analyzer = &analysis.Analyzer{
	Name:       "opvetrefusals",
	Doc:        "tell which functions fail if an object is gone",
	Requires:   []*analysis.Analyzer{objects.Analyzer},
	Run:        findRefusals,
	ResultType: reflect.TypeFor[*Table](),
	FactTypes:  []analysis.Fact{new(Refuses)},
}

func findRefusals(pass *analysis.Pass) (any, error) {
	sums := pass.ResultOf[objects.Analyzer].(*objects.Summaries)
	table := facts.New[Refuses, *Refuses](pass, sums.Calls)
	if sums.Calls.Pkg == nil {
		return table, nil
	}
	for _, fn := range sums.Calls.Funcs {
		if !validates(fn) || writes(fn) {
			continue
		}
		w := Walk{Sums: sums, Elsewhere: table, Seen: make(map[*ssa.Function]bool)}
		if found, _ := w.Refusal(fn); found.Call != nil {
			where := found.Where
			if where == "" {
				where = syntax.Place(pass.Fset, found.Call.Pos())
			}
			*table.Note(fn) = Refuses{found.Kind, where}
		}
	}
	table.Export()
	return table, nil
}

// validates reports whether another package can call a function with a client, or a
// method of something that has one, and be told of failures.
func validates(fn *ssa.Function) bool {
	obj, ok := fn.Object().(*types.Func)
	if !ok || !obj.Exported() || len(fn.Blocks) == 0 {
		return false
	}
	if recv := fn.Signature.Recv(); recv != nil && kubeapi.HasMethod(recv.Type(), "Reconcile") {
		return false
	}
	return tellsFailure(fn) && slices.ContainsFunc(fn.Params, hasClient)
}

// tellsFailure reports whether what a function returns last says whether it has failed.
func tellsFailure(fn *ssa.Function) bool {
	results := fn.Signature.Results()
	if results.Len() == 0 {
		return false
	}
	last := results.At(results.Len() - 1).Type()
	return kubeapi.IsError(last) || isFieldError(last)
}

// hasClient reports whether a parameter is a client, or has one.
func hasClient(p *ssa.Parameter) bool {
	return kubeapi.HasClient(p.Type()) || types.IsInterface(p.Type()) && kubeapi.HasMethod(p.Type(), "Get")
}

// writes reports whether a function writes objects: then it does not validate.
func writes(fn *ssa.Function) bool {
	return blocks.Any(fn, func(call *ssa.Call) bool {
		op, ok := kubeapi.ClientOp(call.Common())
		return ok && !op.Verb.Reads()
	})
}

func isFieldError(t types.Type) bool { return kubeapi.IsErrorList(t) || isOneFieldError(t) }

// isOneError reports whether a value of the type says by being nil that nothing has failed.
func isOneError(t types.Type) bool { return kubeapi.IsError(t) || isOneFieldError(t) }

func isOneFieldError(t types.Type) bool {
	return kubeapi.IsNamed(t, "k8s.io/apimachinery/pkg/util/validation/field", "Error")
}
