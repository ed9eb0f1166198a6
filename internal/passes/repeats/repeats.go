// Package repeats finds clients of the API server, managers, caches and
// informer factories that are built again and again: in what reconcilers,
// handlers of events, workers and webhooks call, from what is the same each
// time. A function of the user's modules that builds one each time it is called
// says so in the fact [Builds], and one that sends an HTTP request without a
// timeout in the fact [Sends].
//
// Left out are clients for what differs from call to call, such as another
// cluster whose credentials are read from a Secret, or a user whose token came
// with the request; those that are built only if there is none yet; and those
// that are put into a field, a variable or a map.
package repeats

import (
	"go/token"
	"go/types"
	"reflect"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/passes/invariants"
	"github.com/opvet/opvet/internal/passes/once"
)

// Analyzer finds clients that are built again and again; its result is an
// *[Built].
var Analyzer = &analysis.Analyzer{
	Name:       "opvetrepeats",
	Doc:        "find clients that are built again and again",
	Requires:   []*analysis.Analyzer{calls.Analyzer, contexts.Analyzer, entrypoints.Analyzer, invariants.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[*Built](),
	FactTypes:  []analysis.Fact{new(Builds), new(Sends)},
}

// Builds is the fact on a function that builds clients each time it is called.
type Builds struct{ List []Build }

// AFact marks a fact on a function.
func (*Builds) AFact() {}

// Build is a client that a function builds.
type Build struct {
	Kind kubeapi.ClientKind
	// What is the call as the source has it: "kubernetes.NewForConfig"; Func is
	// the function that it stands in, Place the file and line.
	What, Func, Place string
	// Inputs are the parameters that it is made of.
	Inputs []invariants.Input
	// Returned tells that the function returns the client: the caller may keep
	// it.
	Returned bool
	// Unshared tells that its connections are its own.
	Unshared bool
	// Unread tells of a transport that none is left of its connections; HTTP1 that this is so
	// where callers close the answers unread.
	Unread, HTTP1 bool
}

// Site is a client that is built each time that an entry point is called.
type Site struct {
	// Instr builds it, or calls the function of another package that does.
	Instr ssa.Instruction
	Build
	// Elsewhere tells that the build is in another package.
	Elsewhere bool
	// Path leads from the entry point to the function of the call.
	Path *entrypoints.Path
}

// Built has what was found in one package.
type Built struct {
	// Sites in source order, each once.
	Sites []*Site

	finder *finder // nil if the package is not looked into
}

// Walk visits the functions that run again and again, each by a path from an
// entry point; those with several entry points are visited several times.
func (i *Built) Walk(visit func(*entrypoints.Path)) {
	if i.finder != nil {
		i.finder.walk(follows, visit)
	}
}

// Without returns the functions that run again and again also if some calls are
// left out.
func (i *Built) Without(leftOut func(ssa.CallInstruction) bool) map[*ssa.Function]bool {
	reached := make(map[*ssa.Function]bool)
	if i.finder != nil {
		i.finder.walk(func(from *entrypoints.Path, edge *entrypoints.Edge) bool {
			return follows(from, edge) && !leftOut(edge.Site)
		}, func(at *entrypoints.Path) { reached[at.Fn] = true })
	}
	return reached
}

// Same reports whether the part of a value is the same each time that the entry
// of the path is called.
func (i *Built) Same(v ssa.Value, path string, at *entrypoints.Path) bool {
	needs, ok := i.finder.invariant.Part(v, path)
	return ok && i.finder.resolve(needs, at, 0)
}

// Called is the function that a call names, as the source has it.
func (i *Built) Called(call ssa.CallInstruction) string { return i.finder.called(call) }

func run(pass *analysis.Pass) (any, error) {
	f := &finder{
		pass: pass, info: new(Built),
		graph:     pass.ResultOf[calls.Analyzer].(*calls.Graph),
		entries:   pass.ResultOf[entrypoints.Analyzer].(*entrypoints.Result),
		invariant: pass.ResultOf[invariants.Analyzer].(*invariants.Values),
		contexts:  pass.ResultOf[contexts.Analyzer].(*contexts.Sources),
		sends:     make(map[*types.Func]*Sends),
		sendNames: make(map[string]bool),
		imports:   make(map[*types.Func]*Builds),
		sums:      make(map[*ssa.Function][]sum),
		known:     make(map[ssa.Instruction][]sum),
	}
	if f.graph.Pkg == nil || kubeapi.ServesTests(pass) {
		return f.info, nil
	}
	for _, fact := range pass.AllObjectFacts() {
		if fn, ok := fact.Object.(*types.Func); ok {
			switch fact := fact.Fact.(type) {
			case *Builds:
				f.imports[fn] = fact
			case *Sends:
				f.sends[fn] = fact
				f.sendNames[fn.Name()] = true
			}
		}
	}
	f.closed = closedFields(f.graph)
	f.info.finder = f
	f.find()
	f.export()
	f.exportSends()
	return f.info, nil
}

// finder looks at one package.
type finder struct {
	pass      *analysis.Pass
	info      *Built
	graph     *calls.Graph
	entries   *entrypoints.Result
	invariant *invariants.Values
	contexts  *contexts.Sources
	imports   map[*types.Func]*Builds
	sends     map[*types.Func]*Sends
	sendNames map[string]bool // of the functions in sends
	sums      map[*ssa.Function][]sum
	known     map[ssa.Instruction][]sum // by direct
	closed    map[*types.Var]bool       // by closedFields
	makes     map[*types.Named]bool     // by made
}

// sum is a client that a function builds, with what it is made of in terms of
// this package.
type sum struct {
	Build
	instr ssa.Instruction
	needs []invariants.Need
}

// direct are the clients that an instruction builds, itself or in another
// package, from what is the same each time or comes with parameters.
func (f *finder) direct(instr ssa.Instruction) []sum {
	switch instr.(type) {
	case *ssa.Alloc, ssa.CallInstruction:
	default:
		return nil
	}
	known, ok := f.known[instr]
	if !ok {
		known = f.look(instr)
		f.known[instr] = known
	}
	return known
}

func (f *finder) look(instr ssa.Instruction) []sum {
	if made, ok := instr.(*ssa.Alloc); ok {
		return f.transport(made)
	}
	call, ok := instr.(ssa.CallInstruction)
	if !ok {
		return nil
	}
	common := call.Common()
	if _, isGo := call.(*ssa.Go); isGo || len(f.graph.Callees(call).Funcs) > 0 {
		return nil // of a function of the package, what it calls counts
	}
	callee := kubeapi.Callee(common)
	var found []sum
	ops := kubeapi.Operands(common)
	if external := f.graph.Callees(call).External; callee == nil && len(external) == 1 {
		callee = external[0].Func // kept in a field or variable
		if recv := external[0].Recv; recv != nil {
			ops = append([]ssa.Value{recv}, ops...)
		}
	}
	if fact := f.imports[callee]; callee != nil && fact != nil {
		for _, b := range fact.List {
			needs, ok := f.needsOf(b.Inputs, ops)
			if ok && !(b.Returned && f.kept(call)) {
				b.Unread = b.Unread || b.Returned && b.HTTP1 && f.closesReturned(call)
				found = append(found, sum{b, call, needs})
			}
		}
		return found
	}
	build, ok := kubeapi.ClientBuildOf(common)
	if !ok {
		return nil
	}
	if callee != nil && callee.Pkg() != nil && f.graph.SameModule(callee.Pkg()) && f.invariant.LookedInto(callee.Pkg()) {
		return nil // it would have the fact
	}
	needs, ok := f.invariant.Needs(build.From)
	if !ok || f.kept(call) || build.Kind == kubeapi.Factory && f.idle(call) {
		return nil
	}
	return []sum{{Build{
		Kind: build.Kind, What: f.called(call), Func: syntax.FuncName(call.Parent()), Place: f.place(call.Pos()), Unshared: f.unshared(build.From),
	}, call, needs}}
}

func (f *finder) needsOf(inputs []invariants.Input, ops []ssa.Value) (needs []invariants.Need, ok bool) {
	for _, input := range inputs {
		if input.Param >= len(ops) {
			return nil, false
		}
		more, ok := f.invariant.Part(ops[input.Param], input.Path)
		if !ok {
			return nil, false
		}
		needs = append(needs, more...)
	}
	return needs, true
}

func (f *finder) walk(follow func(*entrypoints.Path, *entrypoints.Edge) bool, visit func(*entrypoints.Path)) {
	for _, entry := range f.allEntries() {
		if f.servesTests(entry) {
			continue
		}
		f.entries.Walk(entry, follow, func(at *entrypoints.Path) {
			if !kubeapi.TakesTesting(at.Fn) {
				visit(at)
			}
		})
	}
}

// find collects what is built on the way from an entry point; in goroutines that
// are started there only transports, which are left behind all the same.
func (f *finder) find() {
	seen := make(map[ssa.Instruction]bool)
	f.walk(func(_ *entrypoints.Path, edge *entrypoints.Edge) bool {
		return edge.How != entrypoints.Once && !once.Guarded(edge.Site)
	}, func(at *entrypoints.Path) {
		background := slices.ContainsFunc(at.Edges(), func(edge *entrypoints.Edge) bool { return edge.How == entrypoints.Started })
		for instr := range blocks.Instrs(at.Fn) {
			if seen[instr] || at.Prev == nil && !at.Entry.Covers(instr) {
				continue
			}
			for _, s := range f.direct(instr) {
				if background && s.Kind != kubeapi.Transport {
					continue
				}
				if once.Guarded(instr) || !f.resolve(s.needs, at, 0) || f.keptByCaller(s, at) {
					continue
				}
				seen[instr] = true
				call, isCall := instr.(ssa.CallInstruction)
				f.info.Sites = append(f.info.Sites, &Site{
					Instr: instr, Build: s.Build, Elsewhere: isCall && s.Place != f.place(call.Pos()), Path: at,
				})
				break
			}
		}
	})
	slices.SortStableFunc(f.info.Sites, func(a, b *Site) int { return syntax.ComparePos(f.pass.Fset, a.Instr.Pos(), b.Instr.Pos()) })
}

// follows leaves out what runs once, in the background, or the first time only.
func follows(_ *entrypoints.Path, edge *entrypoints.Edge) bool {
	return edge.How != entrypoints.Once && edge.How != entrypoints.Started && !once.Guarded(edge.Site)
}

// resolve reports whether what a value needs is the same each time that the
// entry of the path is called.
func (f *finder) resolve(needs []invariants.Need, at *entrypoints.Path, depth int) bool {
	return !slices.ContainsFunc(needs, func(need invariants.Need) bool { return !f.resolveOne(need, at, depth) })
}

func (f *finder) resolveOne(need invariants.Need, at *entrypoints.Path, depth int) bool {
	if depth > 30 {
		return false
	}
	for at.Fn != need.Param.Parent() {
		if at.Prev == nil {
			return true // of a function around the entry, which has returned
		}
		at = at.Prev
	}
	index := slices.Index(at.Fn.Params, need.Param)
	if at.Prev == nil {
		return index == 0 && at.Fn.Signature.Recv() != nil && f.lives(at.Entry)
	}
	ops := kubeapi.Operands(at.Edge.Site.Common())
	if at.Edge.How != entrypoints.Called || index >= len(ops) {
		return false
	}
	needs, ok := f.invariant.Part(ops[index], need.Path)
	return ok && f.resolve(needs, at.Prev, depth+1)
}

// lives reports whether the receiver of an entry's function is the same each
// time. That of crossplane's external client is connected anew for each.
func (f *finder) lives(entry *entrypoints.Entry) bool {
	recv := entry.Fn.Signature.Recv()
	return recv != nil && !kubeapi.IsExternalClient(recv.Type()) && kubeapi.KindOf(recv.Type()) == nil
}

// keptByCaller reports whether a function of the path that returns the client
// does so to one that keeps it.
func (f *finder) keptByCaller(s sum, at *entrypoints.Path) bool {
	for returned := f.returnsResult(s.instr); returned && at.Prev != nil; at = at.Prev {
		if f.kept(at.Edge.Site) {
			return true
		}
		returned = f.returnsResult(at.Edge.Site)
	}
	return false
}

// export says of functions what they build.
func (f *finder) export() {
	for _, fn := range f.graph.Funcs {
		obj, ok := fn.Object().(*types.Func)
		if !ok || !obj.Exported() || kubeapi.TakesTesting(fn) {
			continue
		}
		if fact := f.fact(fn); len(fact.List) > 0 {
			f.pass.ExportObjectFact(obj, fact)
		}
	}
	f.graph.ExportInterfaces(f.pass)
}

const maxBuilds = 3

func (f *finder) fact(fn *ssa.Function) *Builds {
	fact := new(Builds)
	for _, s := range f.builds(fn, nil) {
		inputs, ok := invariants.Inputs(fn, s.needs)
		if !ok || len(fact.List) == maxBuilds {
			continue
		}
		b := s.Build
		b.Inputs = inputs
		if !slices.ContainsFunc(fact.List, func(known Build) bool { return known.Place == b.Place }) {
			fact.List = append(fact.List, b)
		}
	}
	return fact
}

// builds summarises a function: what it builds, and what the functions of the
// package do that it calls.
func (f *finder) builds(fn *ssa.Function, under []*ssa.Function) []sum {
	if known, ok := f.sums[fn]; ok {
		return known
	}
	if slices.Contains(under, fn) || len(under) > 12 {
		return nil
	}
	under = append(under, fn)
	var found []sum
	for instr := range blocks.Instrs(fn) {
		for _, s := range f.direct(instr) {
			if once.Guarded(instr) {
				break
			}
			s.Returned = f.returnsResult(instr)
			found = append(found, s)
		}
	}
	edges := f.entries.Edges(fn)
	for n := range edges {
		edge := &edges[n]
		if !follows(nil, edge) {
			continue
		}
		for _, s := range f.builds(edge.Callee, under) {
			if s.Returned && f.kept(edge.Site) {
				continue
			}
			needs, ok := f.atCaller(s.needs, edge)
			if !ok {
				continue
			}
			s.needs, s.Returned = needs, s.Returned && f.returnsResult(edge.Site)
			if len(found) < 4*maxBuilds {
				found = append(found, s)
			}
		}
	}
	f.sums[fn] = found
	return found
}

// atCaller turns what a called function needs into what its caller does.
func (f *finder) atCaller(needs []invariants.Need, edge *entrypoints.Edge) (out []invariants.Need, ok bool) {
	ops := kubeapi.Operands(edge.Site.Common())
	for _, need := range needs {
		index := slices.Index(edge.Callee.Params, need.Param)
		if index < 0 {
			out = append(out, need) // of the function around a literal
			continue
		}
		if edge.How != entrypoints.Called || index >= len(ops) {
			return nil, false
		}
		more, ok := f.invariant.Part(ops[index], need.Path)
		if !ok {
			return nil, false
		}
		out = append(out, more...)
	}
	return out, true
}

// unshared reports whether a configuration is seen to get something that client-go
// shares no connections for: a dialer or a proxy.
func (f *finder) unshared(config ssa.Value) bool {
	if !kubeapi.IsRESTConfig(config.Type()) || config.Referrers() == nil {
		return false
	}
	for addr := range blocks.UsesOf[*ssa.FieldAddr](config) {
		field := calls.FieldOf(addr.X.Type(), addr.Field)
		if field == nil || field.Name() != "Dial" && field.Name() != "Proxy" {
			continue
		}
		for store := range blocks.Stores(addr) {
			return !calls.IsNil(store.Val)
		}
	}
	return false
}

// called is the function that a call names, as the source has it.
func (f *finder) called(call ssa.CallInstruction) string {
	return entrypoints.CalleeText(f.pass.Files, call)
}

// place words a position, as in "rollout/controller.go:494".
func (f *finder) place(pos token.Pos) string {
	return syntax.Place(f.pass.Fset, pos)
}
