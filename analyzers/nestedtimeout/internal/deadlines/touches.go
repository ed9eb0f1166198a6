package deadlines

import (
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// aliases returns the values that v is seen as in the function.
func (i *Deadlines) aliases(v ssa.Value) map[ssa.Value]bool {
	same := values.Relation{Calls: i.calls, Steps: values.Converted | values.Merged | values.Held, Onward: func(v ssa.Value, use ssa.Instruction) []ssa.Value {
		switch use := use.(type) {
		case *ssa.FieldAddr:
			if isBody(use) {
				return loads(use)
			}
		case *ssa.Return:
			return i.calls.ReturnedAs(v)
		}
		return nil
	}}
	return same.Names(v)
}

// loads returns what is loaded from an address.
func loads(addr *ssa.FieldAddr) []ssa.Value {
	var found []ssa.Value
	for load := range blocks.UsesOf[*ssa.UnOp](addr) {
		found = append(found, load)
	}
	return found
}

// isBody reports whether addr is the address of a response's body.
func isBody(addr *ssa.FieldAddr) bool {
	field := calls.FieldOf(addr.X.Type(), addr.Field)
	return field != nil && field.Name() == "Body" && kubeapi.IsNamed(addr.X.Type(), "net/http", "Response")
}

// touch is what a node does with a value that needs a context.
type touch uint8

const (
	nothing   touch = iota
	consumed        // it is used
	lostSight       // it goes where it cannot be followed
)

// releasing are the methods that need no context.
var releasing = map[string]bool{"Close": true, "Stop": true, "Err": true, "Header": true, "Trailer": true, "CloseSend": true, "Rollback": true, "String": true}

func (i *Deadlines) touches(n *paths.Node, same map[ssa.Value]bool) touch {
	switch instr := n.Instr.(type) {
	case *ssa.Go, *ssa.Send, *ssa.MapUpdate:
		for _, operand := range n.Instr.Operands(nil) {
			if operand != nil && same[*operand] {
				return lostSight
			}
		}
	case *ssa.Store:
		if _, local := instr.Addr.(*ssa.Alloc); same[instr.Val] && !local {
			if _, captured := instr.Addr.(*ssa.FreeVar); !captured {
				return lostSight
			}
		}
	case *ssa.Range:
		if same[instr.X] {
			return consumed
		}
	case ssa.CallInstruction:
		call := runs(n)
		if call == nil {
			return nothing
		}
		common := call.Common()
		recv, args := kubeapi.Args(common)
		callee := kubeapi.Callee(common)
		if recv != nil && same[recv] {
			if callee != nil && releasing[callee.Name()] {
				return nothing
			}
			return consumed
		}
		for _, arg := range args {
			if same[arg] && !kubeapi.IsHarmless(callee) {
				return consumed
			}
		}
	}
	return nothing
}
