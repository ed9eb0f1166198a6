package jobdelete

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// isOfAnyKind reports whether a deletion is of unstructured objects, or by a dynamic
// client, where nothing in the package says of what kind.
func (c *checker) isOfAnyKind(call ssa.CallInstruction, d kubeapi.DeletionCall) bool {
	if d.Kind != nil || c.knowsJobs(paths.Outermost(call.Parent()), 0) {
		return false
	}
	if d.Object != nil {
		return kubeapi.HoldsUnstructured(d.Object) && c.comesUntyped(d.Object)
	}
	dynamic, ok := kubeapi.DynamicCallOf(call.Common())
	return ok && dynamic.Resource != nil && c.isLookedUp(dynamic.Resource)
}

// maxCallers bounds how far up it is asked who sees to Jobs.
const maxCallers = 4

// knowsJobs reports whether a function sees to Jobs itself, or one that calls it.
func (c *checker) knowsJobs(fn *ssa.Function, depth int) bool {
	return namesJobs(fn) || depth < maxCallers && slices.ContainsFunc(c.graph.Callers(fn), func(call ssa.CallInstruction) bool {
		return c.knowsJobs(paths.Outermost(call.Parent()), depth+1)
	})
}

// namesJobs reports whether a function, or a literal in it, has the kind or the resource
// as a text: it sees to Jobs itself.
func namesJobs(fn *ssa.Function) bool {
	for instr := range blocks.Instrs(fn) {
		for _, operand := range instr.Operands(nil) {
			if text, ok := kubeapi.ConstString(*operand); ok && (text == "Job" || text == "jobs") {
				return true
			}
		}
	}
	return slices.ContainsFunc(fn.AnonFuncs, namesJobs)
}

// comesUntyped reports whether callers that are not known hand an object in, alone or in a
// list, and all that is known comes from such callers.
func (c *checker) comesUntyped(object ssa.Value) bool {
	from := c.through()
	return from.Any(object, isGiven) && !slices.ContainsFunc(slices.Collect(from.Ends(object)), func(end ssa.Value) bool {
		_, isParameter := end.(*ssa.Parameter)
		_, isCall := end.(*ssa.Call)
		return !isParameter && (isCall || kubeapi.HoldsUnstructured(end) || kubeapi.IsUnstructuredList(end.Type()))
	})
}

// isGiven reports whether a value is handed in by other packages.
func isGiven(v ssa.Value) bool {
	p, ok := v.(*ssa.Parameter)
	if !ok {
		return false
	}
	fn := p.Parent().Object()
	return fn != nil && fn.Exported() && !calls.IsReceiver(p)
}

// through leads from an object to what it is a copy of, the list that it is in, and what the
// list is put together of.
func (c *checker) through() values.Relation {
	return values.Relation{Calls: c.graph, Steps: values.Package | values.Taken, More: func(v ssa.Value) []ssa.Value {
		call, ok := v.(*ssa.Call)
		if !ok {
			return nil
		}
		if calls.IsBuiltin(call, "append") {
			return call.Call.Args
		}
		if callee := kubeapi.Callee(call.Common()); callee == nil || !kubeapi.IsDeepCopy(callee) {
			return nil
		}
		recv, _ := kubeapi.Args(call.Common())
		return []ssa.Value{recv}
	}}
}

func isMapper(v ssa.Value) bool { return kubeapi.ClientKindOf(v.Type()) == kubeapi.Mapper }

// isLookedUp reports whether a resource comes from a mapper of kinds, or a caller.
func (c *checker) isLookedUp(resource ssa.Value) bool {
	from := values.Relation{Calls: c.graph, Steps: values.Package | values.Selected}
	found := from.Any(resource, isGiven)
	for end := range from.Ends(resource) {
		switch end := end.(type) {
		case *ssa.Const, *ssa.Parameter:
		default:
			call, _ := calls.CallOf(end)
			if call == nil || !slices.ContainsFunc(kubeapi.Operands(call.Common()), isMapper) {
				return false
			}
			found = true
		}
	}
	return found
}
