package syncs

import (
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
)

// UseKind is a kind of use of caches.
type UseKind uint8

const (
	// Reads is a read of a lister, or of the store of an informer.
	Reads UseKind = iota
	// Starts is the start of a worker, which works off a queue.
	Starts
)

// Use is what an instruction does that needs filled caches.
type Use struct {
	Kind  UseKind
	Instr ssa.Instruction
	// What is the call or the worker, as the source has it: "c.podLister.List".
	What string
	// Via is the function of this package that does it, if it is not the
	// instruction itself.
	Via *ssa.Function
	// At is the instruction that does it.
	At ssa.Instruction
	// Lister is the value that is read, as the function of Instr has it; nil if
	// that cannot be told.
	Lister ssa.Value
	// Worker is the function that works, nil if it belongs to another package.
	Worker *ssa.Function
	// Until is what ends wait.Until or its like around the worker, which does
	// not call it any more once that has ended; nil without.
	Until ssa.Value
	// Body is the function that wait.Until calls.
	Body *ssa.Function
}

// maxCalls bounds how deep calls are looked into.
const maxCalls = 3

// UsesAt returns what an instruction does that needs filled caches, itself or
// through functions of this package that it calls.
func (i *Syncs) UsesAt(instr ssa.Instruction) []Use {
	return i.usesAt(instr, 0, make(map[*ssa.Function]bool))
}

func (i *Syncs) usesAt(instr ssa.Instruction, depth int, seen map[*ssa.Function]bool) []Use {
	call, ok := instr.(ssa.CallInstruction)
	if !ok {
		return nil
	}
	if use, ok := i.Starts(call); ok {
		return []Use{use}
	}
	c, ok := call.(*ssa.Call)
	if !ok {
		return nil
	}
	for _, reads := range []func(*ssa.Call) (Use, bool){i.reads, i.readsElsewhere} {
		if use, ok := reads(c); ok {
			return []Use{use}
		}
	}
	if depth >= maxCalls {
		return nil
	}
	targets := i.Graph.Callees(c)
	if len(targets.Funcs) != 1 || seen[targets.Funcs[0]] {
		return nil
	}
	fn := targets.Funcs[0]
	seen[fn] = true
	if i.Func(fn).Synced {
		return nil // it sees to that itself
	}
	var uses []Use
	for inner := range blocks.Instrs(fn) {
		for _, use := range i.usesAt(inner, depth+1, seen) {
			if use.Kind == Reads && i.Pauses.Listens(fn) {
				continue
			}
			use.Instr, use.Via = instr, fn
			use.Lister = handed(use.Lister, c)
			uses = append(uses, use)
		}
	}
	return uses
}

// handed returns what a call hands in for a parameter of its callee, nil if v is
// none.
func handed(v ssa.Value, call *ssa.Call) ssa.Value {
	param, ok := v.(*ssa.Parameter)
	if !ok {
		return nil
	}
	return calls.ArgumentOf(call, param)
}

// reads recognises a read of a lister or of an informer's store.
func (i *Syncs) reads(call *ssa.Call) (Use, bool) {
	callee := kubeapi.Callee(call.Common())
	recv, _ := kubeapi.Args(call.Common())
	if callee == nil || recv == nil {
		return Use{}, false
	}
	read, ok := kubeapi.CacheReadOf(callee, recv)
	if !ok || read.Doubtful {
		return Use{}, false
	}
	if read.Source == kubeapi.StoreObject {
		store, ok := stored(recv).(*ssa.Call)
		if !ok || kubeapi.Callee(store.Common()) == nil || !kubeapi.IsInformerStore(kubeapi.Callee(store.Common())) {
			return Use{}, false
		}
	} else if read.Source != kubeapi.ListerObject {
		return Use{}, false
	}
	return Use{Kind: Reads, Instr: call, At: call, What: i.Text(call), Lister: recv}, true
}

// readsElsewhere recognises a call of a function of another package that reads from
// what it is handed.
func (i *Syncs) readsElsewhere(call *ssa.Call) (Use, bool) {
	callee := kubeapi.Callee(call.Common())
	if callee == nil {
		return Use{}, false
	}
	fact := i.factOf(callee)
	operands := kubeapi.Operands(call.Common())
	if fact == nil || fact.Synced || fact.Reads == 0 || fact.Reads > len(operands) {
		return Use{}, false
	}
	return Use{Kind: Reads, Instr: call, At: call, What: i.Text(call), Lister: operands[fact.Reads-1]}, true
}

// stored is the value of a variable that is assigned once.
func stored(v ssa.Value) ssa.Value {
	for range maxCalls {
		switch x := v.(type) {
		case *ssa.ChangeInterface:
			v = x.X
			continue
		case *ssa.UnOp:
			if local, ok := x.X.(*ssa.Alloc); ok {
				if values := calls.StoredInto(local); len(values) == 1 {
					v = values[0]
					continue
				}
			}
		}
		return v
	}
	return v
}

// Text is the function that a call names, as the source has it.
func (i *Syncs) Text(call ssa.CallInstruction) string {
	return entrypoints.CalleeText(i.pass.Files, call)
}

// Starts recognises a statement that starts a worker in a goroutine.
func (i *Syncs) Starts(call ssa.CallInstruction) (Use, bool) {
	common := call.Common()
	if _, ok := call.(*ssa.Go); ok {
		use, ok := i.worker(common, 0)
		use.Instr, use.At = call, call
		return use, ok
	}
	if _, fn, ok := kubeapi.GroupStart(common); ok {
		for _, target := range i.Graph.FuncsOf(fn).Funcs {
			if use, ok := i.workerIn(target, nil, 0); ok {
				use.Instr, use.At = call, call
				return use, true
			}
		}
	}
	return Use{}, false
}

// worker tells whether a call works off a queue until it returns.
func (i *Syncs) worker(common *ssa.CallCommon, depth int) (Use, bool) {
	if wait, ok := kubeapi.WaitCall(common); ok && !wait.Poller && !wait.Synced {
		for _, arg := range common.Args {
			if !kubeapi.IsFuncType(arg.Type()) {
				continue
			}
			for _, fn := range i.Graph.FuncsOf(arg).Funcs {
				if i.Func(fn).Works && !i.Func(fn).Synced {
					return Use{Kind: Starts, What: name(fn), Worker: fn, Until: wait.Until, Body: fn}, true
				}
			}
		}
	}
	callee := kubeapi.Callee(common)
	if callee != nil && callee.Pkg() != i.pass.Pkg {
		if fact := i.factOf(callee); fact != nil && fact.Works && !fact.Synced {
			return Use{Kind: Starts, What: callee.Name()}, true
		}
	}
	var fns []*ssa.Function
	switch v := common.Value.(type) {
	case *ssa.Function:
		fns = []*ssa.Function{v}
	case *ssa.MakeClosure:
		fns = i.Graph.FuncsOf(v).Funcs
	}
	for _, fn := range fns {
		if declared, _ := calls.Unwrap(fn); declared != nil {
			return i.workerIn(declared, kubeapi.Operands(common), depth)
		}
	}
	return Use{}, false
}

// workerIn tells whether a function, called with these operands, works off a
// queue until it returns, and does not wait for caches before.
func (i *Syncs) workerIn(fn *ssa.Function, operands []ssa.Value, depth int) (Use, bool) {
	sum := i.Func(fn)
	if !sum.Works || sum.Synced || depth > maxCalls {
		return Use{}, false
	}
	for call := range blocks.InstrsOf[*ssa.Call](fn) {
		if use, ok := i.worker(call.Common(), depth+1); ok && use.Until != nil {
			if n := i.parameter(fn, use.Until); n > 0 && n <= len(operands) {
				use.Until = operands[n-1]
			}
			return use, true
		}
	}
	return Use{Kind: Starts, What: name(fn), Worker: fn}, true
}

// name is how messages name a function.
func name(fn *ssa.Function) string {
	if fn.Parent() != nil {
		return "a worker"
	}
	return fn.Name()
}

// WorksOn returns the functions that a worker runs for its items.
func (i *Syncs) WorksOn(fn *ssa.Function) []*ssa.Function {
	var found []*ssa.Function
	seen := map[*ssa.Function]bool{fn: true}
	queue := []*ssa.Function{fn}
	for len(queue) > 0 && len(found) < 500 {
		at := queue[0]
		queue = queue[1:]
		found = append(found, at)
		for _, edge := range i.Entries.Edges(at) {
			if edge.How != entrypoints.Started && !seen[edge.Callee] {
				seen[edge.Callee] = true
				queue = append(queue, edge.Callee)
			}
		}
	}
	return found
}
