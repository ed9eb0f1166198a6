package duplicatecreate

import (
	_ "embed"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/rule"
)

//go:embed doc.go
var doc string

// Analyzer is to find children with generated names that a stale cache makes twice.
var Analyzer = rule.New(rule.Spec{
	Name:       "duplicatecreate",
	Summary:    "find children with generated names that a stale cache makes twice",
	DocSource:  doc,
	Group:      "cache",
	Since:      "unreleased",
	Categories: []rule.Category{{Name: "generated-name", Summary: "what this category finds", Harm: rule.Loss}},
	Requires:   []*analysis.Analyzer{calls.Analyzer},
	Run:        run,
})

// run finds the candidates: here, requests to the API server.
func run(pass *analysis.Pass, report *rule.Reporter) error {
	graph := pass.ResultOf[calls.Analyzer].(*calls.Graph)
	for _, fn := range graph.Funcs {
		for _, block := range fn.Blocks {
			for _, instr := range block.Instrs {
				call, ok := instr.(ssa.CallInstruction)
				if !ok {
					continue
				}
				if op, ok := kubeapi.ClientOp(call.Common()); ok && isMistake(op) {
					tell(report, call)
				}
			}
		}
	}
	return nil
}

// isMistake decides. Nothing is a mistake until the rule is written.
func isMistake(kubeapi.Op) bool { return false }

// tell words the finding: what happens in production, then the remedy.
func tell(report *rule.Reporter, call ssa.CallInstruction) {
	report.Report(rule.Finding{
		Pos: call.Pos(), Category: "generated-name",
		Message: "what happens in production; what to do instead",
	})
}
