package main

import (
	"errors"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/opvet/opvet/analyzers"
	"github.com/opvet/opvet/internal/report/rule"
)

// progress matches the lines that a slow run prints meanwhile.
var progress = regexp.MustCompile(`(?m)^opvet: .* \([0-9]+ s\)\n`)

// TestDemo checks that the demo operator makes the mistakes that its README
// lists, each once and no others, as far as the command can tell.
func TestDemo(t *testing.T) {
	readme, err := os.ReadFile("../../testdata/demo/README.md")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, match := range regexp.MustCompile("(?m)^\\| .* \\| `([a-z]+/[a-z-]+)` \\|$").FindAllSubmatch(readme, -1) {
		want = append(want, string(match[1]))
	}
	for _, a := range analyzers.All() {
		for _, category := range rule.Of(a).Categories {
			if name := a.Name + "/" + category.Name; !category.Strict && !slices.Contains(want, name) {
				t.Errorf("the demo does not make the mistake of %s", name)
			}
		}
	}
	out, err := exec.Command("opvet", "-C", "../../testdata", "-harm=hygiene", "./demo/...").Output()
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != 1 || len(progress.ReplaceAll(exit.Stderr, nil)) > 0 {
		t.Errorf("opvet: %v; want exit status 1 and nothing on stderr", err)
	}
	var got []string
	for _, match := range regexp.MustCompile(`(?m)\(([a-z]+/[a-z-]+)\)$`).FindAllSubmatch(out, -1) {
		got = append(got, string(match[1]))
	}
	if lines := strings.Split(strings.TrimSpace(string(out)), "\n"); !regexp.MustCompile(`^\d+ findings \(\d+ crash, .*\) in \d+ packages; \d+ have fixes$`).MatchString(lines[len(lines)-1]) {
		t.Errorf("the last line is %q", lines[len(lines)-1])
	}
	for _, match := range regexp.MustCompile(`(?m)^\S+\.go:\d+:\d+: [a-z]+: (.*)$`).FindAllSubmatch(out, -1) {
		if n := rule.MessageLength(string(match[1])); n > rule.MaxMessage {
			t.Errorf("a message of %d characters, %d at most: %s", n, rule.MaxMessage, match[1])
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if len(want) == 0 || !slices.Equal(got, want) {
		t.Errorf("the demo's README lists\n%q\nopvet finds\n%q\n%s", want, got, out)
	}
}
