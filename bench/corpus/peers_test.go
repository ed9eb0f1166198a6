package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/opvet/opvet/analyzers"
)

func TestParsePeers(t *testing.T) {
	const good = `{"tools":[{"name":"o/tool","version":"v1","note":"n","checks":[{"name":"c","analyzers":["detachedctx"],"repos":["o/n"]}]}],
"findings":[{"tool":"o/tool","check":"c","repo":"o/n","file":"a.go","line":7,"verdict":"right","why":"w"},{"tool":"o/tool","check":"c","repo":"o/n","file":"a.go","line":9}]}`
	peers, err := parsePeers(strings.NewReader(good))
	if err != nil || len(peers.Findings) != 2 || peers.Tools[0].Checks[0].Name != "c" {
		t.Errorf("got %+v, %v", peers, err)
	}
	for _, test := range []struct{ name, from, to, want string }{
		{"unknown field", `"line"`, `"lines"`, "unknown field"},
		{"operator that it did not run over", `"repo":"o/n"`, `"repo":"o/m"`, "o/tool/c did not run over o/m"},
		{"no place", `"line":7`, `"line":0`, "no place"},
		{"verdict", `"right"`, `"bug"`, `unknown verdict "bug"`},
		{"no reason", `,"why":"w"`, ``, "belong together"},
	} {
		_, err := parsePeers(strings.NewReader(strings.Replace(good, test.from, test.to, 1)))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want an error with %q", test.name, err, test.want)
		}
	}
}

func TestCompare(t *testing.T) {
	bug := func(line int) Case {
		return Case{Repo: "o/n", Commit: commitA, File: "a.go", Line: line, Category: "G4", Verdict: verdictBug}
	}
	own := func(analyzer string, line int, verdict string) JudgedFinding {
		c := bug(line)
		c.Verdict = verdict
		return JudgedFinding{Finding: Finding{Analyzer: analyzer, File: "a.go", Line: line}, Case: &c, within: extent{line - 9, line + 9}}
	}
	r := &Report{
		Operators: []Tree{{
			Operator: Operator{Repo: "o/n", Commit: commitA},
			Findings: []JudgedFinding{
				own("detachedctx", 10, verdictBug), // the check has it three lines away
				own("detachedctx", 50, verdictBug), // elsewhere in the function
				own("detachedctx", 100, verdictBug),
				own("detachedctx", 150, verdictOK),
				own("ctxdone", 200, verdictBug), // another subject
			},
		}},
		Cases: []Result{
			{Case: bug(10), Outcome: outcomeFound},
			{Case: bug(52), Outcome: outcomeMissed, within: extent{40, 60}},
			{Case: bug(300), Outcome: outcomeMissed},
			{Case: bug(400), Outcome: outcomeUnanalysed},
		},
	}
	theirs := func(line int, verdict string) PeerFinding {
		return PeerFinding{Tool: "o/tool", Check: "c", Repo: "o/n", File: "a.go", Line: line, Verdict: verdict}
	}
	c := r.compare("o/tool", PeerCheck{Name: "c", Analyzers: []string{"detachedctx"}, Repos: []string{"o/n"}}, []PeerFinding{
		theirs(13, "right"), theirs(43, ""), theirs(200, "right"), theirs(250, "wrong"),
		{Tool: "o/tool", Check: "other", Repo: "o/n", File: "a.go", Line: 100},
	})
	if c.findings != 4 || c.verdicts["right"] != 2 || c.verdicts["wrong"] != 1 || c.opvet.right != 3 || c.opvet.wrong != 1 ||
		c.shared != 2 || c.back != 1 || c.bugs != 3 || c.peerBugs != 2 || c.ownBugs != 1 {
		t.Errorf("got %+v", c)
	}
}

// The peers' data must parse and speak of operators and analyzers that there are.
func TestOwnPeers(t *testing.T) {
	peers, err := readFile("peers.json", parsePeers)
	if err != nil {
		t.Fatal(err)
	}
	operators, err := readFile("operators.jsonl", parseOperators)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range peers.Tools {
		for _, check := range tool.Checks {
			for _, name := range check.Analyzers {
				if analyzers.ByName(name) == nil {
					t.Errorf("%s: no analyzer %s", check.Name, name)
				}
			}
			for _, repo := range check.Repos {
				if !slices.ContainsFunc(operators, func(o Operator) bool { return o.Repo == repo }) {
					t.Errorf("%s: %s is not among the operators", check.Name, repo)
				}
			}
		}
	}
}
