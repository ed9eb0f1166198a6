package kubeapi

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
)

// InUserModule reports whether the package under analysis belongs to the
// user's own module or workspace. Only such packages are summarised: the
// tables of this package are the model of all others, so that a finding does
// not depend on which driver ran. For a driver that knows no modules, which is
// nogo, they are those that Bazel has not fetched.
func InUserModule(pass *analysis.Pass) bool {
	m := pass.Module
	if m == nil {
		return !inExternalRepository(pass)
	}
	return m.Main || m.Version == ""
}

// machinery is what packages of an operator import, directly or not: all that
// deal with objects import the first, and some that only log or serve one of
// the others.
var machinery = []string{"k8s.io/apimachinery", "k8s.io/client-go", "sigs.k8s.io/controller-runtime", "knative.dev/pkg"}

// RelevantPass is [Relevant] for the package under analysis, whatever its test
// files import.
func RelevantPass(pass *analysis.Pass) bool {
	return isMachinery(pass.Pkg) || slices.ContainsFunc(Imports(pass), reachesMachinery())
}

func isMachinery(pkg *types.Package) bool {
	return isBelow(pkg.Path(), machinery)
}

// Relevant reports whether pkg imports, directly or not, a package of a
// Kubernetes client or framework. All passes do nothing for a package that
// does not.
func Relevant(pkg *types.Package) bool { return reachesMachinery()(pkg) }

// reachesMachinery returns a function that tells of packages whether they are one of
// those of Kubernetes or import one; it goes through each package once.
func reachesMachinery() func(*types.Package) bool {
	seen := make(map[*types.Package]bool)
	var visit func(p *types.Package) bool
	visit = func(p *types.Package) bool {
		if seen[p] {
			return false
		}
		seen[p] = true
		return isMachinery(p) || slices.ContainsFunc(p.Imports(), visit)
	}
	return visit
}

// SameModule reports whether pkg belongs to the module of the package under
// analysis, as far as the driver knows modules. Rules ask the SSA form instead,
// which knows without.
func SameModule(pass *analysis.Pass, pkg *types.Package) bool {
	if pkg == pass.Pkg {
		return true
	}
	return pass.Module != nil && pass.Module.Path != "" && isOrBelow(pkg.Path(), pass.Module.Path)
}
