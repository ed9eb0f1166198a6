package main

import (
	"bytes"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const repository = "../../.."

// TestNewAnalyzer makes an analyzer in a copy of the repository and uses it as
// its author would, which compiles opvet once more: not with -short.
func TestNewAnalyzer(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-long runs it")
	}
	// Always the same place, so that the build cache serves the next run.
	root, err := filepath.Abs(filepath.Join(repository, "bin", "scaffold"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(root); err != nil {
		t.Fatal(err)
	}
	copyRepository(t, root)
	command := func(name string, args ...string) (string, error) {
		cmd := exec.Command(name, args...)
		cmd.Dir = root
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	must := func(name string, args ...string) string {
		t.Helper()
		out, err := command(name, args...)
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
		return out
	}

	said := must("go", "run", "./internal/tools/scaffold", "-group", "status", "-summary", "find retries that wait for nothing", "-category", "no-backoff", "retrystorm")
	for _, want := range []string{"retrystorm is made, registered", "go test ./analyzers/retrystorm passes", "make docs", "docs/new-analyzer.md"} {
		if !strings.Contains(said, want) {
			t.Errorf("scaffold does not say %q:\n%s", want, said)
		}
	}
	must("go", "build", "-o", "opvet", "./cmd/opvet")
	must("go", "vet", "./analyzers/retrystorm", "./internal/report/registry")
	if out := must("gofmt", "-l", "analyzers", "internal/report/registry", "testdata"); out != "" {
		t.Errorf("not formatted: %s", out)
	}
	help := must("./opvet", "help", "retrystorm")
	for _, want := range []string{"retrystorm: find retries that wait for nothing\n", "what goes wrong in production", "# no-backoff\n", "//nolint:retrystorm", "-retrystorm.tests"} {
		if !strings.Contains(help, want) {
			t.Errorf("opvet help retrystorm has no %q:\n%s", want, help)
		}
	}
	must("go", "run", "./internal/tools/docgen")
	for name, want := range map[string]string{
		"docs/analyzers/retrystorm.md": "## no-backoff",
		"docs/bazel.md":                "//analyzers/retrystorm`",
		"docs/analyzers/README.md":     "| [retrystorm](retrystorm.md) | status | find retries that wait for nothing |",
		"README.md":                    "[retrystorm](docs/analyzers/retrystorm.md)",
	} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s has no %q, %v", name, want, err)
		}
	}

	out, err := command("go", "test", "./analyzers/retrystorm")
	if err == nil {
		t.Fatalf("the test of an analyzer without a rule passes:\n%s", out)
	}
	for _, want := range []string{
		"cases.go:", "no finding matches `what happens in production; what to do instead \\(retrystorm/no-backoff\\)`",
		"write the rule in retrystorm.go, until it finds what testdata/retrystorm wants",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the failing test does not say %q:\n%s", want, out)
		}
	}
	if strings.Count(out, "cases.go:") != 1 {
		t.Errorf("more than the missing finding fails:\n%s", out)
	}

	rule := filepath.Join(root, "analyzers", "retrystorm", "retrystorm.go")
	source, err := os.ReadFile(rule)
	if err != nil {
		t.Fatal(err)
	}
	written := strings.Replace(string(source), "func isMistake(kubeapi.Op) bool { return false }",
		"func isMistake(op kubeapi.Op) bool { return op.Verb == kubeapi.Update }", 1)
	if err := os.WriteFile(rule, []byte(written), 0o644); err != nil {
		t.Fatal(err)
	}
	must("go", "test", "./analyzers/retrystorm")
}

// copyRepository copies what the command, the documentation and the test of one
// analyzer are made of.
func copyRepository(t *testing.T, to string) {
	t.Helper()
	without := []string{".git", "bin", "bench", "e2e", "testdata"}
	copyTree(t, repository, to, func(path string) bool {
		_, err := os.Stat(filepath.Join(repository, path, "go.mod"))
		return slices.Contains(without, path) || path != "." && err == nil // a module of its own
	})
	copyTree(t, filepath.Join(repository, "testdata", "api"), filepath.Join(to, "testdata", "api"), func(string) bool { return false })
	for _, name := range []string{"go.mod", "go.sum", "tools.go"} {
		copyFile(t, filepath.Join(repository, "testdata", name), filepath.Join(to, "testdata", name))
	}
}

func copyTree(t *testing.T, from, to string, skip func(path string) bool) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(from), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if skip(path) {
				return fs.SkipDir
			}
			return nil
		}
		copyFile(t, filepath.Join(from, path), filepath.Join(to, path))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestBadCommandLines(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, "which analyzer? usage: scaffold"},
		{[]string{""}, "which analyzer?"},
		{[]string{"one", "two"}, `two names, "one" and "two"`},
		{[]string{"-color", "one"}, "flag provided but not defined: -color; usage: scaffold [-group GROUP]"},
		{[]string{"Retry"}, `bad name "Retry": it must be one lower-case word`},
		{[]string{"retry-storm"}, `bad name "retry-storm": it must be one lower-case word`},
		{[]string{"retry2"}, `bad name "retry2"`},
		{[]string{"../retry"}, `bad name "../retry"`},
		{[]string{"select"}, `bad name "select": it is a keyword of Go`},
		{[]string{"main"}, `bad name "main"`},
		{[]string{"all"}, `bad name "all": it stands for all analyzers`},
		{[]string{"statusupdate"}, `bad name "statusupdate": it is taken, there is analyzers/statusupdate`},
		{[]string{"passes"}, `bad name "passes": it is taken, there is testdata/passes`},
		{[]string{"finalizers"}, `bad name "finalizers": it is taken, by a group of analyzers`},
		{[]string{"-group", "Status", "one"}, `-group: bad group "Status"`},
		{[]string{"one", "-group", "statusupdate"}, `-group: bad group "statusupdate": it is the name of an analyzer`},
		{[]string{"-category", "NoBackoff", "one"}, `-category: bad category "NoBackoff"`},
		{[]string{"-summary", "", "one"}, `-summary: bad summary ""`},
		{[]string{"-summary", "two\nlines", "one"}, `-summary: bad summary`},
	} {
		before, err := os.ReadFile(filepath.Join(repository, registryName))
		if err != nil {
			t.Fatal(err)
		}
		var stdout, stderr bytes.Buffer
		status := run(repository, test.args, &stdout, &stderr)
		if status != exitFailure || stdout.Len() > 0 || strings.Count(stderr.String(), "\n") != 1 || !strings.HasPrefix(stderr.String(), "scaffold: "+test.want) {
			t.Errorf("scaffold %q: status %d, %s%s; want status 2, %s", test.args, status, &stdout, &stderr, test.want)
		}
		if after, err := os.ReadFile(filepath.Join(repository, registryName)); err != nil || !bytes.Equal(before, after) {
			t.Fatalf("scaffold %q has changed the registry, %v", test.args, err)
		}
	}
	var stdout, stderr bytes.Buffer
	if status := run(t.TempDir(), []string{"one"}, &stdout, &stderr); status != exitFailure || !strings.Contains(stderr.String(), "at the root of the repository") {
		t.Errorf("elsewhere: status %d, %s", status, &stderr)
	}
	if status := run(repository, []string{"-h"}, &stdout, &stderr); status != exitDone || !strings.HasPrefix(stdout.String(), "usage: scaffold") {
		t.Errorf("-h: status %d, %s", status, &stdout)
	}
}

func TestRegistryStaysSorted(t *testing.T) {
	source, err := os.ReadFile(filepath.Join(repository, registryName))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"aaa", "gcf", "middle", "zzz"} {
		got, err := register(source, name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), "registry.go", got, parser.SkipObjectResolution)
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, got)
		}
		var imports, elements []string
		for line := range strings.Lines(string(got)) {
			line = strings.TrimSpace(line)
			if path, ok := strings.CutPrefix(line, `"`+importPrefix); ok {
				imports = append(imports, strings.TrimSuffix(path, `"`))
			}
			if analyzer, ok := strings.CutSuffix(line, ".Analyzer,"); ok {
				elements = append(elements, analyzer)
			}
		}
		if !slices.IsSorted(imports) || !slices.Equal(imports, elements) || !slices.Contains(imports, name) || len(rulesOf(file).Elts) != len(elements) {
			t.Errorf("%s: imports %v, elements %v", name, imports, elements)
		}
	}
	for _, bad := range []string{"package registry\n", "package registry\n\nvar Rules = []int{}\n", "package registry\n\nvar Rules = []int{1}\n", "registry"} {
		if _, err := register([]byte(bad), "one"); err == nil {
			t.Errorf("no error about %q", bad)
		}
	}
}
