package rule

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// mustExtractDoc returns the analyzer's documentation: the package comment of
// its doc.go, whose first line is "Package NAME …" for godoc and is replaced
// by "NAME: summary", the form that drivers expect.
func mustExtractDoc(spec Spec) string {
	file, err := parser.ParseFile(token.NewFileSet(), spec.Name+"/doc.go", spec.DocSource, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil {
		panic(fmt.Sprintf("rule %s: parsing its documentation: %v", spec.Name, err))
	}
	text := docText(file)
	_, body, found := strings.Cut(text, "\n\n")
	if !found || !strings.HasPrefix(text, "Package "+spec.Name+" ") {
		panic(fmt.Sprintf("rule %s: doc.go must open with a paragraph \"Package %s …\" and go on with the documentation", spec.Name, spec.Name))
	}
	return spec.Name + ": " + spec.Summary + "\n\n" + body
}

func docText(file *ast.File) string {
	if file.Doc == nil {
		return ""
	}
	return strings.TrimSpace(file.Doc.Text())
}
