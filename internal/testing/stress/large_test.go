package stress

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/opvet/opvet/analyzers"
	"github.com/opvet/opvet/internal/driver"
)

var (
	full  = flag.Bool("full", false, "make the sources as large as they are meant to be, one after another")
	scale = flag.Float64("scale", 1, "how many times as large the full sources are")
	costs = flag.Int("costs", 0, "how many of the most expensive passes to log")
)

const testdata = "../../../testdata"

// module writes a module with the requirements of testdata, and these
// packages of one file each; a package clause is added if there is none.
func module(t *testing.T, packages map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(testdata, name))
		if err != nil {
			t.Fatal(err)
		}
		write(name, strings.Replace(string(text), "module github.com/opvet/opvet/testdata", "module example.com/odd", 1))
	}
	for name, text := range packages {
		if !strings.Contains(text, "\npackage ") {
			text = "package " + name + "\n" + text
		}
		write(name+"/a.go", text)
	}
	return dir
}

// analyse runs the suite over a module in which all must be well.
func analyse(t *testing.T, dir string) *driver.Result {
	t.Helper()
	opts := driver.LoadOptions{Dir: dir, Patterns: []string{"./..."}}
	if *full {
		// Loading compiles the packages, and the compiler takes a quarter of
		// an hour and more for the largest function.
		t.Setenv("CGO_ENABLED", "0")
		opts.FromSource = func(filename string) bool { return !strings.HasPrefix(filename, dir) }
	}
	start := time.Now()
	program, err := driver.Load(opts)
	if err != nil {
		t.Fatal(err)
	}
	loaded := time.Since(start)
	start = time.Now()
	result, err := program.Analyze(analyzers.All())
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range result.Problems {
		t.Error(problem)
	}
	t.Logf("loaded in %.2f s, analysed in %.2f s, %d findings", loaded.Seconds(), time.Since(start).Seconds(), len(result.Findings))
	for i, cost := range result.Costs() {
		if i < *costs {
			t.Logf("%8.2f s %s", cost.Time.Seconds(), cost.Analyzer)
		}
	}
	return result
}

// shapes are sources of any size, with one at which they are analysed in a
// moment and the one that they were made for.
var shapes = []struct {
	name        string
	small, full int
	source      func(n int) string
}{
	{"statements", 48, 20_000, statements},
	{"functions", 120, 20_000, functions},
	{"straight", 2_000, 20_000, straight},
	{"deferred", 100, 1_000, deferred},
	{"nested", 30, 300, nested},
	{"literals", 10, 100, literals},
	{"cases", 200, 5_000, cases},
	{"composite", 200, 5_000, composite},
	{"chain", 200, 2_000, chain},
	{"mutual", 100, 1_000, mutual},
	{"tangled", 5, 20, tangled},
	{"complete", 6, 22, complete},
	{"registered", 20, 300, registered},
	{"lines", 10_000, 100_000, lines},
}

// TestLarge runs the suite over sources of a size at which what is much worse
// than linear would show; with -full, over the largest.
func TestLarge(t *testing.T) {
	if !*full {
		packages := make(map[string]string)
		for _, shape := range shapes {
			n := shape.small
			if testing.Short() {
				n = max(2, n/4)
			}
			packages[shape.name] = shape.source(n)
		}
		analyse(t, module(t, packages))
		return
	}
	for _, shape := range shapes {
		t.Run(shape.name, func(t *testing.T) {
			n := int(float64(shape.full) * *scale)
			analyse(t, module(t, map[string]string{shape.name: shape.source(n)}))
		})
	}
}
