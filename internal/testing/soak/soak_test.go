package soak

import (
	"flag"
	"go/types"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/opvet/opvet/analyzers"
	"github.com/opvet/opvet/internal/driver"
)

var full = flag.Bool("full", false, "run over everything instead of a slice")

const testdata = "../../../testdata"

func TestStandardLibrary(t *testing.T) {
	patterns := []string{"net/http", "encoding/json", "go/types", "reflect", "slices", "maps", "iter", "sync/...", "context", "testing/...", "text/template/..."}
	switch {
	case *full:
		patterns = []string{"std"}
	case testing.Short():
		patterns = []string{"slices", "sync/...", "context"}
	}
	soak(t, testdata, analyzers.All(), patterns...)
}

func TestKubernetes(t *testing.T) {
	slice := []string{
		"k8s.io/client-go/tools/...", "k8s.io/client-go/util/...", "k8s.io/client-go/rest/...", "k8s.io/client-go/kubernetes/typed/apps/v1",
		"k8s.io/api/core/v1", "k8s.io/apimachinery/pkg/runtime/...", "k8s.io/apimachinery/pkg/util/...",
		"sigs.k8s.io/controller-runtime/pkg/...",
	}
	if testing.Short() {
		slice = []string{"k8s.io/client-go/tools/cache/...", "sigs.k8s.io/controller-runtime/pkg/..."}
	}
	for _, dir := range []string{".", "legacy"} {
		if dir == "legacy" && testing.Short() {
			continue
		}
		t.Run(dir, func(t *testing.T) {
			dir := filepath.Join(testdata, dir)
			if !*full {
				soak(t, dir, analyzers.All(), slice...)
				return
			}
			// One module at a time bounds the memory.
			for _, module := range modules(t, dir) {
				t.Run(module, func(t *testing.T) { soak(t, dir, analyzers.All(), module+"/...") })
			}
		})
	}
}

// TestBarePass runs the suite as Bazel's nogo would, which leaves most fields
// of a Pass empty. It comes last: the analyzers are changed for good.
func TestBarePass(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-long runs it")
	}
	suite := analyzers.All()
	bare(suite, make(map[*analysis.Analyzer]bool))
	soak(t, testdata, suite, "k8s.io/client-go/tools/cache/...", "sigs.k8s.io/controller-runtime/pkg/...")
}

func bare(suite []*analysis.Analyzer, done map[*analysis.Analyzer]bool) {
	for _, a := range suite {
		if done[a] {
			continue
		}
		done[a] = true
		bare(a.Requires, done)
		run := a.Run
		a.Run = func(pass *analysis.Pass) (any, error) {
			pass.Module, pass.ReadFile, pass.OtherFiles, pass.IgnoredFiles, pass.TypeErrors = nil, nil, nil, nil, nil
			info := *pass.TypesInfo
			info.FileVersions = nil
			pass.TypesInfo = &info
			return run(pass)
		}
	}
}

// modules lists the Kubernetes modules that the module in dir is built with.
func modules(t *testing.T, dir string) []string {
	t.Helper()
	seen := make(map[string]bool)
	var paths []string
	for _, pkg := range load(t, dir, packages.NeedName|packages.NeedModule, "k8s.io/...", "sigs.k8s.io/...") {
		if m := pkg.Module; m != nil && !seen[m.Path] {
			seen[m.Path] = true
			paths = append(paths, m.Path)
		}
	}
	if len(paths) < 5 {
		t.Fatalf("too few Kubernetes modules: %v", paths)
	}
	return paths
}

func load(t *testing.T, dir string, mode packages.LoadMode, patterns ...string) []*packages.Package {
	t.Helper()
	pkgs, err := packages.Load(&packages.Config{Mode: mode, Dir: dir}, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	if len(pkgs) == 0 {
		t.Fatalf("nothing matches %v", patterns)
	}
	return pkgs
}

// soak runs the suite over packages as if they were the user's own and used
// Kubernetes, and fails on any failure of an analyzer; if everything is run, also
// if one takes too long. Packages that do not compile, for want of modules that
// nothing here needs, are left out.
func soak(t *testing.T, dir string, suite []*analysis.Analyzer, patterns ...string) {
	t.Helper()
	start := time.Now()
	pkgs := load(t, dir, packages.LoadSyntax|packages.NeedModule|packages.NeedForTest, patterns...)
	asUserCode(pkgs)
	analyse(t, suite, pkgs, time.Since(start))
}

// asUserCode makes packages look as if they were the user's own and used
// Kubernetes.
func asUserCode(pkgs []*packages.Package) {
	machinery := types.NewPackage("k8s.io/apimachinery/pkg/runtime", "runtime")
	machinery.MarkComplete()
	for _, pkg := range pkgs {
		pkg.Module = &packages.Module{Path: "example.com/soak", Main: true}
		if pkg.Types != nil && pkg.Types != types.Unsafe {
			pkg.Types.SetImports(append(pkg.Types.Imports(), machinery))
		}
	}
}

func analyse(t *testing.T, suite []*analysis.Analyzer, pkgs []*packages.Package, loading time.Duration) {
	t.Helper()
	program, err := driver.NewProgram(pkgs)
	if err != nil {
		t.Fatal(err)
	}
	if program.Len() == 0 {
		t.Fatalf("nothing compiles: %v", program.Problems)
	}
	program.CheckFacts = true
	costs := measure(suite)
	start := time.Now()
	result, err := program.Analyze(suite)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d of %d packages, loaded in %.1f s, analysed in %.1f s, %d findings",
		program.Len(), len(pkgs), loading.Seconds(), time.Since(start).Seconds(), len(result.Findings))
	for _, problem := range result.Problems[len(program.Problems):] {
		t.Error(problem)
	}
	for _, f := range result.Findings {
		t.Logf("%s: %s", f.Posn, f.Diagnostic.Message)
	}
	costs.report(t)
}
