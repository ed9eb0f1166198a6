package driver

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/opvet/opvet/internal/passes/processes"
	"github.com/opvet/opvet/internal/report/rule"
)

// finalizes reports whether the module is seen to put a finalizer on objects of a kind, or whether a
// module of the repository that requires it is.
func (s *settler) finalizes(program *processes.Program, kind string) bool {
	return program.AddsFinalizers(kind) || slices.ContainsFunc(s.importers, func(dir string) bool { return finalizedBelow(dir, kind) })
}

// putsFinalizer matches how code puts a finalizer on an object.
var putsFinalizer = regexp.MustCompile(`\b(?i:\w*(?:add|ensure|append|set|put|with|update)\w*finalizers?)\((?:[^n)]|n[^i])|\.Finalizers\s*=\s*append\(|\bFinalizers:\s`)

// finalizedBelow reports whether a package below a folder mentions a kind and puts finalizers on
// something: of packages that are not analysed there is the text alone.
func finalizedBelow(dir, kind string) bool {
	dot := strings.LastIndexByte(kind, '.')
	path, mention := []byte(`"`+kind[:dot]+`"`), regexp.MustCompile(`\.`+regexp.QuoteMeta(kind[dot+1:])+`\b`)
	found := false
	_ = filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return filepath.SkipDir
		case !entry.IsDir():
			return nil
		case name != dir && isAside(entry.Name()):
			return filepath.SkipDir
		}
		if found = found || finalizedIn(name, path, mention); found {
			return filepath.SkipAll
		}
		return nil
	})
	return found
}

// isAside reports whether a folder has nothing that servers run.
func isAside(base string) bool {
	return strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || base == "vendor" || base == "node_modules" || base == "testdata" || rule.IsAsideFolder(base)
}

// finalizedIn reports whether the files of one folder do.
func finalizedIn(dir string, path []byte, mention *regexp.Regexp) bool {
	mentions, puts := false, false
	names, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		mentions = mentions || bytes.Contains(text, path) && mention.Match(text)
		puts = puts || putsFinalizer.Match(text)
	}
	return mentions && puts
}
