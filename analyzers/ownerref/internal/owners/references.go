package owners

import (
	"slices"

	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// ownersOf returns the objects that v refers to: a reference, a list of them,
// or metadata that has such a list, by value or by pointer.
func (i *References) ownersOf(v ssa.Value, depth int) []Party {
	if depth > maxTrace {
		return nil
	}
	switch x := v.(type) {
	case *ssa.Call:
		return i.ownersOfResult(x, 0, depth)
	case *ssa.Extract:
		if call, ok := x.Tuple.(*ssa.Call); ok {
			return i.ownersOfResult(call, x.Index, depth)
		}
	case *ssa.UnOp:
		if x.Op == token.MUL {
			return i.ownersOf(x.X, depth+1)
		}
	case *ssa.Alloc:
		return i.ownersOfVariable(x, depth)
	case *ssa.Slice:
		return i.ownersOf(x.X, depth+1)
	case *ssa.Phi:
		var found []Party
		for _, edge := range x.Edges {
			found = appendNew(found, i.ownersOf(edge, depth+4)...)
		}
		return found
	case *ssa.Parameter:
		return i.ownersOfArguments(x, depth)
	}
	return nil
}

// ownersOfVariable is a reference, an array of references or metadata that is
// put together in a variable.
func (i *References) ownersOfVariable(alloc *ssa.Alloc, depth int) []Party {
	var found []Party
	if refs := alloc.Referrers(); refs != nil {
		for _, ref := range *refs {
			switch ref := ref.(type) {
			case *ssa.Store:
				if ref.Addr == alloc {
					found = appendNew(found, i.ownersOf(ref.Val, depth+1)...)
				}
			case *ssa.FieldAddr:
				found = appendNew(found, i.ownersOfField(ref, depth)...)
			case *ssa.IndexAddr:
				found = appendNew(found, i.ownersOfElement(ref, depth)...)
			}
		}
	}
	return found
}

func (i *References) ownersOfElement(element *ssa.IndexAddr, depth int) []Party {
	var found []Party
	if element.Referrers() == nil {
		return nil
	}
	for _, ref := range *element.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Store:
			if ref.Addr == element {
				found = appendNew(found, i.ownersOf(ref.Val, depth+1)...)
			}
		case *ssa.FieldAddr:
			found = appendNew(found, i.ownersOfField(ref, depth)...)
		}
	}
	return found
}

// ownersOfField is what a field says about owners: the UID of a reference is
// the owner's, and the owner references of metadata are a list.
func (i *References) ownersOfField(field *ssa.FieldAddr, depth int) []Party {
	v := calls.FieldOf(field.X.Type(), field.Field)
	if v == nil || field.Referrers() == nil {
		return nil
	}
	var found []Party
	for _, ref := range *field.Referrers() {
		store, ok := ref.(*ssa.Store)
		if !ok || store.Addr != field {
			continue
		}
		switch {
		case v.Name() == "UID" && kubeapi.IsOwnerReference(field.X.Type()):
			if owner, ok := i.identified(store.Val); ok {
				found = appendNew(found, owner)
			}
		case v.Name() == "OwnerReferences" && kubeapi.IsObjectMeta(field.X.Type()):
			found = appendNew(found, i.ownersOf(store.Val, depth+1)...)
		}
	}
	return found
}

// identified returns the object that a UID is of.
func (i *References) identified(uid ssa.Value) (Party, bool) {
	switch x := uid.(type) {
	case *ssa.ChangeType:
		return i.identified(x.X)
	case *ssa.Convert:
		return i.identified(x.X)
	case *ssa.Call:
		if !kubeapi.IsUIDGetter(kubeapi.Callee(x.Common())) {
			return Party{}, false
		}
		recv, _ := kubeapi.Args(x.Common())
		if recv == nil {
			return Party{}, false
		}
		return i.partyOf(recv), true
	case *ssa.UnOp:
		if addr, ok := x.X.(*ssa.FieldAddr); ok {
			if f := calls.FieldOf(addr.X.Type(), addr.Field); f != nil && f.Name() == "UID" && kubeapi.IsObjectMeta(addr.X.Type()) {
				return i.partyOf(addr.X), true
			}
		}
	}
	return Party{}, false
}

// ownersOfResult is what a call returns.
func (i *References) ownersOfResult(call *ssa.Call, index, depth int) []Party {
	common := call.Common()
	if owner, ok := kubeapi.NewControllerRefOwner(common); ok {
		return []Party{i.partyOf(owner)}
	}
	if builtin, ok := common.Value.(*ssa.Builtin); ok {
		var found []Party
		if builtin.Name() == "append" {
			for _, arg := range common.Args {
				found = appendNew(found, i.ownersOf(arg, depth+1)...)
			}
		}
		return found
	}
	operands := kubeapi.Operands(common)
	var found []Party
	for _, f := range i.callees(call) {
		for _, c := range f.Carries {
			if c.Result == index && c.Param < len(operands) {
				found = appendNew(found, i.partyOf(operands[c.Param]))
			}
		}
	}
	return found
}

// ownersOfArguments is a reference that an unexported function gets: what all
// its callers hand in.
func (i *References) ownersOfArguments(param *ssa.Parameter, depth int) []Party {
	args, closed := i.Summaries.Calls.Arguments(param)
	if !closed || depth > maxTrace/2 {
		return nil
	}
	var found []Party
	for _, arg := range args {
		found = appendNew(found, i.ownersOf(arg.Value, depth+4)...)
	}
	return found
}

func appendNew(found []Party, more ...Party) []Party {
	for _, p := range more {
		if p.Object.Root == nil || slices.ContainsFunc(found, func(q Party) bool { return q.Object == p.Object }) || len(found) >= maxPairs {
			continue
		}
		found = append(found, p)
	}
	return found
}
