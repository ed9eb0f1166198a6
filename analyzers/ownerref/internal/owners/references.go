package owners

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// ownersOf returns the objects that v refers to: a reference, a list of them,
// or metadata that has such a list, by value or by pointer.
func (i *References) ownersOf(v ssa.Value, depth int) []Party {
	if depth > maxTrace {
		return nil
	}
	if call, index := calls.CallOf(v); call != nil {
		return i.ownersOfResult(call, index, depth)
	}
	switch v := v.(type) {
	case *ssa.Alloc:
		return i.ownersOfVariable(v, depth)
	case *ssa.Parameter:
		return i.ownersOfArguments(v, depth)
	case *ssa.Slice:
		return i.ownersOf(v.X, depth+1)
	}
	var found []Party
	same := values.Relation{Steps: values.Address | values.Merged}
	from, _ := same.Sources(v)
	for _, v := range from {
		found = appendNew(found, i.ownersOf(v, depth+len(from))...)
	}
	return found
}

// ownersOfVariable is a reference, an array of references or metadata that is
// put together in a variable.
func (i *References) ownersOfVariable(alloc *ssa.Alloc, depth int) []Party {
	var found []Party
	for ref := range blocks.Uses(alloc) {
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
	for store := range blocks.Stores(field) {
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
	uid = values.Relation{Steps: values.Converted}.End(uid)
	if call, ok := uid.(*ssa.Call); ok && kubeapi.IsUIDGetter(kubeapi.Callee(call.Common())) {
		if recv, _ := kubeapi.Args(call.Common()); recv != nil {
			return i.partyOf(recv), true
		}
	}
	if load, ok := uid.(*ssa.UnOp); ok {
		addr, ok := load.X.(*ssa.FieldAddr)
		if f := calls.FieldAt(load.X); ok && f != nil && f.Name() == "UID" && kubeapi.IsObjectMeta(addr.X.Type()) {
			return i.partyOf(addr.X), true
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
	for _, f := range i.sums.At(call) {
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
