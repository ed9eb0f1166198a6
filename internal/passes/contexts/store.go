package contexts

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// stores has what the package does with variables and fields that matter here:
// contexts, channels, durations.
type stores struct {
	graph *calls.Graph
	// opaque are those whose address goes where it cannot be followed: a
	// flag's variable, a decoder's field.
	opaque map[types.Object]bool
	closed map[types.Object]bool // channels that are closed
	sent   map[types.Object]bool // channels that something is sent to
	acted  map[types.Object]bool // channels that make a loop work, and go on

	operands blocks.Operands
}

func newStores(graph *calls.Graph) *stores {
	s := &stores{
		graph: graph, opaque: make(map[types.Object]bool),
		closed: make(map[types.Object]bool), sent: make(map[types.Object]bool), acted: make(map[types.Object]bool),
	}
	graph.Each(s.record)
	return s
}

// record notes what an instruction does with globals and fields.
func (s *stores) record(instr ssa.Instruction) {
	switch instr := instr.(type) {
	case *ssa.Store:
		s.leaks(instr.Val)
		return
	case *ssa.UnOp:
		if key := loaded(instr.X); key != nil && instr.Op == token.ARROW && acts(instr, instr.X) {
			s.acted[key] = true
		}
		return
	case *ssa.FieldAddr, *ssa.DebugRef:
		return
	case *ssa.Send:
		if key := loaded(instr.Chan); key != nil {
			s.sent[key] = true
		}
	case *ssa.Select:
		for _, state := range instr.States {
			switch key := loaded(state.Chan); {
			case key == nil:
			case state.Dir == types.SendOnly:
				s.sent[key] = true
			case kubeapi.IsStopChannel(state.Chan.Type()) && acts(instr, state.Chan):
				s.acted[key] = true
			}
		}
	case ssa.CallInstruction:
		common := instr.Common()
		if builtin, ok := common.Value.(*ssa.Builtin); ok && builtin.Name() == "close" {
			if key := loaded(common.Args[0]); key != nil {
				s.closed[key] = true
			}
		}
	}
	for _, operand := range s.operands.Of(instr) {
		if operand != nil && *operand != nil {
			s.leaks(*operand)
		}
	}
}

// leaks notes that the address v, if it is one of a variable, is used for
// something else than loading or storing.
func (s *stores) leaks(v ssa.Value) {
	if key := calls.HolderOf(v); key != nil {
		s.opaque[key] = true
	}
}

// loaded returns the global or field that v was loaded from, or nil.
func loaded(v ssa.Value) types.Object {
	return calls.Loaded(values.Relation{Steps: values.Converted}.End(v))
}

// only returns the values stored into a global or field if these are all: it
// is not exported, decoded or changed through its address.
func (s *stores) only(key types.Object) []ssa.Value {
	if key == nil || key.Exported() || s.opaque[key] {
		return nil
	}
	return s.graph.Stored(key)
}

// isStopField reports whether a channel kept in a field tells to stop: nobody
// sends to it or takes it for a trigger, and its type or somebody who closes it says so.
func (s *stores) isStopField(field *types.Var) bool {
	if !kubeapi.IsStopChannel(field.Type()) || s.sent[field] || s.acted[field] {
		return false
	}
	return s.closed[field] || field.Type().Underlying().(*types.Chan).Dir() == types.RecvOnly
}
