package tombstone

import (
	"go/types"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/analyzers/tombstone/internal/handlers"
	"github.com/opvet/opvet/internal/report/rule"
)

// TestHarmOfCommand checks that a command which misses a deletion is left alone,
// and one that crashes is not.
func TestHarmOfCommand(t *testing.T) {
	command, operator := types.NewPackage("example.com/cmd", "cmd"), types.NewPackage("example.com/controller", "controller")
	command.SetImports([]*types.Package{types.NewPackage("github.com/spf13/cobra", "cobra")})
	for _, test := range []struct {
		pkg  *types.Package
		kind handlers.Kind
		want rule.Harm
		// served is the harm if a server runs it after all.
		served rule.Harm
	}{
		{operator, handlers.Refused, rule.Loss, 0},
		{operator, handlers.Panics, rule.Crash, 0},
		{command, handlers.Refused, rule.Hygiene, rule.Loss},
		{command, handlers.Panics, rule.Crash, 0},
	} {
		loss := &handlers.Loss{Cause: handlers.Cause{Kind: test.kind}}
		if got, served := harmOf(&analysis.Pass{Pkg: test.pkg}, loss); got != test.want || served != test.served {
			t.Errorf("%s, kind %d: got %s and %s, want %s and %s", test.pkg.Name(), test.kind, got, served, test.want, test.served)
		}
	}
}
