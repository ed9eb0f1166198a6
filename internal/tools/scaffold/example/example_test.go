package example

import (
	"os"
	"strings"
	"testing"

	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestExample(t *testing.T) {
	ruletest.Run(t, "../../../../testdata", Analyzer, "./passes/example/...")
}

// TestPage keeps the page and the example the same, and the example short: a value
// question, a fact and an excuse are 60 lines below the imports.
func TestPage(t *testing.T) {
	source, err := os.ReadFile("example.go")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../../../docs/new-analyzer.md")
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(string(source), "\n)\n\n")
	if !strings.Contains(string(page), "```go\n"+body+"```\n") {
		t.Error("docs/new-analyzer.md does not have what stands below the imports of example.go")
	}
	lines := 0
	for line := range strings.Lines(body) {
		if strings.TrimSpace(line) != "" {
			lines++
		}
	}
	if lines > 60 {
		t.Errorf("the example has %d lines, want at most 60", lines)
	}
}
