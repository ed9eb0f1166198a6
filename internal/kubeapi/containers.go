package kubeapi

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// ContainerUse is what a call does to a container of which it is a method, or
// which is its first argument.
type ContainerUse uint8

const (
	// UnknownUse may do anything.
	UnknownUse ContainerUse = iota
	// ContainerRead reads.
	ContainerRead
	// ContainerInsert puts something in.
	ContainerInsert
	// ContainerRemove takes something out.
	ContainerRemove
)

// IsKeyedContainer reports whether t, or what it points to, is a map with
// methods: sync.Map, and the concurrent maps of others that have its methods.
func IsKeyedContainer(t types.Type) bool {
	if ptr, ok := types.Unalias(t).(*types.Pointer); ok {
		t = ptr.Elem()
	}
	if types.IsInterface(t) || Named(t) == nil {
		return false
	}
	ptr := types.NewPointer(t)
	if Named(t).Obj().Pkg() == nil || !HasMethod(ptr, "Range") {
		return false
	}
	return takesParams(ptr, "Store", 2) && takesParams(ptr, "Delete", 1) && takesParams(ptr, "Load", 1)
}

func takesParams(t types.Type, name string, params int) bool {
	sig := method(t, name)
	return sig != nil && sig.Params().Len() == params
}

// KeyedUse tells what a method of a keyed container does, and for one that puts
// something in, which of its arguments that is.
func KeyedUse(fn *types.Func) (use ContainerUse, value int) {
	switch fn.Name() {
	case "Store", "LoadOrStore", "Swap", "LoadAndStore":
		return ContainerInsert, 1
	case "CompareAndSwap":
		return ContainerInsert, 2
	case "Load", "Range", "Size", "Len":
		return ContainerRead, 0
	case "Delete", "LoadAndDelete", "CompareAndDelete", "Clear":
		return ContainerRemove, 0
	}
	return UnknownUse, 0
}

// syncMapWrites and syncMapReads are the methods of sync.Map that keep something under a key, and
// those that tell what is kept there.
var (
	syncMapWrites = newNameTable("(*sync.Map).Store", "(*sync.Map).LoadOrStore")
	syncMapReads  = newNameTable("(*sync.Map).Load", "(*sync.Map).LoadOrStore", "(*sync.Map).LoadAndDelete")
)

// SyncMapUse tells whether a function keeps something in a sync.Map, and whether it tells what is kept
// there; it may do both.
func SyncMapUse(fn *types.Func) (writes, reads bool) {
	return syncMapWrites.match(fn), syncMapReads.match(fn)
}

// ContainerFunc tells what a call of a function outside the user's modules does
// to a slice or map that is its index-th argument.
func ContainerFunc(common *ssa.CallCommon, index int) ContainerUse {
	fn := Callee(common)
	if fn == nil || fn.Pkg() == nil {
		return UnknownUse
	}
	switch fn.Pkg().Path() {
	case "maps", "slices", "golang.org/x/exp/maps", "golang.org/x/exp/slices":
		switch {
		case fn.Name() == "Copy" && index == 0 || fn.Name() == "Insert":
			return UnknownUse
		case slices.Contains([]string{"DeleteFunc", "Delete", "Clear", "Compact", "CompactFunc", "Replace"}, fn.Name()):
			return ContainerRemove
		}
		return ContainerRead
	case "sort":
		return ContainerRead
	}
	if Logs(fn) {
		return ContainerRead
	}
	return UnknownUse
}

// IsLocking reports whether fn takes a lock.
func IsLocking(fn *types.Func) bool {
	return isMethod(fn, "Lock", "RLock", "TryLock", "TryRLock") && fn.Signature().Params().Len() == 0
}

// IsUnlocking reports whether fn gives a lock back.
func IsUnlocking(fn *types.Func) bool {
	return isMethod(fn, "Unlock", "RUnlock") && fn.Signature().Params().Len() == 0
}
