// Package ssabuild builds the SSA form of one package, for all the passes
// that follow values and control flow.
//
// It exists because x/tools' own buildssa requires ctrlflow, which has facts:
// every driver would then build SSA for every dependency of the program. This
// pass has no facts, sees its imports only as declarations, and does nothing
// for a package that cannot matter (see [kubeapi.Relevant]).
package ssabuild

import (
	"go/ast"
	"go/types"
	"reflect"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/kubeapi"
)

// Analyzer builds the SSA form; its result is an *[SSA].
var Analyzer = &analysis.Analyzer{
	Name:       "opvetssa",
	Doc:        "build SSA form of packages that use a Kubernetes client",
	Run:        run,
	ResultType: reflect.TypeFor[*SSA](),
}

// SSA is the SSA form of a package.
type SSA struct {
	// Pkg is nil if the package lies outside the user's modules or imports
	// nothing of Kubernetes; Funcs is empty then.
	Pkg *ssa.Package
	// Funcs has the functions of the package's source in source order, each
	// followed by its function literals.
	Funcs []*ssa.Function
}

func run(pass *analysis.Pass) (any, error) {
	if !kubeapi.InUserModule(pass) || !kubeapi.Relevant(pass.Pkg) {
		return &SSA{}, nil
	}
	prog := ssa.NewProgram(pass.Fset, ssa.BuilderMode(0))
	prog.SetNoReturn(kubeapi.NoReturn)
	for _, imported := range pass.Pkg.Imports() {
		prog.CreatePackage(imported, nil, nil, true)
	}
	pkg := prog.CreatePackage(pass.Pkg, pass.Files, pass.TypesInfo, false)
	pkg.Build()

	result := &SSA{Pkg: pkg}
	for _, file := range pass.Files {
		for _, decl := range file.Decls {
			decl, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			obj, ok := pass.TypesInfo.Defs[decl.Name].(*types.Func)
			if !ok {
				continue
			}
			if fn := prog.FuncValue(obj); fn != nil {
				result.add(fn)
			}
		}
	}
	// Literals in package-level variable declarations belong to the
	// synthesized init function.
	if init := pkg.Func("init"); init != nil {
		for _, literal := range init.AnonFuncs {
			result.add(literal)
		}
	}
	return result, nil
}

func (s *SSA) add(fn *ssa.Function) {
	s.Funcs = append(s.Funcs, fn)
	for _, literal := range fn.AnonFuncs {
		s.add(literal)
	}
}
