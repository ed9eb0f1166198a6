package kubeapi

import (
	"go/ast"
	"go/token"
	"go/types"
	"testing"

	"golang.org/x/tools/go/analysis"
)

func TestIsCommandLine(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		imports []string
		uses    string // of net/http
		files   int    // with commands
		want    bool
	}{
		{"commands that list objects", []string{"fmt", "github.com/spf13/cobra", "k8s.io/client-go/kubernetes"}, "", 1, true},
		{"a major version", []string{"github.com/urfave/cli/v2"}, "", 1, true},
		{"the command of a controller", []string{"github.com/spf13/cobra", "sigs.k8s.io/controller-runtime"}, "", 1, false},
		{"the command of a controller of client-go's", []string{"github.com/spf13/cobra", "k8s.io/client-go/informers"}, "", 1, false},
		{"the command of a server", []string{"github.com/spf13/cobra", "net/http"}, "ListenAndServe", 1, false},
		{"a command that asks a server", []string{"github.com/spf13/cobra", "net/http"}, "Get", 1, true},
		{"many commands, one of which is a server", []string{"github.com/spf13/cobra", "net/http", "os/signal"}, "ListenAndServe", 12, true},
		{"many commands of a controller", []string{"github.com/spf13/cobra", "sigs.k8s.io/controller-runtime/pkg/manager"}, "", 12, false},
		{"commands with a client of controller-runtime's", []string{"github.com/spf13/cobra", "sigs.k8s.io/controller-runtime/pkg/client"}, "", 1, true},
		{"screens", []string{"github.com/rivo/tview", "github.com/gdamore/tcell/v2", "k8s.io/client-go/tools/cache"}, "", 0, true},
		{"tables", []string{"github.com/olekukonko/tablewriter", "k8s.io/client-go/kubernetes"}, "", 0, true},
		{"tables of a controller", []string{"github.com/olekukonko/tablewriter", "sigs.k8s.io/controller-runtime/pkg/reconcile"}, "", 0, false},
		{"a controller", []string{"k8s.io/client-go/informers"}, "", 1, false},
		{"another with such a name", []string{"github.com/spf13/cobranet"}, "", 1, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			pkg := types.NewPackage("example.com/p", "p")
			var imports []*types.Package
			for _, path := range test.imports {
				imports = append(imports, types.NewPackage(path, ""))
			}
			pkg.SetImports(imports)
			http := types.NewPackage("net/http", "http")
			used := types.NewFunc(token.NoPos, http, test.uses, types.NewSignatureType(nil, nil, nil, nil, nil, false))
			http.Scope().Insert(used)
			info := &types.Info{Uses: map[*ast.Ident]types.Object{ast.NewIdent(test.uses): used}}
			pass := &analysis.Pass{Pkg: pkg, TypesInfo: info, Fset: token.NewFileSet()}
			for range test.files {
				pass.Files = append(pass.Files, &ast.File{Imports: []*ast.ImportSpec{{Path: &ast.BasicLit{Value: `"github.com/spf13/cobra"`}}}})
			}
			if got := IsCommandLine(pass); got != test.want {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
}
