package finalizers

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// TestsOfKind returns the values of a unit that tell whether an object of the
// kind is being deleted, be it o or another one: a copy, or the same object
// read again. A kind of nil may be any.
func (i *Finalizers) TestsOfKind(u *objects.Unit, o paths.Object, kind *types.Named) []Test {
	return slices.DeleteFunc(slices.Clone(i.testsOf(u)), func(t Test) bool {
		return t.Object != o && !i.Summaries.MayBe(t.Object, o) && !mayBeKind(KindOf(t.Object), kind)
	})
}

func mayBeKind(a, b *types.Named) bool { return a == nil || b == nil || a.Obj() == b.Obj() }

// emptiness returns the comparisons of a unit that tell that an object has no
// finalizers at all: one that is being deleted would be gone.
func (i *Finalizers) emptiness(u *objects.Unit, o paths.Object, kind *types.Named) []Test {
	var found []Test
	for _, n := range u.Graph.Nodes {
		op, ok := n.Instr.(*ssa.BinOp)
		if !ok {
			continue
		}
		if zero, isNumber := blocks.Number(op.Y); !isNumber || zero != 0 {
			continue
		}
		list, ok := i.listOf(calls.LengthOf(op.X))
		if !ok || list != o && !i.Summaries.MayBe(list, o) && (kind == nil || KindOf(list) != kind) {
			continue
		}
		t := Test{Value: op, Object: o}
		switch op.Op {
		case token.EQL:
			t.IfTrue = Live
		case token.NEQ, token.GTR:
			t.IfFalse = Live
		}
		found = append(found, t)
	}
	return found
}

// TestedKinds returns the kinds whose deletion a unit looks at.
func (i *Finalizers) TestedKinds(u *objects.Unit) []*types.Named {
	var kinds []*types.Named
	for _, t := range i.testsOf(u) {
		if kind := KindOf(t.Object); kind != nil {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// AskedAbout returns the objects whose deletion the functions look at that an
// instruction calls.
func (i *Finalizers) AskedAbout(instr ssa.Instruction) []paths.Object {
	call, ok := instr.(ssa.CallInstruction)
	if !ok {
		return nil
	}
	operands := kubeapi.Operands(call.Common())
	var found []paths.Object
	for _, f := range i.known.At(call) {
		for _, param := range f.Asks {
			if param < len(operands) {
				found = append(found, i.Place(operands[param]).Object)
			}
		}
	}
	return found
}

// opaque returns the conditions of a unit whose outcome may follow from
// whether an object is being deleted, in a way that cannot be seen: answers of
// functions that look at it and say so by something else than an error or a
// plain bool, and of functions that are not known.
func (i *Finalizers) opaque(u *objects.Unit, o paths.Object, kind *types.Named) []Test {
	answers := make(map[ssa.Value]bool)
	about := func(x paths.Object) bool {
		return x == o || i.Summaries.MayBe(x, o) || kind != nil && KindOf(x) == kind
	}
	for _, n := range u.Graph.Nodes {
		call, ok := n.Instr.(*ssa.Call)
		if !ok || n.Joins != nil {
			continue
		}
		if slices.ContainsFunc(i.AskedAbout(call), about) {
			for _, v := range paths.Results(n, func(t types.Type) bool { return !kubeapi.IsError(t) }) {
				if _, understood := i.test(v); !understood {
					answers[v] = true
				}
			}
			continue
		}
		if !types.Identical(call.Type(), types.Typ[types.Bool]) || i.isUnderstood(call) {
			continue
		}
		for _, v := range kubeapi.Operands(call.Common()) {
			if kubeapi.IsObject(v.Type()) && about(i.Place(v).Object) {
				answers[call] = true
			}
		}
	}
	if len(answers) == 0 {
		return nil
	}
	var found []Test
	for _, n := range u.Graph.Nodes {
		if branch, ok := n.Instr.(*ssa.If); ok && dependsOn(branch.Cond, answers, 0) {
			cond, _ := values.Asked(branch.Cond, true)
			found = append(found, Test{Value: cond, Object: o, IfTrue: Live, IfFalse: Live})
		}
	}
	return found
}

// dependsOn reports whether v is computed from one of the answers.
func dependsOn(v ssa.Value, answers map[ssa.Value]bool, depth int) bool {
	if answers[v] {
		return true
	}
	instr, ok := v.(ssa.Instruction)
	if !ok || depth > maxTrace/2 {
		return false
	}
	switch v.(type) {
	case *ssa.BinOp, *ssa.UnOp, *ssa.Phi, *ssa.Field, *ssa.FieldAddr, *ssa.Call, *ssa.Convert, *ssa.ChangeType, *ssa.MakeInterface:
	case *ssa.Alloc:
		return slices.ContainsFunc(calls.StoredInto(v), func(stored ssa.Value) bool { return dependsOn(stored, answers, depth+1) })
	default:
		return false
	}
	return slices.ContainsFunc(instr.Operands(nil), func(operand *ssa.Value) bool {
		return *operand != nil && dependsOn(*operand, answers, depth+1)
	})
}

// isUnderstood reports whether it is known what a call that returns a bool asks.
func (i *Finalizers) isUnderstood(call *ssa.Call) bool {
	targets := i.Summaries.Calls.Callees(call)
	if len(targets.Funcs) > 0 {
		return true
	}
	callee := kubeapi.Callee(call.Common())
	if callee == nil || callee.Pkg() == nil {
		return false
	}
	if callee.Pkg() != nil && i.Summaries.Calls.SameModule(callee.Pkg()) && !call.Common().IsInvoke() {
		return true
	}
	switch path := callee.Pkg().Path(); {
	case !strings.Contains(path, "."), // the standard library
		strings.HasPrefix(path, "k8s.io/apimachinery/"),
		strings.HasPrefix(path, "sigs.k8s.io/controller-runtime/"),
		strings.HasPrefix(path, "sigs.k8s.io/cluster-api/util/annotations"):
		return true
	}
	return false
}

// MayBeDeletingKind is [Finalizers.MayBeDeleting], but what is established about any
// object of the kind counts for o.
func (i *Finalizers) MayBeDeletingKind(u *objects.Unit, at *paths.Node, o paths.Object, kind *types.Named) bool {
	tests := slices.Concat(i.TestsOfKind(u, o, kind), i.opaque(u, o, kind), i.emptiness(u, o, kind))
	return mayReach(u, at, tests, func(known paths.Known) bool { return knownAny(tests, known, Live) })
}

// knownAny reports whether one of the tests has established the status.
func knownAny(tests []Test, known paths.Known, want Status) bool {
	return slices.ContainsFunc(tests, func(t Test) bool { return Known([]Test{t}, known) == want })
}

// SurelyLive reports whether every path to the node has established that the
// object is not being deleted.
func (i *Finalizers) SurelyLive(u *objects.Unit, at *paths.Node, o paths.Object, kind *types.Named) bool {
	return i.surely(u, question{at, o, kind, Live})
}

// SurelyDeleting reports whether every path to the node has established that
// the object is being deleted.
func (i *Finalizers) SurelyDeleting(u *objects.Unit, at *paths.Node, o paths.Object, kind *types.Named) bool {
	return i.surely(u, question{at, o, kind, Deleting})
}

// question is whether every path to a node has established a status.
type question struct {
	at     *paths.Node
	object paths.Object
	kind   *types.Named
	status Status
}

// surely answers a question once: it is asked about each change for each patch.
func (i *Finalizers) surely(u *objects.Unit, q question) bool {
	i.mu.Lock()
	answer, ok := i.answers[q]
	i.mu.Unlock()
	if ok {
		return answer
	}
	answer = i.search(u, q)
	i.mu.Lock()
	i.answers[q] = answer
	i.mu.Unlock()
	return answer
}

func (i *Finalizers) search(u *objects.Unit, q question) bool {
	tests := i.TestsOfKind(u, q.object, q.kind)
	if len(tests) == 0 {
		return false
	}
	reached := false
	_, found := u.Graph.Search(nil, 0, Watch(tests), func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
		if n != q.at {
			return stage, paths.Continue
		}
		if knownAny(tests, known, q.status) {
			reached = true
			return stage, paths.Prune
		}
		return stage, paths.Found
	})
	return reached && !found
}
