package contexts

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// SourceKind tells by which way a context is at hand.
type SourceKind uint8

const (
	// FromParam is a parameter of the function or of one around it.
	FromParam SourceKind = iota
	// FromRequest is the context of a request that is a parameter.
	FromRequest
	// FromField is a field of the receiver or of a parameter.
	FromField
)

// Source is a context, or a stop channel, that is at hand in a function.
type Source struct {
	Kind SourceKind
	// Stop tells that it is a stop channel.
	Stop bool
	// Param is the parameter that it is, or hangs on: of the function or of
	// one around it.
	Param *ssa.Parameter
	// Blank tells that the parameter has no name by which it could be used.
	Blank bool
	// Expr is how code writes it: "ctx", "r.Context()", "c.stopCh".
	Expr string
	// Fields lead from the parameter to it, for the kind FromField.
	Fields []*types.Var
}

// AtHand returns the contexts and stop channels that the code of fn can reach,
// best first.
func (i *Info) AtHand(fn *ssa.Function) []Source { return nil }
