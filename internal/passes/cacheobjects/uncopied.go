package cacheobjects

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/kubeapi"
)

// uncopied tells which reads of controller-runtime's client are not copied,
// because this package builds the cache so.
type uncopied struct {
	all   bool
	kinds map[*types.Named]bool
}

const runtimeCache = "sigs.k8s.io/controller-runtime/pkg/cache"

func (o *Objects) findUncopied() {
	o.uncopied.kinds = make(map[*types.Named]bool)
	for _, fn := range o.Calls.Funcs {
		for instr := range blocks.Instrs(fn) {
			switch instr := instr.(type) {
			case *ssa.Store:
				addr, ok := instr.Addr.(*ssa.FieldAddr)
				if ok && kubeapi.IsNamed(addr.X.Type(), runtimeCache, "Options") && kubeapi.PointsToTrue(instr.Val) &&
					fieldName(addr.X.Type(), addr.Field) == "DefaultUnsafeDisableDeepCopy" {
					o.uncopied.all = true
				}
			case *ssa.MapUpdate:
				// ByObject: map[client.Object]cache.ByObject{&v1.Pod{}: {UnsafeDisableDeepCopy: …}}
				load, ok := instr.Value.(*ssa.UnOp)
				if !ok || !kubeapi.IsNamed(instr.Value.Type(), runtimeCache, "ByObject") || !kubeapi.SetsUnsafe(load.X, "UnsafeDisableDeepCopy") {
					continue
				}
				if kind := kubeapi.KindOfValue(instr.Key); kind != nil {
					o.uncopied.kinds[kind] = true
				}
			}
		}
	}
}

// uncopiedRead recognises a client's Get or List that does not copy, and
// returns the object that it reads into: the struct is the caller's own, what it
// refers to is shared.
func (u *unit) uncopiedRead(call ssa.CallInstruction) (origin, ssa.Value, bool) {
	common := call.Common()
	op, ok := kubeapi.ClientOp(common)
	if _, plain := call.(*ssa.Call); !plain || !ok || !op.Verb.Reads() || op.Object == nil || !u.isUncopied(common, op) {
		return origin{}, nil, false
	}
	put := path(follow)
	if op.Verb == kubeapi.List {
		put = "Items.*.[].*"
	}
	what := calleeText(common)
	src := u.source(sourceKey{value: call.Value(), what: what, result: -1}, func(s *source) {
		s.kind, s.what, s.pos = kubeapi.UncopiedObject, what, common.Pos()
	})
	return origin{src: src, put: put, shallow: true, merged: true}, op.Object, true
}

func (u *unit) isUncopied(common *ssa.CallCommon, op kubeapi.Op) bool {
	_, args := kubeapi.Args(common)
	if len(args) > 0 {
		if options, ok := kubeapi.VariadicArgs(args[len(args)-1]); ok {
			for _, option := range options {
				if kubeapi.ReadsUncopied(option) {
					return true
				}
			}
		}
	}
	if op.Verb == kubeapi.List && len(u.uncopied.kinds) > 0 {
		if list := kubeapi.Named(kubeapi.Unconverted(op.Object).Type()); list != nil {
			for kind := range u.uncopied.kinds {
				if list.Obj().Pkg() == kind.Obj().Pkg() && list.Obj().Name() == kind.Obj().Name()+"List" {
					return true
				}
			}
		}
	}
	if kind := kubeapi.KindOfValue(op.Object); kind != nil && u.uncopied.kinds[kind] {
		return true
	}
	return u.uncopied.all
}
