package kinds

import (
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/testing/passtest"
)

const (
	cases = "github.com/opvet/opvet/testdata/passes/apikinds"
	api   = "github.com/opvet/opvet/testdata/api/v1"
)

// The answers are the same whether the other package of the module is analysed
// as well, so that there are facts, or its source is read.
func TestKinds(t *testing.T) {
	for _, test := range []struct {
		name     string
		patterns []string
	}{
		{"facts", []string{"./passes/apikinds", "./api/v1"}},
		{"source", []string{"./passes/apikinds"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			result := passtest.Run[*Kinds](t, Analyzer, "../../../testdata", test.patterns...)[cases]
			got := make(passtest.Expectations)
			scope := result.Package.Types.Scope()
			for _, name := range scope.Names() {
				if text := describe(result.Value.Of(kubeapi.KindOf(scope.Lookup(name).Type()))); text != "" {
					got.Add(name, text)
				}
			}
			if diff := cmp.Diff(passtest.Wants(result.Package), got); diff != "" {
				t.Errorf("what the comments want (-) and what was found (+):\n%s", diff)
			}
		})
	}
}

func describe(info Kind) string {
	var parts []string
	switch info.StatusSubresource {
	case Yes:
		parts = append(parts, "status")
	case No:
		parts = append(parts, "no status")
	}
	switch info.ClusterScoped {
	case Yes:
		parts = append(parts, "cluster")
	case No:
		parts = append(parts, "namespaced")
	}
	if info.Markers {
		parts = append(parts, "markers")
	}
	return strings.Join(parts, ", ")
}

// A marker is read as it is; that others are missing is for [readAll] to judge.
func TestReadMarkers(t *testing.T) {
	const crd = ", describes the CRD"
	for _, test := range []struct{ comment, want string }{
		{"// +kubebuilder:subresource:status", "status, markers" + crd},
		{"//+kubebuilder:subresource:status", "status, markers" + crd},
		{"//\t+kubebuilder:subresource:status  ", "status, markers" + crd},
		{"// +kubebuilder:subresource:status:x", "status, markers" + crd},
		{"// +kubebuilder:subresource:scale", "markers" + crd},
		{"// see +kubebuilder:subresource:status", ""},
		{"/* +kubebuilder:subresource:status */", ""},
		{"// kubebuilder:subresource:status", ""},
		{"// +kubebuilder:object:root=true", "markers"},
		{"// +kubebuilder:storageversion", "markers"},
		{"// +kubebuilder:printcolumn:name=x", "markers" + crd},
		{"// +kubebuilder:resource:scope=Namespaced", "namespaced, markers" + crd},
		{"// +kubebuilder:resource:path=x,scope=Cluster", "cluster, markers" + crd},
		{"// +kubebuilder:resource:scope=Cluster\n// +kubebuilder:resource:shortName=x", "markers" + crd},
		{"// +kubebuilder:validation:Required", ""},
		{"// +genclient", ""},
		{"// +genclient:nonNamespaced", "cluster"},
		{"// +genclient:nonNamespaced\n// +kubebuilder:resource:shortName=x", "cluster, markers" + crd},
		{"", ""},
	} {
		info, describesCRD := readMarkers(strings.Split(test.comment, "\n"))
		got := describe(info)
		if describesCRD {
			got += crd
		}
		if got != test.want {
			t.Errorf("%q says %q, want %q", test.comment, got, test.want)
		}
	}
}

// kindAt makes a kind that is declared at the beginning of the named file.
func kindAt(k *Kinds, file string) *types.Named {
	f := k.fset.AddFile(file, -1, 100)
	pkg := types.NewPackage("example.com/api/v1", "v1")
	return types.NewNamed(types.NewTypeName(f.Pos(0), pkg, "Thing", nil), types.NewStruct(nil, nil), nil)
}

func TestThirdParty(t *testing.T) {
	dir := t.TempDir()
	write := func(name, src string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(src), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	for _, test := range []struct{ name, file, want string }{
		{"source", write("types.go", "package v1\n\n// +kubebuilder:subresource:status\ntype Thing struct{}\n"), "status, namespaced, markers"},
		{"lacks the marker", write("lacks.go", "package v1\n\n// +kubebuilder:resource:path=things\ntype Thing struct{}\n"), "no status, namespaced, markers"},
		{"another type has it", write("both.go", "package v1\n\n// +kubebuilder:subresource:status\ntype Other struct{}\n\n// +kubebuilder:object:root=true\ntype Thing struct{}\n"), "no status, namespaced, markers"},
		{"markers for the schema only", write("schema.go", "package v1\n\n// +kubebuilder:object:root=true\ntype Thing struct{}\n"), "markers"},
		{"no marker", write("plain.go", "package v1\n\ntype Thing struct{}\n"), ""},
		{"declared elsewhere", write("other.go", "package v1\n\n// +kubebuilder:subresource:status\ntype Other struct{}\n"), ""},
		{"broken source", write("broken.go", "package v1\n\ntype Thing struct{\n"), ""},
		{"no source", filepath.Join(dir, "gone.go"), ""},
		{"trimmed path", "example.com/api@v1.0.0/v1/types.go", ""},
		{"no Go file", write("types.txt", "type Thing struct{}"), ""},
	} {
		k := &Kinds{fset: token.NewFileSet(), known: make(map[*types.TypeName]Kind), files: make(map[string]map[string]Kind)}
		kind := kindAt(k, test.file)
		if got := describe(k.Of(kind)); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
		if again := describe(k.Of(kind)); again != test.want {
			t.Errorf("%s, asked again: %q", test.name, again)
		}
	}
	k := &Kinds{fset: token.NewFileSet(), known: make(map[*types.TypeName]Kind), files: make(map[string]map[string]Kind)}
	nowhere := types.NewNamed(types.NewTypeName(token.NoPos, types.NewPackage("example.com/api/v1", "v1"), "Thing", nil), types.NewStruct(nil, nil), nil)
	if got := describe(k.Of(nowhere)); got != "" {
		t.Errorf("a kind without a position: %q", got)
	}
}

func TestBuiltin(t *testing.T) {
	status := types.NewField(token.NoPos, nil, "Status", types.Typ[types.String], false)
	for _, test := range []struct{ path, name, want string }{
		{"k8s.io/api/core/v1", "Pod", "status, namespaced"},
		{"example.com/op/vendor/k8s.io/api/core/v1", "Node", "status, cluster"},
		{"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1", "CustomResourceDefinition", "status, cluster"},
		{"example.com/k8s.io/api/core/v1", "Pod", ""},
		{"k8s.io/apiserver/pkg/apis/x", "Pod", ""},
	} {
		s := types.NewStruct([]*types.Var{status}, []string{`json:"status"`})
		kind := types.NewNamed(types.NewTypeName(token.NoPos, types.NewPackage(test.path, "v1"), test.name, nil), s, nil)
		info, ok := builtin(kind)
		if got := describe(info); got != test.want || ok != (test.want != "") {
			t.Errorf("%s.%s: %q, %v, want %q", test.path, test.name, got, ok, test.want)
		}
	}
}

func TestStatusKeepsMetadata(t *testing.T) {
	for path, want := range map[string]bool{
		"k8s.io/api/apps/v1":                                     true,
		"github.com/openshift/api/template/v1":                   true,
		"example.com/op/vendor/github.com/openshift/api/apps/v1": true,
		"github.com/openshift/api/config/v1":                     false,
		"example.com/api/template/v1":                            false,
	} {
		kind := types.NewNamed(types.NewTypeName(token.NoPos, types.NewPackage(path, "v1"), "Thing", nil), types.NewStruct(nil, nil), nil)
		if got := StatusKeepsMetadata(kind); got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}

// Facts are made for what is known only.
func TestFacts(t *testing.T) {
	results := passtest.Run[*Kinds](t, Analyzer, "../../../testdata", "./passes/apikinds", "./api/v1")
	told := results[cases].Value.told
	got := make(map[string]bool)
	scope := results[cases].Package.Imports[api].Types.Scope()
	for _, name := range scope.Names() {
		if told.Of(scope.Lookup(name)) != nil {
			got[name] = true
		}
	}
	want := map[string]bool{"Backup": true, "Cluster": true, "Schedule": true, "NodeReport": true, "Settings": true, "Mirror": true, "Claim": true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("facts wanted (-) and found (+):\n%s", diff)
	}
}
