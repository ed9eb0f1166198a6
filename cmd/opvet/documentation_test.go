package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/opvet/opvet/analyzers"
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
