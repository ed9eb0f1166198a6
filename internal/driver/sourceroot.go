package driver

import (
	"net/url"
	"path/filepath"
	"strings"

	"github.com/opvet/opvet/internal/driver/revision"
)

// sourceRoot is what files are named relative to in reports for other
// machines: the top of the git repository, or else the current directory.
type sourceRoot struct {
	dir string
	rel func(file string) (string, bool) // false for a file from elsewhere
}

func newSourceRoot(dir string) *sourceRoot {
	if repository, ok := revision.Find(dir); ok {
		return &sourceRoot{repository.Top(), relOr(repository.Rel)}
	}
	return &sourceRoot{dir, relOr(func(file string) (string, bool) {
		rel, err := filepath.Rel(dir, file)
		return filepath.ToSlash(rel), err == nil && filepath.IsLocal(rel)
	})}
}

// relOr makes rel return files from elsewhere as they are, with slashes.
func relOr(rel func(string) (string, bool)) func(string) (string, bool) {
	return func(file string) (string, bool) {
		if name, ok := rel(file); ok {
			return name, true
		}
		return filepath.ToSlash(file), false
	}
}

// relativeURI returns the URI reference of a name with slashes.
func relativeURI(name string) string {
	return (&url.URL{Path: name}).String()
}

// fileURI returns the URI of an absolute name.
func fileURI(name string) string {
	name = filepath.ToSlash(name)
	if !strings.HasPrefix(name, "/") { // C:/…
		name = "/" + name
	}
	return (&url.URL{Scheme: "file", Path: name}).String()
}
