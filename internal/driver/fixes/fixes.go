// Package fixes applies suggested fixes to the files that they are about, as
// gofmt would leave them and without the imports that they make superfluous.
package fixes

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"slices"

	"golang.org/x/tools/go/analysis"
)

// ErrOverlap says that a fix changes what another one changes, too.
var ErrOverlap = errors.New("it overlaps another fix")

// Set is a set of fixes that can be applied together.
type Set struct {
	files map[string]*file
	order []string
}

// file is a file with the edits of all fixes in it.
type file struct {
	content   []byte
	generated bool
	edits     []edit
	fixes     int
	pkg       *types.Package
}

// edit replaces the bytes from start to end.
type edit struct {
	start, end int
	text       string
}

// Fix is a fix with what is needed to apply it.
type Fix struct {
	analysis.SuggestedFix
	Fset *token.FileSet
	// Pkg is the package of the fixed file: it tells the names of imports.
	Pkg *types.Package
	// Generated allows edits in generated files.
	Generated bool
}

// Add adds a fix as a whole, or nothing of it if there is an error; that is
// [ErrOverlap] if another fix is in its way. The same edit twice, such as an
// import that two fixes add, is made once.
func (s *Set) Add(fix Fix) error {
	if len(fix.TextEdits) == 0 {
		return errors.New("it has no edits")
	}
	var name string
	var edits []edit
	for _, e := range fix.TextEdits {
		in := fix.Fset.File(e.Pos)
		if in == nil {
			return errors.New("an edit lies outside of all files")
		}
		if fix.Fset.Position(e.Pos).Filename != in.Name() {
			return fmt.Errorf("%s is made from another file", in.Name())
		}
		if name != "" && name != in.Name() {
			return errors.New("it has edits in two files")
		}
		name = in.Name()
		end := e.End
		if !end.IsValid() {
			end = e.Pos
		}
		if end < e.Pos || int(end) > in.Base()+in.Size() {
			return errors.New("an edit ends before it begins, or in another file")
		}
		edits = append(edits, edit{in.Offset(e.Pos), in.Offset(end), string(e.NewText)})
	}
	f, err := s.file(name, fix)
	if err != nil {
		return err
	}
	if f.generated && !fix.Generated {
		return fmt.Errorf("%s is generated", name)
	}
	merged, err := merge(f.edits, edits)
	if err != nil {
		return err
	}
	f.edits = merged
	f.fixes++
	return nil
}

// file returns the file of that name, read when it is first asked for.
func (s *Set) file(name string, fix Fix) (*file, error) {
	if f, ok := s.files[name]; ok {
		return f, nil
	}
	content, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if size := fix.Fset.File(fix.TextEdits[0].Pos).Size(); size != len(content) {
		return nil, fmt.Errorf("%s has changed since it was analysed", name)
	}
	syntax, err := parser.ParseFile(token.NewFileSet(), name, content, parser.PackageClauseOnly|parser.ParseComments)
	if err != nil {
		return nil, err
	}
	f := &file{content: content, generated: ast.IsGenerated(syntax), pkg: fix.Pkg}
	if s.files == nil {
		s.files = make(map[string]*file)
	}
	s.files[name] = f
	s.order = append(s.order, name)
	return f, nil
}

// merge adds edits to those of other fixes, all sorted by place. Several may
// insert at the same place.
func merge(old, more []edit) ([]edit, error) {
	merged := slices.Clone(old)
	for _, e := range more {
		if !slices.Contains(old, e) {
			merged = append(merged, e)
		}
	}
	slices.SortStableFunc(merged, func(a, b edit) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end))
	})
	for i := 1; i < len(merged); i++ {
		if merged[i].start < merged[i-1].end {
			return nil, ErrOverlap
		}
	}
	return merged, nil
}

// Change is what becomes of a file.
type Change struct {
	File     string
	Old, New []byte
	Fixes    int // how many make the change
}

// Changes returns the fixed files, sorted by name. A file that was formatted
// stays so.
func (s *Set) Changes() ([]Change, error) {
	var changes []Change
	for _, name := range slices.Sorted(slices.Values(s.order)) {
		f := s.files[name]
		if len(f.edits) == 0 {
			continue
		}
		fixed, err := withoutImports(f.pkg, apply(f.content, f.edits))
		if err != nil {
			return nil, fmt.Errorf("the fixed %s: %w", name, err)
		}
		if old, err := format.Source(f.content); err == nil && bytes.Equal(old, f.content) {
			if fixed, err = format.Source(fixed); err != nil {
				return nil, fmt.Errorf("formatting the fixed %s: %w", name, err)
			}
		}
		if !bytes.Equal(fixed, f.content) {
			changes = append(changes, Change{File: name, Old: f.content, New: fixed, Fixes: f.fixes})
		}
	}
	return changes, nil
}

// apply makes the edits, which are sorted.
func apply(content []byte, edits []edit) []byte {
	var out bytes.Buffer
	last := 0
	for _, e := range edits {
		out.Write(content[last:e.start])
		out.WriteString(e.text)
		last = e.end
	}
	out.Write(content[last:])
	return out.Bytes()
}
