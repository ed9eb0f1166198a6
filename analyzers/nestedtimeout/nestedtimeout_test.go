package nestedtimeout_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/opvet/opvet/analyzers/nestedtimeout"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.Run(t, "../../testdata", nestedtimeout.Analyzer, ruletest.Folders(t, "../../testdata", "nestedtimeout", "fix", "strict")...)
}

func TestStrict(t *testing.T) {
	flag := nestedtimeout.Analyzer.Flags.Lookup("strict")
	if err := flag.Value.Set("true"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := flag.Value.Set("false"); err != nil {
			t.Fatal(err)
		}
	})
	ruletest.Run(t, "../../testdata", nestedtimeout.Analyzer, "./nestedtimeout/strict", "./nestedtimeout/crosspkg/lib")
}

func TestFix(t *testing.T) {
	ruletest.RunWithSuggestedFixes(t, "../../testdata", nestedtimeout.Analyzer, "./nestedtimeout/fix")
}

func TestLegacy(t *testing.T) {
	ruletest.Run(t, "../../testdata/legacy", nestedtimeout.Analyzer, "./nestedtimeout/...")
}

// A module that older versions of Go build is told of nothing that they lack.
func TestBeforeWithoutCancel(t *testing.T) {
	const legacy = "../../testdata/legacy"
	dir := t.TempDir()
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(legacy, name))
		if err != nil {
			t.Fatal(err)
		}
		write(t, dir, name, regexp.MustCompile(`(?m)^go .*`).ReplaceAllString(string(text), "go 1.20"))
	}
	write(t, dir, "old.go", `package old

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func stop(ctx context.Context, c client.Client, pod *corev1.Pod) error {
	<-ctx.Done()
	return c.Delete(ctx, pod) // want "Delete fails at once: .*; pass context.Background\\(\\) with a timeout of its own"
}

func stopInTime(ctx context.Context, c client.Client, pod *corev1.Pod) error {
	<-ctx.Done()
	ctx, cancel := context.WithTimeout(ctx, time.Second) // want "is over before it begins: .*; derive it from context.Background\\(\\)"
	defer cancel()
	return c.Delete(ctx, pod)
}
`)
	ruletest.Run(t, dir, nestedtimeout.Analyzer, "./...")
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
