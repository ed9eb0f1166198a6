package driver

import (
	"strings"

	"golang.org/x/tools/go/packages"
)

// isUserPackage reports whether a package belongs to the user's own modules:
// the main module or those of the workspace. Only such packages are analysed.
func isUserPackage(pkg *packages.Package) bool {
	if m := pkg.Module; m != nil {
		return m.Main || m.Version == ""
	}
	return isUserPath(pkg.PkgPath)
}

// isUserPath decides for a package of which no module is known: in GOPATH mode
// it is the user's unless its path is that of a standard library package. Outside
// of GOPATH paths begin with an underscore.
func isUserPath(path string) bool {
	const adHoc = "command-line-arguments" // files named on the command line
	first, _, _ := strings.Cut(path, "/")
	return path == adHoc || first == "_" || strings.Contains(first, ".")
}
