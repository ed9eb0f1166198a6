package kubeapi_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/kubeapi"
)

func TestInUserModuleWithoutModules(t *testing.T) {
	absolute := func(elements ...string) string {
		name, err := filepath.Abs(filepath.Join(elements...))
		if err != nil {
			t.Fatal(err)
		}
		return name
	}
	for name, want := range map[string]bool{
		"controllers/backup.go":                              true,
		"controllers/external/dns.go":                        true,
		"bazel-out/k8-fastbuild/bin/api/v1/backup.pb.go":     true,
		"external/io_k8s_client_go/rest/config.go":           false,
		"external/gazelle++go_deps+io_k8s_api/core/v1/x.go":  false,
		"bazel-out/k8-fastbuild/bin/external/other/pb.pb.go": false,
		"../io_k8s_client_go/rest/config.go":                 false,
		absolute("controllers", "backup.go"):                 true,
		absolute("external", "repository", "x.go"):           false,
		absolute("..", "elsewhere", "x.go"):                  true,
	} {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, "package p", parser.PackageClauseOnly)
		if err != nil {
			t.Fatal(err)
		}
		pass := &analysis.Pass{Fset: fset, Files: []*ast.File{file}}
		if got := kubeapi.InUserModule(pass); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
		pass.Module = &analysis.Module{Path: "example.com/op", Main: true}
		if !kubeapi.InUserModule(pass) {
			t.Errorf("%s: the main module is not the user's", name)
		}
	}
}
