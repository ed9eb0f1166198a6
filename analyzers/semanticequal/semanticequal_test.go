package semanticequal_test

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/opvet/opvet/analyzers/semanticequal"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.Run(t, "../../testdata", semanticequal.Analyzer, ruletest.Folders(t, "../../testdata", "semanticequal", "strict", "fix")...)
}

func TestFix(t *testing.T) {
	ruletest.RunWithSuggestedFixes(t, "../../testdata", semanticequal.Analyzer, "./semanticequal/fix")
}

func TestStrict(t *testing.T) {
	ruletest.SetFlag(t, semanticequal.Analyzer, "strict", "true")
	ruletest.Run(t, "../../testdata", semanticequal.Analyzer, "./semanticequal/strict")
}

func TestLegacy(t *testing.T) {
	ruletest.Run(t, "../../testdata/legacy", semanticequal.Analyzer, "./semanticequal/...")
}

// TestClusterAPI has the patch helper of cluster-api stand in for it.
func TestClusterAPI(t *testing.T) {
	dir := t.TempDir()
	archive, err := txtar.ParseFile("testdata/clusterapi.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join("../../testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		if name == "go.mod" {
			data = append(data, "\nrequire sigs.k8s.io/cluster-api v0.0.0\n\nreplace sigs.k8s.io/cluster-api => ./clusterapi\n"...)
		}
		archive.Files = append(archive.Files, txtar.File{Name: name, Data: data})
	}
	for _, file := range archive.Files {
		name := filepath.Join(dir, file.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, file.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	ruletest.Run(t, dir, semanticequal.Analyzer, "./patched")
}
