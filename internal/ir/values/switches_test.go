package values_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// maxSwitches is how many functions outside this folder go over the kinds of SSA values
// by a switch of their own. It falls, and does not rise: each of them may forget a kind
// that the others know.
const maxSwitches = 20

// fewCases is how many kinds a switch may name without being a walk over values.
const fewCases = 3

// ownSwitch begins the comment above such a switch that says why it is no question of
// this package.
const ownSwitch = "// A switch of its own: "

// TestSwitches counts the functions that walk over values without this package.
func TestSwitches(t *testing.T) {
	kinds := make(map[string]bool)
	for name := range kindsOfValues(t) {
		kinds["*ssa."+name] = true
	}
	root := filepath.Join("..", "..", "..")
	var found, silent []string
	for _, top := range []string{"analyzers", "internal"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "testdata" || d.Name() == "ir"):
				return filepath.SkipDir
			case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			with, without := switchesIn(t, path, kinds)
			found, silent = append(found, with...), append(silent, without...)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if testing.Verbose() {
		t.Log(strings.Join(found, "\n"))
	}
	if len(found) > maxSwitches {
		t.Errorf("%d functions switch over the kinds of SSA values, %d are allowed: ask values.Relation instead", len(found), maxSwitches)
	} else if len(found) < maxSwitches {
		t.Errorf("%d functions switch over the kinds of SSA values: lower maxSwitches, which is %d", len(found), maxSwitches)
	}
	for _, at := range silent {
		t.Errorf("%s: say above the switch, after %q, why this is no question of ir/values", at, ownSwitch)
	}
}

// switchesIn returns the functions of a file with such a switch, and the switches of
// which no comment says why.
func switchesIn(t *testing.T, path string, kinds map[string]bool) (found, silent []string) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(source), "\n")
	for _, decl := range file.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		walks := false
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			s, ok := n.(*ast.TypeSwitchStmt)
			if !ok || casesOf(s, kinds) <= fewCases {
				return true
			}
			walks = true
			at := fset.Position(s.Pos()).Line - 2
			for at > 0 && strings.HasPrefix(strings.TrimSpace(lines[at]), "//") && !strings.HasPrefix(strings.TrimSpace(lines[at]), ownSwitch) {
				at--
			}
			if !strings.HasPrefix(strings.TrimSpace(lines[at]), ownSwitch) {
				silent = append(silent, fset.Position(s.Pos()).String())
			}
			return true
		})
		if walks {
			found = append(found, fmt.Sprintf("%s %s", fset.Position(fn.Pos()), fn.Name.Name))
		}
	}
	return found, silent
}

// casesOf is how many cases of a type switch are about kinds of values.
func casesOf(s *ast.TypeSwitchStmt, kinds map[string]bool) int {
	n := 0
	for _, clause := range s.Body.List {
		for _, kind := range clause.(*ast.CaseClause).List {
			if kinds[types.ExprString(kind)] {
				n++
				break
			}
		}
	}
	return n
}
