package main

import (
	"strings"
	"testing"
)

const commitA = "0123456789012345678901234567890123456789"

func TestParseCases(t *testing.T) {
	cases, err := parseCases(strings.NewReader(`
{"repo":"o/n","commit":"` + commitA + `","file":"pkg/a.go","line":7,"category":"G1","verdict":"bug","fixed_in":null,"func":"T.m","why":"w","snippet_shape":"s"}

{"repo":"o/n","commit":"` + commitA + `","file":"pkg/a.go","line":7,"category":"S1","verdict":"ok","fixed_in":null,"func":"T.m","why":"w","snippet_shape":"s","sub":"k"}
`))
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) != 2 || cases[0].Func != "T.m" || cases[1].Sub != "k" {
		t.Errorf("got %+v", cases)
	}
}

func TestParseCasesErrors(t *testing.T) {
	good := `{"repo":"o/n","commit":"` + commitA + `","file":"a.go","line":7,"category":"G1","verdict":"bug","fixed_in":null,"func":"f","why":"w","snippet_shape":"s"}`
	for _, test := range []struct{ name, from, to, want string }{
		{"unknown field", `"line"`, `"lines"`, `unknown field "lines"`},
		{"repo", `"o/n"`, `"n"`, "not owner/name"},
		{"repo that climbs", `"o/n"`, `"../n"`, "not owner/name"},
		{"short commit", commitA, "0123", "40 hex"},
		{"absolute file", `"a.go"`, `"/a.go"`, "clean path"},
		{"file that climbs", `"a.go"`, `"../a.go"`, "clean path"},
		{"line", `:7`, `:0`, "not positive"},
		{"category", `"G1"`, `"X1"`, `unknown category "X1"`},
		{"verdict", `"bug"`, `"maybe"`, "neither"},
		{"analyzer", `"why"`, `"analyzer":"ctxdone","why"`, `"ctxdone" is none of the analyzers of G1`},
		{"no reason", `"why":"w"`, `"why":""`, "why is empty"},
		{"limit on a trap", `"verdict":"bug"`, `"verdict":"ok","limit":"l"`, "bugs only"},
		{"twice", "}", "}\n" + good, "line 2: o/n@0123456789 a.go:7 G1 was judged already on line 1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := parseCases(strings.NewReader(strings.Replace(good, test.from, test.to, 1)))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
		})
	}
}

func TestSelectCases(t *testing.T) {
	cases := []Case{{Category: "G1"}, {Category: "S2"}, {Category: "G5"}, {Category: "C5"}}
	for _, test := range []struct {
		categories, analyzers, want string
	}{
		{"", "", "G1 S2 G5 C5"},
		{"S2", "", "S2"},
		{"", "finalizeradd", "S2"},
		{"", "reconcileclient", "G5 C5"},
		{"C5", "reconcileclient", "C5"},
		{"G1", "reconcileclient", ""},
	} {
		got, err := selectCases(cases, list(test.categories), list(test.analyzers))
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, c := range got {
			names = append(names, c.Category)
		}
		if s := strings.Join(names, " "); s != test.want {
			t.Errorf("categories %q, analyzers %q: got %q, want %q", test.categories, test.analyzers, s, test.want)
		}
	}
	for _, bad := range [][2][]string{{{"X"}, nil}, {nil, {"nosuch"}}} {
		if _, err := selectCases(cases, bad[0], bad[1]); err == nil {
			t.Errorf("no error for %v", bad)
		}
	}
}

// The project's own cases must parse, or nobody notices until the next run.
func TestOwnCases(t *testing.T) {
	cases, err := readFile("cases.jsonl", parseCases)
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) == 0 {
		t.Error("no cases")
	}
}
