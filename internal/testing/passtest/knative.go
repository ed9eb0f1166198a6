package passtest

import (
	_ "embed"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"golang.org/x/tools/txtar"
)

//go:embed knative.txtar
var knative []byte

// Knative writes the files of an archive into a module that can import what tests use of
// knative's packages, and returns its directory. The module of these brings too many others
// along to be one of testdata's, which is in testdata.
func Knative(t *testing.T, testdata, archive string) string {
	t.Helper()
	dir := t.TempDir()
	cases, err := txtar.ParseFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	for _, files := range []*txtar.Archive{cases, txtar.Parse(knative)} {
		all, err := txtar.FS(files)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(dir, all); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(testdata, name))
		if err != nil {
			t.Fatal(err)
		}
		if name == "go.mod" {
			data = regexp.MustCompile(`(?m)^\s*knative\.dev/pkg .*$`).ReplaceAll(data, []byte("knative.dev/pkg v0.0.0"))
			data = append(data, "\nreplace knative.dev/pkg => ./knative\n"...)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
