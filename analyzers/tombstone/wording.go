package tombstone

import (
	"fmt"
	"go/ast"
	"go/token"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/entrypoint"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/rule"
	"github.com/opvet/opvet/internal/source"
	"github.com/opvet/opvet/internal/tombstones"
)

func finding(pass *analysis.Pass, l *tombstones.Loss) rule.Finding {
	f := rule.Finding{Category: category(l)}
	f.Pos, f.End = span(pass, l)
	f.Message = fmt.Sprintf("%s%s; %s", subject(pass, l), consequence(pass, l), remedy(l))
	f.Related = related(l)
	f.Fix = fix(pass, l)
	return f
}

// span is where a finding stands: the assertion, or the name of the function
// that is called.
func span(pass *analysis.Pass, l *tombstones.Loss) (pos, end token.Pos) {
	assert, ok := l.Instr.(*ssa.TypeAssert)
	if !ok {
		return source.Span(pass.Files, l.Instr)
	}
	for _, n := range source.Path(pass.Files, assert.Pos()) {
		switch n := n.(type) {
		case *ast.TypeAssertExpr:
			return n.Pos(), n.End()
		case *ast.CaseClause:
			return n.Case, n.Colon
		}
	}
	return assert.Pos(), token.NoPos
}

// subject says when it happens, and in what.
func subject(pass *analysis.Pass, l *tombstones.Loss) string {
	s := "after a missed deletion, the informer calls " + handler(pass, l.Handler)
	way := ""
	if route := route(l); route != "" {
		way = " (→ " + route + ")"
	}
	const what = " with a cache.DeletedFinalStateUnknown"
	if l.Sent == nil {
		return s + way + what
	}
	return s + what + fmt.Sprintf(" that gets here by %s (%s)", queue(l), place(pass, l.Sent.Pos())) + way
}

func queue(l *tombstones.Loss) string {
	if l.Queue == "" {
		return "a channel"
	}
	return l.Queue
}

func handler(pass *analysis.Pass, h tombstones.Handler) string {
	return fmt.Sprintf("%s (%s)", h.What, place(pass, h.Registered))
}

func place(pass *analysis.Pass, pos token.Pos) string {
	at := pass.Fset.Position(pos)
	return fmt.Sprintf("%s:%d", filepath.Base(at.Filename), at.Line)
}

func route(l *tombstones.Loss) string {
	var names []string
	for _, call := range l.Chain {
		names = append(names, entrypoint.CalleeName(call))
	}
	return strings.Join(names, " → ")
}

// consequence says what becomes of the tombstone.
func consequence(pass *analysis.Pass, l *tombstones.Loss) string {
	where := ""
	if l.Where != "" {
		where = fmt.Sprintf(" in %s (%s)", l.In, l.Where)
	}
	undone := "what is done for a deleted object is not done"
	if l.Panicked {
		undone = "the operator panics"
	}
	switch {
	case l.Filtered != nil:
		return fmt.Sprintf(", and the filter rejects it%s: %s is never called for it", where, handler(pass, *l.Filtered))
	case l.Kind == tombstones.Deliberate:
		return ", which is recognised and dropped: " + undone
	case l.Kind == tombstones.Pointer:
		return fmt.Sprintf(", by value: the assertion to a pointer%s never holds, and %s", where, undone)
	case l.Unwrapped && l.Kind == tombstones.RawKey:
		return fmt.Sprintf(", which is recognised, but %s%s gets the tombstone itself and returns an error: %s", l.FuncName, where, undone)
	case l.Unwrapped && l.Kind == tombstones.Panics:
		return fmt.Sprintf(", which is recognised, but the tombstone itself is asserted to be %s%s: the operator crashes", l.AssertedName, where)
	case l.Unwrapped:
		return fmt.Sprintf(", which is recognised, but the tombstone itself is asserted to be %s%s: %s", l.AssertedName, where, undone)
	case l.Kind == tombstones.Panics:
		return fmt.Sprintf(", and the unchecked assertion to %s%s panics: the operator crashes", l.AssertedName, where)
	case l.Kind == tombstones.Dereferenced:
		s := fmt.Sprintf(", and the assertion to %s%s leaves nil", l.AssertedName, where)
		if l.AssertedName == "" {
			s = fmt.Sprintf(", and %s%s returns nil", l.FuncName, where)
		}
		if l.Deref.IsValid() {
			s += fmt.Sprintf(", which is used on line %d", pass.Fset.Position(l.Deref).Line)
		}
		return s + ": the operator crashes"
	case l.Kind == tombstones.RawKey:
		return fmt.Sprintf(", and %s%s returns an error for it: %s", l.FuncName, where, undone)
	}
	return fmt.Sprintf(", which is no %s%s: %s", l.AssertedName, where, undone)
}

// remedy says what to do instead.
func remedy(l *tombstones.Loss) string {
	switch {
	case l.Kind == tombstones.Pointer:
		return "assert cache.DeletedFinalStateUnknown without the *"
	case l.Unwrapped:
		return "go on with its Obj"
	case l.Kind == tombstones.RawKey && strings.HasPrefix(l.FuncName, "cache."):
		return "use cache." + better(l)
	}
	return "unwrap it first: if t, ok := obj.(cache.DeletedFinalStateUnknown); ok { obj = t.Obj }"
}

// related has the registration, each call on the way, and the queue.
func related(l *tombstones.Loss) []analysis.RelatedInformation {
	info := []analysis.RelatedInformation{{Pos: l.Handler.Registered, Message: "delete handler " + l.Handler.What}}
	if l.Filtered != nil {
		info[0].Message = "filter"
		info = append(info, analysis.RelatedInformation{Pos: l.Filtered.Registered, Message: "never called: " + l.Filtered.What})
	}
	if l.Sent != nil {
		info = append(info, analysis.RelatedInformation{Pos: l.Sent.Pos(), Message: "hands the tombstone on by " + queue(l)})
	}
	for _, call := range l.Chain {
		info = append(info, analysis.RelatedInformation{Pos: call.Pos(), Message: "calls " + entrypoint.CalleeName(call)})
	}
	return info
}

// fix uses the key function that can take tombstones.
func fix(pass *analysis.Pass, l *tombstones.Loss) *analysis.SuggestedFix {
	call, ok := l.Instr.(ssa.CallInstruction)
	if !ok || l.Kind != tombstones.RawKey || l.Func == nil {
		return nil
	}
	_, better := kubeapi.TombstoneUseOf(l.Func)
	syntax := source.Call(pass.Files, call)
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
func better(l *tombstones.Loss) string {
	if l.Func != nil {
		if _, name := kubeapi.TombstoneUseOf(l.Func); name != "" {
			return name
		}
	}
	return "DeletionHandlingMetaNamespaceKeyFunc"
}
