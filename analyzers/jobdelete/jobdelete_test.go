package jobdelete_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/opvet/opvet/analyzers/jobdelete"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.Run(t, "../../testdata", jobdelete.Analyzer, ruletest.Folders(t, "../../testdata", "jobdelete", "fix")...)
}

func TestFix(t *testing.T) {
	ruletest.RunWithSuggestedFixes(t, "../../testdata", jobdelete.Analyzer, "./jobdelete/fix")
}

func TestLegacy(t *testing.T) {
	ruletest.Run(t, "../../testdata/legacy", jobdelete.Analyzer, "./jobdelete/...")
}

// TestRefused has a project by itself, whose roles let it make Jobs: what testdata is granted, other
// analyzers' manifests say, too.
func TestRefused(t *testing.T) {
	for name, test := range map[string]struct{ verbs, want string }{
		"refused": {"create;get;list;watch", "hygiene: no role grants the deletion of Jobs; once one does, the pods of this one stay"},
		"granted": {"create;get;list;watch;delete", "leak: the pods of the deleted Job stay"},
		"others":  {"get;list;watch", "leak: the pods of the deleted Job stay"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for _, file := range []string{"go.mod", "go.sum"} {
				data, err := os.ReadFile(filepath.Join("../../testdata", file))
				if err != nil {
					t.Fatal(err)
				}
				write(t, filepath.Join(dir, file), string(data))
			}
			write(t, filepath.Join(dir, "bindings.yaml"), "kind: ClusterRoleBinding\nmetadata:\n  name: binding\nroleRef:\n  kind: ClusterRole\n  name: manager-role\n")
			write(t, filepath.Join(dir, "runs.go"), `// Package runs deletes Jobs.
package runs

import (
	"context"

	batchv1 "k8s.io/api/batch/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=`+test.verbs+`

func cancel(ctx context.Context, c client.Client, job *batchv1.Job) error {
	return c.Delete(ctx, job) // want "`+test.want+`"
}
`)
			ruletest.Run(t, dir, jobdelete.Analyzer, "./...")
		})
	}
}

func write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
