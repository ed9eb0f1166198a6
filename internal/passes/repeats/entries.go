package repeats

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
)

// allEntries are the functions that run again and again: what the ecosystem
// calls for events, requests and items, and the methods of gRPC services.
func (f *finder) allEntries() []*entrypoints.Entry {
	var found []*entrypoints.Entry
	for _, entry := range f.entries.Entries {
		switch kind := entry.Kind; {
		case kind.PerEvent(), kind.PerItem(), kind == kubeapi.Admission, kind == kubeapi.HTTPHandler, kind == kubeapi.Transform:
			found = append(found, entry)
		}
	}
	return append(found, f.services()...)
}

// services are the methods by which the package implements gRPC services.
func (f *finder) services() []*entrypoints.Entry {
	var found []*entrypoints.Entry
	for _, fn := range f.graph.Funcs {
		for call := range blocks.InstrsOf[ssa.CallInstruction](fn) {
			service, methods, ok := kubeapi.IsServiceRegistration(call.Common())
			if !ok {
				continue
			}
			for _, method := range f.implementing(service, methods) {
				if slices.ContainsFunc(found, func(e *entrypoints.Entry) bool { return e.Fn == method }) {
					continue
				}
				found = append(found, &entrypoints.Entry{
					Role: kubeapi.Role{Kind: kubeapi.HTTPHandler, What: method.Name()}, Fn: method, Registered: call.Pos(),
				})
			}
		}
	}
	return found
}

// implementing are the methods of a value of this package that an interface
// asks for.
func (f *finder) implementing(service ssa.Value, methods *types.Interface) []*ssa.Function {
	for changed, ok := service.(*ssa.ChangeInterface); ok; changed, ok = service.(*ssa.ChangeInterface) {
		service = changed.X
	}
	boxed, ok := service.(*ssa.MakeInterface)
	if !ok {
		return nil
	}
	var found []*ssa.Function
	set := f.graph.Pkg.Prog.MethodSets.MethodSet(boxed.X.Type())
	for method := range methods.Methods() {
		selected := set.Lookup(method.Pkg(), method.Name())
		if selected == nil {
			continue
		}
		fn := f.graph.Pkg.Prog.MethodValue(selected)
		if fn == nil {
			continue
		}
		// One that sends a stream has what it needs for as long as that lasts.
		if params := method.Signature().Params(); params.Len() == 0 || !kubeapi.IsContext(params.At(0).Type()) {
			continue
		}
		if declared, abstract := calls.Unwrap(fn); abstract == nil && declared.Pkg == f.graph.Pkg && len(declared.Blocks) > 0 {
			found = append(found, declared)
		}
	}
	return found
}
