package entrypoints_test

import (
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/testing/passtest"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

// probe reports the entry points, and the paths to functions whose name
// begins with "reached".
var probe = &analysis.Analyzer{
	Name:     "probe",
	Doc:      "report entry points",
	Requires: []*analysis.Analyzer{entrypoints.Analyzer, calls.Analyzer},
	Run: func(pass *analysis.Pass) (any, error) {
		result := pass.ResultOf[entrypoints.Analyzer].(*entrypoints.Result)
		for _, entry := range result.Entries {
			words := []string{entry.Kind.String() + ":", entry.What}
			for _, object := range entry.Objects() {
				words = append(words, object.Name())
			}
			pass.Reportf(entry.Fn.Pos(), "%s", strings.Join(words, " "))
			if !entry.Registered.IsValid() {
				pass.Reportf(entry.Fn.Pos(), "no place of registration")
			}
		}
		for _, fn := range pass.ResultOf[calls.Analyzer].(*calls.Graph).Funcs {
			if !strings.HasPrefix(fn.Name(), "reached") && !strings.HasPrefix(fn.Name(), "notReached") {
				continue
			}
			path := result.PathTo(fn)
			if path == nil {
				continue
			}
			names := []string{path.Entry.What}
			for _, edge := range path.Edges() {
				names = append(names, edge.Callee.Name())
			}
			pass.Reportf(fn.Pos(), "path: %s", strings.Join(names, " → "))
		}
		return nil, nil
	},
}

func TestCurrent(t *testing.T) {
	ruletest.Run(t, "../../../testdata", probe, "./entrypoint")
}

// TestFacts looks at what functions do with the functions that they get.
func TestFacts(t *testing.T) {
	passtest.Facts(t, entrypoints.Analyzer, "../../../testdata", "./entrypoint/lib")
}

func TestLegacy(t *testing.T) {
	ruletest.Run(t, "../../../testdata/legacy", probe, "./entrypoint/...")
}
