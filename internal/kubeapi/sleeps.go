package kubeapi

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Sleep recognises a call that does nothing but let time pass: time.Sleep, and
// the Sleep of a clock. It returns the duration.
func Sleep(common *ssa.CallCommon) (d ssa.Value, ok bool) {
	callee := Callee(common)
	if callee == nil || callee.Name() != "Sleep" || callee.Signature().Results().Len() != 0 {
		return nil, false
	}
	recv := callee.Signature().Recv()
	if recv == nil && !IsFunc(callee, "time", "Sleep") || recv != nil && !HasMethod(recv.Type(), "Now") {
		return nil, false
	}
	_, args := Args(common)
	if len(args) != 1 || !IsNamed(args[0].Type(), "time", "Duration") {
		return nil, false
	}
	return args[0], true
}

// Timer is a channel that becomes ready when time has passed.
type Timer struct {
	// After is the duration, nil if it cannot be seen.
	After ssa.Value
	// Made is the timer or ticker that the channel belongs to, nil for
	// time.After.
	Made ssa.Value
}

// TimerChannel recognises the channel of a timer: time.After and a clock's
// After, time.Tick, the field C of a timer or ticker, the method C of a
// clock's.
func TimerChannel(ch ssa.Value) (Timer, bool) {
	t, ok := ch.Type().Underlying().(*types.Chan)
	if !ok || !IsNamed(t.Elem(), "time", "Time") {
		return Timer{}, false
	}
	switch ch := ch.(type) {
	case *ssa.Call:
		callee := Callee(ch.Common())
		if callee == nil {
			return Timer{}, false
		}
		recv, args := Args(ch.Common())
		switch callee.Name() {
		case "After", "Tick":
			if len(args) == 1 && IsNamed(args[0].Type(), "time", "Duration") {
				return Timer{After: args[0]}, true
			}
		case "C", "Chan":
			if recv != nil && len(args) == 0 {
				return Timer{After: madeFor(recv), Made: recv}, true
			}
		}
	case *ssa.UnOp:
		addr, ok := ch.X.(*ssa.FieldAddr)
		if ch.Op == token.MUL && ok && (IsNamed(addr.X.Type(), "time", "Timer") || IsNamed(addr.X.Type(), "time", "Ticker")) {
			return Timer{After: madeFor(addr.X), Made: addr.X}, true
		}
	}
	return Timer{}, false
}

// madeFor returns the duration that a timer was made with, or nil.
func madeFor(timer ssa.Value) ssa.Value {
	call, ok := timer.(*ssa.Call)
	if !ok {
		return nil
	}
	_, args := Args(call.Common())
	if len(args) == 1 && IsNamed(args[0].Type(), "time", "Duration") {
		return args[0]
	}
	return nil
}

// bounded are functions whose result is random, but at most one of the
// arguments.
var bounded = newNameTable("math/rand.*", "(*math/rand.Rand).*", "math/rand/v2.*", "(*math/rand/v2.Rand).*", "k8s.io/apimachinery/pkg/util/rand.*")

// RandomBelow returns the value that the random result of a call stays below.
func RandomBelow(common *ssa.CallCommon) (limit ssa.Value, ok bool) {
	callee := Callee(common)
	if callee == nil || !bounded.match(callee) {
		return nil, false
	}
	_, args := Args(common)
	if len(args) == 0 {
		return nil, false
	}
	return args[len(args)-1], true
}

// Jittered recognises wait.Jitter and returns the duration to which it adds
// at most its factor.
func Jittered(common *ssa.CallCommon) (d, factor ssa.Value, ok bool) {
	if callee := Callee(common); !IsFunc(callee, waitPath, "Jitter") || len(common.Args) != 2 {
		return nil, nil, false
	}
	return common.Args[0], common.Args[1], true
}
