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
	"github.com/opvet/opvet/internal/source"
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
	call := source.Call(c.pass.Files, n.Call())
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
func (c *checker) span(n *flow.Node) (pos, end token.Pos) {
	if call := n.Call(); call != nil {
		return source.Span(c.pass.Files, call)
	}
	return n.Instr.Pos(), token.NoPos
}
