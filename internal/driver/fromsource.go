package driver

import (
	"fmt"
	"go/ast"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
)

// foreignFiles returns a test of file names: whether a file belongs to Go, to the
// module cache or to a vendor directory.
func foreignFiles(dir string) (func(name string) bool, error) {
	cmd := exec.Command("go", "env", "GOROOT", "GOMODCACHE")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", cmd, err)
	}
	roots := strings.Split(strings.TrimSpace(string(out)), "\n")
	vendor := string(filepath.Separator) + "vendor" + string(filepath.Separator)
	return func(name string) bool {
		for _, root := range roots {
			if strings.HasPrefix(name, root+string(filepath.Separator)) {
				return true
			}
		}
		return strings.Contains(name, vendor)
	}, nil
}

// emptyBodies leaves of functions what other packages see.
func emptyBodies(file *ast.File) {
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
			pkg.Errors, pkg.IllTyped, pkg.Syntax, pkg.TypesInfo = errs, len(errs) > 0, nil, nil
			return
		}
		pkg.IllTyped = len(pkg.Errors) > 0
		for _, imported := range pkg.Imports {
			pkg.IllTyped = pkg.IllTyped || imported.IllTyped
		}
	})
}
