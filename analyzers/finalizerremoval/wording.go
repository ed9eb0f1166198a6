package finalizerremoval

import (
	"fmt"
	"go/ast"
	"go/token"
	"path/filepath"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/entrypoint"
	"github.com/opvet/opvet/internal/finalizers"
	"github.com/opvet/opvet/internal/flow"
)

// finalizer names what a change is about.
func (c *checker) finalizer(ch change) string {
	if ch.Kind == finalizers.Emptied {
		return "all finalizers"
	}
	return "the finalizer" + nameSuffix(ch.Name)
}

// comesOff says that what a change is about comes off.
func (c *checker) comesOff(ch change) string {
	verb := " comes off "
	if ch.Kind == finalizers.Emptied {
		verb = " come off "
	}
	return c.finalizer(ch) + verb + c.object(ch)
}

func nameSuffix(n finalizers.Name) string {
	switch {
	case n.Value != "":
		return fmt.Sprintf(" %q", n.Value)
	case n.Key != "":
		return " " + shortKey(n.Key)
	}
	return ""
}

// shortKey leaves out the directories of a variable's package.
func shortKey(key string) string { return filepath.Base(key) }

// object names the kind that a change is about.
func (c *checker) object(ch change) string {
	if ch.Type == nil {
		return "the object"
	}
	return "*" + ch.Type.Obj().Pkg().Name() + "." + ch.Type.Obj().Name()
}

func (c *checker) line(pos token.Pos) int { return c.pass.Fset.Position(pos).Line }

// where says where a change happens, and by which helper.
func (c *checker) where(ch change) string {
	if ch.Via != nil {
		return fmt.Sprintf("by %s on line %d", ch.Via.Name(), c.line(ch.Node.Instr.Pos()))
	}
	return fmt.Sprintf("on line %d", c.line(ch.Node.Instr.Pos()))
}

func calleeName(call ssa.CallInstruction) string { return entrypoint.CalleeName(call) }

// syntax returns the syntax of the call that a node stands for with its file,
// or nil.
func (c *checker) syntax(n *flow.Node) (*ast.CallExpr, *ast.File) {
	if n.Call() == nil {
		return nil, nil
	}
	pos := n.Call().Common().Pos()
	for _, file := range c.pass.Files {
		if pos < file.FileStart || file.FileEnd < pos {
			continue
		}
		var found *ast.CallExpr
		ast.Inspect(file, func(n ast.Node) bool {
			if n == nil || found != nil || pos < n.Pos() || n.End() <= pos {
				return false
			}
			if call, ok := n.(*ast.CallExpr); ok && call.Lparen == pos {
				found = call
			}
			return true
		})
		return found, file
	}
	return nil, nil
}

// span returns where a finding about a node stands: for a call, the name of
// what is called.
func (c *checker) span(n *flow.Node) (pos, end token.Pos) {
	call, _ := c.syntax(n)
	if call == nil {
		return n.Instr.Pos(), token.NoPos
	}
	fun := ast.Unparen(call.Fun)
	switch f := fun.(type) {
	case *ast.IndexExpr:
		fun = f.X
	case *ast.IndexListExpr:
		fun = f.X
	}
	if sel, ok := fun.(*ast.SelectorExpr); ok {
		return sel.Sel.Pos(), sel.Sel.End()
	}
	return call.Pos(), call.Rparen
}
