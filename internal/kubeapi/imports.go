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
		return isBelow(imported.Path(), paths)
	})
}

// ServesTests reports whether the package is there for tests: it imports what
// only these need, or lies in a directory for them.
func ServesTests(pass *analysis.Pass) bool {
	for element := range strings.SplitSeq(pass.Pkg.Path(), "/") {
		if IsForTests(element) {
			return true
		}
	}
	return ImportsAny(pass, testLibraries...)
}

// IsForTests reports whether a directory of that name has what is there for tests.
func IsForTests(name string) bool {
	return forTests[withoutHyphens.Replace(strings.ToLower(name))]
}

var withoutHyphens = strings.NewReplacer("-", "", "_", "")

// forTests are the names of such directories, without hyphens.
var forTests = func() map[string]bool {
	names := make(map[string]bool)
	for _, name := range []string{"tests", "testing", "e2e", "e2etest", "e2etests", "envtest", "unittest", "unittests", "fake", "fakes", "mock", "mocks"} {
		names[name] = true
	}
	for _, suffix := range []string{"", "util", "utils", "lib", "libs", "helper", "helpers", "support", "fixture", "fixtures", "framework", "common", "suite", "kit", "tool", "tools"} {
		names["test"+suffix] = true
	}
	return names
}()

// testLibraries are what only tests, and what helps them, need.
var testLibraries = []string{"testing", "github.com/onsi/ginkgo", "github.com/onsi/gomega", "github.com/stretchr/testify", "sigs.k8s.io/controller-runtime/pkg/envtest"}

// ImportsTestLibrary reports whether a file, whatever its name, is there for
// tests, as far as its imports tell.
func ImportsTestLibrary(file *ast.File) bool { return importsBelow(file, testLibraries) }

// HasCommands reports whether the package has commands of a program, as far as
// its imports tell.
func HasCommands(pass *analysis.Pass) bool {
	return ImportsAny(pass, commandLibraries...)
}

var commandLibraries = []string{
	"github.com/spf13/cobra", "github.com/urfave/cli", "github.com/alecthomas/kong", "github.com/alecthomas/kingpin", "gopkg.in/alecthomas/kingpin",
}

// screens are libraries for the screens and questions of programs that a user sits
// before.
var screens = []string{
	"github.com/rivo/tview", "github.com/gdamore/tcell", "github.com/charmbracelet/bubbletea", "charm.land/bubbletea", "github.com/jroimartin/gocui",
	"github.com/AlecAivazis/survey", "github.com/manifoldco/promptui",
}

// printers are libraries for what such programs print: tables, colours, progress.
var printers = []string{
	"github.com/olekukonko/tablewriter", "github.com/gosuri/uitable", "github.com/jedib0t/go-pretty",
	"github.com/fatih/color", "github.com/pterm/pterm", "github.com/briandowns/spinner", "github.com/schollz/progressbar",
}

// controllers are what controllers and extension servers are made of.
var controllers = []string{
	"k8s.io/apiserver/pkg", "k8s.io/client-go/informers", "k8s.io/client-go/tools/cache", "k8s.io/client-go/tools/leaderelection", "k8s.io/client-go/util/workqueue",
	runtimePath + "builder", runtimePath + "cache", runtimePath + "controller", runtimePath + "handler",
	runtimePath + "manager", runtimePath + "predicate", runtimePath + "reconcile", runtimePath + "webhook",
}

// IsCommandLine reports whether the package is a part of a command-line program
// that a user runs: it has commands or screens, or prints tables and the like, and
// has nothing that controllers and servers are made of. Such a program ends with
// what it was asked for. With many commands, one of them may well serve something.
func IsCommandLine(pass *analysis.Pass) bool {
	if ImportsAny(pass, screens...) {
		return true
	}
	if !HasCommands(pass) && !ImportsAny(pass, printers...) || ImportsAny(pass, controllers...) || imports(pass, runtimeRoot) {
		return false
	}
	return filesImporting(pass, commandLibraries) >= manyCommands ||
		!ImportsAny(pass, "os/signal") && !(ImportsAny(pass, "net/http") && servesHTTP(pass))
}

// manyCommands is how many files with commands a server does not have in one
// package.
const manyCommands = 8

// imports reports whether the package imports the one at the path.
func imports(pass *analysis.Pass, path string) bool {
	return slices.ContainsFunc(Imports(pass), func(imported *types.Package) bool { return imported.Path() == path })
}

// filesImporting counts the files, without tests, that import one of the packages
// at the paths, or below them.
func filesImporting(pass *analysis.Pass, paths []string) int {
	count := 0
	for _, file := range pass.Files {
		if !isTestFile(pass, file) && importsBelow(file, paths) {
			count++
		}
	}
	return count
}

func importsBelow(file *ast.File, paths []string) bool {
	return slices.ContainsFunc(file.Imports, func(spec *ast.ImportSpec) bool {
		path, err := strconv.Unquote(spec.Path.Value)
		return err == nil && isBelow(path, paths)
	})
}

// isBelow reports whether a package's path is one of paths, or below one.
func isBelow(path string, paths []string) bool {
	return slices.ContainsFunc(paths, func(above string) bool { return isOrBelow(path, above) })
}

// isOrBelow reports whether a package's path is another one, or below it. It puts no
// texts together: each pass asks it about all imports.
func isOrBelow(path, above string) bool {
	return strings.HasPrefix(path, above) && (len(path) == len(above) || path[len(above)] == '/')
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

// hosts are those whose repositories have an owner and a name.
var hosts = []string{"github.com", "gitlab.com", "bitbucket.org", "codeberg.org"}

// Repository splits an import path into what names the repository, as most are called, and the
// directories in it.
func Repository(path string) (name string, dirs []string) {
	elements := strings.Split(path, "/")
	n := 2
	if slices.Contains(hosts, elements[0]) {
		n = 3
	}
	n = min(n, len(elements))
	return strings.Join(elements[:n], "/"), elements[n:]
}
