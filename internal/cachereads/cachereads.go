// Package cachereads tells what a program makes the caches of its
// controller-runtime managers hold: which kinds it reads through which client, and
// which it watches.
//
// Whether a client is the manager's, which reads from the cache, is not seen where it
// is used: it lies in a field of a reconciler, or is a parameter of a helper. So
// each package notes how clients, managers, builders and objects get from one place
// to another: into fields, variables, parameters and results (a [Flow]). Where the
// program is put together, all that is known of these flows, and a place is what
// all that flows into it is: a client into whose field both the manager's client and
// another one flow is neither.
//
// Places have names that are the same in all packages; calls through interfaces
// and function values go by the name of the method and by the type of the function,
// which may join more than the program does, and so makes the answer less certain,
// never wrong.
package cachereads

import (
	"cmp"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/callgraph"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/literal"
	"github.com/opvet/opvet/internal/managers"
)

// Analyzer gathers what a package and those that it imports read and watch; its
// result is a *[Program].
var Analyzer = &analysis.Analyzer{
	Name:       "opvetcachereads",
	Doc:        "gather what a program reads from its managers' caches and watches",
	Requires:   []*analysis.Analyzer{callgraph.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[*Program](),
	FactTypes:  []analysis.Fact{new(Fact)},
}

// Op is how a kind is used.
type Op uint8

// The ways of using a kind.
const (
	// Get reads one object.
	Get Op = iota
	// ListSome reads those of a namespace, or with certain labels or fields.
	ListSome
	// ListAll reads all.
	ListAll
	// For, Owns and Watches are the watches of a controller.
	For
	Owns
	Watches
	// Informer asks for an informer, or registers an index.
	Informer
	// Handed is an object handed to a function of another module together with
	// a manager or cache: that may watch the kind.
	Handed
)

// Reads reports whether a use reads objects.
func (o Op) Reads() bool { return o <= ListAll }

// Form is in which form a kind is kept: each has a cache of its own.
type Form string

// The forms.
const (
	Typed        Form = "typed"
	Unstructured Form = "unstructured"
	Metadata     Form = "metadata"
)

// Use is one place that reads or watches a kind.
type Use struct {
	Op Op
	// By is the place of the client, cache or builder that is used; empty if it
	// is not known.
	By string
	// Object is the place of the object.
	Object string
	// Metadata tells that a watch keeps the metadata only, whatever the object.
	Metadata bool
	// What is the call as the code has it, such as "r.Get" or "Owns".
	What string
	// Filter is by what a predicate picks the objects of a watch: "name",
	// "namespace" or "labels"; empty if it does not.
	Filter string
	Where  string
	// Pos is the place, for uses in the package under analysis.
	Pos token.Pos `json:"-"`
	// Own tells that Pos is one in the package under analysis.
	Own bool `json:"-"`
}

// Flow tells that what is at From may get to To.
type Flow struct {
	To, From string
	// Where is the place of the call, if From is a kind.
	Where string
}

// Fact is what a package and those that it imports do. It is the fact on the
// package.
type Fact struct {
	Flows    []Flow
	Uses     []Use
	Managers []managers.Manager
	// Left are the managers that are handed on to the packages that import this
	// one, by their ID, so that these put the program together.
	Left []string
	// Full tells that something was left out, so that nothing is certain.
	Full bool
}

// AFact marks Fact as a fact.
func (*Fact) AFact() {}

func (f *Fact) String() string { return "cache uses" }

// Program is what is known in one package.
type Program struct {
	Fact
	// Made are the managers that this package makes, by their ID.
	Made map[string]ssa.CallInstruction
	// Calls is nil if the package was not looked into.
	Calls *callgraph.Graph

	into map[string][]Flow
	// handsOn are the results of this package's exported functions that are
	// managers.
	handsOn []string
}

// maxFlows and maxUses bound the fact.
const (
	maxFlows = 20000
	maxUses  = 4000
)

func run(pass *analysis.Pass) (any, error) {
	p := &Program{Made: make(map[string]ssa.CallInstruction)}
	for _, imported := range kubeapi.Imports(pass) {
		var fact Fact
		if pass.ImportPackageFact(imported, &fact) {
			p.Flows = append(p.Flows, fact.Flows...)
			p.Uses = append(p.Uses, fact.Uses...)
			p.Managers = append(p.Managers, fact.Managers...)
			p.Left = append(p.Left, fact.Left...)
			p.Full = p.Full || fact.Full
		}
	}
	calls := pass.ResultOf[callgraph.Analyzer].(*callgraph.Graph)
	if calls.Pkg != nil && kubeapi.ReachesRuntime(pass) {
		p.Calls = calls
		g := newGatherer(pass, calls, p)
		g.gather()
	}
	p.normalize()
	p.leave(pass)
	if !p.isZero() && kubeapi.InUserModule(pass) {
		fact := p.Fact
		fact.Uses = slices.Clone(p.Uses)
		for i := range fact.Uses {
			fact.Uses[i].Pos, fact.Uses[i].Own = token.NoPos, false
		}
		fact.Managers = slices.Clone(p.Managers)
		for i := range fact.Managers {
			fact.Managers[i].Empty = slices.Clone(fact.Managers[i].Empty)
			for j := range fact.Managers[i].Empty {
				fact.Managers[i].Empty[j].Pos = token.NoPos
			}
		}
		pass.ExportPackageFact(&fact)
	}
	return p, nil
}

func (p *Program) isZero() bool {
	return len(p.Flows) == 0 && len(p.Uses) == 0 && len(p.Managers) == 0 && !p.Full
}

// normalize sorts, and drops what is there twice, or what nothing can depend
// on: flows into places that lead to no use and that no other package can know.
func (p *Program) normalize() {
	slices.SortFunc(p.Flows, func(a, b Flow) int {
		return cmp.Or(strings.Compare(a.To, b.To), strings.Compare(a.From, b.From), strings.Compare(a.Where, b.Where))
	})
	p.Flows = slices.Compact(p.Flows)
	slices.SortStableFunc(p.Uses, func(a, b Use) int {
		return cmp.Or(comparePlaces(a.Where, b.Where), strings.Compare(a.What, b.What), strings.Compare(a.By, b.By),
			strings.Compare(a.Object, b.Object), cmp.Compare(a.Op, b.Op))
	})
	p.Uses = slices.CompactFunc(p.Uses, func(a, b Use) bool {
		return a.Where == b.Where && a.What == b.What && a.By == b.By && a.Object == b.Object && a.Op == b.Op && a.Own == b.Own
	})
	slices.SortFunc(p.Managers, func(a, b managers.Manager) int { return strings.Compare(a.ID, b.ID) })
	p.Managers = slices.CompactFunc(p.Managers, func(a, b managers.Manager) bool { return a.ID == b.ID })
	slices.Sort(p.Left)
	p.Left = slices.Compact(p.Left)

	p.index()
	needed := make(map[string]bool)
	var need func(place string)
	need = func(place string) {
		if needed[place] {
			return
		}
		needed[place] = true
		for _, f := range p.into[place] {
			need(f.From)
		}
	}
	for _, u := range p.Uses {
		need(u.By)
		need(u.Object)
	}
	for _, f := range p.Flows {
		switch prefix, _, _ := strings.Cut(f.To, ":"); prefix {
		case placeResult, placeField, placeVariable, placeMethodResult, placeFuncResult:
			need(f.To)
		}
	}
	p.Flows = slices.DeleteFunc(p.Flows, func(f Flow) bool { return !needed[f.To] })
	if len(p.Flows) > maxFlows || len(p.Uses) > maxUses {
		p.Flows, p.Uses, p.Full = p.Flows[:min(len(p.Flows), maxFlows)], p.Uses[:min(len(p.Uses), maxUses)], true
	}
	p.index()
}

// comparePlaces orders "dir/file.go:12" by file and line.
func comparePlaces(a, b string) int {
	file, line, _ := strings.Cut(a, ":")
	other, otherLine, _ := strings.Cut(b, ":")
	return cmp.Or(strings.Compare(file, other), cmp.Compare(len(line), len(otherLine)), strings.Compare(line, otherLine))
}

func (p *Program) index() {
	p.into = make(map[string][]Flow)
	for _, f := range p.Flows {
		p.into[f.To] = append(p.into[f.To], f)
	}
}

// leave finds out which managers of this package get to those that import it:
// an exported function returns them.
func (p *Program) leave(pass *analysis.Pass) {
	if pass.Pkg.Name() == "main" || len(p.Made) == 0 {
		return
	}
	for _, place := range p.handsOn {
		for _, l := range p.At(place) {
			if id, isManager := strings.CutPrefix(l.Name, labelManager); isManager && p.Made[id] != nil {
				p.Left = append(p.Left, id)
			}
		}
	}
	slices.Sort(p.Left)
	p.Left = slices.Compact(p.Left)
}

// Label is what is at a place.
type Label struct {
	// Name is labelManager with an ID, labelLive, labelUnknown, or labelKind with
	// a form and a kind.
	Name string
	// Where is where a kind comes from, if not from the place itself.
	Where string
}

// Labels that end a flow.
const (
	labelManager = "manager:"
	labelKind    = "kind:"
	labelLive    = "live:"
	labelUnknown = "unknown:"
)

// At returns what may be at a place.
func (p *Program) At(place string) []Label {
	found := make(map[Label]bool)
	seen := make(map[string]bool)
	var visit func(place, where string)
	visit = func(place, where string) {
		prefix, _, _ := strings.Cut(place, ":")
		switch prefix + ":" {
		case labelManager, labelKind, labelLive, labelUnknown:
			found[Label{place, where}] = true
			return
		}
		if seen[place] {
			return
		}
		seen[place] = true
		flows := p.into[place]
		if len(flows) == 0 {
			switch prefix {
			case placeResult, placeMethodResult, placeFuncResult:
				found[Label{Name: labelUnknown}] = true
			}
		}
		for _, f := range flows {
			visit(f.From, f.Where)
		}
	}
	visit(place, "")
	labels := make([]Label, 0, len(found))
	for l := range found {
		labels = append(labels, l)
	}
	slices.SortFunc(labels, func(a, b Label) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Where, b.Where))
	})
	return labels
}

// Manager returns the ID of the one manager that a client, cache or builder
// belongs to; empty if it may be another client, or is not known.
func (p *Program) Manager(place string) string {
	if place == "" {
		return ""
	}
	var id string
	for _, l := range p.At(place) {
		m, ok := strings.CutPrefix(l.Name, labelManager)
		if !ok || id != "" && id != m {
			return ""
		}
		id = m
	}
	return id
}

// MayBelong reports whether a client, cache or builder may be of a manager.
func (p *Program) MayBelong(place, id string) bool {
	if place == "" {
		return true
	}
	for _, l := range p.At(place) {
		if l.Name == labelManager+id || l.Name == labelUnknown {
			return true
		}
	}
	return false
}

// Kind is a kind in one of its forms.
type Kind struct {
	Form Form
	ID   string // empty if it is not known
	// Where is where the object comes from if it is handed to a helper.
	Where string
}

// Kinds returns the kinds that the object of a use may have.
func (p *Program) Kinds(u Use) []Kind {
	var kinds []Kind
	for _, l := range p.At(u.Object) {
		rest, ok := strings.CutPrefix(l.Name, labelKind)
		if !ok {
			kinds = append(kinds, Kind{})
			continue
		}
		form, id, _ := strings.Cut(rest, "|")
		if u.Metadata {
			form = string(Metadata)
		}
		kinds = append(kinds, Kind{Form(form), id, l.Where})
	}
	return kinds
}

type gatherer struct {
	*Program
	pass     *analysis.Pass
	calls    *callgraph.Graph
	read     *literal.Reader
	managers *managers.Reader
	followed map[types.Type]bool // see isFollowed
	temps    int
	taken    map[string]bool // functions whose values were linked already
}

func newGatherer(pass *analysis.Pass, calls *callgraph.Graph, p *Program) *gatherer {
	return &gatherer{
		Program: p, pass: pass, calls: calls, taken: make(map[string]bool), followed: make(map[types.Type]bool),
		read: &literal.Reader{Calls: calls}, managers: &managers.Reader{Calls: calls, Fset: pass.Fset},
	}
}

// flow notes that what comes from somewhere may get to a place.
func (g *gatherer) flow(to string, from []origin) { g.flowAt(to, from, token.NoPos) }

// flowAt is flow for an argument of a call at pos: if it is an object, that is
// where its kind is known.
func (g *gatherer) flowAt(to string, from []origin, pos token.Pos) {
	for _, s := range from {
		if s.place == to {
			continue
		}
		f := Flow{To: to, From: s.place}
		if pos.IsValid() && strings.HasPrefix(s.place, labelKind) {
			f.Where = managers.Place(g.pass.Fset, pos)
		}
		g.Flows = append(g.Flows, f)
	}
}

// place returns one name for several origins.
func (g *gatherer) place(from []origin) string {
	if len(from) == 1 {
		return from[0].place
	}
	if len(from) == 0 {
		return ""
	}
	g.temps++
	name := placeOther + ":" + g.pass.Pkg.Path() + "#" + itoa(g.temps)
	g.flow(name, from)
	return name
}

func (g *gatherer) gather() {
	funcs := g.calls.Funcs
	if init := g.calls.Pkg.Func("init"); init != nil {
		funcs = append([]*ssa.Function{init}, funcs...)
	}
	for _, fn := range funcs {
		for _, block := range fn.Blocks {
			for _, instr := range block.Instrs {
				g.instruction(fn, instr)
			}
		}
	}
}

// implement links the methods of a type that is put into an interface to the
// calls through such.
func (g *gatherer) implement(v *ssa.MakeInterface) {
	iface, ok := v.Type().Underlying().(*types.Interface)
	if !ok || iface.NumMethods() == 0 {
		return
	}
	key := types.TypeString(v.X.Type(), nil) + " " + types.TypeString(v.Type(), nil)
	if g.taken[key] {
		return
	}
	g.taken[key] = true
	for method := range iface.Methods() {
		sig := method.Signature()
		if !g.isLinked(sig) {
			continue
		}
		obj, _, _ := types.LookupFieldOrMethod(v.X.Type(), true, method.Pkg(), method.Name())
		fn, ok := obj.(*types.Func)
		if !ok || fn.Pkg() == nil || !g.calls.SameModule(fn.Pkg()) || types.IsInterface(fn.Signature().Recv().Type()) {
			continue
		}
		name := fn.Origin().FullName()
		for i := range sig.Params().Len() {
			if g.isCertain(sig.Params().At(i).Type()) {
				g.flow(paramOf(name, i+1), []origin{{methodParam(method.Name(), sig.Params().Len(), i)}})
			}
		}
		for i := range sig.Results().Len() {
			if g.isCertain(sig.Results().At(i).Type()) {
				g.flow(methodResult(method.Name(), sig.Params().Len(), i), []origin{{resultOf(name, i)}})
			}
		}
	}
}

// isLinked reports whether clients or managers get into or out of functions of
// a signature.
func (g *gatherer) isLinked(sig *types.Signature) bool {
	for _, tuple := range []*types.Tuple{sig.Params(), sig.Results()} {
		for v := range tuple.Variables() {
			if g.isCertain(v.Type()) {
				return true
			}
		}
	}
	return false
}

func (g *gatherer) instruction(fn *ssa.Function, instr ssa.Instruction) {
	g.functionValues(instr)
	switch instr := instr.(type) {
	case *ssa.MakeInterface:
		g.implement(instr)
	case *ssa.Store:
		if to := g.storePlace(instr.Addr); to != "" && g.isFollowed(instr.Val.Type()) {
			g.flow(to, g.sources(instr.Val))
		}
		g.olderSource(instr)
	case *ssa.MapUpdate:
		if g.isFollowed(instr.Value.Type()) {
			for _, to := range g.containers(instr.Map) {
				g.flow(to, g.sources(instr.Value))
			}
		}
	case *ssa.Return:
		for i, result := range instr.Results {
			if g.isFollowed(result.Type()) {
				g.flow(resultPlace(fn, i), g.sources(result))
			}
			if obj := fn.Object(); obj != nil && obj.Exported() && kubeapi.IsManager(result.Type()) {
				g.handsOn = append(g.handsOn, resultPlace(fn, i))
			}
		}
	case ssa.CallInstruction:
		g.call(instr)
	}
}

// functionValues links functions that are used as values to the calls of such.
func (g *gatherer) functionValues(instr ssa.Instruction) {
	var called ssa.Value
	if call, ok := instr.(ssa.CallInstruction); ok && !call.Common().IsInvoke() {
		called = call.Common().Value
	}
	for _, operand := range instr.Operands(nil) {
		v := *operand
		if v == nil || v == called {
			continue
		}
		fn, ok := v.(*ssa.Function)
		if !ok {
			if closure, isClosure := v.(*ssa.MakeClosure); isClosure {
				fn, ok = closure.Fn.(*ssa.Function), true
			}
		}
		if !ok || g.taken[fn.String()] {
			continue
		}
		g.taken[fn.String()] = true
		declared, abstract := callgraph.Unwrap(fn)
		if abstract != nil {
			continue
		}
		sig := v.Type().Underlying().(*types.Signature)
		// A bound receiver is not among the value's parameters.
		first := declared.Signature.Params().Len() - sig.Params().Len()
		if declared.Signature.Recv() != nil {
			first++
		}
		for i := range sig.Params().Len() {
			if g.isCertain(sig.Params().At(i).Type()) {
				g.flow(paramPlace(declared, first+i), []origin{{funcParam(sig, i)}})
			}
		}
		for i := range sig.Results().Len() {
			if g.isCertain(sig.Results().At(i).Type()) {
				g.flow(funcResult(sig, i), []origin{{resultPlace(declared, i)}})
			}
		}
	}
}

// call links arguments to parameters, and notes what is used.
func (g *gatherer) call(call ssa.CallInstruction) {
	common := call.Common()
	if kubeapi.MakesManager(common) {
		g.manager(call)
		return
	}
	g.use(call)
	if common.IsInvoke() {
		n := common.Method.Signature().Params().Len()
		for i, arg := range common.Args {
			if g.isCertain(arg.Type()) {
				g.flow(methodParam(common.Method.Name(), n, i), g.sources(arg))
			}
		}
		return
	}
	fn, _ := common.Value.(*ssa.Function)
	if closure, ok := common.Value.(*ssa.MakeClosure); ok {
		fn, _ = closure.Fn.(*ssa.Function)
	}
	if fn == nil {
		if _, builtin := common.Value.(*ssa.Builtin); builtin {
			return
		}
		sig, ok := common.Value.Type().Underlying().(*types.Signature)
		if !ok {
			return
		}
		for i, arg := range common.Args {
			if g.isCertain(arg.Type()) {
				g.flow(funcParam(sig, i), g.sources(arg))
			}
		}
		return
	}
	declared, abstract := callgraph.Unwrap(fn)
	if abstract != nil || !g.isUsers(declared) {
		return
	}
	for i, v := range kubeapi.Operands(common) {
		if g.isFollowed(v.Type()) {
			g.flowAt(paramPlace(declared, i), g.sources(v), call.Pos())
		}
	}
}

// isUsers reports whether a function is one of the user's modules.
func (g *gatherer) isUsers(fn *ssa.Function) bool {
	if fn.Pkg == nil {
		return fn.Parent() != nil
	}
	return g.calls.SameModule(fn.Pkg.Pkg)
}

func (g *gatherer) manager(call ssa.CallInstruction) string {
	m := g.managers.Of(call)
	if g.Made[m.ID] == nil {
		g.Made[m.ID] = call
		g.Managers = append(g.Managers, *m)
	}
	return labelManager + m.ID
}

// Decides returns where a finding about a manager stands if the package puts
// the program together that the manager is of: it makes it and keeps it, or it
// is a main package that gets it from another. It returns nil for all others.
func (p *Program) Decides(id string, pkg *types.Package) ssa.CallInstruction {
	_, left := slices.BinarySearch(p.Left, id)
	if call := p.Made[id]; call != nil && !left {
		return call
	}
	if !left || pkg.Name() != "main" || p.Calls == nil {
		return nil
	}
	for _, fn := range p.Calls.Funcs {
		for _, block := range fn.Blocks {
			for _, instr := range block.Instrs {
				call, ok := instr.(*ssa.Call)
				if !ok || call.Call.IsInvoke() || call.Call.StaticCallee() == nil {
					continue
				}
				callee, abstract := callgraph.Unwrap(call.Call.StaticCallee())
				if abstract != nil {
					continue
				}
				for i := range call.Call.Signature().Results().Len() {
					if p.Manager(resultPlace(callee, i)) == id {
						return call
					}
				}
			}
		}
	}
	return nil
}
