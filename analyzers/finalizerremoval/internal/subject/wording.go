package subject

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/wording"
)

// MaxName bounds names from the code under analysis, so that a message stays
// short.
const MaxName = 40

// ShortKey leaves out the directories of a variable's package.
func ShortKey(key string) string { return filepath.Base(key) }

// Object names what a change is about by its kind: "the Backup".
func (c *Checker) Object(ch Change) string {
	if ch.Type == nil {
		return "the object"
	}
	return "the " + KindName(ch.Type)
}

// KindName names a kind in a message.
func KindName(kind *types.Named) string { return wording.Tail(kind.Obj().Name(), MaxName) }

// Line is the line of a place.
func (c *Checker) Line(pos token.Pos) int { return c.Pass.Fset.Position(pos).Line }

// Place says where something is for a message about another place: "line 93",
// and the file if that is another one.
func (c *Checker) Place(pos, from token.Pos) string {
	at := c.Pass.Fset.Position(pos)
	if at.Filename == c.Pass.Fset.Position(from).Filename {
		return fmt.Sprintf("line %d", at.Line)
	}
	return fmt.Sprintf("%s:%d", wording.Tail(filepath.Base(at.Filename), MaxName), at.Line)
}

// CalleeName names the function that is called in a message.
func CalleeName(call ssa.CallInstruction) string {
	return wording.Tail(entrypoints.CalleeName(call), MaxName)
}

// Syntax returns the syntax of the call that a node stands for with its file,
// or nil.
func (c *Checker) Syntax(n *paths.Node) (*ast.CallExpr, *ast.File) {
	call := syntax.Call(c.Pass.Files, n.Call())
	if call == nil {
		return nil, nil
	}
	return call, syntax.FileOf(c.Pass.Files, call.Pos())
}

// Tell reports what is found at a node.
func (c *Checker) Tell(n *paths.Node, f rule.Finding) {
	f.Pos, f.End = c.Span(n)
	c.Report.Report(f)
}

// Span returns where a finding about a node stands: for a call, the name of
// what is called.
func (c *Checker) Span(n *paths.Node) (pos, end token.Pos) {
	if call := n.Call(); call != nil {
		return syntax.Span(c.Pass.Files, call)
	}
	return n.Instr.Pos(), token.NoPos
}
