// Package revision asks git what has changed since a revision.
package revision

import (
	"os"
	"path/filepath"
	"strings"
)

// Repository is a working tree of git.
type Repository struct {
	top  string // as the directory it was found from is spelled
	real string // without symbolic links
}

// Find returns the working tree that a directory lies in, if any. It does
// without the git command, which not every machine has.
func Find(dir string) (*Repository, bool) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, false
	}
	top, ok := topOf(dir)
	if !ok {
		// The directory may be a symbolic link into a working tree.
		if dir, err = filepath.EvalSymlinks(dir); err == nil {
			top, ok = topOf(dir)
		}
	}
	if !ok {
		return nil, false
	}
	real, err := filepath.EvalSymlinks(top)
	if err != nil {
		return nil, false
	}
	return &Repository{top: top, real: real}, true
}

// topOf looks for .git in the directory and above. It is a file in additional
// working trees and in submodules.
func topOf(dir string) (string, bool) {
	for {
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
			return dir, true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", false
		}
		dir = parent
	}
}

// Top returns the top of the working tree.
func (r *Repository) Top() string { return r.top }

// Rel returns a file's name from the top, with slashes, if it lies in the
// working tree.
func (r *Repository) Rel(file string) (string, bool) {
	if rel, ok := below(r.top, file); ok {
		return rel, true
	}
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return "", false
	}
	return below(r.real, real)
}

func below(dir, file string) (string, bool) {
	rel, err := filepath.Rel(dir, file)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return strings.ReplaceAll(rel, string(filepath.Separator), "/"), true
}
