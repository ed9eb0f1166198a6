package kubeapi

import "go/types"

// IsErrors reports whether a type is a list of errors, whose entries each have a message for people to
// read. Conditions have one, too, but are for programs as well (Kubernetes API conventions, typical
// status properties).
func IsErrors(t types.Type) bool {
	list, ok := t.Underlying().(*types.Slice)
	if !ok {
		return false
	}
	entry, ok := Deref(list.Elem()).Underlying().(*types.Struct)
	if !ok {
		return false
	}
	message := false
	for field := range entry.Fields() {
		switch {
		case field.Name() == "Status":
			return false
		case field.Name() == "Message" && IsString(field.Type()):
			message = true
		}
	}
	return message
}
