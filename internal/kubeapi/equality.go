package kubeapi

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// equalities are functions that compare their first two arguments in depth.
var equalities = newNameTable(
	"reflect.DeepEqual",
	"(k8s.io/apimachinery/third_party/forked/golang/reflect.Equalities).DeepEqual",
	"(k8s.io/apimachinery/third_party/forked/golang/reflect.Equalities).DeepDerivative",
	"(k8s.io/apimachinery/third_party/forked/golang/reflect.Equalities).DeepEqualWithNilDifferentFromEmpty",
	"github.com/google/go-cmp/cmp.Equal",
	"maps.Equal", "maps.EqualFunc", "slices.Equal", "slices.EqualFunc",
	"golang.org/x/exp/maps.Equal", "golang.org/x/exp/slices.Equal", "bytes.Equal",
)

// Compared returns the values that a call compares in depth, if it answers
// whether they are equal: equality.Semantic.DeepEqual and the like, and methods
// Equal that take another value of the receiver's type.
func Compared(common *ssa.CallCommon) (x, y ssa.Value, ok bool) {
	callee := Callee(common)
	if callee == nil {
		return nil, nil, false
	}
	recv, args := Args(common)
	if len(args) >= 2 && equalities.match(callee) {
		return args[0], args[1], true
	}
	results := callee.Signature().Results()
	if callee.Name() != "Equal" || recv == nil || len(args) != 1 || results.Len() != 1 || !types.Identical(results.At(0).Type(), types.Typ[types.Bool]) {
		return nil, nil, false
	}
	return recv, args[0], types.Identical(Deref(recv.Type()), Deref(args[0].Type()))
}
