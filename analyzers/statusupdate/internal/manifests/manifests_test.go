package manifests

import (
	"os"
	"path/filepath"
	"testing"
)

// TestModuleOf asks of which module a file is, also below a repository that is around it.
func TestModuleOf(t *testing.T) {
	home := t.TempDir()
	module := filepath.Join(home, "pkg", "mod", "example.com", "api@v1.0.0")
	for _, dir := range []string{filepath.Join(home, ".git"), filepath.Join(module, "v1")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(module, "go.mod"), []byte("module example.com/api\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		filepath.Join(module, "v1", "types.go"): module,
		"example.com/api/v1/types.go":           "", // as -trimpath has it
	} {
		if got := moduleOf(file); got != want {
			t.Errorf("%s is of %q, want %q", file, got, want)
		}
	}
}

// TestRead reads definitions with and without the subresource.
func TestRead(t *testing.T) {
	found := make(Manifests)
	if err := found.read("crds.yaml", []byte(`kind: CustomResourceDefinition
spec:
  names: {kind: Engine}
  versions: [{name: v1, subresources: {}}]
---
kind: CustomResourceDefinition
spec:
  names: {kind: Backup}
  versions: [{name: v1, subresources: {status: {}}}]
`)); err != nil {
		t.Fatal(err)
	}
	if found["Engine/v1"] || !found["Backup/v1"] || len(found) != 4 {
		t.Errorf("got %v", found)
	}
}
