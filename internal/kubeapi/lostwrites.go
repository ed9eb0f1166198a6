package kubeapi

import (
	"cmp"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// StoringCall returns how a call is written that asks the API server to store or delete
// something that stays: those of controller-runtime's writers, typed and dynamic clients.
// What is asked rather than stored (reviews), what is written again before long (leases) and
// what nobody relies on (events) is none, nor are subresources but the status.
func StoringCall(common *ssa.CallCommon) (name string, ok bool) {
	fn := Callee(common)
	if fn == nil {
		return "", false
	}
	recv, _ := Args(common)
	if recv != nil && !storesObjects(fn, recv.Type()) {
		return "", false
	}
	object, endpoint := ssa.Value(nil), MainEndpoint
	if op, isOp := ClientOp(common); isOp && !op.Verb.Reads() {
		object, endpoint = op.Object, op.Endpoint
	} else if deletion, deletes := DeletionOf(common); deletes {
		object = deletion.Object
	} else {
		return "", false
	}
	kind := KindBehind(object)
	if recv != nil {
		kind = cmp.Or(TypedClientKind(recv.Type()), kind)
	}
	if endpoint == OtherEndpoint || kind != nil && isPassing(kind) {
		return "", false
	}
	if endpoint == StatusEndpoint && !strings.HasSuffix(fn.Name(), "Status") {
		return "Status()." + fn.Name(), true
	}
	return fn.Name(), true
}

// storesObjects reports whether a method is one of a client of the API server: its type is that
// of a typed or dynamic client, or its options are controller-runtime's. A project's own type
// that has a method of that name may store anything anywhere.
func storesObjects(fn *types.Func, client types.Type) bool {
	return optionMethod(fn.Signature()) != "" || TypedClientKind(client) != nil || isDynamicResource(client)
}

// isPassing reports whether objects of a kind are of the moment: the next one makes up for one
// that was not written.
func isPassing(kind *types.Named) bool {
	return IsReview(kind) || slices.Contains([]string{"Event", "Lease"}, kind.Obj().Name()) && IsBuiltin(KindID(kind))
}

// Stamps reports whether an instruction notes in an object when or by whom something was seen
// last: it makes a time as objects have it, or sets their labels or annotations.
func Stamps(instr ssa.Instruction) bool {
	switch instr := instr.(type) {
	case *ssa.Store:
		field, ok := instr.Addr.(*ssa.FieldAddr)
		return ok && IsMetadataMap(field.X.Type(), field.Field)
	case *ssa.MapUpdate:
		load, ok := instr.Map.(*ssa.UnOp)
		if !ok {
			return false
		}
		field, ok := load.X.(*ssa.FieldAddr)
		return ok && IsMetadataMap(field.X.Type(), field.Field)
	case *ssa.Call:
		fn := Callee(instr.Common())
		return isMethod(fn, "SetAnnotations", "SetLabels") || fn != nil && TellsTime(fn) && IsInSeconds(instr.Type())
	}
	return false
}
