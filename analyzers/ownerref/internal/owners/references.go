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
// put together in a variable, or in an element of an array.
func (i *References) ownersOfVariable(at ssa.Value, depth int) []Party {
	var found []Party
	for ref := range blocks.Uses(at) {
		switch ref := ref.(type) {
		case *ssa.Store:
			if ref.Addr == at {
				found = appendNew(found, i.ownersOf(ref.Val, depth+1)...)
			}
		case *ssa.FieldAddr:
			found = appendNew(found, i.ownersOfField(ref, depth)...)
		case *ssa.IndexAddr:
			found = appendNew(found, i.ownersOfVariable(ref, depth)...)
		}
	}
	return found
}

// ownersOfField is what a field says about owners: the UID of a reference is
// the owner's, and the owner references of metadata are a list.
func (i *References) ownersOfField(field *ssa.FieldAddr, depth int) []Party {
	var found []Party
	for store := range blocks.Stores(field) {
		switch name := calls.FieldName(field); {
		case name == "UID" && kubeapi.IsOwnerReference(field.X.Type()):
			if owner, ok := i.identified(store.Val); ok {
				found = appendNew(found, owner)
			}
		case name == "OwnerReferences" && kubeapi.IsObjectMeta(field.X.Type()):
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
		if addr, ok := load.X.(*ssa.FieldAddr); ok && calls.FieldName(addr) == "UID" && kubeapi.IsObjectMeta(addr.X.Type()) {
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
	var found []Party
	if calls.IsBuiltin(call, "append") {
		for _, arg := range common.Args {
			found = appendNew(found, i.ownersOf(arg, depth+1)...)
		}
	}
	operands := kubeapi.Operands(common)
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
