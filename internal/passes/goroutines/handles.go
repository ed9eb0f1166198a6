package goroutines

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// handles is the state through which a goroutine can be told to stop: the
// fields and variables in which it finds its channels, contexts and owner, and
// the types that have these fields.
type handles struct {
	keys    map[stateKey]bool
	holders map[*types.Named]bool
}

// handlesOf returns the handles of a goroutine.
func (a *analysisState) handlesOf(s *Spawn, b *body) handles {
	h := handles{keys: make(map[stateKey]bool), holders: make(map[*types.Named]bool)}
	add := func(v ssa.Value) {
		if key := a.stateOf(v); key != nil {
			h.keys[key] = true
		}
		if named := holderOf(v); named != nil {
			h.holders[named] = true
		}
	}
	common := s.Call.Common()
	if common.IsInvoke() {
		add(common.Value)
	}
	for _, arg := range common.Args {
		add(arg)
	}
	for _, in := range b.instrs {
		for ch := range blocks.Received(in.instr) {
			add(waited(ch))
		}
		if call, ok := in.instr.(ssa.CallInstruction); ok {
			_, args := kubeapi.Args(call.Common())
			for _, arg := range args {
				if _, isChan := arg.Type().Underlying().(*types.Chan); isChan || kubeapi.IsContext(arg.Type()) {
					add(waited(arg))
				}
			}
		}
	}
	return h
}

// waited is the context whose Done channel v is, or v itself.
func waited(v ssa.Value) ssa.Value {
	if ctx := kubeapi.DoneOf(v); ctx != nil {
		return ctx
	}
	return v
}

// holderOf returns the type of the struct whose field v was loaded from.
func holderOf(v ssa.Value) *types.Named {
	of := values.Relation{Steps: values.Converted | values.Address}
	switch at := of.End(v).(type) {
	case *ssa.FieldAddr:
		return kubeapi.Named(at.X.Type())
	case *ssa.Field:
		return kubeapi.Named(at.X.Type())
	}
	return nil
}

// previousStopped looks for a stop of what an earlier call started: of the
// state through which the goroutine is stopped, before it is started.
func (a *analysisState) previousStopped(fn *ssa.Function, at ssa.Instruction, h handles) bool {
	if len(h.keys) == 0 && len(h.holders) == 0 {
		return false
	}
	stopsIt := func(instr ssa.Instruction, _ *env) bool {
		call, ok := instr.(ssa.CallInstruction)
		if !ok {
			return false
		}
		stopped := a.stops(call)
		if stopped == nil {
			return false
		}
		if key := a.stateOf(stopped); key != nil && h.keys[key] {
			return true
		}
		named := holderOf(stopped)
		return named != nil && h.holders[named]
	}
	for call := range blocks.InstrsOf[ssa.CallInstruction](fn) {
		if !mayPrecede(call, at) {
			continue
		}
		if stopsIt(call, nil) {
			return true
		}
		if _, isGo := call.(*ssa.Go); isGo {
			continue
		}
		for _, callee := range a.graph.Callees(call).Funcs {
			if a.walk(callee, nil, stopsIt) {
				return true
			}
		}
	}
	return false
}

// otherStopped looks for a stop of something of the same type as what a method of another package
// starts, before that: of what an earlier call started. One that is kept is stopped anywhere in the package.
func (a *analysisState) otherStopped(fn *ssa.Function, start ssa.CallInstruction) bool {
	started, _ := kubeapi.Args(start.Common())
	if started == nil {
		return false
	}
	stopsSuch := func(fn *ssa.Function, such func(call ssa.CallInstruction, stopped ssa.Value) bool) bool {
		return blocks.Any(fn, func(call ssa.CallInstruction) bool {
			if !kubeapi.IsStop(kubeapi.Callee(call.Common())) {
				return false
			}
			stopped := a.stops(call)
			return stopped != nil && such(call, stopped)
		})
	}
	if stopsSuch(fn, func(call ssa.CallInstruction, stopped ssa.Value) bool {
		return mayPrecede(call, start) && types.Identical(stopped.Type(), started.Type())
	}) {
		return true
	}
	kept := a.stateOf(started)
	return kept != nil && slices.ContainsFunc(a.graph.Funcs, func(fn *ssa.Function) bool {
		return stopsSuch(fn, func(_ ssa.CallInstruction, stopped ssa.Value) bool { return a.stateOf(stopped) == kept })
	})
}

// stops returns the value that a call stops: a channel that it closes, a
// cancel function that it calls, the receiver of Stop or Close; or nil.
func (a *analysisState) stops(call ssa.CallInstruction) ssa.Value {
	common := call.Common()
	if builtin, ok := common.Value.(*ssa.Builtin); ok {
		if builtin.Name() == "close" {
			return common.Args[0]
		}
		return nil
	}
	if callee := kubeapi.Callee(common); callee != nil {
		if kubeapi.IsStop(callee) {
			recv, _ := kubeapi.Args(common)
			return recv
		}
		return nil
	}
	if sig, ok := common.Value.Type().Underlying().(*types.Signature); ok && sig.Params().Len() == 0 && sig.Results().Len() == 0 {
		return common.Value
	}
	return nil
}

// mayPrecede reports whether first can run before second in their function.
func mayPrecede(first, second ssa.Instruction) bool {
	if _, ok := first.(*ssa.Defer); ok {
		return false
	}
	return blocks.Follows(first, second)
}
