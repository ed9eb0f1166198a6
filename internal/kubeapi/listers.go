package kubeapi

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// IsListerGet reports whether fn is the Get of a lister: a name in, an object
// of the cache and an error out.
func IsListerGet(fn *types.Func) bool {
	sig := fn.Signature()
	return fn.Name() == "Get" && sig.Params().Len() == 1 && isString(sig.Params().At(0).Type()) &&
		returnsObjectAndError(sig) && hasListerMethods(sig)
}

// IsListerList reports whether fn is the List of a lister: a selector in, a
// slice of objects of the cache and an error out.
func IsListerList(fn *types.Func) bool { return fn.Name() == "List" && isListerList(fn.Signature()) }

// NarrowsLister reports whether fn is what a lister has for one namespace: pods.Pods(namespace).
func NarrowsLister(fn *types.Func) bool {
	sig := fn.Signature()
	if !hasListerMethods(sig) || sig.Params().Len() != 1 || !isString(sig.Params().At(0).Type()) || sig.Results().Len() != 1 {
		return false
	}
	list := method(sig.Results().At(0).Type(), "List")
	return list != nil && isListerList(list)
}

func hasListerMethods(sig *types.Signature) bool {
	if sig.Recv() == nil {
		return false
	}
	list := method(sig.Recv().Type(), "List")
	return list != nil && isListerList(list)
}

func isListerList(sig *types.Signature) bool {
	params, results := sig.Params(), sig.Results()
	if params.Len() != 1 || !IsNamed(params.At(0).Type(), "k8s.io/apimachinery/pkg/labels", "Selector") ||
		results.Len() < 1 || results.Len() > 2 {
		return false
	}
	slice, ok := results.At(0).Type().Underlying().(*types.Slice)
	return ok && isObjectOrParam(slice.Elem())
}

func returnsObjectAndError(sig *types.Signature) bool {
	return fit(sig.Results(), isObjectOrParam, IsError)
}

// IsTypedList reports whether fn is the List of a typed client: options in, a
// list and an error out.
func IsTypedList(fn *types.Func) bool {
	results := fn.Signature().Results()
	return fn.Name() == "List" && results.Len() == 2 && IsError(results.At(1).Type()) && hasOptions(fn.Signature().Params(), "ListOptions") &&
		HasField(results.At(0).Type(), "Items")
}

// IsGeneratedClient reports whether a method is one of a clientset that client-gen has made, which
// keeps the clients of its groups below a folder of this name.
func IsGeneratedClient(fn *types.Func) bool {
	return fn.Pkg() != nil && strings.Contains(fn.Pkg().Path(), "/typed/")
}

// SelectsByLabels reports whether a call that lists objects asks for those with certain
// labels, as far as it shows: by an option, or by a selector that is not labels.Everything().
func SelectsByLabels(common *ssa.CallCommon) bool {
	_, args := Args(common)
	if len(args) > 0 && common.Signature().Variadic() {
		if options, known := VariadicArgs(args[len(args)-1]); known {
			args = append(slices.Clone(args[:len(args)-1]), options...)
		}
	}
	return slices.ContainsFunc(args, func(v ssa.Value) bool {
		v = Unboxed(v)
		if IsNamed(v.Type(), clientPath, "HasLabels", "MatchingLabels", "MatchingLabelsSelector") {
			return true
		}
		if IsNamed(v.Type(), "k8s.io/apimachinery/pkg/labels", "Selector") {
			call, ok := v.(*ssa.Call)
			return !ok || !IsFunc(Callee(call.Common()), "k8s.io/apimachinery/pkg/labels", "Everything")
		}
		return IsListOptions(v.Type()) && setsSelector(v)
	})
}

// setsSelector reports whether the options of a list are given a selector of labels where
// they are put together, or come from elsewhere.
func setsSelector(options ssa.Value) bool {
	if load, ok := options.(*ssa.UnOp); ok {
		options = load.X
	}
	if made, ok := options.(*ssa.Const); ok {
		return made.Value != nil
	}
	made, ok := options.(*ssa.Alloc)
	if !ok {
		return true
	}
	for _, ref := range *made.Referrers() {
		switch ref := ref.(type) {
		case *ssa.FieldAddr:
			if fieldName(ref.X.Type(), ref.Field) == "LabelSelector" {
				return true
			}
		case *ssa.Store:
			if ref.Addr == ssa.Value(made) {
				return true
			}
		}
	}
	return false
}
