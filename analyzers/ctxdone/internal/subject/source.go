package subject

import (
	"go/ast"
	"go/token"
	"os"
	"slices"
	"strings"

	"github.com/opvet/opvet/internal/kubeapi"
)

// content returns the file that has pos and what is in it, or nil if it cannot be
// read any more. A driver need not have a way of its own to read files (nogo).
func (u *Unit) content(pos token.Pos) (*token.File, []byte) {
	file := u.Pass.Fset.File(pos)
	if file == nil {
		return nil, nil
	}
	read := u.Pass.ReadFile
	if read == nil {
		read = os.ReadFile
	}
	content, err := read(file.Name())
	if err != nil || len(content) != file.Size() { // it has changed since it was parsed
		return nil, nil
	}
	return file, content
}

// Text is the source of a node, or nothing if it cannot be read.
func (u *Unit) Text(n ast.Node) string {
	return u.between(n.Pos(), func(file *token.File) (from, to int) { return file.Offset(n.Pos()), file.Offset(n.End()) })
}

// between is the source from one offset to another of the file that has pos, or nothing.
func (u *Unit) between(pos token.Pos, offsets func(file *token.File) (from, to int)) string {
	file, content := u.content(pos)
	if file == nil {
		return ""
	}
	from, to := offsets(file)
	if from > to || to > len(content) {
		return ""
	}
	return string(content[from:to])
}

// IndentOf is the white space that the line of pos begins with.
func (u *Unit) IndentOf(pos token.Pos) string {
	line := u.between(pos, func(file *token.File) (from, to int) {
		return file.Offset(file.LineStart(file.Line(pos))), file.Offset(pos)
	})
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// IsCommand reports whether the package is a program, has its commands, or lies
// with a program in a directory cmd: what is not reached from an entry point there
// runs once, in the foreground.
func (u *Unit) IsCommand() bool {
	return u.Pass.Pkg.Name() == "main" || kubeapi.HasCommands(u.Pass) || slices.Contains(strings.Split(u.Pass.Pkg.Path(), "/"), "cmd")
}
