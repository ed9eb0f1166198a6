// Package waits tells where functions let time pass without listening to
// anything else (sleeps, bare receives from a timer), for how long, and who is
// kept waiting: the entry point from which such a place is reached, or the
// context that is at hand there.
//
// A function that sleeps for its callers, and has neither a context at hand nor
// callers in its package that have one, says so in a fact, so that the calls in
// other packages count.
package waits

import (
	"fmt"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"time"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/facts"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
	"github.com/opvet/opvet/internal/passes/entrypoints"
)

// Analyzer finds the pauses of functions; its result is an *[Waits].
var Analyzer = &analysis.Analyzer{
	Name:       "opvetwaits",
	Doc:        "find where functions let time pass",
	Requires:   []*analysis.Analyzer{calls.Analyzer, entrypoints.Analyzer, contexts.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[*Waits](),
	FactTypes:  []analysis.Fact{new(Sleeps), new(Awaits)},
}

// Sleeps is a fact about a function that sleeps for its callers: they have to
// see to it that it does not keep a worker, or a shutdown, waiting.
type Sleeps struct {
	// Where is the place of the sleep: "k8sutil/job.go:88".
	Where string
	// Via names the functions that lead there from the function.
	Via []string
	// For is how long it is at most, if that is Known.
	For   time.Duration
	Known bool
	// Param is the number of the operand (the receiver counted) that gives
	// the duration, counted from 1; 0 if none does.
	Param int
	// Again tells that it sleeps in a loop.
	Again bool
	// Listens and Fails tell of its loop what they do of that of a [Pause].
	Listens, Fails bool
	// Rounds is how often at most, and Total how long in all rounds; 0 if that
	// is not known.
	Rounds int64
	Total  time.Duration
}

// AFact marks Sleeps as a fact.
func (*Sleeps) AFact() {}

// IsZero reports whether nothing is known.
func (s *Sleeps) IsZero() bool { return s.Where == "" }

// Awaits is a fact about a function that does not return before a context or stop
// channel has ended.
type Awaits struct{}

// AFact marks Awaits as a fact.
func (*Awaits) AFact() {}

// Pause is a place at which a function lets time pass.
type Pause struct {
	// At is the call of time.Sleep, the receive from a timer, or the call of
	// a function of another package that sleeps.
	At ssa.Instruction
	// Elsewhere describes the sleep if it is in another package.
	Elsewhere *Sleeps
	// For is how long the pause is at most, if that is Known.
	For   time.Duration
	Known bool
	// Brief tells that the duration is not known, but counted in
	// milliseconds or less.
	Brief bool
	// Loop is the innermost loop around it, or nil.
	Loop *loops.Loop
	// Listens tells that the loop asks in each round whether a context or
	// stop channel has ended.
	Listens bool
	// Fails tells that the loop ends when a call fails that gets a context.
	Fails bool
	// Ticks tells that it is the tick of a ticker, which also passes while
	// the work is done.
	Ticks bool
	// Over tells that a context or stop channel has ended when it is reached.
	Over bool

	param      int       // as in Sleeps
	length     ssa.Value // how long it is, nil if that is known elsewhere only
	total      time.Duration
	totalKnown bool
}

// Again reports whether the pause is repeated, here or where it lies.
func (p *Pause) Again() bool { return p.Loop != nil || p.Elsewhere != nil && p.Elsewhere.Again }

// Waits answers for one package.
type Waits struct {
	pass     *analysis.Pass
	graph    *calls.Graph
	entries  *entrypoints.Result
	contexts *contexts.Sources

	pauses map[*ssa.Function][]*Pause
	funcs  []*ssa.Function // those with pauses, in source order
	paths  map[*ssa.Function][]*entrypoints.Path
	// startedBy has the functions that start a function in a goroutine.
	startedBy map[*ssa.Function][]*ssa.Function

	mu      sync.Mutex // several analyzers ask at the same time
	atHand  map[*ssa.Function][]contexts.Source
	listens map[*ssa.Function]bool
	sleeps  *facts.Table[Sleeps, *Sleeps]
}

// Funcs returns the functions that pause, in source order.
func (i *Waits) Funcs() []*ssa.Function { return i.funcs }

// Pauses returns where fn lets time pass, in source order.
func (i *Waits) Pauses(fn *ssa.Function) []*Pause { return i.pauses[fn] }

func run(pass *analysis.Pass) (any, error) {
	i := &Waits{
		pass:      pass,
		graph:     pass.ResultOf[calls.Analyzer].(*calls.Graph),
		entries:   pass.ResultOf[entrypoints.Analyzer].(*entrypoints.Result),
		contexts:  pass.ResultOf[contexts.Analyzer].(*contexts.Sources),
		pauses:    make(map[*ssa.Function][]*Pause),
		paths:     make(map[*ssa.Function][]*entrypoints.Path),
		startedBy: make(map[*ssa.Function][]*ssa.Function),
		atHand:    make(map[*ssa.Function][]contexts.Source),
		listens:   make(map[*ssa.Function]bool),
	}
	if i.graph.Pkg == nil {
		return i, nil
	}
	i.sleeps = facts.New[Sleeps](pass, i.graph)
	i.findPaths()
	i.findStarters()
	for _, fn := range i.graph.Funcs {
		if found := i.find(fn); len(found) > 0 {
			i.pauses[fn] = found
			i.funcs = append(i.funcs, fn)
		}
	}
	i.export()
	return i, nil
}

// find returns the pauses of one function.
func (i *Waits) find(fn *ssa.Function) []*Pause {
	var found []*Pause
	var around []*loops.Loop
	for _, block := range fn.Blocks {
		for _, instr := range block.Instrs {
			p := i.pauseAt(instr)
			if p == nil {
				continue
			}
			if around == nil {
				around = loops.Of(fn)
			}
			p.Loop = innermost(around, block)
			p.Listens = p.Listens || p.Loop != nil && i.listensIn(p.Loop)
			p.Fails = p.Fails || p.Loop != nil && failsIn(p.Loop)
			p.Over = i.isOver(instr, 0)
			i.addUp(p, around)
			found = append(found, p)
		}
	}
	return found
}

// pauseAt returns the pause that an instruction is, or nil.
func (i *Waits) pauseAt(instr ssa.Instruction) *Pause {
	switch instr := instr.(type) {
	case *ssa.Call:
		if d, ok := kubeapi.Sleep(instr.Common()); ok {
			return i.lasting(&Pause{At: instr}, d)
		}
		return i.elsewhere(instr)
	case *ssa.Defer:
		if d, ok := kubeapi.Sleep(instr.Common()); ok {
			return i.lasting(&Pause{At: instr}, d)
		}
	case *ssa.UnOp:
		if instr.Op != token.ARROW || instr.CommaOk || drains(instr) {
			return nil
		}
		if timer, ok := kubeapi.TimerChannel(instr.X); ok {
			ticks := timer.Made != nil && kubeapi.IsNamed(timer.Made.Type(), "time", "Ticker")
			return i.lasting(&Pause{At: instr, Ticks: ticks}, timer.After)
		}
	}
	return nil
}

func (i *Waits) lasting(p *Pause, d ssa.Value) *Pause {
	d = i.graph.Origin(d)
	p.length = d
	p.For, p.Known, p.Brief = i.longest(d)
	if given, ok := d.(*ssa.Parameter); ok && !p.Known {
		p.param = slices.Index(given.Parent().Params, given) + 1
	}
	return p
}

// elsewhere returns the pause that a call of a function of another package is.
func (i *Waits) elsewhere(call *ssa.Call) *Pause {
	fact := i.sleeps.Elsewhere(call)
	if fact == nil {
		return nil
	}
	p := &Pause{At: call, Elsewhere: fact, For: fact.For, Known: fact.Known, Listens: fact.Listens, Fails: fact.Fails}
	if operands := kubeapi.Operands(call.Common()); fact.Param > 0 && fact.Param <= len(operands) {
		if p.length = operands[fact.Param-1]; fact.Again {
			p.length = nil // it may differ from round to round
		}
		p.For, p.Known, p.Brief = i.longest(operands[fact.Param-1])
	}
	return p
}

// drains reports whether a receive only empties the channel of a timer that
// could not be stopped any more: it does not wait.
func drains(recv *ssa.UnOp) bool {
	for block := recv.Block(); block != nil; block = block.Idom() {
		for _, instr := range block.Instrs {
			if call, ok := instr.(*ssa.Call); ok && isTimerStop(kubeapi.Callee(call.Common())) {
				return true
			}
		}
	}
	return false
}

func isTimerStop(fn *types.Func) bool {
	if fn == nil || fn.Name() != "Stop" {
		return false
	}
	recv := fn.Signature().Recv()
	return recv != nil && (kubeapi.IsNamed(recv.Type(), "time", "Timer") || kubeapi.HasMethod(recv.Type(), "C"))
}

// export tells other packages which functions sleep for their callers.
func (i *Waits) export() {
	for _, fn := range i.funcs {
		for _, p := range i.pauses[fn] {
			if p.For < Short && p.Known || p.Brief || p.Over {
				continue
			}
			if i.Answers(fn, p.At).None() {
				*i.sleeps.Note(fn) = *i.fact(p)
				break
			}
		}
	}
	// Callers sleep as well, as long as nobody in the package answers for it.
	for range maxVia {
		changed := false
		for _, fn := range i.graph.Funcs {
			if i.sleeps.Of(fn) != nil {
				continue
			}
			if up := i.inherited(fn); up != nil {
				*i.sleeps.Note(fn), changed = *up, true
			}
		}
		if !changed {
			break
		}
	}
	for _, fn := range i.graph.Funcs {
		if obj, ok := fn.Object().(*types.Func); ok && obj.Pkg() == i.pass.Pkg && i.awaits(fn, 0) {
			i.pass.ExportObjectFact(obj, new(Awaits))
		}
	}
	i.sleeps.Export()
}

// maxVia bounds the calls that lead from a function to a sleep.
const maxVia = 8

// inherited returns what fn sleeps because of the functions that it calls.
func (i *Waits) inherited(fn *ssa.Function) *Sleeps {
	for _, edge := range i.entries.Edges(fn) {
		below := i.sleeps.Of(edge.Callee)
		if below == nil || edge.How != entrypoints.Called && edge.How != entrypoints.CalledBack || len(below.Via) >= maxVia {
			continue
		}
		up := *below
		up.Param = 0
		up.Via = append([]string{entrypoints.CalleeName(edge.Site)}, below.Via...)
		around := loops.Of(fn)
		if loop := innermost(around, edge.Site.Block()); loop != nil {
			up.Again = true
			up.Listens, up.Fails = up.Listens || i.listensIn(loop), up.Fails || failsIn(loop)
		}
		rounds, _ := i.rounds(edge.Site.Block(), around)
		up.Rounds *= rounds
		up.Total = times(up.Total, float64(rounds))
		return &up
	}
	return nil
}

// fact describes a pause to other packages.
func (i *Waits) fact(p *Pause) *Sleeps {
	rounds, _ := i.rounds(p.At.Block(), loops.Of(p.At.Parent()))
	if p.Elsewhere != nil {
		fact := *p.Elsewhere
		fact.For, fact.Known, fact.Param = p.For, p.Known, 0
		fact.Again, fact.Total = p.Again(), p.total
		fact.Listens, fact.Fails = p.Listens, p.Fails
		fact.Rounds *= rounds
		if call, ok := p.At.(ssa.CallInstruction); ok {
			fact.Via = append([]string{entrypoints.CalleeName(call)}, fact.Via...)
		}
		return &fact
	}
	at := i.pass.Fset.Position(p.At.Pos())
	where := fmt.Sprintf("%s/%s:%d", path.Base(i.pass.Pkg.Path()), filepath.Base(at.Filename), at.Line)
	return &Sleeps{Where: where, For: p.For, Known: p.Known, Param: p.param, Again: p.Again(), Listens: p.Listens, Fails: p.Fails, Rounds: rounds, Total: p.total}
}

// innermost returns the smallest loop that a block belongs to, or nil.
func innermost(all []*loops.Loop, block *ssa.BasicBlock) *loops.Loop {
	var best *loops.Loop
	for _, loop := range all {
		if loop.Blocks[block] && (best == nil || len(loop.Blocks) < len(best.Blocks)) {
			best = loop
		}
	}
	return best
}
