// Package repetitions tells what runs again and again in the life of a process, and what stays behind each time.
package repetitions

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/informerlifecycle/internal/lives"
	"github.com/opvet/opvet/analyzers/informerlifecycle/internal/subject"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
)

// Unit is one package under analysis, and what is done in it again and again.
type Unit struct{ *lives.Unit }

// Repetition says why an instruction runs again and again in one process.
type Repetition struct {
	// Entry is what the ecosystem calls again and again, nil for a loop.
	entry *entrypoints.Entry
	// rpc is the method that serves a call, nil otherwise.
	rpc *ssa.Function
	// loop is an instruction of the loop: the one that was asked for, or a call
	// that leads to it.
	loop ssa.Instruction
	// chain has the calls that lead from there to the instruction.
	chain []ssa.CallInstruction
}

// MaxChain bounds how many calls may lead to an instruction.
const MaxChain = 8

// Repeated finds why an instruction runs again and again, and nothing on the way
// sees to it that it does so once only; nil if it does not, or cannot be told.
func (u *Unit) Repeated(at ssa.CallInstruction) *Repetition {
	type step struct {
		site, inner ssa.CallInstruction // inner is in the function that site calls
		chain       []ssa.CallInstruction
		one         bool // only for an object of a certain name
		seldom      bool // only where something has failed, or until it has run
	}
	seen := make(map[*ssa.Function]bool)
	queue := []step{{site: at}}
	for len(queue) > 0 {
		now := queue[0]
		queue = queue[1:]
		if once, _ := u.Spawns.Once(now.site); once {
			continue
		}
		fn := now.site.Parent()
		now.one = now.one || forOneName(now.site)
		now.seldom = now.seldom || u.seldom(now.site)
		if u.inEndlessLoop(now.site, now.inner) {
			return &Repetition{loop: now.site, chain: now.chain}
		}
		if seen[fn] || len(now.chain) > MaxChain || u.IsForTests(fn) {
			continue
		}
		seen[fn] = true
		entry := u.entryAt(fn, now.site)
		switch {
		case isRPC(fn):
			return &Repetition{rpc: fn, chain: now.chain}
		case entry != nil && (entry.Kind == kubeapi.HTTPHandler || entry.Kind == kubeapi.Admission):
			return &Repetition{entry: entry, chain: now.chain}
		case now.seldom && entry != nil && entry.Kind.PerItem() && !u.Report.Strict():
			continue
		case u.StaysAfter(now.site), now.one && entry != nil && entry.Kind == kubeapi.EventHandler && isAdd(entry):
			continue
		case entry != nil:
			return &Repetition{entry: entry, chain: now.chain}
		}
		for _, edge := range u.Into[fn] {
			if edge.How != entrypoints.Once {
				queue = append(queue, step{edge.Site, now.site, append([]ssa.CallInstruction{edge.Site}, now.chain...), now.one, now.seldom})
			}
		}
	}
	return nil
}

// isAdd reports whether an entry point is called once for each object that is
// new.
func isAdd(entry *entrypoints.Entry) bool {
	return strings.HasSuffix(entry.What, "AddFunc") || strings.HasSuffix(entry.What, "OnAdd")
}

// forOneName reports whether an instruction runs only if a string, such as the
// name of a definition that others have to install, is a certain one.
func forOneName(at ssa.Instruction) bool {
	for branch := range blocks.Above(at.Block()) {
		block := branch.Block()
		if blocks.LeadAround(block.Succs[:1], at.Block(), block) == blocks.LeadAround(block.Succs[1:], at.Block(), block) {
			continue
		}
		cmp, ok := branch.Cond.(*ssa.BinOp)
		if !ok || cmp.Op != token.EQL && cmp.Op != token.NEQ {
			continue
		}
		x, _ := kubeapi.ConstString(cmp.X)
		if y, _ := kubeapi.ConstString(cmp.Y); x != "" || y != "" {
			return true
		}
	}
	return false
}

// entryAt returns the entry point that fn is, if the ecosystem calls it again
// and again and the call covers the instruction.
func (u *Unit) entryAt(fn *ssa.Function, at ssa.Instruction) *entrypoints.Entry {
	for _, entry := range u.Entries.Of(fn) {
		switch kind := entry.Kind; {
		case !entry.Covers(at):
		case kind.PerEvent(), kind.PerItem(), kind == kubeapi.Periodic, kind == kubeapi.HTTPHandler, kind == kubeapi.Admission, kind == kubeapi.Watch:
			return entry
		}
	}
	return nil
}

// InLoopOf reports whether it is a loop of the function of an instruction.
func (r *Repetition) InLoopOf(at ssa.Instruction) bool {
	return r.loop != nil && r.loop.Parent() == at.Parent()
}

// inEndlessLoop reports whether an instruction runs in each round of a loop
// that does not go over finite data: one that waits, retries, or receives. A
// loop that goes over a list of what is to be watched starts one for each.
func (u *Unit) inEndlessLoop(at, inner ssa.CallInstruction) bool {
	return slices.ContainsFunc(loops.Of(at.Parent()), func(loop *loops.Loop) bool {
		return loop.Blocks[at.Block()] && !isFinite(loop) && u.ComesBack(at) && !u.leftWhenDone(loop, at, inner)
	})
}

// isFinite reports whether a loop counts, or goes over a slice, map or string.
func isFinite(loop *loops.Loop) bool {
	for _, exit := range loop.Exits() {
		switch cond := exit.Cond.(type) {
		case *ssa.BinOp:
			switch cond.Op {
			case token.LSS, token.LEQ, token.GTR, token.GEQ:
				return true
			}
		case *ssa.Extract:
			if _, ok := cond.Tuple.(*ssa.Next); ok {
				return true
			}
		}
	}
	return false
}

// StaysAfter reports whether the function of an instruction goes on, once that
// has run, until it is told to end: it is the Run of a component, and comes
// round once.
func (u *Unit) StaysAfter(at ssa.CallInstruction) bool {
	fn := at.Parent()
	if !loops.CanReturnFrom(at.Block()) {
		return true
	}
	for _, loop := range loops.Of(fn) {
		if !loop.Blocks[at.Block()] && waitsUntilTold(loop) && len(loop.Head.Instrs) > 0 && blocks.Follows(at, loop.Head.Instrs[0]) {
			return true
		}
	}
	return blocks.Any(fn, func(instr ssa.Instruction) bool { return instr != at && u.stays(instr, 0) && blocks.Follows(at, instr) })
}

// stays reports whether an instruction waits for the end: of a context, of a
// stop channel, of what never returns by itself.
func (u *Unit) stays(instr ssa.Instruction, depth int) bool {
	switch instr := instr.(type) {
	case *ssa.UnOp:
		return instr.Op == token.ARROW && (kubeapi.DoneOf(instr.X) != nil || kubeapi.IsStopChannel(instr.X.Type()) && receiveOnly(instr.X))
	case *ssa.Call:
		callee := kubeapi.Callee(instr.Common())
		if op, ok := kubeapi.InformerOpOf(instr); ok {
			// What a group runs it runs in a goroutine.
			return op.Verb == kubeapi.RunInformer && !op.Waits && op.Func == callee || op.Verb == kubeapi.StartFactory && op.Cache
		}
		return kubeapi.IsEndless(callee) || kubeapi.IsGroupWait(callee) || depth <= 2 && slices.ContainsFunc(u.Graph.Callees(instr).Funcs, func(target *ssa.Function) bool {
			return u.staysIn(target, depth+1)
		})
	}
	return false
}

// staysIn reports whether a function goes on until it is told to end.
func (u *Unit) staysIn(fn *ssa.Function, depth int) bool {
	known, ok := u.Staying[fn]
	if !ok {
		u.Staying[fn] = false // for recursion
		known = u.computeStays(fn, depth)
		u.Staying[fn] = known
	}
	return known
}

func (u *Unit) computeStays(fn *ssa.Function, depth int) bool {
	return len(fn.Blocks) > 0 && (!loops.CanReturn(fn) || slices.ContainsFunc(loops.Of(fn), waitsUntilTold) ||
		blocks.Any(fn, func(instr ssa.Instruction) bool { return u.stays(instr, depth) }))
}

// waitsUntilTold reports whether a loop waits, and goes on until it is told to end.
func waitsUntilTold(loop *loops.Loop) bool {
	return len(loop.Waits()) > 0 && loop.LeftOnlyWhenTold(func(ssa.Value) bool { return false })
}

// Words says how often, for messages: "each reconcile", "each round of this
// loop".
func (r *Repetition) Words() string {
	switch {
	case r.rpc != nil:
		return "each call of " + subject.FuncName(r.rpc)
	case r.entry == nil && len(r.chain) == 0:
		return "each round of the loop"
	case r.entry == nil:
		return fmt.Sprintf("each round of the loop in %s", subject.FuncName(r.loop.Parent()))
	case r.entry.Kind == kubeapi.Worker || r.entry.Kind == kubeapi.Sync:
		return "each item of the workqueue"
	case r.entry.Kind.PerItem():
		return "each reconcile"
	case r.entry.Kind.PerEvent():
		return "each event"
	case r.entry.Kind == kubeapi.HTTPHandler, r.entry.Kind == kubeapi.Admission:
		return "each request"
	case r.entry.Kind == kubeapi.Watch:
		return "each time that the watch is (re)established"
	}
	return "each round of " + r.entry.Name()
}

// Related has the registration and each call on the way.
func (r *Repetition) Related() []analysis.RelatedInformation {
	var info []analysis.RelatedInformation
	if r.entry != nil {
		info = append(info, analysis.RelatedInformation{Pos: r.entry.Registered, Message: r.entry.Description()})
	}
	for _, call := range r.chain {
		info = append(info, analysis.RelatedInformation{Pos: call.Pos(), Message: "calls " + entrypoints.CalleeName(call)})
	}
	return info
}

// isRPC reports whether fn is a method by which a gRPC server answers a call.
func isRPC(fn *ssa.Function) bool {
	obj, ok := fn.Object().(*types.Func)
	return ok && kubeapi.IsRPCMethod(obj)
}

// receiveOnly reports whether a channel is for listening only.
func receiveOnly(ch ssa.Value) bool {
	t, ok := ch.Type().Underlying().(*types.Chan)
	return ok && t.Dir() == types.RecvOnly
}
