// Package syncs tells where a package waits for informers to fill their
// caches, what ends such a wait, and what uses the caches: reads of listers and
// stores, and workers that are started.
//
// It reports nothing. Analyzers ask Syncs.
package syncs

import (
	"cmp"
	"fmt"
	"go/types"
	"reflect"
	"slices"
	"time"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/facts"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/passes/waits"
)

// Analyzer finds waits for caches and their uses; its result is an *[Syncs].
var Analyzer = &analysis.Analyzer{
	Name:       "opvetsyncs",
	Doc:        "find where caches are waited for",
	Requires:   []*analysis.Analyzer{calls.Analyzer, contexts.Analyzer, entrypoints.Analyzer, waits.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[*Syncs](),
	FactTypes:  []analysis.Fact{new(Summary)},
}

// Summary is the fact on a function of the user's modules that waits for caches,
// or works off a queue, before it returns.
type Summary struct {
	// Waits is the place of a wait without a limit of its own,
	// "cluster/informers.go:178"; empty if there is none.
	Waits string
	// Until is 1 + the operand (the receiver counted) that ends the wait; 0 if
	// none does.
	Until int
	// Endless tells that nothing ends it but the process.
	Endless bool
	// Synced tells that it waits for caches at all, or asks whether they are
	// filled.
	Synced bool
	// Answers tells that its result is the answer of a wait; Ends is 1 + the
	// operand that ends that, and Timed tells that it has a timeout.
	Answers bool
	Ends    int
	Timed   bool
	// Drops is the place of a wait whose answer it drops, so that its caller
	// cannot know of a failure; Ends and Timed are about that wait then.
	Drops string
	// Works tells that it takes items off a workqueue.
	Works bool
	// Reads is 1 + the operand that is a lister, or a store, from which it reads; 0
	// if there is none.
	Reads int

	dropped *Wait
}

// AFact marks a fact on a function.
func (*Summary) AFact() {}

// String leaves out what is not told to other packages.
func (f *Summary) String() string {
	return fmt.Sprintf("synced(waits %q until %d, works %v)", f.Waits, f.Until, f.Works)
}

// IsZero reports whether nothing is known.
func (f *Summary) IsZero() bool { return *f == Summary{} }

// Limit tells what ends a wait whose caches are never filled.
type Limit uint8

const (
	// Stop is a stop channel or context that ends when something else does:
	// the process, a request.
	Stop Limit = iota
	// Timed is a timeout of the wait's own.
	Timed
	// Never is a channel that nobody closes.
	Never
)

// Wait is a call that waits for caches.
type Wait struct {
	Call *ssa.Call
	// Op is what is waited for; its Verb is NoInformerVerb for a function of
	// another package that waits.
	Op kubeapi.InformerOp
	// Elsewhere is the place of the wait, if it is in another package.
	Elsewhere string
	// Dropped is the wait itself, if Call is that of a function of this package
	// which drops its answer.
	Dropped *Wait
	// Until is what ends it; nil if that cannot be seen.
	Until ssa.Value
	Limit Limit
	// After is the timeout, if it is known.
	After time.Duration
	// Request tells that it ends with a request.
	Request bool
	// Lasting tells that what ends it surely comes from outside: a parameter, a
	// field, a variable, and nothing on the way that ends sooner.
	Lasting bool
}

// Syncs answers for one package.
type Syncs struct {
	Waits []*Wait // in source order
	// Wrapped are the calls of functions that hand on the answer of a wait.
	Wrapped []*Wait
	Graph   *calls.Graph
	Entries *entrypoints.Result
	Pauses  *waits.Waits
	// Asks tells that the package waits for caches somewhere, or asks or lets
	// others ask whether they are filled.
	Asks bool
	// HandsOut tells that informers of the package are handed to others, who
	// may wait for them.
	HandsOut bool

	pass  *analysis.Pass
	ctxs  *contexts.Sources
	sums  *facts.Table[Summary, *Summary]
	waits map[*ssa.Function][]*Wait
}

func run(pass *analysis.Pass) (any, error) {
	i := &Syncs{
		Graph: pass.ResultOf[calls.Analyzer].(*calls.Graph), Entries: pass.ResultOf[entrypoints.Analyzer].(*entrypoints.Result),
		Pauses: pass.ResultOf[waits.Analyzer].(*waits.Waits),
		pass:   pass, ctxs: pass.ResultOf[contexts.Analyzer].(*contexts.Sources),
		waits: make(map[*ssa.Function][]*Wait),
	}
	if i.Graph.Pkg == nil {
		return i, nil
	}
	i.sums = facts.New[Summary](pass, i.Graph)
	for _, fn := range i.Graph.Funcs {
		i.collect(fn)
	}
	for _, fn := range i.Graph.BottomUp() {
		i.summarise(fn)
	}
	for _, fn := range i.Graph.Funcs {
		i.wrapped(fn)
	}
	i.sums.Export()
	return i, nil
}

// collect notes the waits of a function, and whatever else concerns the
// package as a whole.
func (i *Syncs) collect(fn *ssa.Function) {
	var operands blocks.Operands
	for instr := range blocks.Instrs(fn) {
		for _, operand := range operands.Of(instr) {
			if operand != nil && asksBound(*operand) {
				i.Asks = true
			}
		}
		call, ok := instr.(ssa.CallInstruction)
		if !ok {
			continue
		}
		op, isOp := kubeapi.InformerOpOf(call)
		switch {
		case isOp && op.Verb == kubeapi.WaitForSync:
			i.Asks = true
			if c, ok := call.(*ssa.Call); ok {
				i.add(fn, &Wait{Call: c, Op: op, Until: op.Until})
			}
		case isOp && (op.Verb == kubeapi.HasSynced || op.Waits):
			i.Asks = true
		case !isOp:
			i.other(fn, call)
		}
	}
}

// asksBound reports whether v is the method value x.HasSynced.
func asksBound(v ssa.Value) bool {
	var fn *ssa.Function
	switch v := v.(type) {
	case *ssa.MakeClosure:
		fn = v.Fn.(*ssa.Function)
	case *ssa.Function:
		fn = v
	}
	if fn == nil || fn.Synthetic == "" {
		return false
	}
	obj, ok := fn.Object().(*types.Func)
	return ok && obj.Name() == "HasSynced"
}

// other looks at a call of something else.
func (i *Syncs) other(fn *ssa.Function, call ssa.CallInstruction) {
	callee := kubeapi.Callee(call.Common())
	if callee == nil || callee.Pkg() == nil || callee.Pkg() == i.pass.Pkg {
		return
	}
	if callee.Name() == "HasSynced" || callee.Name() == "WaitForCacheSync" {
		i.Asks = true
	}
	if fact := i.factOf(callee); fact != nil && fact.Synced {
		i.Asks = true
		if c, ok := call.(*ssa.Call); ok && fact.Waits != "" {
			w := &Wait{Call: c, Elsewhere: fact.Waits}
			if fact.Endless {
				w.Limit = Never
			}
			if operands := kubeapi.Operands(call.Common()); fact.Until > 0 && fact.Until <= len(operands) {
				w.Until = operands[fact.Until-1]
			}
			i.add(fn, w)
		}
	}
	_, args := kubeapi.Args(call.Common())
	i.HandsOut = i.HandsOut || slices.ContainsFunc(args, func(arg ssa.Value) bool { return IsInformers(arg.Type()) })
}

// IsInformers reports whether who has a t can wait for its cache.
func IsInformers(t types.Type) bool {
	return kubeapi.IsInformer(t) || kubeapi.IsInformerFactory(t) || kubeapi.HasMethod(t, "Informer")
}

// factOf is the fact on a function of another package.
func (i *Syncs) factOf(fn *types.Func) *Summary {
	if fn.Pkg() == i.pass.Pkg {
		return nil
	}
	return i.sums.OfObject(fn)
}

func (i *Syncs) add(fn *ssa.Function, w *Wait) {
	i.limit(w)
	i.Waits = append(i.Waits, w)
	i.waits[fn] = append(i.waits[fn], w)
}

// limit finds out what ends a wait.
func (i *Syncs) limit(w *Wait) {
	if w.Until == nil {
		w.Lasting = true // the function's own, which has been looked at there
		return
	}
	if calls.IsNil(w.Until) {
		w.Limit = Never
		return
	}
	never, timed := true, false
	w.Lasting = true
	for _, o := range i.ctxs.Origins(w.Until) {
		switch o.Kind {
		case contexts.Param, contexts.Field, contexts.Global, contexts.Detached:
			w.Lasting = w.Lasting && !ends(o)
		default:
			w.Lasting = false
		}
		if o.Kind != contexts.Detached || ends(o) {
			never = false
		}
		if o.Kind == contexts.Request {
			w.Request = true
		}
		timed = timed || o.Kind == contexts.Field && i.keepsTimed(o.Field)
		for _, step := range o.Steps {
			if step.Kind == contexts.Timeout {
				timed = true
				if step.Known {
					w.After = step.After
				}
			}
		}
	}
	switch {
	case timed:
		w.Limit = Timed
	case never:
		w.Limit = Never
	}
}

// keepsTimed reports whether the contexts that are stored into a field all have
// a time limit.
func (i *Syncs) keepsTimed(field *types.Var) bool {
	origins, _ := i.ctxs.FieldOrigins(field)
	return len(origins) > 0 && !slices.ContainsFunc(origins, func(o contexts.Origin) bool { return !o.Derived(contexts.Timeout) })
}

// ends reports whether something on the way from a detached context can end
// it: a cancel function that is used for more than to clean up, by defer.
func ends(o contexts.Origin) bool {
	return slices.ContainsFunc(o.Steps, func(step contexts.Step) bool {
		return step.Kind == contexts.Cancel && (!step.ByCancel() || step.Cancel == nil || step.Cancel.Referrers() == nil || blocks.AnyUse(step.Cancel, func(ref ssa.Instruction) bool {
			switch ref.(type) {
			case *ssa.Defer, *ssa.DebugRef:
				return false
			}
			return true
		}))
	})
}

// summarise finds out whether a function waits for caches or works off a queue
// before it returns.
func (i *Syncs) summarise(fn *ssa.Function) {
	sum := i.sums.Note(fn)
	for _, w := range i.waits[fn] {
		sum.Synced = true
		if w.Op.Cache || w.Limit == Timed || w.Limit == Stop && !w.Lasting || sum.Waits != "" {
			continue
		}
		sum.Waits = cmp.Or(w.Elsewhere, syntax.Place(i.pass.Fset, w.Call.Pos()))
		sum.Until, sum.Endless = i.parameter(fn, w.Until), w.Limit == Never
	}
	for call := range blocks.InstrsOf[*ssa.Call](fn) {
		if use, ok := i.reads(call); ok && sum.Reads == 0 && !i.Pauses.Listens(fn) {
			sum.Reads = 1 + slices.IndexFunc(fn.Params, func(p *ssa.Parameter) bool { return use.Lister == ssa.Value(p) })
		}
		callee := kubeapi.Callee(call.Common())
		if callee == nil {
			continue
		}
		if kubeapi.IsQueueGet(callee) {
			sum.Works = true
		}
		if op, ok := kubeapi.InformerOpOf(call); ok && (op.Verb == kubeapi.HasSynced || op.Waits) {
			sum.Synced = true
		}
		if fact := i.factOf(callee); fact != nil {
			sum.Works = sum.Works || fact.Works
			sum.Synced = sum.Synced || fact.Synced
		}
	}
	i.answers(fn, sum)
	i.drops(fn, sum)
	for _, edge := range i.Entries.Edges(fn) {
		inner := i.sums.Of(edge.Callee)
		if edge.How == entrypoints.Started || inner == nil {
			continue
		}
		sum.Works = sum.Works || inner.Works
		sum.Synced = sum.Synced || inner.Synced
		if inner.Waits == "" || sum.Waits != "" {
			continue
		}
		w := &Wait{Lasting: true}
		if operands := kubeapi.Operands(edge.Site.Common()); inner.Until > 0 && inner.Until <= len(operands) && edge.How == entrypoints.Called {
			w.Until = operands[inner.Until-1]
			i.limit(w)
		}
		if w.Limit == Never || w.Limit == Stop && w.Lasting {
			sum.Waits, sum.Until = inner.Waits, i.parameter(fn, w.Until)
		}
	}
}

// answers notes that a function returns the answer of a wait, or false, and
// nothing else.
func (i *Syncs) answers(fn *ssa.Function, sum *Summary) {
	results := fn.Signature.Results()
	if results.Len() != 1 || !kubeapi.IsBool(results.At(0).Type()) {
		return
	}
	for ret := range blocks.Returns(fn) {
		if answer, isConst := kubeapi.ConstBool(ret.Results[0]); isConst && !answer {
			continue
		}
		var w *Wait
		if call, ok := ret.Results[0].(*ssa.Call); ok {
			w = i.answered(call)
		}
		if w == nil || w.Elsewhere != "" {
			sum.Answers = false
			return
		}
		sum.Answers, sum.Timed, sum.Ends = true, w.Limit == Timed, i.parameter(fn, w.Until)
	}
}

// drops notes that a function waits and drops the answer.
func (i *Syncs) drops(fn *ssa.Function, sum *Summary) {
	for _, w := range i.waits[fn] {
		if sum.Drops == "" && w.Answers() && w.Limit != Never && !w.Request && calls.Unused(w.Call) {
			sum.Drops, sum.dropped = syntax.Place(i.pass.Fset, w.Call.Pos()), w
			sum.Timed, sum.Ends = w.Limit == Timed, i.parameter(fn, w.Until)
		}
	}
}

// Answers reports whether a wait says if the caches were filled.
func (w *Wait) Answers() bool { return w.Op.Verb == kubeapi.WaitForSync && !w.Op.Cache }

// answered returns the wait whose answer a call returns, or drops; nil if there is
// none.
func (i *Syncs) answered(call *ssa.Call) *Wait {
	for _, w := range i.waits[call.Parent()] {
		if w.Call == call && w.Answers() {
			return w
		}
	}
	if inner, ok := i.Graph.Returned(call).(*ssa.Call); ok {
		w := i.answered(inner)
		if w == nil {
			return nil
		}
		outer := *w
		outer.Call = call
		return &outer
	}
	var sum *Summary
	if targets := i.Graph.Callees(call); len(targets.Funcs) == 1 {
		sum = i.sums.Of(targets.Funcs[0])
	} else if callee := kubeapi.Callee(call.Common()); callee != nil {
		sum = i.factOf(callee)
	}
	if sum == nil || !sum.Answers && sum.Drops == "" {
		return nil
	}
	w := &Wait{Call: call, Op: kubeapi.InformerOp{Verb: kubeapi.WaitForSync}}
	if !sum.Answers {
		w.Elsewhere = sum.Drops
		if sum.dropped != nil && sum.dropped.Call.Parent().Pkg == call.Parent().Pkg {
			w.Dropped = sum.dropped // of a fact, not all drivers have it
		}
	}
	if operands := kubeapi.Operands(call.Common()); sum.Ends > 0 && sum.Ends <= len(operands) {
		w.Until = operands[sum.Ends-1]
		i.limit(w)
	} else if w.Dropped != nil && w.Dropped.Call.Parent().Parent() == call.Parent() {
		w.Until = w.Dropped.Until // a literal's, which it captures
		i.limit(w)
	}
	if sum.Timed {
		w.Limit = Timed
	}
	return w
}

// wrapped collects the calls of functions that hand on a wait's answer, or drop it.
func (i *Syncs) wrapped(fn *ssa.Function) {
	for call := range blocks.InstrsOf[*ssa.Call](fn) {
		if !kubeapi.IsBool(call.Type()) && call.Call.Signature().Results().Len() > 0 {
			continue
		}
		if _, isOp := kubeapi.InformerOpOf(call); isOp {
			continue
		}
		if w := i.answered(call); w != nil && (kubeapi.IsBool(call.Type()) == (w.Elsewhere == "")) {
			i.Wrapped = append(i.Wrapped, w)
		}
	}
}

// parameter returns 1 + the number of the parameter of fn that ends a wait, or
// 0.
func (i *Syncs) parameter(fn *ssa.Function, until ssa.Value) int {
	if until == nil {
		return 0
	}
	for _, o := range i.ctxs.Origins(until) {
		if p, ok := o.Root.(*ssa.Parameter); ok && o.Kind == contexts.Param && p.Parent() == fn {
			return 1 + slices.Index(fn.Params, p)
		}
	}
	return 0
}

// Func returns what is known of a function of this package.
func (i *Syncs) Func(fn *ssa.Function) Summary {
	if sum := i.sums.Of(fn); sum != nil {
		return *sum
	}
	return Summary{}
}

// Same reports whether two stop channels or contexts surely end together.
func (i *Syncs) Same(a, b ssa.Value) bool {
	return a != nil && b != nil && i.ctxs.EndsWith(a, b) && i.ctxs.EndsWith(b, a)
}

// CanStop reports whether a context or stop channel is at hand in a function.
func (i *Syncs) CanStop(fn *ssa.Function) bool { return len(i.Pauses.AtHand(fn)) > 0 }

// Bounded reports whether what ends a wait in the last function of a path is a
// timeout that a caller on the path has set.
func (i *Syncs) Bounded(w *Wait, path *entrypoints.Path) bool {
	until := w.Until
	for ; path.Prev != nil && until != nil; path = path.Prev {
		n := i.parameter(path.Fn, until)
		if n == 0 && path.Fn.Parent() == path.Prev.Fn {
			continue // a literal has its function's
		}
		operands := kubeapi.Operands(path.Edge.Site.Common())
		if n == 0 || n > len(operands) || path.Edge.How != entrypoints.Called {
			return false
		}
		until = operands[n-1]
		outer := &Wait{Until: until}
		if i.limit(outer); outer.Limit == Timed || outer.Limit == Stop && !outer.Lasting {
			return true
		}
	}
	return false
}
