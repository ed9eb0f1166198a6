package ruletest

import (
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
)

// renames finds the functions called bad, and renames them.
var renames = &analysis.Analyzer{
	Name: "renames",
	Doc:  "finds functions called bad",
	Run: func(pass *analysis.Pass) (any, error) {
		for _, file := range pass.Files {
			for _, decl := range file.Decls {
				fn, ok := decl.(*ast.FuncDecl)
				if !ok || fn.Name.Name != "bad" {
					continue
				}
				pass.Report(analysis.Diagnostic{
					Pos: fn.Name.Pos(), Message: "a bad function",
					SuggestedFixes: []analysis.SuggestedFix{{Message: "Rename it", TextEdits: []analysis.TextEdit{
						{Pos: fn.Name.Pos(), End: fn.Name.End(), NewText: []byte("good")},
						{Pos: fn.Body.Lbrace + 1, End: fn.Body.Rbrace},
					}}},
				})
			}
		}
		return nil, nil
	},
}

// log collects what a run says.
type log []string

func (l *log) Errorf(format string, args ...any) { *l = append(*l, fmt.Sprintf(format, args...)) }

// module writes a module of one file.
func module(t *testing.T, source, golden string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{"go.mod": "module example.com/m\n\ngo 1.26\n", "m.go": source, "m.go.golden": golden} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestRun(t *testing.T) {
	const (
		source = "package m\n\nimport \"fmt\"\n\nfunc bad() { fmt.Println() } // want `bad func` \n"
		fixed  = "package m\n\nfunc good() {} // want `bad func`\n"
	)
	for _, test := range []struct {
		name, source, golden string
		says                 string // part of the only complaint; empty if there is none
	}{
		{"right", source, fixed, ""},
		{"unexpected", strings.Replace(source, "want", "has", 1), strings.Replace(fixed, "want", "has", 1), "unexpected finding: a bad function"},
		{"missing", source + "\nfunc fine() {} // want `more`\n", fixed + "\nfunc fine() {} // want `more`\n", "m.go:7: no finding matches `more`"},
		{"line below", "package m\n\n// want +1 \"bad\"\nfunc bad() {}\n", "package m\n\n// want +1 \"bad\"\nfunc good() {}\n", ""},
		{"other result", source, "package m\n", "is not what its golden file has"},
		{"does not compile", source + "\nvar _ = bad\n", fixed + "\nvar _ = bad\n", "undefined: bad"},
		{"broken want", "package m\n\nfunc bad() {} // want 7\n", "package m\n\nfunc good() {} // want 7\n", "unexpected 7 after want"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var said log
			RunWithSuggestedFixes(&said, module(t, test.source, test.golden), renames, "./...")
			text := strings.Join(said, "\n")
			if test.says == "" && text != "" || !strings.Contains(text, test.says) {
				t.Errorf("it says %q, want %q", text, test.says)
			}
		})
	}
}
