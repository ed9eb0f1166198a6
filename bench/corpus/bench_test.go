package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// asOpvet makes the test binary act as opvet: it "finds" every line with the
// word BAD, and counts its runs in the file that the variable names.
const asOpvet = "CORPUS_TEST_AS_OPVET"

func TestMain(m *testing.M) {
	if runs := os.Getenv(asOpvet); runs != "" {
		actAsOpvet(runs)
		return
	}
	os.Exit(m.Run())
}

func actAsOpvet(runs string) {
	if os.Args[1] == "-flags" {
		fmt.Println(`[{"Name":"handlergoroutine","Bool":true},{"Name":"handlergoroutine.tests","Bool":true}]`)
		return
	}
	log, err := os.OpenFile(runs, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		panic(err)
	}
	fmt.Fprintln(log, strings.Join(os.Args[1:], " "))
	log.Close()
	dir, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	var found []diagnostic
	files, _ := filepath.Glob("*.go")
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			panic(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if strings.Contains(line, "BAD") {
				found = append(found, diagnostic{
					Posn:    fmt.Sprintf("%s:%d:1", filepath.Join(dir, name), i+1),
					Harm:    "leak",
					Message: "a goroutine for each event",
				})
			}
		}
	}
	json.NewEncoder(os.Stdout).Encode(map[string]any{"p": map[string]any{"handlergoroutine": found}})
	os.Exit(1)
}

// makeClone makes a bare clone of a repository with one commit, a module in
// its directory op, and returns the commit.
func makeClone(t *testing.T, repos string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Fatal("the bench needs git: ", err)
	}
	src := t.TempDir()
	write := func(name, text string) {
		file := filepath.Join(src, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("op/go.mod", "module example.com/op\n\ngo 1.26.0\n")
	write("op/a.go", "package op\n\nfunc bug() {\n\t_ = 1 // BAD\n}\n\nfunc missed() {\n\t_ = 2\n}\n\nfunc trap() {\n\t_ = 3 // BAD\n}\n\nfunc quiet() {\n\t_ = 4\n}\n\nfunc unknown() {\n\t_ = 5 // BAD\n}\n")
	write("op/other.go", "//go:build never\n\npackage op\n")
	write("op/broken/b.go", "package broken\n\nvar x int = \"\"\n")
	run := func(dir string, args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
			"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@t", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@t")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	run(src, "init", "-q")
	run(src, "add", ".")
	run(src, "commit", "-q", "-m", "one")
	run(src, "clone", "-q", "--bare", src, filepath.Join(repos, "owner+name", "repo"))
	return run(src, "rev-parse", "HEAD")
}

func TestBench(t *testing.T) {
	repos, work := t.TempDir(), t.TempDir()
	commit := makeClone(t, repos)
	runs := filepath.Join(t.TempDir(), "runs")
	t.Setenv(asOpvet, runs)
	t.Setenv("GOPROXY", "off")

	judge := func(file string, line int, category, verdict string) Case {
		return Case{Repo: "owner/name", Commit: commit, File: file, Line: line, Category: category, Verdict: verdict, Why: "because"}
	}
	absent := judge("op/a.go", 4, "G1", verdictBug)
	absent.Commit = commitA
	stranger := judge("op/a.go", 4, "G1", verdictBug)
	stranger.Repo = "no/where"
	cases := []Case{
		judge("op/a.go", 4, "G1", verdictBug),
		judge("op/a.go", 8, "G1", verdictBug),
		judge("op/a.go", 12, "G1", verdictOK),
		judge("op/a.go", 16, "G1", verdictOK),
		judge("op/other.go", 3, "G1", verdictBug),
		judge("op/broken/b.go", 3, "G1", verdictBug),
		judge("main.go", 3, "G1", verdictBug),
		judge("op/a.go", 4, "S1", verdictBug),
		absent,
		stranger,
	}
	do := func(keptOnly bool) *Report {
		b, err := newBench(repos, work, os.Args[0], false, true, t.Logf)
		if err != nil {
			t.Fatal(err)
		}
		b.keptOnly = keptOnly
		report := b.run(cases, nil)
		report.Operators = b.survey([]Operator{
			{Repo: "owner/name", Commit: commit, Modules: []string{"op"}},
			{Repo: "no/where", Commit: commit},
		}, cases)
		return report
	}
	nothing := do(true)
	for _, c := range nothing.Cases {
		if c.Outcome != outcomeUnanalysed {
			t.Errorf("%s is %s, though no result is kept", c.Case, c.Outcome)
		}
	}

	report := do(false)

	var text bytes.Buffer
	report.print(&text, true)
	short := commit[:10]
	want := `G1: handlergoroutine
  bugs found        1 of 2 (50 %)
  traps reported    1 of 2 (50 %)
  not analysed      5
  reported, but right:
    owner/name@` + short + ` op/a.go:12 
        opvet: a goroutine for each event
        judged: because
  missed:
    owner/name@` + short + ` op/a.go:8 
        because
  not analysed:
`
	if !strings.HasPrefix(text.String(), want) {
		t.Errorf("got\n%s\nwant\n%s", &text, want)
	}
	for _, part := range []string{
		"main.go:3 \n        no go.mod governs the file\n",
		"op/other.go:3 \n        the file belongs to no package in this build configuration\n",
		"op/broken/b.go:3 \n        its package does not load: ",
		"no/where@0123456789 op/a.go:4 \n        no clone of no/where under ",
		"owner/name@0123456789 op/a.go:4 \n        the clone ",
		"no analyzer yet: S1 (1)\n",
		"findings that no case judges: 1\n  owner+name@" + short + " op/a.go:20\n      handlergoroutine: a goroutine for each event\n",
	} {
		part = strings.ReplaceAll(part, "no/where@0123456789", "no/where@"+short)
		if !strings.Contains(text.String(), part) {
			t.Errorf("output lacks %q:\n%s", part, &text)
		}
	}

	if len(report.Operators) != 2 {
		t.Fatalf("got %d operators, want 2", len(report.Operators))
	}
	tree := report.Operators[0]
	verdicts := ""
	for _, f := range tree.Findings {
		verdict := "unread"
		if f.Case != nil {
			verdict = f.Case.Verdict
		}
		verdicts += fmt.Sprintf("%d %s ", f.Line, verdict)
	}
	if want := "4 bug 12 ok 20 unread "; verdicts != want || tree.Reason != "" || tree.Unloaded != 1 || tree.Lines != 16 {
		t.Errorf("got findings %q, want %q, in %+v", verdicts, want, tree)
	}
	if reason := report.Operators[1].Reason; !strings.Contains(reason, "no clone of no/where") {
		t.Errorf("got the reason %q", reason)
	}

	again := do(true)
	first, _ := json.Marshal(report)
	second, _ := json.Marshal(again)
	if !bytes.Equal(first, second) {
		t.Errorf("the second report differs:\n%s\n%s", first, second)
	}
	if log, err := os.ReadFile(runs); err != nil || string(log) != "-json -harm=hygiene ./...\n" {
		t.Errorf("an unchanged binary was to run once, got %q, %v", log, err)
	}
}

func TestBrokenToolModules(t *testing.T) {
	packages, err := decodeStream[listed]([]byte(`
{"ImportPath":"a","Error":{"Err":"e"},"Module":{"Path":"golang.org/x/mine","Main":true}}
{"ImportPath":"b","DepOnly":true,"Error":{"Err":"e"},"Module":{"Path":"golang.org/x/tools"}}
{"ImportPath":"c","DepOnly":true,"Error":{"Err":"e"},"Module":{"Path":"golang.org/x/tools"}}
{"ImportPath":"d","DepOnly":true,"Module":{"Path":"golang.org/x/net"}}
{"ImportPath":"e","DepOnly":true,"Error":{"Err":"e"},"Module":{"Path":"example.com/m"}}
{"ImportPath":"f","DepOnly":true,"Error":{"Err":"e"}}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := brokenToolModules(packages); len(got) != 1 || got[0] != "golang.org/x/tools" {
		t.Errorf("got %q", got)
	}
}
