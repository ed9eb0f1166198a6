package kubeapi

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// inExternalRepository reports whether the package under analysis was fetched
// by Bazel, which puts other repositories below "external" in the directory
// that its actions run in, and what is generated for them below
// bazel-out/CONFIGURATION/bin/external. No package of the main repository may
// lie there. Nogo names files from that directory, and did so with absolute
// names once.
func inExternalRepository(pass *analysis.Pass) bool {
	if len(pass.Files) == 0 {
		return false
	}
	name := pass.Fset.File(pass.Files[0].FileStart).Name()
	if filepath.IsAbs(name) {
		wd, err := os.Getwd()
		if err != nil {
			return false
		}
		rel, err := filepath.Rel(wd, name)
		if err != nil || strings.HasPrefix(rel, "..") {
			return false
		}
		name = rel
	}
	elements := strings.Split(filepath.ToSlash(name), "/")
	if elements[0] == "bazel-out" && len(elements) > 3 {
		elements = elements[3:]
	}
	// With sibling repositories, they lie beside the main one.
	return elements[0] == "external" || elements[0] == ".."
}
