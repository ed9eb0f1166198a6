package ruletest

import (
	"bytes"
	"errors"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"strings"

	gocmp "github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/opvet/opvet/internal/driver/fixes"
)

// RunWithSuggestedFixes is [Run], and applies all suggested fixes: each file
// must become what its golden file (file.go.golden) has, formatted and without
// the imports that the fixes have made superfluous; and the packages must
// compile then.
func RunWithSuggestedFixes(t Testing, dir string, a *analysis.Analyzer, patterns ...string) {
	if h, ok := t.(interface{ Helper() }); ok {
		h.Helper()
	}
	var set fixes.Set
	for _, f := range analyse(t, dir, a, patterns) {
		if n := len(f.Diagnostic.SuggestedFixes); n > 1 {
			t.Errorf("%s: %d fixes, where drivers apply one at most", f.Posn, n)
		}
		for _, fix := range f.Diagnostic.SuggestedFixes {
			// Only a test that asks for findings in generated files has fixes there.
			if err := set.Add(fixes.Fix{SuggestedFix: fix, Fset: f.Fset, Pkg: f.Pkg, Generated: true}); err != nil {
				t.Errorf("%s: the fix %q: %v", f.Posn, fix.Message, err)
			}
		}
	}
	changes, err := set.Changes()
	if err != nil {
		t.Errorf("applying the fixes: %v", err)
		return
	}
	if len(changes) == 0 {
		t.Errorf("no fixes in %v", patterns)
		return
	}
	fixed := make(map[string][]byte)
	for _, change := range changes {
		fixed[change.File] = change.New
	}
	if err := compile(dir, patterns, fixed); err != nil {
		t.Errorf("fixed packages do not compile: %v", err)
	}
	for _, change := range changes {
		if err := compare(change.File, change.New); err != nil {
			t.Errorf("%v", err)
		}
	}
}

// compile type-checks the packages with the fixed files.
func compile(dir string, patterns []string, fixed map[string][]byte) error {
	overlay := make(map[string][]byte)
	for file, content := range fixed {
		name, err := filepath.Abs(file)
		if err != nil {
			return err
		}
		overlay[name] = content
	}
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax, Dir: dir, Overlay: overlay}, patterns...)
	if err != nil {
		return err
	}
	var problems []error
	for _, pkg := range pkgs {
		for _, e := range pkg.Errors {
			if !strings.HasPrefix(e.Msg, "# ") { // the compiler's output repeats it
				problems = append(problems, e)
			}
		}
	}
	return errors.Join(problems...)
}

// compare compares a fixed file with its golden file.
func compare(file string, fixed []byte) error {
	got, err := format.Source(fixed)
	if err != nil {
		return fmt.Errorf("formatting the fixed %s: %w", relative(file), err)
	}
	golden, err := os.ReadFile(file + ".golden")
	if err != nil {
		return err
	}
	want, err := format.Source(golden)
	if err != nil {
		return fmt.Errorf("formatting %s.golden: %w", relative(file), err)
	}
	if diff := gocmp.Diff(strings.Split(string(bytes.TrimSpace(want)), "\n"), strings.Split(string(bytes.TrimSpace(got)), "\n")); diff != "" {
		return fmt.Errorf("the fixed %s is not what its golden file has (-want +got):\n%s", relative(file), diff)
	}
	return nil
}
