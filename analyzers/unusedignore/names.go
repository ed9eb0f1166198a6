package unusedignore

import (
	"strings"

	"github.com/opvet/opvet/internal/report/registry"
	"github.com/opvet/opvet/internal/report/rule"
)

// nearest returns the name of the analyzer, or of its category, that a name
// was surely meant to be, or "".
func nearest(name string) string {
	analyzer, category, hasCategory := strings.Cut(name, "/")
	for _, a := range registry.Rules {
		if !near(analyzer, a.Name) {
			continue
		}
		if !hasCategory {
			return a.Name
		}
		for _, c := range rule.Of(a).Categories {
			if near(category, c.Name) {
				return a.Name + "/" + c.Name
			}
		}
	}
	return ""
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
