package summary

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
)

func TestDebug(t *testing.T) {
	dir, pat, fn := os.Getenv("DBG_DIR"), os.Getenv("DBG_PAT"), os.Getenv("DBG_FN")
	if dir == "" {
		t.SkipNow()
	}
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax | packages.NeedModule, Dir: dir}, strings.Fields(pat)...)
	if err != nil {
		t.Fatal(err)
	}
	roots := map[*packages.Package]bool{}
	for _, p := range pkgs {
		roots[p] = true
	}
	for _, p := range pkgs {
		for k, i := range p.Imports {
			if !roots[i] {
				delete(p.Imports, k)
			}
		}
	}
	g, err := checker.Analyze([]*analysis.Analyzer{Analyzer}, pkgs, nil)
	if err != nil {
		t.Fatal(err)
	}
	for act := range g.All() {
		s, ok := act.Result.(*Summaries)
		if !ok || s.Calls.Pkg == nil {
			continue
		}
		for _, f := range s.Units() {
			if !strings.Contains(f.String(), fn) {
				continue
			}
			fmt.Printf("== %s %+v\n", f, s.local[f])
			{
				for _, e := range s.Unit(f).Sites {
					n := e.Node
					fmt.Printf("   %v: %v  kind=%d root=%v%v sub=%v type=%v write=%+v copy=%v empty=%v via=%v\n", act.Package.Fset.Position(n.Instr.Pos()).Line, n.Instr, e.Kind, e.Place.Object.Root.Name(), e.Place.Object.Path, e.Place.Sub, e.Type != nil, e.Write, e.ViaCopy, e.Empty, e.Via)
				}
			}
		}
	}
}
