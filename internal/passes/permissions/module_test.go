package permissions

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
		if got := ModuleOf(filepath.Dir(file)); got != want {
			t.Errorf("%s is of %q, want %q", file, got, want)
		}
	}
}
