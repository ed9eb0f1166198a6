package ctxdone

import (
	"fmt"
	"go/ast"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/ctxdone/internal/subject"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
	"github.com/opvet/opvet/internal/passes/waits"
	"github.com/opvet/opvet/internal/report/rule"
)

// checkProcesses reports processes that are waited for and that nothing kills
// when the context at hand ends.
func checkProcesses(in *subject.Unit) {
	u := &unit{in}
	info := u.Pass.ResultOf[waits.Analyzer].(*waits.Waits)
	for _, fn := range u.Graph.Funcs {
		for call := range blocks.InstrsOf[*ssa.Call](fn) {
			if !kubeapi.CommandCall(call.Common()) || info.IsOver(call) {
				continue
			}
			if run := waitedFor(call); run != nil {
				u.process(info, fn, call, run)
			}
		}
	}
}

// process decides about one process that is waited for by the call run.
func (u *unit) process(info *waits.Waits, fn *ssa.Function, call *ssa.Call, run ssa.CallInstruction) {
	if _, deferred := run.(*ssa.Defer); deferred {
		return
	}
	a := info.Answers(fn, call)
	if a.None() {
		return
	}
	direct := a.Source != nil && a.Caller == nil && (a.Source.Kind == contexts.FromParam || a.Source.Kind == contexts.FromRequest) && !a.Source.Stop
	if doubtful := !direct || u.IsCommand(); doubtful && !u.Report.Strict() {
		return
	}
	f := rule.Finding{Pos: call.Pos(), Category: "exec"}
	consequence, remedy := "if it hangs, so does its caller, forever", "the context"
	if a.Source != nil {
		consequence = fmt.Sprintf("its caller waits for it when %s has ended", u.ContextName(a))
		if direct && a.Source.Expr != "" {
			remedy = a.Source.Expr
		}
	}
	if a.Path != nil {
		f.Related = a.Path.Related()
	}
	f.Message = fmt.Sprintf("nothing kills this process: %s; use CommandContext with %s", consequence, remedy)
	if direct {
		f.Fix = u.processFix(fn, call)
	}
	u.Report.Report(f)
}

// waitedFor returns the call that waits for a process, nil if there is none or
// if something else might kill the process: it is kept, handed on, or its
// handle is used.
func waitedFor(cmd *ssa.Call) ssa.CallInstruction {
	var wait ssa.CallInstruction
	for v, use := range (values.Relation{Steps: values.Held}).Uses(cmd) {
		switch use := use.(type) {
		case *ssa.If, *ssa.BinOp:
		case *ssa.FieldAddr:
			if field := calls.FieldAt(use); field == nil || killers[field.Name()] {
				return nil
			}
		case ssa.CallInstruction:
			recv, args := kubeapi.Args(use.Common())
			if _, started := use.(*ssa.Go); started || recv != v || slices.Contains(args, v) {
				return nil
			}
			if kubeapi.IsProcessWait(kubeapi.Callee(use.Common())) && wait == nil {
				wait = use
			}
		default:
			return nil
		}
	}
	return wait
}

// killers are the fields of exec.Cmd by which a process is killed.
var killers = map[string]bool{"Process": true, "Cancel": true, "WaitDelay": true, "SysProcAttr": true}

// processFix writes CommandContext instead of Command.
func (u *unit) processFix(fn *ssa.Function, call *ssa.Call) *analysis.SuggestedFix {
	return u.contextFix(fn, call, "CommandContext", func(name string, args []ast.Expr) bool { return name == "Command" && len(args) > 0 })
}

// contextFix calls the function with a context instead of the one without, if the call is
// written as such a one.
func (u *unit) contextFix(fn *ssa.Function, call *ssa.Call, instead string, such func(name string, args []ast.Expr) bool) *analysis.SuggestedFix {
	source := u.Usable(fn, call.Pos())
	expr := syntax.Call(u.Pass.Files, call)
	if source == nil || source.Stop || expr == nil {
		return nil
	}
	fun, ok := ast.Unparen(expr.Fun).(*ast.SelectorExpr)
	if !ok || !such(fun.Sel.Name, expr.Args) {
		return nil
	}
	return &analysis.SuggestedFix{
		Message: "use " + instead + " with " + source.Expr,
		TextEdits: []analysis.TextEdit{
			{Pos: fun.Sel.Pos(), End: fun.Sel.End(), NewText: []byte(instead)},
			{Pos: expr.Args[0].Pos(), End: expr.Args[0].Pos(), NewText: []byte(source.Expr + ", ")},
		},
	}
}
