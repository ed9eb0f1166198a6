package e2e

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// probe returns a module with one package of the demo operator, which has
// findings, a fix and few dependencies: go vet runs its tool over each of them,
// and again for each set of flags.
func probe(t *testing.T) string {
	t.Helper()
	dir := copyModule(t, "demo/internal/probe")
	if err := os.Remove(filepath.Join(dir, "tools.go")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// harm is what opvet's text has between the place and the message, and go vet's
// has not.
var harm = regexp.MustCompile(`(?m)^(\S+\.go:\d+:\d+: )(?:crash|loss|stuck|leak|load|hygiene): `)

// vetLines are the findings in what opvet or go vet has printed.
func vetLines(text string) []string {
	text = harm.ReplaceAllString(text, "$1")
	var lines []string
	for _, line := range regexp.MustCompile(`(?m)^\S+\.go:\d+:\d+: \S.*\([a-z]+/[a-z-]+\)$`).FindAllString(text, -1) {
		lines = append(lines, strings.TrimPrefix(line, "./"))
	}
	slices.Sort(lines)
	return lines
}

// vetTree reads the trees that go vet -json prints for each package, or the
// one of opvet -json, without what only opvet has.
func vetTree(t *testing.T, text string) map[string]any {
	t.Helper()
	tree := make(map[string]any)
	for decoder := json.NewDecoder(strings.NewReader(text)); ; {
		var one map[string]map[string]any
		err := decoder.Decode(&one)
		if errors.Is(err, io.EOF) {
			return tree
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		for pkg, analyzers := range one {
			for name, diagnostics := range analyzers {
				for _, d := range diagnostics.([]any) {
					delete(d.(map[string]any), "url")
					delete(d.(map[string]any), "harm")
					delete(d.(map[string]any), "on_trial")
				}
				tree[pkg+" "+name] = diagnostics
			}
		}
	}
}

// patch is what a unified diff removes and adds. opvet and go vet write the
// rest in different ways.
func patch(diff string) string {
	return strings.Join(regexp.MustCompile(`(?m)^(\+[^+]|-[^-]).*$`).FindAllString(diff, -1), "\n")
}

// goFiles are the contents of the Go files below dir.
func goFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(name) == ".go" {
			files[name] = read(t, filepath.Join(dir, name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func equal(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-opvet +go vet):\n%s", what, diff)
	}
}

// TestVet compares what go vet and go fix say and do with what opvet does by
// itself. That they find the same in all of testdata tells TestDriversAgree.
func TestVet(t *testing.T) {
	t.Parallel()
	dir, exe := probe(t), opvet(t)
	vettool, fixtool := "-vettool="+exe, "-fixtool="+exe
	text := run(t, dir, exe, "-harm=hygiene", "./...").want(t, 1) // what is on trial, too
	vet := run(t, dir, "go", "vet", vettool, "-harm=hygiene", "./...").want(t, 1)
	equal(t, "findings", vetLines(text.stdout), vetLines(vet.stderr))
	if len(vetLines(text.stdout)) < 5 {
		t.Errorf("few findings:\n%s", text.stdout)
	}
	if out := run(t, dir, "go", "vet", vettool, "-c=1", "./...").want(t, 1).stderr; !strings.Contains(out, "\n35\t\tgrace, cancel := ") {
		t.Errorf("no code around the findings:\n%s", out)
	}

	tree := vetTree(t, run(t, dir, exe, "-json", "./...").want(t, 1).stdout)
	equal(t, "JSON", tree, vetTree(t, run(t, dir, "go", "vet", vettool, "-json", "./...").want(t, 0).stdout))
	equal(t, "JSON of go fix", tree, vetTree(t, run(t, dir, "go", "fix", fixtool, "-json", "./...").want(t, 0).stdout))

	diff := run(t, dir, exe, "-diff", "./...").want(t, 1)
	for _, command := range [][]string{{"vet", vettool, "-fix", "-diff"}, {"fix", fixtool, "-diff"}} {
		out := run(t, dir, "go", append(command, "./...")...).want(t, 1).stdout
		equal(t, strings.Join(command, " "), patch(diff.stdout), patch(out))
	}

	fixed := probe(t)
	rest := run(t, fixed, exe, "-fix", "./...").want(t, 1)
	if n, all := len(vetLines(rest.stdout)), len(vetLines(text.stdout)); n == 0 || n >= all {
		t.Errorf("%d findings of %d are left after -fix", n, all)
	}
	run(t, fixed, exe, "-diff", "./...").want(t, 0)
	run(t, fixed, "go", "build", "./...").want(t, 0)
	files := goFiles(t, fixed)
	if maps.Equal(files, goFiles(t, dir)) {
		t.Error("-fix has changed nothing")
	}
	for _, command := range [][]string{{"vet", vettool, "-fix"}, {"fix", fixtool}} {
		copied := probe(t)
		run(t, copied, "go", append(command, "./...")...).want(t, 0)
		equal(t, strings.Join(command, " "), files, goFiles(t, copied))
	}
	patched := probe(t)
	write(t, filepath.Join(patched, "fix.patch"), diff.stdout)
	run(t, patched, "git", "apply", "fix.patch").want(t, 0)
	equal(t, "the patch", files, goFiles(t, patched))
}

// TestVetFlags checks which flags go vet hands on.
func TestVetFlags(t *testing.T) {
	t.Parallel()
	dir, exe := probe(t), opvet(t)
	vet := func(status int, args ...string) string {
		t.Helper()
		return run(t, dir, "go", append(append([]string{"vet", "-vettool=" + exe}, args...), "./...")...).want(t, status).stderr
	}
	flags := []string{"-nestedtimeout", "-nestedtimeout.strict"}
	alone := run(t, dir, exe, append(slices.Clone(flags), "./...")...).want(t, 1)
	equal(t, "findings", vetLines(alone.stdout), vetLines(vet(1, flags...)))
	vet(0, "-nestedtimeout=false")
	for _, flag := range []string{"-format=sarif", "-new-from-rev=HEAD", "-nosuch"} {
		if out := vet(2, flag); !strings.Contains(out, "flag provided but not defined: "+strings.Split(flag, "=")[0]) {
			t.Errorf("%s:\n%s", flag, out)
		}
	}
	if out := vet(1, "-diff"); !strings.Contains(out, "go vet -diff flag requires -fix") {
		t.Errorf("-diff without -fix:\n%s", out)
	}
}

// TestGoTool pins opvet by a tool directive, as docs/ci.md says.
func TestGoTool(t *testing.T) {
	t.Parallel()
	_, commands, ok := strings.Cut(read(t, filepath.Join(root, "docs/ci.md")), "`tool` directive")
	if !ok {
		t.Fatal("docs/ci.md does not mention the tool directive")
	}
	dir, env := probe(t), user(t)
	var found [][]string
	for line := range strings.Lines(commands) {
		if !strings.HasPrefix(line, "    ") {
			continue
		}
		line = strings.TrimSpace(line)
		status := 0
		if strings.HasSuffix(line, " ./...") {
			status = 1
		}
		r := start(t, dir, env, "sh", "-c", line).want(t, status)
		if status == 1 {
			found = append(found, vetLines(r.stdout+r.stderr))
		}
	}
	if len(found) != 2 || len(found[0]) == 0 {
		t.Fatalf("findings %q", found)
	}
	equal(t, "findings", found[0], found[1])
}
