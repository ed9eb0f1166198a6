package reach

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/opvet/opvet/internal/driver"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/suppress"
)

// Cell is what became of the mistakes of a rule behind a form.
type Cell struct {
	Found, Lost int
	Traps       int // right code in which nothing is found as it stands, and something behind the form
	Tried       int // right code that moved
}

// Row has a rule's cells, in the order of the forms.
type Row struct {
	Rule  string
	Cells []Cell
	// Losses and Alarms say where, for whoever is to mend them.
	Losses, Alarms []string
	// Sources has the changed files by a name that says which they are.
	Sources map[string]string
}

// Measure hides the mistakes of an analyzer's cases, those in the folder that is
// named after it in the module at dir.
func Measure(dir string, a *analysis.Analyzer, forms []Form) (*Row, error) {
	w, err := load(dir, "./"+a.Name+"/...")
	if err != nil {
		return nil, err
	}
	if f := a.Flags.Lookup("harm"); f != nil {
		old := f.Value.String()
		if err := f.Value.Set(rule.Hygiene.String()); err != nil {
			return nil, err
		}
		defer f.Value.Set(old)
	}
	before, err := w.analyse(a, w.cases)
	if err != nil {
		return nil, err
	}
	marked := make(map[*packages.Package][]*unit)
	kinds := make(map[string]bool)
	for _, pkg := range w.cases {
		wants := wantLines(pkg)
		for _, f := range before[pkg.ID] {
			if !wants[fmt.Sprintf("%s:%d", f.Posn.Filename, f.Posn.Line)] {
				continue
			}
			if u := unitAt(pkg, f.Diagnostic.Pos, f.Diagnostic.End); u != nil {
				u.category, u.line = f.Diagnostic.Category, f.Posn.Line
				marked[pkg] = append(marked[pkg], u)
				kinds[u.kind] = true
			}
		}
	}
	delete(kinds, "")
	var variants []*variant
	for _, pkg := range w.cases {
		files, err := sourcesOf(w, pkg)
		if err != nil {
			return nil, err
		}
		units := slices.Concat(marked[pkg], w.traps(pkg, before[pkg.ID], kinds))
		for _, form := range forms {
			if v := w.hide(form, pkg, files, units); v != nil {
				variants = append(variants, v)
			}
		}
	}
	var pkgs []*packages.Package
	for _, v := range variants {
		pkgs = append(pkgs, v.changed)
	}
	row := &Row{Rule: a.Name, Cells: make([]Cell, len(forms)), Sources: make(map[string]string)}
	if len(pkgs) == 0 {
		return row, nil
	}
	after, err := w.analyse(a, pkgs)
	if err != nil {
		return nil, err
	}
	for _, v := range variants {
		i := slices.IndexFunc(forms, func(f Form) bool { return f.Name == v.form.Name })
		found := after[v.changed.ID]
		for _, path := range slices.Sorted(maps.Keys(v.libs)) {
			found = slices.Concat(found, after[v.libs[path].ID])
		}
		for _, f := range v.sources {
			row.Sources[v.form.Name+"/"+relative(token.Position{Filename: f.name})] = f.text
		}
		v.count(&row.Cells[i], row, before[v.like.ID], found)
	}
	return row, nil
}

// traps returns units of functions without findings that are right: in what a
// comment silences, and in what the strict flag reports, there is a mistake. So there
// is in a function that a finding elsewhere leads through: rules report one cause once,
// where it is mended best, and name the other places. Where the code has moved, it may be
// another of these that is reported.
func (w *world) traps(pkg *packages.Package, findings []driver.Finding, kinds map[string]bool) []*unit {
	var units []*unit
	wants := wantLines(pkg)
	for i, file := range pkg.Syntax {
		silenced := suppress.Parse(w.fset, file)
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Body == nil || w.silenced(file, fn) {
				continue
			}
			from, to := w.fset.Position(fn.Pos()), w.fset.Position(fn.End())
			clean := !slices.ContainsFunc(findings, func(f driver.Finding) bool {
				return f.Posn.Filename == from.Filename && from.Line <= f.Posn.Line && f.Posn.Line <= to.Line ||
					w.leadsThrough(f, fn)
			})
			for line := from.Line; line <= to.Line; line++ {
				clean = clean && !wants[fmt.Sprintf("%s:%d", from.Filename, line)] &&
					!slices.ContainsFunc(silenced, func(d *suppress.Directive) bool { return d.Covers(line) })
			}
			if clean {
				units = append(units, unitsIn(pkg, i, fn, kinds)...)
			}
		}
	}
	return units
}

// placeInText is a place that a message names; without a file it is in the finding's.
var placeInText = regexp.MustCompile(`(?:([\w.-]+\.go):|\bline )(\d+)`)

// leadsThrough reports whether a finding names a place in a function.
func (w *world) leadsThrough(f driver.Finding, fn *ast.FuncDecl) bool {
	from, to := w.fset.Position(fn.Pos()), w.fset.Position(fn.End())
	for _, m := range placeInText.FindAllStringSubmatch(f.Diagnostic.Message, -1) {
		file := cmp.Or(m[1], filepath.Base(f.Posn.Filename))
		line, _ := strconv.Atoi(m[2])
		if file == filepath.Base(from.Filename) && from.Line <= line && line <= to.Line {
			return true
		}
	}
	return slices.ContainsFunc(f.Diagnostic.Related, func(r analysis.RelatedInformation) bool { return fn.Pos() <= r.Pos && r.Pos <= fn.End() })
}

// silenced reports whether a comment silences a function, or something in it: that
// is no right code, and the comment need not cover what moves away.
func (w *world) silenced(file *ast.File, fn *ast.FuncDecl) bool {
	return slices.ContainsFunc(suppress.Parse(w.fset, file), func(d *suppress.Directive) bool {
		return fn.Pos() <= d.Comment.Pos() && d.Comment.Pos() <= fn.End() || d.Covers(w.fset.Position(fn.Pos()).Line)
	})
}

// count adds to a cell what was found of a variant. Findings belong to the unit
// in whose lines they are, above all those of its category; others to one in the
// same function, and then to any of the category: behind an indirection a finding
// may stand elsewhere, and have another category.
func (v *variant) count(cell *Cell, row *Row, before, after []driver.Finding) {
	places := placesOf(v.changed)
	var libPlaces []place
	for _, lib := range v.libs {
		libPlaces = append(libPlaces, placesOf(lib)...)
	}
	places = append(places, libPlaces...)
	// A finding about a whole program may stand in main, and names the place.
	named := func(f driver.Finding) (found []place) {
		for _, m := range placeInText.FindAllStringSubmatch(f.Diagnostic.Message, -1) {
			line, _ := strconv.Atoi(m[2])
			for _, p := range libPlaces {
				if m[1] == filepath.Base(p.file) && p.first <= line && line <= p.last {
					found = append(found, p)
				}
			}
		}
		return found
	}
	owner := func(f driver.Finding) (ids map[int]bool, decl string) {
		ids = make(map[int]bool)
		for _, p := range places {
			if p.contains(f.Posn) {
				maps.Copy(ids, p.ids)
			}
			if p.decl != nil && p.file == f.Posn.Filename && p.first <= f.Posn.Line && f.Posn.Line <= p.last {
				decl = declName(p.decl)
			}
		}
		for _, p := range named(f) {
			maps.Copy(ids, p.ids)
		}
		return ids, decl
	}
	left := make(map[int]driver.Finding)
	for i, f := range after {
		left[i] = f
	}
	take := func(fits func(f driver.Finding) bool) bool {
		for i := range after {
			if f, ok := left[i]; ok && fits(f) {
				delete(left, i)
				return true
			}
		}
		return false
	}
	moved := func(h *hiding) string { // what the function is called now
		if v.form.hide == nil {
			for _, other := range v.hidden {
				if other.fn == h.fn && other.decls != "" {
					return strings.TrimSuffix(declName(h.fn), h.fn.Name.Name) + other.name("body")
				}
			}
		}
		return declName(h.fn)
	}
	lost := slices.DeleteFunc(slices.Clone(v.hidden), func(h *hiding) bool { return h.category == "" })
	cell.Tried += len(v.hidden) - len(lost)
	mistakes := len(lost)
	find := func(fits func(h *hiding, f driver.Finding) bool) {
		lost = slices.DeleteFunc(lost, func(h *hiding) bool {
			return take(func(f driver.Finding) bool { return fits(h, f) })
		})
	}
	find(func(h *hiding, f driver.Finding) bool {
		ids, _ := owner(f)
		return f.Diagnostic.Category == h.category && ids[h.id]
	})
	find(func(h *hiding, f driver.Finding) bool {
		ids, decl := owner(f)
		return ids[h.id] || decl == moved(h) || decl == declName(h.fn)
	})
	// What stands where there was something before is no news.
	for _, f := range before {
		name := ""
		for _, n := range syntax.Path(v.like.Syntax, f.Diagnostic.Pos) {
			if fn, ok := n.(*ast.FuncDecl); ok {
				name = declName(fn)
			}
		}
		take(func(g driver.Finding) bool {
			_, decl := owner(g)
			return g.Diagnostic.Category == f.Diagnostic.Category && decl == name
		})
	}
	trap := func(f driver.Finding) *hiding {
		ids, decl := owner(f)
		for _, h := range v.hidden {
			if h.category == "" && (ids[h.id] || decl != "" && (decl == moved(h) || decl == declName(h.fn))) {
				return h
			}
		}
		return nil
	}
	find(func(h *hiding, f driver.Finding) bool { return f.Diagnostic.Category == h.category && trap(f) == nil })
	cell.Found, cell.Lost = cell.Found+mistakes-len(lost), cell.Lost+len(lost)
	for _, h := range lost {
		row.Losses = append(row.Losses, fmt.Sprintf("%s: %s %s:%d %s (%s)", v.form.Name, h.category, relative(v.like.Fset.Position(h.fn.Pos())), h.line, h.fn.Name.Name, h.kind))
	}
	alarmed := make(map[int]bool)
	for i := range after {
		f, ok := left[i]
		if !ok || v.libs[f.PackageID] != nil || len(named(f)) > 0 {
			// An exported function is judged alone: what this caller has made sure
			// of before, the next one need not.
			continue
		}
		if h := trap(f); h != nil && !alarmed[h.id] {
			alarmed[h.id] = true
			cell.Traps++
			row.Alarms = append(row.Alarms, fmt.Sprintf("%s: %s %s %s: %s", v.form.Name, f.Diagnostic.Category, relative(v.like.Fset.Position(h.fn.Pos())), h.fn.Name.Name, f.Diagnostic.Message))
		}
	}
}

func relative(at token.Position) string {
	name := filepath.Clean(at.Filename)
	if i := strings.LastIndex(name, "testdata/"); i >= 0 {
		name = name[i+len("testdata/"):]
	}
	return name
}

var wantComment = regexp.MustCompile(`(?://|/\*) want (?:\+(\d+) )?`)

// wantLines returns the lines of a package that want a finding.
func wantLines(pkg *packages.Package) map[string]bool {
	lines := make(map[string]bool)
	for _, name := range pkg.GoFiles {
		text, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		for i, line := range strings.Split(string(text), "\n") {
			if m := wantComment.FindStringSubmatch(line); m != nil {
				delta, _ := strconv.Atoi(m[1])
				lines[fmt.Sprintf("%s:%d", name, i+1+delta)] = true
			}
		}
	}
	return lines
}
