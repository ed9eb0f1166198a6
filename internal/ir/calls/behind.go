package calls

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/kubeapi"
)

// maxBehind bounds the steps that Behind takes back.
const maxBehind = 20

// Behind returns what v is, seen through interfaces, conversions, and local
// variables to which one value is assigned.
func Behind(v ssa.Value) ssa.Value {
	for range maxBehind {
		if x := kubeapi.Converted(v); x != nil {
			v = x
			continue
		}
		load, ok := v.(*ssa.UnOp)
		if !ok || load.Op != token.MUL {
			return v
		}
		local, ok := load.X.(*ssa.Alloc)
		if !ok {
			return v
		}
		values := StoredInto(local)
		if len(values) != 1 {
			return v
		}
		v = values[0]
	}
	return v
}
