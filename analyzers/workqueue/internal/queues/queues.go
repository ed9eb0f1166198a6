// Package queues follows workqueues: from where they are made, through fields,
// variables, containers, parameters, results, closures and types that embed a
// queue, to all that is done with them.
//
// A holder is a place that may hold a queue: a field, a variable, a parameter.
// What flows from one holder into another one is an edge, so that a worker which
// several queues are handed to does not make them one. A queue that gets to code
// which is not known has escaped.
//
// Functions of the user's modules say in the fact [Uses] what they do with the
// queues that they are handed, and which keys they add, rate limited, to queues of
// their own.
//
// It reports nothing.
package queues

import (
	"fmt"
	"go/types"
	"path/filepath"
	"reflect"
	"slices"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/facts"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Analyzer follows workqueues; its result is an *[Queues].
var Analyzer = &analysis.Analyzer{
	Name:       "opvetqueues",
	Doc:        "follow workqueues to what is done with them",
	Requires:   []*analysis.Analyzer{calls.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[*Queues](),
	FactTypes:  []analysis.Fact{new(Uses)},
}

// Op is something that is done with a queue.
type Op struct {
	Verb kubeapi.QueueVerb
	// Instr is the call, or the method value that is made to be called later.
	Instr ssa.Instruction
	// Queue and Item are the operands; Item may be nil.
	Queue, Item ssa.Value
	// Helper is the function of another package that does it, with the place
	// where; nil if the call does so itself.
	Helper *types.Func
	Place  string
	// HandsOn tells that the helper takes an item off and returns it.
	HandsOn bool
}

// Call returns the call, or nil for a method value.
func (o *Op) Call() ssa.CallInstruction {
	call, _ := o.Instr.(ssa.CallInstruction)
	return call
}

// Holder is a place that may hold queues.
type Holder struct {
	// Field is the field or package-level variable; Value is what else it is.
	Field *types.Var
	Value ssa.Value
	// Ops are what is done with a queue that is read from here.
	Ops []*Op
	// Escapes tells that code which is not known may have it from here.
	Escapes bool

	made        []*Made // the queues that are made here
	succs       []*Holder
	preds       []*Holder
	initialised bool // something is stored
}

// Made is a queue that this package makes.
type Made struct {
	Call *ssa.Call
	// Known tells that it comes from client-go itself, and nobody else has it.
	Known   bool
	Limiter kubeapi.Limiter
	holder  *Holder
}

// Queues answers for one package.
type Queues struct {
	// Made are the queues that the package makes, in source order.
	Made []*Made
	// Ops are all that the package does with queues, in source order.
	Ops []*Op

	pass    *analysis.Pass
	graph   *calls.Graph
	holders map[any]*Holder
	isQueue map[types.Type]bool
	byInstr map[ssa.Instruction][]*Op
	imports *facts.Imported[Uses, *Uses]

	mu       sync.Mutex
	backward map[*Holder]map[*Holder]bool
}

func run(pass *analysis.Pass) (any, error) {
	i := &Queues{
		pass: pass, graph: pass.ResultOf[calls.Analyzer].(*calls.Graph),
		holders: make(map[any]*Holder), isQueue: make(map[types.Type]bool), byInstr: make(map[ssa.Instruction][]*Op),
		imports: facts.NewImported[Uses](pass), backward: make(map[*Holder]map[*Holder]bool),
	}
	if i.graph.Pkg == nil {
		return i, nil
	}
	i.graph.Each(i.visit)
	i.export()
	return i, nil
}

// At returns what an instruction does with queues.
func (i *Queues) At(instr ssa.Instruction) []*Op { return i.byInstr[instr] }

// Reach returns the holders that a queue which is made here may get to.
func (m *Made) Reach() []*Holder {
	return reach(m.holder, (*Holder).next)
}

// next are the holders that a holder's queue gets to.
func (h *Holder) next() []*Holder { return h.succs }

// Ops returns all that is done with a queue, and whether that is all.
func (m *Made) Ops() (ops []*Op, all bool) {
	all = true
	for _, h := range m.Reach() {
		ops = append(ops, h.Ops...)
		all = all && !h.Escapes
	}
	return ops, all
}

// Field returns the field or package-level variable that the queue is kept in,
// or nil; the first one, if there are several.
func (m *Made) Field() *types.Var {
	for _, h := range m.Reach() {
		if h.Field != nil {
			return h.Field
		}
	}
	return nil
}

func reach(from *Holder, next func(*Holder) []*Holder) []*Holder {
	seen := map[*Holder]bool{from: true}
	list := []*Holder{from}
	for n := 0; n < len(list) && n < maxReach; n++ {
		for _, h := range next(list[n]) {
			if !seen[h] {
				seen[h] = true
				list = append(list, h)
			}
		}
	}
	return list
}

// maxReach bounds the holders of one queue.
const maxReach = 2000

// origins has the holders that a holder may have its queue from, itself
// included.
func (i *Queues) origins(h *Holder) map[*Holder]bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if known := i.backward[h]; known != nil {
		return known
	}
	i.backward[h] = make(map[*Holder]bool)
	for _, o := range reach(h, func(h *Holder) []*Holder { return h.preds }) {
		i.backward[h][o] = true
	}
	return i.backward[h]
}

// meet reports whether two sets of holders have one in common.
func meet(a, b map[*Holder]bool) bool {
	for h := range a {
		if b[h] {
			return true
		}
	}
	return false
}

// MayBeSame reports whether two values may be the same queue.
func (i *Queues) MayBeSame(a, b ssa.Value) bool {
	x, y := i.holder(a), i.holder(b)
	return x == nil || y == nil || i.handsOut(x, y) || meet(i.origins(x), i.origins(y))
}

// handsOut reports whether one function of another package has returned both queues: as
// a rule it hands out one that is kept there.
func (i *Queues) handsOut(x, y *Holder) bool {
	a, _ := calls.CallOf(x.Value)
	b, _ := calls.CallOf(y.Value)
	if a == nil || b == nil {
		return false
	}
	getter := kubeapi.Callee(a.Common())
	return getter != nil && getter.Pkg() != i.pass.Pkg && getter == kubeapi.Callee(b.Common())
}

// Differ reports whether two values surely are different queues: this package
// makes all that they may be, at different places, or by different calls of a
// function that makes one each time.
func (i *Queues) Differ(a, b ssa.Value) bool {
	left, known := i.makers(a)
	right, also := i.makers(b)
	return known && also && !meet(left, right)
}

// Told reports whether it is known which queue v is: this package makes all that
// it may be.
func (i *Queues) Told(v ssa.Value) bool {
	_, known := i.makers(v)
	return known
}

// makers are the places where what v may be is made. known is false if some of
// that may come from elsewhere.
func (i *Queues) makers(v ssa.Value) (set map[*Holder]bool, known bool) {
	h := i.holder(v)
	if h == nil {
		return nil, false
	}
	set = make(map[*Holder]bool)
	before := func(h *Holder) []*Holder {
		if h.makesAnew() {
			return nil
		}
		return h.preds
	}
	for _, o := range reach(h, before) {
		switch {
		case len(o.made) > 0 || o.makesAnew():
			set[o] = true
		case len(o.preds) == 0:
			return nil, false
		}
	}
	return set, len(set) > 0
}

// makesAnew reports whether a holder is the result of a function that does
// nothing but make a queue.
func (h *Holder) makesAnew() bool {
	_, ok := h.Value.(*ssa.Call)
	return ok && len(h.preds) > 0 && !slices.ContainsFunc(h.preds, func(p *Holder) bool { return len(p.made) == 0 })
}

// Escapes reports whether code which is not known may have the queue v.
func (i *Queues) Escapes(v ssa.Value) bool {
	h := i.holder(v)
	if h == nil {
		return true
	}
	for o := range i.origins(h) {
		if slices.ContainsFunc(reach(o, (*Holder).next), func(s *Holder) bool { return s.Escapes }) {
			return true
		}
	}
	return false
}

// Limiter tells what the rate limiter of a queue is.
func (i *Queues) Limiter(v ssa.Value) kubeapi.Limiter {
	h := i.holder(v)
	if h == nil {
		return kubeapi.UnknownLimiter
	}
	// Where it may be one of several, the one that counts least per item is
	// enough to be in doubt.
	known := kubeapi.UnknownLimiter
	for o := range i.origins(h) {
		for _, m := range o.made {
			known = max(known, m.Limiter)
		}
	}
	return known
}

// Name names a queue as the code does: by its field or variable.
func (i *Queues) Name(v ssa.Value) string {
	h := i.holder(v)
	switch {
	case h == nil:
	case h.Field != nil:
		return h.Field.Name()
	case h.Value != nil:
		switch v := h.Value.(type) {
		case *ssa.Parameter:
			return v.Name()
		case *ssa.FreeVar:
			return v.Name()
		case *ssa.Alloc:
			if v.Comment != "" {
				return v.Comment
			}
		}
	}
	return "the queue"
}

// FieldOf returns the field or package-level variable that v was read from, or
// nil.
func (i *Queues) FieldOf(v ssa.Value) *types.Var {
	if h := i.holder(v); h != nil {
		return h.Field
	}
	return nil
}

// NeverSet reports whether a queue is read from a field of this package which
// nothing ever sets.
func (i *Queues) NeverSet(v ssa.Value) bool {
	h := i.holder(v)
	return h != nil && h.Field != nil && h.Field.IsField() && !h.Field.Exported() && !h.Field.Embedded() &&
		h.Field.Pkg() == i.pass.Pkg && !h.initialised
}

func (i *Queues) place(instr ssa.Instruction) string {
	at := i.pass.Fset.Position(instr.Pos())
	return fmt.Sprintf("%s:%d", filepath.Base(at.Filename), at.Line)
}
