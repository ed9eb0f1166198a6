package driver

import "strings"

// runsIn says which programs of the module run what was found, if some do not: who has
// several wants to know which of them is in danger. A place in the program says it itself.
func (f Finding) runsIn() string {
	switch n := len(f.Programs); {
	case n == 0 || f.InAll, n == 1 && f.Pkg != nil && strings.HasSuffix(f.Pkg.Path(), "/"+f.Programs[0]):
		return ""
	case n == 1:
		return "runs in " + f.Programs[0]
	default:
		return "runs in " + strings.Join(f.Programs[:n-1], ", ") + " and " + f.Programs[n-1]
	}
}
