package subject

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// StoredByCaller reports whether the status of an object that this function
// got as a parameter, or through one, may be stored by whoever called it: the
// framework (knative's reconcilers write the status of the object that they
// hand in), or a caller in this package that does something with the object
// afterwards.
func (u *Function) StoredByCaller(object paths.Object) bool {
	param, ok := object.Root.(*ssa.Parameter)
	if !ok {
		return false
	}
	fn := param.Parent()
	if method, ok := fn.Object().(*types.Func); ok && method.Signature().Recv() != nil {
		if role, ok := kubeapi.MethodRole(method.Signature().Recv().Type(), method); ok && role.Kind == kubeapi.Reconcile {
			return true
		}
	}
	for _, call := range u.Calls.Callers(fn) {
		arg := calls.ArgumentOf(call, param)
		if arg == nil {
			return true
		}
		place := u.Resolve.Place(arg)
		if object.Path != "" {
			path := strings.Split(strings.TrimPrefix(object.Path, "."), ".")
			place = u.Resolve.Descend(place, arg.Type(), path)
		}
		if u.usedAfter(call, place.Object) {
			return true
		}
	}
	return false
}

// usedAfter reports whether the caller of a helper has a use for the status of
// an object, or lets others have one, after the call.
func (u *Function) usedAfter(call ssa.CallInstruction, object paths.Object) bool {
	if IsParameter(object) {
		return true // the caller's caller may
	}
	caller := u.Of(paths.Outermost(call.Parent()))
	nodes := caller.Graph.At(call)
	if len(nodes) == 0 {
		return true
	}
	for _, n := range nodes {
		_, found := caller.Follow(caller.Unit, n, object, nil, nil, func(s objects.Seen) paths.Step {
			switch s.Kind {
			case objects.Written, objects.HandedOff, objects.Copied, objects.Mutated:
				return paths.Found
			}
			return paths.Continue
		})
		if found || caller.StatusUsed(objects.Site{Event: objects.Event{Place: paths.Place{Object: object}}, Node: n}) {
			return true
		}
	}
	return false
}
