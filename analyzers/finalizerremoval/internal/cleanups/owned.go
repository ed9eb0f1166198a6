package cleanups

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/finalizerremoval/internal/subject"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/kubeapi/rbac"
)

// staysBehind reports whether an object that a clean-up deletes is seen to stay if that
// fails: the garbage collector does not take it with its owner, since it has no namespace
// or the package gives its like no owner.
func (u *unit) staysBehind(call *ssa.Call, depth int) bool {
	if _, ok := u.DeletionOf(call.Common()); ok {
		kind := u.DeletedKind(call)
		return hasNoOwner(kind) || !u.givesOwners(kind)
	}
	if len(u.Helpers(call)) == 0 || depth >= subject.MaxChain {
		return !u.givesOwners(nil)
	}
	return u.cleansUpInside(call, depth, func(u *unit, inner *ssa.Call) bool {
		return u.inCluster(inner, depth+1) && u.staysBehind(inner, depth+1)
	})
}

// goesAnyway reports whether all that a clean-up deletes are objects which the garbage collector takes with their owner.
func (u *unit) goesAnyway(call *ssa.Call) bool {
	return u.inCluster(call, 0) && !u.staysBehind(call, 0)
}

// hasNoOwner lists the kinds whose objects nothing in a namespace can own, and the claims of
// stateful sets, which get no owner unless that is asked for.
func hasNoOwner(kind *types.Named) bool {
	if kind == nil || kind.Obj().Pkg() == nil {
		return false
	}
	if kubeapi.KindID(kind) == "k8s.io/api/core/v1.PersistentVolumeClaim" {
		return true
	}
	group, ok := rbac.GroupOfPackage(kind.Obj().Pkg().Path())
	if !ok {
		return false
	}
	resource, ok := rbac.Known(group, kind.Obj().Name())
	return ok && resource.ClusterScoped
}

// givesOwners reports whether the package puts owner references on objects of a kind, or
// on some whose kind is not known, any at all if kind is nil.
func (u *unit) givesOwners(kind *types.Named) bool {
	owned := u.owned()
	return owned[""] || kind == nil && len(owned) > 0 || kind != nil && owned[kubeapi.KindID(kind)]
}

// owned are the kinds on whose objects the package puts owner references, with "" for those
// whose kind is not known.
func (u *unit) owned() map[string]bool {
	if u.Owned == nil {
		u.Owned = make(map[string]bool)
		for _, fn := range u.Calls.Funcs {
			for instr := range blocks.Instrs(fn) {
				for _, owned := range u.owns(instr) {
					u.Owned[owned] = true
				}
			}
		}
	}
	return u.Owned
}

// owns returns the kinds of the objects that an instruction puts an owner on, "" if one is
// not known.
func (u *unit) owns(instr ssa.Instruction) []string {
	var object ssa.Value
	switch instr := instr.(type) {
	case *ssa.Store:
		if !kubeapi.IsOwnerReferences(instr.Val.Type()) || isNothing(instr.Val) {
			return nil
		}
		if _, isField := instr.Addr.(*ssa.FieldAddr); !isField {
			return nil
		}
		object = instr.Addr
	case *ssa.MapUpdate:
		key, _ := kubeapi.ConstString(instr.Key)
		if key == "ownerReferences" { // of an unstructured object
			return []string{""}
		}
		return nil
	case ssa.CallInstruction:
		call, isOwnerCall := kubeapi.OwnerCallOf(instr.Common())
		switch callee := kubeapi.Callee(instr.Common()); {
		case isOwnerCall:
			object = call.Object
		case callee != nil && callee.Name() == "SetOwnerReferences":
			recv, args := kubeapi.Args(instr.Common())
			if recv == nil || len(args) != 1 || isNothing(args[0]) {
				return nil
			}
			object = recv
		default:
			return nil
		}
	default:
		return nil
	}
	named := kubeapi.KindOfValue(object)
	if named == nil {
		named = u.Resolve.Place(object).Kind
	}
	if named == nil {
		return kindsAround(object)
	}
	return []string{kubeapi.KindID(named)}
}

// kindsAround are the kinds of the objects that metadata are put into after they were put together,
// "" where they may go elsewhere.
func kindsAround(part ssa.Value) (kinds []string) {
	for load := range blocks.UsesOf[*ssa.UnOp](blocks.Base(part)) {
		for use := range blocks.Uses(load) {
			kind := ""
			if store, ok := use.(*ssa.Store); ok {
				if named := kubeapi.KindOfValue(blocks.Base(store.Addr)); named != nil {
					kind = kubeapi.KindID(named)
				}
			}
			kinds = append(kinds, kind)
		}
	}
	if len(kinds) == 0 {
		return []string{""}
	}
	return kinds
}

func isNothing(v ssa.Value) bool {
	if slice, ok := v.(*ssa.Slice); ok {
		_, literal := slice.X.(*ssa.Alloc)
		return literal && len(calls.StoredInto(slice.X)) == 0 && len(*slice.X.Referrers()) == 1
	}
	return calls.IsNil(v)
}

// talks reports whether a clean-up is seen to talk to somebody: it, or a function of the
// package that it runs, takes a context, a client or what sends requests. Others may take
// something out of memory, and fail if it is not there.
func (u *unit) talks(call *ssa.Call, depth int) bool {
	callee := kubeapi.Callee(u.Calls.Through(call.Common()))
	if callee != nil && (kubeapi.TakesContext(callee.Signature()) || callee.Pkg() != nil && kubeapi.IsStandard(callee.Pkg()) && !kubeapi.IsLocal(callee.Pkg())) {
		return true
	}
	return getsClient(call) || depth < subject.MaxChain && failsInside(u.Helpers(call), func(u *unit, inner *ssa.Call) bool { return u.talks(inner, depth+1) })
}
