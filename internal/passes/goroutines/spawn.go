package goroutines

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Spawn is an instruction that starts a goroutine: a go statement, a group's
// Go or Start, or time.AfterFunc.
type Spawn struct {
	Call ssa.CallInstruction
	// Bodies are the functions of the package that the goroutine runs first.
	Bodies []*ssa.Function
	// Callee is the function of another package, or the interface method,
	// that it runs; nil if Bodies has it all.
	Callee *types.Func
	// Group is the group that it belongs to (an errgroup, a wait.Group), or
	// nil.
	Group ssa.Value
	// Timer tells that it is time.AfterFunc's.
	Timer bool
	// args has the values that the bodies' parameters have.
	args map[*ssa.Parameter]ssa.Value
}

// Pos is where the goroutine is started.
func (s *Spawn) Pos() token.Pos { return s.Call.Pos() }

// spawnOf returns the goroutine that call starts, or nil.
func spawnOf(g *calls.Graph, call ssa.CallInstruction) *Spawn {
	common := call.Common()
	if _, ok := call.(*ssa.Go); ok {
		s := &Spawn{Call: call, args: make(map[*ssa.Parameter]ssa.Value)}
		s.Bodies = g.Callees(call).Funcs
		if len(s.Bodies) == 0 {
			s.Callee = kubeapi.Callee(common)
		}
		for _, body := range s.Bodies {
			bindArgs(s.args, body, common)
		}
		return s
	}
	if group, fn, ok := kubeapi.GroupStart(common); ok {
		// A type of the package that merely has these methods is read, not
		// taken for a group.
		if len(g.Callees(call).Funcs) > 0 {
			return nil
		}
		return &Spawn{Call: call, Bodies: g.FuncsOf(fn).Funcs, Group: group, args: make(map[*ssa.Parameter]ssa.Value)}
	}
	if callee := kubeapi.Callee(common); kubeapi.IsAfterFunc(callee) {
		_, args := kubeapi.Args(common)
		if len(args) == 2 {
			return &Spawn{Call: call, Bodies: g.FuncsOf(args[1]).Funcs, Timer: true, args: make(map[*ssa.Parameter]ssa.Value)}
		}
	}
	return nil
}

// bindArgs records what the parameters of callee, a target of the call, are.
func bindArgs(into map[*ssa.Parameter]ssa.Value, callee *ssa.Function, common *ssa.CallCommon) {
	args := common.Args
	switch {
	case common.IsInvoke():
		args = append([]ssa.Value{common.Value}, args...)
	case len(callee.Params) == len(args)+1:
		// A method value: its receiver was captured.
		recv, _ := kubeapi.Args(common)
		args = append([]ssa.Value{recv}, args...)
	}
	if len(args) != len(callee.Params) {
		return
	}
	for i, param := range callee.Params {
		if args[i] != nil {
			into[param] = args[i]
		}
	}
}
