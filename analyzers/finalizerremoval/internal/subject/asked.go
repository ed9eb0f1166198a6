package subject

import (
	"go/token"
	"go/types"
	"iter"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/finalizers"
	"github.com/opvet/opvet/internal/passes/objects"
)

// IsFinal reports whether a return asks for nothing to be done later: its
// results, besides the error, are zero.
func (u *Function) IsFinal(exit *paths.Node) bool {
	ret, ok := exit.Instr.(*ssa.Return)
	if !ok || len(ret.Results) == 0 {
		return false
	}
	for _, v := range ret.Results[:len(ret.Results)-1] {
		if !isZero(v) {
			return false
		}
	}
	return kubeapi.IsError(ret.Results[len(ret.Results)-1].Type())
}

// ReachesClient reports whether values of a type are clients of the API server, or have
// one, objects left out.
func ReachesClient(t types.Type) bool {
	named := kubeapi.Named(t)
	return !kubeapi.IsObject(t) && (kubeapi.IsClient(t) || named != nil && kubeapi.HasClient(named))
}

// IsRead reports whether a local object is read from the API server here.
func (u *Function) IsRead(o paths.Object) bool {
	return slices.ContainsFunc(u.Sites, func(s objects.Site) bool {
		call := s.Node.Call()
		if s.Kind != objects.Refreshed || s.Place.Object.Root != o.Root || call == nil {
			return false
		}
		op, ok := u.ClientOp(call.Common())
		return ok && op.Verb.Reads()
	})
}

// CanAsk reports whether a call is handed a context or a client.
func CanAsk(call *ssa.Call) bool {
	return slices.ContainsFunc(kubeapi.Operands(call.Common()), func(v ssa.Value) bool {
		return kubeapi.IsContext(v.Type()) || ReachesClient(v.Type())
	})
}

// DeletesAt reports whether a node deletes such an object.
func (u *Function) DeletesAt(n *paths.Node, such func(paths.Object) bool) bool {
	call := n.Call()
	if call == nil {
		return false
	}
	d, ok := u.DeletionOf(call.Common())
	return ok && d.Object != nil && such(u.Resolve.Place(d.Object).Object)
}

// Failing returns the call that a node makes if it can fail, or nil.
func Failing(n *paths.Node) *ssa.Call {
	if call, ok := n.Instr.(*ssa.Call); ok && n.Joins == nil && kubeapi.CanFail(call.Common().Signature()) {
		return call
	}
	return nil
}

// Failing yields the calls of a function that can fail.
func (u *Function) Failing() iter.Seq2[*paths.Node, *ssa.Call] {
	return func(yield func(*paths.Node, *ssa.Call) bool) {
		for _, n := range u.Graph.Nodes {
			if call := Failing(n); call != nil && !yield(n, call) {
				return
			}
		}
	}
}

// Used leaves out errors that nobody looks at.
func Used(errs []ssa.Value) []ssa.Value {
	return slices.DeleteFunc(slices.Clone(errs), calls.Unused)
}

// IsReleased reports whether v is an object whose finalizer this unit removes.
func (u *Function) IsReleased(v ssa.Value) bool {
	o := u.Resolve.Place(v).Object
	return slices.ContainsFunc(u.Removals, func(r Change) bool { return u.MayBe(r.Object, o) })
}

// DeletedKind is the kind of object that a client deletes.
func (u *Function) DeletedKind(call *ssa.Call) *types.Named {
	d, ok := u.DeletionOf(call.Common())
	if !ok || d.Many {
		return nil
	}
	if d.Object == nil {
		op, _ := u.ClientOp(call.Common())
		return op.Kind
	}
	if inner, ok := d.Object.(*ssa.MakeInterface); ok {
		return kubeapi.KindOf(inner.X.Type())
	}
	return u.Resolve.Place(d.Object).Kind
}

// Asks yields the calls that tell whether an object has a finalizer, and change nothing.
func (u *Function) Asks() iter.Seq[*ssa.Call] {
	return func(yield func(*ssa.Call) bool) {
		for n, call := range u.Graph.Calls() {
			if len(u.ChangesAt[n]) == 0 && types.Identical(call.Type(), types.Typ[types.Bool]) && u.Info.AsksFor(call) && !yield(call) {
				return
			}
		}
	}
}

// MaxMakers bounds the functions that hand an object on which one of them makes.
const MaxMakers = 3

// MaxChain bounds how deep clean-ups are followed into helpers.
const MaxChain = 4

// Helpers returns the declared functions of this package that a call runs.
func (u *Function) Helpers(call *ssa.Call) []*Function {
	var found []*Function
	for _, fn := range u.Calls.Callees(call).Funcs {
		if fn.Parent() == nil && len(fn.Blocks) > 0 && fn != u.Fn {
			found = append(found, u.Of(fn))
		}
	}
	return found
}

// MaxHelpers bounds how many functions are looked at for one removal.
const MaxHelpers = 40

// RemovalAfter returns a removal of the finalizer of an object that is being deleted, which a path
// reaches after a call has succeeded, or nil.
func (u *Function) RemovalAfter(at *paths.Node) *Change {
	if !u.PrecedesRemoval(at) {
		return nil
	}
	path, found := u.Graph.Search(u.Graph.Answered(at), 0, paths.ErrorIs(at, paths.False), func(n *paths.Node, stage int, _ paths.Known) (int, paths.Step) {
		if len(u.RemovalsAt(n)) > 0 {
			return stage, paths.Found
		}
		return stage, paths.Continue
	})
	if !found {
		return nil
	}
	if r := &u.RemovalsAt(path[len(path)-1])[0]; !u.LiveAt(at, r.Object) && u.DeletingAt(r.Node, r.Object) {
		return r
	}
	return nil
}

// FindOwnKinds notes on which kinds the package has finalizers of its own.
func (c *Checker) FindOwnKinds(units []*Function) {
	c.OwnKinds = make(map[string]bool)
	for _, u := range units {
		for _, ch := range u.Changes {
			if ch.Kind != finalizers.Ran && ch.Name.Known() && ch.Type != nil {
				c.OwnKinds[kubeapi.KindID(ch.Type)] = true
			}
		}
	}
}

// PassesOn reports whether a change is made by a function of this package that
// knows the finalizer itself, so that it is looked at there.
func (c *Checker) PassesOn(ch Change) bool {
	call := ch.Node.Call()
	if call == nil || ch.Via == nil {
		return false
	}
	for _, fn := range c.Calls.Callees(call).Funcs {
		for _, inner := range c.Of(paths.Outermost(fn)).Changes {
			if inner.Kind == ch.Kind && inner.Name == ch.Name {
				return true
			}
		}
	}
	return false
}

// isZero reports whether v is a zero value.
func isZero(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Const:
		return v.Value == nil
	case *ssa.UnOp:
		alloc, ok := v.X.(*ssa.Alloc)
		if !ok || v.Op != token.MUL {
			return false
		}
		if kept := calls.StoredLast(v, alloc); kept != nil {
			return isZero(kept)
		}
		return !blocks.AnyUse(alloc, func(ref ssa.Instruction) bool {
			_, isLoad := ref.(*ssa.UnOp)
			return !isLoad
		})
	}
	return false
}
