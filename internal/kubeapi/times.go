package kubeapi

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// IsDuration reports whether t is time.Duration.
func IsDuration(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && IsNamed(named, "time", "Duration")
}

// IsTime reports whether t is time.Time, or metav1.Time, which embeds it.
func IsTime(t types.Type) bool {
	return IsNamed(t, "time", "Time") || IsNamed(t, metav1Path, "Time", "MicroTime")
}

// IsInSeconds reports whether t is metav1.Time, which is stored in whole seconds.
func IsInSeconds(t types.Type) bool { return IsNamed(t, metav1Path, "Time") }

// TellsSeconds reports whether a call writes a time in whole seconds: by a layout without a fraction,
// such as time.RFC3339, or as Unix does.
func TellsSeconds(common *ssa.CallCommon) bool {
	callee := Callee(common)
	recv, args := Args(common)
	if callee == nil || recv == nil || !IsTime(Deref(recv.Type())) {
		return false
	}
	switch callee.Name() {
	case "Unix":
		return true
	case "Format":
		layout, ok := ConstString(args[0])
		return ok && !strings.ContainsAny(layout, ".,")
	}
	return false
}

// TimeUntil recognises time.Until(t), the Until of a clock, and t.Sub(now), and
// returns the time that they say what is left until.
func TimeUntil(common *ssa.CallCommon) ssa.Value {
	if t, minus := TimeDifference(common); t != nil && isNow(minus) {
		return t
	}
	return clockTells(common, "Until")
}

// TimeSince recognises time.Since(t), the Since of a clock, and now.Sub(t), and
// returns the time.
func TimeSince(common *ssa.CallCommon) ssa.Value {
	if now, t := TimeDifference(common); t != nil && isNow(now) {
		return t
	}
	return clockTells(common, "Since")
}

// TimeDifference recognises t.Sub(minus).
func TimeDifference(common *ssa.CallCommon) (t, minus ssa.Value) {
	recv, args := Args(common)
	if callee := Callee(common); callee == nil || callee.Name() != "Sub" || recv == nil || len(args) != 1 || !IsTime(recv.Type()) || !IsTime(args[0].Type()) {
		return nil, nil
	}
	return recv, args[0]
}

// clockTells recognises a function of package time, or a method of a clock, that tells a
// duration of a time, and returns the time.
func clockTells(common *ssa.CallCommon, name string) ssa.Value {
	callee := Callee(common)
	if callee == nil || callee.Name() != name || callee.Signature().Results().Len() != 1 || !IsDuration(callee.Signature().Results().At(0).Type()) {
		return nil
	}
	recv, args := Args(common)
	if len(args) != 1 || !IsTime(args[0].Type()) || recv != nil && !HasMethod(recv.Type(), "Now") {
		return nil
	}
	return args[0]
}

// ComparesNow recognises now.Before(t), now.After(t), t.Before(now) and t.After(now),
// and returns where the present comes from, and the other time. before tells that the
// present is the earlier one if the answer is yes.
func ComparesNow(common *ssa.CallCommon) (now *ssa.Call, other ssa.Value, before bool) {
	callee := Callee(common)
	recv, args := Args(common)
	if callee == nil || recv == nil || len(args) != 1 || !IsTime(recv.Type()) || !IsTime(args[0].Type()) {
		return nil, nil, false
	}
	isBefore := callee.Name() == "Before"
	if !isBefore && callee.Name() != "After" {
		return nil, nil, false
	}
	switch {
	case isNow(recv):
		return Present(recv), args[0], isBefore
	case isNow(args[0]):
		return Present(args[0]), recv, !isBefore
	}
	return nil, nil, false
}

func isNow(v ssa.Value) bool { return Present(v) != nil }

// Present returns the call that a present time comes from: of package time, metav1
// or a clock. It is nil for other times.
func Present(v ssa.Value) *ssa.Call {
	for range maxTimeSteps {
		// A switch of its own: this layer is below ir/values.
		switch x := v.(type) {
		case *ssa.Call:
			if from := TimeFrom(x.Common()); from != nil {
				v = from
				continue
			}
			if callee := Callee(x.Common()); callee != nil && TellsPresent(callee) {
				return x
			}
			return nil
		case *ssa.UnOp:
			v = x.X
		case *ssa.Field:
			v = x.X
		case *ssa.FieldAddr:
			v = x.X
		case *ssa.Alloc:
			stored := storedOnce(x)
			if stored == nil {
				return nil
			}
			v = stored
		default:
			return nil
		}
	}
	return nil
}

// TellsPresent recognises time.Now, metav1.Now and the method of a clock.
func TellsPresent(fn *types.Func) bool {
	return fn.Name() == "Now" && fn.Signature().Params().Len() == 0
}

const maxTimeSteps = 8

// storedOnce returns the only value that is stored into a variable, or nil.
func storedOnce(a *ssa.Alloc) ssa.Value {
	stored := storedAt(a)
	if len(stored) != 1 {
		return nil
	}
	return stored[0]
}

// TimeFrom returns the time that a method of time.Time or metav1.Time makes
// another one of: t.Add(d), t.UTC().
func TimeFrom(common *ssa.CallCommon) ssa.Value {
	callee := Callee(common)
	if callee == nil || callee.Signature().Recv() == nil || callee.Signature().Results().Len() != 1 || !IsTime(callee.Signature().Results().At(0).Type()) {
		return nil
	}
	recv, _ := Args(common)
	if recv == nil || !IsTime(recv.Type()) {
		return nil
	}
	return recv
}

// ParsesTime recognises time.Parse and its like.
func ParsesTime(common *ssa.CallCommon) bool {
	return IsFunc(Callee(common), "time", "Parse", "ParseInLocation")
}

// IsCertificate reports whether t is a certificate, which ends at some time.
func IsCertificate(t types.Type) bool { return IsNamed(t, "crypto/x509", "Certificate") }

// DurationFrom returns the duration that an instruction makes another one of, or a number,
// that has the same sign, or nearly: a rounded one, one with a constant added, its seconds.
func DurationFrom(instr ssa.Instruction) ssa.Value {
	switch instr := instr.(type) {
	case *ssa.Call:
		callee := Callee(instr.Common())
		recv, _ := Args(instr.Common())
		if callee != nil && recv != nil && IsDuration(recv.Type()) {
			switch callee.Name() {
			case "Round", "Truncate", "Hours", "Minutes", "Seconds", "Milliseconds", "Microseconds", "Nanoseconds":
				return recv
			}
		}
	case *ssa.BinOp:
		if _, ok := instr.Y.(*ssa.Const); ok && IsDuration(instr.Type()) && (instr.Op == token.ADD || instr.Op == token.SUB || instr.Op == token.QUO || instr.Op == token.MUL) {
			return instr.X
		}
	}
	return nil
}
