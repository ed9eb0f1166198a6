package unusedignore

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/report/registry"
	"github.com/opvet/opvet/internal/report/rule"
)

// nearest returns the name of the analyzer, of its group or of its category that
// a name was surely meant to be, or "".
func nearest(name string) string {
	analyzer, category, hasCategory := strings.Cut(name, "/")
	for _, a := range registry.Rules {
		switch spec := rule.Of(a); {
		case near(analyzer, a.Name) && !hasCategory:
			return a.Name
		case near(analyzer, a.Name):
			if right := nearestCategory(spec, category); right != "" {
				return a.Name + "/" + right
			}
		case near(name, spec.Group):
			return spec.Group
		}
	}
	return ""
}

// nearestCategory returns the category that a name differs from by a slip, or
// that it is the beginning of.
func nearestCategory(spec rule.Spec, name string) string {
	var begun []string
	for _, c := range spec.Categories {
		if near(name, c.Name) {
			return c.Name
		}
		if name != "" && strings.HasPrefix(c.Name, name) {
			begun = append(begun, c.Name)
		}
	}
	if len(begun) == 1 {
		return begun[0]
	}
	return ""
}

// hasAnalyzer reports whether a name begins with that of an analyzer, so that
// it is no other linter's.
func hasAnalyzer(name string) bool {
	analyzer, _, _ := strings.Cut(name, "/")
	return slices.ContainsFunc(registry.Rules, func(a *analysis.Analyzer) bool { return a.Name == analyzer })
}

// near reports whether two names differ by one slip of the pen: a letter more,
// less or other, or two exchanged.
func near(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	same := 0
	for same < len(a) && a[same] == b[same] {
		same++
	}
	a, b = a[same:], b[same:]
	switch len(b) - len(a) {
	case 0:
		return len(a) == 0 || a[1:] == b[1:] ||
			len(a) > 1 && a[0] == b[1] && a[1] == b[0] && a[2:] == b[2:]
	case 1:
		return a == b[1:]
	}
	return false
}
