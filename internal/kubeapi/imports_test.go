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
		want    bool
	}{
		{"commands that list objects", []string{"fmt", "github.com/spf13/cobra", "k8s.io/client-go/kubernetes"}, "", true},
		{"a major version", []string{"github.com/urfave/cli/v2"}, "", true},
		{"the command of a controller", []string{"github.com/spf13/cobra", "sigs.k8s.io/controller-runtime"}, "", false},
		{"the command of a controller of client-go's", []string{"github.com/spf13/cobra", "k8s.io/client-go/informers"}, "", false},
		{"the command of a server", []string{"github.com/spf13/cobra", "net/http"}, "ListenAndServe", false},
		{"a command that asks a server", []string{"github.com/spf13/cobra", "net/http"}, "Get", true},
		{"a controller", []string{"k8s.io/client-go/informers"}, "", false},
		{"another with such a name", []string{"github.com/spf13/cobranet"}, "", false},
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
			if got := IsCommandLine(&analysis.Pass{Pkg: pkg, TypesInfo: info}); got != test.want {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
}
