package kubeapi

import (
	"go/types"
	"testing"

	"golang.org/x/tools/go/analysis"
)

func TestIsCommandLine(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		imports []string
		want    bool
	}{
		{"commands that list objects", []string{"fmt", "github.com/spf13/cobra", "k8s.io/client-go/kubernetes"}, true},
		{"a major version", []string{"github.com/urfave/cli/v2"}, true},
		{"the command of a controller", []string{"github.com/spf13/cobra", "sigs.k8s.io/controller-runtime"}, false},
		{"the command of a controller of client-go's", []string{"github.com/spf13/cobra", "k8s.io/client-go/informers"}, false},
		{"the command of a server", []string{"github.com/spf13/cobra", "net/http"}, false},
		{"a controller", []string{"k8s.io/client-go/informers"}, false},
		{"another with such a name", []string{"github.com/spf13/cobranet"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			pkg := types.NewPackage("example.com/p", "p")
			var imports []*types.Package
			for _, path := range test.imports {
				imports = append(imports, types.NewPackage(path, ""))
			}
			pkg.SetImports(imports)
			if got := IsCommandLine(&analysis.Pass{Pkg: pkg}); got != test.want {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
}
