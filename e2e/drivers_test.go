package e2e

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// TestDriversAgree runs the suite over all cases of testdata in every driver,
// with the harm that is reported by default and with all of it: the findings
// must be the same, one to one. The standalone driver alone knows of some that they do
// no harm, since it has the whole module: by default it does not print these.
func TestDriversAgree(t *testing.T) {
	t.Parallel()
	for _, harm := range []string{"", "hygiene"} {
		t.Run(harm, func(t *testing.T) {
			t.Parallel()
			driversAgree(t, harm)
		})
	}
}

// driversAgree compares the drivers' findings of a harm, by default that of the
// flag.
func driversAgree(t *testing.T, harm string) {
	dir := copyModule(t)
	config := read(t, filepath.Join(root, ".golangci.example.yml"))
	exe, flags := gopls, []string(nil)
	if harm != "" {
		config = strings.Replace(config, "harm: load", "harm: "+harm, 1)
		exe, flags = allGopls, []string{"-harm=" + harm}
	}
	write(t, filepath.Join(dir, ".golangci.yml"), config)
	alone := lines(standalone(t, dir, flags...))
	if harm == "" {
		settled := lines(settled(t, dir))
		want := func(function string) bool {
			return slices.ContainsFunc(settled, func(f string) bool { return strings.Contains(f, "if "+function+" stops receiving") })
		}
		if len(settled) != 3 || !want("Once") || !want("AtStart") || !want("Unused") {
			t.Errorf("the whole module settles %q, want what Once, AtStart and Unused of testdata/settled do", settled)
		}
		alone = append(alone, settled...)
	}
	slices.Sort(alone)
	if len(alone) < 500 {
		t.Errorf("only %d findings in all of testdata", len(alone))
	}
	for _, driver := range []struct {
		name     string
		findings func(t *testing.T) []string
	}{
		{"go vet", func(t *testing.T) []string {
			args := slices.Concat([]string{"vet", "-vettool=" + opvet(t)}, flags, []string{"./..."})
			return vetLines(run(t, dir, "go", args...).want(t, 1).stderr)
		}},
		{"golangci-lint", func(t *testing.T) []string {
			return lines(newLinter(t).run(t, dir).findings["opvet"])
		}},
		{"gopls", func(t *testing.T) []string { return goplsFindings(t, exe(t), dir) }},
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
