package build

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// telling has, of packages that let time pass or make something random, the functions that
// do, or nil if all that uses the package counts.
var telling = map[string][]string{
	"context":      nil,
	"crypto/rand":  nil,
	"math/rand":    nil,
	"math/rand/v2": nil,
	"net/http":     nil,
	"os/exec":      nil,
	"time":         {"Sleep", "After", "AfterFunc", "Tick", "NewTicker", "NewTimer", "Until"},
}

// concernsCallers reports whether a package that imports nothing of Kubernetes has
// something that those who call it must know: goroutines, channels, loops that
// nothing ends by a condition, contexts, requests, pauses, random values. Nobody calls a
// command.
func concernsCallers(pass *analysis.Pass) bool {
	if pass.Pkg.Name() == "main" || isStandard(pass) {
		return false
	}
	for _, obj := range pass.TypesInfo.Uses {
		if obj.Pkg() == nil || obj.Parent() != obj.Pkg().Scope() {
			continue
		}
		if names, ok := telling[obj.Pkg().Path()]; ok && (names == nil || slices.Contains(names, obj.Name())) {
			return true
		}
	}
	return slices.ContainsFunc(pass.Files, hasConcurrency)
}

// isStandard reports whether a package of which no module is known is one of the
// standard library's: the first element of its path has no dot.
func isStandard(pass *analysis.Pass) bool {
	first, _, _ := strings.Cut(pass.Pkg.Path(), "/")
	return (pass.Module == nil || pass.Module.Path == "") && !strings.Contains(first, ".")
}

// hasConcurrency reports whether a file starts goroutines, uses channels, or has
// loops without a condition.
func hasConcurrency(file *ast.File) bool {
	found := false
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt, *ast.SelectStmt, *ast.SendStmt, *ast.ChanType:
			found = true
		case *ast.ForStmt:
			found = found || n.Cond == nil
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		}
		return !found
	})
	return found
}
