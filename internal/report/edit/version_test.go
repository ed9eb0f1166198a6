package edit

import (
	"go/types"
	"testing"

	"golang.org/x/tools/go/analysis"
)

func TestVersions(t *testing.T) {
	for name, test := range map[string]struct {
		module        string
		before, since bool
	}{
		"older":   {"1.20", true, false},
		"the one": {"1.21", false, true},
		"patched": {"1.21.5", false, true},
		"newer":   {"1.26.0", false, true},
		"none":    {"", false, false},
		"no such": {"later", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			pass := &analysis.Pass{Pkg: types.NewPackage("p", "p"), Module: &analysis.Module{GoVersion: test.module}}
			if got := IsBefore(pass, "go1.21"); got != test.before {
				t.Errorf("before go1.21: %t", got)
			}
			if got := IsSince(pass, "go1.21"); got != test.since {
				t.Errorf("since go1.21: %t", got)
			}
		})
	}
}
