// Package calls resolves calls within one package: static calls,
// closures, bound and promoted methods, method expressions, instances of
// generic functions, functions kept in fields, variables and parameters, and
// methods of an interface that has one implementation in the package.
//
// Its answers are what a call may run, as far as the package can tell; a call
// that may run something else as well is marked as not closed.
package calls

import (
	"go/types"
	"reflect"
	"slices"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/build"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Analyzer computes the call graph; its result is a *[Graph].
var Analyzer = &analysis.Analyzer{
	Name:       "opvetcalls",
	Doc:        "resolve calls within a package",
	Requires:   []*analysis.Analyzer{build.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[*Graph](),
	FactTypes:  []analysis.Fact{new(Wraps)},
}

// Graph is the call graph of a package.
type Graph struct {
	*build.SSA

	callers    map[*ssa.Function][]ssa.CallInstruction
	stores     map[types.Object][]*ssa.Store // see Stores
	closures   map[*ssa.Function][]*ssa.MakeClosure
	wrappers   map[*types.Func]*Wraps         // of other packages
	declared   map[types.Object]*ssa.Function // see declareWrapped
	returned   map[ssa.Value]ssa.Value        // see Returned
	returnedAs map[ssa.Value][]ssa.Value

	ordering sync.Once
	order    []*ssa.Function // see BottomUp

	mu           sync.Mutex // several passes ask at the same time
	implementors map[*types.Interface][]types.Type
	resolved     map[ssa.Value]Targets // nil until the graph is complete
	mains        map[*ssa.Function]*ssa.Call
}

// Targets is what a function value may be.
type Targets struct {
	// Funcs are the functions with a body in this package, without
	// wrappers and with generic instances replaced by their origin.
	Funcs []*ssa.Function
	// Closed reports that it can be nothing but one of Funcs.
	Closed bool
	// External are the functions and interface methods from elsewhere.
	External []External
}

// External is a function without a body in the package.
type External struct {
	Func *types.Func
	Recv ssa.Value // what a method value is bound to, or nil
}

func run(pass *analysis.Pass) (any, error) {
	g := &Graph{
		SSA:          pass.ResultOf[build.Analyzer].(*build.SSA),
		callers:      make(map[*ssa.Function][]ssa.CallInstruction),
		stores:       make(map[types.Object][]*ssa.Store),
		closures:     make(map[*ssa.Function][]*ssa.MakeClosure),
		implementors: make(map[*types.Interface][]types.Type),
		returned:     make(map[ssa.Value]ssa.Value),
		returnedAs:   make(map[ssa.Value][]ssa.Value),
	}
	if g.Pkg == nil {
		return g, nil
	}
	g.Each(g.record)
	// Callers need the stores of the whole package.
	var dynamic []ssa.CallInstruction
	for _, fn := range g.All() {
		for call := range blocks.InstrsOf[ssa.CallInstruction](fn) {
			for _, callee := range g.Callees(call).Funcs {
				g.callers[callee] = append(g.callers[callee], call)
			}
			if isDynamic(call.Common()) {
				dynamic = append(dynamic, call)
			}
		}
	}
	g.settle(dynamic)
	g.resolved = make(map[ssa.Value]Targets)
	g.bindResults()
	g.mains = make(map[*ssa.Function]*ssa.Call)
	g.exchangeWrappers(pass)
	return g, nil
}

// isDynamic reports whether a function value is called that is not known at
// the call itself.
func isDynamic(call *ssa.CallCommon) bool {
	_, builtin := call.Value.(*ssa.Builtin)
	return !builtin && !call.IsInvoke() && call.StaticCallee() == nil
}

// settle resolves calls again until nothing new comes out, since a function
// that is a parameter depends on callers found in the meantime.
func (g *Graph) settle(calls []ssa.CallInstruction) {
	for range maxDepth {
		known := g.edges()
		for _, call := range calls {
			for _, callee := range g.Callees(call).Funcs {
				if !slices.Contains(g.callers[callee], call) {
					g.callers[callee] = append(g.callers[callee], call)
				}
			}
		}
		if g.edges() == known {
			return
		}
	}
}

// edges counts the callers of all functions.
func (g *Graph) edges() int {
	n := 0
	for _, callers := range g.callers {
		n += len(callers)
	}
	return n
}

func (g *Graph) record(instr ssa.Instruction) {
	switch instr := instr.(type) {
	case *ssa.MakeClosure:
		fn := instr.Fn.(*ssa.Function)
		g.closures[fn] = append(g.closures[fn], instr)
	case *ssa.Store:
		if holder := HolderOf(instr.Addr); holder != nil {
			g.stores[holder] = append(g.stores[holder], instr)
		}
	}
}

// Callees returns what call may run in this package.
func (g *Graph) Callees(call ssa.CallInstruction) Targets {
	common := call.Common()
	if common.IsInvoke() {
		return g.invoke(common.Value.Type(), common.Method)
	}
	return g.FuncsOf(common.Value)
}

// Callers returns the calls in this package that may run fn, among them
// those of go and defer statements.
func (g *Graph) Callers(fn *ssa.Function) []ssa.CallInstruction { return g.callers[fn] }

// Closures returns the instructions that make a closure of fn: normally one.
func (g *Graph) Closures(fn *ssa.Function) []*ssa.MakeClosure { return g.closures[fn] }

// Within returns the instruction of fn with which another one runs: itself, or the one that makes
// the literal that it stands in, such as the body of a loop over an iterator; nil for those of
// other functions.
func (g *Graph) Within(fn *ssa.Function, instr ssa.Instruction) ssa.Instruction {
	for instr.Parent() != fn {
		made := g.Closures(instr.Parent())
		if instr.Parent().Parent() == nil || len(made) != 1 {
			return nil
		}
		instr = made[0]
	}
	return instr
}

// Stores returns where the package assigns a field or package-level variable, those of
// its initialisation first. For nil there are none.
func (g *Graph) Stores(holder types.Object) []*ssa.Store { return g.stores[holder] }

// Stored returns what the package stores into a field or package-level variable.
func (g *Graph) Stored(holder types.Object) []ssa.Value {
	var found []ssa.Value
	for _, store := range g.stores[holder] {
		found = append(found, store.Val)
	}
	return found
}

// maxDepth bounds the search through variables, parameters and results, and
// maxSteps all of it: a function value may come from a call of itself.
const (
	maxDepth = 8
	maxSteps = 1000
)

// FuncsOf returns which functions v, a value of function type, may be.
func (g *Graph) FuncsOf(v ssa.Value) Targets {
	switch v.(type) {
	case *ssa.Builtin, *ssa.Const: // each call has a value of its own, which need not be remembered
		return Targets{}
	}
	if g.resolved == nil {
		return g.funcsOf(v, 0, new(int))
	}
	g.mu.Lock()
	targets, ok := g.resolved[v]
	g.mu.Unlock()
	if !ok {
		targets = g.funcsOf(v, 0, new(int))
		targets.Funcs, targets.External = slices.Clip(targets.Funcs), slices.Clip(targets.External)
		g.mu.Lock()
		g.resolved[v] = targets
		g.mu.Unlock()
	}
	return targets
}

func (g *Graph) funcsOf(v ssa.Value, depth int, steps *int) Targets {
	r := resolution{graph: g, closed: true, steps: steps}
	if fn, ok := v.(*ssa.Function); ok && depth == 0 { // nearly all calls
		r.function(fn, nil)
	} else {
		r.seen = make(map[ssa.Value]bool)
		r.visit(v, depth)
	}
	return Targets{Funcs: r.funcs, Closed: r.closed && len(r.funcs) > 0, External: r.external}
}

type resolution struct {
	graph    *Graph
	seen     map[ssa.Value]bool
	funcs    []*ssa.Function
	external []External
	closed   bool
	steps    *int // taken so far, shared with the resolutions that this one starts
}

func (r *resolution) visit(v ssa.Value, depth int) {
	if r.seen[v] {
		return
	}
	r.seen[v] = true
	if *r.steps++; depth > maxDepth || *r.steps > maxSteps {
		r.closed = false
		return
	}
	switch v := v.(type) {
	case *ssa.Function:
		r.function(v, nil)
	case *ssa.MakeClosure:
		r.function(v.Fn.(*ssa.Function), v.Bindings)
	case *ssa.ChangeType, *ssa.MakeInterface, *ssa.TypeAssert:
		r.visit(kubeapi.Converted(v), depth)
	case *ssa.Phi:
		for _, edge := range v.Edges {
			r.visit(edge, depth+1)
		}
	case *ssa.Const: // nil: a call of it would panic
	case *ssa.UnOp:
		r.load(v.X, depth)
	case *ssa.Field:
		if field := FieldOf(v.X.Type(), v.Field); field != nil {
			r.values(r.graph.Stored(field), depth)
			r.closed = r.closed && !field.Exported()
		}
	case *ssa.Parameter:
		r.parameter(v, depth)
	case *ssa.FreeVar:
		for _, binding := range r.graph.bindings(v) {
			r.visit(binding, depth+1)
		}
	case *ssa.Call:
		r.result(v, 0, depth)
	case *ssa.Extract:
		if call, ok := v.Tuple.(*ssa.Call); ok {
			r.result(call, v.Index, depth)
		} else {
			r.closed = false
		}
	default:
		r.closed = false
	}
}

func (r *resolution) values(vs []ssa.Value, depth int) {
	if len(vs) == 0 {
		r.closed = false
	}
	for _, v := range vs {
		r.visit(v, depth+1)
	}
}

// load resolves what is stored at addr.
func (r *resolution) load(addr ssa.Value, depth int) {
	switch addr := addr.(type) {
	case *ssa.Alloc:
		r.values(StoredInto(addr), depth)
	case *ssa.FreeVar:
		for _, binding := range r.graph.bindings(addr) {
			r.load(binding, depth+1)
		}
	case *ssa.Global:
		r.values(r.graph.Stored(addr.Object()), depth)
		r.closed = r.closed && !addr.Object().Exported()
	case *ssa.FieldAddr:
		field := FieldOf(addr.X.Type(), addr.Field)
		if field == nil {
			r.closed = false
			return
		}
		r.values(r.graph.Stored(field), depth)
		r.closed = r.closed && !field.Exported()
	case *ssa.IndexAddr:
		r.elements(addr.X, depth)
	default:
		r.closed = false
	}
}

// elements resolves the elements of a list: those of a literal, as variadic arguments
// are, also where it is a parameter.
func (r *resolution) elements(list ssa.Value, depth int) {
	if *r.steps++; depth > maxDepth || *r.steps > maxSteps {
		r.closed = false
		return
	}
	switch list := list.(type) {
	case *ssa.Const: // no elements
	case *ssa.Slice:
		array, ok := list.X.(*ssa.Alloc)
		if !ok {
			r.closed = false
			return
		}
		for _, ref := range *array.Referrers() {
			element, ok := ref.(*ssa.IndexAddr)
			if !ok {
				r.closed = r.closed && (ref == list || isDebug(ref))
				continue
			}
			for _, use := range *element.Referrers() {
				if store, ok := use.(*ssa.Store); ok && store.Addr == element {
					r.visit(store.Val, depth+1)
				} else {
					r.closed = false
				}
			}
		}
	case *ssa.Parameter:
		r.arguments(list, func(arg ssa.Value) { r.elements(arg, depth+1) })
	default:
		r.closed = false
	}
}

// Unused reports whether nothing is done with a value.
func Unused(v ssa.Value) bool {
	for ref := range blocks.Uses(v) {
		if !isDebug(ref) {
			return false
		}
	}
	return true
}

func isDebug(instr ssa.Instruction) bool {
	_, ok := instr.(*ssa.DebugRef)
	return ok
}

// parameter resolves a function parameter from the arguments of the calls in
// the package.
func (r *resolution) parameter(p *ssa.Parameter, depth int) {
	r.arguments(p, func(arg ssa.Value) { r.visit(arg, depth+1) })
}

// arguments yields what the calls in the package hand in for a parameter. Others may
// call an exported function.
func (r *resolution) arguments(p *ssa.Parameter, yield func(arg ssa.Value)) {
	fn := p.Parent()
	if fn.Parent() == nil && (fn.Object() == nil || fn.Object().Exported()) {
		r.closed = false
	}
	index := slices.Index(fn.Params, p)
	callers := r.graph.callers[fn]
	if len(callers) == 0 {
		r.closed = false
	}
	for _, call := range callers {
		common := call.Common()
		args := common.Args
		if common.IsInvoke() {
			args = append([]ssa.Value{common.Value}, args...)
		}
		if index < len(args) {
			yield(args[index])
		}
	}
}

// result resolves the index-th result of a call.
func (r *resolution) result(call *ssa.Call, index, depth int) {
	if depth > maxDepth/2 {
		r.closed = false
		return
	}
	var targets Targets
	if common := call.Common(); common.IsInvoke() {
		targets = r.graph.Callees(call)
	} else {
		targets = r.graph.funcsOf(common.Value, depth+1, r.steps)
	}
	r.closed = r.closed && targets.Closed
	for _, fn := range targets.Funcs {
		for ret := range blocks.Returns(fn) {
			if index < len(ret.Results) {
				r.visit(ret.Results[index], depth+2)
			}
		}
	}
}

// function adds one function; bound is the receiver of a method value.
func (r *resolution) function(fn *ssa.Function, bound []ssa.Value) {
	var recv ssa.Value
	if fn.Synthetic != "" && len(bound) == 1 {
		recv = bound[0]
	}
	declared, abstract := Unwrap(fn)
	if abstract != nil {
		targets := r.graph.invoke(abstract.Signature().Recv().Type(), abstract)
		r.closed = r.closed && targets.Closed
		if len(targets.Funcs) == 0 {
			r.external = append(r.external, External{abstract, recv})
		}
		for _, target := range targets.Funcs {
			r.add(target)
		}
		return
	}
	if declared.Pkg != r.graph.Pkg && declared.Package() != r.graph.Pkg || declared.Blocks == nil {
		r.closed = false
		if obj, ok := declared.Object().(*types.Func); ok {
			r.external = append(r.external, External{obj, recv})
		}
		return
	}
	r.add(declared)
}

func (r *resolution) add(fn *ssa.Function) {
	if !slices.Contains(r.funcs, fn) {
		r.funcs = append(r.funcs, fn)
	}
}

// Unwrap strips instances of generic functions, bound method values ($bound),
// method expressions ($thunk) and promotion wrappers. For a wrapper around an
// interface method it returns that method instead.
func Unwrap(fn *ssa.Function) (declared *ssa.Function, abstract *types.Func) {
	if origin := fn.Origin(); origin != nil {
		fn = origin
	}
	if fn.Synthetic == "" || fn.Object() == nil {
		return fn, nil
	}
	obj, ok := fn.Object().(*types.Func)
	if !ok {
		return fn, nil
	}
	obj = obj.Origin()
	if recv := obj.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
		return nil, obj
	}
	if target := fn.Prog.FuncValue(obj); target != nil {
		return target, nil
	}
	return fn, nil
}

// invoke resolves an interface method to its implementations in the package.
func (g *Graph) invoke(recv types.Type, method *types.Func) Targets {
	named, _ := types.Unalias(recv).(*types.Named)
	iface, ok := recv.Underlying().(*types.Interface)
	if !ok || g.Pkg == nil {
		return Targets{}
	}
	// An interface from elsewhere (client.Client) has implementations
	// elsewhere; the one in the package may well be a fake or a wrapper.
	if named == nil || named.Obj().Pkg() != g.Pkg.Pkg {
		return Targets{}
	}
	found := g.implementations(iface)
	if len(found) != 1 {
		return Targets{}
	}
	own := g.method(found[0], method)
	if own == nil {
		return Targets{}
	}
	return Targets{Funcs: []*ssa.Function{g.Pkg.Prog.FuncValue(own)}, Closed: !named.Obj().Exported()}
}

func (g *Graph) implementations(iface *types.Interface) []types.Type {
	g.mu.Lock()
	defer g.mu.Unlock()
	if known, ok := g.implementors[iface]; ok {
		return known
	}
	found := slices.DeleteFunc(Implementing(g.Pkg.Pkg, iface), func(ptr types.Type) bool {
		return !g.Wanted(kubeapi.Named(ptr).Obj().Pos())
	})
	g.implementors[iface] = found
	return found
}

// bindings returns what a closure's captured variable is bound to where the
// closure is made.
func (g *Graph) bindings(v *ssa.FreeVar) []ssa.Value {
	index := slices.Index(v.Parent().FreeVars, v)
	var found []ssa.Value
	for _, closure := range g.closures[v.Parent()] {
		found = append(found, closure.Bindings[index])
	}
	return found
}

// Binding returns what a captured variable is bound to, or nil if the closure
// is made at no or several places.
func (g *Graph) Binding(v *ssa.FreeVar) ssa.Value {
	if found := g.bindings(v); len(found) == 1 {
		return found[0]
	}
	return nil
}

// StoredInto returns the values stored into a local variable, in its function
// and in the closures that capture it.
func StoredInto(addr ssa.Value) []ssa.Value {
	var found []ssa.Value
	refs := addr.Referrers()
	if refs == nil {
		return nil
	}
	for _, ref := range *refs {
		switch ref := ref.(type) {
		case *ssa.Store:
			if ref.Addr == addr {
				found = append(found, ref.Val)
			}
		case *ssa.MakeClosure:
			for i, binding := range ref.Bindings {
				if binding == addr {
					found = append(found, StoredInto(ref.Fn.(*ssa.Function).FreeVars[i])...)
				}
			}
		}
	}
	return found
}

// FieldName is the name of the field that an address is of; empty if that is not known.
func FieldName(addr *ssa.FieldAddr) string {
	if field := FieldOf(addr.X.Type(), addr.Field); field != nil {
		return field.Name()
	}
	return ""
}

// FieldOf returns the index-th field of the struct type, or pointer to one,
// that t is; fields of generic instances are replaced by their origin's.
func FieldOf(t types.Type, index int) *types.Var {
	if ptr, ok := t.Underlying().(*types.Pointer); ok {
		t = ptr.Elem()
	}
	if s, ok := t.Underlying().(*types.Struct); ok && index < s.NumFields() {
		return s.Field(index).Origin()
	}
	return nil
}
