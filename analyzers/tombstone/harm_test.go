package tombstone

import (
	"go/types"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/rule"
	"github.com/opvet/opvet/internal/tombstones"
)

// TestHarmOfCommand checks that a command which misses a deletion is left alone,
// and one that crashes is not.
func TestHarmOfCommand(t *testing.T) {
	command, operator := types.NewPackage("example.com/cmd", "cmd"), types.NewPackage("example.com/controller", "controller")
	command.SetImports([]*types.Package{types.NewPackage("github.com/spf13/cobra", "cobra")})
	for _, test := range []struct {
		pkg  *types.Package
		kind tombstones.Kind
		want rule.Harm
	}{
		{operator, tombstones.Refused, rule.Loss},
		{operator, tombstones.Panics, rule.Crash},
		{command, tombstones.Refused, rule.Hygiene},
		{command, tombstones.Panics, rule.Crash},
	} {
		loss := &tombstones.Loss{Cause: tombstones.Cause{Kind: test.kind}}
		if got := harmOf(&analysis.Pass{Pkg: test.pkg}, loss); got != test.want {
			t.Errorf("%s, kind %d: got %s, want %s", test.pkg.Name(), test.kind, got, test.want)
		}
	}
}
