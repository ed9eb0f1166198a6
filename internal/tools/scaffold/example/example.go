package example

import (
	_ "embed"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/facts"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/rule"
)

//go:embed doc.go
var doc string

// Analyzer finds polls without a pause.
var Analyzer = rule.New(rule.Spec{
	Name: "example", Summary: "find polls whose interval is zero", DocSource: doc, Group: "draft", Since: "unreleased",
	Categories: []rule.Category{{Name: "no-pause", Summary: "a poll asks again at once", Harm: rule.Load, Trial: true}},
	Excuses:    excuses.Reasons(), Requires: []*analysis.Analyzer{calls.Analyzer, paced}, Run: run,
})

var excuses = rule.Excuses[*ssa.Function]{{
	Reason: rule.Reason{Name: "main", Doc: "main runs it once"},
	Holds:  func(fn *ssa.Function) bool { return fn.Name() == "main" },
}}

// Paces is the fact: the parameter of a function that is the interval of a poll, from 1.
type Paces struct{ Param int }

func (*Paces) AFact()         {}
func (p *Paces) IsZero() bool { return p.Param == 0 }

type table = facts.Table[Paces, *Paces]

var paced = facts.Pass("opvetexample", "tell which parameters are intervals", 3, func(t *table, fn *ssa.Function) *Paces {
	for instr := range blocks.Instrs(fn) {
		if p, ok := interval(t, instr).(*ssa.Parameter); ok {
			return &Paces{slices.Index(fn.Params, p) + 1}
		}
	}
	return nil
})

// interval is that of the poll which an instruction makes, itself or in a function that it calls.
func interval(t *table, instr ssa.Instruction) ssa.Value {
	call, ok := instr.(*ssa.Call)
	if !ok {
		return nil
	}
	operands := kubeapi.Operands(call.Common())
	for _, paces := range t.At(call) {
		return operands[paces.Param-1]
	}
	if i := slices.IndexFunc(operands, func(v ssa.Value) bool { return kubeapi.IsDuration(v.Type()) }); i >= 0 && kubeapi.IsPoll(kubeapi.Callee(call.Common())) {
		return operands[i]
	}
	return nil
}

func run(pass *analysis.Pass, report *rule.Reporter) error {
	graph, paces := pass.ResultOf[calls.Analyzer].(*calls.Graph), pass.ResultOf[paced].(*table)
	zero := func(v ssa.Value) bool { n, ok := calls.ConstIndex(v); return ok && n == 0 }
	made := values.Relation{Calls: graph, Steps: values.Local | values.Returned}
	for _, fn := range graph.Funcs {
		for instr := range blocks.Instrs(fn) {
			if made.Any(interval(paces, instr), zero) && !excuses.Silence(report, instr.Pos(), "no-pause", fn) {
				report.Report(rule.Finding{Pos: instr.Pos(), Category: "no-pause", Message: "the API server is asked at full speed: the interval is zero; wait between two polls"})
			}
		}
	}
	return nil
}
