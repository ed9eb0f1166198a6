package markers

import (
	"bytes"
	"flag"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/controller-tools/pkg/genall"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"
	generator "sigs.k8s.io/controller-tools/pkg/rbac"

	"github.com/opvet/opvet/internal/kubeapi/rbac"
)

var operators = flag.String("operators", "", "also compare the markers of the modules in these comma-separated `directories`")

// TestSameRules compares the grants that controller-gen makes of markers with those
// that opvet reads, over a package with markers in all places.
func TestSameRules(t *testing.T) {
	compare(t, "testdata/places", "./...")
	if *operators == "" {
		return
	}
	for _, dir := range strings.Split(*operators, ",") {
		t.Run(filepath.Base(dir), func(t *testing.T) { compare(t, dir, "./...") })
	}
}

func compare(t *testing.T, dir, pattern string) {
	want, files := generated(t, dir, pattern)
	got := read(t, files)
	for _, g := range want {
		if !slices.Contains(got, g) {
			t.Errorf("controller-gen grants, and opvet does not: %s", g)
		}
	}
	for _, g := range got {
		if !slices.Contains(want, g) {
			t.Errorf("opvet grants, and controller-gen does not: %s", g)
		}
	}
	t.Logf("%d grants", len(want))
}

// generated returns what controller-gen grants, and the files that it has read.
func generated(t *testing.T, dir, pattern string) (grants, files []string) {
	t.Chdir(dir)
	roots, err := loader.LoadRoots(pattern)
	if err != nil {
		t.Fatal(err)
	}
	registry := new(markers.Registry)
	if err := (generator.Generator{}).RegisterMarkers(registry); err != nil {
		t.Fatal(err)
	}
	ctx := &genall.GenerationContext{Collector: &markers.Collector{Registry: registry}, Roots: roots, Checker: new(loader.TypeChecker)}
	objects, err := generator.GenerateRoles(ctx, "default")
	if err != nil {
		t.Fatal(err)
	}
	for _, object := range objects {
		switch object := object.(type) {
		case rbacv1.ClusterRole:
			for _, r := range object.Rules {
				grants = append(grants, split("", object.Name, r.APIGroups, r.Resources, r.ResourceNames, r.NonResourceURLs, r.Verbs)...)
			}
		case rbacv1.Role:
			for _, r := range object.Rules {
				grants = append(grants, split(object.Namespace, object.Name, r.APIGroups, r.Resources, r.ResourceNames, r.NonResourceURLs, r.Verbs)...)
			}
		}
	}
	for _, root := range roots {
		files = append(files, root.CompiledGoFiles...)
	}
	return grants, files
}

// read returns what opvet reads in files.
func read(t *testing.T, files []string) []string {
	var grants []string
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(data, []byte("+kubebuilder:rbac")) {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, data, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range rbac.MarkersOf(file) {
			if m.Inert == "" {
				role := m.Role
				if role == "" {
					role = "default"
				}
				grants = append(grants, split(m.Namespace, role, m.Groups, m.Resources, m.Names, m.URLs, m.Verbs)...)
			}
		}
	}
	return grants
}

// split takes a rule apart, so that it does not matter how rules are joined.
func split(namespace, role string, groups, resources, names, urls, verbs []string) []string {
	one := func(list []string) []string {
		if len(list) == 0 {
			return []string{""}
		}
		return list
	}
	if slices.Contains(verbs, "*") {
		verbs = []string{"*"}
	}
	slices.Sort(names)
	var grants []string
	for _, group := range one(groups) {
		for _, resource := range one(resources) {
			for _, url := range one(urls) {
				for _, verb := range verbs {
					grants = append(grants, strings.Join([]string{namespace, role, group, resource, strings.Join(names, "+"), url, verb}, "|"))
				}
			}
		}
	}
	return grants
}
