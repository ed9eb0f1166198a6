// Package handlers tells what becomes of a tombstone that an informer of
// client-go hands to a delete handler: whether it is unwrapped, or taken for an
// object, asserted, refused and lost.
//
// The question is not answered by looking for patterns. The handler is run,
// abstractly, with a tombstone as its argument: type assertions and type
// switches then have known outcomes, key functions succeed or fail, and so the
// way through the handler, its helpers, and the workers on the other side of a
// queue or channel is known as far as the tombstone decides it. A second
// run with an ordinary object tells what the handler was to do.
//
// Functions of the user's modules say in facts what they make of a tombstone
// that they are given, and whether they do anything that lasts. Once a function
// that is not known has seen the tombstone, the path is given up; so is a
// handler of more than 30,000 blocks, or a function of more than 2,000 states.
package handlers

import (
	"go/token"
	"go/types"
	"reflect"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/passes/entrypoints"
)

// Analyzer follows tombstones; its result is an *[Handlers].
var Analyzer = &analysis.Analyzer{
	Name:       "opvettombstones",
	Doc:        "tell what delete handlers make of tombstones",
	Requires:   []*analysis.Analyzer{calls.Analyzer, entrypoints.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[*Handlers](),
	FactTypes:  []analysis.Fact{new(Takes), new(Idle), new(Reads), new(Registers), new(Holds)},
}

// Kind is a way in which a tombstone is not handled.
type Kind uint8

// The kinds, in the order in which they explain a loss: of several that one
// path meets, the last says why.
const (
	// Refused by a checked assertion or a type switch.
	Refused Kind = iota + 1
	// RawKey is an error of a key function or meta.Accessor.
	RawKey
	// Panics is an unchecked assertion.
	Panics
	// Dereferenced is what a checked assertion left nil, used all the same.
	Dereferenced
	// Pointer is an assertion to a pointer to the tombstone's type.
	Pointer
	// Deliberate is a tombstone that was recognised, and dropped.
	Deliberate
)

// Cause is the place where a tombstone is not handled.
type Cause struct {
	Kind Kind
	// Instr is the place in this package: the assertion or the call of a key
	// function, or the call that leads to it in another package.
	Instr ssa.Instruction
	// Asserted is the type that the tombstone is asserted to have.
	Asserted types.Type
	// Func refuses the tombstone, for RawKey.
	Func *types.Func
	// Where and In say where the place is, and in which function, if it is
	// in another package.
	Where, In string
	// Unwrapped tells that the path had recognised the tombstone before.
	Unwrapped bool
	// Deref is where nil is used, for Dereferenced.
	Deref token.Pos
	// Chain has the calls from the handler to the function of Instr.
	Chain []ssa.CallInstruction
}

// Handler is a function that an informer calls with tombstones.
type Handler struct {
	// What is the name under which users know it: "DeleteFunc", "OnDelete",
	// "FilterFunc".
	What string
	// Registered is where it was handed over; for OnDelete, the method.
	Registered token.Pos
	// Fn is the function, or nil if it is in another package. OnlyKey tells of one there that all it
	// does is to put the key of the object on queues.
	Fn      *ssa.Function
	OnlyKey bool
}

// Loss is a tombstone that a handler does not handle.
type Loss struct {
	Cause
	Handler Handler
	// AssertedName and FuncName name Asserted and Func, also those of another
	// package.
	AssertedName, FuncName string
	// Filtered is the delete function that never sees the tombstone because
	// the handler, a FilterFunc, rejects it.
	Filtered *Handler
	// Sent is where the tombstone is put on a queue or channel, if the cause
	// lies on the other side, and Queue what that is called.
	Sent  ssa.Instruction
	Queue string
	// SentKnowingly tells that the code had recognised it before it was put
	// there.
	SentKnowingly bool
	// Panicked tells that the code panics then, by itself or on purpose.
	Panicked bool
	// Harmless tells that nothing is lost but a key for which the workers do nothing,
	// since its object is gone, or what was done before, or what the next event makes up for.
	Harmless bool
	// Repeated tells that all that is lost is what the last update of the object has
	// done already.
	Repeated bool
	// Stays tells that an entry of the object stays in a map, whatever else is done.
	Stays bool
	// Partial tells that the handler has done something lasting before.
	Partial bool

	ofKey bool // see told.onlyKey of a cause
}

// Handlers answers for one package.
type Handlers struct {
	Calls  *calls.Graph
	Losses []Loss
}

func run(pass *analysis.Pass) (any, error) {
	info := &Handlers{Calls: pass.ResultOf[calls.Analyzer].(*calls.Graph)}
	entries := pass.ResultOf[entrypoints.Analyzer].(*entrypoints.Result)
	if info.Calls.Pkg == nil {
		return info, nil
	}
	m := newMachine(pass, info.Calls)
	f := &finder{machine: m, info: info, groups: make(map[ssa.Value]*group)}
	f.find()
	f.judge()
	m.export()
	workers := sync.OnceValue(func() readers { return m.readers(entries) })
	for i := range info.Losses {
		l := &info.Losses[i]
		l.Harmless = l.Repeated || m.onlyKey(l) && workers().ignoreMissing(l, m.holders(l)) || m.wakesOthers(l) || m.isAboutOne(l) || !m.isMissed(l)
	}
	return info, nil
}
