package queues

import (
	"cmp"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Uses is the fact on a function of the user's modules that is handed queues,
// adds to queues of its own, or makes rate limiters.
type Uses struct {
	// Params are the parameters, the receiver counted, that are queues.
	Params []Param
	// RateLimited is where the function adds to a queue that it was not handed,
	// rate limited and not because of a failure; empty if it does not. Queue is
	// what that is called.
	RateLimited, Queue string
	// Limiter is what kind of rate limiter the function returns.
	Limiter kubeapi.Limiter
}

// Param is what a function does with a queue that it is handed.
type Param struct {
	Index   int
	Done    []Deed
	Escapes bool
}

// Deed is one kind of thing that is done, and where.
type Deed struct {
	Verb  kubeapi.QueueVerb
	Place string
	// HandsOn tells that the function returns what it has taken off.
	HandsOn bool
}

// AFact marks Uses as a fact.
func (*Uses) AFact() {}

func (u *Uses) param(index int) *Param {
	if u == nil {
		return nil
	}
	for n := range u.Params {
		if u.Params[n].Index == index {
			return &u.Params[n]
		}
	}
	return nil
}

// Of returns what is known of a function of another package, or nil.
func (i *Queues) Of(fn *types.Func) *Uses {
	if fn == nil {
		return nil
	}
	return i.imports.Of(fn)
}

func (i *Queues) export() {
	facts := make(map[*types.Func]*Uses)
	for _, fn := range i.graph.Funcs {
		obj, ok := fn.Object().(*types.Func)
		if !ok || obj.Pkg() != i.pass.Pkg {
			continue
		}
		fact := new(Uses)
		for n, p := range fn.Params {
			if i.holds(p.Type()) {
				fact.Params = append(fact.Params, i.use(n, p))
			}
		}
		if op := i.rateLimited(fn, make(map[*ssa.Function]bool)); op != nil {
			fact.RateLimited, fact.Queue = i.place(op.Instr), i.Name(op.Queue)
		}
		if results := fn.Signature.Results(); results.Len() == 1 && kubeapi.IsLimiter(results.At(0).Type()) {
			var values []ssa.Value
			for ret := range blocks.Returns(fn) {
				values = append(values, ret.Results[0])
			}
			fact.Limiter = i.limiters(values, 0)
		}
		if len(fact.Params) > 0 || fact.RateLimited != "" || fact.Limiter != kubeapi.UnknownLimiter {
			facts[obj] = fact
		}
	}
	for obj, fact := range facts {
		i.pass.ExportObjectFact(obj, fact)
	}
	i.graph.ExportInterfaces(i.pass)
}

func (i *Queues) use(index int, p *ssa.Parameter) Param {
	use := Param{Index: index}
	for _, h := range reach(i.holder(p), (*Holder).next) {
		use.Escapes = use.Escapes || h.Escapes
		for _, op := range h.Ops {
			if op.Verb == kubeapi.QueueAddRateLimited && !Ordinary(op.Instr) {
				continue // a retry, or what the caller asks for
			}
			if !slices.ContainsFunc(use.Done, func(d Deed) bool { return d.Verb == op.Verb }) {
				place := op.Place
				if place == "" {
					place = i.place(op.Instr)
				}
				use.Done = append(use.Done, Deed{op.Verb, place, i.handsOn(p.Parent(), op)})
			}
		}
	}
	slices.SortFunc(use.Done, func(a, b Deed) int { return cmp.Compare(a.Verb, b.Verb) })
	return use
}

// handsOn reports whether a function returns what an operation takes off a queue,
// and nothing else.
func (i *Queues) handsOn(fn *ssa.Function, op *Op) bool {
	call, ok := op.Instr.(*ssa.Call)
	return ok && op.Verb == kubeapi.QueueGet && call.Parent() == fn && calls.Returns(fn, call)
}

// rateLimited finds where a function, or one that it calls, adds to a queue that
// it was not handed, rate limited, and not because of a failure.
func (i *Queues) rateLimited(fn *ssa.Function, seen map[*ssa.Function]bool) *Op {
	if seen[fn] || len(seen) > 60 {
		return nil
	}
	seen[fn] = true
	for instr := range blocks.Instrs(fn) {
		for _, op := range i.byInstr[instr] {
			if op.Verb == kubeapi.QueueGet {
				return nil // a worker
			}
		}
	}
	for instr := range blocks.Instrs(fn) {
		for _, op := range i.byInstr[instr] {
			if op.Verb == kubeapi.QueueAddRateLimited && Ordinary(instr) && i.BacksOff(op.Queue) && !i.handed(op.Queue) {
				return op
			}
		}
		if call, ok := instr.(*ssa.Call); ok && Ordinary(call) {
			for _, target := range i.graph.Callees(call).Funcs {
				if op := i.rateLimited(target, seen); op != nil {
					return op
				}
			}
		}
	}
	return nil
}

// handed reports whether a queue is, or may be, a parameter.
func (i *Queues) handed(v ssa.Value) bool {
	h := i.holder(v)
	if h == nil {
		return true
	}
	_, ok := h.Value.(*ssa.Parameter)
	return ok
}

// BacksOff reports whether the queue's rate limiter may wait longer for an item
// that comes again and again: it is no type of the program's own, and not one
// that limits the queue as a whole only.
func (i *Queues) BacksOff(v ssa.Value) bool {
	kind := i.Limiter(v)
	return kind == kubeapi.UnknownLimiter || kind == kubeapi.PerItem
}
