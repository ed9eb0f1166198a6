package repeats

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
)

// servesTests reports whether an entry point is a method of a type that nothing in
// the package makes and nobody else can: it is there for tests, or for nothing.
func (f *finder) servesTests(entry *entrypoints.Entry) bool {
	recv := entry.Fn.Signature.Recv()
	if recv == nil {
		return false
	}
	named := kubeapi.Named(recv.Type())
	if named == nil || named.Obj().Exported() || named.Obj().Pkg() != f.pass.Pkg || named.TypeParams().Len() > 0 {
		return false
	}
	return !f.made()[named]
}

// made are the types of the package of which its functions and variables have a
// value.
func (f *finder) made() map[*types.Named]bool {
	if f.makes != nil {
		return f.makes
	}
	f.makes = make(map[*types.Named]bool)
	for _, fn := range f.graph.All() {
		for instr := range blocks.Instrs(fn) {
			v, ok := instr.(ssa.Value)
			if boxed, isBox := instr.(*ssa.MakeInterface); isBox {
				v = boxed.X // what is handed around is somebody's
			}
			if ok && !isReceiverOf(fn, v.Type()) {
				f.note(v.Type(), 0)
			}
		}
	}
	scope := f.pass.Pkg.Scope()
	for _, name := range scope.Names() {
		if v, ok := scope.Lookup(name).(*types.Var); ok {
			f.note(v.Type(), 0)
		}
	}
	return f.makes
}

// isReceiverOf reports whether a type is that of a method's own receiver, a value
// of which it has anyway.
func isReceiverOf(fn *ssa.Function, t types.Type) bool {
	recv := paths.Outermost(fn).Signature.Recv()
	if pointer, ok := t.Underlying().(*types.Pointer); ok && kubeapi.Named(t) == nil {
		t = pointer.Elem() // the variable that a literal captures
	}
	return recv != nil && kubeapi.Named(recv.Type()) == kubeapi.Named(t)
}

// note notes a type, and those of the fields of a struct.
func (f *finder) note(t types.Type, depth int) {
	if depth > 4 {
		return
	}
	switch t := types.Unalias(t).(type) {
	case *types.Pointer, *types.Slice, *types.Array, *types.Map:
		f.note(t.(interface{ Elem() types.Type }).Elem(), depth+1)
	case *types.Named:
		if t.Obj().Pkg() != f.pass.Pkg || f.makes[t] {
			return
		}
		f.makes[t] = true
		if s, ok := t.Underlying().(*types.Struct); ok {
			for field := range s.Fields() {
				f.note(field.Type(), depth+1)
			}
		}
	}
}
