package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestLeftOut has a package that the go command lists without an error and that
// cannot be analysed, since a package that it imports does not compile.
func TestLeftOut(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":   "module example.com/m\n\ngo 1.24\n",
		"a/a.go":   "package a\n",
		"b/b.go":   "package b\n\nvar B int = \"\"\n",
		"c/c.go":   "package c\n\nimport \"example.com/m/b\"\n\nvar C = b.B\n",
		"c/c_x.go": "//go:build never\n\npackage c\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	m, err := prepareModule(dir, true, false)
	if err != nil {
		t.Fatal(err)
	}
	for file := range m.Files {
		if why := m.why(file); why != "" {
			t.Errorf("%s before the analysis: %s", file, why)
		}
	}
	a, err := new(bench).fromSource(m, dir, dir)
	if err != nil {
		t.Fatal(err)
	}
	m.leave(a.Left)
	got := make(map[string]bool)
	for file := range m.Files {
		got[file] = m.why(file) == ""
	}
	if len(got) != 3 || !got["a/a.go"] || got["b/b.go"] || got["c/c.go"] {
		t.Errorf("analysed are %v, want a/a.go alone", got)
	}
}
