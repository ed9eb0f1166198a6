package loops

import (
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// Stmt returns the statement that a loop is: the innermost *ast.ForStmt or
// *ast.RangeStmt around all its instructions, or nil for a loop that is made
// with goto.
func (l *Loop) Stmt() ast.Stmt {
	fn := l.Head.Parent()
	if fn.Syntax() == nil {
		return nil
	}
	low, high := token.NoPos, token.NoPos
	for block := range l.Blocks {
		for _, instr := range block.Instrs {
			at := instr.Pos()
			switch instr.(type) {
			case *ssa.Phi, *ssa.Alloc, *ssa.DebugRef:
				continue // stand where the variable is declared
			}
			if !at.IsValid() {
				continue
			}
			if low == token.NoPos || at < low {
				low = at
			}
			high = max(high, at)
		}
	}
	if !low.IsValid() {
		return nil
	}
	return enclosing(fn.Syntax(), low, high)
}

// enclosing returns the innermost loop statement of a function around the
// positions.
func enclosing(syntax ast.Node, low, high token.Pos) ast.Stmt {
	var found ast.Stmt
	ast.Inspect(syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return n == syntax
		case *ast.ForStmt, *ast.RangeStmt:
			if n.Pos() <= low && high <= n.End() {
				found = n.(ast.Stmt)
			}
		}
		return true
	})
	return found
}
