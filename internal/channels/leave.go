package channels

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/callgraph"
	"github.com/opvet/opvet/internal/contexts"
	"github.com/opvet/opvet/internal/flow"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/loops"
)

// Question says what a receiver must do to be taken for one that stays.
type Question struct {
	// Many tells that the channel is sent to any number of times: the
	// receiver has to go on until it is closed. Otherwise one value is
	// enough.
	Many bool
	// Several tells that this is so because there is any number of senders,
	// so that no value can be the last.
	Several bool
	// Enough are other channels: who receives from one of them is done.
	Enough []*Channel
}

// Leave is a way by which a receiver stops receiving while others may still
// send.
type Leave struct {
	// At is where the receiver goes away: the case that it takes instead,
	// the condition on which it leaves, or the return.
	At token.Pos
	// Chan is the channel that it listens to instead, nil for none.
	Chan ssa.Value
	// Default tells that it takes the default of a select.
	Default bool
	// Failed tells that it leaves since something that it called failed.
	Failed bool
	// Within tells that Chan is made by the same package: it is not a word
	// from elsewhere.
	Within bool
	// Elsewhere is the reason that a function of another package gives.
	Elsewhere string
}

// Reason words why the receiver goes away, as in "ctx is done"; it is empty
// if it merely returns.
func (l *Leave) Reason() string {
	switch {
	case l.Elsewhere != "":
		return l.Elsewhere
	case l.Chan != nil && kubeapi.DoneOf(l.Chan) != nil:
		return "its context is done"
	case l.Chan != nil && loops.IsTimer(l.Chan):
		return "its time is up"
	case l.Chan != nil && !l.Within && kubeapi.IsStopChannel(l.Chan.Type()):
		return "it is told to stop"
	case l.Chan != nil:
		return "another channel is ready"
	case l.Default:
		return "nothing is there yet"
	case l.Failed:
		return "it fails"
	}
	return "it returns"
}

// Leaves asks whether fn, from start on (from its beginning if start is nil),
// may go away while others may still send to the channel. It returns how, or
// nil if it stays or cannot be told.
func (i *Info) Leaves(ch *Channel, fn *ssa.Function, start ssa.Instruction, q Question) *Leave {
	return i.leaves(ch, fn, start, q, 0)
}

func (i *Info) leaves(ch *Channel, fn *ssa.Function, start ssa.Instruction, q Question, depth int) *Leave {
	if fn == nil || len(fn.Blocks) == 0 || depth > 4 {
		return nil
	}
	r := &receiver{info: i, ch: ch, fn: fn, q: q, depth: depth, graph: flow.NewGraph(fn, i.graph, nil)}
	r.gather()
	// That it is told to go says more than that something has failed, and
	// that more than a mere return.
	all, several := r.gone, r.q.Several
	r.gone = slices.DeleteFunc(slices.Clone(all), func(e edge) bool { return e.leave.Failed })
	r.q.Several = false
	leave := r.search(start)
	if leave == nil && len(r.gone) < len(all) {
		r.gone = all
		leave = r.search(start)
	}
	if leave == nil && several {
		r.q.Several = true
		leave = r.search(start)
	}
	return leave
}

// receiver is one function that is asked whether it stays.
type receiver struct {
	info  *Info
	ch    *Channel
	fn    *ssa.Function
	q     Question
	depth int
	graph *flow.Graph

	// done are conditions which tell that all was received; gone those which
	// tell that the receiver goes away.
	done, gone []edge
	// below is how a function that is called stops receiving.
	below *Leave
	// asked are the conditions that ask which case of a select was taken.
	asked map[*ssa.Select][]ssa.Value
}

// edge is a condition with the value that matters.
type edge struct {
	cond  ssa.Value
	when  bool
	leave Leave
	from  *ssa.Select // the select whose case it is
	// before are the conditions that ask for the cases in front of it: if
	// one of them holds, what is known of this one is from a former round.
	before []ssa.Value
}

// receives reports whether v is the channel, or one that is as good.
func (r *receiver) receives(v ssa.Value) bool {
	return r.ch.MayBe(v) || slices.ContainsFunc(r.q.Enough, func(other *Channel) bool { return other.MayBe(v) })
}

// gather finds the conditions that matter in the functions of the graph.
func (r *receiver) gather() {
	r.asked = make(map[*ssa.Select][]ssa.Value)
	seen := make(map[*ssa.Function]bool)
	for _, n := range r.graph.Nodes {
		fn := n.Frame.Fn
		if seen[fn] {
			continue
		}
		seen[fn] = true
		for _, block := range fn.Blocks {
			r.branch(block)
		}
		for _, loop := range loops.Of(fn) {
			if r.receivesIn(loop) {
				r.exits(loop)
			}
		}
	}
}

// branch looks at the condition at the end of a block.
func (r *receiver) branch(block *ssa.BasicBlock) {
	if len(block.Instrs) == 0 {
		return
	}
	branch, ok := block.Instrs[len(block.Instrs)-1].(*ssa.If)
	if !ok {
		return
	}
	if cond, when, ok := r.closed(branch.Cond); ok {
		r.done = append(r.done, edge{cond: cond, when: when})
		return
	}
	sel, state := loops.SelectCase(branch.Cond)
	if sel == nil || state == nil || !r.selects(sel) {
		return
	}
	e := edge{cond: branch.Cond, when: true, from: sel, before: slices.Clone(r.asked[sel])}
	r.asked[sel] = append(r.asked[sel], branch.Cond)
	switch {
	case state.Dir == types.RecvOnly && r.receives(state.Chan):
		if !r.q.Many || !r.ch.MayBe(state.Chan) {
			r.done = append(r.done, e)
		}
	case r.q.Many && state.Dir == types.RecvOnly && r.outside(state.Chan):
		e.leave = Leave{At: state.Pos, Chan: state.Chan}
		r.gone = append(r.gone, e)
	}
}

// closed recognises the condition that the channel was closed.
func (r *receiver) closed(cond ssa.Value) (of ssa.Value, when, ok bool) {
	if not, isNot := cond.(*ssa.UnOp); isNot && not.Op == token.NOT {
		cond = not.X
	}
	extract, isExtract := cond.(*ssa.Extract)
	if !isExtract || extract.Index != 1 {
		return nil, false, false
	}
	switch tuple := extract.Tuple.(type) {
	case *ssa.UnOp:
		return extract, false, tuple.Op == token.ARROW && r.receives(tuple.X)
	case *ssa.Select:
		// The second result is about the case that was taken.
		return extract, false, r.selects(tuple)
	}
	return nil, false, false
}

// selects reports whether a select has a case that receives.
func (r *receiver) selects(sel *ssa.Select) bool {
	for _, state := range sel.States {
		if state.Dir == types.RecvOnly && r.receives(state.Chan) {
			return true
		}
	}
	return false
}

func (r *receiver) receivesIn(loop *loops.Loop) bool {
	for block := range loop.Blocks {
		for _, instr := range block.Instrs {
			if r.isReceive(instr) {
				return true
			}
			if sel, ok := instr.(*ssa.Select); ok && r.selects(sel) {
				return true
			}
		}
	}
	return false
}

// isReceive reports whether an instruction receives, and does nothing else.
func (r *receiver) isReceive(instr ssa.Instruction) bool {
	recv, ok := instr.(*ssa.UnOp)
	return ok && recv.Op == token.ARROW && r.receives(recv.X)
}

// exits looks at the ways out of a loop that receives. One at the head of the
// loop counts or knows what is missing.
func (r *receiver) exits(loop *loops.Loop) {
	for _, exit := range loop.Exits() {
		if exit.Cond == nil {
			continue
		}
		if _, _, ok := r.closed(exit.Cond); ok {
			continue
		}
		if sel, _ := loops.SelectCase(exit.Cond); sel != nil {
			continue
		}
		if exit.From == loop.Head || counts(loop, exit) {
			r.done = append(r.done, edge{cond: exit.Cond, when: exit.When})
			r.skipped(loop, exit)
			continue
		}
		if r.q.Many && failed(exit.Cond, exit.When) {
			r.gone = append(r.gone, edge{cond: exit.Cond, when: exit.When, leave: Leave{At: exit.Cond.Pos(), Failed: true}})
		}
	}
}

// counts reports whether a way out at the end of a loop's body is that of a
// range over an integer: the counter has reached its limit.
func counts(loop *loops.Loop, exit loops.Exit) bool {
	compare, ok := exit.Cond.(*ssa.BinOp)
	if !ok || compare.Op != token.LSS || exit.When {
		return false
	}
	next, ok := compare.X.(*ssa.BinOp)
	if !ok || next.Op != token.ADD {
		return false
	}
	counter, ok := next.X.(*ssa.Phi)
	return ok && counter.Block() == loop.Head
}

// skipped adds the condition by which a loop is passed by as a whole, since
// there is nothing to count.
func (r *receiver) skipped(loop *loops.Loop, exit loops.Exit) {
	for _, pred := range loop.Head.Preds {
		branch, ok := pred.Instrs[len(pred.Instrs)-1].(*ssa.If)
		if !ok || loop.Blocks[pred] {
			continue
		}
		for n, succ := range pred.Succs {
			if succ == exit.To {
				r.done = append(r.done, edge{cond: branch.Cond, when: n == 0})
			}
		}
	}
}

// failed reports whether a condition asks if something that was called has
// failed: an error that is not nil.
func failed(cond ssa.Value, when bool) bool {
	compare, ok := cond.(*ssa.BinOp)
	if !ok || compare.Op != token.NEQ && compare.Op != token.EQL || (compare.Op == token.NEQ) != when {
		return false
	}
	v := compare.X
	if c, ok := v.(*ssa.Const); ok && c.IsNil() {
		v = compare.Y
	}
	if !kubeapi.IsError(v.Type()) {
		return false
	}
	switch v := v.(type) {
	case *ssa.Call:
		return true
	case *ssa.Extract:
		_, ok := v.Tuple.(*ssa.Call)
		return ok
	}
	return false
}

// outside reports whether a channel brings the word to stop from elsewhere: a
// context that the package's own code does not merely cancel when all is
// done, a timer, a stop channel that is handed in.
func (r *receiver) outside(v ssa.Value) bool {
	if ctx := kubeapi.DoneOf(v); ctx != nil {
		for _, origin := range r.info.contexts.Origins(ctx) {
			switch origin.Kind {
			case contexts.Detached, contexts.Severed:
				// Cancelled by whoever made it, when the work is done.
				if !origin.Derived(contexts.Timeout) {
					return false
				}
			}
		}
		return true
	}
	if loops.IsTimer(v) {
		return !ticks(v)
	}
	known := r.info.Of(v)
	if known == nil || !kubeapi.IsStopChannel(v.Type()) {
		return false
	}
	// A channel of the same function or struct says that the work is done.
	return known.Made == nil
}

// ticks reports whether a channel is a ticker's: it does not end anything.
func ticks(v ssa.Value) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return false
	}
	field, ok := load.X.(*ssa.FieldAddr)
	return ok && kubeapi.IsNamed(field.X.Type(), "time", "Ticker")
}

// search looks for a path on which the receiver goes away.
func (r *receiver) search(start ssa.Instruction) *Leave {
	assume := make(map[ssa.Value]flow.Truth)
	for _, e := range slices.Concat(r.done, r.gone) {
		track(assume, e.cond)
	}
	for _, conds := range r.asked {
		for _, cond := range conds {
			track(assume, cond)
		}
	}
	starts := []*flow.Node{nil}
	if start != nil {
		if starts = r.graph.At(start); len(starts) == 0 {
			return nil
		}
	}
	for _, node := range starts {
		var leave *Leave
		path, ok := r.graph.Search(node, 0, assume, func(n *flow.Node, stage int, known flow.Known) (int, flow.Step) {
			return r.visit(n, stage, known, start, &leave)
		})
		if !ok {
			continue
		}
		if leave == nil || leave.At == token.NoPos {
			leave = r.explain(path)
		}
		return leave
	}
	return nil
}

// track makes a search remember a condition.
func track(assume map[ssa.Value]flow.Truth, cond ssa.Value) {
	assume[cond] = flow.Unknown
	if compare, ok := cond.(*ssa.BinOp); ok {
		for _, v := range []ssa.Value{compare.X, compare.Y} {
			if _, isConst := v.(*ssa.Const); !isConst && kubeapi.IsError(v.Type()) {
				assume[v] = flow.Unknown
			}
		}
	}
}

func holds(e edge, known flow.Known) bool {
	for _, cond := range e.before {
		if known.Of(cond) == flow.True {
			return false
		}
	}
	t := known.Of(e.cond)
	return e.when && t == flow.True || !e.when && t == flow.False
}

// Stages of a path.
const (
	hasReceived = 1 << iota // something was received
	leftBelow               // a function that is called has stopped receiving
)

func (r *receiver) visit(n *flow.Node, stage int, known flow.Known, start ssa.Instruction, leave **Leave) (int, flow.Step) {
	var gone *edge
	for k := range r.gone {
		if holds(r.gone[k], known) {
			gone = &r.gone[k]
		}
	}
	// What is done is done, unless the select was left by another case.
	for _, e := range r.done {
		if holds(e, known) && (gone == nil || gone.leave.Failed) {
			return stage, flow.Prune
		}
	}
	if r.graph.IsExit(n) {
		switch {
		case gone != nil:
			found := gone.leave
			*leave = &found
			return stage, flow.Found
		case stage&leftBelow != 0:
			found := *r.below
			*leave = &found
			return stage, flow.Found
		case !r.q.Many, r.q.Several:
			return stage, flow.Found
		case stage&hasReceived == 0 && start != nil:
			return stage, flow.Found
		}
		return stage, flow.Prune
	}
	switch instr := n.Instr.(type) {
	case *ssa.UnOp:
		if r.isReceive(instr) {
			if !r.q.Many || gone != nil {
				return stage, flow.Prune
			}
			return stage | hasReceived, flow.Continue
		}
	case *ssa.Select:
		if !r.selects(instr) {
			break
		}
		if gone != nil && gone.from != instr {
			return stage, flow.Prune // takes what is left
		}
		if !r.q.Many && instr.Blocking && r.receivesOnly(instr) {
			return stage, flow.Prune
		}
		return stage | hasReceived, flow.Continue
	case ssa.CallInstruction:
		if instr == start || n.Joins != nil {
			break
		}
		if _, deferred := instr.(*ssa.Defer); deferred && !n.Deferred {
			break
		}
		receives, left := r.receivesInCall(instr)
		switch {
		case left != nil && !isGo(instr):
			r.below = left
			return stage | leftBelow, flow.Continue
		case receives && left == nil:
			return stage, flow.Prune
		}
	}
	return stage, flow.Continue
}

func (r *receiver) receivesOnly(sel *ssa.Select) bool {
	for _, state := range sel.States {
		if state.Dir != types.RecvOnly || !r.receives(state.Chan) {
			return false
		}
	}
	return true
}

// receivesInCall reports whether a call, or a goroutine that it starts,
// receives, and how it stops, nil if it stays. Calls that a graph has spliced
// are seen there.
func (r *receiver) receivesInCall(call ssa.CallInstruction) (receives bool, left *Leave) {
	if _, isBuiltin := call.Common().Value.(*ssa.Builtin); isBuiltin {
		return false, nil
	}
	for _, op := range r.ch.Ops {
		if op.Kind != HandOver || op.Instr != call || !op.Use.Receives {
			continue
		}
		if op.Use.GivesUp == "" {
			return true, nil
		}
		return true, &Leave{At: call.Pos(), Elsewhere: op.Use.GivesUp}
	}
	if !isGo(call) && flow.Literal(r.info.graph, call.Common().Value) != nil {
		return false, nil
	}
	for _, target := range r.info.graph.Callees(call).Funcs {
		if target == r.fn || !r.info.receivesSomewhere(r, target, make(map[*ssa.Function]bool), 0) {
			continue
		}
		receives = true
		if left = r.info.leaves(r.ch, target, nil, r.q, r.depth+1); left == nil {
			return true, nil
		}
	}
	return receives, left
}

func isGo(call ssa.CallInstruction) bool {
	_, ok := call.(*ssa.Go)
	return ok
}

// receivesSomewhere reports whether fn, or what it calls, receives.
func (i *Info) receivesSomewhere(r *receiver, fn *ssa.Function, seen map[*ssa.Function]bool, depth int) bool {
	if seen[fn] || depth > 4 {
		return false
	}
	seen[fn] = true
	for _, block := range fn.Blocks {
		for _, instr := range block.Instrs {
			if r.isReceive(instr) {
				return true
			}
			switch instr := instr.(type) {
			case *ssa.Select:
				if r.selects(instr) {
					return true
				}
			case ssa.CallInstruction:
				for _, target := range i.graph.Callees(instr).Funcs {
					if i.receivesSomewhere(r, target, seen, depth+1) {
						return true
					}
				}
			}
		}
	}
	return false
}

// explain says by which branch a path leaves: the last case of a select that
// it takes, or the return.
func (r *receiver) explain(path flow.Path) *Leave {
	leave := &Leave{At: path[len(path)-1].Instr.Pos()}
	if !leave.At.IsValid() {
		leave.At = r.fn.Pos() // the end of the function
		if syntax := r.fn.Syntax(); syntax != nil {
			leave.At = syntax.End() - 1
		}
	}
	for k := len(path) - 2; k >= 0; k-- {
		branch, ok := path[k].Instr.(*ssa.If)
		if !ok {
			continue
		}
		sel, state := loops.SelectCase(branch.Cond)
		if sel == nil || !r.selects(sel) {
			continue
		}
		if len(path[k].Succs) == 2 && path[k+1] == path[k].Succs[0] && state != nil {
			leave.Chan, leave.At = state.Chan, state.Pos
			known := r.info.Of(state.Chan)
			leave.Within = known != nil && known.Made != nil
		} else if !sel.Blocking {
			leave.Default = true
		}
		break
	}
	return leave
}

// NameOf is how code writes a channel or context, for messages: "ctx.Done()",
// "stopCh"; empty if it has no name.
func NameOf(v ssa.Value) string {
	if ctx := kubeapi.DoneOf(v); ctx != nil {
		if name := NameOf(ctx); name != "" {
			return name + ".Done()"
		}
		return "ctx.Done()"
	}
	switch v := v.(type) {
	case *ssa.Parameter:
		return v.Name()
	case *ssa.FreeVar:
		return v.Name()
	case *ssa.Alloc:
		return v.Comment
	case *ssa.ChangeType:
		return NameOf(v.X)
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return NameOf(v.X)
		}
	case *ssa.FieldAddr:
		if field := callgraph.FieldOf(v.X.Type(), v.Field); field != nil {
			return join(NameOf(v.X), field.Name())
		}
	case *ssa.Field:
		if field := callgraph.FieldOf(v.X.Type(), v.Field); field != nil {
			return join(NameOf(v.X), field.Name())
		}
	case *ssa.Call:
		if callee := kubeapi.Callee(v.Common()); callee != nil {
			recv, _ := kubeapi.Args(v.Common())
			if recv != nil {
				return join(NameOf(recv), callee.Name()+"()")
			}
			if callee.Pkg() != nil {
				return callee.Pkg().Name() + "." + callee.Name() + "()"
			}
		}
	case *ssa.Phi:
		return v.Comment
	}
	return ""
}

func join(prefix, name string) string {
	if prefix == "" {
		return name
	}
	return prefix + "." + name
}
