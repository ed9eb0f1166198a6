package reads

import (
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/literals"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/passes/managers"
	"github.com/opvet/opvet/internal/passes/origins"
)

// gatherer notes what one package does.
type gatherer struct {
	*Program
	pass     *analysis.Pass
	calls    *calls.Graph
	read     *literals.Reader
	managers *managers.Reader
	followed map[types.Type]bool // see isFollowed
	filled   map[fillKey]bool    // see fill
	switched map[*types.Var]bool // see switching
	temps    int
	taken    map[string]bool // functions whose values were linked already
	operands blocks.Operands
	resolve  *paths.Resolver
	graphs   *paths.Graphs
	origins  *origins.Tracer
}

func newGatherer(pass *analysis.Pass, calls *calls.Graph, p *Program) *gatherer {
	entries := pass.ResultOf[entrypoints.Analyzer].(*entrypoints.Result)
	return &gatherer{
		Program: p, pass: pass, calls: calls, taken: make(map[string]bool), followed: make(map[types.Type]bool), filled: make(map[fillKey]bool), switched: make(map[*types.Var]bool),
		read: &literals.Reader{Calls: calls}, managers: &managers.Reader{Calls: calls, Fset: pass.Fset},
		resolve: paths.NewResolver(calls, nil), graphs: paths.NewGraphs(calls), origins: &origins.Tracer{Calls: calls, Entries: entries},
	}
}

// flow notes that what comes from somewhere may get to a place.
func (g *gatherer) flow(to string, from []origin) { g.flowAt(to, from, token.NoPos) }

// flowBy is flow for a parameter of the methods of one name, of which this is one.
func (g *gatherer) flowBy(method *types.Func, to string, from []origin) {
	first, sig := len(g.Flows), digest(method)
	g.flow(to, from)
	for i := range g.Flows[first:] {
		g.Flows[first+i].Sig = sig
	}
}

// flowAt is flow for an argument of a call at pos: if it is an object, that is
// where its kind is known.
func (g *gatherer) flowAt(to string, from []origin, pos token.Pos) {
	for _, s := range from {
		if s.place == to {
			continue
		}
		f := Flow{To: to, From: s.place}
		if pos.IsValid() && strings.HasPrefix(s.place, labelKind) {
			f.Where = syntax.Place(g.pass.Fset, pos)
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
	name := placeOther + ":" + g.pass.Pkg.Path() + "#" + strconv.Itoa(g.temps)
	g.flow(name, from)
	return name
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
		if !kubeapi.AnyIs(sig.Params(), g.isCertain) && !kubeapi.AnyIs(sig.Results(), g.isCertain) {
			continue // no clients or managers get in or out
		}
		obj, _, _ := types.LookupFieldOrMethod(v.X.Type(), true, method.Pkg(), method.Name())
		fn, ok := obj.(*types.Func)
		if !ok || fn.Pkg() == nil || !g.calls.SameModule(fn.Pkg()) || types.IsInterface(fn.Signature().Recv().Type()) {
			continue
		}
		name := kubeapi.FullName(fn.Origin())
		for i := range sig.Params().Len() {
			if g.isCertain(sig.Params().At(i).Type()) {
				g.flowBy(method, paramOf(name, i+1), []origin{{methodParam(method.Name(), sig.Params().Len(), i)}})
				if method.Pkg() != nil && !g.calls.SameModule(method.Pkg()) {
					g.flow(paramOf(name, i+1), []origin{{labelOwn}}) // by a framework, which has the manager's
				}
			}
		}
		for i := range sig.Results().Len() {
			if g.isCertain(sig.Results().At(i).Type()) {
				g.flow(methodResult(method.Name(), sig.Params().Len(), i), []origin{{resultOf(name, i)}})
			}
		}
	}
}

func (g *gatherer) instruction(fn *ssa.Function, instr ssa.Instruction) {
	g.functionValues(instr)
	switch instr := instr.(type) {
	case *ssa.MakeInterface:
		g.implement(instr)
		g.filling(instr)
	case *ssa.FieldAddr:
		g.switching(instr)
	case *ssa.Store:
		if to := storePlace(instr.Addr); to != "" && g.isFollowed(instr.Val.Type()) {
			g.flow(to, g.sources(instr.Val))
		}
		g.olderSource(instr)
	case *ssa.MapUpdate:
		if load, ok := instr.Map.(*ssa.UnOp); ok && g.isFollowed(instr.Value.Type()) {
			if to := storePlace(load.X); to != "" {
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
	case *ssa.ChangeType:
		if _, ok := instr.Type().Underlying().(*types.Struct); ok {
			g.fill(instr.Type(), true) // of another struct
		}
	case ssa.CallInstruction:
		g.making(instr)
		g.call(instr)
	}
}

// functionValues links functions that are used as values to the calls of such.
func (g *gatherer) functionValues(instr ssa.Instruction) {
	var called ssa.Value
	if call, ok := instr.(ssa.CallInstruction); ok && !call.Common().IsInvoke() {
		called = call.Common().Value
	}
	for _, operand := range g.operands.Of(instr) {
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
		declared, abstract := calls.Unwrap(fn)
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
				g.flowBy(common.Method, methodParam(common.Method.Name(), n, i), g.sources(arg))
			}
		}
		return
	}
	fn := common.StaticCallee()
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
	declared, abstract := calls.Unwrap(fn)
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
	// Not by its Pkg: instances, and methods of imported generic types, have none.
	if obj := fn.Object(); obj != nil && obj.Pkg() != nil {
		return g.calls.SameModule(obj.Pkg())
	}
	return fn.Pkg != nil && g.calls.SameModule(fn.Pkg.Pkg) || fn.Parent() != nil
}

func (g *gatherer) manager(call ssa.CallInstruction) string {
	m := g.managers.Of(call)
	if g.Made[m.ID] == nil {
		g.Made[m.ID] = call
		g.Managers = append(g.Managers, *m)
	}
	return labelManager + m.ID
}
