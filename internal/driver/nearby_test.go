package driver

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/driver/cache"
)

// goCommands puts a go command before the real one that notes how it is called, and
// returns a function that tells whether it was asked for export data since.
func goCommands(t *testing.T) (askedForExport func() bool) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("a shell script stands for the go command")
	}
	real, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	script := fmt.Sprintf("#!/bin/sh\necho \"$@\" >>%q\nexec %q \"$@\"\n", log, real)
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	return func() bool {
		said, err := os.ReadFile(log)
		if err != nil {
			t.Fatal("the go command was not called")
		}
		if err := os.Remove(log); err != nil {
			t.Fatal(err)
		}
		return strings.Contains(string(said), "-export=true")
	}
}

func TestChangedPackagesNeedNoExportData(t *testing.T) {
	long(t)
	w := newWorkshop(t)
	asked := goCommands(t)
	run := func(findings, analysed string, wantAsked bool) {
		t.Helper()
		w.want(t, findings, analysed)
		if got := asked(); got != wantAsked {
			t.Errorf("asked for export data: %t", got)
		}
	}
	run(both, "a b c d", true)
	run(both, "", false)
	w.write(t, "a/a.go", "package a\n\nimport _ \"fmt\"\n\nfunc Do() {}\n\nfunc good() {}\n")
	run("d.go:6:13", "a b c", false)
	// What only bodies use is imported by a package of which no body is needed.
	w.write(t, "b/b.go", "package b\n\nimport (\n\t\"fmt\"\n\t\"unsafe\"\n\n\t\"m.example/a\"\n)\n\nfunc Do() { fmt.Println(unsafe.Sizeof(0)); a.Do() }\n")
	run("d.go:6:13", "b c", false)
	w.write(t, "c/c.go", "package c\n\nimport \"m.example/b\"\n\nfunc Do() { b.Do(); b.Do() }\n")
	run("d.go:6:13", "c", false)
	// Nothing is known of a new import.
	w.write(t, "c/c.go", "package c\n\nimport (\n\t\"strings\"\n\n\t\"m.example/b\"\n)\n\nfunc Do() { b.Do(); strings.ToLower(\"\") }\n")
	run("d.go:6:13", "c", true)
	w.write(t, "c/c.go", "package c\n\nimport (\n\t\"strings\"\n\n\t\"m.example/b\"\n)\n\nfunc Do() { b.Do(); strings.ToUpper(\"\") }\n")
	run("d.go:6:13", "c", false)
	// Older language.
	w.write(t, "go.mod", "module m.example\n\ngo 1.20\n")
	w.write(t, "c/c.go", "package c\n\nfunc Do() { for range 3 {} }\n")
	want, _ := w.run(t, "-cache=off")
	if !strings.Contains(want, "requires go1.22") {
		t.Fatalf("without a cache: %q", want)
	}
	asked()
	run(want, "a b d", true)
	run(want, "", true)
}

// TestWhatAllImportHasChanged checks that a change in a package that all others import is no
// reason to analyse them, or to ask for export data, as long as what they see is as it was.
func TestWhatAllImportHasChanged(t *testing.T) {
	long(t)
	w := newWorkshop(t)
	w.write(t, "d/d.go", "package d\n\nimport \"m.example/a\"\n\nfunc Do() { a.Do() }\n")
	asked := goCommands(t)
	w.want(t, "b.go:5:13 d.go:5:13", "a b c d")
	asked()
	for _, change := range []struct{ code, findings, analysed string }{
		{"// Do is bad.\nfunc Do() {}\n\nfunc good() { good() }\n", "b.go:5:13 d.go:5:13", "a"},
		{"// Do is bad.\nfunc Do() {}\n\nfunc Good() {}\n", "b.go:5:13 d.go:5:13", "a b c d"},
		{"func Do() {}\n", "", "a b c d"},
	} {
		w.write(t, "a/a.go", "package a\n\nimport _ \"fmt\"\n\n"+change.code)
		if w.want(t, change.findings, change.analysed); asked() {
			t.Errorf("asked for export data after %q", change.code)
		}
	}
}

func TestVariantsForTestsNeedNoExportData(t *testing.T) {
	long(t)
	w := newWorkshop(t)
	w.flags = []string{"-test"}
	asked := goCommands(t)
	w.write(t, "c/c_test.go", "package c_test\n\nimport (\n\t\"testing\"\n\n\t\"m.example/a\"\n\t\"m.example/c\"\n)\n\nfunc TestDo(*testing.T) { a.Do(); c.Do() }\n")
	w.write(t, "c/own_test.go", "package c\n\nimport \"m.example/a\"\n\nfunc init() { a.Do() }\n")
	w.run(t)
	w.write(t, "c/own_test.go", "package c\n\nimport \"m.example/a\"\n\nfunc init() { a.Do(); a.Do() }\n")
	want, _ := w.run(t, "-cache=off")
	asked()
	w.want(t, want, "c") // what is in a package's own tests, the others do not see
	if asked() {
		t.Error("asked for export data")
	}
}

// TestOthersThatImportOurs checks that what changes is analysed though it imports a package
// of others that imports the user's, of which functions have no bodies then.
func TestOthersThatImportOurs(t *testing.T) {
	long(t)
	w := newWorkshop(t)
	for name, text := range vendored {
		w.write(t, name, text)
	}
	w.write(t, "a/a.go", "package a\n\nimport \"fmt\"\n\ntype T struct{}\n\n// Do is bad.\nfunc Do() { fmt.Println() }\n")
	w.write(t, "b/b.go", "package b\n\nimport (\n\t\"m.example/a\"\n\t\"others.example/through\"\n)\n\nvar t a.T = through.New(1)\n\nfunc Do() { a.Do() }\n")
	w.want(t, "b.go:10:13 d.go:6:13", "a b c d")
	w.write(t, "b/b.go", "package b\n\nimport (\n\t\"m.example/a\"\n\t\"others.example/through\"\n)\n\nvar t a.T = through.New(2)\n\n\nfunc Do() { a.Do() }\n")
	w.want(t, "b.go:11:13 d.go:6:13", "b")
	w.write(t, "a/a.go", "package a\n\nimport \"fmt\"\n\ntype T struct{}\n\nfunc Do() { fmt.Println() }\n")
	w.want(t, "d.go:6:13", "a b")
}

func TestExportDataThatIsGone(t *testing.T) {
	long(t)
	w := newWorkshop(t)
	w.want(t, both, "a b c d")
	cmd := newCommand([]*analysis.Analyzer{badcall})
	m := remember(LoadOptions{}, cache.Open(w.cache), cmd.enabledAnalyzers(), nil)
	if m == nil {
		t.Fatal("nothing is remembered")
	}
	missing := make(exports)
	for _, key := range m.keys {
		missing[exportName(key)] = filepath.Join(w.dir, "gone")
	}
	data, err := json.Marshal(missing)
	if err != nil {
		t.Fatal(err)
	}
	m.store.Put(m.list.ExportsKey(), data)
	needed := map[string]bool{"m.example/a": true}
	if _, err := m.loadNearby(LoadOptions{}, needed); err == nil {
		t.Error("loaded without export data")
	}
	pkgs, err := load(LoadOptions{Patterns: []string{"./..."}, memory: m}, fullMode)
	if err != nil {
		t.Fatal(err)
	}
	near, err := m.loadNearby(LoadOptions{}, needed)
	if err != nil {
		t.Fatal(err)
	}
	for _, pkg := range pkgs {
		if pkg.ID == "m.example/a" && (near[0].Types.String() != pkg.Types.String() || near[0].Dir != pkg.Dir || len(near[0].Syntax) != len(pkg.Syntax)) {
			t.Errorf("%v instead of %v", near[0], pkg)
		}
	}
}
