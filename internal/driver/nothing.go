package driver

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/tools/go/packages"

	"github.com/opvet/opvet/internal/driver/settings"
)

// nothingLoaded says why no package was loaded: what the go command says, which
// package packages keeps to itself if it asked for export data, or else what
// is the matter with the directory.
func nothingLoaded(opts LoadOptions) error {
	if said := goListError(opts); said != "" && !isOutside(said) {
		return errors.New("loading packages: " + said)
	}
	text := "no packages match " + strings.Join(opts.Patterns, " ")
	for _, pattern := range opts.Patterns {
		if hint := placeHint(cmp.Or(opts.Dir, "."), pattern); hint != "" {
			return errors.New(text + ": " + hint)
		}
	}
	return errors.New(text)
}

// goListError runs go list once more, without a build, and returns what it says if it
// fails.
func goListError(opts LoadOptions) string {
	args := []string{"list", "-e", "-deps", "-f", ""}
	if opts.Tags != "" {
		args = append(args, "-tags="+opts.Tags)
	}
	ctx := opts.Context
	if ctx == nil {
		ctx = context.Background()
	}
	cmd := exec.CommandContext(ctx, "go", slices.Concat(args, []string{"--"}, opts.Patterns)...)
	cmd.Dir = opts.Dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err == nil {
		return ""
	}
	return strings.TrimSpace(stderr.String())
}

// isOutside reports whether the go command says that a directory belongs to no
// module that it builds, for which there are clearer words.
func isOutside(text string) bool {
	return strings.Contains(text, "directory prefix ") || strings.Contains(text, "go.mod file not found in current directory")
}

// patternHint says what to type instead of a pattern that the go command takes for
// a package which does not exist: a directory wants a dot in front, and one that
// only has directories with packages wants dots behind.
func patternHint(pattern string) string {
	below := strings.TrimSuffix(pattern, "/...")
	name := below
	if !filepath.IsAbs(name) {
		name = filepath.Join(workingDir(), name)
	}
	if info, err := os.Stat(name); err != nil || !info.IsDir() {
		return ""
	}
	if !filepath.IsAbs(below) {
		pattern = "./" + strings.TrimPrefix(filepath.ToSlash(pattern), "./")
		below = "./" + strings.TrimPrefix(filepath.ToSlash(below), "./")
	}
	switch depth := goFilesBelow(name); {
	case depth == 0:
		return ""
	case depth > 1:
		pattern = below + "/..."
	}
	return ": type opvet " + pattern
}

// goFilesBelow tells how deep below a directory the first Go file is found: 1 for
// the directory itself, and 0 if there is none.
func goFilesBelow(dir string) int {
	depth := 0
	_ = filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return fs.SkipDir // it cannot be read
		}
		if entry.IsDir() || filepath.Ext(name) != ".go" {
			return nil
		}
		depth = 1 + strings.Count(relativeTo(dir, name), string(filepath.Separator))
		return fs.SkipAll
	})
	return depth
}

// mistypedCommand returns the command of opvet that the only argument was surely meant
// to be, since it names no directory, if there is one.
func mistypedCommand(args []string) string {
	if _, err := os.Stat(args[0]); err == nil || len(args) > 1 {
		return ""
	}
	return settings.Nearest(args[0], []string{cacheName, "help", "map", "rbac", "version", "why"})
}

// areOutside reports whether nothing else is the matter with what was loaded.
func areOutside(pkgs []*packages.Package) bool {
	return !slices.ContainsFunc(pkgs, func(pkg *packages.Package) bool {
		return !isUnmatched(pkg) || len(pkg.Errors) == 0 || !isOutside(pkg.Errors[0].Msg)
	})
}

// placeHint says what is the matter with the directory of a pattern that no
// packages match, and what to type instead. It is empty for patterns of paths.
func placeHint(dir, pattern string) string {
	below, found := strings.CutPrefix(pattern, ".")
	if !found {
		return ""
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	if below != "" && below != "/..." {
		place := filepath.Join(dir, strings.TrimSuffix(pattern, "/..."))
		return fmt.Sprintf("there are no Go files in %s that this build takes (see -tags)", relativeTo(dir, place))
	}
	work, inWorkspace := above(dir, "go.work")
	if os.Getenv("GOWORK") == "off" {
		inWorkspace = false
	}
	if inWorkspace && work == dir {
		return workspaceHint(dir)
	}
	module, inModule := above(dir, "go.mod")
	switch {
	case inModule && module == dir:
		return fmt.Sprintf("the module in %s has no Go files that this build takes (see -tags)", dir)
	case inModule && !inWorkspace:
		return fmt.Sprintf("no Go files here; the module is in %s: type opvet -C %s ./...", module, relativeTo(dir, module))
	case inWorkspace:
		return fmt.Sprintf("no module of the workspace here; its root is %s: type opvet -C %s, and opvet names its modules", work, relativeTo(dir, work))
	}
	if below := modulesBelow(dir); len(below) > 0 {
		return fmt.Sprintf("there is no go.mod in %s or above; there is one in %s: type opvet -C %s ./...", dir, enumerate(below), below[0])
	}
	return fmt.Sprintf("there is no go.mod in %s or above: change to the directory of the operator's module, or name it with -C", dir)
}

// workspaceHint says how to name the modules of the workspace that has its root
// here.
func workspaceHint(dir string) string {
	data, err := os.ReadFile(filepath.Join(dir, "go.work"))
	if err != nil {
		return ""
	}
	work, err := modfile.ParseWork("go.work", data, nil)
	if err != nil || len(work.Use) == 0 {
		return fmt.Sprintf("%s is the root of a workspace that uses no modules", dir)
	}
	var patterns []string
	for _, use := range work.Use {
		patterns = append(patterns, strings.TrimSuffix(use.Path, "/")+"/...")
	}
	return fmt.Sprintf("%s is the root of a workspace and no module itself: type opvet %s", dir, strings.Join(patterns, " "))
}

// above returns the nearest directory that holds a file, from dir upwards.
func above(dir, file string) (string, bool) {
	for {
		if info, err := os.Stat(filepath.Join(dir, file)); err == nil && !info.IsDir() {
			return dir, true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", false
		}
		dir = parent
	}
}

// modulesBelow returns the directories of modules near a directory, by names that
// begin there.
func modulesBelow(dir string) []string {
	const depth = 3
	var found []string
	_ = filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		rel := relativeTo(dir, name)
		switch {
		case err != nil:
			return fs.SkipDir // it cannot be read
		case entry.IsDir() && name != dir && (strings.HasPrefix(entry.Name(), ".") || strings.Count(rel, string(filepath.Separator)) >= depth):
			return fs.SkipDir
		case !entry.IsDir() && entry.Name() == "go.mod":
			found = append(found, filepath.Dir(rel))
		}
		return nil
	})
	return found
}

// relativeTo names a file from a directory.
func relativeTo(dir, name string) string {
	rel, err := filepath.Rel(dir, name)
	if err != nil {
		return name
	}
	return rel
}

// enumerate lists the first few of some names.
func enumerate(names []string) string {
	const some = 3
	text := strings.Join(names[:min(some, len(names))], ", ")
	if more := len(names) - some; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
