package permissions

import (
	"bytes"
	"cmp"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/opvet/opvet/internal/facts"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/kubeapi/rbac"
	"github.com/opvet/opvet/internal/passes/kinds"
)

// Kind is a Go type with the resource that the API server has for it.
type Kind struct {
	ID              string // see [kubeapi.KindID]
	Group, Resource string // Resource is empty if the group is not known
	Name            string
	ClusterScoped   bool
	InNamespaces    bool // certainly
	Guessed         bool
}

// kindOf names the resource of a kind: as Kubernetes serves it, as its markers say,
// or as the API machinery guesses.
func kindOf(id, group, name, plural string) Kind {
	k := Kind{ID: id, Group: group, Name: name, Resource: plural}
	if known, ok := rbac.Known(group, name); ok {
		k.Resource, k.ClusterScoped, k.InNamespaces = known.Name, known.ClusterScoped, !known.ClusterScoped
	} else if plural == "" {
		k.Resource, k.Guessed = rbac.Guess(name), true
	}
	return k
}

// resolver finds the resources of kinds.
type resolver struct {
	fset  *token.FileSet
	kinds *kinds.Kinds
	dirs  map[string]string
}

// of returns the resource of a kind.
func (r *resolver) of(kind *types.Named) Kind {
	id, name := kubeapi.KindID(kind), kind.Obj().Name()
	if kind.Obj().Pkg() == nil {
		return Kind{ID: id}
	}
	group, ok := rbac.GroupOfPackage(kind.Obj().Pkg().Path())
	if !ok {
		if group, ok = r.group(kind.Obj()); !ok {
			return Kind{ID: id}
		}
	}
	info := r.kinds.Of(kind)
	k := kindOf(id, group, name, info.Plural)
	k.ClusterScoped = k.ClusterScoped || info.ClusterScoped == kinds.Yes
	k.InNamespaces = !k.ClusterScoped && (k.InNamespaces || info.ClusterScoped == kinds.No)
	return k
}

// modules are the groups of packages in the module cache, which does not change.
var modules sync.Map

// groups are those of the user's own packages.
var groups facts.PerProgram[string]

// group returns the group under which the package of a type registers its kinds.
func (r *resolver) group(tn *types.TypeName) (string, bool) {
	file := syntax.SourceFile(r.fset, tn.Pos())
	if file == "" {
		return "", false
	}
	dir := filepath.Dir(file)
	if group, ok := r.dirs[dir]; ok {
		return group, group != ""
	}
	inCache := strings.Contains(dir, "@v")
	if group, ok := modules.Load(dir); ok && inCache {
		return group.(string), group != ""
	}
	group := groups.Of(r.fset, dir, func() string { return groupIn(dir, tn.Pkg()) })
	if r.dirs == nil {
		r.dirs = make(map[string]string)
	}
	r.dirs[dir] = group
	if inCache {
		modules.Store(dir, group)
	}
	return group, group != ""
}

// groupIn reads the group from the sources of a package: the GroupVersion that its
// kinds are registered with, or else the marker +groupName, which is for generators and
// may be a leftover. It is empty if there is none, or more than one.
func groupIn(dir string, pkg *types.Package) string {
	p := &packageSource{dir: dir, pkg: pkg, consts: make(map[string]ast.Expr)}
	for _, file := range parseAbout(dir, "roupName", "GroupVersion") {
		p.read(file)
	}
	found := ""
	for _, g := range p.groups {
		value := p.eval(g.value, g.file)
		if value == "" || found != "" && value != found {
			return p.marker
		}
		found = value
	}
	return cmp.Or(found, p.marker)
}

// packageSource is what the sources of a package say about its group.
type packageSource struct {
	dir    string
	pkg    *types.Package
	marker string
	groups []groupValue
	consts map[string]ast.Expr
}

type groupValue struct {
	value ast.Expr
	file  *ast.File
}

// parseAbout parses the files of a folder that mention one of the words.
func parseAbout(dir string, words ...string) []*ast.File {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var files []*ast.File
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".go") || strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil || !slices.ContainsFunc(words, func(word string) bool { return bytes.Contains(data, []byte(word)) }) {
			continue
		}
		if file, err := parser.ParseFile(token.NewFileSet(), entry.Name(), data, parser.ParseComments|parser.SkipObjectResolution); err == nil {
			files = append(files, file)
		}
	}
	return files
}

func (p *packageSource) read(file *ast.File) {
	for _, group := range file.Comments {
		if group.Pos() > file.Name.Pos() {
			break
		}
		for _, c := range group.List {
			if name, ok := strings.CutPrefix(strings.TrimSpace(strings.TrimPrefix(c.Text, "//")), "+groupName="); ok && name != "" {
				p.marker = strings.TrimSpace(name)
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			for i, name := range n.Names {
				if i < len(n.Values) {
					p.consts[name.Name] = n.Values[i]
				}
			}
		case *ast.CompositeLit:
			if sel, ok := n.Type.(*ast.SelectorExpr); ok && sel.Sel.Name == "GroupVersion" {
				p.version(n, file)
			}
		}
		return true
	})
}

func (p *packageSource) version(lit *ast.CompositeLit, file *ast.File) {
	for i, elt := range lit.Elts {
		switch elt := elt.(type) {
		case *ast.KeyValueExpr:
			if key, ok := elt.Key.(*ast.Ident); ok && key.Name == "Group" {
				p.groups = append(p.groups, groupValue{elt.Value, file})
			}
		default:
			if i == 0 {
				p.groups = append(p.groups, groupValue{elt, file})
			}
		}
	}
}

// eval returns the string that an expression is, if that can be seen.
func (p *packageSource) eval(e ast.Expr, file *ast.File) string {
	for range 5 {
		switch x := e.(type) {
		case *ast.BasicLit:
			s, _ := strconv.Unquote(x.Value)
			return s
		case *ast.Ident:
			if c, ok := p.pkg.Scope().Lookup(x.Name).(*types.Const); ok && c.Val().Kind() == constant.String {
				return constant.StringVal(c.Val())
			}
			next, ok := p.consts[x.Name]
			if !ok {
				return ""
			}
			e = next
		case *ast.SelectorExpr:
			from, ok := x.X.(*ast.Ident)
			if !ok {
				return ""
			}
			return p.imported(from.Name, x.Sel.Name, file)
		default:
			return ""
		}
	}
	return ""
}

// imported returns a constant of a package that is imported under a name: from its
// types, or from its source, if that is a neighbour.
func (p *packageSource) imported(name, constName string, file *ast.File) string {
	for _, spec := range file.Imports {
		importPath, err := strconv.Unquote(spec.Path.Value)
		if err != nil || spec.Name == nil && path.Base(importPath) != name || spec.Name != nil && spec.Name.Name != name {
			continue
		}
		for _, imported := range p.pkg.Imports() {
			if imported.Path() != importPath {
				continue
			}
			if c, ok := imported.Scope().Lookup(constName).(*types.Const); ok && c.Val().Kind() == constant.String {
				return constant.StringVal(c.Val())
			}
		}
		rel, err := filepath.Rel(filepath.FromSlash(p.pkg.Path()), filepath.FromSlash(importPath))
		if err != nil {
			return ""
		}
		neighbour := &packageSource{dir: filepath.Join(p.dir, rel), pkg: types.NewPackage(importPath, name), consts: make(map[string]ast.Expr)}
		for _, f := range parseAbout(neighbour.dir, constName) {
			neighbour.read(f)
			if value, ok := neighbour.consts[constName]; ok {
				return neighbour.eval(value, f)
			}
		}
	}
	return ""
}
