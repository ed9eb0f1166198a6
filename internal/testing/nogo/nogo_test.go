package nogo

import (
	"fmt"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/opvet/opvet/analyzers"
	"github.com/opvet/opvet/internal/driver"
	"github.com/opvet/opvet/internal/ir/build"
	"github.com/opvet/opvet/internal/passes/kinds"
)

// TestNogoAgrees runs the suite over all cases, once as nogo would and once by
// the standalone driver: the findings and their fixes must be the same, but for what the
// whole module settles. Each package is analysed with what it imports read afresh, which takes
// long: with -short, the cases of one rule are enough.
func TestNogoAgrees(t *testing.T) {
	for _, test := range []struct {
		module    string
		goVersion string
		fixes     bool
	}{
		{"testdata", strings.Fields(runtime.Version())[0], true},
		// As rules_go did before v0.61.0; a fix may need to know the version.
		{"testdata/legacy", "", false},
	} {
		if test.module != "testdata" && testing.Short() {
			continue
		}
		t.Run(test.module, func(t *testing.T) {
			patterns := []string{"./..."}
			if testing.Short() {
				patterns = []string{"./workqueue/..."}
			}
			b := newBuild(t, test.module, patterns)
			b.goVersion = test.goVersion
			var bazel []string
			for _, pkg := range b.order {
				out := b.analyse(t, pkg)
				for _, f := range out.findings {
					if told := describe(out.fset, f.diagnostic, test.fixes); !asksProject(told) {
						bazel = append(bazel, told)
					}
				}
			}

			program, err := driver.Load(driver.LoadOptions{Dir: b.moduleDir, Patterns: patterns})
			if err != nil {
				t.Fatal(err)
			}
			result, err := program.Analyze(analyzers.All())
			if err != nil {
				t.Fatal(err)
			}
			// nogo sees one package at a time: it reports what the whole module settles.
			settled := slices.DeleteFunc(slices.Clone(result.Harmless), func(f driver.Finding) bool { return f.Settled == "" })
			var alone, proven []string // proven: what nogo may not find, since the module alone shows it
			for _, f := range slices.Concat(result.Findings, settled) {
				if f.Analyzer.Name == "rbac" {
					continue // it reads markers and manifests from disk, which nogo does not allow
				}
				if told := strings.ReplaceAll(describe(f.Fset, f.Diagnostic, test.fixes), b.moduleDir, test.module); !asksProject(told) {
					alone = append(alone, told)
					if f.Proven {
						proven = append(proven, told)
					}
				}
			}
			for _, f := range alone {
				if !slices.Contains(bazel, f) && !slices.Contains(proven, f) {
					t.Errorf("nogo does not find\n%s", f)
				}
			}
			for _, f := range bazel {
				if !slices.Contains(alone, f) {
					t.Errorf("opvet alone does not find\n%s", f)
				}
			}
			if len(alone) < 10 || len(alone) < 50 && !testing.Short() {
				t.Errorf("only %d findings in all of %s", len(alone), test.module)
			}
		})
	}
}

// describe tells all of a diagnostic that nogo shows, perhaps with its fix.
func describe(fset *token.FileSet, d analysis.Diagnostic, fixes bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", fset.Position(d.Pos), d.Message)
	if !fixes {
		return b.String()
	}
	for _, fix := range d.SuggestedFixes {
		fmt.Fprintf(&b, "\n\tfix: %s", fix.Message)
		for _, edit := range fix.TextEdits {
			fmt.Fprintf(&b, "\n\t%s-%s %q", fset.Position(edit.Pos), fset.Position(edit.End), edit.NewText)
		}
	}
	return b.String()
}

// build is the exec root of a Bazel build: the module's sources under its name,
// those of other modules under external.
type bazel struct {
	moduleDir string
	goVersion string
	order     []*packages.Package // what is analysed, in dependency order
	exports   map[string]string
	facts     map[string][]byte
	renamed   map[string]string // directory -> directory in the exec root
	own       map[string]bool   // package paths of the module
}

// newBuild makes the exec root and goes there: nogo's file names are relative.
// There is nothing in it but Go files, as in a sandbox.
func newBuild(t *testing.T, module string, patterns []string) *bazel {
	t.Helper()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	b := &bazel{
		moduleDir: filepath.Join(root, module), exports: make(map[string]string),
		facts: make(map[string][]byte), renamed: make(map[string]string), own: make(map[string]bool),
	}
	const mode = packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule | packages.NeedExportFile
	pkgs, err := packages.Load(&packages.Config{Mode: mode, Dir: b.moduleDir}, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	if packages.PrintErrors(pkgs) > 0 {
		t.Fatalf("%s does not compile", module)
	}
	direct := make(map[*packages.Package]bool) // imported by the module's packages
	packages.Visit(pkgs, func(pkg *packages.Package) bool {
		if pkg.Module == nil || !pkg.Module.Main {
			return false
		}
		b.own[pkg.PkgPath] = true
		for _, imported := range pkg.Imports {
			direct[imported] = true
		}
		return true
	}, nil)
	packages.Visit(pkgs, nil, func(pkg *packages.Package) {
		b.exports[pkg.PkgPath] = pkg.ExportFile
		dir := filepath.Join("external", filepath.FromSlash(pkg.PkgPath))
		if b.own[pkg.PkgPath] {
			rel, err := filepath.Rel(root, pkg.Dir)
			if err != nil {
				t.Fatal(err)
			}
			dir = rel
		}
		b.renamed[pkg.Dir] = dir
		// Of other modules, those that the cases import are enough.
		if b.own[pkg.PkgPath] || pkg.Module != nil && direct[pkg] {
			b.order = append(b.order, pkg)
		}
	})
	execRoot := filepath.Join(t.TempDir(), "execroot", "_main")
	for _, pkg := range b.order {
		for _, file := range pkg.GoFiles {
			link := filepath.Join(execRoot, b.rename(file))
			if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(file, link); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Chdir(execRoot)
	return b
}

// rename returns the name of a file in the exec root.
func (b *bazel) rename(file string) string {
	return filepath.Join(b.renamed[filepath.Dir(file)], filepath.Base(file))
}

// analyse runs nogo over a package.
func (b *bazel) analyse(t *testing.T, pkg *packages.Package) *outcome {
	t.Helper()
	u := &unit{
		path: pkg.PkgPath, exports: b.exports, facts: make(map[string][]byte), importMap: make(map[string]string),
		goVersion: b.goVersion, factsOnly: !b.own[pkg.PkgPath], renamed: b.rename,
	}
	for path, imported := range pkg.Imports {
		u.importMap[path] = imported.PkgPath
		u.facts[imported.PkgPath] = b.facts[imported.PkgPath]
	}
	for _, file := range pkg.GoFiles {
		u.files = append(u.files, b.rename(file))
	}
	out, err := u.run(analyzers.All())
	if err != nil {
		t.Fatal(err)
	}
	b.facts[pkg.PkgPath] = out.facts
	if u.factsOnly {
		idle(t, pkg.PkgPath, out)
	}
	return out
}

// idle checks that nothing was done for a package of another repository but
// to note what its kinds say of themselves.
func idle(t *testing.T, path string, out *outcome) {
	t.Helper()
	if out.results[build.Analyzer].(*build.SSA).Pkg != nil {
		t.Errorf("%s, of another repository, has an SSA form", path)
	}
	byKind := make(map[string]int)
	for key := range out.made.facts {
		if key.pkg.Path() == path && key.kind != reflect.TypeFor[*kinds.Kind]() {
			byKind[key.kind.String()]++
		}
	}
	if len(byKind) > 0 {
		t.Errorf("%s, of another repository, has facts: %v", path, slices.Sorted(maps.Keys(byKind)))
	}
}

// asksProject reports whether a finding depends on the manifests of the project, which statusupdate
// and webhookdelete ask about kinds without markers, and about markers that are not what is
// installed, and which nogo does not allow to be read.
func asksProject(finding string) bool {
	return slices.ContainsFunc([]string{
		"testdata/statusupdate/unknown/defined/", "testdata/statusupdate/unknown/contradicted/", "testdata/statusupdate/unknown/served/", "testdata/statusupdate/manifests/", "testdata/webhookdelete/registered/",
	}, func(folder string) bool { return strings.Contains(finding, folder) })
}
