// Package unfinished finds items that are never given back to their queue, or are told to another one.
package unfinished

import (
	"fmt"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/workqueue/internal/queues"
	"github.com/opvet/opvet/analyzers/workqueue/internal/subject"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/rule"
)

// checker is what this package asks about.
type checker struct{ *subject.Checker }

// Report reports a worker that tells another queue what has become of an item, or
// none.
func Report(in *subject.Checker, w *subject.Worker) {
	c := &checker{in}
	c.others(w)
	c.done(w)
}

// done finds ways from Get that give the item back by no Done.
func (c *checker) done(w *subject.Worker) {
	if c.blamedAt(kubeapi.QueueDone, w) {
		return
	}
	fn := w.Get.Parent()
	graph := c.Flows.Of(paths.Outermost(fn))
	starts := graph.At(w.Get)
	if len(starts) == 0 {
		graph = c.Flows.Of(fn)
		starts = graph.At(w.Get)
	}
	if len(starts) == 0 {
		return
	}
	s := &doneSearch{checker: c, w: w, seen: make(map[*ssa.Function]bool)}
	assume := make(map[ssa.Value]paths.Truth) // to be told what they are
	for _, v := range slices.Concat(w.Empty, w.Asked) {
		assume[v] = paths.Unknown
	}
	if w.Shutdown != nil {
		assume[w.Shutdown] = paths.Unknown
	}
	s.pointless = slices.Concat(unsplit(paths.Outermost(fn)), over(paths.Outermost(fn)))
	for _, v := range s.pointless {
		assume[v] = paths.Unknown
	}
	path, found := graph.Search(starts[0], 0, assume, s.visit(graph))
	if !found {
		// A function that gives it back on some of its ways only, where nobody
		// else does.
		if s.partial == nil || s.sure || s.elsewhere() {
			return
		}
		path, found = c.Flows.Of(s.partial).Search(nil, 0, nil, (&doneSearch{checker: c, w: w, seen: make(map[*ssa.Function]bool)}).visit(c.Flows.Of(s.partial)))
		if !found {
			return
		}
	}
	c.reportDone(w, path, s.wrong)
}

// over returns the comparisons that are true where a select has found that a context is over,
// and with it the queue, as a rule.
func over(fn *ssa.Function) []ssa.Value {
	var found []ssa.Value
	for branch := range blocks.InstrsOf[*ssa.If](fn) {
		if _, state := loops.SelectCase(branch.Cond); state != nil && kubeapi.DoneOf(state.Chan) != nil {
			found = append(found, branch.Cond)
		}
	}
	return found
}

// deferred is the stage of a path on which Done is deferred.
const deferred = 1

type doneSearch struct {
	*checker
	w    *subject.Worker
	seen map[*ssa.Function]bool
	// sure tells that there is a Done that is not known to be passed by;
	// partial is a function that has one on some ways.
	sure    bool
	partial *ssa.Function
	// wrong is a Done of something that is not the item.
	wrong ssa.Instruction
	// pointless are the values that are true, or errors, where nobody needs the item any more.
	pointless []ssa.Value
}

// unsplit returns the errors of SplitMetaNamespaceKey in a function. Whoever makes keys by
// MetaNamespaceKeyFunc never sees one: no name has a slash.
func unsplit(fn *ssa.Function) []ssa.Value {
	var errs []ssa.Value
	for test := range blocks.InstrsOf[*ssa.BinOp](fn) {
		err, ok := calls.Behind(test.X).(*ssa.Extract)
		if !ok || err.Index != 2 {
			continue
		}
		if call, ok := err.Tuple.(*ssa.Call); ok && kubeapi.SplitsKey(kubeapi.Callee(call.Common())) {
			errs = append(errs, test.X)
		}
	}
	return errs
}

func (s *doneSearch) visit(g *paths.Graph) paths.Visit {
	return func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
		if n.Joins != nil {
			return stage, paths.Continue
		}
		if s.w.Shutdown != nil && known.Of(s.w.Shutdown) == paths.True || s.noItem(known) {
			return stage, paths.Prune // there was no item
		}
		if !s.Report.Strict() && slices.ContainsFunc(s.pointless, func(v ssa.Value) bool { return known.Of(v) == paths.True }) {
			return stage, paths.Prune
		}
		if g.IsExit(n) {
			if ret := n.Instr.(*ssa.Return); stage == deferred || slices.ContainsFunc(ret.Results, s.w.Items.Has) {
				return stage, paths.Prune // whoever gets it
			}
			return stage, paths.Found
		}
		if n.Instr == s.w.Get {
			return stage, paths.Found
		}
		if _, ok := n.Instr.(*ssa.Defer); ok && !n.Deferred {
			// Runs at the end of its function: too late for the next Get of a loop.
			switch {
			case !s.gives(n.Instr):
				return stage, paths.Continue
			case n.Frame.Fn != s.w.Get.Parent():
				return stage, paths.Prune
			}
			return deferred, paths.Continue
		}
		if s.gives(n.Instr) {
			return stage, paths.Prune
		}
		return stage, paths.Continue
	}
}

// noItem reports whether the path has found what Get returned to be nil or
// empty: client-go's Get returns that when the queue is shut down only.
func (s *doneSearch) noItem(known paths.Known) bool {
	return slices.ContainsFunc(s.w.Empty, func(v ssa.Value) bool { return known.Of(v) == paths.False }) ||
		slices.ContainsFunc(s.w.Asked, func(v ssa.Value) bool { return known.Of(v) == paths.True })
}

// gives reports whether an instruction gives the item back, or lets it out of
// sight.
func (s *doneSearch) gives(instr ssa.Instruction) bool {
	for _, op := range s.Queues.At(instr) {
		switch {
		case op.Verb == kubeapi.QueueDone && op.Item != nil && s.w.Items.IsPart(op.Item):
			s.wrong = instr
		case (op.Verb == kubeapi.QueueDone || op.Verb == kubeapi.QueueShutDown) && s.Queues.MayBeSame(op.Queue, s.w.Queue):
			s.sure = s.sure || op.Verb == kubeapi.QueueDone
			return true
		}
	}
	switch instr := instr.(type) {
	case *ssa.Send:
		return s.w.Items.Has(instr.X)
	case *ssa.Select:
		// Which case is taken is told later: the others give it back, or nobody
		// does, and that cannot be told.
		return slices.ContainsFunc(instr.States, func(state *ssa.SelectState) bool { return s.w.Items.Has(state.Send) })
	case *ssa.MapUpdate:
		return s.w.Items.Has(instr.Value) || s.w.Items.Has(instr.Key)
	case *ssa.Store:
		return s.w.Items.Has(instr.Val) && subject.OutOfSight(instr.Addr)
	case *ssa.MakeClosure:
		// A literal that is handed to somebody who may call it.
		return s.gaveIn(instr.Fn.(*ssa.Function)) && !onlyCalled(instr)
	case ssa.CallInstruction:
		return s.call(instr)
	}
	return false
}

// onlyCalled reports whether a closure is called, deferred or started where it
// is made, and nothing else.
func onlyCalled(closure *ssa.MakeClosure) bool {
	return !slices.ContainsFunc(*closure.Referrers(), func(ref ssa.Instruction) bool {
		call, ok := ref.(ssa.CallInstruction)
		return !ok || call.Common().Value != closure
	})
}

func (s *doneSearch) call(call ssa.CallInstruction) bool {
	common := call.Common()
	operands := kubeapi.Operands(common)
	if _, ok := common.Value.(*ssa.Builtin); ok {
		return calls.IsBuiltin(call, "append") && slices.ContainsFunc(common.Args, func(arg ssa.Value) bool {
			packed, _ := kubeapi.VariadicArgs(arg)
			return s.w.Items.Has(arg) || slices.ContainsFunc(packed, s.w.Items.Has)
		})
	}
	targets := s.Graph.Callees(call).Funcs
	for _, target := range targets {
		switch s.doneness(target) {
		case always:
			s.sure = true
			return true
		case sometimes:
			s.partial = target
			if _, ok := call.(*ssa.Defer); ok {
				s.sure = true // it decides about that itself, at the end
			}
			return true
		}
	}
	if len(targets) > 0 {
		return false
	}
	// Somebody who is not known has the queue and gets the item.
	if !slices.ContainsFunc(operands, s.w.Items.Has) || !s.Queues.Escapes(s.w.Queue) {
		return false
	}
	callee := kubeapi.Callee(common)
	return callee == nil || callee.Pkg() != nil && s.Graph.SameModule(callee.Pkg()) && s.Queues.Of(callee) == nil || isAbstract(callee)
}

// isAbstract reports whether a function is a method of an interface.
func isAbstract(fn *types.Func) bool {
	recv := fn.Signature().Recv()
	return recv != nil && types.IsInterface(recv.Type())
}

// elsewhere reports whether the worker gives items back at another place than
// the function that does so on some of its ways only: what that one returns may
// tell the worker whether it has to.
func (s *doneSearch) elsewhere() bool {
	sites := 0
	var count func(fn *ssa.Function)
	count = func(fn *ssa.Function) {
		for instr := range blocks.Instrs(fn) {
			if s.isDone(instr) {
				sites++
			}
			if call, ok := instr.(ssa.CallInstruction); ok && slices.ContainsFunc(s.Graph.Callees(call).Funcs, s.gaveIn) {
				sites++
			}
		}
		for _, literal := range fn.AnonFuncs {
			if literal != s.partial {
				count(literal)
			}
		}
	}
	count(paths.Outermost(s.w.Get.Parent()))
	return sites > 1
}

// isDone reports whether an instruction is a Done of the queue.
func (s *doneSearch) isDone(instr ssa.Instruction) bool {
	return slices.ContainsFunc(s.Queues.At(instr), func(op *queues.Op) bool {
		return op.Verb == kubeapi.QueueDone && s.Queues.MayBeSame(op.Queue, s.w.Queue)
	})
}

type doneness uint8

const (
	never doneness = iota
	sometimes
	always
)

// doneness tells whether a function gives the item back.
func (s *doneSearch) doneness(fn *ssa.Function) doneness {
	if s.seen[fn] || len(s.seen) > 200 || !s.gaveIn(fn) {
		return never
	}
	s.seen[fn] = true
	defer delete(s.seen, fn)
	g := s.Flows.Of(fn)
	inner := &doneSearch{checker: s.checker, w: s.w, seen: s.seen}
	if _, found := g.Search(nil, 0, nil, inner.visit(g)); found {
		if inner.wrong != nil && s.wrong == nil {
			s.wrong = inner.wrong
		}
		return sometimes
	}
	return always
}

// gaveIn reports whether a function, or one that it calls, has a Done of the
// queue.
func (s *doneSearch) gaveIn(fn *ssa.Function) bool {
	seen := make(map[*ssa.Function]bool)
	var has func(fn *ssa.Function) bool
	has = func(fn *ssa.Function) bool {
		if seen[fn] || len(seen) > 300 {
			return false
		}
		seen[fn] = true
		for instr := range blocks.Instrs(fn) {
			if s.isDone(instr) {
				return true
			}
			switch instr := instr.(type) {
			case *ssa.MakeClosure:
				if has(instr.Fn.(*ssa.Function)) {
					return true
				}
			case ssa.CallInstruction:
				if slices.ContainsFunc(s.Graph.Callees(instr).Funcs, has) {
					return true
				}
			}
		}
		return false
	}
	return has(fn)
}

func (c *checker) reportDone(w *subject.Worker, path paths.Path, wrong ssa.Instruction) {
	pos, end := syntax.Span(c.Pass.Files, w.Get)
	get, queue := subject.Method(w.Get), c.QueueOf(w)
	last := path[len(path)-1]
	var related []analysis.RelatedInformation
	what, remedy := "ends without Done", fmt.Sprintf("defer it right after %s", get)
	switch {
	case last.Instr == w.Get:
		what, remedy = "goes on to the next Get without Done", "call Done in each round"
	case last.Instr.Pos().IsValid():
		what = fmt.Sprintf("returns in line %d without Done", c.Line(last.Instr.Pos()))
		related = append(related, analysis.RelatedInformation{Pos: last.Instr.Pos(), Message: "the item is not given back here"})
	}
	if wrong == nil {
		for _, h := range w.Items.Calls[:min(len(w.Items.Calls), 3)] {
			related = append(related, analysis.RelatedInformation{Pos: h.Target.Pos(), Message: "the item is worked on here"})
		}
	}
	message := fmt.Sprintf("items of %s are never processed again: %s %s; %s", queue, syntax.FuncName(last.Instr.Parent()), what, remedy)
	if wrong != nil {
		related = append(related, analysis.RelatedInformation{Pos: wrong.Pos(), Message: "Done of a part of the item"})
		message = fmt.Sprintf("items of %s are never processed again: line %d calls Done with a part of the item, which the queue does not know; pass the item", queue, c.Line(wrong.Pos()))
	}
	c.Report.Report(rule.Finding{Pos: pos, End: end, Category: subject.NoDone, Message: message, Related: related})
}
