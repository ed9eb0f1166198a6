package e2e

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// TestDriversAgree runs the suite over all cases of testdata in every driver:
// the findings must be the same, one to one.
func TestDriversAgree(t *testing.T) {
	t.Parallel()
	dir := copyModule(t)
	write(t, filepath.Join(dir, ".golangci.yml"), read(t, filepath.Join(root, ".golangci.example.yml")))
	alone := lines(standalone(t, dir))
	slices.Sort(alone)
	if len(alone) < 500 {
		t.Errorf("only %d findings in all of testdata", len(alone))
	}
	for _, driver := range []struct {
		name     string
		findings func(t *testing.T) []string
	}{
		{"go vet", func(t *testing.T) []string {
			return vetLines(run(t, dir, "go", "vet", "-vettool="+opvet(t), "./...").want(t, 1).stderr)
		}},
		{"golangci-lint", func(t *testing.T) []string {
			return lines(newLinter(t).run(t, dir).findings["opvet"])
		}},
		{"gopls", func(t *testing.T) []string { return goplsFindings(t, dir) }},
	} {
		t.Run(driver.name, func(t *testing.T) {
			got, want := driver.findings(t), alone
			if driver.name == "golangci-lint" {
				want = slices.DeleteFunc(slices.Clone(want), isNolintlints)
			}
			slices.Sort(got)
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Errorf("findings (-opvet +%s):\n%s", driver.name, diff)
			}
		})
	}
}

// isNolintlints recognises the findings that are left to golangci-lint's
// nolintlint there.
func isNolintlints(finding string) bool {
	return strings.Contains(finding, "since opvet finds nothing now") && strings.HasSuffix(finding, "(unusedignore/unused)")
}
