package rule

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// Elsewhere returns the beginning of a line of the program, which is named as in
// "controller/backup.go:12". It may be in another package than the one under
// analysis, of which the standalone driver alone knows; NoPos if it is not known, or if
// several files of what the package imports have that name.
func (r *Reporter) Elsewhere(place string) token.Pos {
	name, number, ok := strings.Cut(place, ":")
	line, err := strconv.Atoi(number)
	if !ok || err != nil {
		return token.NoPos
	}
	isIn := func(f *token.File) bool {
		return strings.HasSuffix(filepath.ToSlash(f.Name()), "/"+name) && 1 <= line && line <= f.LineCount()
	}
	for _, file := range r.pass.Files {
		if f := r.pass.Fset.File(file.FileStart); isIn(f) {
			return f.LineStart(line)
		}
	}
	if !wholeProgram.Load() {
		return token.NoPos
	}
	var found *token.File
	ambiguous := false
	for _, f := range r.filesNamed(path.Base(name)) {
		if !isIn(f) {
			continue
		}
		// Export data has files of made-up sizes, too.
		if info, err := os.Stat(f.Name()); err == nil && info.Size() == int64(f.Size()) {
			ambiguous = ambiguous || found != nil && found.Name() != f.Name()
			found = f
		}
	}
	if found == nil || ambiguous || r.foreign(found.Pos(0)) == nil {
		return token.NoPos
	}
	return found.LineStart(line)
}

// filesNamed returns the files of what the package imports, directly or not, whose names end
// with that, without their folders. Which other files there are depends on what has been
// analysed before, and on what is known from an earlier run.
func (r *Reporter) filesNamed(base string) []*token.File {
	if r.files == nil {
		r.files = make(map[string][]*token.File)
		folders := r.importedFolders()
		r.pass.Fset.Iterate(func(f *token.File) bool {
			if name := filepath.ToSlash(f.Name()); folders[path.Dir(name)] {
				r.files[path.Base(name)] = append(r.files[path.Base(name)], f)
			}
			return true
		})
	}
	return r.files[base]
}

// importedFolders are the folders in which what the package imports, directly or not, is
// declared.
func (r *Reporter) importedFolders() map[string]bool {
	folders := make(map[string]bool)
	seen := make(map[*types.Package]bool)
	var visit func(pkg *types.Package)
	visit = func(pkg *types.Package) {
		if seen[pkg] {
			return
		}
		seen[pkg] = true
		for _, name := range pkg.Scope().Names() {
			f := r.pass.Fset.File(pkg.Scope().Lookup(name).Pos())
			if f == nil || strings.HasPrefix(path.Base(filepath.ToSlash(f.Name())), "_cgo_") || strings.HasSuffix(f.Name(), ".cgo1.go") {
				continue
			}
			folders[path.Dir(filepath.ToSlash(f.Name()))] = true
			break // all lie in one, but for what cgo makes
		}
		for _, imported := range pkg.Imports() {
			visit(imported)
		}
	}
	visit(r.pass.Pkg)
	return folders
}

// CommentAt returns the comment that stands alone on a line, which is named as for
// [Reporter.Elsewhere], or nil.
func (r *Reporter) CommentAt(place string) *ast.Comment {
	pos := r.Elsewhere(place)
	if !pos.IsValid() {
		return nil
	}
	file, line := r.fileOf(pos), r.pass.Fset.Position(pos).Line
	for _, group := range file.Comments {
		for _, c := range group.List {
			if r.pass.Fset.Position(c.Pos()).Line == line {
				return c
			}
		}
	}
	return nil
}

// foreign returns the syntax of a file of another package, as far as comments and
// declarations go; nil if it cannot be read. Its positions are those that the file has
// for the pass.
func (r *Reporter) foreign(pos token.Pos) *ast.File {
	known := r.pass.Fset.File(pos)
	if known == nil || !wholeProgram.Load() {
		return nil
	}
	if file, ok := r.others[known.Name()]; ok {
		return file
	}
	var file *ast.File
	if data, err := os.ReadFile(known.Name()); err == nil && len(data) == known.Size() {
		fset := token.NewFileSet()
		// The file gets the base that it has in the pass's set.
		if f, err := parser.ParseFile(padded(fset, known.Base()), known.Name(), data, parser.ParseComments|parser.SkipObjectResolution); err == nil {
			file = f
		}
	}
	r.others[known.Name()] = file
	r.outcome.elsewhere = append(r.outcome.elsewhere, known.Name())
	return file
}

// padded makes the next file of an empty set begin at a base.
func padded(fset *token.FileSet, base int) *token.FileSet {
	if base > fset.Base() {
		fset.AddFile("", fset.Base(), base-fset.Base()-1)
	}
	return fset
}
