// Package ssabuild builds the SSA form of one package, for all the passes
// that follow values and control flow.
//
// It exists because x/tools' own buildssa requires ctrlflow, which has facts
// about every dependency of the program: every driver would then build SSA for
// all of them. This pass builds the packages of the user's modules only, sees
// its imports as declarations, and does nothing for a package that cannot
// matter (see [kubeapi.Relevant]). Functions in test
// files have no bodies unless these are asked for, nor have generated methods
// that serialize (see [kubeapi.Serializes]).
package ssabuild

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/rule"
)

// Analyzer builds the SSA form; its result is an *[SSA].
var Analyzer = &analysis.Analyzer{
	Name:       "opvetssa",
	Doc:        "build SSA form of packages that use a Kubernetes client",
	Run:        run,
	ResultType: reflect.TypeFor[*SSA](),
	FactTypes:  []analysis.Fact{new(Relevant)},
}

// Relevant is a fact about a package of the user's that may matter, so that
// those which import it may as well: a driver that has no more of it than its
// export data does not see all that it imports.
type Relevant struct{}

// AFact marks Relevant as a fact.
func (*Relevant) AFact() {}

func (*Relevant) String() string { return "relevant" }

// SSA is the SSA form of a package.
type SSA struct {
	// Pkg is nil if the package lies outside the user's modules, imports
	// nothing of Kubernetes, or is generated as a whole; Funcs is empty then.
	Pkg *ssa.Package
	// Funcs has the functions of the package's source that were built, in
	// source order, each followed by its function literals.
	Funcs []*ssa.Function

	unwanted []*ast.File
}

// Wanted reports whether pos lies in a file that the passes look into; see
// [rule.Wanted].
func (s *SSA) Wanted(pos token.Pos) bool {
	for _, file := range s.unwanted {
		if file.FileStart <= pos && pos <= file.FileEnd {
			return false
		}
	}
	return true
}

func run(pass *analysis.Pass) (any, error) {
	if !kubeapi.InUserModule(pass) || !isRelevant(pass) {
		return &SSA{}, nil
	}
	pass.ExportPackageFact(new(Relevant))
	if !rule.WantedPackage(pass.Files) {
		return &SSA{}, nil
	}
	prog := ssa.NewProgram(pass.Fset, ssa.BuilderMode(0))
	prog.SetNoReturn(kubeapi.NoReturn)
	for _, imported := range pass.Pkg.Imports() {
		prog.CreatePackage(imported, nil, nil, true)
	}
	result := new(SSA)
	files := make([]*ast.File, len(pass.Files))
	for i, file := range pass.Files {
		files[i] = file
		switch {
		case !rule.Wanted(pass.Fset, file):
			result.unwanted = append(result.unwanted, file)
			files[i] = withoutBodies(file, func(*ast.FuncDecl) bool { return true })
		case ast.IsGenerated(file):
			files[i] = withoutBodies(file, func(decl *ast.FuncDecl) bool {
				fn, ok := pass.TypesInfo.Defs[decl.Name].(*types.Func)
				return ok && kubeapi.Serializes(fn)
			})
		}
	}
	result.Pkg = prog.CreatePackage(pass.Pkg, files, result.wantedInfo(pass.TypesInfo), false)
	result.Pkg.Build()

	for i, file := range files {
		if !result.Wanted(file.Package) {
			continue
		}
		for j, decl := range file.Decls {
			decl, ok := decl.(*ast.FuncDecl)
			if !ok || decl != pass.Files[i].Decls[j] {
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
	if init := result.Pkg.Func("init"); init != nil {
		for _, literal := range init.AnonFuncs {
			result.add(literal)
		}
	}
	return result, nil
}

// isRelevant reports whether a package imports something of Kubernetes, directly
// or not; what its test files import does not count.
func isRelevant(pass *analysis.Pass) bool {
	return kubeapi.RelevantPass(pass) || slices.ContainsFunc(kubeapi.Imports(pass), func(imported *types.Package) bool {
		return pass.ImportPackageFact(imported, new(Relevant))
	})
}

// withoutBodies returns the file with some functions declared only, as if they
// were written in another language: other code may refer to them.
func withoutBodies(file *ast.File, drop func(*ast.FuncDecl) bool) *ast.File {
	bare := *file
	bare.Decls = slices.Clone(file.Decls)
	for i, decl := range bare.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && drop(fn) {
			external := *fn
			external.Body = nil
			bare.Decls[i] = &external
		}
	}
	return &bare
}

// wantedInfo returns info without the initializers of variables in unwanted
// files.
func (s *SSA) wantedInfo(info *types.Info) *types.Info {
	if len(s.unwanted) == 0 {
		return info
	}
	wanted := *info
	wanted.InitOrder = nil
	for _, init := range info.InitOrder {
		if s.Wanted(init.Rhs.Pos()) {
			wanted.InitOrder = append(wanted.InitOrder, init)
		}
	}
	return &wanted
}

func (s *SSA) add(fn *ssa.Function) {
	s.Funcs = append(s.Funcs, fn)
	for _, literal := range fn.AnonFuncs {
		s.add(literal)
	}
}
