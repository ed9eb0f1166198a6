package main

import (
	"go/parser"
	"go/token"
	"testing"
)

func TestMatch(t *testing.T) {
	// The function of every case in a.go spans lines 10 to 50.
	extents := func(c Case) extent {
		if c.File == "a.go" {
			return extent{10, 50}
		}
		return extent{}
	}
	at := func(file string, line int, related ...place) Finding {
		return Finding{File: file, Line: line, Related: related}
	}
	bug := func(file string, line int) Case { return Case{File: file, Line: line, Verdict: verdictBug} }
	trap := func(file string, line int) Case { return Case{File: file, Line: line, Verdict: verdictOK} }
	for _, test := range []struct {
		name     string
		cases    []Case
		findings []Finding
		want     []outcome
		unjudged int
		near     int
	}{
		{"bug at its line", []Case{bug("a.go", 20)}, []Finding{at("a.go", 20)}, []outcome{outcomeFound}, 0, 0},
		{"bug three lines off", []Case{bug("b.go", 20)}, []Finding{at("b.go", 17)}, []outcome{outcomeFound}, 0, 0},
		{"bug four lines off", []Case{bug("b.go", 20)}, []Finding{at("b.go", 24)}, []outcome{outcomeMissed}, 1, 0},
		{"bug in its function", []Case{bug("a.go", 20)}, []Finding{at("a.go", 49)}, []outcome{outcomeFound}, 0, 0},
		{"bug outside its function", []Case{bug("a.go", 20)}, []Finding{at("a.go", 60)}, []outcome{outcomeMissed}, 1, 0},
		{"bug in another file", []Case{bug("a.go", 20)}, []Finding{at("b.go", 20)}, []outcome{outcomeMissed}, 1, 0},
		{
			"bug behind a call from another package",
			[]Case{bug("b.go", 20)},
			[]Finding{at("c.go", 5, place{"b.go", 20})},
			[]outcome{outcomeFound}, 0, 0,
		},
		{
			"bug that messages from other packages point to",
			[]Case{bug("pkg/util/b.go", 20)},
			[]Finding{
				{File: "c.go", Line: 5, Message: "a goroutine (at util/b.go:20) that nothing waits for"},
				{File: "c.go", Line: 9, Message: "a goroutine (at util/b.go:20) that nothing waits for"},
				{File: "c.go", Line: 12, Message: "a goroutine (at other/b.go:20) that nothing waits for"},
			},
			[]outcome{outcomeFound}, 1, 0,
		},
		{
			"one finding is the place that it names and the judged call that leads there",
			[]Case{bug("c.go", 5), bug("pkg/util/b.go", 20)},
			[]Finding{{File: "c.go", Line: 5, Message: "a goroutine (at util/b.go:20) that nothing waits for"}},
			[]outcome{outcomeFound, outcomeFound}, 0, 0,
		},
		{
			"a finding that points to another bug does not find the one around it",
			[]Case{bug("a.go", 20), bug("pkg/util/b.go", 20)},
			[]Finding{
				{File: "a.go", Line: 40, Message: "a goroutine (at util/b.go:20) that nothing waits for"},
				{File: "a.go", Line: 45, Message: "a goroutine (at util/b.go:20) that nothing waits for"},
			},
			[]outcome{outcomeMissed, outcomeFound}, 0, 0,
		},
		{
			"one finding is one bug, the nearest",
			[]Case{bug("a.go", 20), bug("a.go", 40)},
			[]Finding{at("a.go", 39)},
			[]outcome{outcomeMissed, outcomeFound}, 0, 0,
		},
		{
			"two findings are two bugs",
			[]Case{bug("a.go", 20), bug("a.go", 40)},
			[]Finding{at("a.go", 41), at("a.go", 45)},
			[]outcome{outcomeFound, outcomeFound}, 0, 0,
		},
		{
			"two findings on one bug",
			[]Case{bug("a.go", 20)},
			[]Finding{at("a.go", 20), at("a.go", 21)},
			[]outcome{outcomeFound}, 0, 0,
		},
		{"trap at its line", []Case{trap("a.go", 20)}, []Finding{at("a.go", 21)}, []outcome{outcomeReported}, 0, 0},
		{"trap two lines off", []Case{trap("a.go", 20)}, []Finding{at("a.go", 22)}, []outcome{outcomeSilent}, 1, 1},
		{
			"a finding on a trap does not find a bug",
			[]Case{bug("a.go", 20), trap("a.go", 30)},
			[]Finding{at("a.go", 30)},
			[]outcome{outcomeMissed, outcomeReported}, 0, 0,
		},
		{
			"related places do not make a trap reported",
			[]Case{trap("b.go", 20)},
			[]Finding{at("c.go", 5, place{"b.go", 20})},
			[]outcome{outcomeSilent}, 1, 0,
		},
		{
			"cases about another analyzer",
			[]Case{
				{File: "a.go", Line: 20, Verdict: verdictBug, Analyzer: "reconcileclient"},
				{File: "a.go", Line: 30, Verdict: verdictOK, Analyzer: "reconcileclient"},
			},
			[]Finding{at("a.go", 20), at("a.go", 30)},
			[]outcome{outcomeMissed, outcomeSilent}, 2, 0,
		},
		{"nothing found", []Case{bug("a.go", 20), trap("a.go", 30)}, nil, []outcome{outcomeMissed, outcomeSilent}, 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			for i := range test.cases {
				test.cases[i].Category = "G5"
			}
			for i := range test.findings {
				test.findings[i].Analyzer = "cachesync"
			}
			results, judged := match(test.cases, test.findings, extents)
			near := 0
			for i, r := range results {
				if r.Outcome != test.want[i] {
					t.Errorf("case %d: got %s, want %s", i, r.Outcome, test.want[i])
				}
				near += len(r.Near)
			}
			unjudged := 0
			for _, seen := range judged {
				if !seen {
					unjudged++
				}
			}
			if unjudged != test.unjudged || near != test.near {
				t.Errorf("got %d unjudged and %d near, want %d and %d", unjudged, near, test.unjudged, test.near)
			}
		})
	}
}

func TestFuncExtent(t *testing.T) {
	const src = `package p

func (r *A) Reconcile() {
	_ = 0
}

func (r B) Reconcile() {
	_ = 0
}

func (g *G[K, V]) sync() {
	_ = 0
}

func helper() {
	_ = 0
}
`
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		line int
		want extent
	}{
		{"A.Reconcile", 4, extent{3, 5}},
		{"(*A).Reconcile", 4, extent{3, 5}},
		{"B.Reconcile", 1, extent{7, 9}},
		{"Reconcile", 8, extent{7, 9}},  // two of that name: the one around the line
		{"Reconcile", 6, extent{}},      // around none
		{"G.sync", 12, extent{11, 13}},  // generic receiver
		{"sync", 1, extent{11, 13}},     // the only one of that name
		{"gone", 16, extent{15, 17}},    // no such function: the one around the line
		{"", 16, extent{15, 17}},        // no name
		{"helper", 100, extent{15, 17}}, // the line is off
	} {
		if got := funcExtent(fset, file, Case{Func: test.name, Line: test.line}); got != test.want {
			t.Errorf("%s around line %d: got %v, want %v", test.name, test.line, got, test.want)
		}
	}
}
