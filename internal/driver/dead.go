package driver

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// dead names the functions that nothing in the module runs, tests aside, in which something
// was found that is not printed for that reason; empty if there are none. It is said once, and
// not of each finding: the code may go, or a call of it is missing.
func (r *Result) dead() string {
	var names []string
	findings := 0
	for _, f := range r.Harmless {
		if f.Dead == "" {
			continue
		}
		findings++
		if name := f.deadName(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	return fmt.Sprintf("nothing in the module runs %s, tests aside: %s in dead code not shown", enumerate(names), count(findings, "finding"))
}

// deadName is the name of the function without the directories of its package, or the
// place in it if it has none.
func (f Finding) deadName() string {
	if strings.Contains(f.Dead, "@") {
		return fmt.Sprintf("the function around %s:%d", filepath.Base(f.Posn.Filename), f.Posn.Line)
	}
	return directories.ReplaceAllString(f.Dead, "")
}

// directories are those in the full name of a function.
var directories = regexp.MustCompile(`[^(*]*/`)
