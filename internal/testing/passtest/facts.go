package passtest

import (
	"fmt"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
)

var wantedFact = regexp.MustCompile(`(\w+):(` + "`[^`]*`" + `)`)

// Facts runs a pass as [Run] does, and compares the facts about the objects of
// the packages with what stands behind "// want" in the line of each object, as
// analysistest has it: its name, a colon, and a regular expression in
// backquotes. analysistest itself type-checks all dependencies from source.
func Facts(t *testing.T, a *analysis.Analyzer, dir string, patterns ...string) {
	t.Helper()
	for _, act := range analyze(t, a, dir, patterns) {
		fset := act.Package.Fset
		key := func(pos token.Pos, name string) string {
			at := fset.Position(pos)
			return fmt.Sprintf("%s:%d: %s", at.Filename, at.Line, name)
		}
		wants := make(map[string][]*regexp.Regexp)
		for _, file := range act.Package.Syntax {
			for _, group := range file.Comments {
				for _, c := range group.List {
					if !strings.HasPrefix(c.Text, "// want ") {
						continue
					}
					for _, want := range wantedFact.FindAllStringSubmatch(c.Text, -1) {
						text, err := strconv.Unquote(want[2])
						if err != nil {
							t.Fatal(err)
						}
						at := key(c.Pos(), want[1])
						wants[at] = append(wants[at], regexp.MustCompile(text))
					}
				}
			}
		}
		for _, f := range act.AllObjectFacts() {
			if f.Object.Pkg() != act.Package.Types {
				continue
			}
			at, text := key(f.Object.Pos(), f.Object.Name()), fmt.Sprint(f.Fact)
			i := slices.IndexFunc(wants[at], func(re *regexp.Regexp) bool { return re.MatchString(text) })
			if i < 0 {
				t.Errorf("%s has a fact that is not wanted: %s", at, text)
				continue
			}
			wants[at] = slices.Delete(wants[at], i, i+1)
		}
		for _, at := range slices.Sorted(maps.Keys(wants)) {
			for _, re := range wants[at] {
				t.Errorf("%s lacks a fact like %s", at, re)
			}
		}
	}
}
