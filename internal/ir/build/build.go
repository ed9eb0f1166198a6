// Package build builds the SSA form of one package, for all the passes
// that follow values and control flow.
//
// It exists because x/tools' own buildssa requires ctrlflow, which has facts
// about every dependency of the program: every driver would then build SSA for
// all of them. This pass builds the packages of the user's modules only, sees
// its imports as declarations, and does nothing for a package that cannot
// matter: one that imports nothing of Kubernetes (see [kubeapi.Relevant]), and
// does nothing of which its callers must know. Functions in test
// files have no bodies unless these are asked for, nor have generated functions
// that serialize (see [kubeapi.Serializes]), copy (see [kubeapi.IsDeepCopy]) or
// describe types (see [kubeapi.DescribesTypes]), of which the tables say all that
// matters, nor functions too long for a person to have written.
package build

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/relevant"
	"github.com/opvet/opvet/internal/report/rule"
)

// Analyzer builds the SSA form; its result is an *[SSA].
var Analyzer = &analysis.Analyzer{
	Name:       "opvetbuild",
	Doc:        "build SSA form of packages that use a Kubernetes client",
	Run:        run,
	ResultType: reflect.TypeFor[*SSA](),
	Requires:   []*analysis.Analyzer{relevant.Analyzer},
	FactTypes:  []analysis.Fact{new(Own), new(Ends)},
}

// Own is a fact about a package of the user's, made where the driver knows no
// modules: its path and those of the user's packages that it imports, directly
// or not.
type Own struct{ Packages []string }

// AFact marks Own as a fact.
func (*Own) AFact() {}

// SSA is the SSA form of a package.
type SSA struct {
	// Pkg is nil if the package lies outside the user's modules, cannot matter,
	// or is generated as a whole; Funcs is empty then.
	Pkg *ssa.Package
	// Funcs has the functions of the package's source that were built, in
	// source order, each followed by its function literals.
	Funcs []*ssa.Function

	all      []*ssa.Function // what initialises the package, and Funcs
	unwanted []*ast.File
	pass     *analysis.Pass
	own      []string // sorted; nil if the driver knows modules
}

// All returns the functions of the package with what initialises its variables,
// which comes first; nothing if there is no SSA form.
func (s *SSA) All() []*ssa.Function { return s.all }

// Each visits the instructions of the functions that All returns.
func (s *SSA) Each(visit func(ssa.Instruction)) {
	for _, fn := range s.All() {
		for instr := range blocks.Instrs(fn) {
			visit(instr)
		}
	}
}

// SameModule reports whether pkg belongs to the module of this package; if the
// driver knows no modules, whether it belongs to the user's own packages that
// this one imports.
func (s *SSA) SameModule(pkg *types.Package) bool {
	if s.own == nil {
		return kubeapi.SameModule(s.pass, pkg)
	}
	_, found := slices.BinarySearch(s.own, pkg.Path())
	return found
}

// Wanted reports whether pos lies in a file that the passes look into; see
// [rule.Wanted].
func (s *SSA) Wanted(pos token.Pos) bool {
	return !slices.ContainsFunc(s.unwanted, func(file *ast.File) bool { return file.FileStart <= pos && pos <= file.FileEnd })
}

func run(pass *analysis.Pass) (any, error) {
	result := &SSA{pass: pass}
	if !kubeapi.InUserModule(pass) {
		return result, nil
	}
	if pass.Module == nil {
		result.own = ownPackages(pass)
		pass.ExportPackageFact(&Own{Packages: result.own})
	}
	ends := ending(pass)
	if !pass.ResultOf[relevant.Analyzer].(*relevant.Result).Kubernetes && !concernsCallers(pass) {
		return result, nil
	}
	if !rule.WantedPackage(pass.Fset, pass.Files) {
		return result, nil
	}
	prog := ssa.NewProgram(pass.Fset, ssa.BuilderMode(0))
	prog.SetNoReturn(ends)
	declareImports(prog, pass)
	files := make([]*ast.File, len(pass.Files))
	for i, file := range pass.Files {
		files[i] = file
		switch {
		case !rule.Wanted(pass.Fset, file):
			result.unwanted = append(result.unwanted, file)
			files[i] = withoutBodies(file, func(*ast.FuncDecl) bool { return true })
		case rule.IsGenerated(pass.Fset, file):
			files[i] = withoutBodies(file, func(decl *ast.FuncDecl) bool {
				fn, ok := pass.TypesInfo.Defs[decl.Name].(*types.Func)
				return ok && (kubeapi.Serializes(fn) || kubeapi.IsDeepCopy(fn) || kubeapi.DescribesTypes(fn)) || isHuge(decl)
			})
		default:
			files[i] = withoutBodies(file, isHuge)
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
		result.all = append(result.all, init)
	}
	result.all = slices.Clip(append(result.all, result.Funcs...))
	return result, nil
}

// ownPackages returns the paths of the package and of the user's packages that
// it imports, sorted.
func ownPackages(pass *analysis.Pass) []string {
	own := []string{pass.Pkg.Path()}
	for _, imported := range pass.Pkg.Imports() {
		var fact Own
		if pass.ImportPackageFact(imported, &fact) {
			own = append(own, fact.Packages...)
		}
	}
	slices.Sort(own)
	return slices.Compact(own)
}

// maxBody is the length of source, in bytes, beyond which a function has no body:
// some of what passes do takes more than linear time in a function. Among the
// functions of real operators only tables of tests come near it.
const maxBody = 256 << 10

func isHuge(decl *ast.FuncDecl) bool {
	return decl.Body != nil && decl.Body.End()-decl.Body.Pos() > maxBody
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
	wanted.InitOrder = slices.DeleteFunc(slices.Clone(info.InitOrder), func(init *types.Initializer) bool { return !s.Wanted(init.Rhs.Pos()) })
	return &wanted
}

func (s *SSA) add(fn *ssa.Function) {
	s.Funcs = append(s.Funcs, fn)
	for _, literal := range fn.AnonFuncs {
		s.add(literal)
	}
}
