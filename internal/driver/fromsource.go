package driver

import (
	"go/ast"

	"golang.org/x/tools/go/packages"
)

// EmptyBodies leaves of functions what other packages see.
func EmptyBodies(file *ast.File) {
	for _, decl := range file.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Body != nil {
			fn.Body.List = []ast.Stmt{&ast.ForStmt{Body: &ast.BlockStmt{}}} // whatever the function is to return
		}
	}
}

// likeExportData makes of packages that were read from source without the
// bodies of others' functions what they are with export data: others have
// types and no syntax, and no errors for what only the bodies use.
func likeExportData(pkgs []*packages.Package) {
	packages.Visit(pkgs, nil, func(pkg *packages.Package) {
		if !isUserPackage(pkg) {
			var errs []packages.Error
			for _, err := range pkg.Errors {
				if err.Kind != packages.TypeError {
					errs = append(errs, err)
				}
			}
			pkg.Errors, pkg.Syntax, pkg.TypesInfo = errs, nil, nil
		}
		pkg.IllTyped = len(pkg.Errors) > 0
		for _, imported := range pkg.Imports {
			pkg.IllTyped = pkg.IllTyped || imported.IllTyped
		}
	})
}
