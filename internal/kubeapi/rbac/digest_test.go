package rbac

import (
	"os"
	"path/filepath"
	"testing"
)

func TestDigest(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("config/role.yaml", "kind: Role\n")
	write("main.go", "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println() }\n")
	write("a/a.go", "package a\n\n// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get\n\nfunc F() {}\n")
	write("b/b.go", "package b\n")
	for _, test := range []struct {
		about, name, text   string
		manifests, anything bool // whether the digest of manifests changes, and that of all
	}{
		{"a manifest", "config/role.yaml", "kind: ClusterRole\n", true, true},
		{"a new template", "chart/role.tpl", "kind: Role\n", true, true},
		{"a manifest of another's", "vendor/x/role.yaml", "kind: Role\n", false, false},
		{"a program's function", "main.go", "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Print() }\n", false, false},
		{"a program's imports", "main.go", "package main\n\nimport \"k8s.io/client-go/rest\"\n\nfunc main() { rest.InClusterConfig() }\n", false, true},
		{"a marker", "a/a.go", "package a\n\n// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=list\n\nfunc F() {}\n", false, true},
		{"a new marker", "b/b.go", "package b\n\n// +kubebuilder:rbac:groups=apps,resources=jobs,verbs=list\n", false, true},
		{"a file without markers", "c/c.go", "package c\n", false, false},
		{"a program that cannot be parsed", "d/d.go", "package main\n\nimport (\n", false, true},
		{"a test", "a/a_test.go", "package a\n\n// +kubebuilder:rbac:groups=apps,resources=jobs,verbs=list\n", false, false},
		{"notes", "README.md", "+kubebuilder:rbac\n", false, false},
	} {
		manifests, anything := Digest(dir, false), Digest(dir, true)
		write(test.name, test.text)
		if got := Digest(dir, false) != manifests; got != test.manifests {
			t.Errorf("%s: the manifests have changed: %t", test.about, got)
		}
		if got := Digest(dir, true) != anything; got != test.anything {
			t.Errorf("%s: something has changed: %t", test.about, got)
		}
	}
}
