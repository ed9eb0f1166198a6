package workqueue

import (
	_ "embed"
	"fmt"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/workqueue/internal/queues"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/report/rule"
)

//go:embed doc.go
var doc string

const (
	noDone            = "no-done"
	hotRetry          = "hot-retry"
	noForget          = "no-forget"
	pointerKey        = "pointer-key"
	rateLimitedEvents = "rate-limited-events"
	noShutdown        = "no-shutdown"
	bypassed          = "bypassed"
	otherQueue        = "other-queue"
)

// Analyzer finds workqueues that are not used as they have to be.
var Analyzer = rule.New(rule.Spec{
	Name:      "workqueue",
	Summary:   "find workqueues whose items get lost, come back at once, or wait for nothing",
	DocSource: doc,
	Group:     "queues",
	Since:     "unreleased",
	Categories: []rule.Category{
		{Name: noDone, Summary: "an item is taken off the queue and never given back by Done", Harm: rule.Stuck, EndsWithProcess: true},
		{Name: hotRetry, Summary: "an item that has failed is added again at once", Harm: rule.Load, EndsWithProcess: true},
		{Name: noForget, Summary: "the rate limiter is never told to forget an item that succeeded", Harm: rule.Leak, EndsWithProcess: true},
		{Name: pointerKey, Summary: "pointers are added as keys, so that nothing is deduplicated", Harm: rule.Load, EndsWithProcess: true},
		{Name: rateLimitedEvents, Summary: "an event handler adds rate limited, as if each event were a failure", Harm: rule.Hygiene},
		{Name: noShutdown, Summary: "workers wait in Get forever, since nobody shuts the queue down", Harm: rule.Stuck, EndsWithProcess: true},
		{Name: bypassed, Summary: "an event handler calls the workers' function itself, past the queue", Harm: rule.Loss},
		{Name: otherQueue, Summary: "a worker tells another queue what has become of an item", Harm: rule.Stuck},
	},
	Requires:    []*analysis.Analyzer{calls.Analyzer, entrypoints.Analyzer, queues.Analyzer},
	ProductOnly: true,
	Run:         run,
})

type checker struct {
	pass    *analysis.Pass
	report  *rule.Reporter
	graph   *calls.Graph
	entries *entrypoints.Result
	queues  *queues.Queues
	flows   map[*ssa.Function]*paths.Graph
	reached map[*ssa.Function][]entrypoints.Edge // see edgesTo
	// workersOf are all workers; mistaken are the operations on another queue
	// that have been reported, which say why the own queue is not told.
	workersOf []*worker
	mistaken  []mistake
}

func run(pass *analysis.Pass, report *rule.Reporter) error {
	c := &checker{
		pass: pass, report: report,
		graph:   pass.ResultOf[calls.Analyzer].(*calls.Graph),
		entries: pass.ResultOf[entrypoints.Analyzer].(*entrypoints.Result),
		queues:  pass.ResultOf[queues.Analyzer].(*queues.Queues),
		flows:   make(map[*ssa.Function]*paths.Graph),
	}
	c.rateLimited()
	if len(c.queues.Ops) == 0 {
		return nil
	}
	c.workersOf = c.workers()
	for _, w := range c.workersOf {
		c.others(w)
		c.done(w)
		c.hot(w)
		c.bypasses(w)
	}
	c.forgets()
	c.pointers()
	c.shutdowns()
	return nil
}

// worker is a place where an item is taken off a queue.
type worker struct {
	get   *ssa.Call
	queue ssa.Value
	// shutdown is the result that tells that the queue is shut down, or nil.
	shutdown ssa.Value
	items    *items
	// empty are the values that are nil if there was no item, and asked the
	// comparisons that are true then.
	empty, asked []ssa.Value
}

// workers finds the places where items are taken off, except in types that are
// queues themselves and pass calls on.
func (c *checker) workers() []*worker {
	var found []*worker
	for _, op := range c.queues.Ops {
		get, ok := op.Instr.(*ssa.Call)
		if !ok || op.Verb != kubeapi.QueueGet || op.Helper != nil && !op.HandsOn || inQueue(get.Parent()) || !kubeapi.TellsShutdown(op.Queue.Type()) {
			continue
		}
		for _, get := range c.takers(get, 0) {
			found = append(found, c.worker(get, op.Queue))
		}
	}
	return found
}

func (c *checker) worker(get *ssa.Call, queue ssa.Value) *worker {
	w := &worker{get: get, queue: queue}
	last := get.Type().(*types.Tuple).Len() - 1
	var first []ssa.Value
	for _, ref := range *get.Referrers() {
		if part, ok := ref.(*ssa.Extract); ok {
			switch part.Index {
			case 0:
				first = append(append(first, part), c.graph.ReturnedAs(part)...)
			case last:
				w.shutdown = part
			}
		}
	}
	w.items = c.follow(first)
	w.empty, w.asked = absent(first)
	return w
}

// maxTakers bounds the functions that hand an item on to each other.
const maxTakers = 3

// takers returns the calls that take an item off a queue: the calls of its function,
// if that only hands on what Get returns.
func (c *checker) takers(get *ssa.Call, depth int) []*ssa.Call {
	fn := get.Parent()
	if depth > maxTakers || fn.Parent() != nil || !calls.Returns(fn, get) {
		return []*ssa.Call{get}
	}
	var found []*ssa.Call
	for _, site := range c.graph.Callers(fn) {
		call, ok := site.(*ssa.Call)
		if !ok {
			return []*ssa.Call{get}
		}
		found = append(found, c.takers(call, depth+1)...)
	}
	if len(found) == 0 {
		return []*ssa.Call{get}
	}
	return found
}

// inQueue reports whether fn is a method of a type that is a queue itself.
func inQueue(fn *ssa.Function) bool {
	for ; fn != nil; fn = fn.Parent() {
		if recv := fn.Signature.Recv(); recv != nil && kubeapi.IsQueue(recv.Type()) {
			return true
		}
	}
	return false
}

func (c *checker) flow(fn *ssa.Function) *paths.Graph {
	g := c.flows[fn]
	if g == nil {
		g = paths.NewGraph(fn, c.graph, nil)
		c.flows[fn] = g
	}
	return g
}

// called is the function that a call names, as the source has it.
func (c *checker) called(instr ssa.Instruction) string {
	if call, ok := instr.(ssa.CallInstruction); ok {
		if syntax := syntax.Call(c.pass.Files, call); syntax != nil {
			if text := types.ExprString(syntax.Fun); len(text) <= 50 {
				return text
			}
		}
		return entrypoints.CalleeName(call)
	}
	return "it"
}

// maxName is how long a queue's name may be in a message; those of one field
// are named by that if they are longer.
const maxName = 36

// queueName is the queue as the source has it: "c.queue".
func (c *checker) queueName(op *queues.Op) string {
	if call := op.Call(); call != nil && op.Helper == nil {
		text := c.called(call)
		if n := strings.LastIndexByte(text, '.'); n > 0 && n <= maxName {
			return text[:n]
		}
	}
	return c.queues.Name(op.Queue)
}

// queueOf is the queue of a worker as the source has it, if it does not take items
// off by a helper.
func (c *checker) queueOf(w *worker) string {
	for _, op := range c.queues.At(w.get) {
		if op.Verb == kubeapi.QueueGet {
			return c.queueName(op)
		}
	}
	return c.queues.Name(w.queue)
}

// method is the name of the method that takes an item off: "Get".
func method(get *ssa.Call) string { return entrypoints.CalleeName(get) }

func (c *checker) line(pos token.Pos) int { return c.pass.Fset.Position(pos).Line }

func (c *checker) place(pos token.Pos) string {
	at := c.pass.Fset.Position(pos)
	return fmt.Sprintf("%s:%d", filepath.Base(at.Filename), at.Line)
}
