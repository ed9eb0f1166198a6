package evidence

import (
	"go/types"
	"reflect"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/semanticequal/internal/sides"
	"github.com/opvet/opvet/internal/facts"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// Analyzer has an *[In] as its result.
var Analyzer = &analysis.Analyzer{
	Name:       "opvetevidence",
	Doc:        "tell what the program puts into the objects that it compares with others",
	Requires:   []*analysis.Analyzer{objects.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[*In](),
	FactTypes:  []analysis.Fact{new(Composes)},
}

// Composes is the fact on a function that puts an object, or a part of one, together of
// what may be missing another time: anything, or what a user asks of pods.
type Composes struct{ Input, Pods bool }

// AFact marks a fact on a function.
func (*Composes) AFact() {}

// IsZero reports whether there is nothing to tell.
func (c *Composes) IsZero() bool { return !c.Input && !c.Pods }

const rounds = 3

func run(pass *analysis.Pass) (any, error) {
	sums := pass.ResultOf[objects.Analyzer].(*objects.Summaries)
	in := &In{Sums: sums, Sides: sides.Of{Sums: sums}, composed: facts.New[Composes](pass, sums.Calls), workloads: make(map[types.Type]bool)}
	if sums.Calls.Pkg != nil {
		in.composed.Fill(rounds, in.composes)
		in.composed.Export()
	}
	return in, nil
}

// composes tells what a function puts together, itself or in functions that it calls.
func (c *In) composes(fn *ssa.Function) *Composes {
	found := new(Composes)
	for instr := range blocks.Instrs(fn) {
		switch instr := instr.(type) {
		case *ssa.Store:
			switch into := instr.Addr.(type) {
			case *ssa.FieldAddr:
				found.add(c, into.X.Type(), instr.Val)
			case *ssa.IndexAddr:
				found.add(c, nil, instr.Val)
			}
		case *ssa.MapUpdate:
			found.add(c, nil, instr.Value, instr.Key)
		case *ssa.Call:
			if calls.IsBuiltin(instr, "append") {
				found.add(c, instr.Type(), instr.Call.Args...)
				continue
			}
			for _, of := range c.composed.At(instr) {
				found.Input = found.Input || of.Input
				found.Pods = found.Pods || of.Pods
			}
		}
		if found.Input && found.Pods {
			break
		}
	}
	return found
}

// add notes that some values are put into a part of an object; of is the type of the part, nil if
// no pod has one like it.
func (f *Composes) add(c *In, of types.Type, vs ...ssa.Value) {
	f.Input = f.Input || slices.ContainsFunc(vs, c.isInput)
	f.Pods = f.Pods || of != nil && c.isOfWorkloads(of) && slices.ContainsFunc(vs, c.isAsked)
}

// DependsOnInput reports whether the desired state is seen to have something that may be
// missing another time: of a user's spec, of a configuration, or of what the function is
// given. Nothing is ever removed from constants, but by another version of the program.
func (c *In) DependsOnInput(x ssa.Value) bool {
	return c.makersOf(x).compose(func(of *Composes) bool { return of.Input })
}

// PodsDependOnInput reports whether the desired state is that of pods, and is seen to have
// something of them that a user may leave out another time: tolerations, resources, the number
// of replicas.
func (c *In) PodsDependOnInput(x ssa.Value) bool {
	return Holds(x.Type(), kubeapi.IsPodSpec) && c.makersOf(x).compose(func(of *Composes) bool { return of.Pods })
}

// compose reports whether something that is wanted is put in by one of the functions.
func (m *makers) compose(wanted func(*Composes) bool) bool {
	table := m.in.composed
	return slices.ContainsFunc(m.fns, func(fn *ssa.Function) bool {
		of := table.Of(fn)
		return of != nil && wanted(of)
	}) || slices.ContainsFunc(m.others, func(call *ssa.Call) bool { return slices.ContainsFunc(table.At(call), wanted) })
}

// isOfWorkloads reports whether a type is one of those that a workload and its pods are made of,
// or a list of such.
func (c *In) isOfWorkloads(t types.Type) bool {
	t = kubeapi.Deref(t)
	is, known := c.workloads[t]
	if !known {
		part := t
		if slice, ok := t.Underlying().(*types.Slice); ok {
			part = slice.Elem()
		}
		is = kubeapi.KindOf(part) == nil && (kubeapi.IsPodPart(part) || Holds(part, kubeapi.IsPodSpec))
		c.workloads[t] = is
	}
	return is
}

// TellsTime reports whether a value is what a function of the package makes, which puts the present
// time into it, or one of those that it calls does.
func (c *In) TellsTime(v ssa.Value) bool {
	call, _ := calls.CallOf(calls.Behind(v))
	if call == nil {
		return false
	}
	m := &makers{in: c, seen: make(map[ssa.Value]bool)}
	for _, fn := range c.Sums.Calls.Callees(call).Funcs {
		m.add(fn, 0)
	}
	return m.any(func(instr ssa.Instruction) bool {
		call, ok := instr.(*ssa.Call)
		return ok && kubeapi.IsAPITime(call.Type()) && kubeapi.TellsTime(kubeapi.Callee(call.Common()))
	})
}
