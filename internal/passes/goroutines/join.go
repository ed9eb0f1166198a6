package goroutines

import (
	"go/token"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/kubeapi"
)

// bond is a way in which a caller can end a goroutine's life or wait for its
// end.
type bond struct {
	kind  bondKind
	place place
	// blocking tells that the goroutine's send waits for a receiver.
	blocking bool
}

type bondKind uint8

const (
	waitGroup bondKind = iota // the goroutine leaves a group
	signal                    // it sends to, or closes, a channel
	stop                      // it waits for a channel or context
)

// bondsOf returns the bonds of a goroutine.
func (a *analysisState) bondsOf(s *Spawn, b *body) []bond {
	var bonds []bond
	seen := make(map[bond]bool)
	add := func(n bond) {
		if !seen[n] {
			seen[n] = true
			bonds = append(bonds, n)
		}
	}
	if s.Group != nil {
		add(bond{kind: waitGroup, place: a.placeOf(s.Group, nil)})
	}
	for _, p := range b.dones {
		add(bond{kind: waitGroup, place: p})
	}
	for _, p := range b.signals {
		add(bond{kind: signal, place: p, blocking: b.blocking[p]})
	}
	for _, p := range b.waits {
		add(bond{kind: stop, place: p})
	}
	return bonds
}

// verdict is what a frame does about a goroutine.
type verdict uint8

const (
	open    verdict = iota // nothing
	bounded                // it waits for it, or ends it
	managed                // it keeps, or hands out, what ends it
	stuck                  // it may go away while the goroutine still sends
)

// holds asks what fn does, after at, with a goroutine that has the bond n;
// others are all that it has.
func (a *analysisState) holds(fn *ssa.Function, at ssa.Instruction, n bond, others []bond) verdict {
	p := n.place
	switch n.kind {
	case waitGroup:
		if a.does(fn, at, n) || a.siblingWaits(fn, at, p) {
			return bounded
		}
	case signal:
		if !a.does(fn, at, n) {
			break
		}
		if n.blocking && a.mayGiveUp(fn, at, p, others) {
			return stuck
		}
		return bounded
	case stop:
		if a.does(fn, at, n) {
			return bounded
		}
	}
	if rootedIn(p, fn) && a.handleEscapes(n) {
		return managed
	}
	return open
}

// rootedIn reports whether a place was made in fn.
func rootedIn(p place, fn *ssa.Function) bool {
	if _, isParam := p.root.(*ssa.Parameter); isParam || p.root == nil {
		return false
	}
	return p.root.Parent() == fn
}

// event is something that a function does, itself or in what it calls in the
// package, about a goroutine of the given bond: it waits for a group, receives
// from a channel, or ends what waits for a channel or context.
type event struct {
	at    ssa.Instruction // the function's own instruction
	kind  bondKind
	place place
	// maker is the call that made the context which the event cancels.
	maker *ssa.Call
}

// does reports whether fn, after at or in a deferred call, does what the bond
// asks for.
func (a *analysisState) does(fn *ssa.Function, at ssa.Instruction, n bond) bool {
	maker := makerOf(n.place)
	for _, ev := range a.eventsOf(fn) {
		if ev.kind != n.kind || ev.at == at {
			continue
		}
		if ev.maker != nil && ev.maker != maker || ev.maker == nil && ev.place != n.place {
			continue
		}
		if _, isDefer := ev.at.(*ssa.Defer); isDefer || blocks.Follows(at, ev.at) {
			return true
		}
	}
	return false
}

// eventsOf returns the events of a function.
func (a *analysisState) eventsOf(fn *ssa.Function) []event {
	if known, ok := a.events[fn]; ok {
		return known
	}
	var events []event
	for instr := range blocks.Instrs(fn) {
		collect := func(inner ssa.Instruction, e *env) bool {
			events = a.appendEvents(events, instr, inner, e)
			return false
		}
		collect(instr, nil)
		a.walkFrom(instr, collect)
	}
	a.events[fn] = events
	return events
}

// appendEvents appends what an instruction, run by the instruction at of the
// function in question, does.
func (a *analysisState) appendEvents(events []event, at, instr ssa.Instruction, e *env) []event {
	for _, p := range a.receivesFrom(instr, e) {
		events = append(events, event{at: at, kind: signal, place: p})
	}
	if send, ok := instr.(*ssa.Send); ok {
		events = append(events, event{at: at, kind: stop, place: a.placeOf(send.Chan, e)})
	}
	call, ok := instr.(ssa.CallInstruction)
	if !ok {
		return events
	}
	common := call.Common()
	if builtin, ok := common.Value.(*ssa.Builtin); ok {
		if builtin.Name() == "close" {
			events = append(events, event{at: at, kind: stop, place: a.placeOf(common.Args[0], e)})
		}
		return events
	}
	if kubeapi.IsGroupWait(kubeapi.Callee(common)) {
		if recv, _ := kubeapi.Args(common); recv != nil {
			p := a.placeOf(recv, e)
			events = append(events, event{at: at, kind: waitGroup, place: p})
			// errgroup.WithContext: the context ends when Wait returns.
			if maker := makerOf(p); maker != nil {
				events = append(events, event{at: at, kind: stop, maker: maker})
			}
		}
	}
	if !common.IsInvoke() && kubeapi.IsCancel(common.Value.Type()) || isPlainFunc(common) {
		if p := a.placeOf(common.Value, e); p.root != nil && kubeapi.IsCancel(p.root.Type()) {
			if maker := makerOf(p); maker != nil {
				events = append(events, event{at: at, kind: stop, maker: maker})
			}
		}
	}
	return events
}

// receivesFrom returns the channels that an instruction receives from, or hands
// to a function of another package that may.
func (a *analysisState) receivesFrom(instr ssa.Instruction, e *env) []place {
	var from []place
	for ch := range blocks.Received(instr) {
		from = append(from, a.placeOf(ch, e))
	}
	if instr, ok := instr.(ssa.CallInstruction); ok {
		common := instr.Common()
		if _, ok := common.Value.(*ssa.Builtin); ok {
			return nil
		}
		for _, arg := range common.Args {
			if ch, ok := arg.Type().Underlying().(*types.Chan); ok && ch.Dir() != types.SendOnly && len(a.callees(instr, e)) == 0 {
				from = append(from, a.placeOf(arg, e))
			}
		}
	}
	return from
}

func isPlainFunc(common *ssa.CallCommon) bool {
	if common.IsInvoke() || common.StaticCallee() != nil {
		return false
	}
	sig, ok := common.Value.Type().Underlying().(*types.Signature)
	return ok && sig.Params().Len() <= 1 && sig.Results().Len() == 0
}

// makerOf returns the call that made the context at p together with a cancel
// function or group, or nil.
func makerOf(p place) *ssa.Call {
	extract, ok := p.root.(*ssa.Extract)
	if !ok || p.path != "" {
		return nil
	}
	call, _ := extract.Tuple.(*ssa.Call)
	return call
}

// siblingWaits looks for the idiom of a second goroutine that waits for the
// group and then closes a channel, from which fn receives.
func (a *analysisState) siblingWaits(fn *ssa.Function, at ssa.Instruction, p place) bool {
	found := false
	look := func(instr ssa.Instruction, e *env) bool {
		sibling, ok := instr.(*ssa.Go)
		if !ok || instr == at {
			return false
		}
		s := spawnOf(a.graph, sibling)
		if s == nil {
			return false
		}
		b := a.bodyOf(s)
		if !slices.ContainsFunc(b.instrs, func(in located) bool { return a.waitsForGroup(in, e, p) }) {
			return false
		}
		for _, done := range b.signals {
			if v := a.holds(fn, at, bond{kind: signal, place: a.seenFrom(e, done)}, nil); v == bounded || v == managed {
				found = true
			}
		}
		return found
	}
	for instr := range blocks.Instrs(fn) {
		if look(instr, nil) || a.walkFrom(instr, look) {
			return true
		}
	}
	return found
}

// waitsForGroup reports whether an instruction of a goroutine waits for the group at p; e has
// the parameters of the function that starts it.
func (a *analysisState) waitsForGroup(in located, e *env, p place) bool {
	call, ok := in.instr.(ssa.CallInstruction)
	if !ok || !kubeapi.IsGroupWait(kubeapi.Callee(call.Common())) {
		return false
	}
	recv, _ := kubeapi.Args(call.Common())
	return recv != nil && a.seenFrom(e, a.placeOf(recv, in.env)) == p
}

// seenFrom is a place in a function as those see it who have called that.
func (a *analysisState) seenFrom(e *env, p place) place {
	param, ok := p.root.(*ssa.Parameter)
	if !ok {
		return p
	}
	arg, outer := e.lookup(param)
	if arg == nil {
		return p
	}
	seen := a.placeOf(arg, outer)
	seen.path += p.path
	return seen
}

// mayGiveUp reports whether fn can return without having received from the
// unbuffered channel at p: by another case of a select, or on a way that has
// no receive. The goroutine then waits forever to send.
//
// A goroutine that sends its result to one channel or its error to another is
// content if either is received.
func (a *analysisState) mayGiveUp(fn *ssa.Function, at ssa.Instruction, p place, others []bond) bool {
	content := map[place]bool{p: true}
	for _, other := range others {
		if other.kind == signal {
			content[other.place] = true
		}
	}
	ch, ok := p.root.(*ssa.MakeChan)
	if !ok || p.path != "" || ch.Parent() != fn {
		return false
	}
	if size, ok := blocks.Number(ch.Size); !ok || size != 0 {
		return false
	}
	receivesAny := func(instr ssa.Instruction, e *env) bool {
		return slices.ContainsFunc(a.receivesFrom(instr, e), func(from place) bool { return content[from] })
	}
	receives := make(map[*ssa.BasicBlock]bool)
	for instr := range blocks.Instrs(fn) {
		if _, isSelect := instr.(*ssa.Select); isSelect {
			continue
		}
		if receivesAny(instr, nil) || instr != at && a.walkFrom(instr, receivesAny) {
			receives[instr.Block()] = true
		}
	}
	// A loop of receives counts as one: how often it runs is not known.
	for _, loop := range loops.Of(fn) {
		if loop.Blocks[at.Block()] {
			continue
		}
		for block := range loop.Blocks {
			if receives[block] {
				maps.Copy(receives, loop.Blocks)
				break
			}
		}
	}
	// Which edges lead to a select's receive from p.
	taken := func(from *ssa.BasicBlock, i int) bool {
		branch, ok := blocks.Last(from).(*ssa.If)
		if !ok || i != 0 {
			return false
		}
		_, state := loops.SelectCase(branch.Cond)
		return state != nil && content[a.placeOf(state.Chan, nil)]
	}
	seen := make(map[*ssa.BasicBlock]bool)
	stack := []*ssa.BasicBlock{at.Block()}
	first := true
	for len(stack) > 0 {
		b := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[b] || receives[b] && !first {
			continue
		}
		if first && receives[b] {
			// The receive stands in the same block, after the start.
			return false
		}
		first = false
		seen[b] = true
		if _, ok := blocks.Last(b).(*ssa.Return); ok {
			return true
		}
		if onlyReceives(a, lastSelect(b), content) {
			continue
		}
		for i, succ := range b.Succs {
			if !taken(b, i) {
				stack = append(stack, succ)
			}
		}
	}
	return false
}

func lastSelect(b *ssa.BasicBlock) *ssa.Select {
	for i := len(b.Instrs) - 1; i >= 0; i-- {
		if sel, ok := b.Instrs[i].(*ssa.Select); ok {
			return sel
		}
	}
	return nil
}

func onlyReceives(a *analysisState, sel *ssa.Select, from map[place]bool) bool {
	return sel != nil && sel.Blocking &&
		!slices.ContainsFunc(sel.States, func(state *ssa.SelectState) bool { return !from[a.placeOf(state.Chan, nil)] })
}

// handleEscapes reports whether what ends, or tells the end of, a goroutine
// is returned or kept somewhere: others may then see to its end.
func (a *analysisState) handleEscapes(n bond) bool {
	roots := []ssa.Value{n.place.root}
	if maker := makerOf(n.place); maker != nil && n.kind == stop {
		roots = nil
		for ref := range blocks.Uses(maker) {
			if extract, ok := ref.(*ssa.Extract); ok && !kubeapi.IsContext(extract.Type()) {
				roots = append(roots, extract)
			}
		}
	}
	return slices.ContainsFunc(roots, func(root ssa.Value) bool { return a.escapes(root, make(map[ssa.Value]bool)) })
}

// escapes reports whether v is returned, stored into something that outlives
// its function, or handed to a function whose body is not known.
func (a *analysisState) escapes(v ssa.Value, seen map[ssa.Value]bool) bool {
	if v == nil || seen[v] || v.Referrers() == nil {
		return false
	}
	seen[v] = true
	for _, ref := range *v.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Return, *ssa.Send:
			return true
		case *ssa.MapUpdate:
			if ref.Value == v {
				return true
			}
		case *ssa.Store:
			if ref.Val != v {
				continue
			}
			if a.storeEscapes(ref.Addr, seen) {
				return true
			}
		case *ssa.MakeInterface, *ssa.ChangeType, *ssa.ChangeInterface, *ssa.Phi, *ssa.Convert, *ssa.Slice:
			if a.escapes(ref.(ssa.Value), seen) {
				return true
			}
		case *ssa.UnOp:
			if ref.Op == token.MUL && a.escapes(ref, seen) {
				return true
			}
		case *ssa.MakeClosure:
			if a.closureEscapes(ref, seen) {
				return true
			}
		case ssa.CallInstruction:
			if a.callEscapes(ref, v, seen) {
				return true
			}
		}
	}
	return false
}

func (a *analysisState) storeEscapes(addr ssa.Value, seen map[ssa.Value]bool) bool {
	for range maxTrace {
		switch x := addr.(type) {
		case *ssa.Alloc:
			return a.escapes(x, seen)
		case *ssa.FieldAddr:
			addr = x.X
		case *ssa.IndexAddr:
			addr = x.X
		default:
			return true // a field of something that is not local, a global
		}
	}
	return true
}

// closureEscapes: a literal that captures a handle and is itself handed out
// (a stop function) hands out the handle. Literals that are run here do not.
func (a *analysisState) closureEscapes(closure *ssa.MakeClosure, seen map[ssa.Value]bool) bool {
	for ref := range blocks.Uses(closure) {
		switch ref := ref.(type) {
		case ssa.CallInstruction:
			continue
		case *ssa.Store:
			if ref.Val == closure && a.storeEscapes(ref.Addr, seen) {
				return true
			}
		case *ssa.Return, *ssa.MapUpdate, *ssa.Send:
			return true
		case *ssa.ChangeType, *ssa.MakeInterface:
			if a.escapes(ref.(ssa.Value), seen) {
				return true
			}
		}
	}
	return false
}

// callEscapes reports whether a call may keep v: it is an argument of a
// function of another package that is not known to merely use it.
func (a *analysisState) callEscapes(call ssa.CallInstruction, v ssa.Value, seen map[ssa.Value]bool) bool {
	if _, isGo := call.(*ssa.Go); isGo {
		return false
	}
	common := call.Common()
	if _, ok := common.Value.(*ssa.Builtin); ok || common.Value == v {
		return false
	}
	recv, args := kubeapi.Args(common)
	if recv == v {
		return false
	}
	callee := kubeapi.Callee(common)
	if kubeapi.KeepsArgument(callee) && len(a.graph.Callees(call).Funcs) == 0 && slices.Contains(args, v) {
		return true // running.Store(key, cancel)
	}
	if kubeapi.IsHarmless(callee) || kubeapi.IsEndless(callee) {
		return false
	}
	if _, _, derives := kubeapi.DerivedContext(common); derives {
		return false
	}
	if targets := a.graph.Callees(call).Funcs; len(targets) > 0 {
		for _, target := range targets {
			bound := make(map[*ssa.Parameter]ssa.Value)
			bindArgs(bound, target, common)
			for param, arg := range bound {
				if arg == v && a.escapes(param, seen) {
					return true
				}
			}
		}
		return false
	}
	for _, arg := range args {
		if arg == v {
			switch v.Type().Underlying().(type) {
			case *types.Chan:
				return !kubeapi.IsStopChannel(v.Type())
			}
			return true
		}
	}
	return false
}
