// Package configs finds what changes a rest.Config, and tells where that comes
// from and who else has it.
//
// A configuration is followed back, through variables, merges, parameters and
// functions that hand it on, to the place that makes it (rest.InClusterConfig, a
// copy, a literal), to the manager that gives it to everybody, or to the field or
// variable that holds it. A function that changes a configuration which it is handed
// says so in the fact [Summary], and so does one that returns a shared one.
package configs

import (
	"go/token"
	"reflect"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/facts"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
)

// Analyzer finds changes of configurations; its result is an *[Changes].
var Analyzer = &analysis.Analyzer{
	Name:       "opvetconfigs",
	Doc:        "find what changes a rest.Config",
	Requires:   []*analysis.Analyzer{calls.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[*Changes](),
	FactTypes:  []analysis.Fact{new(Summary)},
}

// Summary is the fact on a function of the user's modules that changes or returns
// configurations.
type Summary struct {
	// Changes are those of its parameters, the receiver being parameter 0.
	Changes []ParamChange
	// Shared tells what the first result is.
	Shared Shared
}

// ParamChange is a change of a configuration that is a parameter.
type ParamChange struct {
	Param int
	// Field is what changes, empty if everything may.
	Field string
	// Func is the function that does it, Place the file and line.
	Func, Place string
}

// Shared tells that a function returns a configuration that others have.
type Shared struct {
	// Kind is Manager, Global, Field or Unknown.
	Kind Kind
	// Param is the parameter that has it, for Manager and Field, and Path the
	// fields that lead to it.
	Param int
	Path  string
}

// AFact marks a fact on a function.
func (*Summary) AFact() {}

// IsZero reports whether nothing is known.
func (f *Summary) IsZero() bool { return len(f.Changes) == 0 && f.Shared.Kind == Unknown }

// Change is a change of a configuration.
type Change struct {
	Instr ssa.Instruction
	// Config is what is changed.
	Config ssa.Value
	// Field is what changes, empty if everything may.
	Field string
	// By is set if a function does it that is handed the configuration.
	By *ParamChange
}

// Changes answers for one package.
type Changes struct {
	// Changes are in the order of the functions.
	Changes []Change

	graph *calls.Graph
	pass  *analysis.Pass
	sums  *facts.Table[Summary, *Summary]
}

func run(pass *analysis.Pass) (any, error) {
	i := &Changes{
		graph: pass.ResultOf[calls.Analyzer].(*calls.Graph), pass: pass,
	}
	if i.graph.Pkg == nil {
		return i, nil
	}
	i.sums = facts.New[Summary](pass, i.graph)
	i.summarise()
	for _, fn := range i.graph.All() {
		if kubeapi.TakesTesting(fn) {
			continue
		}
		for instr := range blocks.Instrs(fn) {
			i.Changes = append(i.Changes, i.changesOf(instr)...)
		}
	}
	i.sums.Export()
	return i, nil
}

const (
	maxRounds  = 4
	maxChanges = 4
)

// summarise finds which functions change their parameters. A function that calls
// another one is looked at again until nothing new comes out.
func (i *Changes) summarise() {
	for range maxRounds {
		changed := false
		for _, fn := range i.graph.Funcs {
			for instr := range blocks.Instrs(fn) {
				for _, c := range i.changesOf(instr) {
					changed = i.note(c) || changed
				}
			}
		}
		if !changed {
			break
		}
	}
	for _, fn := range i.graph.Funcs {
		if results := fn.Signature.Results(); results.Len() > 0 && kubeapi.IsRESTConfig(results.At(0).Type()) {
			i.sums.Note(fn).Shared = i.sharedResult(fn)
		}
	}
}

// note notes a change of a parameter, and reports whether that is new.
func (i *Changes) note(c Change) bool {
	o := i.Origin(c.Config)
	if o.Kind != Param || o.Param.Parent() != c.Instr.Parent() {
		return false
	}
	fn := o.Param.Parent()
	entry := ParamChange{Param: slices.Index(fn.Params, o.Param), Field: c.Field, Func: syntax.FuncName(fn), Place: i.place(c.Instr)}
	if c.By != nil {
		entry.Func, entry.Place = c.By.Func, c.By.Place
	}
	sum := i.sums.Note(fn)
	for n, known := range sum.Changes {
		if known.Param == entry.Param && known.Func == entry.Func {
			if kubeapi.SpecialField(entry.Field) && !kubeapi.SpecialField(known.Field) {
				sum.Changes[n] = entry
				return true
			}
			return false
		}
	}
	if len(sum.Changes) == maxChanges {
		return false
	}
	sum.Changes = append(sum.Changes, entry)
	return true
}

// changesOf are the changes that an instruction makes, itself or by a function
// that it calls.
func (i *Changes) changesOf(instr ssa.Instruction) []Change {
	switch instr := instr.(type) {
	case *ssa.Store:
		if config, field, ok := fieldOfConfig(instr.Addr); ok {
			return []Change{{Instr: instr, Config: config, Field: field}}
		}
		if kubeapi.IsRESTConfig(instr.Val.Type()) && kubeapi.IsPointer(instr.Addr.Type()) && !kubeapi.IsPointer(instr.Val.Type()) && !isOwn(instr.Addr) {
			return []Change{{Instr: instr, Config: instr.Addr}}
		}
	case *ssa.MapUpdate:
		if config, field, ok := fieldOfConfig(instr.Map); ok {
			return []Change{{Instr: instr, Config: config, Field: field}}
		}
	case ssa.CallInstruction:
		return i.changesByCall(instr)
	}
	return nil
}

func (i *Changes) changesByCall(call ssa.CallInstruction) []Change {
	common := call.Common()
	if config, field, ok := kubeapi.ChangesConfig(common); ok {
		return []Change{{Instr: call, Config: config, Field: field}}
	}
	var found []Change
	ops := kubeapi.Operands(common)
	for _, fact := range i.sums.At(call) {
		for n := range fact.Changes {
			by := fact.Changes[n]
			if by.Param < len(ops) && kubeapi.IsRESTConfig(ops[by.Param].Type()) {
				found = append(found, Change{Instr: call, Config: ops[by.Param], Field: by.Field, By: &by})
			}
		}
	}
	return found
}

// fieldOfConfig returns the configuration that an address lies in, and the
// field of it.
func fieldOfConfig(addr ssa.Value) (config ssa.Value, field string, ok bool) {
	inner := ""
	for {
		switch a := addr.(type) {
		case *ssa.FieldAddr:
			f := calls.FieldOf(a.X.Type(), a.Field)
			if f == nil {
				return nil, "", false
			}
			if kubeapi.IsRESTConfig(a.X.Type()) {
				if f.Embedded() && inner != "" {
					return a.X, inner, true // as if it were the configuration's
				}
				return a.X, f.Name(), true
			}
			inner, addr = f.Name(), a.X
		case *ssa.IndexAddr:
			addr = a.X
		case *ssa.UnOp:
			if a.Op != token.MUL || kubeapi.IsRESTConfig(a.Type()) {
				return nil, "", false
			}
			addr = a.X
		default:
			return nil, "", false
		}
	}
}

// isOwn reports whether an address is that of a variable which holds the
// configuration itself.
func isOwn(addr ssa.Value) bool {
	switch addr.(type) {
	case *ssa.Alloc, *ssa.FieldAddr, *ssa.Global, *ssa.IndexAddr:
		return true
	}
	return false
}

// place words the position of an instruction, as in "rollout/controller.go:494".
func (i *Changes) place(instr ssa.Instruction) string {
	pos := instr.Pos()
	if start, _ := syntax.Span(i.pass.Files, instr); start.IsValid() {
		pos = start
	}
	return syntax.Place(i.pass.Fset, pos)
}

// Called is the function that a call names, as the source has it.
func (i *Changes) Called(call ssa.CallInstruction) string {
	return entrypoints.CalleeText(i.pass.Files, call)
}
