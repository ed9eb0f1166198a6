package kubeapi

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// DeletionCall is a call that deletes objects, as a client of controller-runtime or
// a typed one has it.
type DeletionCall struct {
	Deletion
	// Kind is the kind that is deleted, nil if not known.
	Kind *types.Named
	// Options are those of controller-runtime, as they are packed, or the options
	// struct of a typed client. Typed tells which.
	Options ssa.Value
	Typed   bool
}

// DeletionCallOf recognises the deletions of which the options can be seen: those
// of controller-runtime's clients, by the type of their options, and those of
// typed clients, which know their kind.
func DeletionCallOf(common *ssa.CallCommon) (DeletionCall, bool) {
	deletion, ok := DeletionOf(common)
	if !ok {
		return DeletionCall{}, false
	}
	call := DeletionCall{Deletion: deletion}
	sig := Callee(common).Signature()
	recv, args := Args(common)
	if deletion.Object != nil {
		if !strings.HasPrefix(optionMethod(sig), "ApplyToDelete") {
			return DeletionCall{}, false
		}
		call.Options = args[len(args)-1]
		call.Kind = kindOfCopy(deletion.Object)
		return call, true
	}
	call.Options = argument(args, IsDeleteOptions)
	call.Typed = call.Options != nil
	if get := method(recv.Type(), "Get"); get != nil && get.Results().Len() == 2 {
		call.Kind = KindOf(get.Results().At(0).Type())
	}
	return call, call.Typed
}

// kindOfCopy is [KindBehind], seen through a copy, too: DeepCopyObject returns any object.
func kindOfCopy(v ssa.Value) *types.Named {
	kind := KindBehind(v)
	if copied, ok := stripInterfaces(v).(*ssa.Call); ok && kind == nil {
		if fn := Callee(copied.Common()); fn != nil && IsDeepCopy(fn) {
			recv, _ := Args(copied.Common())
			return KindBehind(recv)
		}
	}
	return kind
}

// IsDeleteOptions reports whether t is, or points to, the options of a typed client's
// deletion.
func IsDeleteOptions(t types.Type) bool { return IsNamed(t, metav1Path, "DeleteOptions") }

// AppliesTo returns the options that a call fills, as (PropagationPolicy).ApplyToDelete of controller-runtime's
// client does those that it is given, and (*DeleteOptions).ApplyOptions its own; or nil.
func AppliesTo(common *ssa.CallCommon) ssa.Value {
	fn := Callee(common)
	if fn == nil || fn.Pkg() == nil || !isAt(fn.Pkg(), runtimeClient) {
		return nil
	}
	recv, args := Args(common)
	results := fn.Signature().Results()
	switch {
	case recv != nil && results.Len() == 1 && IsPointer(recv.Type()) && types.Identical(results.At(0).Type(), recv.Type()):
		return recv
	case recv != nil && results.Len() == 0 && len(args) == 1 && IsPointer(args[0].Type()):
		return args[0]
	}
	return nil
}

// OrphansByDefault reports whether the API server leaves what belongs to an object
// of a kind if the deletion does not say what is to become of it: the pods of a Job.
func OrphansByDefault(kind *types.Named) bool {
	return kind != nil && IsNamed(kind, "k8s.io/api/batch/v1", "Job")
}

// JobID is the kind of which that is so, as [KindID] has it.
const JobID = "k8s.io/api/batch/v1.Job"

// NeutralDeleteOption reports whether an option of a deletion surely says nothing
// of what belongs to the object: one that selects, or sets something else.
func NeutralDeleteOption(option ssa.Value) bool {
	option = stripInterfaces(option)
	named := Named(option.Type())
	if named == nil || named.Obj().Pkg() == nil || !strings.HasSuffix(named.Obj().Pkg().Path(), "sigs.k8s.io/controller-runtime/pkg/client") {
		return false
	}
	switch named.Obj().Name() {
	case "GracePeriodSeconds", "Preconditions", "InNamespace", "MatchingLabels", "MatchingFields", "HasLabels", "MatchingLabelsSelector", "MatchingFieldsSelector":
		return true
	}
	return false
}
