package kubeapi

import (
	"go/types"
	"sync"
	"sync/atomic"
)

// methodsKnown has the methods that were asked for by name; nil to forget them.
var methodsKnown atomic.Pointer[sync.Map] // *types.Named -> *methodTable

// methodTable has the methods of a type and of pointers to it, and nil for those that
// there are not.
type methodTable struct {
	mu             sync.Mutex
	value, pointer map[string]*types.Func
}

// methodNamed returns the exported method of t, or of a pointer to it, with that name,
// or nil. Dozens of passes ask it about the types of all values, and go/types goes
// through all methods of the type, of which there may be thousands.
func methodNamed(t types.Type, name string) *types.Func {
	t = types.Unalias(t)
	base := t
	pointer, isPointer := t.(*types.Pointer)
	if isPointer {
		base = types.Unalias(pointer.Elem())
	}
	switch base := base.(type) {
	case *types.Basic, *types.Slice, *types.Array, *types.Map, *types.Chan, *types.Signature, *types.Tuple:
		return nil
	case *types.Named:
		if known := methodsKnown.Load(); known != nil {
			table, ok := known.Load(base)
			if !ok {
				table, _ = known.LoadOrStore(base, new(methodTable))
			}
			return table.(*methodTable).named(t, isPointer, name)
		}
	}
	return lookUpMethod(t, name)
}

func (m *methodTable) named(t types.Type, isPointer bool, name string) *types.Func {
	m.mu.Lock()
	defer m.mu.Unlock()
	methods := &m.value
	if isPointer {
		methods = &m.pointer
	}
	fn, ok := (*methods)[name]
	if !ok {
		fn = lookUpMethod(t, name)
		if *methods == nil {
			*methods = make(map[string]*types.Func)
		}
		(*methods)[name] = fn
	}
	return fn
}

func lookUpMethod(t types.Type, name string) *types.Func {
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, name)
	fn, _ := obj.(*types.Func)
	return fn
}
