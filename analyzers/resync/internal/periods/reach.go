package periods

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// reach tells from the arguments of a constructor, and of the options among
// them, how many objects the informers have.
func (i *Periods) reach(args []ssa.Value, depth int) Reach {
	reach := Wide
	for _, arg := range args {
		reach = max(reach, i.reachOf(arg, depth))
	}
	return reach
}

func (i *Periods) reachOf(arg ssa.Value, depth int) Reach {
	if depth > maxDepth {
		return Doubtful
	}
	t := arg.Type()
	switch {
	case kubeapi.IsString(t):
		// A namespace, unless it is all of them, or comes from outside.
		if s, ok := kubeapi.ConstString(arg); ok && s != "" {
			return Doubtful
		}
		return Wide
	case isTweak(t):
		return i.tweak(arg)
	case isListWatch(t):
		return i.listWatch(arg, depth)
	}
	switch t.Underlying().(type) {
	case *types.Slice:
		if !isOptions(t) {
			return Wide
		}
		options, ok := kubeapi.VariadicArgs(arg)
		if !ok {
			return Doubtful
		}
		reach := Wide
		for _, option := range options {
			call, ok := calls.Behind(option).(*ssa.Call)
			if !ok {
				return Doubtful
			}
			_, given := kubeapi.Args(call.Common())
			reach = max(reach, i.reach(given, depth+1))
		}
		return reach
	case *types.Struct:
		// Options in which the list and watch is one field.
		if load, ok := arg.(*ssa.UnOp); ok {
			if made, ok := load.X.(*ssa.Alloc); ok {
				reach := Wide
				for _, v := range stored(made) {
					if isListWatch(v.Type()) || isTweak(v.Type()) || kubeapi.IsString(v.Type()) {
						reach = max(reach, i.reachOf(v, depth+1))
					}
				}
				return reach
			}
		}
	}
	return Wide
}

// isOptions reports whether t is a slice of functional options.
func isOptions(t types.Type) bool {
	slice, ok := t.Underlying().(*types.Slice)
	return ok && kubeapi.IsFuncType(slice.Elem())
}

// isListWatch recognises what lists and watches.
func isListWatch(t types.Type) bool {
	return kubeapi.HasMethod(t, "List") && kubeapi.HasMethod(t, "Watch")
}

// isTweak recognises a function that changes the options of lists and watches.
func isTweak(t types.Type) bool {
	sig, ok := t.Underlying().(*types.Signature)
	return ok && sig.Results().Len() == 0 && sig.Params().Len() == 1 && kubeapi.IsListOptions(sig.Params().At(0).Type())
}

// tweak tells what a function makes of the options of lists and watches.
func (i *Periods) tweak(v ssa.Value) Reach {
	if calls.IsNil(v) {
		return Wide
	}
	targets := i.graph.FuncsOf(v)
	if !targets.Closed || len(targets.Funcs) == 0 {
		return Doubtful
	}
	return selectors(targets.Funcs)
}

// selectors tells which selectors functions set in the options of a list.
func selectors(fns []*ssa.Function) Reach {
	reach := Wide
	for _, fn := range fns {
		for store := range blocks.InstrsOf[*ssa.Store](fn) {
			addr, ok := store.Addr.(*ssa.FieldAddr)
			if s, empty := kubeapi.ConstString(store.Val); !ok || !kubeapi.IsListOptions(addr.X.Type()) || empty && s == "" {
				continue
			}
			switch calls.FieldName(addr) {
			case "FieldSelector":
				reach = Narrow
			case "LabelSelector":
				reach = max(reach, Doubtful)
			}
		}
	}
	return reach
}

// listWatch tells what a ListerWatcher lists.
func (i *Periods) listWatch(v ssa.Value, depth int) Reach {
	switch v := calls.Behind(v).(type) {
	case *ssa.Call:
		callee := kubeapi.Callee(v.Common())
		if callee == nil || callee.Pkg() == nil || !kubeapi.IsCachePackage(callee.Pkg()) {
			return Doubtful
		}
		reach := Wide
		_, args := kubeapi.Args(v.Common())
		for n, arg := range args {
			switch {
			case kubeapi.IsNamed(arg.Type(), "k8s.io/apimachinery/pkg/fields", "Selector"):
				if call, ok := arg.(*ssa.Call); !ok || !kubeapi.IsFunc(kubeapi.Callee(call.Common()), "k8s.io/apimachinery/pkg/fields", "Everything") {
					return Narrow
				}
			case n == 1 && kubeapi.IsString(arg.Type()): // the resource
			default:
				reach = max(reach, i.reachOf(arg, depth+1))
			}
		}
		return reach
	case *ssa.Alloc:
		if !kubeapi.IsNamed(v.Type(), "k8s.io/client-go/tools/cache", "ListWatch") {
			return Doubtful
		}
		reach := Wide
		for _, f := range stored(v) {
			if kubeapi.IsFuncType(f.Type()) {
				reach = max(reach, selectors(i.graph.FuncsOf(f).Funcs))
			}
		}
		return reach
	}
	return Doubtful
}

// stored returns what is stored into the fields of a struct where it is made.
func stored(made *ssa.Alloc) []ssa.Value {
	var values []ssa.Value
	for addr := range blocks.UsesOf[*ssa.FieldAddr](made) {
		for store := range blocks.Stores(addr) {
			values = append(values, store.Val)
		}
	}
	return values
}

// isFake reports whether a client serves objects from memory: it is one for
// tests.
func (i *Periods) isFake(client ssa.Value) bool {
	call, ok := calls.Behind(client).(*ssa.Call)
	if !ok {
		return false
	}
	callee := kubeapi.Callee(call.Common())
	return callee != nil && kubeapi.IsFakeClientMaker(callee)
}
