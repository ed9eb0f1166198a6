package kubeapi_test

import (
	"go/types"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/testing/passtest"
)

// kindsPackage is loaded once: its types serve all tests of predicates.
func kindsPackage(t *testing.T) *packages.Package {
	t.Helper()
	return load(t, current, "./passes/kinds").Package
}

func TestTypes(t *testing.T) {
	pkg := kindsPackage(t)
	got := make(passtest.Expectations)
	scope := pkg.Types.Scope()
	for _, name := range scope.Names() {
		typ := scope.Lookup(name).Type()
		// Objects are handled through pointers.
		value := typ
		if !types.IsInterface(typ) {
			value = types.NewPointer(typ)
		}
		if kind := kubeapi.KindOf(typ); kind != nil {
			got.Add(name, "kind")
		}
		if kubeapi.IsObject(value) {
			got.Add(name, "object")
		}
		if kind := kubeapi.KindOf(typ); kind != nil {
			if field := kubeapi.StatusField(kind); field != nil {
				got.Add(name, "status in "+field.Name())
			}
		}
		if kubeapi.IsClient(value) {
			got.Add(name, "client")
		} else if kubeapi.HasClient(value) {
			got.Add(name, "has client")
		}
	}
	checkWants(t, pkg, got)

	kindOf := func(name string) *types.Named { return kubeapi.KindOf(scope.Lookup(name).Type()) }
	t.Run("aspects", func(t *testing.T) { testAspects(t, kindOf) })
	t.Run("names", func(t *testing.T) { testNames(t, kindOf("Alias"), scope) })
}

func testAspects(t *testing.T, kindOf func(string) *types.Named) {
	for _, test := range []struct{ kind, path, want string }{
		{"Alias", "", "object"},
		{"Alias", "Status", "status"},
		{"Alias", "Status.Conditions.[]", "status"},
		{"Alias", "Spec.Replicas", "spec"},
		{"Alias", "ObjectMeta", "metadata"},
		{"Alias", "ObjectMeta.Name", "metadata"},
		{"Alias", "ObjectMeta.Finalizers.[]", "finalizers"},
		{"Alias", "ObjectMeta.Labels", "labels"},
		{"Alias", "ObjectMeta.Annotations.[]", "annotations"},
		{"Alias", "ObjectMeta.OwnerReferences", "owner references"},
		{"Alias", "ObjectMeta.Unheard", ""},
		{"Alias", "Unheard", ""},
		{"Renamed", "Observed", "status"},
		{"Renamed", "Wanted", "spec"},
		{"WithoutStatus", "Status", "spec"},
		{"WithoutStatus", "Data.[]", "spec"},
		{"Builtin", "Status.Phase", "status"},
	} {
		if got := kubeapi.AspectOf(kindOf(test.kind), path(test.path)).String(); got != test.want {
			t.Errorf("%s: %q is %q, want %q", test.kind, test.path, got, test.want)
		}
	}
	for _, test := range []struct{ path, want string }{
		{"", "object"}, {"Status", "status"}, {"Status.Phase", "status"}, {"ObjectMeta", ""}, {"ObjectMeta.Finalizers", "finalizers"},
		{"ObjectMeta.Generation", "metadata"}, {"Spec", ""},
	} {
		if got := kubeapi.AspectOfUntyped(path(test.path)).String(); got != test.want {
			t.Errorf("untyped: %q is %q, want %q", test.path, got, test.want)
		}
	}
	for _, aspect := range []kubeapi.Aspect{kubeapi.Finalizers, kubeapi.Labels, kubeapi.Annotations, kubeapi.OwnerReferences, kubeapi.Status} {
		at := kubeapi.PathOf(aspect)
		if typed, untyped := kubeapi.AspectOf(kindOf("Alias"), at), kubeapi.AspectOfUntyped(at); typed != aspect || untyped != aspect {
			t.Errorf("the path %v of %v leads to %v and %v", at, aspect, typed, untyped)
		}
	}
	if got := (kubeapi.Status | kubeapi.Labels).String(); got != "status and labels" {
		t.Errorf("two aspects are %q", got)
	}
}

func path(dotted string) []string {
	if dotted == "" {
		return nil
	}
	return strings.Split(dotted, ".")
}

func testNames(t *testing.T, backup *types.Named, scope *types.Scope) {
	const api = "github.com/opvet/opvet/testdata/api/v1"
	vendored := types.NewNamed(types.NewTypeName(0, types.NewPackage("example.com/op/vendor/"+api, "v1"), "Backup", nil), types.NewStruct(nil, nil), nil)
	for _, test := range []struct {
		name       string
		t          types.Type
		path, want string
		is         bool
	}{
		{"itself", backup, api, "Backup", true},
		{"pointer", types.NewPointer(backup), api, "Backup", true},
		{"alias", scope.Lookup("Alias").Type(), api, "Backup", true},
		{"vendored", vendored, api, "Backup", true},
		{"other name", backup, api, "BackupList", false},
		{"other package", backup, "example.com/api/v1", "Backup", false},
		{"end of a path", backup, "api/v1", "Backup", false},
		{"pointer to a pointer", types.NewPointer(types.NewPointer(backup)), api, "Backup", false},
		{"slice", types.NewSlice(backup), api, "Backup", false},
		{"predeclared", types.Universe.Lookup("error").Type(), "", "error", false},
		{"basic", types.Typ[types.String], "", "string", false},
	} {
		if got := kubeapi.IsNamed(test.t, test.path, test.want); got != test.is {
			t.Errorf("%s: %v", test.name, got)
		}
	}
	generic := scope.Lookup("Generic").Type().(*types.Named)
	instance, err := types.Instantiate(nil, generic, []types.Type{types.Typ[types.String]}, false)
	if err != nil {
		t.Fatal(err)
	}
	if got := kubeapi.KindOf(types.NewPointer(instance)); got != generic {
		t.Errorf("the kind of an instance is %v, want its origin", got)
	}
	if kubeapi.KindOf(generic.TypeParams().At(0)) != nil {
		t.Error("a type parameter is a kind")
	}
}

func TestRelevant(t *testing.T) {
	pkg := func(path string, imports ...*types.Package) *types.Package {
		p := types.NewPackage(path, "p")
		p.SetImports(imports)
		return p
	}
	fmtPkg, meta := pkg("fmt"), pkg("k8s.io/apimachinery/pkg/apis/meta/v1")
	for _, test := range []struct {
		name string
		pkg  *types.Package
		want bool
	}{
		{"nothing", pkg("example.com/p"), false},
		{"standard library", pkg("example.com/p", fmtPkg), false},
		{"direct", pkg("example.com/p", fmtPkg, meta), true},
		{"through another package", pkg("example.com/p", pkg("example.com/q", fmtPkg, pkg("example.com/r", meta))), true},
		{"machinery itself", meta, true},
		{"a neighbour in name", pkg("example.com/p", pkg("k8s.io/apimachinery-tools/x")), false},
		{"other k8s.io modules", pkg("example.com/p", pkg("k8s.io/utils/ptr")), false},
	} {
		if got := kubeapi.Relevant(test.pkg); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
	a, b := pkg("example.com/a"), pkg("example.com/b")
	a.SetImports([]*types.Package{b})
	b.SetImports([]*types.Package{a})
	if kubeapi.Relevant(a) {
		t.Error("a cycle without machinery is relevant")
	}
}

func TestModules(t *testing.T) {
	here := types.NewPackage("example.com/op/internal", "internal")
	for _, test := range []struct {
		name   string
		module *analysis.Module
		other  string
		user   bool
		same   bool
	}{
		{"main module", &analysis.Module{Path: "example.com/op", Main: true}, "example.com/op/api", true, true},
		{"workspace module", &analysis.Module{Path: "example.com/op"}, "example.com/op/api", true, true},
		{"dependency", &analysis.Module{Path: "example.com/op", Version: "v1.2.3"}, "example.com/op/api", false, true},
		{"no module known", nil, "example.com/op/api", true, false},
		{"another module", &analysis.Module{Path: "example.com/op", Main: true}, "example.com/operator/api", true, false},
	} {
		pass := &analysis.Pass{Pkg: here, Module: test.module}
		if got := kubeapi.InUserModule(pass); got != test.user {
			t.Errorf("%s: InUserModule is %v", test.name, got)
		}
		if got := kubeapi.SameModule(pass, types.NewPackage(test.other, "api")); got != test.same {
			t.Errorf("%s: SameModule is %v", test.name, got)
		}
		if !kubeapi.SameModule(pass, here) {
			t.Errorf("%s: a package is not in its own module", test.name)
		}
	}
}

func TestIsStandard(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{"context": true, "net/http": true, "operator/internal": false, "github.com/opvet/opvet": false} {
		if got := kubeapi.IsStandard(types.NewPackage(path, "p")); got != want {
			t.Errorf("IsStandard(%q) = %v, want %v", path, got, want)
		}
	}
}
