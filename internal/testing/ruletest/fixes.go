package ruletest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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

// compile type-checks the packages with the fixed files. go/packages would do so with all
// that they import, from source, as soon as a file is replaced; the go command is asked
// where fixes import something new.
func compile(dir string, patterns []string, fixed map[string][]byte) error {
	_, pkgs, err := load(dir, patterns)
	if err != nil {
		return err
	}
	known := importer{packages: make(map[string]*types.Package)}
	if err := known.check(pkgs, fixed); !known.missing {
		return err
	}
	return build(dir, patterns, fixed)
}

// An importer has what one package imports, and notes that it wants something else.
type importer struct {
	packages map[string]*types.Package // by path
	missing  bool
}

// Import returns what is known.
func (i *importer) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if pkg := i.packages[path]; pkg != nil {
		return pkg, nil
	}
	i.missing = true
	return nil, errors.New("nothing has imported it before")
}

// check type-checks the packages that have fixed files, and those that import them.
func (i *importer) check(pkgs []*packages.Package, fixed map[string][]byte) error {
	checked := make(map[string]*types.Package) // by ID
	var problems []error
	packages.Visit(pkgs, nil, func(pkg *packages.Package) {
		changed := slices.ContainsFunc(pkg.GoFiles, func(name string) bool { return fixed[name] != nil })
		clear(i.packages)
		for _, imported := range pkg.Types.Imports() {
			i.packages[imported.Path()] = imported
		}
		for path, imported := range pkg.Imports {
			if again := checked[imported.ID]; again != nil {
				i.packages[path], changed = again, true
			}
		}
		if !changed {
			return
		}
		fset := token.NewFileSet()
		var files []*ast.File
		for _, name := range pkg.GoFiles {
			var source any
			if content := fixed[name]; content != nil {
				source = content
			}
			file, err := parser.ParseFile(fset, name, source, parser.SkipObjectResolution)
			if err != nil {
				problems = append(problems, err)
				return
			}
			files = append(files, file)
		}
		conf := types.Config{GoVersion: pkg.Types.GoVersion(), Sizes: pkg.TypesSizes, Importer: i}
		again, err := conf.Check(pkg.PkgPath, fset, files, nil)
		problems = append(problems, err)
		checked[pkg.ID] = again
	})
	return errors.Join(problems...)
}

// build has the go command compile the packages with the fixed files.
func build(dir string, patterns []string, fixed map[string][]byte) error {
	temp, err := os.MkdirTemp("", "fixed")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	overlay := struct{ Replace map[string]string }{make(map[string]string)}
	for file, content := range fixed {
		name, err := filepath.Abs(file)
		if err != nil {
			return err
		}
		replacement := filepath.Join(temp, fmt.Sprintf("%d.go", len(overlay.Replace)))
		if err := os.WriteFile(replacement, content, 0o666); err != nil {
			return err
		}
		overlay.Replace[name] = replacement
	}
	data, err := json.Marshal(overlay)
	if err != nil {
		return err
	}
	replacements := filepath.Join(temp, "overlay.json")
	if err := os.WriteFile(replacements, data, 0o666); err != nil {
		return err
	}
	list := exec.Command("go", append([]string{"list", "-export", "-overlay", replacements}, patterns...)...)
	list.Dir = dir
	if out, err := list.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
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
