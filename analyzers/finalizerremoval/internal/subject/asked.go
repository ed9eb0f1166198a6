package subject

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

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
	if kubeapi.IsObject(t) {
		return false
	}
	if kubeapi.IsClient(t) {
		return true
	}
	named := kubeapi.Named(t)
	return named != nil && kubeapi.HasClient(named)
}

// IsRead reports whether a local object is read from the API server here.
func (u *Function) IsRead(o paths.Object) bool {
	for _, s := range u.Sites {
		if s.Kind != objects.Refreshed || s.Place.Object.Root != o.Root {
			continue
		}
		if call := s.Node.Call(); call != nil {
			if op, ok := u.ClientOp(call.Common()); ok && op.Verb.Reads() {
				return true
			}
		}
	}
	return false
}

// AsksForFinalizer reports whether a call tells if an object has a finalizer,
// or removes it and tells if it was there.
func (u *Function) AsksForFinalizer(call *ssa.Call) bool {
	common := call.Common()
	callee := kubeapi.Callee(common)
	if kubeapi.IsFunc(callee, controllerutilPath, "ContainsFinalizer") || len(u.Info.Changes(call)) > 0 {
		return true
	}
	for _, v := range kubeapi.Operands(common) {
		if getter, ok := v.(*ssa.Call); ok && kubeapi.IsFinalizerGetter(kubeapi.Callee(getter.Common())) {
			return true
		}
		if load, ok := v.(*ssa.UnOp); ok {
			if addr, ok := load.X.(*ssa.FieldAddr); ok && kubeapi.IsObjectMeta(addr.X.Type()) && IsStrings(load.Type()) {
				return true
			}
		}
	}
	return false
}

// IsStrings reports whether t is a list of strings.
func IsStrings(t types.Type) bool {
	slice, ok := t.Underlying().(*types.Slice)
	return ok && types.Identical(slice.Elem().Underlying(), types.Typ[types.String])
}

// Used leaves out errors that nobody looks at.
func Used(errs []ssa.Value) []ssa.Value {
	var found []ssa.Value
	for _, err := range errs {
		if err.Referrers() != nil && len(*err.Referrers()) > 0 {
			found = append(found, err)
		}
	}
	return found
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

// IsBool reports whether a call answers yes or no.
func IsBool(call *ssa.Call) bool { return types.Identical(call.Type(), types.Typ[types.Bool]) }

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

// RemovalAfter returns a removal that a path reaches after a call has
// succeeded, or nil; one that is not stored by itself only counts if the call
// is not about the same object.
func (u *Function) RemovalAfter(at *paths.Node) *Change {
	if !u.PrecedesRemoval(at) {
		return nil
	}
	if path, found := u.Graph.Search(u.Graph.Answered(at), 0, paths.ErrorIs(at, paths.False), func(n *paths.Node, stage int, _ paths.Known) (int, paths.Step) {
		if len(u.RemovalsAt(n)) > 0 {
			return stage, paths.Found
		}
		return stage, paths.Continue
	}); found {
		return &u.RemovalsAt(path[len(path)-1])[0]
	}
	return nil
}

// ReportedStuck reports whether a call was reported for what it leaves stuck.
func (c *Checker) ReportedStuck(call *ssa.Call) bool { return c.StuckReported[call] }

const controllerutilPath = "sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

// FindOwnKinds notes on which kinds the package has finalizers of its own.
func (c *Checker) FindOwnKinds(units []*Function) {
	c.OwnKinds = make(map[string]bool)
	for _, u := range units {
		for _, ch := range u.Changes {
			if ch.Kind == finalizers.Ran || !ch.Name.Known() {
				continue
			}
			if ch.Type != nil {
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
		if !ok || v.Op != token.MUL || alloc.Referrers() == nil {
			return false
		}
		if kept := calls.StoredLast(v, alloc); kept != nil {
			return isZero(kept)
		}
		for _, ref := range *alloc.Referrers() {
			if ref != v {
				if _, isLoad := ref.(*ssa.UnOp); !isLoad {
					return false
				}
			}
		}
		return true
	}
	return false
}
