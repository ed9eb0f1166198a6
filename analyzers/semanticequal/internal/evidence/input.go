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
		in.composed.Fill(rounds, func(fn *ssa.Function) *Composes {
			return &Composes{Input: blocks.Any(fn, in.putsInput), Pods: blocks.Any(fn, in.putsIntoPods)}
		})
		in.composed.Export()
	}
	return in, nil
}

// DependsOnInput reports whether the desired state is seen to have something that may be
// missing another time: of a user's spec, of a configuration, or of what the function is
// given. Nothing is ever removed from constants, but by another version of the program.
func (c *In) DependsOnInput(x ssa.Value) bool {
	m := c.makersOf(x)
	return slices.ContainsFunc(m.others, c.composes) || m.any(c.putsInput)
}

// putsInput reports whether an instruction puts something that may be missing another time
// into a part of an object, itself or in a function that it calls.
func (c *In) putsInput(instr ssa.Instruction) bool {
	switch instr := instr.(type) {
	case *ssa.Store:
		switch instr.Addr.(type) {
		case *ssa.FieldAddr, *ssa.IndexAddr:
			return c.isInput(instr.Val)
		}
	case *ssa.MapUpdate:
		return c.isInput(instr.Value) || c.isInput(instr.Key)
	case *ssa.Call:
		if calls.IsBuiltin(instr, "append") {
			return slices.ContainsFunc(instr.Call.Args, c.isInput)
		}
		return c.composes(instr)
	}
	return false
}

func (c *In) composes(call *ssa.Call) bool {
	return slices.ContainsFunc(c.composed.At(call), func(of *Composes) bool { return of.Input })
}

// PodsDependOnInput reports whether the desired state is that of pods, and is seen to have
// something of them that a user may leave out another time: tolerations, resources, the number
// of replicas.
func (c *In) PodsDependOnInput(x ssa.Value) bool {
	if !Holds(x.Type(), kubeapi.IsPodSpec) {
		return false
	}
	m := c.makersOf(x)
	return m.any(c.putsIntoPods) || slices.ContainsFunc(m.others, c.composesPods)
}

// putsIntoPods is the same as putsInput for what a field of an object or of settings has, and
// what pods and workloads are made of.
func (c *In) putsIntoPods(instr ssa.Instruction) bool {
	switch instr := instr.(type) {
	case *ssa.Store:
		field, ok := instr.Addr.(*ssa.FieldAddr)
		return ok && c.isOfWorkloads(field.X.Type()) && c.isAsked(instr.Val)
	case *ssa.Call:
		if calls.IsBuiltin(instr, "append") {
			return c.isOfWorkloads(instr.Type()) && slices.ContainsFunc(instr.Call.Args, c.isAsked)
		}
		return c.composesPods(instr)
	}
	return false
}

func (c *In) composesPods(call *ssa.Call) bool {
	return slices.ContainsFunc(c.composed.At(call), func(of *Composes) bool { return of.Pods })
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
