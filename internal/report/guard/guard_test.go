package guard_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"

	"github.com/opvet/opvet/internal/report/guard"
	"github.com/opvet/opvet/internal/report/rule"
)

type facts struct{ count int }

// suite is a shared pass that fails where it is told to, two analyzers that ask
// it, one that does not, and one that requires the others.
type suite struct {
	shared                    *analysis.Analyzer
	one, two, apart, overseer *analysis.Analyzer
}

func newSuite(fail func(fn *ast.FuncDecl) error) *suite {
	newRule := func(name string, requires ...*analysis.Analyzer) *analysis.Analyzer {
		return rule.New(rule.Spec{
			Name: name, Summary: "s", DocSource: "// Package " + name + " is for tests.\n//\n// Text.\npackage " + name + "\n",
			Categories: []rule.Category{{Name: "found", Harm: rule.Loss}}, Requires: requires,
			Run: func(pass *analysis.Pass, report *rule.Reporter) error {
				for _, required := range requires {
					if reflect.ValueOf(pass.ResultOf[required]).IsNil() {
						return errors.New("it runs without what it requires")
					}
				}
				report.Report(rule.Finding{Pos: pass.Files[0].Name.Pos(), Category: "found", Message: "here"})
				return nil
			},
		})
	}
	s := new(suite)
	s.shared = &analysis.Analyzer{
		Name: "shared", Doc: "s", ResultType: reflect.TypeFor[*facts](),
		Run: func(pass *analysis.Pass) (any, error) {
			found := new(facts)
			for _, file := range pass.Files {
				for _, decl := range file.Decls {
					if fn, ok := decl.(*ast.FuncDecl); ok {
						if err := look(fn, found, fail); err != nil {
							return nil, err
						}
					}
				}
			}
			return found, nil
		},
	}
	s.one, s.two, s.apart = newRule("one", s.shared), newRule("two", s.shared), newRule("apart")
	s.overseer = newRule("overseer", s.one, s.two, s.apart)
	return s
}

//go:noinline
func look(fn *ast.FuncDecl, found *facts, fail func(*ast.FuncDecl) error) error {
	err := fail(fn)
	found.count += len(fn.Type.Params.List)
	return err
}

func panicky(fn *ast.FuncDecl) error {
	if fn.Name.Name == "boom" {
		panic("it\n  breaks")
	}
	return nil
}

// run runs all passes over the files as most drivers do: in one process, without
// asking the guard.
func (s *suite) run(t *testing.T, files map[string]string) (map[string][]string, *types.Package) {
	t.Helper()
	pass := analysis.Pass{Fset: token.NewFileSet(), Pkg: types.NewPackage("example.com/p", "p"), ResultOf: make(map[*analysis.Analyzer]any), ExportPackageFact: func(analysis.Fact) {}}
	// Rules say nothing of packages that do not use Kubernetes.
	machinery := types.NewPackage("k8s.io/apimachinery/pkg/runtime", "runtime")
	pass.Pkg.SetImports([]*types.Package{machinery})
	for _, name := range slices.Sorted(maps.Keys(files)) {
		file, err := parser.ParseFile(pass.Fset, "/src/"+name, files[name], parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		pass.Files = append(pass.Files, file)
	}
	found := make(map[string][]string)
	for _, a := range guard.Passes([]*analysis.Analyzer{s.overseer}) {
		pass := pass
		pass.Analyzer = a
		pass.Report = func(d analysis.Diagnostic) {
			found[a.Name] = append(found[a.Name], pass.Fset.Position(d.Pos).String()+": "+d.Message)
		}
		result, err := a.Run(&pass)
		if err != nil {
			t.Fatalf("%s: %v", a.Name, err)
		}
		if got := reflect.TypeOf(result); got != a.ResultType {
			t.Errorf("result of %s has type %v", a.Name, got)
		}
		pass.ResultOf[a] = result
	}
	return found, pass.Pkg
}

const boom = "package p\n\ntype T[X any] struct{}\n\nfunc (T[X]) boom() {}\n"

func TestPanic(t *testing.T) {
	s := newSuite(panicky)
	found, pkg := s.run(t, map[string]string{"a.go": boom})
	const message = "/src/a.go:5:1: package example.com/p is not analysed in full because shared failed at a.go:5:1, in T.boom: panic: it breaks; " +
		"please report this internal error at https://github.com/opvet/opvet/issues with these calls: guard/guard_test.go:"
	for _, name := range []string{"one", "two"} {
		if got := found[name]; len(got) != 1 || !strings.HasPrefix(got[0], message) || !strings.HasSuffix(got[0], " ("+name+"/internal-error)") {
			t.Errorf("%s reports %q", name, got)
		}
	}
	// The one has nothing to do with it, and the other's causes are told already.
	if got := found["apart"]; len(got) != 1 || !strings.HasSuffix(got[0], "here (apart/found)") {
		t.Errorf("apart reports %q", got)
	}
	if len(found["shared"])+len(found["overseer"]) > 0 {
		t.Errorf("too much is reported: %q", found)
	}
	failures := guard.Failures(pkg, []*analysis.Analyzer{s.overseer, s.one})
	if len(failures) != 1 || failures[0].Pass != "shared" || !strings.Contains(failures[0].Error(), "\n\tgithub.com/opvet/opvet/internal/report/guard_test.look\n\t\t") {
		t.Errorf("failures %v", failures)
	}
	if other := types.NewPackage("example.com/p", "p"); guard.Of(other, s.shared) != nil {
		t.Error("another package has the failure, too")
	}
}

func TestError(t *testing.T) {
	s := newSuite(func(*ast.FuncDecl) error { return errors.New("no good") })
	found, _ := s.run(t, map[string]string{"a.go": boom})
	const want = "/src/a.go:1:1: package example.com/p is not analysed in full because shared failed: no good (one/internal-error)"
	if got := found["one"]; len(got) != 1 || got[0] != want {
		t.Errorf("one reports %q\nwant %s", got, want)
	}
}

func TestNothingHidesFailures(t *testing.T) {
	const (
		plain     = "package p\n"
		generated = "// Code generated by x. DO NOT EDIT.\n\n"
	)
	for _, test := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"comment at the function", map[string]string{"a.go": strings.Replace(boom, "func", "//nolint:all\nfunc", 1), "b.go": plain}, "/src/a.go:1:1: "},
		{"comment at the file", map[string]string{"a.go": "//lint:file-ignore one because\n" + boom, "b.go": plain}, "/src/b.go:1:1: "},
		{"generated file", map[string]string{"a.go": generated + boom, "b.go": plain}, "/src/b.go:1:1: "},
		{"test file", map[string]string{"a_test.go": boom, "b.go": plain}, "/src/b.go:1:1: "},
		{"nothing else", map[string]string{"a.go": generated + boom}, "/src/a.go:7:1: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			found, _ := newSuite(panicky).run(t, test.files)
			if got := found["one"]; len(got) != 1 || !strings.HasPrefix(got[0], test.want) || !strings.Contains(got[0], "in T.boom") {
				t.Errorf("reported %q, want it at %s", got, test.want)
			}
		})
	}
}

// A failure lasts until the pass runs again over the same package.
func TestForgets(t *testing.T) {
	fail := true
	flaky := &analysis.Analyzer{Name: "flaky", Doc: "d", Run: func(pass *analysis.Pass) (any, error) {
		if fail {
			panic("once")
		}
		return nil, nil
	}}
	guard.Analyzer(flaky)
	pass := &analysis.Pass{Analyzer: flaky, Pkg: types.NewPackage("p", "p"), Report: func(analysis.Diagnostic) {}}
	if _, err := guard.Run(pass); err == nil || !strings.Contains(err.Error(), "panic: once") {
		t.Errorf("error %v", err)
	}
	fail = false
	if _, err := guard.Run(pass); err != nil || guard.Of(pass.Pkg, flaky) != nil {
		t.Errorf("error %v", err)
	}
}

// The host's analyzers may use the same passes.
func TestPassesOfOthersAreLeftAlone(t *testing.T) {
	before := reflect.ValueOf(inspect.Analyzer.Run).Pointer()
	own := &analysis.Analyzer{Name: "own", Doc: "d", Requires: []*analysis.Analyzer{inspect.Analyzer}, Run: func(*analysis.Pass) (any, error) { return nil, nil }}
	run := reflect.ValueOf(own.Run).Pointer()
	guard.Analyzer(own)
	if reflect.ValueOf(inspect.Analyzer.Run).Pointer() != before {
		t.Error("x/tools' inspect was changed")
	}
	if reflect.ValueOf(own.Run).Pointer() == run {
		t.Error("an own pass was not")
	}
}
