package deadlines

import (
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
)

// aliases returns the values that v is seen as in the function.
func (i *Deadlines) aliases(v ssa.Value) map[ssa.Value]bool {
	same := make(map[ssa.Value]bool)
	var visit func(v ssa.Value)
	visit = func(v ssa.Value) {
		if same[v] || v.Referrers() == nil || len(same) > maxVisits {
			return
		}
		same[v] = true
		for _, ref := range *v.Referrers() {
			// A switch of its own: it goes forward, which ir/values does not.
			switch ref := ref.(type) {
			case *ssa.ChangeInterface:
				visit(ref)
			case *ssa.MakeInterface:
				visit(ref)
			case *ssa.Phi:
				visit(ref)
			case *ssa.FieldAddr:
				if isBody(ref) {
					i.loads(ref, visit, 0)
				}
			case *ssa.Return:
				for _, result := range i.calls.ReturnedAs(v) {
					visit(result)
				}
			case *ssa.Store:
				if local, ok := ref.Addr.(*ssa.Alloc); ok && ref.Val == v {
					i.loads(local, visit, 0)
				}
			}
		}
	}
	visit(v)
	return same
}

// loads visits the loads of a local variable, also in literals.
func (i *Deadlines) loads(addr ssa.Value, visit func(ssa.Value), depth int) {
	if addr.Referrers() == nil || depth > maxTrace {
		return
	}
	for _, ref := range *addr.Referrers() {
		switch ref := ref.(type) {
		case *ssa.UnOp:
			visit(ref)
		case *ssa.MakeClosure:
			for n, binding := range ref.Bindings {
				if fn, ok := ref.Fn.(*ssa.Function); ok && binding == addr && n < len(fn.FreeVars) {
					i.loads(fn.FreeVars[n], visit, depth+1)
				}
			}
		}
	}
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
