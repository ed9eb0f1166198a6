package edit

import (
	"go/version"

	"golang.org/x/tools/go/analysis"
)

// IsBefore reports whether a package is written in an older version of Go than another one, such as
// go1.21: what came with that is not there for all who build it. Where nobody says the
// version it is not.
func IsBefore(pass *analysis.Pass, other string) bool {
	v := versionOf(pass)
	return v != "" && version.Compare(v, other) < 0
}

// IsSince reports whether a package is known to be written in a version of Go or a later one.
func IsSince(pass *analysis.Pass, other string) bool {
	v := versionOf(pass)
	return v != "" && version.Compare(v, other) >= 0
}

// versionOf returns the version of Go that a package is written in, as go1.21; "" if it is not known.
func versionOf(pass *analysis.Pass) string {
	v := pass.Pkg.GoVersion()
	if v == "" && pass.Module != nil && pass.Module.GoVersion != "" {
		v = "go" + pass.Module.GoVersion
	}
	if !version.IsValid(v) {
		return ""
	}
	return v
}
