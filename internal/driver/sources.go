package driver

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"unicode/utf16"

	"github.com/opvet/opvet/internal/ir/syntax"
)

// sources reads the files that findings lie in again, for what the reports
// need of their text. A file that is gone is empty.
type sources struct {
	files map[string]*sourceFile
}

type sourceFile struct {
	lines  []string
	fset   *token.FileSet
	syntax *ast.File // nil if there is none
}

func newSources() *sources { return &sources{make(map[string]*sourceFile)} }

func (s *sources) file(name string) *sourceFile {
	f, ok := s.files[name]
	if !ok {
		f = &sourceFile{fset: token.NewFileSet()}
		if content, err := os.ReadFile(name); err == nil {
			f.lines = strings.Split(string(content), "\n")
			f.syntax, _ = parser.ParseFile(f.fset, name, content, parser.SkipObjectResolution)
		}
		s.files[name] = f
	}
	return f
}

// line returns the text of a line.
func (s *sources) line(name string, line int) string {
	lines := s.file(name).lines
	if line < 1 || line > len(lines) {
		return ""
	}
	return strings.TrimSuffix(lines[line-1], "\r")
}

// between returns the text from one place to another of a file.
func (s *sources) between(start, end token.Position) string {
	var parts []string
	for n := start.Line; n <= end.Line; n++ {
		text := s.line(start.Filename, n)
		if n == end.Line && end.Column-1 <= len(text) {
			text = text[:max(0, end.Column-1)]
		}
		if n == start.Line {
			text = text[min(len(text), max(0, start.Column-1)):]
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "\n")
}

// column returns the column of a place in UTF-16 code units, where
// token.Position counts bytes.
func (s *sources) column(posn token.Position) int {
	text := s.line(posn.Filename, posn.Line)
	if posn.Column < 1 || posn.Column-1 > len(text) {
		return posn.Column
	}
	return len(utf16.Encode([]rune(text[:posn.Column-1]))) + 1
}

// declaration returns the name of the top-level declaration around an offset
// in a file, such as "(*Reconciler).Reconcile", or nothing if there is none.
func (s *sources) declaration(name string, offset int) string {
	f := s.file(name)
	if f.syntax == nil {
		return ""
	}
	covers := func(n ast.Node) bool {
		return f.fset.PositionFor(n.Pos(), false).Offset <= offset && offset < f.fset.PositionFor(n.End(), false).Offset
	}
	for _, decl := range f.syntax.Decls {
		if !covers(decl) {
			continue
		}
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			return funcName(decl)
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				if covers(spec) {
					return specName(spec)
				}
			}
		}
	}
	return ""
}

func funcName(decl *ast.FuncDecl) string {
	switch receiver, pointer := syntax.Receiver(decl); {
	case receiver == "":
		return decl.Name.Name
	case pointer:
		return "(*" + receiver + ")." + decl.Name.Name
	default:
		return "(" + receiver + ")." + decl.Name.Name
	}
}

func specName(spec ast.Spec) string {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		return spec.Name.Name
	case *ast.ValueSpec:
		return spec.Names[0].Name
	}
	return ""
}
