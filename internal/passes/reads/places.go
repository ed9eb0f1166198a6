package reads

import (
	"go/types"
	"hash/fnv"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// The places that clients and objects flow through, by what their names begin
// with.
const (
	placeParam        = "param"
	placeResult       = "result"
	placeField        = "field"
	placeVariable     = "var"
	placeMethodParam  = "mparam"
	placeMethodResult = "mresult"
	placeFuncParam    = "fparam"
	placeFuncResult   = "fresult"
	placeOther        = "other"
)

// funcName names a function for all packages.
func funcName(fn *ssa.Function) string {
	if obj, ok := fn.Object().(*types.Func); ok {
		return kubeapi.FullName(obj.Origin())
	}
	return fn.String()
}

func paramPlace(fn *ssa.Function, i int) string  { return paramOf(funcName(fn), i) }
func resultPlace(fn *ssa.Function, i int) string { return resultOf(funcName(fn), i) }

func paramOf(function string, i int) string {
	return placeParam + ":" + function + "#" + strconv.Itoa(i)
}
func resultOf(function string, i int) string {
	return placeResult + ":" + function + "#" + strconv.Itoa(i)
}

// methodParam and methodResult stand for all methods of a name and number of
// parameters that are called through interfaces; the receiver is not counted.
func methodParam(name string, params, i int) string {
	return placeMethodParam + ":" + name + "/" + strconv.Itoa(params) + "#" + strconv.Itoa(i)
}

func methodResult(name string, params, i int) string {
	return placeMethodResult + ":" + name + "/" + strconv.Itoa(params) + "#" + strconv.Itoa(i)
}

// funcParam and funcResult stand for all function values of a type.
func funcParam(sig *types.Signature, i int) string {
	return placeFuncParam + ":" + signature(sig) + "#" + strconv.Itoa(i)
}

func funcResult(sig *types.Signature, i int) string {
	return placeFuncResult + ":" + signature(sig) + "#" + strconv.Itoa(i)
}

// signature names a function type without the names of its parameters.
func signature(sig *types.Signature) string {
	name := "("
	for v := range sig.Params().Variables() {
		name += types.TypeString(v.Type(), nil) + ","
	}
	name += ")("
	for v := range sig.Results().Variables() {
		name += types.TypeString(v.Type(), nil) + ","
	}
	return name + ")"
}

// digest stands for the signature of an interface's method in facts, where the whole
// would take much room. It is empty for those of generic interfaces: the caller may know
// them by another signature.
func digest(method *types.Func) string {
	sig := method.Signature()
	if named := kubeapi.Named(sig.Recv().Type()); named != nil && named.Origin().TypeParams().Len() > 0 {
		return ""
	}
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(signature(sig)))
	return strconv.FormatUint(uint64(hash.Sum32()), 36)
}

// fieldPlace names a field of a struct type for all packages.
func fieldPlace(t types.Type, index int) string {
	field := calls.FieldOf(t, index)
	if field == nil {
		return ""
	}
	if named := kubeapi.Named(t); named != nil && named.Obj().Pkg() != nil {
		return placeField + ":" + named.Obj().Pkg().Path() + "." + named.Obj().Name() + "." + field.Name()
	}
	if field.Pkg() == nil {
		return ""
	}
	return placeField + ":" + field.Pkg().Path() + ".struct." + field.Name()
}

func variablePlace(global *ssa.Global) string {
	if global.Pkg == nil {
		return ""
	}
	return placeVariable + ":" + global.Pkg.Pkg.Path() + "." + global.Name()
}

// isFollowed reports whether values of a type are followed: clients, managers,
// builders, objects behind interfaces, and slices and maps of them.
func isFollowed(t types.Type) bool {
	switch u := types.Unalias(t).(type) {
	case *types.Slice:
		return isFollowed(u.Elem())
	case *types.Map:
		return isFollowed(u.Elem())
	case *types.Basic, *types.Signature, *types.Chan, *types.Tuple, *types.Struct:
		return false
	case *types.Named:
		if u.Obj().Pkg() == nil {
			return false
		}
	}
	return kubeapi.IsReader(t) || kubeapi.IsWriterInterface(t) || kubeapi.IsManager(t) || kubeapi.IsControllerBuilder(t) || kubeapi.IsObjectInterface(t)
}

// isCertain reports whether values of a type are followed through interfaces and
// function values, too. Which object a method is called with depends on the
// implementation, and is not known then.
func (g *gatherer) isCertain(t types.Type) bool { return g.isFollowed(t) && !isObject(t) }

// isFollowed is the function of that name, which takes a while, once for each
// type.
func (g *gatherer) isFollowed(t types.Type) bool {
	answer, known := g.followed[t]
	if !known {
		answer = isFollowed(t)
		g.followed[t] = answer
	}
	return answer
}

// isObject reports whether what is followed of a type is an object.
func isObject(t types.Type) bool {
	switch u := types.Unalias(t).(type) {
	case *types.Slice:
		return isObject(u.Elem())
	case *types.Map:
		return isObject(u.Elem())
	}
	return kubeapi.IsObjectInterface(t) && !kubeapi.IsReader(t)
}
