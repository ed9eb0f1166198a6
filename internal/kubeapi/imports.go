package kubeapi

import (
	"go/ast"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// Imports returns the packages that the package under analysis imports, without
// those that only its test files do: go vet and golangci-lint hand test files
// over together with the others, and a finding must not depend on that.
func Imports(pass *analysis.Pass) []*types.Package {
	if !slices.ContainsFunc(pass.Files, func(file *ast.File) bool { return isTestFile(pass, file) }) {
		return pass.Pkg.Imports()
	}
	tests, others := make(map[string]bool), make(map[string]bool)
	for _, file := range pass.Files {
		into := others
		if isTestFile(pass, file) {
			into = tests
		}
		for _, spec := range file.Imports {
			if path, err := strconv.Unquote(spec.Path.Value); err == nil {
				into[path] = true
			}
		}
	}
	if len(others) == 0 {
		return pass.Pkg.Imports() // tests in a package of their own, or nothing to tell
	}
	return slices.DeleteFunc(slices.Clone(pass.Pkg.Imports()), func(imported *types.Package) bool {
		return tests[imported.Path()] && !others[imported.Path()]
	})
}

func isTestFile(pass *analysis.Pass, file *ast.File) bool {
	return strings.HasSuffix(pass.Fset.Position(file.FileStart).Filename, "_test.go")
}

// ImportsAny reports whether the package imports one of the packages at the
// paths, or below them; see [Imports].
func ImportsAny(pass *analysis.Pass, paths ...string) bool {
	return slices.ContainsFunc(Imports(pass), func(imported *types.Package) bool {
		return slices.ContainsFunc(paths, func(path string) bool {
			return strings.HasPrefix(imported.Path()+"/", path+"/")
		})
	})
}

// ServesTests reports whether the package is there for tests: it imports what
// only these need, or lies in a directory for them.
func ServesTests(pass *analysis.Pass) bool {
	for element := range strings.SplitSeq(pass.Pkg.Path(), "/") {
		switch element {
		case "test", "tests", "testing", "testutil", "testutils", "e2e", "envtest":
			return true
		}
	}
	return ImportsAny(pass, testLibraries...)
}

// testLibraries are what only tests, and what helps them, need.
var testLibraries = []string{"testing", "github.com/onsi/ginkgo", "github.com/onsi/gomega", "github.com/stretchr/testify", "sigs.k8s.io/controller-runtime/pkg/envtest"}

// ImportsTestLibrary reports whether a file, whatever its name, is there for
// tests, as far as its imports tell.
func ImportsTestLibrary(file *ast.File) bool {
	return slices.ContainsFunc(file.Imports, func(spec *ast.ImportSpec) bool {
		path, err := strconv.Unquote(spec.Path.Value)
		return err == nil && slices.ContainsFunc(testLibraries, func(library string) bool { return strings.HasPrefix(path+"/", library+"/") })
	})
}

// HasCommands reports whether the package has commands of a program, as far as
// its imports tell.
func HasCommands(pass *analysis.Pass) bool {
	return ImportsAny(pass, "github.com/spf13/cobra", "github.com/urfave/cli", "github.com/alecthomas/kong", "github.com/alecthomas/kingpin", "gopkg.in/alecthomas/kingpin")
}

// IsCommandLine reports whether the package is a part of a command-line program
// that a user runs: it has commands, and nothing that controllers and servers
// are made of. Such a program ends with what it was asked for.
func IsCommandLine(pass *analysis.Pass) bool {
	return HasCommands(pass) && !ImportsAny(pass, "sigs.k8s.io/controller-runtime", "k8s.io/apiserver/pkg",
		"k8s.io/client-go/informers", "k8s.io/client-go/tools/cache", "k8s.io/client-go/tools/leaderelection", "k8s.io/client-go/util/workqueue",
		"os/signal") && !(ImportsAny(pass, "net/http") && servesHTTP(pass))
}

// servers are what HTTP servers are made of.
var servers = map[string]bool{
	"Server": true, "ListenAndServe": true, "ListenAndServeTLS": true, "Serve": true, "ServeTLS": true,
	"Handler": true, "HandlerFunc": true, "Handle": true, "HandleFunc": true, "ServeMux": true, "NewServeMux": true,
}

// servesHTTP reports whether the package, without its tests, mentions what only
// servers need.
func servesHTTP(pass *analysis.Pass) bool {
	for ident, obj := range pass.TypesInfo.Uses {
		pkg := obj.Pkg()
		if pkg != nil && pkg.Path() == "net/http" && servers[obj.Name()] && obj.Parent() == pkg.Scope() &&
			!strings.HasSuffix(pass.Fset.Position(ident.Pos()).Filename, "_test.go") {
			return true
		}
	}
	return false
}
