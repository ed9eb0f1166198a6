package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

const importPrefix = "github.com/opvet/opvet/analyzers/"

// register adds an analyzer to the registry's source: an import and an element
// of Rules, each in its alphabetical place.
func register(source []byte, name string) ([]byte, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "registry.go", source, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	rules := rulesOf(file)
	if rules == nil {
		return nil, errors.New("it has no list Rules of analyzers")
	}
	var imports, elements []line
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		if analyzer, ok := strings.CutPrefix(path, importPrefix); ok {
			imports = append(imports, line{analyzer, fset.Position(spec.Pos()).Offset})
		}
	}
	for _, element := range rules.Elts {
		sel, ok := element.(*ast.SelectorExpr)
		if !ok {
			return nil, fmt.Errorf("line %d is not the Analyzer of a package", fset.Position(element.Pos()).Line)
		}
		elements = append(elements, line{types.ExprString(sel.X), fset.Position(sel.Pos()).Offset})
	}
	if len(imports) == 0 || len(elements) == 0 {
		return nil, errors.New("it registers no analyzers")
	}
	// The later place first, so that the other's offset stays right.
	source = insert(source, elements, name, name+".Analyzer,\n")
	source = insert(source, imports, name, strconv.Quote(importPrefix+name)+"\n")
	return format.Source(source)
}

// line is an analyzer with the offset of what mentions it.
type line struct {
	name   string
	offset int
}

// insert puts text before the first line whose name is greater, or after the last
// line.
func insert(source []byte, lines []line, name, text string) []byte {
	for _, l := range lines {
		if l.name > name {
			return slices.Insert(slices.Clone(source), l.offset, []byte(text)...)
		}
	}
	at := lines[len(lines)-1].offset
	for at < len(source) && source[at] != '\n' {
		at++
	}
	return slices.Insert(slices.Clone(source), at+1, []byte(text)...)
}

// rulesOf returns the list that the variable Rules is declared with, or nil.
func rulesOf(file *ast.File) *ast.CompositeLit {
	for _, decl := range file.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range gen.Specs {
			spec, ok := spec.(*ast.ValueSpec)
			if !ok || len(spec.Names) != 1 || spec.Names[0].Name != "Rules" || len(spec.Values) != 1 {
				continue
			}
			list, _ := spec.Values[0].(*ast.CompositeLit)
			return list
		}
	}
	return nil
}
