package kubeapi

import "go/types"

// IsListerGet reports whether fn is the Get of a lister: a name in, an object
// of the cache and an error out.
func IsListerGet(fn *types.Func) bool {
	sig := fn.Signature()
	return fn.Name() == "Get" && sig.Params().Len() == 1 && isString(sig.Params().At(0).Type()) &&
		returnsObjectAndError(sig) && hasListerMethods(sig)
}

// IsListerList reports whether fn is the List of a lister: a selector in, a
// slice of objects of the cache and an error out.
func IsListerList(fn *types.Func) bool {
	sig := fn.Signature()
	return fn.Name() == "List" && isListerList(sig)
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
	return ok && (IsObject(slice.Elem()) || IsTypeParam(slice.Elem()))
}

func returnsObjectAndError(sig *types.Signature) bool {
	results := sig.Results()
	return results.Len() == 2 && IsError(results.At(1).Type()) && (IsObject(results.At(0).Type()) || IsTypeParam(results.At(0).Type()))
}

// IsTypedList reports whether fn is the List of a typed client: options in, a
// list and an error out.
func IsTypedList(fn *types.Func) bool {
	results := fn.Signature().Results()
	return fn.Name() == "List" && results.Len() == 2 && IsError(results.At(1).Type()) && hasOptions(fn.Signature().Params(), "ListOptions") &&
		HasField(results.At(0).Type(), "Items")
}
