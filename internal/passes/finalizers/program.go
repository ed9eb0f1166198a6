package finalizers

import (
	"fmt"
	"go/constant"
	"go/types"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/facts"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// ProgramAnalyzer gathers which finalizers a package and those that it imports
// put on objects and take off; its result is a *[Program].
var ProgramAnalyzer = &analysis.Analyzer{
	Name:       "opvetfinalizerprogram",
	Doc:        "gather which finalizers a program adds and removes",
	Requires:   []*analysis.Analyzer{Analyzer},
	Run:        runProgram,
	ResultType: reflect.TypeFor[*Program](),
	FactTypes:  []analysis.Fact{new(ProgramFact)},
}

// ProgramFact is the fact on a package about itself and what it imports.
type ProgramFact struct {
	Added   []Addition
	Removed []string // values or keys of names, sorted
	// Open tells that finalizers are removed whose names are not known.
	Open bool
	// Builds tells that one of the packages puts the program together: it
	// makes a manager.
	Builds bool
}

// AFact marks ProgramFact as a fact.
func (*ProgramFact) AFact() {}

// Addition is a finalizer that a package puts on objects.
type Addition struct {
	Name string // the value, or the key of the variable that holds it
	// Variable tells that Name is a variable's key.
	Variable bool
	Kind     string // such as "*v1.Backup", for messages
	Where    string // "file.go:12"
	// Local tells that no other package can know the name, so that the package
	// itself decides whether it is removed.
	Local bool
	// Stored tells that the object is written with it: a helper that only
	// edits the list leaves that to its caller.
	Stored bool
}

// Program is what is known in one package.
type Program struct {
	// Own are the additions of the package itself, with their places.
	Own []OwnAddition
	// All has what the package and those that it imports do.
	All ProgramFact
	// Manager is the call that makes the program's manager, if this package
	// puts the program together and none that it imports does.
	Manager ssa.CallInstruction
}

// OwnAddition is an addition in the package that is looked at.
type OwnAddition struct {
	Addition
	Node *paths.Node
}

// Removes reports whether the finalizer is removed, or may be.
func (p *Program) Removes(name string) bool {
	_, found := slices.BinarySearch(p.All.Removed, name)
	return found || p.All.Open
}

// maxProgram bounds the fact.
const maxProgram = 200

func runProgram(pass *analysis.Pass) (any, error) {
	p := new(Program)
	info := pass.ResultOf[Analyzer].(*Finalizers)
	removed := make(map[string]bool)
	for _, fact := range facts.OfPackages[*ProgramFact](pass) {
		p.All.merge(fact, removed)
	}
	if info.Summaries.Calls.Pkg != nil {
		g := &gatherer{Finalizers: info, pass: pass, program: p, removed: removed, handed: make(map[string]bool)}
		for _, fn := range info.Summaries.Units() {
			g.function(fn)
		}
		for _, own := range g.helped {
			g.added(own.unit, own.node, own.change, own.change.Name.id())
		}
		g.other()
		for _, own := range p.Own {
			if g.handed[own.Name] {
				removed[own.Name] = true
			}
			if len(p.All.Added) < maxProgram {
				p.All.Added = append(p.All.Added, own.Addition)
			}
		}
	}
	p.All.Removed = slices.Sorted(maps.Keys(removed))
	if (len(p.All.Added) > 0 || len(p.All.Removed) > 0 || p.All.Open || p.All.Builds) && kubeapi.InUserModule(pass) {
		fact := p.All
		pass.ExportPackageFact(&fact)
	}
	return p, nil
}

func (f *ProgramFact) merge(other *ProgramFact, removed map[string]bool) {
	for _, a := range other.Added {
		if len(f.Added) < maxProgram && !slices.Contains(f.Added, a) {
			f.Added = append(f.Added, a)
		}
	}
	for _, name := range other.Removed {
		removed[name] = true
	}
	f.Open = f.Open || other.Open
	f.Builds = f.Builds || other.Builds
}

type gatherer struct {
	*Finalizers
	pass    *analysis.Pass
	program *Program
	removed map[string]bool
	// helped are the additions by helpers that know the name: to be looked at
	// when the helpers' own are known.
	helped []helpedChange
	// handed are the texts that are handed to functions which are not understood: whatever has a
	// finalizer's name may take it off.
	handed map[string]bool
	// exported are the values of constants that other packages may know, once
	// somebody has asked.
	exported map[string]bool
}

type helpedChange struct {
	unit   *objects.Unit
	node   *paths.Node
	change Change
}

// function gathers what one function does.
func (g *gatherer) function(fn *ssa.Function) {
	u := g.Summaries.Unit(fn)
	for _, n := range u.Graph.Nodes {
		if skipped(n) {
			continue
		}
		changes := g.Changes(n.Instr)
		for _, c := range changes {
			g.change(u, n, c)
		}
		g.patches(u, n)
		if len(changes) == 0 {
			g.unknown(n)
		}
		if call, ok := n.Instr.(ssa.CallInstruction); ok && kubeapi.MakesManager(call.Common()) && !g.program.All.Builds {
			g.program.Manager = call
		}
	}
	if g.program.Manager != nil {
		g.program.All.Builds = true
	}
}

func (n Name) id() string {
	if n.Value != "" {
		return n.Value
	}
	return n.Key
}

func (g *gatherer) change(u *objects.Unit, n *paths.Node, c Change) {
	id := c.Name.id()
	switch c.Kind {
	case Added, Replaced:
		switch {
		case id == "":
		case c.Via != nil && !g.namedHere(n, id):
			g.helped = append(g.helped, helpedChange{u, n, c})
		default:
			g.added(u, n, c, id)
		}
	case Removed:
		switch {
		case id != "":
			g.removed[id] = true
		case c.Name.Param == 0 || !g.called(n.Frame.Fn):
			g.program.All.Open = true
		}
	case Emptied:
		g.program.All.Open = true
	}
}

// called reports whether a function with the name of a finalizer as its
// parameter is seen where it is called: there the name is known.
func (g *gatherer) called(fn *ssa.Function) bool {
	obj := fn.Object()
	return obj != nil && obj.Exported() || len(g.Summaries.Calls.Callers(fn)) > 0
}

func (g *gatherer) added(u *objects.Unit, n *paths.Node, c Change, id string) {
	if isRemovedByOthers(id) {
		return
	}
	stored := c.Persisted || g.persisted(u, c.Object)
	passed := c.Via != nil && !g.namedHere(n, id) // the helper knows the name
	if passed {
		for i, own := range g.program.Own {
			if own.Name == id {
				g.program.Own[i].Stored = own.Stored || stored
				return
			}
		}
		if !stored || c.Via.Pkg() == g.pass.Pkg {
			return
		}
	}
	at := g.pass.Fset.Position(n.Instr.Pos())
	a := Addition{
		Name: id, Where: fmt.Sprintf("%s:%d", filepath.Base(at.Filename), at.Line),
		Local: !passed && g.isLocal(c.Name), Stored: stored, Variable: c.Name.Value == "",
	}
	if c.Type != nil && c.Type.Obj().Pkg() != nil {
		a.Kind = "*" + c.Type.Obj().Pkg().Name() + "." + c.Type.Obj().Name()
	}
	g.program.Own = append(g.program.Own, OwnAddition{a, n})
}

// namedHere reports whether the name of a finalizer is an argument of a call.
func (g *gatherer) namedHere(n *paths.Node, id string) bool {
	call := n.Call()
	if call == nil {
		return false
	}
	return slices.ContainsFunc(kubeapi.Operands(call.Common()), func(v ssa.Value) bool { return g.NameOf(v).id() == id })
}

// isRemovedByOthers reports whether a finalizer is one that Kubernetes itself, another of its projects,
// or Argo CD removes, whose users put it on Applications (see its documentation of app deletion).
func isRemovedByOthers(name string) bool {
	domain, _, qualified := strings.Cut(name, "/")
	return !qualified && (name == "orphan" || name == "foregroundDeletion" || name == "kubernetes") ||
		domain == "kubernetes.io" || strings.HasSuffix(domain, ".kubernetes.io") ||
		strings.HasSuffix(domain, ".argocd.argoproj.io")
}

// isLocal reports whether no other package can refer to a name: no exported
// constant here or in what this package imports has its value, and no
// exported variable is it.
func (g *gatherer) isLocal(n Name) bool {
	if n.Value == "" {
		return isLocalVariable(g.pass.Pkg, n.Key)
	}
	if g.exported == nil {
		g.exported = exportedTexts(slices.Concat(kubeapi.Imports(g.pass), []*types.Package{g.pass.Pkg}))
	}
	return !g.exported[n.Value]
}

// exportedTexts returns the values of the packages' exported constants that are
// texts.
func exportedTexts(pkgs []*types.Package) map[string]bool {
	texts := make(map[string]bool)
	for _, pkg := range pkgs {
		scope := pkg.Scope()
		for _, name := range scope.Names() {
			c, ok := scope.Lookup(name).(*types.Const)
			if ok && c.Exported() && c.Val().Kind() == constant.String {
				texts[constant.StringVal(c.Val())] = true
			}
		}
	}
	return texts
}

func isLocalVariable(pkg *types.Package, key string) bool {
	name, ok := strings.CutPrefix(key, pkg.Path()+".")
	if !ok {
		return false
	}
	v, ok := pkg.Scope().Lookup(name).(*types.Var)
	return ok && !v.Exported()
}

func (g *gatherer) patches(u *objects.Unit, n *paths.Node) {
	for _, p := range g.Patches(n.Instr) {
		if p.List == nil {
			continue
		}
		if p.List.Empty() || p.List.Value != nil || p.List.Names > 0 {
			g.program.All.Open = true
		}
		for _, v := range p.List.Values {
			if name := g.NameOf(v); name.id() != "" {
				g.change(u, n, Change{Kind: Replaced, Name: name, Object: p.To, Type: KindOf(p.To), Persisted: true})
			}
		}
	}
}

// unknown notes what may remove finalizers without being understood: lists
// that are not, and functions of other modules that are given the name.
func (g *gatherer) unknown(n *paths.Node) {
	if _, list, ok := g.Assigned(n.Instr); ok {
		if e := g.editOf(list, 0); !e.known {
			g.program.All.Open = true
		}
		return
	}
	call, ok := n.Instr.(*ssa.Call)
	if !ok || len(g.Summaries.Calls.Callees(call).Funcs) > 0 {
		return
	}
	callee := kubeapi.Callee(call.Common())
	if _, builtin := call.Common().Value.(*ssa.Builtin); builtin || kubeapi.Logs(callee) {
		return
	}
	// What says yes or no is a test, unless nobody listens.
	if types.Identical(call.Type(), types.Typ[types.Bool]) && !calls.Unused(call) || callee != nil && callee.Name() == "MatchingFields" {
		return
	}
	for _, v := range kubeapi.Operands(call.Common()) {
		if !types.Identical(v.Type(), types.Typ[types.String]) {
			continue
		}
		if id := g.NameOf(v).id(); strings.Contains(id, "/") {
			g.removed[id] = true
		} else if id != "" {
			g.handed[id] = true
		}
	}
}

// other looks for documents that may remove finalizers: the path of a JSON
// patch, the key of a map.
func (g *gatherer) other() {
	var operands blocks.Operands
	for _, fn := range g.Summaries.Calls.Funcs {
		for instr := range blocks.Instrs(fn) {
			for _, operand := range operands.Of(instr) {
				if *operand == nil {
					continue
				}
				s, ok := kubeapi.ConstString(*operand)
				if ok && (s == "finalizers" || strings.Contains(s, "/metadata/finalizers") || strings.Contains(s, `"finalizers"`)) && !g.isPatched(instr) {
					g.program.All.Open = true
				}
			}
		}
	}
}

// isPatched reports whether the key of a map literal is part of a patch that
// sets finalizers to names that are known.
func (g *gatherer) isPatched(instr ssa.Instruction) bool {
	update, ok := instr.(*ssa.MapUpdate)
	if !ok {
		return false
	}
	slice, ok := g.Summaries.Source(update.Value).(*ssa.Slice)
	if !ok {
		return false
	}
	values, ok := kubeapi.VariadicArgs(slice)
	return ok && len(values) > 0
}
