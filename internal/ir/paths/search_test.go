package paths_test

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/testing/passtest"
)

// functions are what the cases call.
const functions = `
import ("errors"; "fmt"; "os"; "sync"; "slices")

type part struct { at *int; on bool; phase string; list []int; when zero }
type whole struct { part; other *int }
type zero struct{ n int }
func (z *zero) IsZero() bool { return false }
func (z *zero) DeepCopy() *zero { return z }
func change(x *whole) { x.at = nil }
func look(x *whole) bool { return same(x).on }
func same(x *whole) *whole { return x }
func hand(x *whole, f func(*whole)) { f(x) }

var _ = []any{errors.New, fmt.Sprint, os.Exit, slices.Max[[]int]}

func set()          {}
func save() error   { return nil }
func a()            {}
func b()            {}
func cond() bool    { return false }
func fail() error   { return nil }
func other() error  { return nil }
func ignoreNotFound(error) error // of another package

var once sync.Once
var items []int
`

// graphOf builds the graph of the function f.
func graphOf(t *testing.T, src string) *paths.Graph {
	t.Helper()
	calls := passtest.Source[*calls.Graph](t, calls.Analyzer, functions+src)
	return paths.NewGraph(calls.Pkg.Func("f"), calls, nil)
}

// calls reports whether a node runs the named function: a call, or a deferred
// call when it runs, but not a go statement.
func hasCall(n *paths.Node, name string) bool {
	if n.Joins != nil {
		return false
	}
	if _, ok := n.Instr.(*ssa.Defer); ok && !n.Deferred {
		return false
	}
	if _, ok := n.Instr.(*ssa.Go); ok {
		return false
	}
	call, ok := n.Instr.(ssa.CallInstruction)
	if !ok {
		return false
	}
	callee := call.Common().StaticCallee()
	return callee != nil && callee.Name() == name
}

// lost reports whether a path leads from set to a successful return without
// save.
func lost(g *paths.Graph) bool {
	for _, n := range g.Nodes {
		if !hasCall(n, "set") {
			continue
		}
		_, found := g.Search(n, 0, nil, func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
			switch {
			case hasCall(n, "save"):
				return stage, paths.Prune
			case g.IsExit(n) && g.Outcome(n, known) != paths.True:
				return stage, paths.Found
			}
			return stage, paths.Continue
		})
		if found {
			return true
		}
	}
	return false
}

// Each case asks whether what set does can be lost: whether a path leads from
// it to a successful return on which save is not called.
func TestSearch(t *testing.T) {
	for _, test := range []struct {
		name, src string
		lost      bool
	}{
		{"saved", `func f() error { set(); return save() }`, false},
		{"not saved", `func f() { set() }`, true},
		{"saved before", `func f() error { if err := save(); err != nil { return err }; set(); return nil }`, true},
		{"early return", `func f() error { set(); if cond() { return nil }; return save() }`, true},
		{"early return before", `func f() error { if cond() { return nil }; set(); return save() }`, false},
		{"one branch", `func f() { set(); if cond() { save() } }`, true},
		{"both branches", `func f() { set(); if cond() { save() } else { save() } }`, false},
		{"switch", `func f(n int) { set(); switch n { case 1: save(); case 2: save() } }`, true},
		{"switch with default", `func f(n int) { set(); switch n { case 1: save(); default: save() } }`, false},

		// Errors.
		{"return on error", `func f() error { set(); if err := other(); err != nil { return err }; return save() }`, false},
		{"return on no error", `func f() error { set(); if err := other(); err == nil { return err }; return save() }`, true},
		{"new error", `func f() error { set(); if cond() { return errors.New("x") }; return save() }`, false},
		{"wrapped error", `func f() error { set(); if err := other(); err != nil { return fmt.Errorf("x: %w", err) }; return save() }`, false},
		{"an error that may be nil", `func f() error { set(); return other() }`, true},
		{"tested twice", `func f() error { err := other(); if err == nil { set() }; if err == nil { return save() }; return err }`, false},
		{"another error tested", `func f() error { err := other(); if err == nil { set() }; err = fail(); if err == nil { return save() }; return err }`, false},
		{"another error ignored", `func f() error { err := other(); if err == nil { set() }; err = fail(); if err == nil { return save() }; return nil }`, true},
		{"named result", `func f() (err error) { defer func() { _ = fmt.Sprint(err) }(); set(); if err = other(); err != nil { return err }; return save() }`, false},
		{"named result assigned since", `func f() (err error) { defer func() { _ = fmt.Sprint(err) }(); if err = other(); err != nil { set(); err = fail(); return err }; return save() }`, true},
		{"assigned by a literal since", `func f() (err error) { again := func() { err = fail() }; if err = other(); err != nil { again(); set(); return err }; return save() }`, true},
		{"found before it begins", `func f() (err error) { defer func() { _ = fmt.Sprint(err) }(); if err = other(); err != nil { set(); return err }; return save() }`, false},
		{"found before it begins, and wrapped by a deferred literal", `func f() (err error) { defer func() { if err != nil { err = fmt.Errorf("x: %w", err) } }(); if err = other(); err != nil { set(); return err }; return save() }`, false},
		{"found before it begins, and saved by a deferred literal", `func f() (err error) { defer func() { if err == nil { save() } else { err = nil } }(); if err = other(); err != nil { return err }; set(); return nil }`, false},
		{"found before it begins, and dropped by a deferred literal", `func f() (err error) { defer func() { err = nil }(); if err = other(); err != nil { set(); return err }; return save() }`, true},
		{"kept until deferred calls have run", `func f() error { defer a(); set(); if err := other(); err != nil { return err }; return save() }`, false},
		{"what has a field is not nil", `func f(v *whole) { var w *whole; if cond() { w = v; w.other = nil; set() }; if w != nil { save() } }`, false},
		{"what may be nil", `func f(v *whole) { var w *whole; if cond() { w = v; set() }; if w != nil { save() } }`, true},
		{"a copy of what is not nil", `func f() { var p, z *zero; z = new(zero); if cond() { p = z.DeepCopy(); set() }; if p != nil { save() } }`, false},
		{"a copy of what may be nil", `func f(z *zero) { var p *zero; if cond() { p = z.DeepCopy(); set() }; if p != nil { save() } }`, true},

		{"sentinel", `func f() error { set(); err := other(); if err == os.ErrExist { return nil }; return save() }`, true},

		{"what is nil for some errors, asked twice", `func f() error { err := other(); if ignoreNotFound(err) == nil { set() }; if ignoreNotFound(err) == nil { return save() }; return nil }`, false},
		{"what is nil for some errors, and returned", `func f() error { err := other(); if ignoreNotFound(err) != nil { set(); return ignoreNotFound(err) }; return nil }`, false},
		{"what is nil for some errors, and what is not", `func f() error { err := other(); if ignoreNotFound(err) == nil { set(); return err }; return nil }`, true},
		{"nil is no error that is ignored", `func f() error { err := other(); if err == nil { set(); if ignoreNotFound(err) == nil { return save() } }; return nil }`, false},
		{"another error that is ignored", `func f() error { err := other(); if ignoreNotFound(err) == nil { set() }; err = fail(); if ignoreNotFound(err) == nil { return save() }; return nil }`, true},
		{"error of a literal", `func f() error { set(); if err := func() error { return other() }(); err != nil { return err }; return save() }`, false},
		{"error of a literal ignored", `func f() error { set(); if err := func() error { return other() }(); err != nil { return nil }; return save() }`, true},
		{"error that a literal has found", `func f() error { set(); if err := func() error { if err := other(); err != nil { return err }; return save() }(); err != nil { return err }; return nil }`, false},
		{"what a literal says", `func f() { if changed := func() bool { set(); return true }(); changed { save() } }`, false},
		{"the contrary of what a literal says", `func f() { if changed := func() bool { set(); return true }(); !changed { save() } }`, true},
		{"a loop over something", `func f() { set(); for range []int{1, 2} { save() } }`, false},
		{"a loop over what may be empty", `func f() { set(); for range items { save() } }`, true},

		// One question that is asked twice.
		{"one kind of error", `func f() error { err := other(); if errors.Is(err, os.ErrExist) { set() }; if errors.Is(err, os.ErrExist) { return save() }; return nil }`, false},
		{"another kind of error", `func f() error { err := other(); if errors.Is(err, os.ErrExist) { set() }; if errors.Is(err, os.ErrClosed) { return save() }; return nil }`, true},
		{"one kind of another error", `func f() error { err := other(); if errors.Is(err, os.ErrExist) { set() }; err = fail(); if errors.Is(err, os.ErrExist) { return save() }; return nil }`, true},
		{"a kind of error is one", `func f() error { err := other(); if errors.Is(err, os.ErrExist) { set() }; if err != nil { return save() }; return nil }`, false},
		{"no error is of no kind", `func f() error { err := other(); if err == nil { set() }; if !errors.Is(err, os.ErrExist) { return save() }; return nil }`, false},
		{"one kind of error in rounds", `func f() { for range items { err := other(); if errors.Is(err, os.ErrExist) { set() }; if errors.Is(err, os.ErrExist) { save() } } }`, false},
		{"one kind of error in the next round", `func f() { for range items { err := other(); if errors.Is(err, os.ErrExist) { save() } else { set() } } }`, true},
		{"captured error", `func f() error { err := other(); retry := func() { err = fail() }; if errors.Is(err, os.ErrExist) { set() }; if errors.Is(err, os.ErrExist) { return save() }; retry(); return nil }`, false},
		{"captured error changed", `func f() error { err := other(); retry := func() { err = fail() }; if errors.Is(err, os.ErrExist) { set(); retry() }; if errors.Is(err, os.ErrExist) { return save() }; return nil }`, true},
		{"field", `func f(x *whole) { if x.at != nil { set() }; if x.at != nil { save() } }`, false},
		{"field of another", `func f(x, y *whole) { if x.at != nil { set() }; if y.at != nil { save() } }`, true},
		{"another field", `func f(x *whole) { if x.at != nil { set() }; if x.other != nil { save() } }`, true},
		{"field assigned", `func f(x *whole) { if x.at != nil { set(); x.at = nil }; if x.at != nil { save() } }`, true},
		{"field assigned what it asks", `func f(x *whole) { set(); x.at = new(int); if x.at != nil { save() } }`, false},
		{"field changed by a call", `func f(x *whole) { if x.at != nil { set(); change(x) }; if x.at != nil { save() } }`, true},
		{"field and a call", `func f(x, y *whole) { if x.at != nil { set(); change(y) }; if x.at != nil { save() } }`, false},
		{"field and a look", `func f(x *whole) { if x.at != nil { set(); look(x) }; if x.at != nil { save() } }`, false},
		{"field and a literal that is run", `func f(x *whole) { if x.at != nil { set(); hand(x, func(x *whole) { x.on = true }) }; if x.at != nil { save() } }`, false},
		{"field changed by a literal that is run", `func f(x *whole) { if x.at != nil { set(); hand(x, func(x *whole) { x.at = nil }) }; if x.at != nil { save() } }`, true},
		{"whole assigned", `func f(x, y *whole) { if x.at != nil { set(); *x = *y }; if x.at != nil { save() } }`, true},
		{"part assigned", `func f(x, y *whole) { if x.at != nil { set(); x.part = y.part }; if x.at != nil { save() } }`, true},
		{"flag in a field", `func f(x *whole) { if x.on { set() }; if !x.on { return }; save() }`, false},
		{"flag set in a field", `func f(x *whole) { set(); x.on = true; if x.on { save() } }`, false},
		{"flag cleared in a field", `func f(x *whole) { set(); x.on = false; if x.on { save() } }`, true},
		{"text", `func f(x *whole) { if x.phase == "A" { set() }; if x.phase == "A" { save() } }`, false},
		{"text is not another", `func f(x *whole) { if x.phase == "A" { set() }; if x.phase != "B" { save() } }`, false},
		{"text is another", `func f(x *whole) { if x.phase == "A" { set() }; if x.phase == "B" { save() } }`, true},
		{"empty text is not another", `func f(x *whole, s string, err error) { if err != nil || x.phase != "" { return }; set(); if x.phase == s && x.phase == "A" { return }; save() }`, false},
		{"neither text", `func f(x *whole) { if x.phase != "A" { set() }; if x.phase != "B" { save() } }`, true},
		{"text assigned", `func f(x *whole) { set(); x.phase = "A"; if x.phase == "A" { save() } }`, false},
		{"another text assigned", `func f(x *whole) { set(); x.phase = "B"; if x.phase == "A" { save() } }`, true},
		{"parameter's text", `func f(s string) { if s == "A" { set() }; if s != "B" { save() } }`, false},
		{"switch twice", `func f(s string) { switch s { case "A": set(); case "B": }; switch s { case "A": save(); case "B": } }`, false},
		{"switch in rounds", `func f(all []string) { for _, s := range all { switch s { case "A": set(); case "B": save() } } }`, true},
		{"number", `func f(n int) { if n == 1 { set() }; if n != 2 { save() } }`, false},
		{"length", `func f(x *whole) { if len(x.list) > 0 { set() }; if len(x.list) != 0 { save() } }`, false},
		{"no length", `func f(x *whole) { if len(x.list) == 0 { set() }; if len(x.list) > 0 { save() } }`, true},
		{"length of two", `func f(x *whole) { if len(x.list) > 0 { set() }; if len(x.list) > 1 { save() } }`, true},
		{"set in cases", `func f(x *whole, n int) { flag := false; switch { case n == 1 && x.at != nil: set(); flag = true; case n == 2: }; if flag && x.at != nil { save() } }`, false},
		{"element in rounds", `func f(all []*whole) { for _, x := range all { if x.at != nil { set() }; if x.at != nil { save() } } }`, false},
		{"another element", `func f(all []*whole) { for i, x := range all { if x.at != nil { set() }; if all[i+1].at != nil { save() } } }`, true},
		{"field in a literal", `func f(x *whole) { if x.at != nil { set() }; func() { if x.at != nil { save() } }() }`, false},

		// The same condition twice.
		{"bool tested twice", `func f() { changed := cond(); if changed { set() }; if changed { save() } }`, false},
		{"negated", `func f() { changed := cond(); if changed { set() }; if !changed { return }; save() }`, false},
		{"compared", `func f() { changed := cond(); if changed == true { set() }; if changed != false { save() } }`, false},
		{"opposite", `func f() { changed := cond(); if changed { set() }; if !changed { save() } }`, true},
		{"asked twice", `func f() { if cond() { set() }; if cond() { save() } }`, true},
		{"flag", `func f() { changed := false; if cond() { set(); changed = true }; if changed { save() } }`, false},
		{"flag of two places", `func f() { changed := false; if cond() { set(); changed = true }; if cond() { set(); changed = true }; if changed { save() } }`, false},
		{"flag reset", `func f() { changed := false; if cond() { set(); changed = true }; changed = cond(); if changed { save() } }`, true},
		{"flag in a closure", `func f() { changed := false; func() { set(); changed = true }(); if changed { save() } }`, false},
		{"flag seen by a deferred closure", `func f() { changed := false; defer func() { if changed { save() } }(); if cond() { set(); changed = true } }`, false},
		{"flag forgotten", `func f() { changed := false; defer func() { if changed { save() } }(); set() }`, true},
		{"conjunction", `func f(x, y bool) { if x && y { set() }; if x { save() } }`, false},
		{"disjunction", `func f(x, y bool) { if x || y { set() }; if x { save() } }`, true},
		{"pointer tested twice", `func f(p *int) { if p != nil { set() }; if p != nil { save() } }`, false},
		{"result of a comparison", `func f(p *int) { ok := p != nil; if ok { set() }; if p != nil { save() } }`, false},

		// Deferred calls and literals.
		{"deferred", `func f() { defer save(); set() }`, false},
		{"deferred after", `func f() { set(); defer save() }`, false},
		{"deferred after a return", `func f() { set(); if cond() { return }; defer save() }`, true},
		{"deferred under a condition", `func f() { if cond() { defer save() }; set() }`, true},
		{"deferred closure", `func f() { defer func() { save() }(); set() }`, false},
		{"deferred closure in a variable", `func f() { done := func() { save() }; defer done(); set() }`, false},
		{"deferred, on success only", `func f() (err error) { defer func() { if err == nil { err = save() } }(); set(); return nil }`, false},
		{"deferred, on failure only", `func f() (err error) { defer func() { if err != nil { err = save() } }(); set(); return nil }`, true},
		{"deferred, failed anyway", `func f() (err error) { defer func() { if err == nil { err = save() } }(); set(); return errors.New("x") }`, false},
		{"deferred closure swallows the error", `func f() (err error) { defer func() { err = nil }(); set(); return errors.New("x") }`, true},
		{"deferred closure makes an error", `func f() (err error) { defer func() { err = errors.New("x") }(); set(); return nil }`, false},
		{"set by the deferred closure", `func f() { defer save(); defer func() { set() }() }`, false},
		{"set by the last deferred closure", `func f() { defer func() { set() }(); defer save() }`, true},
		{"recovering", `func f() { defer func() { if r := recover(); r != nil { a() } }(); set(); save() }`, false},
		{"closure called", `func f() { set(); func() { save() }() }`, false},
		{"closure called later", `func f() { store := func() error { return save() }; set(); store() }`, false},
		{"closure never called", `func f() { store := func() error { return save() }; set(); _ = store }`, true},
		{"closure in one branch", `func f() { store := func() { save() }; set(); if cond() { store() } }`, true},
		{"closure that may not save", `func f() { set(); func() { if cond() { save() } }() }`, true},
		{"closure of a closure", `func f() { set(); func() { func() { save() }() }() }`, false},
		{"closure that returns early", `func f() { func() { set(); if cond() { return }; save() }() }`, true},
		{"run in place", `func f() { set(); once.Do(func() { save() }) }`, false},
		{"run in place, set inside", `func f() { once.Do(func() { set() }); save() }`, false},
		{"run in place, saved on failure", `func f() { set(); slices.SortFunc(items, func(x, y int) int { if cond() { save() }; return 0 }) }`, true},
		{"run by another function", `func run(g func()) { g() }; func f() { set(); run(func() { save() }) }`, false},
		{"run by another function, or not", `func run(g func()) { if cond() { g() } }; func f() { set(); run(func() { save() }) }`, true},
		{"result of a closure", `func f() { ask := func() bool { return cond() }; if ask() { set(); save() } }`, false},
		{"result of a closure, asked twice", `func f() { ask := func() (int, bool) { return 0, cond() }; _, ok := ask(); if ok { set() }; if ok { save() } }`, false},
		{"result of a function that is run by another", `func run[T any](g func() T) T { return g() }; func f() { err := run(func() error { return save() }); if err == nil { set() }; if err == nil { save() } }`, false},
		{"result of a closure that returns at two places", `func f() { ask := func() bool { if cond() { return false }; return true }; if ask() { set() }; if cond() { save() } }`, true},
		{"goroutine", `func f() { set(); go save() }`, true},
		{"goroutine of a closure", `func f() { set(); go func() { save() }() }`, true},

		// Loops.
		{"saved after the loop", `func f() { for range items { set() }; save() }`, false},
		{"saved in the loop", `func f() { for range items { set(); save() } }`, false},
		{"next round before saving", `func f() { for range items { set(); if cond() { continue }; save() } }`, true},
		{"left before saving", `func f() { for range items { set(); if cond() { break }; save() } }`, true},
		{"left before saving, saved behind", `func f() { for range items { set(); if cond() { break }; save() }; save() }`, false},
		{"condition of each round", `func f() { for range items { ok := cond(); if ok { set() }; if ok { save() } } }`, false},
		{"condition of the round before", `func f() { last := false; for range items { if last { save() }; last = cond(); if last { set() } } }`, true},
		{"endless", `func f() { set(); for { a() } }`, false},
		{"endless with a way out", `func f() { set(); for { if cond() { return }; a() } }`, true},
		{"labelled", `func f() { outer: for { for range items { set(); if cond() { break outer } }; save() } }`, true},
		{"goto", `func f() { set(); goto end; end: save() }`, false},

		// No return.
		{"panic", `func f() { set(); panic("x") }`, false},
		{"exit", `func f() { set(); os.Exit(1) }`, false},
		{"exit in a branch", `func f() { set(); if cond() { os.Exit(1) }; save() }`, false},
		{"unreachable", `func f() { return; set() }`, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := lost(graphOf(t, test.src)); got != test.lost {
				t.Errorf("%s\nlost: %v, want %v", test.src, got, test.lost)
			}
		})
	}
}

// What is assumed at the start rules out paths.
func TestSearchAssuming(t *testing.T) {
	g := graphOf(t, `func f() { changed := cond(); if changed { a() } else { b() } }`)
	var start *paths.Node
	for _, n := range g.Nodes {
		if hasCall(n, "cond") {
			start = n
		}
	}
	value := start.Instr.(ssa.Value)
	for _, test := range []struct {
		assume paths.Truth
		a, b   bool
	}{{paths.Unknown, true, true}, {paths.True, true, false}, {paths.False, false, true}} {
		reaches := func(name string) bool {
			_, found := g.Search(start, 0, map[ssa.Value]paths.Truth{value: test.assume}, func(n *paths.Node, stage int, _ paths.Known) (int, paths.Step) {
				if hasCall(n, name) {
					return stage, paths.Found
				}
				return stage, paths.Continue
			})
			return found
		}
		if a, b := reaches("a"), reaches("b"); a != test.a || b != test.b {
			t.Errorf("assuming %v: a %v, b %v", test.assume, a, b)
		}
	}
}

// A path tells the way that was found, and stages go along with it.
func TestSearchPathAndStages(t *testing.T) {
	g := graphOf(t, `func f() { a(); if cond() { b() }; a(); save() }`)
	path, found := g.Search(nil, 0, nil, func(n *paths.Node, stage int, _ paths.Known) (int, paths.Step) {
		switch {
		case hasCall(n, "b"):
			return stage, paths.Prune
		case hasCall(n, "a"):
			return stage + 1, paths.Continue
		case hasCall(n, "save") && stage == 2:
			return stage, paths.Found
		}
		return stage, paths.Continue
	})
	if got := trace(path); !found || got != "a cond a save" {
		t.Errorf("found %v: %s", found, got)
	}
	if _, found := g.Search(nil, 0, nil, func(n *paths.Node, stage int, _ paths.Known) (int, paths.Step) {
		if hasCall(n, "a") {
			stage++
		}
		if stage == 3 {
			return stage, paths.Found
		}
		return stage, paths.Continue
	}); found {
		t.Error("a path calls a three times")
	}
}

// trace names the calls on a path.
func trace(path paths.Path) string {
	var names []string
	for _, n := range path {
		for _, name := range []string{"set", "save", "a", "b", "cond", "fail", "other", "retry"} {
			if hasCall(n, name) {
				names = append(names, name)
			}
		}
	}
	return strings.Join(names, " ")
}

// A search gives up rather than to follow every combination of conditions.
func TestSearchIsBounded(t *testing.T) {
	var src strings.Builder
	src.WriteString("func f(x [40]bool) {\n")
	for i := range 40 {
		name := "c" + string(rune('A'+i%26)) + string(rune('0'+i/26))
		src.WriteString(name + " := cond(); if " + name + " { a() }; if " + name + " { b() }\n")
	}
	src.WriteString("set() }")
	g := graphOf(t, src.String())
	steps := 0
	g.Search(nil, 0, nil, func(n *paths.Node, stage int, _ paths.Known) (int, paths.Step) {
		steps++
		return stage, paths.Continue
	})
	if steps > 60_000 {
		t.Errorf("%d steps", steps)
	}
}

func TestOutcome(t *testing.T) {
	for _, test := range []struct {
		src  string
		want []paths.Truth // of the exits, in the order of the source
	}{
		{`func f() {}`, []paths.Truth{paths.False}},
		{`func f() int { return 1 }`, []paths.Truth{paths.False}},
		{`func f() error { return nil }`, []paths.Truth{paths.False}},
		{`func f() error { return other() }`, []paths.Truth{paths.Unknown}},
		{`func f() error { if err := other(); err != nil { return err }; return nil }`, []paths.Truth{paths.True, paths.False}},
		{`func f() (int, error) { return 0, fmt.Errorf("x") }`, []paths.Truth{paths.True}},
	} {
		g := graphOf(t, test.src)
		got := make(map[int]paths.Truth)
		var lines []int
		g.Search(nil, 0, nil, func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
			if g.IsExit(n) {
				pos := int(n.Instr.Pos())
				got[pos] = g.Outcome(n, known)
				lines = append(lines, pos)
			}
			return stage, paths.Continue
		})
		slices.Sort(lines)
		var outcomes []paths.Truth
		for _, pos := range lines {
			outcomes = append(outcomes, got[pos])
		}
		if !slices.Equal(outcomes, test.want) {
			t.Errorf("%s\nreturns %v, want %v", test.src, outcomes, test.want)
		}
	}
}
