package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A snapshot lacks large files: a vendor directory with one missing is of no use, everything else is laid out.
func TestCheckoutOfPartialClone(t *testing.T) {
	clone := t.TempDir()
	for file, text := range map[string]string{
		"main.go":                           "package main\n",
		"api/vendor/modules.txt":            "# example.com/sdk v1.0.0\n",
		"api/vendor/example.com/sdk/api.go": "package sdk // the large one\n",
		"api/vendor/example.com/sdk/doc.go": "package sdk\n",
		"api/api.go":                        "package api\n",
		"vendor/modules.txt":                "# example.com/whole v1.0.0\n",
		"docs/large.md":                     "large as well\n",
	} {
		file = filepath.Join(clone, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) string {
		t.Helper()
		out, err := git(clone, nil, args...)
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(out)
	}
	run("init", "--quiet", ".")
	run("add", ".")
	run("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "-m", "all")
	commit := run("rev-parse", "HEAD")
	for _, file := range []string{"api/vendor/example.com/sdk/api.go", "docs/large.md"} {
		blob := run("rev-parse", "HEAD:"+file)
		if err := os.Remove(filepath.Join(clone, ".git", "objects", blob[:2], blob[2:])); err != nil {
			t.Fatal(err)
		}
	}
	bare := filepath.Join(clone, ".git")
	run("config", "core.bare", "true")

	dir, err := checkout(bare, t.TempDir(), "example/partial", commit)
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]bool{
		"main.go": true, "api/api.go": true, "vendor/modules.txt": true,
		"api/vendor": false, "docs/large.md": false,
	} {
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(file))); (err == nil) != want {
			t.Errorf("%s is there: %t, want %t", file, err == nil, want)
		}
	}
}
