package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/module"
)

func TestGoMod(t *testing.T) {
	g := &gopls{version: "v0.23.0", tools: module.Version{Path: toolsPath, Version: "v0.47.1"}}
	for _, test := range []struct {
		name  string
		suite *suite
		want  string
	}{
		{"release", &suite{version: "v0.1.0", dir: "/cache"}, `module gopls-opvet

go 1.26.8

require (
	github.com/opvet/opvet v0.1.0
	golang.org/x/tools/gopls v0.23.0
)

replace golang.org/x/tools => golang.org/x/tools v0.47.1

replace golang.org/x/tools/gopls => ./gopls
`},
		{"checkout", &suite{dir: "/home/me/opvet"}, `module gopls-opvet

go 1.26.8

require (
	github.com/opvet/opvet v0.0.0
	golang.org/x/tools/gopls v0.23.0
)

replace golang.org/x/tools => golang.org/x/tools v0.47.1

replace golang.org/x/tools/gopls => ./gopls

replace github.com/opvet/opvet => /home/me/opvet
`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := goMod("go1.26.8", test.suite, g)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, string(got)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestOverlay(t *testing.T) {
	from := t.TempDir()
	for _, name := range []string{"go.mod", "internal/settings/analysis.go", "internal/settings/analysis_test.go", "doc/api.json"} {
		file := filepath.Join(from, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	data, err := overlayOf(from, "/work/gopls", "/work/opvet.go")
	if err != nil {
		t.Fatal(err)
	}
	var got struct{ Replace map[string]string }
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		filepath.FromSlash("/work/gopls/go.mod"):                        filepath.Join(from, "go.mod"),
		filepath.FromSlash("/work/gopls/doc/api.json"):                  filepath.Join(from, "doc", "api.json"),
		filepath.FromSlash("/work/gopls/internal/settings/analysis.go"): filepath.Join(from, "internal", "settings", "analysis.go"),
		filepath.FromSlash("/work/gopls/internal/settings/opvet.go"):    "/work/opvet.go",
	}
	if diff := cmp.Diff(want, got.Replace); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// What is there must be there until the new program is complete, and a failure
// must leave nothing behind.
func TestMove(t *testing.T) {
	dir := t.TempDir()
	exe, dest := filepath.Join(dir, "new"), filepath.Join(dir, "bin", "gopls-opvet")
	for _, content := range []string{"one", "two"} {
		if err := os.WriteFile(exe, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := move(exe, dest); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(dest); err != nil || string(got) != content {
			t.Errorf("installed %q, %v; want %q", got, err, content)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "taken", "x"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := move(exe, filepath.Join(dir, "taken")); err == nil {
		t.Error("a folder was replaced")
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 3 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}
