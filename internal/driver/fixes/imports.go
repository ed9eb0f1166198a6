package fixes

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strconv"
)

// withoutImports removes the imports that nothing in the source refers to. The
// source must have compiled before it was fixed, so that whatever is unused
// has become so. An import that a fix has added is kept: the names of such
// packages are not known here.
func withoutImports(pkg *types.Package, source []byte) ([]byte, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", source, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	names := make(map[string]string)
	if pkg != nil {
		for _, imported := range pkg.Imports() {
			names[imported.Path()] = imported.Name()
		}
	}
	used := make(map[string]bool)
	for _, id := range file.Unresolved {
		used[id.Name] = true
	}
	var cuts []edit
	for _, decl := range file.Decls {
		imports, ok := decl.(*ast.GenDecl)
		if !ok || imports.Tok != token.IMPORT {
			continue
		}
		var unused []edit
		for _, spec := range imports.Specs {
			spec := spec.(*ast.ImportSpec)
			if isUnused(spec, names, used) {
				unused = append(unused, cut(fset, source, spec, spec.Doc, spec.Comment))
			}
		}
		if len(unused) == len(imports.Specs) && len(unused) > 0 {
			var comment *ast.CommentGroup
			if !imports.Lparen.IsValid() {
				comment = imports.Specs[0].(*ast.ImportSpec).Comment
			}
			unused = []edit{cut(fset, source, imports, imports.Doc, comment)}
		}
		cuts = append(cuts, unused...)
	}
	return apply(source, cuts), nil
}

func isUnused(spec *ast.ImportSpec, names map[string]string, used map[string]bool) bool {
	path, err := strconv.Unquote(spec.Path.Value)
	if err != nil || path == "C" {
		return false
	}
	name := names[path]
	if spec.Name != nil {
		name = spec.Name.Name
	}
	return name != "" && name != "." && name != "_" && !used[name]
}

// cut returns the edit that removes a node with its comments, and its lines if
// nothing else is on them.
func cut(fset *token.FileSet, source []byte, node ast.Node, doc, comment *ast.CommentGroup) edit {
	offset := func(pos token.Pos) int { return fset.Position(pos).Offset }
	start, end := offset(node.Pos()), offset(node.End())
	if doc != nil {
		start = offset(doc.Pos())
	}
	if comment != nil {
		end = offset(comment.End())
	}
	from, to := start, end
	for from > 0 && isBlank(source[from-1]) {
		from--
	}
	for to < len(source) && (isBlank(source[to]) || source[to] == ';') {
		to++
	}
	atStart := from == 0 || source[from-1] == '\n'
	atEnd := to == len(source) || source[to] == '\n'
	if atStart && atEnd && to < len(source) {
		return edit{start: from, end: to + 1}
	}
	return edit{start: start, end: to}
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }
