// Package subject has what all questions of the rule are about: the workers of a package, the items that they take
// off their queues, and the values that hold these.
package subject

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/workqueue/internal/queues"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/report/rule"
)

// The categories.
const (
	NoDone            = "no-done"
	HotRetry          = "hot-retry"
	NoForget          = "no-forget"
	PointerKey        = "pointer-key"
	RateLimitedEvents = "rate-limited-events"
	NoShutdown        = "no-shutdown"
	Bypassed          = "bypassed"
	OtherQueue        = "other-queue"
)

// Checker looks at one package.
type Checker struct {
	Pass    *analysis.Pass
	Report  *rule.Reporter
	Graph   *calls.Graph
	Entries *entrypoints.Result
	Queues  *queues.Queues
	Flows   *paths.Graphs
	reached map[*ssa.Function][]entrypoints.Edge // see edgesTo
	// workersOf are all workers; mistaken are the operations on another queue
	// that have been reported, which say why the own queue is not told.
	WorkersOf []*Worker
	Mistaken  []Mistake
}

// Worker is a place where an item is taken off a queue.
type Worker struct {
	Get   *ssa.Call
	Queue ssa.Value
	// shutdown is the result that tells that the queue is shut down, or nil.
	Shutdown ssa.Value
	Items    *items
	// empty are the values that are nil if there was no item, and asked the
	// comparisons that are true then.
	Empty, Asked []ssa.Value
}

// Workers finds the places where items are taken off, except in types that are
// queues themselves and pass calls on.
func (c *Checker) Workers() []*Worker {
	var found []*Worker
	for _, op := range c.Queues.Ops {
		get, ok := op.Instr.(*ssa.Call)
		if !ok || op.Verb != kubeapi.QueueGet || op.Helper != nil && !op.HandsOn || InQueue(get.Parent()) || !kubeapi.TellsShutdown(op.Queue.Type()) {
			continue
		}
		for _, get := range c.takers(get, 0) {
			found = append(found, c.worker(get, op.Queue))
		}
	}
	return found
}

func (c *Checker) worker(get *ssa.Call, queue ssa.Value) *Worker {
	w := &Worker{Get: get, Queue: queue}
	last := get.Type().(*types.Tuple).Len() - 1
	var first []ssa.Value
	for part := range blocks.UsesOf[*ssa.Extract](get) {
		switch part.Index {
		case 0:
			first = append(append(first, part), c.Graph.ReturnedAs(part)...)
		case last:
			w.Shutdown = part
		}
	}
	w.Items = c.follow(first)
	w.Empty, w.Asked = absent(first)
	return w
}

// maxTakers bounds the functions that hand an item on to each other.
const maxTakers = 3

// takers returns the calls that take an item off a queue: the calls of its function,
// if that only hands on what Get returns.
func (c *Checker) takers(get *ssa.Call, depth int) []*ssa.Call {
	fn := get.Parent()
	if depth > maxTakers || fn.Parent() != nil || !calls.Returns(fn, get) {
		return []*ssa.Call{get}
	}
	var found []*ssa.Call
	for _, site := range c.Graph.Callers(fn) {
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

// InQueue reports whether fn is a method of a type that is a queue itself.
func InQueue(fn *ssa.Function) bool {
	for ; fn != nil; fn = fn.Parent() {
		if recv := fn.Signature.Recv(); recv != nil && kubeapi.IsQueue(recv.Type()) {
			return true
		}
	}
	return false
}

// Called is the function that a call names, as the source has it.
func (c *Checker) Called(instr ssa.Instruction) string {
	if call, ok := instr.(ssa.CallInstruction); ok {
		return entrypoints.CalleeText(c.Pass.Files, call)
	}
	return "it"
}

// maxName is how long a queue's name may be in a message; those of one field
// are named by that if they are longer.
const maxName = 36

// QueueName is the queue as the source has it: "c.queue".
func (c *Checker) QueueName(op *queues.Op) string {
	if call := op.Call(); call != nil && op.Helper == nil {
		text := c.Called(call)
		if n := strings.LastIndexByte(text, '.'); n > 0 && n <= maxName {
			return text[:n]
		}
	}
	return c.Queues.Name(op.Queue)
}

// QueueOf is the queue of a worker as the source has it, if it does not take items
// off by a helper.
func (c *Checker) QueueOf(w *Worker) string {
	for _, op := range c.Queues.At(w.Get) {
		if op.Verb == kubeapi.QueueGet {
			return c.QueueName(op)
		}
	}
	return c.Queues.Name(w.Queue)
}

// Method is the name of the method that takes an item off: "Get".
func Method(get *ssa.Call) string { return entrypoints.CalleeName(get) }

// Line is the line of a place.
func (c *Checker) Line(pos token.Pos) int { return c.Pass.Fset.Position(pos).Line }
