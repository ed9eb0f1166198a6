// Package failures finds failed API calls that functions answer with success:
// helpers that return nil although their write has failed, that ask for one
// kind of error and forget all others, and functions that make a success of
// every error they are given.
//
// It reports nothing. Analyzers ask [Failures], and find out about functions of
// other packages from facts.
package failures

import (
	"reflect"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/facts"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/passes/objects"
)

// Analyzer finds failures that are answered with success; its result is an
// *[Failures].
var Analyzer = &analysis.Analyzer{
	Name:       "opvetfailures",
	Doc:        "find failed API calls that functions answer with success",
	Requires:   []*analysis.Analyzer{objects.Analyzer, entrypoints.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[*Failures](),
	FactTypes:  []analysis.Fact{new(Summary)},
}

// Summary is the fact on a function of the user's modules.
type Summary struct {
	// Swallows are places of API calls, in the function or in those that it
	// calls, whose failure is answered with success, unless a reconciler of
	// their own package reaches them: "Create at backup/job.go:41".
	Swallows []string
	// Maps is 1 + the operand (the receiver counted) that is an error of which
	// the function always makes an empty Result and nil; 0 if there is none.
	Maps int
	// Place is where it does so, "backup/errors.go:12".
	Place string
}

// AFact marks a fact on a function.
func (*Summary) AFact() {}

// IsZero reports whether nothing is known.
func (f *Summary) IsZero() bool { return len(f.Swallows) == 0 && f.Maps == 0 }

// Silence is an API call whose failure a function answers with success.
type Silence struct {
	Call *ssa.Call
	Ret  *ssa.Return
	// Asked is the question after which all other kinds of errors are
	// forgotten, as in IsNotFound; nil if none is asked.
	Asked *ssa.Call
	// Step tells that the call is no request itself, but one of the package's functions
	// that hands on what requests fail with.
	Step bool
	// Logged tells that something is printed.
	Logged bool
	// Tells reports that the function's other results differ where it returns no
	// error, so that callers may come back for some; Told is what is known of
	// them after the failure.
	Tells bool
	Told  []paths.Truth
}

// Name is the function that fails.
func (s Silence) Name() string { return nameOf(s.Call) }

func nameOf(call *ssa.Call) string {
	if callee := kubeapi.Callee(call.Common()); callee != nil {
		return callee.Name()
	}
	return "the call"
}

// Failures answers for one package.
type Failures struct {
	*objects.Summaries

	pass     *analysis.Pass
	entries  *entrypoints.Result
	silences map[*ssa.Function][]Silence
	mappers  map[*ssa.Function]Mapper
	facts    *facts.Table[Summary, *Summary]
	reached  map[*ssa.Function]bool
	fails    map[*ssa.Function]bool
	steps    map[*ssa.Function]bool
	quiet    map[*ssa.Function]bool // see failsQuietly
	handed   map[*ssa.Function]bool // to something that calls them, perhaps again
	standIns map[*ssa.Function]bool // see stands
}

// maxPlaces bounds how many places a fact has.
const maxPlaces = 3

func run(pass *analysis.Pass) (any, error) {
	i := &Failures{
		Summaries: pass.ResultOf[objects.Analyzer].(*objects.Summaries), pass: pass,
		entries:  pass.ResultOf[entrypoints.Analyzer].(*entrypoints.Result),
		silences: make(map[*ssa.Function][]Silence), mappers: make(map[*ssa.Function]Mapper),
		reached: make(map[*ssa.Function]bool), fails: make(map[*ssa.Function]bool), steps: make(map[*ssa.Function]bool), quiet: make(map[*ssa.Function]bool), handed: make(map[*ssa.Function]bool), standIns: make(map[*ssa.Function]bool),
	}
	if i.Calls.Pkg == nil {
		return i, nil
	}
	i.facts = facts.New[Summary](pass, i.Calls)
	retries := i.retries()
	for _, entry := range i.entries.Entries {
		if entry.Kind == kubeapi.Reconcile || entry.Kind == kubeapi.Sync || entry.Kind == kubeapi.Worker && retries {
			i.entries.Walk(entry, nil, func(p *entrypoints.Path) { i.reached[p.Fn] = true })
		}
	}
	i.findHanded()
	for _, fn := range i.Calls.BottomUp() {
		if len(fn.Blocks) == 0 || fn.Parent() != nil {
			continue
		}
		if !i.fails[fn] {
			i.fails[fn] = i.handsOnWrite(fn)
		}
		i.steps[fn] = i.isStep(fn)
		if found := i.silent(fn); len(found) > 0 {
			i.silences[fn] = found
		}
		if m, ok := i.maps(fn); ok {
			i.mappers[fn] = m
		}
	}
	i.facts.Fill(1, i.summarise)
	i.facts.Export()
	return i, nil
}

// retries reports whether workers of the package add items that have failed again.
func (i *Failures) retries() bool {
	return slices.ContainsFunc(i.Calls.Funcs, func(fn *ssa.Function) bool {
		return blocks.Any(fn, func(call ssa.CallInstruction) bool {
			return kubeapi.QueueVerbOf(kubeapi.Callee(call.Common())) == kubeapi.QueueAddRateLimited
		})
	})
}

// findHanded finds the functions that are used as values: the condition of a
// poll returns nil to be called again.
func (i *Failures) findHanded() {
	var operands blocks.Operands
	for _, fn := range i.Calls.Funcs {
		for instr := range blocks.Instrs(fn) {
			var called ssa.Value
			if call, ok := instr.(ssa.CallInstruction); ok {
				called = call.Common().Value
			}
			for _, operand := range operands.Of(instr) {
				if used, ok := (*operand).(*ssa.Function); ok && *operand != called {
					if declared, _ := calls.Unwrap(used); declared != nil {
						i.handed[declared] = true
						switch {
						case isPolled(instr):
							i.handOn(declared)
						case len(declared.Blocks) == 1:
							i.stands(declared)
						}
					}
				}
			}
		}
	}
}

// isPolled reports whether an instruction hands a function to a poll, or makes the method
// value that is handed to one.
func isPolled(instr ssa.Instruction) bool {
	switch instr := instr.(type) {
	case ssa.CallInstruction:
		callee := kubeapi.Callee(instr.Common())
		return callee != nil && kubeapi.IsPoll(callee)
	case *ssa.MakeClosure, *ssa.ChangeType:
		v := instr.(ssa.Value)
		return v.Referrers() != nil && slices.ContainsFunc(*v.Referrers(), isPolled)
	}
	return false
}

// handOn notes the functions whose results a function returns that a poll calls.
func (i *Failures) handOn(fn *ssa.Function) {
	for call := range blocks.InstrsOf[*ssa.Call](fn) {
		if !calls.Returns(fn, call) {
			continue
		}
		for _, callee := range i.Calls.Callees(call).Funcs {
			if !i.handed[callee] {
				i.handed[callee] = true
				i.handOn(callee)
			}
		}
	}
}

// stands notes the functions that stand for one which is used as a value: it does nothing
// but return what they do.
func (i *Failures) stands(fn *ssa.Function) {
	for call := range blocks.InstrsOf[*ssa.Call](fn) {
		if calls.Returns(fn, call) {
			for _, callee := range i.Calls.Callees(call).Funcs {
				i.standIns[callee] = true
			}
		}
	}
}

// Silences returns what a declared function of this package answers with
// success.
func (i *Failures) Silences(fn *ssa.Function) []Silence { return i.silences[fn] }

// Reached reports whether a reconciler or sync function of this package leads
// to a function.
func (i *Failures) Reached(fn *ssa.Function) bool { return i.reached[fn] }

// Elsewhere returns the places in other packages where a call may have a
// failure answered with success.
func (i *Failures) Elsewhere(call *ssa.Call) []string {
	if f := i.facts.Elsewhere(call); f != nil {
		return f.Swallows
	}
	return nil
}

// summarise says what other packages have to know of a function.
func (i *Failures) summarise(fn *ssa.Function) *Summary {
	f := new(Summary)
	add := func(places ...string) {
		for _, place := range places {
			if len(f.Swallows) < maxPlaces && !slices.Contains(f.Swallows, place) {
				f.Swallows = append(f.Swallows, place)
			}
		}
	}
	for _, s := range i.silences[fn] {
		if !i.reached[fn] && !s.Logged && !s.Tells && !s.Step && (s.Asked != nil || !Explained(i.pass, s)) {
			add(s.Name() + " at " + syntax.Place(i.pass.Fset, s.Call.Pos()))
		}
	}
	for call := range blocks.InstrsOf[*ssa.Call](fn) {
		if !i.reached[fn] {
			add(i.Elsewhere(call)...)
		}
		for _, callee := range i.Calls.Callees(call).Funcs {
			if known := i.facts.Of(callee); known != nil {
				add(known.Swallows...)
			}
		}
	}
	if m, ok := i.mappers[fn]; ok {
		f.Maps, f.Place = 1+m.Operand, syntax.Place(i.pass.Fset, m.Ret.Pos())
	}
	return f
}
