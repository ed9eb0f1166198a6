package goroutines

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Waiting is where somebody waits for a goroutine to end, for as long as that takes.
type Waiting struct {
	// At waits for a group, or receives from a channel.
	At ssa.Instruction
	// Group is the parameter through which a group was handed in that callers wait for who
	// cannot be seen; At is nil then.
	Group *ssa.Parameter
}

// Awaited returns where somebody waits until the function of an instruction returns, which
// it does not before the instruction is done; nil if nobody is seen to, or only for a time.
func (i *Starts) Awaited(at ssa.Instruction) *Waiting {
	if i.state == nil {
		return nil
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.state.awaited(at, 0)
}

// maxAwaited bounds the calls and goroutines between what goes on and who waits for it.
const maxAwaited = 5

func (a *analysisState) awaited(at ssa.Instruction, depth int) *Waiting {
	fn := at.Parent()
	if depth > maxAwaited {
		return nil
	}
	for _, signal := range a.lastSignals(at) {
		if w := a.awaits(signal, at, depth); w != nil {
			return w
		}
	}
	for _, group := range a.groupsOf(fn) {
		if w := a.awaits(group, at, depth); w != nil {
			return w
		}
	}
	for _, call := range a.graph.Callers(fn) {
		if _, plain := call.(*ssa.Call); !plain || len(a.graph.Callees(call).Funcs) != 1 {
			continue
		}
		if w := a.awaited(call, depth+1); w != nil {
			return w
		}
	}
	return nil
}

// lastSignals returns the groups that a function leaves, and the channels that it closes or
// sends to, when an instruction is done, and not before.
func (a *analysisState) lastSignals(at ssa.Instruction) []ssa.Value {
	var found []ssa.Value
	for instr := range blocks.Instrs(at.Parent()) {
		switch instr := instr.(type) {
		case *ssa.Defer:
			if !blocks.Follows(instr, at) {
				continue
			}
			if told := a.signalOf(instr); told != nil {
				found = append(found, told)
				continue
			}
			for _, literal := range a.graph.Callees(instr).Funcs {
				for inner := range blocks.Instrs(literal) {
					if told := a.signalOf(inner); told != nil {
						found = append(found, told)
					}
				}
			}
		case *ssa.Call, *ssa.Send:
			if told := a.signalOf(instr); told != nil && blocks.Follows(at, instr) && !blocks.Follows(instr, at) {
				found = append(found, told)
			}
		}
	}
	return found
}

// signalOf returns the group that an instruction leaves, or the channel that it closes or
// sends to; nil if it does nothing like that.
func (a *analysisState) signalOf(instr ssa.Instruction) ssa.Value {
	switch instr := instr.(type) {
	case *ssa.Send:
		return instr.Chan
	case ssa.CallInstruction:
		if calls.IsBuiltin(instr, "close") {
			return instr.Common().Args[0]
		}
		if kubeapi.IsWaitGroupDone(kubeapi.Callee(instr.Common())) {
			recv, _ := kubeapi.Args(instr.Common())
			return recv
		}
	}
	return nil
}

// groupsOf returns the groups in which a function is started.
func (a *analysisState) groupsOf(fn *ssa.Function) []ssa.Value {
	if a.groups == nil {
		a.groups = make(map[*ssa.Function][]ssa.Value)
		for _, from := range a.graph.Funcs {
			for call := range blocks.InstrsOf[*ssa.Call](from) {
				if s := spawnOf(a.graph, call); s != nil && s.Group != nil && len(s.Bodies) == 1 {
					a.groups[s.Bodies[0]] = append(a.groups[s.Bodies[0]], s.Group)
				}
			}
		}
	}
	return a.groups[fn]
}

// awaits returns who waits for the group or channel v that the function of an instruction
// leaves or tells at its end.
func (a *analysisState) awaits(v ssa.Value, at ssa.Instruction, depth int) *Waiting {
	key, p := a.stateOf(v), a.placeOf(v, nil)
	if a.isToldElsewhere(v, key, p, at.Parent()) {
		return nil
	}
	for _, wait := range a.waitingPlaces() {
		if blocks.Within(wait.at.Parent(), at.Parent()) || !(key != nil && wait.key == key || key == nil && p.root != nil && wait.place == p) {
			continue
		}
		if !a.graph.InGoroutine(wait.at.Parent()) {
			return &Waiting{At: wait.at}
		}
		if w := a.awaited(wait.at, depth+1); w != nil {
			return w
		}
	}
	param, ok := p.root.(*ssa.Parameter)
	if !ok || p.path != "" || key != nil || depth > maxAwaited {
		return nil
	}
	args, closed := a.graph.Arguments(param)
	for _, arg := range args {
		if w := a.awaits(arg.Value, at, depth+1); w != nil {
			return w
		}
	}
	if !closed && len(args) == 0 && kubeapi.IsNamed(param.Type(), "sync", "WaitGroup") {
		return &Waiting{Group: param}
	}
	return nil
}

// isToldElsewhere reports whether others close a channel or send to it as well, so that
// who receives need not wait for this goroutine.
func (a *analysisState) isToldElsewhere(v ssa.Value, key stateKey, p place, fn *ssa.Function) bool {
	if _, isChan := v.Type().Underlying().(*types.Chan); !isChan {
		return false
	}
	if a.told == nil {
		a.told = a.placesOf(a.signalOf)
	}
	return slices.ContainsFunc(a.told, func(told syncPlace) bool {
		return !blocks.Within(told.at.Parent(), fn) && (key != nil && told.key == key || key == nil && told.place == p)
	})
}

// syncPlace is an instruction by which goroutines synchronise, and on what.
type syncPlace struct {
	at    ssa.Instruction
	key   stateKey
	place place
}

// waitingPlaces returns where the package waits for a group or a channel, and for nothing
// else.
func (a *analysisState) waitingPlaces() []syncPlace {
	if a.waiting == nil {
		a.waiting = a.placesOf(func(instr ssa.Instruction) ssa.Value {
			switch instr := instr.(type) {
			case *ssa.UnOp:
				if instr.Op == token.ARROW {
					return instr.X
				}
			case *ssa.Call, *ssa.Defer:
				common := instr.(ssa.CallInstruction).Common()
				if kubeapi.IsGroupWait(kubeapi.Callee(common)) {
					recv, _ := kubeapi.Args(common)
					return recv
				}
			}
			return nil
		})
	}
	return a.waiting
}

func (a *analysisState) placesOf(synced func(ssa.Instruction) ssa.Value) []syncPlace {
	found := []syncPlace{}
	for _, fn := range a.graph.Funcs {
		for instr := range blocks.Instrs(fn) {
			if v := synced(instr); v != nil {
				found = append(found, syncPlace{instr, a.stateOf(v), a.placeOf(v, nil)})
			}
		}
	}
	return found
}
