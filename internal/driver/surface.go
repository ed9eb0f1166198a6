package driver

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"io"
	"strings"

	"github.com/opvet/opvet/internal/report/rule"
)

// surface is what packages that import another see of its source: declarations and where
// they are, and the comments that passes read of other packages' files. What is in the bodies of
// functions is left out, and so is what has no exported name and is not mentioned by what counts.
type surface struct {
	fset     *token.FileSet
	parts    []*part
	mentions map[string]bool // names in what counts
}

// surfaceFile is a file of a package.
type surfaceFile struct {
	name    string // as it is to be known
	syntax  *ast.File
	content []byte
}

// part is a declaration.
type part struct {
	decl    ast.Decl
	text    []byte
	whole   bool     // not just what stands before a function's body
	names   []string // by which others may mention it
	counts  bool
	isTaken bool // that what it mentions is among the mentions
}

// readByOthers is what makes all of a declaration count: passes look for the group that a
// package registers its kinds with, wherever it stands.
var readByOthers = []byte("GroupVersion")

// writeSurface writes the surface of a package. mentioned tells whether the facts about the
// package have a name.
func writeSurface(w io.Writer, fset *token.FileSet, files []surfaceFile, mentioned func(name string) bool) {
	s := &surface{fset: fset, mentions: make(map[string]bool)}
	for _, file := range files {
		fmt.Fprintf(w, "file %q\n", file.name)
		if s.countsAsWhole(file) {
			fmt.Fprintf(w, "%d\n%s\n", len(file.content), file.content)
			s.take(file.syntax, false)
			continue
		}
		for _, decl := range file.syntax.Decls {
			s.parts = append(s.parts, s.newPart(file, decl))
		}
		s.writeMarkers(w, file.syntax)
	}
	s.settle(mentioned)
	for _, p := range s.parts {
		if p.counts {
			at := fset.PositionFor(p.decl.Pos(), false)
			fmt.Fprintf(w, "%d:%d %d\n%s\n", at.Line, at.Column, len(p.text), p.text)
		}
	}
}

// countsAsWhole tells of files whose directives give places other names, and of those that are
// generated, of which some functions lose their bodies before they are analysed.
func (s *surface) countsAsWhole(file surfaceFile) bool {
	return bytes.Contains(file.content, []byte("//line ")) || bytes.Contains(file.content, []byte("/*line ")) || rule.IsGenerated(s.fset, file.syntax)
}

func (s *surface) newPart(file surfaceFile, decl ast.Decl) *part {
	offset := func(pos token.Pos) int { return s.fset.PositionFor(pos, false).Offset }
	p := &part{decl: decl, text: file.content[offset(decl.Pos()):offset(decl.End())]}
	p.whole = bytes.Contains(p.text, readByOthers)
	p.counts = p.whole
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		p.counts = p.counts || decl.Recv != nil // a method may be in the way of another
		p.names = []string{decl.Name.Name}
		if decl.Body != nil && !p.whole {
			p.text = file.content[offset(decl.Pos()):offset(decl.Body.Lbrace)]
		}
	case *ast.GenDecl:
		p.counts = p.counts || decl.Tok == token.IMPORT || decl.Tok == token.TYPE
		for _, spec := range decl.Specs {
			if spec, ok := spec.(*ast.ValueSpec); ok {
				for _, name := range spec.Names {
					p.names = append(p.names, name.Name)
				}
			}
		}
	}
	for _, name := range p.names {
		p.counts = p.counts || ast.IsExported(name)
	}
	return p
}

// settle finds out which parts count.
func (s *surface) settle(mentioned func(string) bool) {
	isMentioned := func(name string) bool {
		return name != "_" && name != "init" && (s.mentions[name] || mentioned(name))
	}
	for more := true; more; {
		more = false
		for _, p := range s.parts {
			for _, name := range p.names {
				p.counts = p.counts || isMentioned(name)
			}
			if p.counts && !p.isTaken {
				p.isTaken, more = true, true
				s.take(p.decl, p.whole)
			}
		}
	}
}

// take notes the names in a declaration, or in all of a file.
func (s *surface) take(n ast.Node, bodies bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			return bodies
		case *ast.Ident:
			s.mentions[n.Name] = true
		}
		return true
	})
}

// writeMarkers writes the comments outside of functions that begin as markers do.
func (s *surface) writeMarkers(w io.Writer, file *ast.File) {
	decls := file.Decls
	for _, group := range file.Comments {
		for len(decls) > 0 && decls[0].End() <= group.Pos() {
			decls = decls[1:]
		}
		if len(decls) > 0 && decls[0].Pos() <= group.Pos() {
			if _, ok := decls[0].(*ast.FuncDecl); ok {
				continue
			}
		}
		for _, c := range group.List {
			if text, ok := strings.CutPrefix(strings.TrimLeft(strings.TrimPrefix(c.Text, "//"), " \t"), "+"); ok {
				fmt.Fprintf(w, "marker %d %q\n", s.fset.PositionFor(c.Pos(), false).Line, text)
			}
		}
	}
}
