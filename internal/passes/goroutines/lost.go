package goroutines

import (
	"cmp"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Write is a request of a goroutine to store or delete an object. If it fails, nothing but a
// log, an event or a metric says so.
type Write struct {
	// Call is how the request is written: Delete, Status().Update.
	Call string
	// Pos is where, in the package under analysis; Where is the place if it is in another one.
	Pos   token.Pos
	Where string
}

// losses are what is lost with a goroutine whose requests fail: a write of its own, or what the
// functions write that the one who starts it is given.
type losses struct {
	write *Write
	// runs are the parameters that it calls, drops those of them whose errors it drops.
	runs, drops []*ssa.Parameter
}

// lossesOf returns what a goroutine loses for good if it fails. There is nothing if it waits
// for something first, hands on how it went, adds something to a queue, or tries again.
func (a *analysisState) lossesOf(s *Spawn, b *body) *losses {
	l := &lossFinder{a: a, seen: make(map[*ssa.Function]bool)}
	if s.Timer || s.Callee != nil && kubeapi.IsEndless(s.Callee) || b.isLarge() {
		return &l.losses
	}
	for _, in := range b.instrs {
		if sees(in.instr) {
			return &l.losses
		}
	}
	if name, ok := kubeapi.StoringCall(a.graph.Through(s.Call.Common())); ok && len(s.Bodies) == 0 {
		l.write = &Write{Call: name, Pos: s.Pos()}
	}
	if param := l.givenFunction(s.Call); param != nil && s.Group == nil {
		l.note(param, true) // go work()
	}
	e := &env{args: s.args}
	for _, fn := range s.Bodies {
		if l.write == nil && s.Group == nil {
			l.write = l.raises(fn, e, 0)
		}
		l.lostIn(fn, e, 0)
	}
	if l.write != nil && !strings.HasPrefix(l.write.Call, "Create") && !strings.HasPrefix(l.write.Call, "Delete") &&
		slices.ContainsFunc(b.instrs, func(in located) bool { return kubeapi.Stamps(in.instr) }) {
		l.write = nil // the next one brings it up to date
	}
	return &l.losses
}

// lossesElsewhere is the same for a goroutine of another package that is given args: it may
// run functions among them, and drop their errors.
func (a *analysisState) lossesElsewhere(g *Goroutine, args []ssa.Value) *losses {
	l := &lossFinder{a: a, seen: make(map[*ssa.Function]bool)}
	if g.Lost != "" {
		l.write = &Write{Call: g.Lost, Where: g.LostAt}
	}
	for _, index := range g.Runs {
		if index >= len(args) {
			continue
		}
		dropped := slices.Contains(g.Drops, index)
		if param, ok := args[index].(*ssa.Parameter); ok {
			l.note(param, dropped)
		}
		for _, fn := range a.graph.FuncsOf(args[index]).Funcs {
			if a.walk(fn, nil, func(instr ssa.Instruction, _ *env) bool { return sees(instr) }) {
				continue
			}
			if dropped && l.write == nil {
				l.write = l.raises(fn, nil, 0)
			}
			l.lostIn(fn, nil, 0)
		}
	}
	return &l.losses
}

// note adds a parameter that the goroutine calls.
func (l *losses) note(param *ssa.Parameter, dropped bool) {
	l.runs = append(l.runs, param)
	if dropped {
		l.drops = append(l.drops, param)
	}
}

// lift sees the losses of a callee from a caller, which hands it args.
func (l *losses) lift(args map[*ssa.Parameter]ssa.Value) *losses {
	up := &losses{write: l.write}
	for _, param := range l.runs {
		if own, ok := args[param].(*ssa.Parameter); ok {
			up.note(own, slices.Contains(l.drops, param))
		}
	}
	return up
}

// describeLosses puts the losses of a leak of fn into the words of a fact.
func (c *computer) describeLosses(g *Goroutine, fn *ssa.Function, leak *Leak) {
	if w := leak.Lost; w != nil {
		g.Lost, g.LostAt = w.Call, cmp.Or(c.where(w.Pos), w.Where)
	}
	if m := leak.Missed; m != nil {
		g.Missed, g.MissedAt = m.Variable, cmp.Or(c.where(m.Pos), m.Where)
	}
	if p := leak.Poll; p != nil {
		g.Polls = cmp.Or(c.where(p.Pos), p.Where)
	}
	for _, param := range leak.losses.runs {
		if i := slices.Index(fn.Params, param); i >= 0 {
			g.Runs = append(g.Runs, i)
			if slices.Contains(leak.losses.drops, param) {
				g.Drops = append(g.Drops, i)
			}
		}
	}
}

// sees reports whether an instruction shows that a goroutine waits, hands something on, or sees
// to it that work is done later.
func sees(instr ssa.Instruction) bool {
	if _, waits := loops.WaitOf(instr); waits {
		return true
	}
	switch instr := instr.(type) {
	case *ssa.Send:
		return true
	case ssa.CallInstruction:
		callee := kubeapi.Callee(instr.Common())
		if _, _, conflict := kubeapi.ConflictRetry(instr.Common()); conflict {
			return false
		}
		_, waits := kubeapi.WaitCall(instr.Common())
		return waits || kubeapi.IsPoll(callee) || kubeapi.IsEndless(callee) || kubeapi.IsQueueAdd(callee) || kubeapi.IsAfterFunc(callee)
	}
	return false
}

type lossFinder struct {
	losses
	a    *analysisState
	seen map[*ssa.Function]bool
}

// lostIn looks for what is lost in a function that a goroutine runs, and in what it calls.
func (l *lossFinder) lostIn(fn *ssa.Function, e *env, depth int) {
	if l.seen[fn] || depth > maxLook {
		return
	}
	l.seen[fn] = true
	for call := range blocks.InstrsOf[ssa.CallInstruction](fn) {
		if _, isGo := call.(*ssa.Go); isGo || isTriedAgain(call) || calls.AfterFailure(call) {
			continue
		}
		dropped := l.a.fateOf(call) == dropped
		if param := l.givenFunction(call); param != nil {
			l.note(param, dropped && kubeapi.CanFail(call.Common().Signature()))
		}
		if l.write == nil && dropped {
			l.write = l.failing(call, e, depth)
		}
		for _, callee := range l.a.callees(call, e) {
			l.lostIn(callee, e.inside(call, callee), depth+1)
		}
	}
}

// failing returns the write whose failure a call may return, or nil.
func (l *lossFinder) failing(call ssa.CallInstruction, e *env, depth int) *Write {
	if depth > maxLook {
		return nil
	}
	common := call.Common()
	callees := l.a.callees(call, e)
	if try, retriable, ok := kubeapi.ConflictRetry(common); ok && retriable == nil {
		callees, call = l.a.graph.FuncsOf(try).Funcs, nil
	} else if name, ok := kubeapi.StoringCall(l.a.graph.Through(common)); ok {
		if inner, isCall := call.(*ssa.Call); isCall {
			if last := l.a.graph.Inner(inner); last != nil {
				return &Write{Call: name, Pos: last.Pos()}
			}
		}
		return &Write{Call: name, Pos: call.Pos()}
	}
	if call != nil && len(callees) == 0 {
		if known := l.a.leaves.Elsewhere(call); known != nil && known.Raises {
			return &Write{Call: kubeapi.Callee(common).Name(), Pos: call.Pos()}
		}
	}
	for _, callee := range callees {
		within := e
		if call != nil {
			within = e.inside(call, callee)
		}
		if w := l.raises(callee, within, depth+1); w != nil {
			return w
		}
	}
	return nil
}

// raises reports whether an error of a function says that a write has failed.
func (a *analysisState) raises(fn *ssa.Function) bool {
	l := &lossFinder{a: a, seen: make(map[*ssa.Function]bool)}
	return l.raises(fn, nil, 0) != nil
}

// raises returns a write whose failure a function returns as its error, or nil.
func (l *lossFinder) raises(fn *ssa.Function, e *env, depth int) *Write {
	if !kubeapi.CanFail(fn.Signature) {
		return nil
	}
	for call := range blocks.InstrsOf[*ssa.Call](fn) {
		if isTriedAgain(call) || calls.AfterFailure(call) || l.a.fateOf(call) != returned {
			continue
		}
		if w := l.failing(call, e, depth); w != nil {
			return w
		}
	}
	return nil
}

// givenFunction returns the parameter that a call calls, of the function which starts the
// goroutine, or nil.
func (l *lossFinder) givenFunction(call ssa.CallInstruction) *ssa.Parameter {
	if call.Common().IsInvoke() {
		return nil
	}
	v := call.Common().Value
	if load, ok := v.(*ssa.UnOp); ok {
		if cell := l.a.cell(load.X); cell != nil {
			v = onlyStore(cell)
		}
	} else if captured, ok := v.(*ssa.FreeVar); ok {
		v = l.a.graph.Binding(captured)
	}
	param, _ := v.(*ssa.Parameter)
	return param
}

// isTriedAgain reports whether a call is in a loop that may be there to make it succeed: any but
// those that go through a list or map, or count.
func isTriedAgain(call ssa.CallInstruction) bool {
	for _, loop := range loops.Of(call.Parent()) {
		if !loop.Blocks[call.Block()] || loop.Head.Comment == "rangeindex.loop" || loop.Head.Comment == "rangeiter.loop" {
			continue
		}
		for _, exit := range loop.Exits() {
			cond, compares := exit.Cond.(*ssa.BinOp)
			if exit.From != loop.Head || !compares || cond.Op != token.LSS {
				return true
			}
		}
		if len(loop.Exits()) == 0 {
			return true
		}
	}
	return false
}
