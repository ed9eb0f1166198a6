package rule

import (
	"slices"

	"github.com/opvet/opvet/internal/kubeapi"
)

// asides are directories of what no cluster depends on: copies of other projects' code,
// examples, and the developers' own tools; what is there for tests is in others. What is
// wrong there is true, and nobody is on call for it.
var asides = []string{"third_party", "examples", "example", "samples", "hack", "scripts", "tools"}

// IsAside reports whether the package at a path lies in such a directory. The names of
// the repository and its owner are no directories.
func IsAside(path string) bool { return liesIn(path, IsAsideFolder) }

// IsForTests reports whether the package at a path lies in such a directory that is there for
// tests.
func IsForTests(path string) bool { return liesIn(path, kubeapi.IsForTests) }

func liesIn(path string, is func(directory string) bool) bool {
	_, dirs := kubeapi.Repository(path)
	return slices.ContainsFunc(dirs, is)
}

// IsAsideFolder reports whether a folder has the name of such a directory.
func IsAsideFolder(name string) bool {
	return slices.Contains(asides, name) || kubeapi.IsForTests(name)
}
