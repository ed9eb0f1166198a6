package main

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

// TestDependenciesHaveReasons compares the tables of docs/dependencies.md with what
// the modules require directly: each dependency has its reason there.
func TestDependenciesHaveReasons(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs/dependencies.md"))
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`(?m)^\| ([^ |]+\.[^ |]+/[^ |]+) \| (\S.*) \|$`)
	for file, table := range map[string]string{
		"go.mod": "| module | for |", "cmd/golangci-lint-opvet/go.mod": "| module of golangci-lint-opvet | for |", "e2e/go.mod": "| module of e2e | for |",
	} {
		t.Run(file, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join(root, file))
			if err != nil {
				t.Fatal(err)
			}
			mod, err := modfile.Parse(file, data, nil)
			if err != nil {
				t.Fatal(err)
			}
			_, rows, found := strings.Cut(string(page), table)
			if !found {
				t.Fatalf("there is no table %q", table)
			}
			rows, _, _ = strings.Cut(rows, "\n\n")
			reasons := make(map[string]string)
			for _, match := range row.FindAllStringSubmatch(rows, -1) {
				reasons[match[1]] = match[2]
			}
			var direct []string
			for _, r := range mod.Require {
				if !r.Indirect {
					direct = append(direct, r.Mod.Path)
				}
			}
			slices.Sort(direct)
			if listed := slices.Sorted(maps.Keys(reasons)); !slices.Equal(listed, direct) {
				t.Errorf("docs/dependencies.md gives reasons for\n%s\n%s requires\n%s", strings.Join(listed, "\n"), file, strings.Join(direct, "\n"))
			}
		})
	}
}
