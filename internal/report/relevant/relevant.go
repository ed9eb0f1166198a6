// Package relevant tells which packages of the user's the rules are about: those
// that import something of Kubernetes, directly or not.
//
// Other packages of the user's are looked into for what their functions do to
// callers (see [build]): nothing is reported in them.
package relevant

import (
	"go/types"
	"reflect"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/kubeapi"
)

// Analyzer decides it; its result is a *[Result].
var Analyzer = &analysis.Analyzer{
	Name:       "opvetrelevant",
	Doc:        "tell which packages use Kubernetes",
	Run:        run,
	ResultType: reflect.TypeFor[*Result](),
	FactTypes:  []analysis.Fact{new(Relevant)},
}

// Result is what is known of a package.
type Result struct {
	// Kubernetes tells that it is the user's, and uses Kubernetes.
	Kubernetes bool
	// ServesTests tells that it is there for tests; see [kubeapi.ServesTests].
	ServesTests bool
}

// Relevant is a fact about a package of the user's that uses Kubernetes, so that
// those which import it do as well: a driver that has no more of it than its
// export data does not see all that it imports.
type Relevant struct{}

// AFact marks Relevant as a fact.
func (*Relevant) AFact() {}

func run(pass *analysis.Pass) (any, error) {
	result := &Result{ServesTests: kubeapi.ServesTests(pass)}
	if kubeapi.InUserModule(pass) && uses(pass) {
		result.Kubernetes = true
		pass.ExportPackageFact(new(Relevant))
	}
	return result, nil
}

// uses reports whether a package imports something of Kubernetes, directly or
// not; what its test files import does not count.
func uses(pass *analysis.Pass) bool {
	return kubeapi.RelevantPass(pass) || slices.ContainsFunc(kubeapi.Imports(pass), func(imported *types.Package) bool {
		return pass.ImportPackageFact(imported, new(Relevant))
	})
}
