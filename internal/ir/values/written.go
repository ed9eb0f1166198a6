package values

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Selection returns the value with which the code begins that writes v, and the fields
// that it goes on with: for c.informers.pods the variable c, and the two fields.
func Selection(v ssa.Value) (base ssa.Value, fields []*types.Var) {
	for range maxChain {
		next, field := v, (*types.Var)(nil)
		switch x := v.(type) {
		case *ssa.UnOp:
			if x.Op == token.MUL {
				next = x.X
			}
		case *ssa.FieldAddr:
			next, field = x.X, calls.FieldOf(x.X.Type(), x.Field)
		case *ssa.Field:
			next, field = x.X, calls.FieldOf(x.X.Type(), x.Field)
		case *ssa.ChangeInterface, *ssa.ChangeType, *ssa.MakeInterface:
			next = kubeapi.Converted(x)
		}
		if next == v {
			break
		}
		if field != nil {
			fields = append(fields, field)
		}
		v = next
	}
	slices.Reverse(fields)
	return v, fields
}

// NameOf returns the name of the variable that a value is, or empty if it has none.
func NameOf(v ssa.Value) string {
	switch v := v.(type) {
	case *ssa.Parameter, *ssa.FreeVar, *ssa.Global:
		return v.Name()
	case *ssa.Alloc:
		if v.Comment != "complit" && v.Comment != "new" && !strings.ContainsAny(v.Comment, " ()") {
			return v.Comment
		}
	case *ssa.Phi:
		return v.Comment
	}
	return ""
}

// Written is how code writes a variable or a field, for messages: "c.informers.pods";
// what begins with something that has no name is written without it. Embedded fields on
// the way are left out.
func Written(v ssa.Value) string {
	base, fields := Selection(v)
	return Join(NameOf(base), fields)
}

// Join writes fields behind a name, which may be empty.
func Join(name string, fields []*types.Var) string {
	var names []string
	if name != "" {
		names = append(names, name)
	}
	for i, field := range fields {
		if i == len(fields)-1 || !field.Embedded() {
			names = append(names, field.Name())
		}
	}
	return strings.Join(names, ".")
}
