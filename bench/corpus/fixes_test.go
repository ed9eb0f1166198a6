package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	commitB = "1123456789012345678901234567890123456789"
	goodFix = `{"repo":"o/n","fix":"` + commitA + `","parent":"` + commitB +
		`","file":"p/a.go","line":7,"func":"T.m","rule":"nilmap","category":"metadata","why":"w","set_aside":true}`
)

func TestParseFixesErrors(t *testing.T) {
	for _, test := range []struct{ name, from, to, want string }{
		{"unknown field", `"line"`, `"lines"`, `unknown field "lines"`},
		{"short commit", commitB, "0123", "two commits"},
		{"file that climbs", `"p/a.go"`, `"../a.go"`, "no place"},
		{"line", `:7`, `:0`, "no place"},
		{"category", `"metadata"`, `"other"`, "no category nilmap/other"},
		{"no reason", `"w"`, `""`, "why is empty"},
		{"twice", "}", "}\n" + goodFix, "line 2: p/a.go:7 of 0123456789 is there already"},
		{"half set aside", "}", "}\n" + strings.NewReplacer(`:7`, `:8`, "true", "false").Replace(goodFix), "set aside"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := parseFixes(strings.NewReader(strings.Replace(goodFix, test.from, test.to, 1)))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
		})
	}
}

// The project's own fixes must parse, a third of the commits must be set aside,
// and what was measured must be about them.
func TestOwnFixes(t *testing.T) {
	fixes, err := readFile("fixes.jsonl", parseFixes)
	if err != nil {
		t.Fatal(err)
	}
	places := make(map[fixPlace]bool)
	commits, aside, operators := make(map[string]bool), make(map[string]bool), make(map[string]bool)
	for _, f := range fixes {
		places[f.fixPlace] = true
		commits[f.Fix], operators[f.Repo] = true, true
		if f.SetAside {
			aside[f.Fix] = true
		}
	}
	if share := float64(len(aside)) / float64(len(commits)); share < 0.3 || share > 0.37 {
		t.Errorf("%d of %d commits are set aside, want a third", len(aside), len(commits))
	}
	if len(commits) < 200 || len(operators) < 30 {
		t.Errorf("%d commits of %d operators, want at least 200 of 30", len(commits), len(operators))
	}
	measured, err := readFile("fixes-measured.jsonl", parseMeasured)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range measured {
		if !places[m.fixPlace] {
			t.Errorf("measured, and no fix: %v", m.fixPlace)
		}
	}
}

func TestFindingIn(t *testing.T) {
	f := Fix{fixPlace: fixPlace{File: "p/a.go", Line: 50, Rule: "ctxdone"}, Func: "m"}
	at := func(analyzer, file string, line int, message string) Finding {
		return Finding{Analyzer: analyzer, File: file, Line: line, Message: message}
	}
	within := func(Case) extent { return extent{20, 60} }
	for _, test := range []struct {
		name     string
		findings []Finding
		want     int
	}{
		{"none", nil, -1},
		{"nearest", []Finding{at("ctxdone", "p/a.go", 22, ""), at("ctxdone", "p/a.go", 49, "")}, 1},
		{"its own rule first", []Finding{at("detachedctx", "p/a.go", 50, ""), at("ctxdone", "p/a.go", 51, "")}, 1},
		{"a rule of the same kind", []Finding{at("detachedctx", "p/a.go", 30, "")}, 0},
		{"another rule", []Finding{at("nilmap", "p/a.go", 50, "")}, -1},
		{"outside of the function", []Finding{at("ctxdone", "p/a.go", 70, "")}, -1},
		{"another file", []Finding{at("ctxdone", "p/b.go", 50, "")}, -1},
		{"named from another file", []Finding{at("ctxdone", "p/b.go", 5, "see a.go:50")}, 0},
		{"another statement is named", []Finding{at("ctxdone", "p/b.go", 5, "see a.go:44")}, 0},
		{"another function is named", []Finding{at("ctxdone", "p/b.go", 5, "see a.go:70")}, -1},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := f.findingIn(test.findings, within)
			if i := slices.IndexFunc(test.findings, func(f Finding) bool { return got != nil && f.Line == got.Line && f.Analyzer == got.Analyzer }); i != test.want {
				t.Errorf("got %d, want %d", i, test.want)
			}
		})
	}
}

func TestFixedSection(t *testing.T) {
	fixes, err := parseFixes(strings.NewReader(goodFix + "\n" +
		strings.NewReplacer(":7", ":9").Replace(goodFix) + "\n" +
		strings.NewReplacer(commitA, commitB, commitB, commitA, "true", "false").Replace(goodFix)))
	if err != nil {
		t.Fatal(err)
	}
	d := &document{}
	d.fixed(fixes, []Measured{
		{fixPlace: fixes[0].fixPlace, Outcome: outcomeFound, By: "nilmap/metadata"},
		{fixPlace: fixes[1].fixPlace, Outcome: outcomeMissed, Reason: "out of sight"},
		{fixPlace: fixes[2].fixPlace, Outcome: outcomeUnanalysed, Reason: "no go.mod"},
	})
	for _, want := range []string{
		"3 places in 2 fix commits of 1 operators",
		"| [nilmap](analyzers/nilmap.md) | 1 of 2 (50 %) | 1 | none judged | 0 | 1 |\n",
		"| all | 1 of 2 (50 %) | 1 | none judged | 0 | 1 |\n",
		"- `nilmap/metadata` [n a.go:9](https://github.com/o/n/blob/" + commitB + "/p/a.go#L9): w (out of sight)\n",
	} {
		if !strings.Contains(d.String(), want) {
			t.Errorf("no %q in\n%s", want, d.String())
		}
	}
}

// fetching ignores its context, or does not.
const fetching = `package p

import (
	"context"
	"database/sql"

	_ "k8s.io/client-go"
)

// fetch fetches.
func fetch(ctx context.Context, db *sql.DB, key string) error {
	rows, err := db.QueryContext(CTX, key)
	if err != nil {
		return err
	}
	return rows.Close()
}
`

// A repository in which a mistake is fixed is measured from commit to commit.
func TestMeasureRepo(t *testing.T) {
	repos, work := t.TempDir(), t.TempDir()
	clone := filepath.Join(repos, "o+n")
	if err := os.MkdirAll(clone, 0o777); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir = clone
		cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=n", "GIT_AUTHOR_EMAIL=e", "GIT_COMMITTER_NAME=n", "GIT_COMMITTER_EMAIL=e")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	// Only packages that use Kubernetes are looked at.
	write(t, filepath.Join(clone, "go.mod"), "module example.com/n\n\ngo 1.21\n\n"+
		"require k8s.io/client-go v0.0.0\n\nreplace k8s.io/client-go => ./client\n")
	write(t, filepath.Join(clone, "client", "go.mod"), "module k8s.io/client-go\n\ngo 1.21\n")
	write(t, filepath.Join(clone, "client", "a.go"), "package client\n")
	commit := func(ctx string) string {
		write(t, filepath.Join(clone, "p", "a.go"), strings.ReplaceAll(fetching, "CTX", ctx))
		run("add", "-A")
		run("commit", "-qm", ctx)
		return run("rev-parse", "HEAD")
	}
	run("init", "-q")
	mistake, fixed := commit("context.Background()"), commit("ctx")
	b := &bench{repos: repos, work: work, progress: t.Logf}
	place := fixPlace{Repo: "o/n", File: "p/a.go", Line: 12, Rule: "detachedctx", Category: "ctx-ignored"}
	for _, test := range []struct {
		name        string
		parent, fix string
		want        outcome
	}{
		{"found, and gone", mistake, fixed, outcomeFound},
		{"found, and still there", mistake, mistake, outcomeStays},
		{"missed", fixed, fixed, outcomeMissed},
		{"no such commit", commitA, fixed, outcomeUnanalysed},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := Fix{fixPlace: place, Parent: test.parent, Func: "fetch"}
			f.Fix = test.fix
			got := b.measureRepo("o/n", []Fix{f})
			if len(got) != 1 || got[0].Outcome != test.want {
				t.Errorf("got %+v, want %s", got, test.want)
			}
		})
	}
	left, err := os.ReadDir(work)
	if err != nil || len(left) > 0 {
		t.Errorf("left in the work directory: %v, %v", left, err)
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
