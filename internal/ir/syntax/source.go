package syntax

import (
	"go/token"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/module"
)

// SourceFile returns the file that a position of another package lies in, or
// nothing if it cannot be told. What was compiled with -trimpath names the module and
// its version instead of the folder: such files are looked for in the module
// cache.
func SourceFile(fset *token.FileSet, pos token.Pos) string {
	name := fset.Position(pos).Filename
	if name == "" || filepath.IsAbs(name) {
		return name
	}
	path, rest, ok := strings.Cut(filepath.ToSlash(name), "@")
	if !ok {
		return ""
	}
	version, rest, ok := strings.Cut(rest, "/")
	if !ok {
		return ""
	}
	escapedPath, err := module.EscapePath(path)
	if err != nil {
		return ""
	}
	escapedVersion, err := module.EscapeVersion(version)
	if err != nil {
		return ""
	}
	return filepath.Join(moduleCache(), filepath.FromSlash(escapedPath)+"@"+escapedVersion, filepath.FromSlash(rest))
}

func moduleCache() string {
	if dir := os.Getenv("GOMODCACHE"); dir != "" {
		return dir
	}
	first, _, _ := strings.Cut(os.Getenv("GOPATH"), string(filepath.ListSeparator))
	if home, err := os.UserHomeDir(); first == "" && err == nil {
		first = filepath.Join(home, "go")
	}
	return filepath.Join(first, "pkg", "mod")
}
