package controllers

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// queues finds the controllers that client-go's informers and queues make up: one for
// each queue that a field or package variable holds and that something takes items
// from.
type queues struct {
	*finder
	made   map[types.Object]*ssa.Call       // what makes the queue
	at     map[types.Object]ssa.Instruction // where it is put into the field
	takers map[types.Object][]taker
	order  []types.Object                      // of takers
	adders map[*ssa.Function][]ssa.Value       // the queues that a function adds to
	starts map[*ssa.Function][]ssa.Instruction // what mentions a function
	types  map[types.Type]bool                 // see isQueue

	operands blocks.Operands
}

// taker is a function that takes items off a queue, or that a helper from elsewhere
// calls with them.
type taker struct {
	fn       *ssa.Function
	external *types.Func // instead, if it is from elsewhere
	at       ssa.Instruction
}

func (f *finder) queueControllers() {
	q := &queues{
		finder: f, made: make(map[types.Object]*ssa.Call), at: make(map[types.Object]ssa.Instruction), takers: make(map[types.Object][]taker),
		adders: make(map[*ssa.Function][]ssa.Value), starts: make(map[*ssa.Function][]ssa.Instruction),
		types: make(map[types.Type]bool),
	}
	q.knativeControllers()
	f.calls.Each(q.store)
	f.calls.Each(q.use)
	if len(q.order) == 0 {
		return
	}
	f.calls.Each(q.mention)
	found := make(map[types.Object]*Local)
	for _, queue := range q.order {
		found[queue] = q.controller(queue)
	}
	f.calls.Each(func(instr ssa.Instruction) { q.handlers(instr, found) })
}

// store notes where queues are kept.
func (q *queues) store(instr ssa.Instruction) {
	store, ok := instr.(*ssa.Store)
	if !ok || !q.isQueue(store.Val.Type()) {
		return
	}
	holder := calls.HolderOf(store.Addr)
	if holder == nil {
		return
	}
	q.at[holder] = store
	if call, ok := calls.Behind(store.Val).(*ssa.Call); ok {
		q.made[holder] = call
	}
}

// holders are the fields and variables that a queue may come from, or be kept in.
func (q *queues) holders(v ssa.Value) []types.Object {
	var found []types.Object
	note := func(holder types.Object) {
		if holder != nil && !slices.Contains(found, holder) {
			found = append(found, holder)
		}
	}
	of := values.Relation{Calls: q.calls, Steps: values.Same | values.Held | values.Given}
	for end := range of.Ends(v) {
		switch end := end.(type) {
		case *ssa.UnOp:
			if end.Op == token.MUL {
				note(calls.HolderOf(end.X))
			}
		case *ssa.Call:
			for holder, made := range q.made {
				if made == end {
					note(holder)
				}
			}
		}
	}
	slices.SortFunc(found, func(a, b types.Object) int { return syntax.ComparePos(q.pass.Fset, a.Pos(), b.Pos()) })
	return found
}

// isQueue is kubeapi.IsQueue, which each type is asked once.
func (q *queues) isQueue(t types.Type) bool {
	is, known := q.types[t]
	if !known {
		is = kubeapi.IsQueue(t)
		q.types[t] = is
	}
	return is
}

// mention notes which functions an instruction mentions.
func (q *queues) mention(instr ssa.Instruction) {
	for _, operand := range q.operands.Of(instr) {
		if fn, ok := (*operand).(*ssa.Function); ok {
			if declared, _ := calls.Unwrap(fn); declared != nil {
				q.starts[declared] = append(q.starts[declared], instr)
			}
		}
	}
}

// use notes what is done with queues.
func (q *queues) use(instr ssa.Instruction) {
	call, ok := instr.(ssa.CallInstruction)
	if !ok {
		return
	}
	common := call.Common()
	recv, args := kubeapi.Args(common)
	switch verb := kubeapi.QueueVerbOf(kubeapi.Callee(common)); verb {
	case kubeapi.QueueGet:
		for _, queue := range q.holders(recv) {
			q.taken(queue, taker{fn: instr.Parent(), at: instr})
		}
	case kubeapi.QueueAdd, kubeapi.QueueAddAfter, kubeapi.QueueAddRateLimited, kubeapi.QueueAddOther:
		q.adders[instr.Parent()] = append(q.adders[instr.Parent()], recv)
	case kubeapi.NoQueueVerb:
		if len(q.calls.Callees(call).Funcs) == 0 {
			q.handedOn(call, args)
		}
	}
}

// handedOn notes that code from elsewhere gets a queue: with a function, it calls that
// for each item; without, it adds some.
func (q *queues) handedOn(call ssa.CallInstruction, args []ssa.Value) {
	for _, arg := range args {
		if !q.isQueue(arg.Type()) {
			continue
		}
		holders := q.holders(arg)
		worker := false
		for _, other := range args {
			sig, ok := other.Type().Underlying().(*types.Signature)
			if !ok || sig.Params().Len() == 0 {
				continue
			}
			targets := q.calls.FuncsOf(other)
			for _, queue := range holders {
				for _, fn := range targets.Funcs {
					worker = true
					q.taken(queue, taker{fn: fn, at: call})
				}
				for _, external := range targets.External {
					worker = true
					q.taken(queue, taker{external: external.Func, at: call})
				}
			}
		}
		if !worker {
			q.adders[call.Parent()] = append(q.adders[call.Parent()], arg)
		}
	}
}

func (q *queues) taken(queue types.Object, by taker) {
	if q.takers[queue] == nil {
		q.order = append(q.order, queue)
	}
	q.takers[queue] = append(q.takers[queue], by)
}

// controller puts together the controller of one queue, without its watches.
func (q *queues) controller(queue types.Object) *Local {
	c := &Local{Controller: Controller{Framework: ClientGo, Package: q.pass.Pkg.Path(), Queue: queue.Name()}}
	by := q.takers[queue]
	at := by[0].at
	if stored := q.at[queue]; stored != nil {
		at = stored
	}
	c.Pos = at.Pos()
	if made := q.made[queue]; made != nil {
		c.Pos = made.Pos()
		c.Name = q.queueName(made)
	}
	c.At = q.place(c.Pos)
	for _, t := range by {
		q.taking = append(q.taking, q.worker(t))
		obj := t.external
		if t.fn != nil {
			obj, _ = paths.Outermost(t.fn).Object().(*types.Func)
		}
		if obj == nil {
			c.Does.Open = true
			continue
		}
		if c.Reconcile == "" {
			q.setReconcile(c, obj)
		}
		c.Does = c.Does.with(q.effects.ofFunc(obj))
	}
	c.Workers = q.workers(by)
	q.informed = append(q.informed, c)
	return c
}

// worker is the controller that one function is which takes items off a queue: several
// types may have their queue in a struct that they embed.
func (q *queues) worker(t taker) *Local {
	c := &Local{Controller: Controller{Framework: ClientGo, Package: q.pass.Pkg.Path()}, Pos: t.at.Pos()}
	if t.fn != nil {
		if obj, ok := paths.Outermost(t.fn).Object().(*types.Func); ok {
			q.setReconcile(c, obj)
		}
	}
	c.Workers = q.workers([]taker{t})
	return c
}

// with adds what other code does.
func (e Effects) with(others Effects) Effects {
	e.Accesses = append(slices.Clip(e.Accesses), others.Accesses...)
	e.Open, e.Full, e.Requeues = e.Open || others.Open, e.Full || others.Full, e.Requeues || others.Requeues
	return e
}

// queueName is the name that a queue is given; empty for none, or one that is not known.
func (q *queues) queueName(made *ssa.Call) string {
	for _, arg := range made.Call.Args {
		if name, ok := kubeapi.ConstString(arg); ok {
			return name
		}
		if _, isStruct := arg.Type().Underlying().(*types.Struct); isStruct {
			for _, v := range q.read.Read(arg).Values["Name"] {
				if name, ok := kubeapi.ConstString(v); ok {
					return name
				}
			}
		}
	}
	return ""
}

// maxStart bounds how far a worker is followed to what starts it.
const maxStart = 5

// workers counts how often workers are started.
func (q *queues) workers(by []taker) Number {
	total := Number{}
	for _, t := range by {
		fn := t.fn
		if t.external != nil || t.fn != t.at.Parent() {
			fn = t.at.Parent() // a helper from elsewhere calls it
		}
		seen := make(map[*ssa.Function]bool)
		started := q.startedAt(fn, seen, 0)
		if len(started) == 0 {
			return Number{}
		}
		for _, n := range started {
			if n.Value == 0 {
				return n
			}
			total.Value += n.Value
		}
	}
	return total
}

// startedAt returns, for each place that starts the goroutine in which a function runs,
// how often it does.
func (q *queues) startedAt(fn *ssa.Function, seen map[*ssa.Function]bool, depth int) []Number {
	if seen[fn] || depth > maxStart {
		return nil
	}
	seen[fn] = true
	starts := slices.Clone(q.calls.Callers(fn))
	add := func(call ssa.CallInstruction) {
		if !slices.Contains(starts, call) {
			starts = append(starts, call)
		}
	}
	for _, instr := range q.starts[fn] {
		switch instr := instr.(type) {
		case *ssa.MakeClosure:
			for call := range blocks.UsesOf[ssa.CallInstruction](instr) {
				add(call)
			}
		case ssa.CallInstruction:
			add(instr)
		}
	}
	var found []Number
	for _, call := range starts {
		found = append(found, q.started(call, seen, depth)...)
	}
	return found
}

func (q *queues) started(call ssa.CallInstruction, seen map[*ssa.Function]bool, depth int) []Number {
	_, isGo := call.(*ssa.Go)
	if !isGo {
		_, _, isGo = kubeapi.GroupStart(call.Common())
	}
	if !isGo {
		return q.startedAt(call.Parent(), seen, depth+1)
	}
	n := Number{Value: 1}
	for _, loop := range loops.Of(call.Parent()) {
		if !loop.Blocks[call.Block()] {
			continue
		}
		if rounds, ok := loop.Rounds(); ok && rounds > 0 {
			n.Value *= int(rounds)
			continue
		}
		bound := boundOf(loop)
		rounds := q.handed(bound)
		if rounds == 0 {
			if bound == nil {
				return []Number{{}}
			}
			return []Number{notConstant(q.calls, bound)}
		}
		n.Value *= rounds
	}
	return []Number{n}
}

// boundOf returns the number up to which a loop counts, if it can be said where that comes
// from.
func boundOf(loop *loops.Loop) ssa.Value {
	for _, exit := range loop.Exits() {
		if cond, ok := exit.Cond.(*ssa.BinOp); ok {
			y := cond.Y
			if conv, ok := y.(*ssa.Convert); ok {
				y = conv.X
			}
			if fromOf(y) != "" {
				return y
			}
		}
	}
	return nil
}

// handed returns the number that the package's callers hand over for a parameter, if all
// hand over the same one.
func (q *queues) handed(bound ssa.Value) int {
	p, ok := bound.(*ssa.Parameter)
	if !ok {
		return 0
	}
	n := 0
	for _, call := range q.calls.Callers(p.Parent()) {
		arg := calls.ArgumentOf(call, p)
		if arg == nil {
			return 0
		}
		given, ok := blocks.Number(calls.Behind(arg))
		if !ok || n != 0 && n != int(given) {
			return 0
		}
		n = int(given)
	}
	return max(n, 0)
}
