package ruletest

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"

	"github.com/opvet/opvet/internal/driver"
)

// programs are what has been loaded, by directory and patterns. Most of the time of a
// test goes to asking the go command for packages, and tests of an analyzer ask for parts
// of the same folder.
var programs sync.Map // string -> func() (*driver.Program, error)

// load loads all that is in the folders of the patterns, once, and returns a program of
// what the patterns match, and that itself.
func load(dir string, patterns []string) (*driver.Program, []*packages.Package, error) {
	folders := foldersOf(dir, patterns)
	once, _ := programs.LoadOrStore(strings.Join(append(folders, dir), "\n"), sync.OnceValues(func() (*driver.Program, error) {
		return driver.Load(driver.LoadOptions{Dir: dir, Patterns: folders, Tests: true, Closed: true})
	}))
	all, err := once.(func() (*driver.Program, error))()
	if err != nil {
		return nil, nil, err
	}
	root, err := filepath.Abs(dir)
	if err != nil {
		return nil, nil, err
	}
	matched := make(map[string]bool)
	var asked []*packages.Package
	program := all.Only(func(pkg *packages.Package) bool {
		rel, err := filepath.Rel(root, filepath.Dir(pkg.GoFiles[0]))
		keep := false
		for _, pattern := range patterns {
			if err == nil && matches(pattern, "./"+filepath.ToSlash(rel)) {
				matched[pattern], keep = true, true
			}
		}
		if keep {
			asked = append(asked, pkg)
		}
		return keep
	})
	for _, pattern := range patterns {
		if !matched[pattern] && len(program.Problems) == 0 {
			return nil, nil, fmt.Errorf("no packages match %s", pattern)
		}
	}
	return program, asked, nil
}

// foldersOf returns patterns of the first folders of patterns, and of the kinds that all
// cases have, so that what they import need not be asked for.
func foldersOf(dir string, patterns []string) []string {
	const kinds = "api"
	var folders []string
	for _, pattern := range patterns {
		first, _, _ := strings.Cut(strings.TrimPrefix(pattern, "./"), "/")
		if first == "..." || first == "." {
			return []string{"./..."}
		}
		folders = append(folders, "./"+first+"/...")
	}
	if info, err := os.Stat(filepath.Join(dir, kinds)); err == nil && info.IsDir() {
		folders = append(folders, "./"+kinds+"/...")
	}
	slices.Sort(folders)
	return slices.Compact(folders)
}

// matches reports whether a pattern matches a folder.
func matches(pattern, folder string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "/..."); ok {
		return prefix == "." || folder == prefix || strings.HasPrefix(folder, prefix+"/")
	}
	return path.Clean(folder) == path.Clean(pattern)
}
