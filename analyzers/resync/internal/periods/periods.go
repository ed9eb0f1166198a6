// Package periods finds the resync periods that informers are made with: those
// of factories, of shared informers, and of controller-runtime's caches, also
// through helpers in any package of the user's modules.
//
// It reports nothing. Analyzers ask Periods.Sites, and judge the periods.
package periods

import (
	"reflect"
	"slices"
	"time"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/facts"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
	"github.com/opvet/opvet/internal/passes/informers"
)

// Analyzer finds resync periods; its result is an *[Periods].
var Analyzer = &analysis.Analyzer{
	Name:       "opvetperiods",
	Doc:        "find the resync periods of informers",
	Requires:   []*analysis.Analyzer{calls.Analyzer, contexts.Analyzer, informers.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[*Periods](),
	FactTypes:  []analysis.Fact{new(Takes)},
}

// Target is what a resync period is for.
type Target uint8

const (
	// Factory is a factory of informers.
	Factory Target = iota
	// Informer is one shared informer.
	Informer
	// Alone is an informer that is not shared: it has one handler, whose
	// period it is.
	Alone
	// Cache is controller-runtime's cache, which feeds all controllers of a
	// manager.
	Cache
)

// String words the target.
func (t Target) String() string {
	return [...]string{"informer factory", "shared informer", "informer", "cache"}[t]
}

// Reach is how many objects an informer has, as far as that can be seen.
type Reach uint8

const (
	// Wide is all objects of a kind, in all namespaces or in one that is
	// configured.
	Wide Reach = iota
	// Doubtful is a selection that may be small: by labels, by one certain
	// namespace, or one that cannot be seen.
	Doubtful
	// Narrow is a single object or a small set: a field selector.
	Narrow
)

// Site is a place where informers get a resync period that is known.
type Site struct {
	// Instr is the call that makes the informers, or that hands the period to
	// a function that does; for options, the store into their field.
	Instr  ssa.Instruction
	Period time.Duration
	// Value is the period.
	Value  ssa.Value
	Target Target
	Reach  Reach
	// Dropped tells that the handlers which the package adds drop updates of objects that have
	// not changed.
	Dropped bool
	// Inner tells where the informers are made, if that is in a function that
	// is handed the period.
	Inner *Param
}

// Param is a parameter that becomes the resync period of informers.
type Param struct {
	Index  int // among the operands: the receiver counted
	Target Target
	Reach  Reach
	// Place is where they are made, "util/informers.go:23".
	Place string
}

// Takes is a fact about a function that makes informers whose resync period is
// a parameter.
type Takes struct {
	Params []Param
}

// AFact marks a fact on a function.
func (*Takes) AFact() {}

// IsZero reports whether nothing is known.
func (t *Takes) IsZero() bool { return len(t.Params) == 0 }

// Periods is what is known of one package.
type Periods struct {
	Sites []Site // in the order of the functions

	pass      *analysis.Pass
	graph     *calls.Graph
	durations *contexts.Sources
	informers *informers.Uses
	takes     *facts.Table[Takes, *Takes]
}

func run(pass *analysis.Pass) (any, error) {
	i := &Periods{
		pass: pass, graph: pass.ResultOf[calls.Analyzer].(*calls.Graph),
		durations: pass.ResultOf[contexts.Analyzer].(*contexts.Sources), informers: pass.ResultOf[informers.Analyzer].(*informers.Uses),
	}
	if i.graph.Pkg == nil {
		return i, nil
	}
	i.takes = facts.New[Takes](pass, i.graph)
	for _, fn := range i.graph.BottomUp() {
		if forTests(fn) {
			continue
		}
		for instr := range blocks.Instrs(fn) {
			switch instr := instr.(type) {
			case ssa.CallInstruction:
				i.call(instr)
			case *ssa.Store:
				i.option(instr)
			}
		}
	}
	i.takes.Export()
	return i, nil
}

// forTests reports whether a function is a helper of tests, outside of test
// files.
func forTests(fn *ssa.Function) bool {
	return slices.ContainsFunc(fn.Params, func(p *ssa.Parameter) bool {
		return kubeapi.IsNamed(p.Type(), "testing", "T") || kubeapi.IsNamed(p.Type(), "testing", "B") || kubeapi.IsNamed(p.Type(), "testing", "TB")
	})
}

// call looks at a call that makes informers, or hands a period to a function
// that does: what is known of that function goes before what it looks like.
func (i *Periods) call(call ssa.CallInstruction) {
	callee := kubeapi.Callee(call.Common())
	if callee == nil {
		return
	}
	if takes := i.takes.OfObject(callee); takes != nil {
		operands := kubeapi.Operands(call.Common())
		for n := range takes.Params {
			if p := &takes.Params[n]; p.Index < len(operands) {
				i.add(Site{Instr: call, Value: operands[p.Index], Target: p.Target, Reach: p.Reach, Inner: p})
			}
		}
		return
	}
	if op, ok := kubeapi.InformerOpOf(call); ok && op.Resync != nil && !op.Cache &&
		(op.Verb == kubeapi.NewFactory || op.Verb == kubeapi.NewInformer) {
		i.made(call, op)
	}
}

func (i *Periods) made(call ssa.CallInstruction, op kubeapi.InformerOp) {
	_, args := kubeapi.Args(call.Common())
	if slices.ContainsFunc(args, i.isFake) {
		return
	}
	site := Site{Instr: call, Value: op.Resync, Reach: i.reach(args, 0), Dropped: i.handlersDrop(call)}
	results := op.Func.Signature().Results()
	switch {
	case op.Verb == kubeapi.NewFactory:
		site.Target = Factory
	case op.Generic || kubeapi.IsInformer(results.At(0).Type()):
		site.Target = Informer
	default:
		site.Target = Alone
	}
	i.add(site)
}

// add keeps a site whose period is known, or the parameter that it is.
func (i *Periods) add(site Site) {
	if p := i.parameter(site.Value); p != nil {
		i.take(p, site)
		return
	}
	period, ok := i.durations.Duration(site.Value)
	if !ok || period <= 0 {
		return
	}
	site.Period = period
	i.Sites = append(i.Sites, site)
}

// take notes that a parameter is the period of informers.
func (i *Periods) take(p *ssa.Parameter, site Site) {
	fn := p.Parent()
	takes := i.takes.Note(fn)
	param := Param{Index: slices.Index(fn.Params, p), Target: site.Target, Reach: site.Reach}
	if site.Inner != nil {
		param.Place = site.Inner.Place
	} else {
		param.Place = syntax.Place(i.pass.Fset, site.Instr.Pos())
	}
	// The widest informers that a period is for are those that count.
	for n := range takes.Params {
		if have := &takes.Params[n]; have.Index == param.Index {
			if param.Reach < have.Reach {
				*have = param
			}
			return
		}
	}
	takes.Params = append(takes.Params, param)
}

// maxDepth bounds how far values are followed.
const maxDepth = 8

// parameter returns the parameter of a declared function that v is, or nil.
func (i *Periods) parameter(v ssa.Value) *ssa.Parameter {
	if p := values.Param(i.graph, v); p != nil && p.Parent().Parent() == nil {
		return p
	}
	return nil
}
