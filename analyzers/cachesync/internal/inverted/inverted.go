// Package inverted finds conditions that take filled caches for a failure.
package inverted

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/cachesync/internal/subject"
	"github.com/opvet/opvet/analyzers/cachesync/internal/syncs"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/rule"
)

// Report finds conditions that take filled caches for a failure.
func Report(in *subject.Checker, w *syncs.Wait) bool {
	c := &checker{in}
	if w.Op.Verb != kubeapi.WaitForSync {
		return false
	}
	answers := []ssa.Value{w.Call}
	if !kubeapi.IsBool(w.Call.Type()) {
		answers = eachAnswer(w.Call)
	}
	for _, answer := range answers {
		for _, b := range subject.Branches(answer, true) {
			if c.wrongWay(b) {
				c.reportInverted(w.Call, b, fmt.Sprintf("filled caches are taken for a failure, and a failed wait for success: %s is true once they are filled; test for the contrary", subject.Short(c.Text(w.Call))))
				return true
			}
		}
	}
	return false
}

// eachAnswer returns the values that a loop over a factory's answers has.
func eachAnswer(m ssa.Value) []ssa.Value {
	var found []ssa.Value
	for over := range blocks.UsesOf[*ssa.Range](m) {
		elements := values.Elements(over)
		found = append(found, slices.DeleteFunc(elements, func(v ssa.Value) bool { return !kubeapi.IsBool(v.Type()) })...)
	}
	return found
}

// wrongWay reports whether the caches being filled leads to a failure, and
// their not being filled does not.
func (c *checker) wrongWay(b subject.Branch) bool {
	if len(b.Yes.Preds) != 1 {
		return false
	}
	if fails(b.Yes) {
		return !fails(b.No)
	}
	// Nothing is done with filled caches, and all of it with others.
	return c.leaves(b.Yes) && !c.leaves(b.No) && c.usesFrom(b.No) && !fails(b.No)
}

// fails reports whether a block, and those that it alone leads to, ends in an
// error that cannot be nil, or in a panic.
func fails(block *ssa.BasicBlock) bool {
	for range 4 {
		switch last := block.Instrs[len(block.Instrs)-1].(type) {
		case *ssa.Panic:
			return true
		case *ssa.Return:
			if len(last.Results) == 0 {
				return false
			}
			result := last.Results[len(last.Results)-1]
			return kubeapi.IsError(result.Type()) && isNewError(returned(block, result))
		case *ssa.Jump:
			if len(block.Succs[0].Preds) != 1 {
				return false
			}
			block = block.Succs[0]
			continue
		}
		return len(block.Succs) == 0
	}
	return false
}

// returned is what a block stores into a result that it returns: where there
// are deferred calls, results are variables.
func returned(block *ssa.BasicBlock, result ssa.Value) ssa.Value {
	load, ok := result.(*ssa.UnOp)
	if !ok {
		return result
	}
	for _, instr := range block.Instrs {
		if store, ok := instr.(*ssa.Store); ok && store.Addr == load.X {
			result = store.Val
		}
	}
	return result
}

// isNewError reports whether v is an error that was made on the spot.
func isNewError(v ssa.Value) bool {
	call, ok := v.(*ssa.Call)
	if !ok {
		return false
	}
	callee := kubeapi.Callee(call.Common())
	return kubeapi.IsFunc(callee, "fmt", "Errorf") || kubeapi.IsFunc(callee, "errors", "New") ||
		kubeapi.IsFunc(callee, "github.com/pkg/errors", "New") || kubeapi.IsFunc(callee, "github.com/pkg/errors", "Errorf")
}

// leaves reports whether a block does nothing but return, and perhaps log.
func (c *checker) leaves(block *ssa.BasicBlock) bool {
	if _, ok := block.Instrs[len(block.Instrs)-1].(*ssa.Return); !ok {
		return false
	}
	for _, instr := range block.Instrs {
		switch instr := instr.(type) {
		case *ssa.Go, *ssa.Defer, *ssa.Send, *ssa.MapUpdate:
			return false
		case *ssa.Call:
			callee := kubeapi.Callee(instr.Common())
			if _, builtin := instr.Common().Value.(*ssa.Builtin); !builtin && (callee == nil || callee.Pkg() == nil || c.Graph.SameModule(callee.Pkg()) || !calls.Unused(instr)) {
				return false
			}
		}
	}
	return true
}

// usesFrom reports whether caches are used on the way that a branch leads to.
func (c *checker) usesFrom(from *ssa.BasicBlock) bool {
	seen := map[*ssa.BasicBlock]bool{from: true}
	for queue := []*ssa.BasicBlock{from}; len(queue) > 0; queue = queue[1:] {
		for _, instr := range queue[0].Instrs {
			if len(c.RememberedUses(instr)) > 0 {
				return true
			}
		}
		for _, next := range queue[0].Succs {
			if !seen[next] {
				seen[next] = true
				queue = append(queue, next)
			}
		}
	}
	return false
}

// ReportPolls finds loops and pollers that wait as long as a cache is filled.
func ReportPolls(in *subject.Checker, fn *ssa.Function) {
	c := &checker{in}
	for call := range blocks.InstrsOf[*ssa.Call](fn) {
		if op, ok := kubeapi.InformerOpOf(call); ok && op.Verb == kubeapi.HasSynced {
			for _, b := range subject.Branches(call, true) {
				if sleepsUntil(b) {
					c.reportInverted(call, b, fmt.Sprintf("the loop ends at once while the cache is empty, and never once it is filled: %s is true then; test for the contrary", subject.Short(c.Text(call))))
				}
			}
		}
		c.poller(call)
	}
}

// sleepsUntil reports whether the condition is that of a loop which pauses and
// asks again as long as it is true.
func sleepsUntil(b subject.Branch) bool {
	block := b.At.Block()
	if len(b.Yes.Preds) != 1 || !blocks.Follows(b.Yes.Instrs[0], b.At) || blocks.Follows(b.No.Instrs[0], b.At) {
		return false
	}
	pauses := false
	for _, inner := range block.Parent().Blocks {
		if inner != block && !b.Yes.Dominates(inner) {
			continue
		}
		for _, instr := range inner.Instrs {
			call, ok := instr.(*ssa.Call)
			if !ok {
				continue
			}
			if _, ok := kubeapi.Sleep(call.Common()); ok {
				pauses = true
			}
		}
	}
	return pauses
}

// poller finds conditions of wait.Poll and its like that are met while a cache
// is not filled.
func (c *checker) poller(call *ssa.Call) {
	wait, ok := kubeapi.WaitCall(call.Common())
	if callee := kubeapi.Callee(call.Common()); !ok && (callee == nil || callee.Pkg() == nil || !kubeapi.RunsInPlace(callee, callee.Signature().Params().Len()-1)) || ok && !wait.Poller {
		return
	}
	args := call.Common().Args
	if len(args) == 0 {
		return
	}
	for _, fn := range c.Graph.FuncsOf(args[len(args)-1]).Funcs {
		results := fn.Signature.Results()
		if results.Len() != 2 || !kubeapi.IsBool(results.At(0).Type()) || len(fn.Blocks) != 1 {
			continue
		}
		ret, ok := fn.Blocks[0].Instrs[len(fn.Blocks[0].Instrs)-1].(*ssa.Return)
		if !ok {
			continue
		}
		not, ok := ret.Results[0].(*ssa.UnOp)
		if !ok || not.Op != token.NOT {
			continue
		}
		if asked, ok := not.X.(*ssa.Call); ok {
			if op, ok := kubeapi.InformerOpOf(asked); ok && op.Verb == kubeapi.HasSynced {
				c.Finding(asked, subject.Inverted, fmt.Sprintf("the wait ends at once while the cache is empty, and never once it is filled: %s is true then; return it as it is", subject.Short(c.Text(asked))))
			}
		}
	}
}

func (c *checker) reportInverted(call *ssa.Call, b subject.Branch, message string) {
	pos, end := syntax.Span(c.Pass.Files, call)
	c.Report.Report(rule.Finding{
		Pos: pos, End: end, Category: subject.Inverted, Message: message,
		Related: []analysis.RelatedInformation{{Pos: b.At.Cond.Pos(), Message: "the condition"}},
		Fix:     c.negate(call),
	})
}

// negate turns the condition around, if it is the call itself.
func (c *checker) negate(call *ssa.Call) *analysis.SuggestedFix {
	expr := syntax.Call(c.Pass.Files, call)
	if expr == nil {
		return nil
	}
	path := syntax.Path(c.Pass.Files, expr.Pos())
	for _, n := range path {
		switch n := n.(type) {
		case *ast.UnaryExpr:
			if n.Op == token.NOT && ast.Unparen(n.X) == ast.Expr(expr) {
				return &analysis.SuggestedFix{Message: "test for the contrary", TextEdits: []analysis.TextEdit{{Pos: n.Pos(), End: n.OpPos + 1}}}
			}
		case *ast.IfStmt:
			return c.insertNot(n.Cond, expr)
		case *ast.ForStmt:
			return c.insertNot(n.Cond, expr)
		}
	}
	return nil
}

func (c *checker) insertNot(cond ast.Expr, call *ast.CallExpr) *analysis.SuggestedFix {
	if not, ok := cond.(*ast.UnaryExpr); ok && not.Op == token.NOT && ast.Unparen(not.X) == ast.Expr(call) {
		return &analysis.SuggestedFix{Message: "test for the contrary", TextEdits: []analysis.TextEdit{{Pos: not.Pos(), End: not.OpPos + 1}}}
	}
	if cond != ast.Expr(call) {
		return nil
	}
	return &analysis.SuggestedFix{Message: "test for the contrary", TextEdits: []analysis.TextEdit{{Pos: call.Pos(), End: call.Pos(), NewText: []byte("!")}}}
}
