package kubeapi

import "go/types"

// serializers are the methods that protobuf's generators make, by name, with
// their signatures.
var serializers = map[string]*types.Signature{
	"Marshal":              signature(nil, byteSlice, errorType),
	"MarshalTo":            signature(byteSlice, types.Typ[types.Int], errorType),
	"MarshalToSizedBuffer": signature(byteSlice, types.Typ[types.Int], errorType),
	"Unmarshal":            signature(byteSlice, errorType),
	"Size":                 signature(nil, types.Typ[types.Int]),
	"String":               signature(nil, types.Typ[types.String]),
}

var (
	byteSlice = types.NewSlice(types.Typ[types.Byte])
	errorType = types.Universe.Lookup("error").Type()
)

// signature makes a signature with at most one parameter.
func signature(param types.Type, results ...types.Type) *types.Signature {
	tuple := func(all ...types.Type) *types.Tuple {
		var vars []*types.Var
		for _, t := range all {
			vars = append(vars, types.NewParam(0, nil, "", t))
		}
		return types.NewTuple(vars...)
	}
	var params *types.Tuple
	if param != nil {
		params = tuple(param)
	}
	return types.NewSignatureType(nil, nil, nil, params, tuple(results...), false)
}

// Serializes reports whether fn is a method that turns its receiver into bytes
// or text or back, as protobuf's generators make for every API type. They are
// by far the longest functions of an API package, and nothing that matters
// here happens in them.
func Serializes(fn *types.Func) bool {
	want, ok := serializers[fn.Name()]
	sig := fn.Signature()
	return ok && sig.Recv() != nil && types.Identical(types.NewSignatureType(nil, nil, nil, sig.Params(), sig.Results(), sig.Variadic()), want)
}

// DescribesTypes reports whether fn tells the API server what types look like, as
// openapi-gen makes functions for every API type: nothing but large literals.
func DescribesTypes(fn *types.Func) bool {
	sig := fn.Signature()
	if sig.Recv() != nil || sig.Results().Len() != 1 {
		return false
	}
	result := sig.Results().At(0).Type()
	if m, ok := result.Underlying().(*types.Map); ok {
		result = m.Elem()
	}
	return IsNamed(result, "k8s.io/kube-openapi/pkg/common", "OpenAPIDefinition")
}
