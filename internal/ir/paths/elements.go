package paths

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Listed returns what the elements of a slice are that is put together in a
// literal and of which nothing but its elements is used, by their index; nil if
// it is none, or its elements are no references.
func Listed(slice ssa.Value) []ssa.Value {
	made, ok := slice.(*ssa.Slice)
	if !ok || made.Low != nil || made.High != nil {
		return nil
	}
	array, ok := made.X.(*ssa.Alloc)
	if !ok {
		return nil
	}
	t, ok := array.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array)
	if !ok || t.Len() == 0 || t.Len() > maxElements || !isReference(t.Elem()) {
		return nil
	}
	elements := make([]ssa.Value, t.Len())
	for _, ref := range *array.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Slice:
			if ref != made {
				return nil
			}
		case *ssa.IndexAddr:
			index, known := constIndex(ref.Index)
			store := soleUse(ref)
			if !known || index >= len(elements) || store == nil || elements[index] != nil {
				return nil
			}
			elements[index] = store.Val
		case *ssa.DebugRef:
		default:
			return nil
		}
	}
	for _, element := range elements {
		if element == nil {
			return nil
		}
	}
	if !onlyRead(made) {
		return nil
	}
	return elements
}

// maxElements bounds the elements of a literal that are told apart.
const maxElements = 16

// ListOf returns the elements of the list in which a place lies, as [Listed] does,
// and the path from the element to it.
func ListOf(o Object) (elements []ssa.Value, path string) {
	array, ok := o.Root.(*ssa.Alloc)
	if !ok || len(o.Path) < len("."+element) || o.Path[:len("."+element)] != "."+element {
		return nil, ""
	}
	for _, ref := range *array.Referrers() {
		if slice, ok := ref.(*ssa.Slice); ok {
			return Listed(slice), o.Path[len("."+element):]
		}
	}
	return nil, ""
}

// IsListed reports whether an address is that of an element of a literal, as
// [Listed] has them.
func IsListed(addr ssa.Value) bool {
	index, ok := addr.(*ssa.IndexAddr)
	if !ok {
		return false
	}
	elements, _ := ListOf(Object{Root: index.X, Path: "." + element})
	return elements != nil
}

// soleElement returns the only value that an address of an element may lead to, or nil.
func soleElement(addr *ssa.IndexAddr) ssa.Value {
	elements := Listed(addr.X)
	if elements == nil {
		return nil
	}
	if index, ok := constIndex(addr.Index); ok && index < len(elements) {
		return elements[index]
	}
	if len(elements) == 1 {
		return elements[0]
	}
	return nil
}

func constIndex(v ssa.Value) (int, bool) {
	c, ok := v.(*ssa.Const)
	if !ok || c.Value == nil || c.Value.Kind() != constant.Int || c.Int64() < 0 {
		return 0, false
	}
	return int(c.Int64()), true
}

// soleUse returns the store that is all that an address is used for, or nil.
func soleUse(addr *ssa.IndexAddr) *ssa.Store {
	var sole *ssa.Store
	for _, use := range *addr.Referrers() {
		store, ok := use.(*ssa.Store)
		if !ok || store.Addr != addr || sole != nil {
			return nil
		}
		sole = store
	}
	return sole
}

// onlyRead reports whether a slice is used for nothing but its elements, and these
// are only read.
func onlyRead(slice *ssa.Slice) bool {
	for _, ref := range *slice.Referrers() {
		switch ref := ref.(type) {
		case *ssa.IndexAddr:
			for _, use := range *ref.Referrers() {
				if load, ok := use.(*ssa.UnOp); !ok || load.Op != token.MUL {
					return false
				}
			}
		case *ssa.Call:
			if builtin, ok := ref.Call.Value.(*ssa.Builtin); !ok || builtin.Name() != "len" {
				return false
			}
		case *ssa.DebugRef:
		default:
			return false
		}
	}
	return true
}

// isFilled reports whether a block asks for the next round of a loop over
// something that is not empty for sure: a first round there is.
func isFilled(header *ssa.BasicBlock) bool {
	branch, ok := header.Instrs[len(header.Instrs)-1].(*ssa.If)
	if !ok || header.Comment != "rangeindex.loop" {
		return false
	}
	cond, ok := branch.Cond.(*ssa.BinOp)
	if !ok || cond.Op != token.LSS {
		return false
	}
	switch n := cond.Y.(type) {
	case *ssa.Const:
		count, ok := constIndex(n)
		return ok && count > 0
	case *ssa.Call:
		builtin, ok := n.Call.Value.(*ssa.Builtin)
		if !ok || builtin.Name() != "len" {
			return false
		}
		slice, ok := n.Call.Args[0].(*ssa.Slice)
		if !ok || slice.Low != nil || slice.High != nil {
			return false
		}
		ptr, ok := slice.X.Type().Underlying().(*types.Pointer)
		if !ok {
			return false
		}
		array, ok := ptr.Elem().Underlying().(*types.Array)
		return ok && array.Len() > 0
	}
	return false
}
