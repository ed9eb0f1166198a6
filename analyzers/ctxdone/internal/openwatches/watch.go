// Package openwatches finds watches that outlive their context, or are never stopped.
package openwatches

import (
	"fmt"
	"go/token"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/ctxdone/internal/subject"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
	"github.com/opvet/opvet/internal/report/rule"
)

// unit is what this package asks about.
type unit struct{ *subject.Unit }

// Report reports watches that nothing ends.
func Report(in *subject.Unit) {
	u := &unit{in}
	for _, fn := range u.Graph.Funcs {
		for call := range blocks.InstrsOf[*ssa.Call](fn) {
			if w := u.openWatch(call); w != nil && !w.detached() {
				w.unstopped()
			}
		}
	}
}

// openWatch returns the watch that a call opens, if all that becomes of it is
// known.
func (u *unit) openWatch(call *ssa.Call) *openWatch {
	opener, ctx := u.opener(call, 0)
	watcher, err, _, ok := kubeapi.WatchOf(call)
	if opener == nil || ctx == nil || !ok {
		return nil
	}
	w := &openWatch{unit: u, call: call, opener: opener, err: err, ctx: ctx, handed: make(map[*ssa.Function]bool)}
	w.follow(watcher)
	if w.escapes {
		return nil
	}
	return w
}

// opener returns the call that opens the watch which a call returns, itself or in
// functions of the package that do nothing else with it, and the context of the
// watch. Functions of the module's other packages are taken at their word.
func (u *unit) opener(call *ssa.Call, depth int) (opener *ssa.Call, ctx ssa.Value) {
	_, _, ctx, ok := kubeapi.WatchOf(call)
	if !ok || depth > maxFollow {
		return nil, nil
	}
	targets := u.Graph.Callees(call).Funcs
	switch callee := kubeapi.Callee(call.Common()); {
	case len(targets) == 0 && (kubeapi.IsWatchStart(callee) || callee != nil && callee.Pkg() != nil && u.Graph.SameModule(callee.Pkg())):
		return call, ctx
	case len(targets) != 1:
		return nil, nil
	}
	for ret := range blocks.Returns(targets[0]) {
		v := kubeapi.Converted(ret.Results[0])
		if v == nil {
			v = ret.Results[0]
		}
		if calls.IsNil(v) {
			continue
		}
		inner, index := calls.CallOf(v)
		if inner == nil || index != 0 || opener != nil {
			return nil, nil
		}
		if opener, ctx = u.opener(inner, depth+1); opener == nil {
			return nil, nil
		}
	}
	if param, ok := ctx.(*ssa.Parameter); ok && param.Parent() == targets[0] {
		ctx = calls.ArgumentOf(call, param)
	}
	return opener, ctx
}

// openWatch is a watch and what its function does with it.
type openWatch struct {
	*unit
	call     *ssa.Call
	opener   *ssa.Call // where that opens it, if it is another function's call
	err, ctx ssa.Value

	// events are the calls that hand out its events, stops those that end
	// it.
	events   []ssa.CallInstruction
	stops    []ssa.Instruction
	escapes  bool                   // somebody else may end it
	compared []*ssa.BinOp           // the comparisons with nil
	handed   map[*ssa.Function]bool // the functions that get it
}

const maxFollow = 12

// follow finds what is done with the watch that v is.
func (w *openWatch) follow(v ssa.Value) {
	of := values.Relation{Calls: w.Graph, Steps: values.Converted | values.Merged | values.Held, Onward: w.handOver}
	for v, use := range of.Uses(v) {
		switch use := use.(type) {
		case ssa.CallInstruction:
			w.use(v, use)
		case *ssa.MakeClosure: // the method value of Stop
			w.stops = append(w.stops, use)
		case *ssa.BinOp:
			w.compared = append(w.compared, use)
		default:
			w.escapes = true
		}
	}
}

// handOver returns what the functions of the package call a watch that they get.
func (w *openWatch) handOver(v ssa.Value, use ssa.Instruction) []ssa.Value {
	call, ok := use.(*ssa.Call)
	if !ok {
		return nil
	}
	_, args := kubeapi.Args(call.Common())
	var params []ssa.Value
	for _, target := range w.Graph.Callees(call).Funcs {
		for n, arg := range args {
			if at := len(target.Params) - len(args) + n; arg == v && at >= 0 {
				w.handed[target] = true
				params = append(params, target.Params[at])
			}
		}
	}
	return params
}

// use looks at a call of the watch's methods, or with the watch as an argument of what is
// not known.
func (w *openWatch) use(v ssa.Value, call ssa.CallInstruction) {
	callee := kubeapi.Callee(call.Common())
	recv, _ := kubeapi.Args(call.Common())
	switch {
	case recv != v || callee == nil:
		w.escapes = true
	case kubeapi.IsResultChan(callee):
		w.addEvents(call, 0)
	case callee.Name() == "Stop":
		w.stops = append(w.stops, call)
	}
}

// addEvents notes a call that hands out the events, and those of the function that
// does nothing else.
func (w *openWatch) addEvents(call ssa.CallInstruction, depth int) {
	w.events = append(w.events, call)
	value, ok := call.(*ssa.Call)
	if !ok || depth > maxFollow || !calls.Returns(value.Parent(), value) {
		return
	}
	for _, site := range w.Graph.Callers(value.Parent()) {
		w.addEvents(site, depth+1)
	}
}

// detached reports a watch that is ranged over although nothing can end it.
func (w *openWatch) detached() (reported bool) {
	for _, origin := range w.Contexts.Origins(w.ctx) {
		if origin.Kind != contexts.Detached || origin.Derived(contexts.Cancel) || origin.Derived(contexts.Timeout) {
			return false
		}
	}
	if w.limited() || w.stoppedElsewhere() || w.Once(w.call.Parent()) && !w.Report.Strict() {
		return false
	}
	for _, events := range w.events {
		value, ok := events.(*ssa.Call)
		if !ok || !ranged(value) {
			continue
		}
		reported = true
		w.Report.Report(rule.Finding{
			Pos: events.Pos(), Category: "watch",
			Message: fmt.Sprintf("nothing ends this loop at shutdown: the watch has a context that is never cancelled (%s); hand a context to %s and Watch",
				w.LineFrom(w.call.Pos(), events.Pos()), subject.FuncName(w.call.Parent())),
			Harm:    w.loopHarm(),
			Related: append([]analysis.RelatedInformation{{Pos: w.call.Pos(), Message: "the watch is opened here"}}, w.RelatedTo(w.call.Parent())...),
		})
	}
	return reported
}

// loopHarm is what a loop over events does that nothing ends: it holds a worker or
// a handler, is left behind each time, or goes on until the process ends, which ends
// it, too.
func (w *openWatch) loopHarm() rule.Harm {
	switch path := w.ReachedBy(w.call.Parent()); {
	case path != nil && subject.HoldsUp(path) && !w.started():
		return rule.Stuck
	case w.perCall():
		return rule.Leak
	}
	return rule.Hygiene
}

// started reports whether the watch is opened in a literal that is a goroutine of its own.
func (w *openWatch) started() bool { return w.Graph.InGoroutine(w.call.Parent()) }

// ranged reports whether events are received from the channel in a loop and
// nothing else is waited for there.
func ranged(events *ssa.Call) bool {
	return blocks.AnyUse(events, func(recv *ssa.UnOp) bool { return recv.Op == token.ARROW && blocks.Repeats(recv.Block()) })
}

// stoppedElsewhere reports whether another thread of control ends the watch: a
// literal that is not deferred.
func (w *openWatch) stoppedElsewhere() bool {
	return slices.ContainsFunc(w.stops, func(stop ssa.Instruction) bool {
		fn := stop.Parent()
		if _, isValue := stop.(*ssa.MakeClosure); isValue {
			return true
		}
		if fn == w.call.Parent() || fn.Parent() == nil {
			return false
		}
		for _, call := range w.Graph.Callers(fn) {
			if _, deferred := call.(*ssa.Defer); !deferred {
				return true
			}
		}
		return len(w.Graph.Callers(fn)) == 0
	})
}

// limited reports whether the options of the watch bound how long it lasts.
func (w *openWatch) limited() bool {
	if !kubeapi.IsWatchStart(kubeapi.Callee(w.opener.Common())) {
		return true // that cannot be seen
	}
	for _, arg := range w.opener.Common().Args {
		load, ok := arg.(*ssa.UnOp)
		if !ok {
			continue
		}
		options, ok := load.X.(*ssa.Alloc)
		if ok && blocks.AnyUse(options, func(addr *ssa.FieldAddr) bool { return calls.FieldName(addr) == "TimeoutSeconds" }) {
			return true
		}
	}
	return false
}
