package loops

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/kubeapi"
)

// Wait is an instruction at which a loop waits in each round.
type Wait struct {
	Instr ssa.Instruction
	// Timed tells that nothing but time is waited for: a sleep, or the
	// channel of a timer or ticker.
	Timed bool
}

// Waits returns the instructions of the loop's own function at which it waits
// for time to pass or for a channel. A loop without any is a computation, or
// waits in what it calls.
func (l *Loop) Waits() []Wait {
	var found []Wait
	for _, block := range l.Ordered() {
		for _, instr := range block.Instrs {
			if wait, ok := WaitOf(instr); ok {
				found = append(found, wait)
			}
		}
	}
	return found
}

// WaitOf reports whether an instruction waits for time to pass or for a
// channel.
func WaitOf(instr ssa.Instruction) (Wait, bool) {
	switch instr := instr.(type) {
	case *ssa.Select:
		timed := instr.Blocking
		for _, state := range instr.States {
			timed = timed && state.Dir == types.RecvOnly && IsTimer(state.Chan)
		}
		return Wait{Instr: instr, Timed: timed}, true
	case *ssa.UnOp:
		if instr.Op == token.ARROW {
			return Wait{Instr: instr, Timed: IsTimer(instr.X)}, true
		}
	case *ssa.Call:
		if IsSleep(instr) {
			return Wait{Instr: instr, Timed: true}, true
		}
	}
	return Wait{}, false
}

// IsSleep reports whether a call does nothing but let time pass: time.Sleep,
// or the Sleep of a clock.
func IsSleep(call ssa.CallInstruction) bool {
	callee := kubeapi.Callee(call.Common())
	if callee == nil || callee.Name() != "Sleep" {
		return false
	}
	params := callee.Signature().Params()
	return params.Len() == 1 && kubeapi.IsNamed(params.At(0).Type(), "time", "Duration") && callee.Signature().Results().Len() == 0
}

// IsTimer reports whether a channel is that of a timer, a ticker or a clock:
// nobody closes it.
func IsTimer(ch ssa.Value) bool {
	t, ok := ch.Type().Underlying().(*types.Chan)
	return ok && kubeapi.IsNamed(t.Elem(), "time", "Time")
}
