package reach

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
)

// variant is a package of cases with its units behind one form.
type variant struct {
	form    Form
	like    *packages.Package
	hidden  []*hiding
	changed *packages.Package
	libs    map[string]*packages.Package // by their paths; empty if nothing moved to other packages
	sources []source                     // of both
}

// maxRounds bounds how often units that do not compile are left out.
const maxRounds = 6

// hide moves all units of a package that can move behind a form; nil if none can.
func (w *world) hide(form Form, like *packages.Package, files []source, units []*unit) *variant {
	v := &variant{form: form, like: like}
	moved := make(map[*ast.FuncDecl]bool)
	for i, u := range units {
		file := w.fset.File(like.Syntax[u.file].FileStart)
		h := &hiding{
			unit: u, id: i, text: files[u.file].text, base: func(p token.Pos) int { return file.Offset(p) },
			imports: make(map[string]string), libs: make(map[string]string),
		}
		switch {
		case form.hide == nil:
			// The first unit takes the whole function along.
			if !moved[u.fn] && !delegate(h) {
				continue
			}
			moved[u.fn] = true
		case u.node == nil || !form.hide(h):
			continue
		}
		v.hidden = append(v.hidden, h)
	}
	for range maxRounds {
		v.withoutOverlaps()
		if len(v.hidden) == 0 {
			return nil
		}
		bad := w.compile(v, files)
		if len(bad) == 0 {
			return v
		}
		before := len(v.hidden)
		v.hidden = slices.DeleteFunc(v.hidden, func(h *hiding) bool { return bad[h.id] })
		if len(v.hidden) == before {
			return nil
		}
	}
	return nil
}

// withoutOverlaps leaves units out that are in the way of others.
func (v *variant) withoutOverlaps() {
	var taken []edit
	v.hidden = slices.DeleteFunc(v.hidden, func(h *hiding) bool {
		for _, e := range h.edits {
			if slices.ContainsFunc(taken, func(other edit) bool { return e.start < other.end && other.start < e.end }) {
				return true
			}
		}
		taken = append(taken, h.edits...)
		return false
	})
}

// compile makes the packages, and returns the units because of which they do
// not compile.
func (w *world) compile(v *variant, files []source) map[int]bool {
	var (
		path     = v.like.PkgPath + "/reach_" + v.form.Name
		imports  = make(map[string]*packages.Package)
		bad      = make(map[int]bool)
		changed  = slices.Clone(files)
		libFiles []source
	)
	v.libs = make(map[string]*packages.Package)
	for i := range changed {
		changed[i].name = w.alias(changed[i].name, path)
	}
	for _, h := range v.hidden {
		if h.lib == "" {
			continue
		}
		lib, file := w.library(v.like, path, h)
		if lib == nil {
			bad[h.id] = true
			continue
		}
		v.libs[lib.PkgPath], imports[lib.PkgPath] = lib, lib
		libFiles = append(libFiles, file)
	}
	if len(bad) > 0 {
		return bad
	}
	for i := range changed {
		file := w.fset.File(v.like.Syntax[i].FileStart)
		var edits []edit
		decls := ""
		needed := make(map[string]string)
		for _, h := range v.hidden {
			if h.file == i {
				edits = append(edits, h.edits...)
				decls += "\n" + h.decls
				maps.Copy(needed, h.imports)
				if h.lib != "" {
					needed[h.libName()] = h.moved.PkgPath
				}
			}
		}
		if len(edits) == 0 {
			continue
		}
		name := v.like.Syntax[i].Name.End()
		edits = append(edits, edit{name, name, importDecls(needed, "")})
		changed[i].text = edited(changed[i].text, file.Offset, edits) + decls
	}
	pkg, errs := w.check(v.like, path, changed, imports)
	for _, err := range errs {
		v.blame(bad, w.fset.Position(err.Pos), pkg)
	}
	if len(errs) > 0 {
		return v.orAll(bad)
	}
	for i := range libFiles {
		libFiles[i].name = changed[0].name + "." + filepath.Base(libFiles[i].name)
	}
	v.changed, v.sources = pkg, slices.Concat(changed, libFiles)
	return nil
}

// kubernetesPackages are packages of which cases import one: the other package has to
// do so as well.
var kubernetesPackages = []string{"k8s.io/apimachinery/pkg/types", "k8s.io/apimachinery/pkg/apis/meta/v1", "k8s.io/apimachinery/pkg/runtime"}

// library makes the other package that a unit moves to; nil if it does not compile.
func (w *world) library(like *packages.Package, path string, h *hiding) (*packages.Package, source) {
	needed := maps.Clone(h.libs)
	for _, name := range h.names {
		needed[name.Name()] = name.Imported().Path()
	}
	if h.plain && w.kubernetes(needed) {
		return nil, source{}
	}
	if !h.plain {
		for _, path := range kubernetesPackages {
			if _, err := w.Import(path); err == nil {
				needed["_"] = path
			}
		}
	}
	file := source{fmt.Sprintf("%s/%s/reach%d.go", path, h.libName(), h.id), "package " + h.libName() + "\n" + importDecls(needed, "\n") + h.lib}
	if h.moved != nil {
		return h.moved, file
	}
	// What the case imports is not all needed, and no cycle may come of it.
	lib, errs := w.check(like, path+"/"+h.libName(), []source{file}, nil)
	if len(errs) > 0 {
		return nil, file
	}
	lib.Name = h.libName()
	h.moved = lib
	return lib, file
}

// alias returns another name of a file, one for each package: what is found twice at
// one place is printed once, and passes read the files by their names.
func (w *world) alias(name, path string) string {
	n, ok := w.aliases[path]
	if !ok {
		n = len(w.aliases) + 1
		w.aliases[path] = n
	}
	return filepath.Dir(name) + strings.Repeat("/.", n) + "/" + filepath.Base(name)
}

// orAll is the units to leave out: all if none is known to be to blame.
func (v *variant) orAll(bad map[int]bool) map[int]bool {
	if len(bad) == 0 {
		for _, h := range v.hidden {
			bad[h.id] = true
		}
	}
	return bad
}

// blame notes the units that a place belongs to.
func (v *variant) blame(bad map[int]bool, at token.Position, pkg *packages.Package) {
	if pkg == nil {
		return
	}
	for _, p := range placesOf(pkg) {
		if p.contains(at) {
			maps.Copy(bad, p.ids)
		}
	}
	if len(bad) > 0 {
		return
	}
	for _, p := range placesOf(pkg) {
		if p.decl != nil && at.Filename == p.file && p.first <= at.Line && at.Line <= p.last {
			for _, h := range v.hidden {
				if declName(h.fn) == declName(p.decl) {
					bad[h.id] = true
				}
			}
		}
	}
}

// kubernetes reports whether one of these packages imports something of
// Kubernetes, directly or not.
func (w *world) kubernetes(imports map[string]string) bool {
	for _, path := range imports {
		if pkg, err := w.Import(path); err != nil || kubeapi.Relevant(pkg) {
			return true
		}
	}
	return false
}

func importDecls(needed map[string]string, sep string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(needed)) {
		if sep == "" {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "import %s %q%s", name, needed[name], sep)
	}
	return b.String()
}

// edited returns a text with edits made that do not overlap.
func edited(text string, base func(token.Pos) int, edits []edit) string {
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end)) })
	for _, e := range slices.Backward(edits) {
		text = text[:base(e.start)] + e.text + text[base(e.end):]
	}
	return text
}

// place is lines of a file that belong to units, by the identifiers in them, or to
// a declaration.
type place struct {
	file        string
	first, last int
	ids         map[int]bool
	decl        *ast.FuncDecl
}

func (p place) contains(at token.Position) bool {
	return len(p.ids) > 0 && at.Filename == p.file && p.first <= at.Line && at.Line <= p.last
}

// placesOf returns the declarations that are of a unit, the statements that name
// one, and all functions.
func placesOf(pkg *packages.Package) []place {
	var places []place
	for _, file := range pkg.Syntax {
		lines := func(n ast.Node) place {
			from, to := pkg.Fset.Position(n.Pos()), pkg.Fset.Position(n.End())
			return place{file: from.Filename, first: from.Line, last: to.Line, ids: make(map[int]bool)}
		}
		for _, decl := range file.Decls {
			p := lines(decl)
			fn, isFunc := decl.(*ast.FuncDecl)
			p.decl = fn
			if !isFunc {
				ast.Inspect(decl, func(n ast.Node) bool { note(p.ids, n); return true })
			} else if id, ok := idOf(fn.Name.Name); ok && !strings.HasSuffix(fn.Name.Name, "_body") {
				p.ids[id] = true
			} else if fn.Recv != nil {
				ast.Inspect(fn.Recv, func(n ast.Node) bool { note(p.ids, n); return true })
			}
			places = append(places, p)
			if len(p.ids) > 0 || !isFunc || fn.Body == nil {
				continue
			}
			ast.Inspect(fn.Body, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					q := lines(id)
					if note(q.ids, id); len(q.ids) > 0 {
						places = append(places, q)
					}
				}
				return true
			})
		}
	}
	return places
}

func note(ids map[int]bool, n ast.Node) {
	if id, ok := n.(*ast.Ident); ok {
		if k, ok := idOf(id.Name); ok {
			ids[k] = true
		}
	}
}

// idOf returns the unit that an identifier belongs to.
func idOf(name string) (int, bool) {
	rest, ok := strings.CutPrefix(strings.ToLower(name), "reach")
	if !ok {
		return 0, false
	}
	number, _, ok := strings.Cut(rest, "_")
	if !ok {
		return 0, false
	}
	id, err := strconv.Atoi(number)
	return id, err == nil
}

// declName names a function within its package; a body that has moved has the
// name of its unit.
func declName(fn *ast.FuncDecl) string {
	if receiver, _ := syntax.Receiver(fn); receiver != "" {
		return receiver + "." + fn.Name.Name
	}
	return fn.Name.Name
}
