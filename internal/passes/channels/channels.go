// Package channels tells who makes, sends to, receives from and closes the
// channels of a package, and when those who receive may go away.
//
// A channel is followed from the place where it is made, or from the parameter
// that it comes in by, through local and captured variables, unexported fields,
// calls and results. One that gets out of sight (into a map, an interface, code
// that is not known) is marked as such, and nothing can be said of it.
//
// Functions of the user's modules that receive from a channel which they are
// handed say in a fact whether they may stop before it is closed.
package channels

import (
	"cmp"
	"go/ast"
	"go/types"
	"reflect"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/facts"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
)

// Analyzer follows channels; its result is an *[Channels].
var Analyzer = &analysis.Analyzer{
	Name:       "opvetchannels",
	Doc:        "tell who sends to and receives from channels",
	Requires:   []*analysis.Analyzer{calls.Analyzer, contexts.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[*Channels](),
	FactTypes:  []analysis.Fact{new(Uses), new(Runs)},
}

// Uses is a fact about a function that is handed channels.
type Uses struct {
	Params []Use
}

// Use tells what a function does with its parameter number Index (the receiver
// counted), which is a channel.
type Use struct {
	Index int
	// Sends tells that it sends without a way out, and Repeats that it may do so any
	// number of times.
	Sends, Repeats bool
	// Closes tells that it closes the channel, and AfterGroup that it does so, or
	// sends, when it has waited for a group of goroutines.
	Closes, AfterGroup bool
	// Receives tells that it receives, and GivesUp why it may stop before the
	// channel is closed; empty if it does not.
	Receives bool
	GivesUp  string
}

// AFact marks Uses as a fact.
func (*Uses) AFact() {}

// IsZero reports whether nothing is known.
func (u *Uses) IsZero() bool { return len(u.Params) == 0 }

// Channel is one channel: a place where channels are made, or a parameter.
type Channel struct {
	// Made is where it is made, nil for a parameter.
	Made *ssa.MakeChan
	// Param is the parameter of an exported function that it is, or nil.
	Param *ssa.Parameter
	// Capacity is how many values it has room for, -1 if that is not known.
	Capacity int64
	// Name is how the code calls it, or empty.
	Name string
	// Field is the unexported field that it is kept in, or nil.
	Field *types.Var
	// Results are the calls that return it to their callers.
	Results []*ssa.Call
	// Ops are all that the package does with it.
	Ops []Op
	// Public are the exported functions that return it.
	Public []*ssa.Function
	// Escapes tells that code which is not known may have it by other ways.
	Escapes bool

	values map[ssa.Value]bool // those that it may be
}

// MayBe reports whether v may be the channel.
func (ch *Channel) MayBe(v ssa.Value) bool { return ch.values[v] || ch.values[unconverted(v)] }

// Local reports whether all that is done with the channel is known.
func (ch *Channel) Local() bool { return !ch.Escapes && len(ch.Public) == 0 && ch.Field == nil }

// Kind is a kind of operation.
type Kind uint8

const (
	// Send is a send: a statement or the case of a select.
	Send Kind = iota
	// Receive is a receive: an expression, a range or the case of a select.
	Receive
	// Close closes the channel.
	Close
	// HandOver hands the channel to a function of another package that says
	// what it does with it.
	HandOver
)

// Op is one operation on a channel.
type Op struct {
	Kind  Kind
	Instr ssa.Instruction
	// Select and State are set for the case of a select.
	Select *ssa.Select
	State  *ssa.SelectState
	// Use is set for the kind HandOver.
	Use *Use
}

// Fn is the function that has the operation.
func (o Op) Fn() *ssa.Function { return o.Instr.Parent() }

// Plain reports whether nothing else can happen at the operation: it is not
// the case of a select.
func (o Op) Plain() bool { return o.Select == nil }

// Channels answers for one package.
type Channels struct {
	// Channels are those that the package makes, and the parameters of its
	// functions that others may call, in source order.
	Channels []*Channel

	pass     *analysis.Pass
	graph    *calls.Graph
	contexts *contexts.Sources
	fields   map[*types.Var]*fieldUses
	uses     *facts.Table[Uses, *Uses]
	runs     *facts.Table[Runs, *Runs]

	aliases map[ssa.Value]*Channel
	shared  map[ssa.Value]bool // values that may be several channels
}

// Of returns the channel that v is, or nil if it is not known or may be one of
// several.
func (i *Channels) Of(v ssa.Value) *Channel {
	v = unconverted(v)
	if i.shared[v] {
		return nil
	}
	return i.aliases[v]
}

// unconverted strips conversions between directions of a channel.
func unconverted(v ssa.Value) ssa.Value {
	for {
		change, ok := v.(*ssa.ChangeType)
		if !ok {
			return v
		}
		v = change.X
	}
}

func run(pass *analysis.Pass) (any, error) {
	i := &Channels{
		pass:     pass,
		graph:    pass.ResultOf[calls.Analyzer].(*calls.Graph),
		contexts: pass.ResultOf[contexts.Analyzer].(*contexts.Sources),
		fields:   make(map[*types.Var]*fieldUses),
		aliases:  make(map[ssa.Value]*Channel),
		shared:   make(map[ssa.Value]bool),
	}
	if i.graph.Pkg == nil {
		return i, nil
	}
	i.uses = facts.New[Uses](pass, i.graph)
	i.runs = facts.New[Runs](pass, i.graph)
	i.collect()
	i.export()
	i.exportRuns()
	return i, nil
}

// collect finds the channels and what is done with them.
func (i *Channels) collect() {
	i.findFields()
	for _, fn := range i.graph.Funcs {
		if callable(fn) {
			for _, param := range fn.Params {
				if isChan(param.Type()) {
					i.follow(&Channel{Param: param, Capacity: -1, Name: param.Name()}, param)
				}
			}
		}
		for made := range blocks.InstrsOf[*ssa.MakeChan](fn) {
			size, ok := blocks.Number(made.Size)
			if !ok {
				size = -1
			}
			i.follow(&Channel{Made: made, Capacity: size, Name: nameOf(made)}, made)
		}
	}
	// A value that is several channels tells nothing about any of them.
	for _, ch := range i.Channels {
		for _, op := range ch.Ops {
			for _, v := range op.channels() {
				ch.Escapes = ch.Escapes || i.shared[v] && ch.Made != nil
			}
		}
	}
}

// channels returns the values of an operation that are channels.
func (o Op) channels() []ssa.Value {
	switch instr := o.Instr.(type) {
	case *ssa.Send:
		return []ssa.Value{instr.Chan}
	case *ssa.UnOp:
		return []ssa.Value{instr.X}
	case *ssa.Select:
		return []ssa.Value{o.State.Chan}
	}
	return nil
}

// callable reports whether code of other packages may call fn.
func callable(fn *ssa.Function) bool {
	obj, ok := fn.Object().(*types.Func)
	return ok && fn.Parent() == nil && obj.Exported()
}

func isChan(t types.Type) bool {
	_, ok := t.Underlying().(*types.Chan)
	return ok
}

// nameOf returns the name of the variable that a channel is made for, or
// nothing.
func nameOf(made *ssa.MakeChan) string {
	name := ""
	syntax := made.Parent().Syntax()
	if syntax == nil {
		return ""
	}
	bind := func(lhs, rhs ast.Expr) {
		if call, ok := rhs.(*ast.CallExpr); ok && call.Lparen == made.Pos() {
			if id, ok := lhs.(*ast.Ident); ok {
				name = id.Name
			}
		}
	}
	ast.Inspect(syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if len(n.Lhs) == len(n.Rhs) {
				for k := range n.Lhs {
					bind(n.Lhs[k], n.Rhs[k])
				}
			}
		case *ast.ValueSpec:
			if len(n.Names) == len(n.Values) {
				for k := range n.Names {
					bind(n.Names[k], n.Values[k])
				}
			}
		}
		return name == ""
	})
	return name
}

// export tells other packages what functions do with the channels that they
// are handed.
func (i *Channels) export() {
	for _, ch := range i.Channels {
		if ch.Param == nil || !ch.Local() {
			continue
		}
		fn := ch.Param.Parent()
		if use, ok := i.useOf(ch, fn); ok {
			fact := i.uses.Note(fn)
			fact.Params = append(fact.Params, use)
		}
	}
	i.uses.Export()
}

// useOf sums up what fn does with its parameter ch; ok is false if it cannot
// be told.
func (i *Channels) useOf(ch *Channel, fn *ssa.Function) (Use, bool) {
	use := Use{Index: slices.Index(fn.Params, ch.Param)}
	gone := true
	var why string
	for _, op := range ch.Ops {
		switch op.Kind {
		case Send:
			use.Sends = use.Sends || op.Plain()
			use.AfterGroup = use.AfterGroup || AwaitsGroup(op.Fn())
			activity, ok := i.ActivityOf(op, fn)
			use.Repeats = use.Repeats || !ok || activity.Many
		case Close:
			use.Closes = true
			use.AfterGroup = use.AfterGroup || AwaitsGroup(op.Fn())
		case HandOver:
			return use, false
		case Receive:
			use.Receives = true
			leave := i.leavesIn(ch, op, fn)
			if leave == nil {
				gone = false
			} else if why == "" {
				why = leave.Reason()
			}
		}
	}
	if use.Receives && gone {
		use.GivesUp = why
	}
	return use, use.Index >= 0
}

// AwaitsGroup reports whether fn waits for a group of goroutines.
func AwaitsGroup(fn *ssa.Function) bool { return calls.Names(fn, kubeapi.IsGroupWait) }

// leavesIn asks whether the activity that has the receive op, which fn is or
// starts, may stop receiving from fn's parameter.
func (i *Channels) leavesIn(ch *Channel, op Op, fn *ssa.Function) *Leave {
	activity, ok := i.ActivityOf(op, fn)
	if !ok || activity.Callback {
		return nil
	}
	return i.Leaves(ch, cmp.Or(activity.Body, fn), nil, Question{Many: true})
}
