package finalizerremoval

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
	"github.com/opvet/opvet/internal/report/wording"
)

// maxName bounds names from the code under analysis, so that a message stays
// short.
const maxName = 40

// shortKey leaves out the directories of a variable's package.
func shortKey(key string) string { return filepath.Base(key) }

// object names what a change is about by its kind: "the Backup".
func (c *checker) object(ch change) string {
	if ch.Type == nil {
		return "the object"
	}
	return "the " + kindName(ch.Type)
}

func kindName(kind *types.Named) string { return wording.Tail(kind.Obj().Name(), maxName) }

func (c *checker) line(pos token.Pos) int { return c.pass.Fset.Position(pos).Line }

// place says where something is for a message about another place: "line 93",
// and the file if that is another one.
func (c *checker) place(pos, from token.Pos) string {
	at := c.pass.Fset.Position(pos)
	if at.Filename == c.pass.Fset.Position(from).Filename {
		return fmt.Sprintf("line %d", at.Line)
	}
	return fmt.Sprintf("%s:%d", wording.Tail(filepath.Base(at.Filename), maxName), at.Line)
}

func calleeName(call ssa.CallInstruction) string {
	return wording.Tail(entrypoints.CalleeName(call), maxName)
}

// syntax returns the syntax of the call that a node stands for with its file,
// or nil.
func (c *checker) syntax(n *paths.Node) (*ast.CallExpr, *ast.File) {
	call := syntax.Call(c.pass.Files, n.Call())
	if call == nil {
		return nil, nil
	}
	for _, file := range c.pass.Files {
		if file.FileStart <= call.Pos() && call.Pos() <= file.FileEnd {
			return call, file
		}
	}
	return nil, nil
}

// span returns where a finding about a node stands: for a call, the name of
// what is called.
func (c *checker) span(n *paths.Node) (pos, end token.Pos) {
	if call := n.Call(); call != nil {
		return syntax.Span(c.pass.Files, call)
	}
	return n.Instr.Pos(), token.NoPos
}
