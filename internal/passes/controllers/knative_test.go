package controllers_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/opvet/opvet/internal/passes/controllers"
	"github.com/opvet/opvet/internal/testing/passtest"
)

// TestKnative reads controllers of knative's. Its module brings too many others along
// to be one of testdata's; what the set-up uses of it stands in for it.
func TestKnative(t *testing.T) {
	dir := t.TempDir()
	archive, err := txtar.ParseFile("testdata/knative.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range archive.Files {
		writeFile(t, filepath.Join(dir, file.Name), file.Data)
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join("../../../testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		if name == "go.mod" {
			data = regexp.MustCompile(`(?m)^\s*knative\.dev/pkg .*$`).ReplaceAll(data, []byte("knative.dev/pkg v0.0.0"))
			data = append(data, "\nreplace knative.dev/pkg => ./knative\n"...)
		}
		writeFile(t, filepath.Join(dir, name), data)
	}
	var got []string
	for _, result := range passtest.Run[*controllers.Result](t, controllers.Analyzer, dir, "./setups") {
		for _, c := range result.Value.Made().Controllers {
			got = append(got, string(c.Framework)+" "+words(c))
		}
	}
	slices.Sort(got)
	want := []string{
		"knative Keys keys: for Pod self, raw ? custom; workers 2",
		"knative Labels: for Service self; workers 5",
		"knative Services services: for Service self, owns ConfigMap owner of Service if FilterController, raw ? custom, " +
			"watches Endpoints mapped, watches Node custom sometimes, watches Secret mapped; workers 2; " +
			"addFinalizer Service, create ConfigMap, delete ConfigMap, removeFinalizer Service, update Service",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want (-) and got (+):\n%s", diff)
	}
}

func writeFile(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o666); err != nil {
		t.Fatal(err)
	}
}
