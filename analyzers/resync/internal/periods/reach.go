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
func (i *Periods) reach(args []ssa.Value) Reach {
	reach := Wide
	for _, arg := range args {
		reach = max(reach, i.reachOf(arg, 0))
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
	case kubeapi.HasMethod(t, "List") && kubeapi.HasMethod(t, "Watch"):
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
			for _, arg := range given {
				reach = max(reach, i.reachOf(arg, depth+1))
			}
		}
		return reach
	case *types.Struct:
		// Options in which the list and watch is one field.
		if load, ok := arg.(*ssa.UnOp); ok {
			if made, ok := load.X.(*ssa.Alloc); ok {
				reach := Wide
				for _, v := range stored(made) {
					if kubeapi.HasMethod(v.Type(), "List") && kubeapi.HasMethod(v.Type(), "Watch") || isTweak(v.Type()) || kubeapi.IsString(v.Type()) {
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
	if !ok {
		return false
	}
	_, ok = slice.Elem().Underlying().(*types.Signature)
	return ok
}

// isTweak recognises a function that changes the options of lists and watches.
func isTweak(t types.Type) bool {
	sig, ok := t.Underlying().(*types.Signature)
	return ok && sig.Results().Len() == 0 && sig.Params().Len() == 1 && kubeapi.IsListOptions(sig.Params().At(0).Type())
}

// tweak tells what a function makes of the options of lists and watches.
func (i *Periods) tweak(v ssa.Value) Reach {
	if c, ok := v.(*ssa.Const); ok && c.IsNil() {
		return Wide
	}
	targets := i.graph.FuncsOf(v)
	if !targets.Closed || len(targets.Funcs) == 0 {
		return Doubtful
	}
	reach := Wide
	for _, fn := range targets.Funcs {
		reach = max(reach, selectors(fn))
	}
	return reach
}

// selectors tells which selectors a function sets in the options of a list.
func selectors(fn *ssa.Function) Reach {
	reach := Wide
	for store := range blocks.InstrsOf[*ssa.Store](fn) {
		addr, ok := store.Addr.(*ssa.FieldAddr)
		if !ok || !kubeapi.IsListOptions(addr.X.Type()) {
			continue
		}
		if s, ok := kubeapi.ConstString(store.Val); ok && s == "" {
			continue
		}
		switch field := calls.FieldOf(addr.X.Type(), addr.Field); field.Name() {
		case "FieldSelector":
			reach = Narrow
		case "LabelSelector":
			reach = max(reach, Doubtful)
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
			if _, ok := f.Type().Underlying().(*types.Signature); !ok {
				continue
			}
			for _, fn := range i.graph.FuncsOf(f).Funcs {
				reach = max(reach, selectors(fn))
			}
		}
		return reach
	}
	return Doubtful
}

// stored returns what is stored into the fields of a struct where it is made.
func stored(made *ssa.Alloc) []ssa.Value {
	var values []ssa.Value
	if made.Referrers() == nil {
		return nil
	}
	for addr := range blocks.UsesOf[*ssa.FieldAddr](made) {
		if addr.Referrers() == nil {
			continue
		}
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
