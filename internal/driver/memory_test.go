package driver

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/report/rule"
)

// workshop is a module with a cache.
type workshop struct {
	dir, cache string
	flags      []string

	mu       sync.Mutex
	analysed []string // names of the packages
}

func newWorkshop(t *testing.T) *workshop {
	w := &workshop{dir: t.TempDir(), cache: filepath.Join(t.TempDir(), "cache")}
	w.write(t, "go.mod", "module m.example\n\ngo 1.26\n")
	w.write(t, "a/a.go", "package a\n\nimport _ \"fmt\"\n\n// Do is bad.\nfunc Do() {}\n\nfunc good() {}\n")
	w.write(t, "b/b.go", "package b\n\nimport \"m.example/a\"\n\nfunc Do() { a.Do() }\n\nfunc good() {}\n")
	w.write(t, "c/c.go", "package c\n\nimport \"m.example/b\"\n\nfunc Do() { b.Do() }\n")
	w.write(t, "d/d.go", "package d\n\n// own is bad.\nfunc own() {}\n\nfunc Do() { own() }\n")
	t.Chdir(w.dir)
	return w
}

func (w *workshop) write(t *testing.T, name, text string) {
	t.Helper()
	name = filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// run returns the findings and the names of the packages that were analysed
// for them.
func (w *workshop) run(t *testing.T, flags ...string) (findings, analysed string) {
	t.Helper()
	w.analysed = nil
	witness := rule.New(rule.Spec{
		Name: "witness", Summary: "note what is analysed", Group: "samples", Since: "v0", Anywhere: true,
		DocSource:  "// Package witness is for tests.\n//\n// It notes what is analysed.\npackage witness\n",
		Categories: []rule.Category{{Name: "none", Summary: "nothing", Harm: rule.Loss}},
		Run: func(pass *analysis.Pass, report *rule.Reporter) error {
			if pass.Pkg.Name() == "d" {
				report.ReadsBelow(filepath.Join(w.dir, "config"), rule.AllFiles)
			}
			if pos := report.Elsewhere("same/same.go:3"); pass.Pkg.Name() == "e" && pos.IsValid() {
				report.Report(rule.Finding{Pos: pos, Category: "none", Message: "it is there"})
			}
			w.mu.Lock()
			defer w.mu.Unlock()
			w.analysed = append(w.analysed, pass.Pkg.Path())
			return nil
		},
	})
	cmd := newCommand([]*analysis.Analyzer{badcall, witness})
	if err := cmd.parse(slices.Concat([]string{"-cache=" + w.cache}, w.flags, flags)); err != nil {
		t.Fatal(err)
	}
	if err := cmd.configure(); err != nil {
		t.Fatal(err)
	}
	since, err := cmd.since()
	if err != nil {
		t.Fatal(err)
	}
	result, err := cmd.analyse(startProgress(io.Discard), nil, since)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, f := range result.Findings {
		found = append(found, filepath.Base(f.Posn.String()))
	}
	for _, problem := range result.Problems {
		found = append(found, problem)
	}
	slices.Sort(w.analysed)
	return strings.Join(found, " "), strings.ReplaceAll(strings.Join(w.analysed, " "), "m.example/", "")
}

func (w *workshop) want(t *testing.T, findings, analysed string, flags ...string) {
	t.Helper()
	gotFindings, gotAnalysed := w.run(t, flags...)
	if gotFindings != findings || gotAnalysed != analysed {
		t.Errorf("found %q in %q, want %q in %q", gotFindings, gotAnalysed, findings, analysed)
	}
}

// long marks a test that asks the go command many times over: make test-long runs it, and
// make test has a shorter one of the same subject.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("make test-long runs it")
	}
}

const both = "b.go:5:13 d.go:6:13"

func TestOnlyWhatChangesIsAnalysed(t *testing.T) {
	w := newWorkshop(t)
	w.want(t, both, "a b c d")
	w.want(t, both, "")
	w.write(t, "d/d.go", "package d\n\nfunc own() {}\n\nfunc Do() { own() }\n")
	w.want(t, "b.go:5:13", "d")
	// The fact about what a declares comes from the cache.
	w.write(t, "b/b.go", "package b\n\nimport \"m.example/a\"\n\n\nfunc Do() { a.Do() }\n\nfunc good() {}\n")
	w.want(t, "b.go:6:13", "b c")
	w.write(t, "a/a.go", "package a\n\nimport _ \"fmt\"\n\nfunc Do() {}\n\nfunc good() {}\n")
	w.want(t, "", "a b c")
	w.want(t, "", "")
	// What was known before is known still.
	w.write(t, "a/a.go", "package a\n\nimport _ \"fmt\"\n\n// Do is bad.\nfunc Do() {}\n\nfunc good() {}\n")
	w.write(t, "b/b.go", "package b\n\nimport \"m.example/a\"\n\nfunc Do() { a.Do() }\n\nfunc good() {}\n")
	w.want(t, "b.go:5:13", "")
	w.want(t, "b.go:5:13", "a b c d", "-cache=off")
}

// Others are not analysed again if what they see of a package is as it was.
func TestWhatOthersSeeCounts(t *testing.T) {
	long(t)
	w := newWorkshop(t)
	const before = "package a\n\nimport _ \"fmt\"\n\n// Do is bad.\nfunc Do() {}\n\nfunc good() {}\n"
	w.want(t, both, "a b c d")
	for _, test := range []struct{ about, text, analysed string }{
		{"a body", strings.Replace(before, "Do() {}", "Do() { good() }", 1), "a"},
		{"a constant for nobody else", before + "\nconst some = 1\n", "a"},
		{"a helper", before + "\nfunc help() { good() }\n", "a"},
		{"a constant for others", before + "\nconst Some = 1\n", "a b c"},
		{"places", strings.Replace(before, "\n\n//", "\n\n\n//", 1), "a b c"},
		{"a fact", strings.Replace(before, "// Do is bad.", "// Do is good.", 1), "a b c"},
		{"back again", before, ""},
	} {
		w.write(t, "a/a.go", test.text)
		want, _ := w.run(t, "-cache=off")
		if got, analysed := w.run(t); got != want || analysed != test.analysed {
			t.Errorf("%s: found %q in %q, want %q in %q", test.about, got, analysed, want, test.analysed)
		}
	}
	w.write(t, "a/a_plan9.go", "package a\n\nconst group = 1\n")
	w.want(t, both, "a b c")
	w.write(t, "a/a_plan9.go", "package a\n\nconst group = 2\n")
	w.want(t, both, "a b c")
	if err := os.Remove(filepath.Join(w.dir, "a", "a_plan9.go")); err != nil {
		t.Fatal(err)
	}
	w.want(t, both, "")
	// More is known again than what has changed.
	w.write(t, "a/a.go", before+"\nfunc more() {}\n")
	w.write(t, "c/c.go", "package c\n\nimport \"m.example/b\"\n\nfunc Do() { b.Do(); b.Do() }\n")
	w.want(t, both, "a c")
	w.want(t, both, "")
}

// Of a revision, all that earlier runs have found is known, and nothing is compiled for
// the copy of it.
func TestRevisionIsKnown(t *testing.T) {
	long(t)
	w := newWorkshop(t)
	git := func(args ...string) {
		t.Helper()
		if out, err := exec.Command("git", append([]string{"-c", "user.name=T", "-c", "user.email=t@example.com"}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	git("init", "--quiet")
	git("add", ".")
	git("commit", "--quiet", "-m", "first")
	w.want(t, both, "a b c d")
	w.write(t, "b/b.go", "package b\n\nimport \"m.example/a\"\n\nfunc Do() { a.Do() }\n\nfunc More() { a.Do() }\n")
	w.want(t, "b.go:7:15", "b c", "-new-from-rev=HEAD")
	// Nothing is known of another commit's b.
	w.write(t, "b/b.go", "package b\n\nimport \"m.example/a\"\n\nfunc Do() { a.Do() }\n\nfunc bad() { a.Do() }\n")
	git("commit", "--quiet", "-a", "-m", "second")
	w.write(t, "b/b.go", "package b\n\nimport \"m.example/a\"\n\nfunc Do() { a.Do() }\n\nfunc bad() { a.Do() }\n\nfunc More() { a.Do() }\n")
	w.want(t, "b.go:9:15", "b b c", "-new-from-rev=HEAD") // c sees no difference
	w.want(t, "b.go:9:15", "", "-new-from-rev=HEAD")
}

// Many packages are looked up at once while others are still being asked for.
func TestManyAreKnown(t *testing.T) {
	long(t)
	w := newWorkshop(t)
	findings, analysed := []string{both}, []string{"a b c d"}
	for i := range 40 {
		name := fmt.Sprintf("m%02d", i)
		text := "package " + name + "\n\nimport \"m.example/a\"\n\nfunc Do() { a.Do() }\n"
		if i%4 > 0 {
			text = strings.ReplaceAll(text, "/a\"", fmt.Sprintf("/m%02d\"", i-1))
			text = strings.ReplaceAll(text, "a.Do", fmt.Sprintf("m%02d.Do", i-1))
		} else {
			findings = append(findings, name+".go:5:13")
		}
		w.write(t, name+"/"+name+".go", text)
		analysed = append(analysed, name)
	}
	w.want(t, strings.Join(findings, " "), strings.Join(analysed, " "))
	for range 5 {
		w.want(t, strings.Join(findings, " "), "")
	}
}

// A place in another package is found whatever else is analysed, and a comment there counts.
func TestPlacesElsewhere(t *testing.T) {
	long(t)
	w := newWorkshop(t)
	const text = "package same\n\nfunc F() {}\n"
	w.write(t, "one/same/same.go", text)
	w.write(t, "two/same/same.go", text)
	w.write(t, "e/e.go", "package e\n\nimport \"m.example/one/same\"\n\nfunc Do() { same.F() }\n")
	const found = both + " same.go:3:1"
	w.flags = []string{"-test"} // all are loaded before one is analysed
	t.Cleanup(func() {
		if err := badcall.Flags.Set("tests", "false"); err != nil {
			t.Error(err)
		}
	})
	w.want(t, found, "a b c d e one/same two/same")
	w.write(t, "two/same/same.go", text+"\nfunc G() {}\n")
	w.want(t, found, "two/same")
	w.write(t, "e/e.go", "package e\n\nimport \"m.example/one/same\"\n\nfunc Do() { same.F(); same.F() }\n")
	w.want(t, found, "e")
	w.write(t, "one/same/same.go", strings.Replace(text, "{}", "{} //nolint:witness // it is meant", 1))
	w.want(t, both, "e one/same")
	w.want(t, both, "a b c d e one/same two/same", "-cache=off")
}

// What is found in the copy of a revision is kept for the repository, whose name it may have in it.
func TestCopyIsNamedAsTheRepository(t *testing.T) {
	w := newWorkshop(t)
	if out, err := exec.Command("sh", "-c", "git init --quiet && git add . && git -c user.name=T -c user.email=t@example.com commit --quiet -m first").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := newCommand([]*analysis.Analyzer{badcall})
	if err := cmd.parse([]string{"-cache=" + w.cache, "-new-from-rev=HEAD"}); err != nil {
		t.Fatal(err)
	}
	since, err := cmd.since()
	if err != nil {
		t.Fatal(err)
	}
	for _, kept := range []string{"", filepath.Join(w.cache, "kept")} {
		dir, release, err := since.placeForCopy(kept)
		if err != nil {
			t.Fatal(err)
		}
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) > 0 || filepath.Base(dir) != filepath.Base(since.repository.Top()) {
			t.Errorf("the copy goes to %s, which has %v: %v", dir, entries, err)
		}
		release()
		if _, err := os.Stat(filepath.Dir(dir)); !os.IsNotExist(err) {
			t.Errorf("%s is left: %v", filepath.Dir(dir), err)
		}
	}
}

func TestFilesOutsideOfPackages(t *testing.T) {
	long(t)
	w := newWorkshop(t)
	w.want(t, both, "a b c d")
	w.write(t, "config/role.yaml", "kind: Role\n")
	w.want(t, both, "d")
	w.want(t, both, "")
	w.write(t, "config/notes.txt", "nothing that is read\n")
	w.want(t, both, "")
	w.write(t, "config/role.yaml", "kind: ClusterRole\n")
	w.want(t, both, "d")
	w.want(t, both, "")
}

func TestWhatElseResultsDependOn(t *testing.T) {
	long(t)
	w := newWorkshop(t)
	w.want(t, both, "a b c d")
	w.want(t, "b.go:5:13", "", "./b")
	w.want(t, both, "", "-sort=path")
	w.want(t, both, "", "-badcall", "-witness") // all that there are
	w.want(t, "", "a b c d", "-witness")
	w.want(t, both, "a b c d", "-tags=some")
	w.want(t, both, "a b c d", "-badcall.generated")
	w.want(t, both, "a b c d", "-badcall.generated=false", "-badcall.tests")
	w.want(t, both, "", "-badcall.tests=false")
	w.want(t, "", "", "-harm=crash")
	w.want(t, both, "", "-harm=loss")
	w.write(t, "go.mod", "module m.example\n\ngo 1.25\n")
	w.want(t, both, "a b c d")
	t.Setenv("GOARCH", "arm64")
	t.Setenv("CGO_ENABLED", "0")
	w.want(t, both, "a b c d")
}

func TestNewFilesAndTestsAreSeen(t *testing.T) {
	long(t)
	w := newWorkshop(t)
	w.flags = []string{"-test"}
	w.want(t, both, "a b c d")
	w.write(t, "c/c_test.go", "package c_test\n\nimport \"m.example/a\"\n\nvar _ = a.Do\n\nfunc init() { a.Do() }\n")
	w.write(t, "d/d_test.go", "package d\n\nfunc init() { own() }\n")
	w.want(t, "b.go:5:13 c_test.go:7:15 d.go:6:13 d_test.go:3:15", "c_test d")
	w.want(t, "b.go:5:13 c_test.go:7:15 d.go:6:13 d_test.go:3:15", "")
}

func TestProblemsAreNotRemembered(t *testing.T) {
	w := newWorkshop(t)
	w.want(t, both, "a b c d")
	w.write(t, "a/a.go", "package a\n\nfunc Do() { return 1 }\n")
	want, analysed := w.run(t, "-cache=off")
	if analysed != "d" || !strings.Contains(want, "too many return values") {
		t.Fatalf("without a cache: %q in %q", want, analysed)
	}
	w.want(t, want, "")
	w.want(t, want, "")
	w.write(t, "a/a.go", "package a\n\n// Do is bad.\nfunc Do() {}\n\nfunc boom() {}\n") // an analyzer panics
	want, _ = w.run(t, "-cache=off")
	if !strings.Contains(want, "boom it is") {
		t.Fatalf("without a cache: %q", want)
	}
	// What b sees of a was asked first, in vain.
	w.want(t, want, "a a b c")
	w.want(t, want, "a a b c")
}

// TestWorksWithoutDirectory has a file where the directory should be.
func TestWorksWithoutDirectory(t *testing.T) {
	long(t)
	w := newWorkshop(t)
	if err := os.WriteFile(w.cache, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	w.want(t, both, "a b c d")
	w.want(t, both, "a b c d")
}

func TestRunsAtOnceShareTheCache(t *testing.T) {
	long(t)
	w := newWorkshop(t)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			cmd := newCommand([]*analysis.Analyzer{badcall})
			if err := cmd.parse([]string{"-cache=" + w.cache}); err != nil {
				t.Error(err)
				return
			}
			result, err := cmd.analyse(startProgress(io.Discard), nil, nil)
			if err != nil || len(result.Findings) != 2 {
				t.Errorf("%d findings: %v", len(result.Findings), err)
			}
		})
	}
	group.Wait()
}
