package openwatches

import (
	"fmt"
	"go/token"
	"maps"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/ctxdone/internal/subject"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
	"github.com/opvet/opvet/internal/report/rule"
)

// unstopped reports a watch that its function leaves open on some way out.
func (w *openWatch) unstopped() {
	until, sure := w.livesUntil()
	if until == "" || len(w.events) == 0 || w.Once(w.call.Parent()) && !w.Report.Strict() {
		return
	}
	// What a function leaves open when it leaves a loop is one watch; where nothing calls it
	// again and again, each round has to leave one.
	inLoop, again := blocks.Repeats(w.call.Block()), w.perCall()
	if !sure && !inLoop && !again && !w.Report.Strict() {
		return
	}
	exit := w.leftOpen(inLoop && !again && !w.Report.Strict())
	if exit == nil {
		return
	}
	remedy := "stop it in a defer"
	how := fmt.Sprintf("when %s returns (%s)", subject.FuncName(w.call.Parent()), w.LineFrom(exit.Pos(), w.call.Pos()))
	var harm rule.Harm
	if exit == w.call { // mostly since the server has ended the one before
		how, remedy, harm = "when the loop opens the next one", "stop it before", rule.Hygiene
	}
	w.Report.Report(rule.Finding{
		Pos: w.call.Pos(), Category: "watch", Harm: harm,
		Message: fmt.Sprintf("the watch stays open %s, with its connection and goroutine, until %s; %s", how, until, remedy),
		Related: append([]analysis.RelatedInformation{{Pos: exit.Pos(), Message: "the watch is left open here"}}, w.RelatedTo(w.call.Parent())...),
	})
}

// livesUntil says what ends the watch if nobody stops it, or nothing if its
// function sees to that. sure is false where this may well be soon.
func (w *openWatch) livesUntil() (until string, sure bool) {
	for _, origin := range w.Contexts.Origins(w.ctx) {
		if origin.Derived(contexts.Cancel) || origin.Derived(contexts.Timeout) {
			return "", false
		}
		switch origin.Kind {
		case contexts.Detached, contexts.Severed:
			return "the process ends", true
		case contexts.Param, contexts.Field, contexts.Global:
		default:
			return "", false
		}
	}
	return "the context ends", false
}

// perCall reports whether the function that opens the watch is called for each event or item.
func (w *openWatch) perCall() bool { return w.ReachedBy(w.call.Parent(), subject.Again...) != nil }

// leftOpen returns where the watch is left open: a return that is reached
// although it was neither stopped nor closed by the server, or the call itself
// if it comes around again. With each, only that.
func (w *openWatch) leftOpen(each bool) ssa.Instruction {
	graph := paths.NewGraph(w.call.Parent(), w.Graph, nil)
	over := w.closedConditions()
	maps.Copy(over, w.doneConditions())
	maps.Copy(over, w.errorConditions())
	maps.Copy(over, w.nilConditions())
	assume := unknown(over)
	if w.err != nil {
		assume[w.err] = paths.False
	}
	var from ssa.Instruction = w.call
	if extract, ok := w.err.(*ssa.Extract); ok {
		from = extract // what is assumed of it holds from there on
	}
	for _, start := range graph.At(from) {
		path, ok := graph.Search(start, 0, assume, func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
			switch {
			case isOver(over, known), w.stopsAt(n), w.closedIn(n, over, 0):
				return stage, paths.Prune
			case graph.IsExit(n) && each:
				return stage, paths.Prune
			case graph.IsExit(n), n.Instr == w.call && n.Joins == nil:
				return stage, paths.Found
			}
			return stage, paths.Continue
		})
		if ok {
			return path[len(path)-1].Instr
		}
	}
	return nil
}

// unknown is what a search has to watch that asks for conditions.
func unknown(conditions map[ssa.Value]paths.Truth) map[ssa.Value]paths.Truth {
	assume := make(map[ssa.Value]paths.Truth)
	for cond := range conditions {
		assume[cond] = paths.Unknown
	}
	return assume
}

// isOver reports whether one of the conditions is known that tell that the watch has
// ended.
func isOver(over map[ssa.Value]paths.Truth, known paths.Known) bool {
	for cond, truth := range over {
		if known.Of(cond) == truth {
			return true
		}
	}
	return false
}

// closedIn reports whether a node calls a function that receives the events and does
// not return before the watch has ended, itself or in a function that it calls.
func (w *openWatch) closedIn(n *paths.Node, over map[ssa.Value]paths.Truth, depth int) bool {
	call, waits := n.Call().(*ssa.Call)
	if !waits || depth > maxFollow {
		return false
	}
	targets := w.Graph.Callees(call).Funcs
	if len(targets) != 1 || len(targets[0].Blocks) == 0 || !w.handed[targets[0]] {
		return false
	}
	graph := paths.NewGraph(targets[0], w.Graph, nil)
	_, left := graph.Search(nil, 0, unknown(over), func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
		switch {
		case isOver(over, known), w.stopsAt(n), w.closedIn(n, over, depth+1):
			return stage, paths.Prune
		case graph.IsExit(n):
			return stage, paths.Found
		}
		return stage, paths.Continue
	})
	return !left
}

// stopsAt reports whether a node stops the watch, itself or in what it calls.
func (w *openWatch) stopsAt(n *paths.Node) bool {
	if _, deferred := n.Instr.(*ssa.Defer); deferred && !n.Deferred {
		return false
	}
	if slices.Contains(w.stops, n.Instr) {
		return true
	}
	call := n.Call()
	if call == nil {
		return false
	}
	return slices.ContainsFunc(w.Graph.Callees(call).Funcs, func(target *ssa.Function) bool { return w.stopsIn(target, 0) })
}

// stopsIn reports whether a function stops the watch, or one that it hands the watch to.
func (w *openWatch) stopsIn(fn *ssa.Function, depth int) bool {
	if slices.ContainsFunc(w.stops, func(stop ssa.Instruction) bool { return stop.Parent() == fn }) {
		return true
	}
	if !w.handed[fn] || depth > maxFollow {
		return false
	}
	return blocks.Any(fn, func(instr ssa.Instruction) bool {
		call, ok := instr.(ssa.CallInstruction)
		return ok &&
			slices.ContainsFunc(w.Graph.Callees(call).Funcs, func(target *ssa.Function) bool { return w.handed[target] && w.stopsIn(target, depth+1) })
	})
}

// nilConditions are the variables that are asked for a watch: one that has none holds no
// open one, since it was stopped or never opened.
func (w *openWatch) nilConditions() map[ssa.Value]paths.Truth {
	found := make(map[ssa.Value]paths.Truth)
	for _, compare := range w.compared {
		for _, v := range []ssa.Value{compare.X, compare.Y} {
			if _, isConst := v.(*ssa.Const); !isConst {
				found[v] = paths.False
			}
		}
	}
	return found
}

// doneConditions are the conditions which tell that the context of the watch
// has ended, and the watch with it, with the truth that says so.
func (w *openWatch) doneConditions() map[ssa.Value]paths.Truth {
	found := make(map[ssa.Value]paths.Truth)
	for branch := range blocks.InstrsOf[*ssa.If](w.call.Parent()) {
		if sel, state := loops.SelectCase(branch.Cond); sel != nil && state != nil {
			if ctx := kubeapi.DoneOf(state.Chan); ctx != nil && w.Contexts.EndsWith(w.ctx, ctx) {
				found[branch.Cond] = paths.True
			}
		}
		compare, ok := branch.Cond.(*ssa.BinOp)
		if !ok {
			continue
		}
		for _, v := range []ssa.Value{compare.X, compare.Y} {
			if ctx := loops.ErrOf(v); ctx != nil && w.Contexts.EndsWith(w.ctx, ctx) {
				found[v] = paths.True // an error, not nil
			}
		}
	}
	return found
}

// errorConditions are the conditions which tell that the event is an error: it is the last
// one, after which the server closes the stream.
func (w *openWatch) errorConditions() map[ssa.Value]paths.Truth {
	found := make(map[ssa.Value]paths.Truth)
	fns := slices.Collect(maps.Keys(w.handed))
	// A literal may open it, and another one receive.
	inner := []*ssa.Function{paths.Outermost(w.call.Parent())}
	for len(inner) > 0 {
		fns, inner = append(fns, inner[0]), append(inner[1:], inner[0].AnonFuncs...)
	}
	for _, fn := range fns {
		for compare := range blocks.InstrsOf[*ssa.BinOp](fn) {
			if !isErrorEvent(compare.X) && !isErrorEvent(compare.Y) {
				continue
			}
			switch compare.Op {
			case token.EQL:
				found[compare] = paths.True
			case token.NEQ:
				found[compare] = paths.False
			}
		}
	}
	return found
}

// isErrorEvent recognises watch.Error.
func isErrorEvent(v ssa.Value) bool {
	kind, known := kubeapi.ConstString(v)
	return known && kind == "ERROR" && kubeapi.IsNamed(v.Type(), "k8s.io/apimachinery/pkg/watch", "EventType")
}

// closedConditions are the conditions that are false when the server has
// closed the watch.
func (w *openWatch) closedConditions() map[ssa.Value]paths.Truth {
	found := make(map[ssa.Value]paths.Truth)
	for _, events := range w.events {
		value, ok := events.(*ssa.Call)
		if !ok {
			continue
		}
		for ref := range blocks.Uses(value) {
			var received ssa.Value
			switch ref := ref.(type) {
			case *ssa.UnOp:
				received = ref // only one with a comma and ok is a tuple
			case *ssa.Select:
				received = ref
			default:
				continue
			}
			for _, open := range values.Extracted(received, 1) {
				found[open] = paths.False
			}
		}
	}
	return found
}
