package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
	"golang.org/x/tools/txtar"

	"github.com/opvet/opvet/analyzers"
	"github.com/opvet/opvet/internal/driver/config"
)

// TestHelpIsThePage compares what opvet help says of an analyzer with its page.
// The two differ in their markup only.
func TestHelpIsThePage(t *testing.T) {
	for _, a := range analyzers.All() {
		page, err := os.ReadFile(filepath.Join("../../docs/analyzers", a.Name+".md"))
		if err != nil {
			t.Fatal(err)
		}
		help, err := exec.Command("opvet", "help", a.Name).Output()
		if err != nil {
			t.Fatalf("opvet help %s: %v", a.Name, err)
		}
		_, text, _ := strings.Cut(string(help), "\n\n")
		text, flags, found := strings.Cut(text, "\nFlags:\n")
		if !found {
			t.Fatalf("opvet help %s has no flags:\n%s", a.Name, help)
		}
		// On the page, a title and the table of categories come first.
		_, body, _ := strings.Cut(string(page), "\n\n| category |")
		_, body, _ = strings.Cut(body, "|\n\n")
		body, table, found := strings.Cut(body, "\n## Flags\n")
		if !found {
			t.Fatalf("the page of %s has no flags", a.Name)
		}
		if got, want := words(body), words(text); len(want) < 50 || !slices.Equal(got, want) {
			i := 0
			for i < min(len(got), len(want)) && got[i] == want[i] {
				i++
			}
			t.Errorf("%s: after %d words, the page says %q, opvet help %q", a.Name, i, got[i:min(i+10, len(got))], want[i:min(i+10, len(want))])
		}
		for _, flag := range regexp.MustCompile("`-("+a.Name+`\.[a-z-]+)`).FindAllStringSubmatch(table, -1) {
			if !strings.Contains(flags, "-"+flag[1]) {
				t.Errorf("opvet help %s does not tell the flag %s", a.Name, flag[1])
			}
		}
	}
}

// markup is what of a page stands for no word: fences with their language, and
// where links lead.
var markup = regexp.MustCompile("```go\n|\\]\\([^)]*\\)")

func words(text string) []string {
	return regexp.MustCompile(`[\pL\pN]+`).FindAllString(markup.ReplaceAllString(text, " "), -1)
}

// TestConfigurationPage reads the file that docs/configuration.md shows, with all its
// keys, and sees that the page says of a mistake in it what opvet does.
func TestConfigurationPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "```yaml\n")
	text, _, found := strings.Cut(text, "```")
	if !found {
		t.Fatal("the page shows no file")
	}
	all := analyzers.All()
	if _, err := config.Parse(all, ".opvet.yml", ".", []byte(text)); err != nil {
		t.Error(err)
	}
	var keys map[string]any
	if err := yaml.Unmarshal([]byte(text), &keys); err != nil || !slices.Equal(slices.Sorted(maps.Keys(keys)), config.Keys()) {
		t.Errorf("the page shows %v, there are %v (%v)", slices.Sorted(maps.Keys(keys)), config.Keys(), err)
	}
	lines := strings.Split(text, "\n")
	typo := regexp.MustCompile(`opvet: settings: (\.opvet\.yml:\d+:\d+: settings\.statusupdate\.strikt: .*)`).FindStringSubmatch(string(page))
	if typo == nil {
		t.Fatal("the page shows no error")
	}
	// The example is longer than the text of which the page shows the error.
	line := slices.Index(lines, "settings:") + 3
	_, err = config.Parse(all, ".opvet.yml", ".", []byte(strings.Replace(text, "strict:", "strikt:", 1)))
	if want := regexp.MustCompile(`:\d+:`).ReplaceAllString(typo[1], fmt.Sprintf(":%d:", line)); err == nil || err.Error() != want {
		t.Errorf("the error is\n%v\nthe page shows\n%s", err, want)
	}
}

// TestBaselinePage runs the commands of docs/baseline.md, in their order, in a module
// with a mistake.
func TestBaselinePage(t *testing.T) {
	page, err := os.ReadFile("../../docs/baseline.md")
	if err != nil {
		t.Fatal(err)
	}
	run := inModuleWithMistake(t)
	commands := regexp.MustCompile("(?m)^    (opvet .*)$").FindAllStringSubmatch(string(page), -1)
	if len(commands) < 3 {
		t.Fatalf("the page has the commands %q", commands)
	}
	for _, command := range commands {
		out, status := run(command[1])
		if status != 0 || !regexp.MustCompile("now knows 1 finding;|^no findings in .*; 1 known to the baseline").MatchString(out) {
			t.Errorf("%s: status %d\n%s", command[1], status, out)
		}
	}
}

// TestAdoptPage runs the commands of the steps in docs/adopt.md, in their order, in a
// module with a mistake. What they bring into CI is tested in e2e.
func TestAdoptPage(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-long runs it")
	}
	page, err := os.ReadFile("../../docs/adopt.md")
	if err != nil {
		t.Fatal(err)
	}
	wants := []struct {
		command string
		status  int
		prints  string
	}{
		{"opvet -harm=loss ./...", 1, `(?m)^store/store\.go:\d+:\d+: loss: `},
		{"opvet -format html=opvet.html ./...", 1, `^$`},
		{"opvet -write-baseline", 0, `now knows 1 finding;`},
		{"echo 'baseline: .opvet-baseline.json' >> .opvet.yml", 0, `^$`},
		{"opvet -baseline=none -diff ./...", 1, `(?m)^\+.*UpdateStatus\(`},
		{"opvet -baseline=none -tombstone ./...", 0, `^no findings in `},
		{"opvet help tombstone", 0, `^tombstone: `},
		{"opvet -prune-baseline", 0, `1 known to the baseline`},
	}
	run := inModuleWithMistake(t)
	commands := regexp.MustCompile("(?m)^       ((?:opvet|echo) .*)$").FindAllStringSubmatch(string(page), -1)
	if len(commands) != len(wants) {
		t.Fatalf("the page has the commands %q", commands)
	}
	for i, want := range wants {
		if commands[i][1] != want.command {
			t.Errorf("command %d is %q, want %q", i, commands[i][1], want.command)
		}
		if out, status := run(want.command); status != want.status || !regexp.MustCompile(want.prints).MatchString(out) {
			t.Errorf("%s: status %d, want %d, and %s:\n%s", want.command, status, want.status, want.prints, out)
		}
	}
}

// inModuleWithMistake makes the module of a script that has one, and returns what runs
// commands there.
func inModuleWithMistake(t *testing.T) func(command string) (out string, status int) {
	t.Helper()
	module, err := txtar.ParseFile("testdata/script/status.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "../../testdata/go.mod", "go.sum": "../../testdata/go.sum"} {
		data, err := os.ReadFile(text)
		if err != nil {
			t.Fatal(err)
		}
		data = regexp.MustCompile("(?m)^module .*$").ReplaceAll(data, []byte("module example.com/operator"))
		module.Files = append(module.Files, txtar.File{Name: name, Data: data})
	}
	for _, file := range module.Files {
		name := filepath.Join(dir, file.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, file.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return func(command string) (string, int) {
		t.Helper()
		cmd := exec.Command("sh", "-c", command)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off")
		out, err := cmd.CombinedOutput()
		if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		return string(out), cmd.ProcessState.ExitCode()
	}
}

// TestFindingOfTheFirstPage sees that opvet says about the demo operator what
// docs/getting-started.md shows.
func TestFindingOfTheFirstPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/getting-started.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(page), "\n## What a finding says\n\n")
	example, _, found := strings.Cut(example, "\n\n")
	if !found {
		t.Fatal("the page shows no finding")
	}
	out, _ := exec.Command("opvet", "-C", "../../testdata", "-statusupdate", "./demo/internal/controller").Output()
	oneLine := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	if !strings.Contains(oneLine(string(out)), oneLine(example)) {
		t.Errorf("opvet does not say\n%s\nbut\n%s", example, out)
	}
}

// TestActionsHaveOneVersion sees that all workflows, those in the documentation too, take the
// same major version of an action.
func TestActionsHaveOneVersion(t *testing.T) {
	versions := make(map[string]map[string][]string) // files by version, by action
	var names []string
	for _, pattern := range []string{"../../*.md", "../../action.yml", "../../docs/*.md", "../../.github/workflows/*.yml"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		names = append(names, found...)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, use := range regexp.MustCompile(`uses: ([\w./-]+)@(v\d+|[0-9a-f]{40} # v\d+)`).FindAllStringSubmatch(string(text), -1) {
			action, version := use[1], use[2][strings.LastIndex(use[2], "v"):]
			if versions[action] == nil {
				versions[action] = make(map[string][]string)
			}
			versions[action][version] = append(versions[action][version], name)
		}
	}
	if len(versions) < 5 {
		t.Fatalf("only the actions %v", versions)
	}
	for action, by := range versions {
		if len(by) > 1 {
			t.Errorf("%s has several versions: %v", action, by)
		}
	}
}
