package processes

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/txtar"

	"github.com/opvet/opvet/internal/ir/syntax"
)

// TestModules compares what is said of functions with what their comments say.
func TestModules(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("%d archives: %v", len(archives), err)
	}
	for _, name := range archives {
		t.Run(filepath.Base(name), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			m := load(t, archive)
			p := Link(m.summaries(t), Options{})
			m.eachFunc(func(pkg *packages.Package, file *ast.File, fn *ast.FuncDecl) {
				name := syntax.FuncAt(pkg.Types, pkg.TypesInfo, pkg.Fset, file, fn.Name.Pos())
				if want, ok := comment(fn, "run"); ok && want != describe(p, name) {
					t.Errorf("%s: %s, want %s", name, describe(p, name), want)
				}
				if want, ok := comment(fn, "context"); ok && (want == "never ends") != p.NeverEnds(name) {
					t.Errorf("%s: want a context that %s", name, want)
				}
				if want, ok := comment(fn, "runs"); ok && (want == "once") != p.RunsOnce(name) {
					t.Errorf("%s: want it to run %s", name, want)
				}
			})
		})
	}
}

// TestImported checks that what other modules can import is not taken for dead, nor
// for a command's.
func TestImported(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/shared.txtar")
	if err != nil {
		t.Fatal(err)
	}
	summaries := load(t, archive).summaries(t)
	p := Link(summaries, Options{Imported: true})
	for fn, want := range map[string]string{
		"m.example/pkg.Dead": "unknown", "m.example/pkg.deader": "unknown", "m.example/pkg.Once": "unknown", "m.example/pkg.Both": "lasting",
		"(m.example/pkg.told).unseen": "nobody",
	} {
		if got := describe(p, fn); got != want {
			t.Errorf("%s: %s, want %s", fn, got, want)
		}
	}
	// A server among the examples of a library makes no program of it.
	p = Link(summaries, Options{Aside: func(pkg string) bool { return pkg == "m.example/cmd/server" }})
	if got := describe(p, "m.example/pkg.Dead"); got != "unknown" {
		t.Errorf("in a library with an example: %s", got)
	}
}

// TestGrowth links modules of which one is eight times as large as the other: so is the
// graph, though each package calls an interface that all implement.
func TestGrowth(t *testing.T) {
	graph := func(packages int) int {
		p := Link(generated(packages), Options{})
		if got := describe(p, "m.example/p0.F0"); got != "lasting" {
			t.Fatalf("F0 is run by %s", got)
		}
		size := len(p.funcs)
		for _, n := range p.funcs {
			size += len(n.next)
		}
		return size
	}
	small, large := graph(50), graph(400)
	if large > 8*small+8*small/10 {
		t.Errorf("400 packages make a graph of %d nodes and edges, 50 one of %d", large, small)
	}
}

// BenchmarkLink is what modules of more and more packages cost to be put together.
func BenchmarkLink(b *testing.B) {
	for _, packages := range []int{50, 100, 200, 400} {
		summaries := generated(packages)
		b.Run(fmt.Sprint(packages), func(b *testing.B) {
			for b.Loop() {
				Link(summaries, Options{}).findLives()
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*packages), "µs/package")
		})
	}
}

// generated makes a module in which each package has types that implement an interface of
// the first, and calls it.
func generated(size int) []*Summary {
	var all []*Summary
	main := &Summary{Path: "m.example", Program: true}
	for i := range size {
		s := &Summary{Path: fmt.Sprintf("m.example/p%d", i)}
		name := func(text string) int {
			s.Names = append(s.Names, text)
			return len(s.Names) - 1
		}
		key := name("Do/0/0")
		s.Ifaces = [][]int{{key}}
		for j := range 20 {
			method, typ := name(fmt.Sprintf("(%s.T%d).Do", s.Path, j)), name(fmt.Sprintf("%s.T%d", s.Path, j))
			s.Types = append(s.Types, Type{Name: typ, Methods: []Method{{Key: key, Func: method}}})
			s.Funcs = append(s.Funcs, Func{Name: method})
			next := name(fmt.Sprintf("m.example/p%d.F%d", (i+1)%size, j))
			s.Funcs = append(s.Funcs, Func{
				Name: name(fmt.Sprintf("%s.F%d", s.Path, j)), Exported: true, Runs: []int{next},
				Invokes: []Invoke{{Method: key}}, Converts: []Convert{{Type: typ}, {Type: typ, To: Anyone}}, Serves: i == 0,
			})
		}
		all = append(all, s)
		main.Imports = append(main.Imports, s.Path)
	}
	main.Names = []string{"m.example.main"}
	runs := Func{Serves: true}
	for j := range 20 {
		main.Names = append(main.Names, fmt.Sprintf("m.example/p0.F%d", j))
		runs.Runs = append(runs.Runs, j+1)
	}
	main.Funcs = []Func{runs}
	return append(all, main)
}

type module []*packages.Package

// load unpacks a module and loads it.
func load(t *testing.T, archive *txtar.Archive) module {
	t.Helper()
	dir := t.TempDir()
	for _, file := range archive.Files {
		name := filepath.Join(dir, filepath.FromSlash(file.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, file.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	pkgs, err := packages.Load(&packages.Config{
		Mode: packages.LoadSyntax | packages.NeedModule, Dir: dir, Env: append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "GOOS=linux"),
	}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	if packages.PrintErrors(pkgs) > 0 {
		t.Fatal("the module does not compile")
	}
	return pkgs
}

// summaries runs the pass, and writes and reads what it makes as the cache does.
func (m module) summaries(t *testing.T) []*Summary {
	t.Helper()
	var all []*Summary
	for _, pkg := range m {
		result, err := Analyzer.Run(&analysis.Pass{
			Fset: pkg.Fset, Files: pkg.Syntax, IgnoredFiles: pkg.IgnoredFiles, Pkg: pkg.Types, TypesInfo: pkg.TypesInfo,
			Module: &analysis.Module{Path: pkg.Module.Path, Main: pkg.Module.Main},
		})
		if err != nil {
			t.Fatal(err)
		}
		var buf bytes.Buffer
		read := new(Summary)
		if err := gob.NewEncoder(&buf).Encode(result); err != nil {
			t.Fatal(err)
		}
		if err := gob.NewDecoder(&buf).Decode(read); err != nil {
			t.Fatal(err)
		}
		all = append(all, read)
	}
	return all
}

func (m module) eachFunc(visit func(*packages.Package, *ast.File, *ast.FuncDecl)) {
	for _, pkg := range m {
		for _, file := range pkg.Syntax {
			for _, decl := range file.Decls {
				if fn, ok := decl.(*ast.FuncDecl); ok {
					visit(pkg, file, fn)
				}
			}
		}
	}
}

// comment returns what a function's comment says after a key.
func comment(fn *ast.FuncDecl, key string) (string, bool) {
	if fn.Doc == nil {
		return "", false
	}
	for _, line := range fn.Doc.List {
		if want, ok := strings.CutPrefix(line.Text, "// "+key+": "); ok {
			return want, true
		}
	}
	return "", false
}

func describe(p *Program, fn string) string {
	switch p.Of(fn) {
	case Server:
		return "server"
	case Lasting:
		return "lasting"
	case Command:
		return "command " + strings.Join(p.Commands(fn), ",")
	case Nobody:
		return "nobody"
	}
	return "unknown"
}
