package schemeregister

import (
	_ "embed"
	"go/token"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/report/rule"
)

//go:embed doc.go
var doc string

const (
	ignored      = "error-ignored"
	otherVersion = "other-version"
	inUse        = "in-use"
)

// Analyzer finds types that are registered wrongly in a scheme.
var Analyzer = rule.New(rule.Spec{
	Name:      "schemeregister",
	Summary:   "find types that are not registered in the scheme, under another version, or too late",
	DocSource: doc,
	Group:     "clients",
	Since:     "unreleased",
	Categories: []rule.Category{
		{Name: ignored, Summary: "whether AddToScheme has worked is never asked", Harm: rule.Hygiene, Fix: true},
		{Name: otherVersion, Summary: "types of one version's package are registered under another version", Harm: rule.Loss},
		{Name: inUse, Summary: "types are registered in a scheme that clients already use", Harm: rule.Crash},
	},
	Requires:    []*analysis.Analyzer{calls.Analyzer, entrypoints.Analyzer},
	ProductOnly: true,
	Run:         run,
})

func run(pass *analysis.Pass, report *rule.Reporter) error {
	c := &checker{
		pass: pass, report: report,
		graph:   pass.ResultOf[calls.Analyzer].(*calls.Graph),
		entries: pass.ResultOf[entrypoints.Analyzer].(*entrypoints.Result),
	}
	if c.graph.Pkg == nil {
		return nil
	}
	for _, fn := range c.graph.All() {
		if kubeapi.TakesTesting(fn) {
			continue
		}
		c.ignored(fn)
		for call := range blocks.InstrsOf[ssa.CallInstruction](fn) {
			c.otherVersion(call)
		}
	}
	c.inUse()
	return nil
}

// checker looks at one package.
type checker struct {
	pass    *analysis.Pass
	report  *rule.Reporter
	graph   *calls.Graph
	entries *entrypoints.Result
}

func (c *checker) span(call ssa.CallInstruction) (pos, end token.Pos) {
	return syntax.Span(c.pass.Files, call)
}

// called is the function that a call names, as the source has it:
// "v1.AddToScheme".
func (c *checker) called(call ssa.CallInstruction) string {
	return entrypoints.CalleeText(c.pass.Files, call)
}

// maxText bounds expressions in messages.
const maxText = 60
