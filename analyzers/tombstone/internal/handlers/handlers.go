package handlers

import (
	"go/token"
	"go/types"
	"slices"
	"sync"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// finder finds the delete handlers of a package, and judges them.
type finder struct {
	*machine
	info   *Handlers
	groups map[ssa.Value]*group
	order  []*group
	seen   map[lossKey]bool
}

// group is a handler as it is registered: a struct of functions, or one around
// another.
type group struct {
	deletes []registered // what is called for deletions
	updates []ssa.Value  // and for updates
	filters []registered
	inner   []ssa.Value // the handlers behind a filter
	behind  bool        // whether it is behind a filter itself
}

// registered is a function value that a handler is made of.
type registered struct {
	what  string
	at    token.Pos
	instr ssa.Instruction // that hands it over; nil for a method
	fn    ssa.Value       // a value, or
	decl  *ssa.Function   // a method
}

func (f *finder) find() {
	f.graph.Each(f.instruction)
	f.methods()
}

func (f *finder) instruction(instr ssa.Instruction) {
	switch instr := instr.(type) {
	case *ssa.Store:
		addr, ok := instr.Addr.(*ssa.FieldAddr)
		if !ok || calls.IsNil(instr.Val) {
			return
		}
		switch kubeapi.HandlerFieldOf(addr.X.Type(), addr.Field) {
		case kubeapi.DeleteFunc:
			g := f.group(addr.X)
			g.deletes = append(g.deletes, registered{what: "DeleteFunc", at: instr.Pos(), instr: instr, fn: instr.Val})
		case kubeapi.UpdateFunc:
			g := f.group(addr.X)
			g.updates = append(g.updates, instr.Val)
		case kubeapi.FilterFunc:
			g := f.group(addr.X)
			g.filters = append(g.filters, registered{what: "FilterFunc", at: instr.Pos(), instr: instr, fn: instr.Val})
		case kubeapi.FilteredHandler:
			g := f.group(addr.X)
			g.inner = append(g.inner, instr.Val)
		}
	case *ssa.Call:
		callee := kubeapi.Callee(instr.Common())
		if callee != nil && callee.Pkg() != nil && f.graph.SameModule(callee.Pkg()) {
			f.registering(instr)
			return
		}
		if fn := kubeapi.HandlerOfFunc(instr.Common()); fn != nil {
			g := f.group(instr)
			g.deletes = append(g.deletes, registered{what: callee.Name(), at: instr.Pos(), instr: instr, fn: fn})
		}
	}
}

// registering finds the functions that another package's function makes
// delete handlers.
func (f *finder) registering(call *ssa.Call) {
	callee := kubeapi.Callee(call.Common())
	if callee.Pkg() == f.pass.Pkg {
		return // its own body says it
	}
	fact := new(Registers)
	if !f.pass.ImportObjectFact(callee, fact) {
		return
	}
	_, args := kubeapi.Args(call.Common())
	for _, i := range fact.Params {
		if i < len(args) {
			g := f.group(args[i])
			g.deletes = append(g.deletes, registered{what: callee.Name(), at: call.Pos(), instr: call, fn: args[i]})
		}
	}
}

func (f *finder) group(of ssa.Value) *group {
	g := f.groups[of]
	if g == nil {
		g = new(group)
		f.groups[of] = g
		f.order = append(f.order, g)
	}
	return g
}

// methods finds the types that are handlers because of their methods.
func (f *finder) methods() {
	others := f.lookAlikes()
	scope := f.graph.Pkg.Pkg.Scope()
	for _, name := range scope.Names() {
		tn, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || tn.IsAlias() || types.IsInterface(tn.Type()) || !kubeapi.HasHandlerMethods(f.pass.Pkg, tn.Type()) {
			continue
		}
		named, ok := tn.Type().(*types.Named)
		if !ok || others[named] {
			continue
		}
		for method := range named.Methods() {
			if method.Name() != "OnDelete" {
				continue
			}
			if fn := f.graph.Pkg.Prog.FuncValue(method); fn != nil && len(fn.Blocks) > 0 {
				g := new(group)
				g.deletes = []registered{{what: "OnDelete", at: method.Pos(), decl: fn}}
				f.order = append(f.order, g)
			}
		}
	}
}

// lookAlikes are the types that the package uses as handlers of another sort:
// under an interface with the same methods that is not client-go's, and never
// under that.
func (f *finder) lookAlikes() map[*types.Named]bool {
	ours, others := make(map[*types.Named]bool), make(map[*types.Named]bool)
	note := func(from, to types.Type) {
		named := kubeapi.Named(from)
		if named == nil || !types.IsInterface(to) {
			return
		}
		switch {
		case kubeapi.IsInformerHandlerInterface(to):
			ours[named] = true
		case kubeapi.HasHandlerMethods(f.pass.Pkg, to):
			others[named] = true
		}
	}
	for _, fn := range f.graph.Funcs {
		for box := range blocks.InstrsOf[*ssa.MakeInterface](fn) {
			note(box.X.Type(), box.Type())
		}
	}
	for named := range ours {
		delete(others, named)
	}
	return others
}

// runs are the runs of the functions that a registered function value may be,
// with a tombstone and with an object. known is false if it may be something
// else as well.
func (f *finder) runs(reg registered) (runs []handlerRun, known bool) {
	var targets calls.Targets
	if reg.decl != nil {
		targets.Funcs = []*ssa.Function{reg.decl}
	} else {
		targets = f.graph.FuncsOf(reg.fn)
	}
	known = len(targets.Funcs)+len(targets.External) <= maxTargets
	for _, fn := range targets.Funcs {
		if index := objectParam(fn); index >= 0 && known {
			runs = append(runs, handlerRun{
				Handler: Handler{What: reg.what, Registered: reg.at, Fn: fn}, tomb: f.runWith(fn, index, tomb),
				object: sync.OnceValue(func() *outcome { return f.runWith(fn, index, object) }),
			})
		}
	}
	for _, external := range targets.External {
		run := f.external(reg, external.Func)
		known = known && run != nil
		if run != nil {
			runs = append(runs, *run)
		}
	}
	return runs, known && len(runs) > 0
}

// handlerRun is a function that is called for deletions, and what it does with
// a tombstone and with an object.
type handlerRun struct {
	Handler
	tomb   *outcome
	object func() *outcome
}

// maxTargets bounds how many functions a handler's field may hold.
const maxTargets = 16

// objectParam is the parameter of a handler function that is the object.
func objectParam(fn *ssa.Function) int {
	index := 0
	if fn.Signature.Recv() != nil {
		index = 1
	}
	if index >= len(fn.Params) || !mayHoldTombstone(fn.Params[index].Type()) {
		return -1
	}
	return index
}

// runWith runs a function with something as its index-th parameter.
func (f *finder) runWith(fn *ssa.Function, index int, kind what) *outcome {
	args := make([]val, len(fn.Params))
	args[index] = val{kind: kind}
	return f.start(activation{fn: fn, args: args})
}

// external is the run of a function of another package, by the fact on it.
func (f *finder) external(reg registered, fn *types.Func) *handlerRun {
	if fn.Pkg() == nil || fn.Pkg() == f.pass.Pkg {
		return nil
	}
	index := 0
	if fn.Signature().Recv() != nil {
		index = 1
	}
	takes := new(Takes)
	f.pass.ImportObjectFact(fn, takes)
	param := takes.of(index)
	if param == nil {
		return nil
	}
	told := f.told(reg.instr, param, nil)
	if told == nil {
		return nil
	}
	with := ordinary(param.Works, fn.Signature())
	if param.Works {
		with.works = map[ssa.Instruction]bool{reg.instr: true}
	}
	return &handlerRun{Handler{What: reg.what, Registered: reg.at, OnlyKey: param.OnlyKey}, told, func() *outcome { return with }}
}

// parameter returns the parameter of a declared function that a value is.
func (f *finder) parameter(v ssa.Value) *ssa.Parameter {
	if p := values.Param(f.graph, v); p != nil && p.Parent().Parent() == nil {
		return p
	}
	return nil
}

// registers tells other packages that a function makes its parameter a delete
// handler.
func (f *finder) registers(p *ssa.Parameter) {
	obj, ok := p.Parent().Object().(*types.Func)
	if !ok || obj.Pkg() != f.pass.Pkg || !obj.Exported() {
		return
	}
	index := slices.Index(p.Parent().Params, p)
	if p.Parent().Signature.Recv() != nil {
		index--
	}
	fact := new(Registers)
	f.pass.ImportObjectFact(obj, fact)
	if index < 0 || slices.Contains(fact.Params, index) {
		return
	}
	f.pass.ExportObjectFact(obj, &Registers{Params: append(slices.Clip(fact.Params), index)})
}

// behind returns the handlers that the value of a filter's Handler field may
// be. known is false if there may be others.
func (f *finder) behind(v ssa.Value, depth int) (groups []*group, known bool) {
	if depth > maxDepth {
		return nil, false
	}
	if g := f.groups[v]; g != nil {
		return []*group{g}, true
	}
	same := values.Relation{Steps: values.Converted}
	if from, _ := same.Sources(v); len(from) == 1 {
		groups, known = f.behind(from[0], depth+1)
		if !known {
			if g := f.onDelete(from[0].Type()); g != nil {
				return []*group{g}, true
			}
		}
		return groups, known
	}
	switch v := v.(type) {
	case *ssa.UnOp:
		if v.Op != token.MUL {
			return nil, false
		}
		if g := f.groups[v.X]; g != nil {
			return []*group{g}, true
		}
		alloc, ok := calls.Captured(v.X).(*ssa.Alloc)
		if !ok {
			return nil, false
		}
		if stored := calls.StoredInto(alloc); len(stored) == 1 {
			return f.behind(stored[0], depth+1)
		}
		if g := f.groups[alloc]; g != nil {
			return []*group{g}, true
		}
		// A struct of functions none of which is for deletions.
		return nil, kubeapi.HandlerFieldOf(alloc.Type(), 2) == kubeapi.DeleteFunc
	case *ssa.Call:
		results, _ := f.graph.Results(v, 0)
		for _, result := range results {
			more, ok := f.behind(result, depth+1)
			if !ok {
				return nil, false
			}
			groups, known = append(groups, more...), true
		}
		return groups, known
	}
	return nil, false
}

// onDelete returns the handler that a type of this package is.
func (f *finder) onDelete(t types.Type) *group {
	for _, g := range f.order {
		for _, reg := range g.deletes {
			if reg.decl != nil && kubeapi.Named(reg.decl.Signature.Recv().Type()) == kubeapi.Named(t) {
				return g
			}
		}
	}
	return nil
}
