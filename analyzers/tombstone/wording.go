package tombstone

import (
	"fmt"
	"go/ast"
	"go/token"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/tombstone/internal/handlers"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/report/rule"
)

func finding(pass *analysis.Pass, l *handlers.Loss) rule.Finding {
	f := rule.Finding{Category: category(l)}
	f.Harm, f.HarmIfServed = harmOf(pass, l)
	f.Pos, f.End = span(pass, l)
	f.Message = fmt.Sprintf("%s: %s; %s", harm(pass, l), reason(pass, l), remedy(l))
	f.Related = related(l)
	f.Fix = fix(pass, l)
	return f
}

// harmOf tells a crash from a loss. A command that a user waits for ends soon, and
// what it misses is seen, unless it turns out that a server runs it. A worker that does
// nothing for an object that is gone misses nothing.
func harmOf(pass *analysis.Pass, l *handlers.Loss) (harm, ifServed rule.Harm) {
	switch {
	case crashes(l):
		return rule.Crash, 0
	case l.Harmless:
		return rule.Hygiene, 0
	case kubeapi.HasCommands(pass):
		return rule.Hygiene, rule.Loss
	}
	return rule.Loss, 0
}

// span is where a finding is: the assertion, or the name of the function that is
// called; where a tombstone that has been recognised is handed on as it is, that.
func span(pass *analysis.Pass, l *handlers.Loss) (pos, end token.Pos) {
	if l.SentKnowingly && !l.Unwrapped {
		return syntax.Span(pass.Files, l.Sent)
	}
	assert, ok := l.Instr.(*ssa.TypeAssert)
	if !ok {
		return syntax.Span(pass.Files, l.Instr)
	}
	for _, n := range syntax.Path(pass.Files, assert.Pos()) {
		switch n := n.(type) {
		case *ast.TypeAssertExpr:
			return n.Pos(), n.End()
		case *ast.CaseClause:
			return n.Case, n.Colon
		}
	}
	return assert.Pos(), token.NoPos
}

func handler(pass *analysis.Pass, h handlers.Handler) string {
	at := pass.Fset.Position(h.Registered)
	return fmt.Sprintf("%s (%s:%d)", h.What, filepath.Base(at.Filename), at.Line)
}

// harm says what a missed deletion comes to.
func harm(pass *analysis.Pass, l *handlers.Loss) string {
	switch {
	case l.Filtered != nil:
		return "a missed deletion never reaches " + handler(pass, *l.Filtered)
	case crashes(l):
		return "the operator crashes on a missed deletion"
	case l.Stays:
		return "the map keeps the entry of a missed deletion"
	}
	return "a missed deletion is lost"
}

func crashes(l *handlers.Loss) bool {
	return l.Filtered == nil && (l.Kind == handlers.Panics || l.Kind == handlers.Dereferenced || l.Panicked)
}

// reason says why.
func reason(pass *analysis.Pass, l *handlers.Loss) string {
	where := ""
	if l.Where != "" {
		where = fmt.Sprintf(" (%s)", l.Where)
	}
	tombstone := "the tombstone"
	if l.Sent != nil {
		tombstone += " from " + queue(l)
	}
	switch {
	case l.SentKnowingly && !l.Unwrapped:
		return fmt.Sprintf("%s gets the tombstone itself, which its worker does not know (%s)", queue(l), workerPlace(pass, l))
	case l.Kind == handlers.Deliberate:
		return tombstone + " is recognised and dropped"
	case l.Kind == handlers.Pointer:
		return fmt.Sprintf("%s comes by value and never is a pointer%s", tombstone, where)
	case l.Unwrapped && l.Kind == handlers.RawKey:
		return fmt.Sprintf("%s%s gets %s itself and fails", l.FuncName, where, tombstone)
	case l.Unwrapped:
		return fmt.Sprintf("%s itself is asserted to be %s%s", tombstone, l.AssertedName, where)
	case l.Kind == handlers.Panics:
		return fmt.Sprintf("%s is asserted to be %s%s", tombstone, l.AssertedName, where)
	case l.Kind == handlers.Dereferenced:
		return dereferenced(pass, l, where)
	case l.Kind == handlers.RawKey:
		return fmt.Sprintf("%s%s fails for %s", l.FuncName, where, tombstone)
	}
	return fmt.Sprintf("%s is no %s%s", tombstone, l.AssertedName, where)
}

// workerPlace is where a worker refuses a tombstone.
func workerPlace(pass *analysis.Pass, l *handlers.Loss) string {
	if l.Where != "" {
		return l.Where
	}
	return syntax.At(pass.Fset, l.Instr.Pos(), l.Sent.Pos())
}

// dereferenced says where the nil that a tombstone has left is used.
func dereferenced(pass *analysis.Pass, l *handlers.Loss, where string) string {
	s := fmt.Sprintf("the assertion to %s%s leaves nil", l.AssertedName, where)
	if l.AssertedName == "" {
		s = fmt.Sprintf("%s%s returns nil for it", l.FuncName, where)
	}
	if l.Deref.IsValid() {
		s += fmt.Sprintf(", used in line %d", pass.Fset.Position(l.Deref).Line)
	}
	return s
}

func queue(l *handlers.Loss) string {
	if l.Queue == "" {
		return "a channel"
	}
	return l.Queue
}

// remedy says what to do instead.
func remedy(l *handlers.Loss) string {
	switch {
	case l.Kind == handlers.Pointer:
		return "assert cache.DeletedFinalStateUnknown without *"
	case l.Unwrapped, l.SentKnowingly:
		return "use its Obj"
	case l.Kind == handlers.RawKey && !assertsAfter(l) && strings.HasPrefix(l.FuncName, "cache."):
		return "use cache." + better(l)
	}
	return "unwrap cache.DeletedFinalStateUnknown"
}

// assertsAfter reports whether the function goes on to assert what it has asked
// for the key of: with the key it would get that far, and panic.
func assertsAfter(l *handlers.Loss) bool {
	call, ok := l.Instr.(ssa.CallInstruction)
	if !ok {
		return false
	}
	for _, operand := range kubeapi.Operands(call.Common()) {
		for assert := range blocks.UsesOf[*ssa.TypeAssert](operand) {
			if !assert.CommaOk {
				return true
			}
		}
	}
	return false
}

// related has the registration, each call on the way, and the queue.
func related(l *handlers.Loss) []analysis.RelatedInformation {
	info := []analysis.RelatedInformation{{Pos: l.Handler.Registered, Message: "delete handler " + l.Handler.What}}
	if l.Filtered != nil {
		info[0].Message = "filter"
		info = append(info, analysis.RelatedInformation{Pos: l.Filtered.Registered, Message: "never called: " + l.Filtered.What})
	}
	if l.In != "" {
		info[0].Message += ", refused in " + l.In
	}
	if l.SentKnowingly && !l.Unwrapped {
		info = append(info, analysis.RelatedInformation{Pos: l.Instr.Pos(), Message: "the tombstone is refused here"})
	} else if l.Sent != nil {
		info = append(info, analysis.RelatedInformation{Pos: l.Sent.Pos(), Message: "hands the tombstone on by " + queue(l)})
	}
	for _, call := range l.Chain {
		info = append(info, analysis.RelatedInformation{Pos: call.Pos(), Message: "calls " + entrypoints.CalleeName(call)})
	}
	return info
}

// fix uses the key function that can take tombstones.
func fix(pass *analysis.Pass, l *handlers.Loss) *analysis.SuggestedFix {
	call, ok := l.Instr.(ssa.CallInstruction)
	if !ok || l.Kind != handlers.RawKey || l.Func == nil || assertsAfter(l) {
		return nil
	}
	_, better := kubeapi.TombstoneUseOf(l.Func)
	syntax := syntax.Call(pass.Files, call)
	if better == "" || syntax == nil || l.Func.Pkg().Scope().Lookup(better) == nil {
		return nil
	}
	var name *ast.Ident
	switch fun := ast.Unparen(syntax.Fun).(type) {
	case *ast.SelectorExpr:
		name = fun.Sel
	case *ast.Ident:
		name = fun
	default:
		return nil
	}
	if pass.TypesInfo.Uses[name] != l.Func {
		return nil // a variable that holds the function
	}
	return &analysis.SuggestedFix{
		Message:   "Use " + better,
		TextEdits: []analysis.TextEdit{{Pos: name.Pos(), End: name.End(), NewText: []byte(better)}},
	}
}

// better is the key function that can take tombstones.
func better(l *handlers.Loss) string {
	if l.Func != nil {
		if _, name := kubeapi.TombstoneUseOf(l.Func); name != "" {
			return name
		}
	}
	return "DeletionHandlingMetaNamespaceKeyFunc"
}
