package paths_test

import (
	"go/types"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/testing/passtest"
)

// observers take the objects that the cases compare.
const observers = `
import "sort"

var _ = sort.Ints

type T struct{ n int; next *T; list []*T; vals []T; m map[string]*T; any any }
func (t *T) method() {}
type I interface{ method() }
type S struct{ Cluster, Request *T; value T }
func one(x any) {}
func two(x any) {}
func make1() *T { return nil }
func make2() *T { return nil }
func pair() (*T, *T) { return nil, nil }
func copyOf(t *T) *T { c := *t; return &c }
func same(t *T) *T { return t }
func cond() bool { return false }
`

// args returns the arguments of the only calls of one and two in a package.
func args(t *testing.T, calls *calls.Graph) (first, second ssa.Value) {
	t.Helper()
	for _, fn := range calls.Funcs {
		for instr := range blocks.Instrs(fn) {
			call, ok := instr.(*ssa.Call)
			if !ok || call.Call.StaticCallee() == nil {
				continue
			}
			switch call.Call.StaticCallee().Name() {
			case "one":
				first = call.Call.Args[0]
			case "two":
				second = call.Call.Args[0]
			}
		}
	}
	if first == nil || second == nil {
		t.Fatal("the case does not call both one and two")
	}
	return first, second
}

// Each case hands something to one and something to two, and says whether it
// is the same: surely, maybe or not.
func TestObjects(t *testing.T) {
	const (
		same    = "same"
		maybe   = "maybe"
		differ  = "different"
		unknown = maybe
	)
	for _, test := range []struct{ name, src, want string }{
		{"variable", `func f(x *T) { one(x); two(x) }`, same},
		{"two parameters", `func f(x, y *T) { one(x); two(y) }`, differ},
		{"another name", `func f(x *T) { y := x; one(x); two(y) }`, same},
		{"another name, assigned later", `func f(x *T) { var y *T; y = x; one(x); two(y) }`, same},
		{"interface", `func f(x *T) { var i I = x; one(x); two(i) }`, same},
		{"any", `func f(x *T) { var i any = x; one(x); two(i) }`, same},
		{"interface of an interface", `func f(x I) { var i any = x; one(x); two(i) }`, same},
		{"assertion", `func f(i any) { x := i.(*T); one(i); two(x) }`, same},
		{"assertion with ok", `func f(i any) { x, ok := i.(*T); if ok { one(i); two(x) } }`, same},
		{"type switch", `func f(i any) { switch x := i.(type) { case *T: one(i); two(x) } }`, same},
		{"type parameter", `func f[P I](x P) { one(x); var i I = x; two(i) }`, same},
		{"conversion", `type U T; func f(x *T) { y := (*U)(x); one(x); two(y) }`, same},
		{"captured", `func f(x *T) { func() { one(x) }(); two(x) }`, same},
		{"captured and assigned once", `func f() { var x *T; x = make1(); func() { one(x) }(); two(x) }`, same},
		{"captured twice", `func f(x *T) { func() { func() { one(x) }() }(); two(x) }`, same},
		{"parameter of a literal", `func f(x *T) { func(y *T) { one(y) }(x); two(x) }`, same},
		{"result of a literal", `func f(x *T) { y := func() *T { return x }(); one(x); two(y) }`, same},
		{"one of the results of a literal", `func f(x *T) { y, err := func() (*T, error) { return x, nil }(); _ = err; one(x); two(y) }`, same},
		{"result of a literal with a choice", `func f(x, w *T) { y := func() *T { if cond() { return w }; return x }(); one(x); two(y) }`, differ},
		{"parameter of a literal called twice", `func f(x, z *T) { g := func(y *T) { one(y) }; g(x); g(z); two(x) }`, differ},

		{"two calls", `func f() { one(make1()); two(make2()) }`, differ},
		{"the same call twice", `func f() { one(make1()); two(make1()) }`, differ},
		{"one call", `func f() { x := make1(); one(x); two(x) }`, same},
		{"two results", `func f() { x, y := pair(); one(x); two(y) }`, differ},
		{"a copy", `func f(x *T) { y := copyOf(x); one(x); two(y) }`, differ},
		{"a copy by value", `func f(x *T) { y := *x; one(x); two(&y) }`, differ},
		{"returned parameter", `func f(x *T) { y := same(x); one(x); two(y) }`, same},
		{"composite literals", `func f() { x, y := &T{}, &T{}; one(x); two(y) }`, differ},

		{"field", `func f(s *S) { one(s.Cluster); two(s.Cluster) }`, same},
		{"field through another name", `func f(s *S) { c := s.Cluster; one(c); two(s.Cluster) }`, same},
		{"two fields", `func f(s *S) { one(s.Cluster); two(s.Request) }`, differ},
		{"a field of two structs", `func f(s, r *S) { one(s.Cluster); two(r.Cluster) }`, differ},
		{"a struct and its field", `func f(s *S) { one(s); two(s.Cluster) }`, differ},
		{"deeper", `func f(s *S) { x := s.Cluster.next; one(s.Cluster.next); two(x) }`, same},
		{"not as deep", `func f(s *S) { one(s.Cluster.next); two(s.Cluster) }`, differ},
		{"field of a local struct", `func f(x *T) { s := S{Cluster: x}; one(s.Cluster); two(x) }`, same},
		{"field of a pointer to a local struct", `func f(x *T) { s := &S{Cluster: x}; one(s.Cluster); two(x) }`, same},
		{"field of a local struct, assigned twice", `func f(x, y *T) { s := S{Cluster: x}; if cond() { s = S{Cluster: y} }; one(s.Cluster); two(x) }`, differ},
		{"field of a local struct, assigned later", `func f(x, y *T) { s := S{Cluster: x}; s.Request = y; one(s.Request); two(y) }`, same},
		{"another field of a local struct", `func f(x, y *T) { s := S{Cluster: x, Request: y}; one(s.Request); two(x) }`, differ},
		{"struct value", `func f(s S) { one(s.Cluster); two(s.Cluster) }`, same},
		{"address of a field", `func f(s *S) { one(&s.value); two(&s.value) }`, same},

		{"merge of one", `func f(x *T) { var y *T; if cond() { y = x }; one(x); two(y) }`, same},
		{"merge of two", `func f(x, y *T) { z := x; if cond() { z = y }; one(x); two(z) }`, maybe},
		{"merge of two others", `func f(x, y, w *T) { z := x; if cond() { z = y }; one(w); two(z) }`, differ},
		{"captured and assigned twice", `func f(x, y *T) { z := x; func() { z = y }(); one(x); two(z) }`, maybe},
		{"two merges", `func f(x, y *T) { z := x; if cond() { z = y }; w := y; if cond() { w = x }; one(z); two(w) }`, maybe},
		{"assigned under a condition", `func f(x *T) { z := x; if cond() { z = make1() }; one(x); two(z) }`, maybe},
		{"walked", `func f(x *T) { z := x; for z.next != nil { z = z.next }; one(x); two(z) }`, maybe},

		{"element", `func f(x []*T, i int) { one(x[i]); two(x[i]) }`, same},
		{"two elements", `func f(x []*T, i, j int) { one(x[i]); two(x[j]) }`, unknown},
		{"element of two lists", `func f(x, y []*T, i int) { one(x[i]); two(y[i]) }`, differ},
		{"range", `func f(x []*T) { for _, e := range x { one(e); two(e) } }`, same},
		{"range by index", `func f(x []*T) { for i := range x { e := x[i]; one(e); two(x[i]) } }`, same},
		{"two ranges", `func f(x []*T) { for _, e := range x { one(e) }; for _, e := range x { two(e) } }`, unknown},
		{"element by address", `func f(x []T) { for i := range x { e := &x[i]; one(e); two(&x[i]) } }`, same},
		{"element by value is a copy", `func f(x []T) { for i, e := range x { one(&e); two(&x[i]) } }`, differ},
		{"map", `func f(m map[string]*T, k string) { one(m[k]); two(m[k]) }`, same},
		{"two keys", `func f(m map[string]*T, k, l string) { one(m[k]); two(m[l]) }`, unknown},
		{"map with ok", `func f(m map[string]*T, k string) { if e, ok := m[k]; ok { one(e); two(m[k]) } }`, same},
		{"range of a map", `func f(m map[string]*T) { for _, e := range m { one(e); two(e) } }`, same},
		{"list and element", `func f(x []*T) { one(x); two(x[0]) }`, differ},
		{"element of a literal", `func f(x *T) { for _, e := range []*T{x} { one(e); two(x) } }`, same},
		{"element of a literal of two", `func f(x, y *T) { for _, e := range []*T{x, y} { one(e); two(x) } }`, maybe},
		{"element of a literal of two others", `func f(x, y, w *T) { for _, e := range []*T{x, y} { one(e); two(w) } }`, differ},
		{"constant index", `func f(x, y *T) { l := []*T{x, y}; one(l[1]); two(y) }`, same},
		{"another constant index", `func f(x, y *T) { l := []*T{x, y}; one(l[0]); two(y) }`, differ},
		{"a literal that others see", `func f(x, y *T) { l := []*T{x}; sort.Slice(l, nil); l[0] = y; one(l[0]); two(x) }`, differ},
		{"slice of a list", `func f(x []T) { y := x[1:]; one(x); two(y) }`, same},

		{"channel", `func f(c chan *T) { one(<-c); two(<-c) }`, differ},
		{"globals", `var g, h *T; func f() { one(g); two(h) }`, differ},
		{"global", `var g *T; func f() { one(g); two(g) }`, same},
		{"method value", `func f(x *T) { g := x.method; g(); one(x); two(x) }`, same},
	} {
		t.Run(test.name, func(t *testing.T) {
			calls := passtest.Source[*calls.Graph](t, calls.Analyzer, observers+test.src)
			resolve := paths.NewResolver(calls, func(call *ssa.Call, index int) []ssa.Value {
				if call.Call.StaticCallee() != nil && call.Call.StaticCallee().Name() == "same" {
					return call.Call.Args
				}
				return nil
			})
			first, second := args(t, calls)
			x, y := resolve.Place(first), resolve.Place(second)
			got := differ
			switch {
			case x.Object == y.Object && slices.Equal(x.Sub, y.Sub):
				got = same
			case resolve.MayBe(x.Object, y.Object):
				got = maybe
			}
			if resolve.MayBe(x.Object, y.Object) != resolve.MayBe(y.Object, x.Object) {
				t.Error("MayBe depends on the order")
			}
			if got != test.want {
				t.Errorf("%s\nis %s, want %s: %v and %v", test.src, got, test.want, x.FullPath(), y.FullPath())
			}
		})
	}
}

// Each case hands an object to one, and to two what a tracker is asked about
// on each path.
func TestTracker(t *testing.T) {
	for _, test := range []struct{ name, src, want string }{
		{"unchanged", `func f(x *T) { one(x); two(x) }`, "is"},
		{"replaced", `func f(x, y *T) { one(x); z := x; if cond() { z = y }; two(z) }`, "is, is not"},
		{"replaced in both branches", `func f(x, y *T) { one(x); z := x; if cond() { z = y } else { z = make1() }; two(z) }`, "is not"},
		{"came back", `func f(x, y *T) { one(x); z := y; if cond() { z = x }; two(z) }`, "is, may be"},
		{"captured variable", `func f(x, y *T) { one(x); z := y; func() { _ = z }(); z = x; two(z); z = y }`, "is"},
		{"captured variable, replaced", `func f(x, y *T) { one(x); z := x; func() { _ = z }(); z = y; two(z) }`, "is not"},
		{"field", `func f(s *S, x, y *T) { one(x); s.Cluster = x; two(s.Cluster) }`, "is"},
		{"field, replaced", `func f(s *S, x, y *T) { one(x); s.Cluster = x; s.Cluster = y; two(s.Cluster) }`, "is not"},
		{"another field", `func f(s *S, x, y *T) { one(x); s.Cluster = x; two(s.Request) }`, "is not"},
		{"next round", `func f() { for cond() { x := make1(); if cond() { one(x) }; two(x) } }`, "is"},
		{"next element", `func f(l []*T) { for _, x := range l { if cond() { one(x) }; two(x) } }`, "is"},
		// The object of the round before is given up.
		{"next round, kept outside", `func f() { var last *T; for cond() { x := make1(); if last != nil { two(last) }; one(x); last = x } }`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			calls := passtest.Source[*calls.Graph](t, calls.Analyzer, observers+test.src)
			resolve := paths.NewResolver(calls, nil)
			g := paths.NewGraph(calls.Pkg.Func("f"), calls, nil)
			first, second := args(t, calls)
			tracker := resolve.Track(resolve.Place(first).Object)
			answers := make(map[string]bool)
			for _, start := range g.Nodes {
				if !takes(start, "one") {
					continue
				}
				g.Search(start, 0, nil, func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
					if tracker.Ends(n) {
						return stage, paths.Prune
					}
					names := paths.Names(stage)
					if takes(n, "two") {
						switch object := resolve.Place(second).Object; {
						case tracker.Is(object, names):
							answers["is"] = true
						case tracker.MayBe(object, names):
							answers["may be"] = true
						default:
							answers["is not"] = true
						}
					}
					return int(tracker.Step(n, known, names)), paths.Continue
				})
			}
			var got []string
			for _, answer := range []string{"is", "may be", "is not"} {
				if answers[answer] {
					got = append(got, answer)
				}
			}
			if strings.Join(got, ", ") != test.want {
				t.Errorf("%s\nit %s, want %s", test.src, strings.Join(got, ", "), test.want)
			}
		})
	}
}

func takes(n *paths.Node, name string) bool {
	call, ok := n.Instr.(*ssa.Call)
	return ok && call.Call.StaticCallee() != nil && call.Call.StaticCallee().Name() == name
}

// Values that lead round in circles have a place, too.
func TestPlaceIsBounded(t *testing.T) {
	for _, src := range []string{
		`func f(x *T) { for { one(x); x = x.next; two(x) } }`,
		`func f(x []*T) { for { one(x[0]); x = x[0].list; two(x) } }`,
		`func f(x *T) { y := x; for { one(y); two(x); x, y = y.next, x } }`,
		`func f(x any) { for { one(x); x = []any{x}; two(x) } }`,
		`func f() { var g func(x *T) *T; g = func(x *T) *T { one(x); y := g(x.next); two(y); return y }; g(nil) }`,
		`func f(x *T) { one(x` + strings.Repeat(".next", 100) + `); two(x) }`,
		`func f[E any, L ~[]E](l L) { one(l[0]); two(l) }`,
		`func f[P *T | *S](p P) { one(p); two(any(p)) }`,
	} {
		calls := passtest.Source[*calls.Graph](t, calls.Analyzer, observers+src)
		resolve := paths.NewResolver(calls, nil)
		first, second := args(t, calls)
		x, y := resolve.Place(first), resolve.Place(second)
		resolve.MayBe(x.Object, y.Object)
		x.Aspect()
		_ = x.TypeFrom(types.Typ[types.Int], x.FullPath())
	}
}
