package kubeapi

import "go/types"

// IsRuntimeSyncPeriod reports whether the index-th field of t is the resync
// period of all informers of controller-runtime's cache: a field of the options
// of a cache, a cluster or, as it once was, a manager. Those of single kinds and
// namespaces are not.
func IsRuntimeSyncPeriod(t types.Type, index int) bool {
	name := fieldName(t, index)
	return (name == "SyncPeriod" || name == "Resync") &&
		(IsNamed(t, runtimeCache, "Options") || IsNamed(t, runtimeManager, "Options") || IsNamed(t, runtimePath+"cluster", "Options"))
}

// IsListOptions reports whether t is, or points to, the options of a list or
// watch.
func IsListOptions(t types.Type) bool {
	named := Named(t)
	return named != nil && named.Obj().Name() == "ListOptions" && HasField(t, "FieldSelector")
}

// HasField reports whether t is a struct, or a pointer to one, that has a field
// of the name.
func HasField(t types.Type, name string) bool {
	return anyField(structOf(t), func(f *types.Var) bool { return f.Name() == name })
}
