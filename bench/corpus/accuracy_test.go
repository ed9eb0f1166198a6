package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/opvet/opvet/analyzers"
	"github.com/opvet/opvet/internal/report/rule"
)

func TestAccuracyDocument(t *testing.T) {
	bug := Case{Repo: "o/n", Commit: commitA, File: "p/a.go", Line: 7, Category: "G4", Verdict: verdictBug, Why: "a  bug"}
	trap, missed, absent := bug, bug, bug
	trap.Line, trap.Verdict, trap.Why = 20, verdictOK, "a|trap"
	missed.Line, absent.Line = 30, 40
	finding := func(line int) Finding {
		return Finding{Analyzer: "detachedctx", Category: "helper", File: "p/a.go", Line: line}
	}
	found, reported := finding(7), finding(20)
	r := &Report{
		Binary: strings.Repeat("ab", 32),
		Opvet:  provenance{Commit: commitA, Date: "2026-11-22", Modified: true, Go: "go1.26.8"},
		Groups: []Group{{Category: "G4", Analyzers: []string{"detachedctx"}, Bugs: 2, Found: 1, Traps: 1, Reported: 1, Unanalysed: 1}},
		Cases: []Result{
			{Case: bug, Outcome: outcomeFound, Finding: &found},
			{Case: trap, Outcome: outcomeReported, Finding: &reported},
			{Case: missed, Outcome: outcomeMissed},
			{Case: absent, Outcome: outcomeUnanalysed, Reason: "no clone of o/n under /here"},
		},
		Operators: []Tree{
			{
				Operator: Operator{Repo: "o/n", Commit: commitA, Unseen: true}, Lines: 12_345, Unloaded: 2,
				Findings: []JudgedFinding{{Finding: found, Case: &bug, Grade: gradeB}, {Finding: reported, Case: &trap}, {Finding: finding(50)}},
			},
			{Operator: Operator{Repo: "o/m", Commit: commitA}, Reason: "no clone"},
		},
	}
	peers := &Peers{
		Tools:    []Peer{{Name: "o/tool", Version: "v1", Note: "Run so.", Checks: []PeerCheck{{"c", []string{"detachedctx"}, []string{"o/n"}}}}},
		Findings: []PeerFinding{{Tool: "o/tool", Check: "c", Repo: "o/n", File: "p/a.go", Line: 8, Verdict: "right", Why: "w"}},
	}
	contacts := []Contact{{Repo: "o/k", Commit: commitA, Date: "2026-11-22", Lines: 1000, Findings: 4, Right: 3, Grades: &Grades{1, 1, 1}}}
	text := string(r.accuracy(peers, contacts))
	for _, want := range []string{
		"| at [first contact](#first-contact), 1 operators | 4 | 3 of 4 (75 %) | 2 of 4 (50 %) |\n",
		"| [now](#now), 1 operators | 3 | 1 of 3 (33 %) | 1 of 3 (33 %) |\n",
		"[Judged bugs](#judged-cases) found: 1 of 2 (50 %).\n",
		"| [o/k](https://github.com/o/k) | 0123456789 | 2026-11-22 | 1,000 | 4 | 3 of 4 (75 %) | 2 of 4 (50 %) | 1 | 1 | 1 |\n",
		"on 1 operators at a recent commit",
		"Measured: opvet 0123456789 of 2026-11-22 with uncommitted changes (SHA-256 of the binary abababababab…), go1.26.8.\n",
		"| lines of Go code analysed | 12,345 |\n",
		"| wrong findings in 50,000 lines | 4.05 |\n",
		"| bugs found | 1 of 2 (50 %) |\n",
		"| cases not analysed | 1 |\n",
		"| [detachedctx](analyzers/detachedctx.md) | 3 | 1 | 1 | 1 | 50 % | 50 % | 1 | 1 |\n",
		"| [detachedctx/helper](analyzers/detachedctx.md#helper) | 3 | 1 | 1 | 1 | 50 % | 50 % | 1 | 1 |\n",
		"| [o/n](https://github.com/o/n) | 0123456789 | yes | 12,345 | 3 | 1 | 1 | 1 | 50 % |\n",
		"| [o/m](https://github.com/o/m) | 0123456789 |  | not analysed: no clone |  |  |  |  |  |\n",
		"2 files of o/n are left out",
		"| G4 | detachedctx | 2 | 1 | 0 | 1 | 1 | 1 | 1 |\n",
		"- o/n at 0123456789: no clone of o/n (1)\n",
		"### Traps reported\n\n- `detachedctx/helper` [n a.go:20](https://github.com/o/n/blob/" + commitA + "/p/a.go#L20): a|trap\n",
		"### Bugs missed\n\n- G4 [n a.go:30](https://github.com/o/n/blob/" + commitA + "/p/a.go#L30): a bug\n",
		"| tool c | detachedctx | 1 | 1 | 1 | 0 | 0 | 1, 1 | 1 of 1 | 1 of 1 | 1 of 2 | 1 of 2 |\n",
		"- [o/tool](https://github.com/o/tool), v1, over o/n. Run so.\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the document lacks %q:\n%s", want, text)
		}
	}
}

// The document is measured, which takes clones and hours. What can be told
// without them is whether it is about the suite, the operators and the cases
// that there are now.
func TestOwnDocument(t *testing.T) {
	data, err := os.ReadFile("../../docs/accuracy.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	again := `it is old: run the bench again as it says under "Run it again"`
	section := func(title string) string {
		_, rest, ok := strings.Cut(text, "\n## "+title+"\n")
		if !ok {
			t.Fatalf("docs/accuracy.md has no section %q: %s", title, again)
		}
		rest, _, _ = strings.Cut(rest, "\n## ")
		return rest
	}

	var rows []string
	for _, m := range regexp.MustCompile(`(?m)^\| \[(\w+)\]`).FindAllStringSubmatch(section("By analyzer"), -1) {
		rows = append(rows, m[1])
	}
	// Rules that came after the last run are listed by hand until the next one, which
	// writes the page anew.
	_, after, _ := strings.Cut(text, "\n## Not measured yet\n")
	after, _, _ = strings.Cut(after, "\n## ")
	later := func(name string) bool { return strings.Contains(after, "`"+name+"`") }
	var names, categories []string
	for _, a := range analyzers.All() {
		if later(a.Name) {
			continue
		}
		names = append(names, a.Name)
		for _, c := range rule.Of(a).Categories {
			if name := a.Name + "/" + c.Name; !c.Strict && !later(name) {
				categories = append(categories, name)
			}
		}
	}
	if !slices.Equal(rows, names) {
		t.Errorf("docs/accuracy.md has the analyzers %v, the suite %v: %s", rows, names, again)
	}
	byCategory := section("By category")
	for _, name := range categories {
		if !strings.Contains(byCategory, "["+name+"]") && !strings.Contains(byCategory, "`"+name+"`") {
			t.Errorf("docs/accuracy.md says nothing of %s: %s", name, again)
		}
	}

	operators, err := readFile("operators.jsonl", parseOperators)
	if err != nil {
		t.Fatal(err)
	}
	byOperator := section("By operator")
	for _, o := range operators {
		if want := fmt.Sprintf("| [%s](https://github.com/%s) | %.10s |", o.Repo, o.Repo, o.Commit); !strings.Contains(byOperator, want) {
			t.Errorf("docs/accuracy.md has no row %q: %s", want, again)
		}
	}

	peers, err := readFile("peers.json", parsePeers)
	if err != nil {
		t.Fatal(err)
	}
	beside := section("Beside other tools")
	for _, tool := range peers.Tools {
		for _, check := range tool.Checks {
			if _, name, _ := strings.Cut(tool.Name, "/"); !strings.Contains(beside, "| "+name+" "+check.Name+" |") {
				t.Errorf("docs/accuracy.md lacks %s of %s: %s", check.Name, tool.Name, again)
			}
		}
	}

	cases, err := readFile("cases.jsonl", parseCases)
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`\| judged cases \| (\d+) \|`).FindStringSubmatch(text)
	if m == nil {
		t.Fatal("docs/accuracy.md does not say how many cases are judged")
	}
	// A few more cases do not make the document wrong, and need not wait for
	// somebody who has all the clones.
	if n, err := strconv.Atoi(m[1]); err != nil || n > len(cases) || len(cases) > n+n/10 {
		t.Errorf("docs/accuracy.md is about %s cases, and there are %d: %s", m[1], len(cases), again)
	}
}

func TestContacts(t *testing.T) {
	data, err := os.Open("contacts.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer data.Close()
	if contacts, err := parseContacts(data); err != nil || len(contacts) == 0 {
		t.Errorf("%d contacts, %v", len(contacts), err)
	}
	const row = `{"repo": "o/n", "commit": "` + commitA + `", "date": "2026-11-22", "lines": 1, `
	for text, want := range map[string]string{
		row + `"findings": 1, "right": 2}`:                                             "do not add up",
		row + `"findings": 3, "right": 2, "grades": {"A": 1, "B": 0, "C": 0}}`:         "do not add up",
		row + `"findings": 0, "right": 0}` + "\n" + row + `"findings": 0, "right": 0}`: "was made already",
		row + `"wanted": 7}`: "unknown field",
	} {
		if _, err := parseContacts(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
