package facts_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// byHand has the packages that tell facts on objects, or go round until nothing changes,
// without a table, and why none would do. Packages are taken off this list, not added.
var byHand = map[string]string{
	"analyzers/cachewrite/internal/stores":  "facts on fields, which what is written to parameters depends on, and the other way round",
	"analyzers/restconfig/internal/configs": "a change is noted of the function whose parameter it is, not of the one that is looked at",
	"analyzers/tombstone/internal/handlers": "facts on variables, and on functions that are run anew for each question",
	"analyzers/workqueue/internal/queues":   "made of what is known of all queues, in one pass over the package",
	"internal/passes/cacheobjects":          "functions are computed when they are asked for, and again after those that they depend on",
	"internal/passes/controllers":           "facts on variables and types; effects are joined along edges, without looking at code again",
	"internal/passes/detachedcalls":         "what goes round are parameters and causes, of which facts tell a part",
	"internal/passes/entrypoints":           "facts on methods of interfaces, and on what is called back by those that call",
	"internal/passes/goroutines":            "goroutines go up from callees to callers, and a caller ends some of them",
	"internal/passes/kinds":                 "facts on types",
	"internal/passes/objects":               "functions are computed when they are asked for; a fact that is empty tells something, too",
	"internal/passes/repeats":               "facts are looked for by the names of methods, before anybody asks for an object",
	"internal/passes/waits":                 "a caller sleeps by the callee that is the nearest",
}

// TestByHand finds the packages that could ask a table, and do not.
func TestByHand(t *testing.T) {
	root := filepath.Join("..", "..")
	found := make(map[string]bool)
	for _, top := range []string{"analyzers", "internal"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			pkg, err := filepath.Rel(root, filepath.Dir(path))
			if err != nil {
				return err
			}
			pkg = filepath.ToSlash(pkg)
			switch {
			case d.IsDir() && slices.Contains([]string{"testdata", "driver", "testing", "facts", "ir"}, d.Name()):
				return filepath.SkipDir
			case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || found[pkg]:
				return nil
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if tellsFacts(n) || goesRound(n) {
					found[pkg] = true
				}
				return !found[pkg]
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, pkg := range slices.Sorted(maps.Keys(found)) {
		if byHand[pkg] == "" {
			t.Errorf("%s tells facts or goes round by hand: use a facts.Table", pkg)
		}
	}
	for _, pkg := range slices.Sorted(maps.Keys(byHand)) {
		if !found[pkg] {
			t.Errorf("%s does nothing by hand any more: take it off the list", pkg)
		}
	}
}

// tellsFacts reports whether a node is a use of a pass's functions for facts on objects.
func tellsFacts(n ast.Node) bool {
	sel, ok := n.(*ast.SelectorExpr)
	return ok && slices.Contains([]string{"ImportObjectFact", "ExportObjectFact", "AllObjectFacts"}, sel.Sel.Name)
}

// goesRound reports whether a node is a loop over nothing that ends each round by asking
// whether something has changed, and is left if not.
func goesRound(n ast.Node) bool {
	loop, ok := n.(*ast.RangeStmt)
	if !ok || loop.Key != nil || len(loop.Body.List) == 0 {
		return false
	}
	last, ok := loop.Body.List[len(loop.Body.List)-1].(*ast.IfStmt)
	if !ok || len(last.Body.List) != 1 {
		return false
	}
	if _, negated := last.Cond.(*ast.UnaryExpr); !negated {
		return false
	}
	leaves, ok := last.Body.List[0].(*ast.BranchStmt)
	return ok && leaves.Tok == token.BREAK
}
