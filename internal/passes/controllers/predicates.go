package controllers

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/literals"
	"github.com/opvet/opvet/internal/kubeapi"
)

// predicate reads what a predicate lets through.
func (f *finder) predicate(v ssa.Value) Filter { return f.predicateAt(v, 0) }

func (f *finder) unknownAt(v ssa.Value) Filter {
	return named("?", f.place(v.Pos()), unknownFilter)
}

func named(name string, at Place, filter Filter) Filter {
	filter.Names, filter.At = []string{name}, []Place{at}
	return filter
}

var stockFilters = map[kubeapi.StockPredicate]Cond{
	kubeapi.GenerationChanged:      {Op: Changed, Parts: GenerationPart},
	kubeapi.ResourceVersionChanged: {Op: Changed, Parts: ResourceVersionPart},
	kubeapi.LabelChanged:           {Op: Changed, Parts: LabelsPart},
	kubeapi.AnnotationChanged:      {Op: Changed, Parts: AnnotationsPart},
}

func (f *finder) predicateAt(v ssa.Value, depth int) Filter {
	if depth > maxDepth {
		return f.unknownAt(v)
	}
	v = calls.Behind(v)
	at := f.place(v.Pos())
	t := v.Type()
	if cond, ok := stockFilters[kubeapi.StockPredicateOf(t)]; ok {
		return named(kubeapi.Named(t).Obj().Name(), at, Filter{Update: cond})
	}
	if kubeapi.IsPredicateFuncs(t) {
		if filter, ok := f.predicateFuncs(v); ok {
			return filter
		}
	}
	if call, ok := v.(*ssa.Call); ok {
		return f.predicateCall(call, depth)
	}
	switch v := v.(type) {
	case *ssa.Extract:
		if call, ok := v.Tuple.(*ssa.Call); ok {
			if filter, ok := f.madePredicate(call, v.Index, depth); ok {
				return filter
			}
		}
	case *ssa.UnOp:
		if global, ok := v.X.(*ssa.Global); ok {
			return f.globalPredicate(global, depth)
		}
	case *ssa.Parameter:
		if handed, closed := f.calls.HandedOver(v); closed {
			if filter, ok := f.sameFilter(handed, depth); ok {
				return filter
			}
		}
	}
	if kubeapi.Named(t) != nil && !types.IsInterface(t) && kubeapi.IsPredicate(t) && !kubeapi.IsPredicateFuncs(t) {
		return f.predicateType(t)
	}
	return f.unknownAt(v)
}

// sameFilter is the filter that several values are if they agree.
func (f *finder) sameFilter(values []ssa.Value, depth int) (Filter, bool) {
	if len(values) == 0 {
		return Filter{}, false
	}
	first := f.predicateAt(values[0], depth+1)
	for _, other := range values[1:] {
		filter := f.predicateAt(other, depth+1)
		for _, pair := range [][2]Cond{{first.Create, filter.Create}, {first.Update, filter.Update}, {first.Delete, filter.Delete}, {first.Generic, filter.Generic}} {
			if pair[0].String() != pair[1].String() {
				return Filter{}, false
			}
		}
	}
	return first, true
}

// predicateOption reads an option of the builder's: builder.WithPredicates, or a
// predicate itself in older releases.
func (f *finder) predicateOption(option ssa.Value) Filter {
	option = calls.Behind(option)
	if call, ok := option.(*ssa.Call); ok && kubeapi.IsWithPredicates(kubeapi.Callee(call.Common())) && len(call.Call.Args) == 1 {
		return f.predicatesIn(call.Call.Args[0])
	}
	if kubeapi.IsPredicate(option.Type()) {
		return f.predicate(option)
	}
	if kubeapi.IsOnlyMetadata(option) || kubeapi.IsMatchEveryOwner(option) || !kubeapi.IsPredicatesOption(option.Type()) {
		return Filter{}
	}
	return f.unknownAt(option)
}

// predicatesOf reads the predicates of a variadic call.
func (f *finder) predicatesOf(v ssa.Value, common *ssa.CallCommon) Filter {
	if !common.Signature().Variadic() {
		return Filter{}
	}
	return f.predicatesIn(v)
}

// predicatesIn reads a list of predicates, all of which have to agree.
func (f *finder) predicatesIn(list ssa.Value) Filter {
	elements, known := f.read.Elements(list)
	var filter Filter
	for _, e := range elements {
		filter = filter.And(f.predicate(e))
	}
	if !known {
		filter = filter.And(f.unknownAt(list))
	}
	return filter
}

func (f *finder) predicateCall(call *ssa.Call, depth int) Filter {
	fn := kubeapi.Callee(call.Common())
	args := call.Call.Args
	at := f.place(call.Pos())
	switch kind := kubeapi.StockPredicateFunc(fn); kind {
	case kubeapi.LabelSelector:
		maybe := Cond{Op: Maybe}
		return named(fn.Name(), at, Filter{Create: maybe, Update: maybe, Delete: maybe, Generic: maybe})
	case kubeapi.PredicateOfFunc:
		c := f.bodies(args[0])
		return named(fn.Name(), at, Filter{Create: c, Update: c, Delete: c, Generic: c})
	case kubeapi.PredicateAnd, kubeapi.PredicateOr:
		return f.combined(kind, args[0], depth)
	case kubeapi.PredicateNot:
		inner := f.predicateAt(args[0], depth+1)
		return Filter{Create: not(inner.Create), Update: not(inner.Update), Delete: not(inner.Delete), Generic: not(inner.Generic), Names: inner.Names, At: inner.At}
	}
	if filter, ok := f.madePredicate(call, 0, depth); ok {
		return filter
	}
	return f.unknownAt(call)
}

func (f *finder) combined(kind kubeapi.StockPredicate, list ssa.Value, depth int) Filter {
	elements, known := f.read.Elements(list)
	if !known || len(elements) == 0 {
		return f.unknownAt(list)
	}
	op := or
	if kind == kubeapi.PredicateAnd {
		op = and
	}
	result := f.predicateAt(elements[0], depth+1)
	for _, e := range elements[1:] {
		result = result.with(f.predicateAt(e, depth+1), op)
	}
	return result
}

// madePredicate reads the predicate that a function of the user's modules returns.
func (f *finder) madePredicate(call *ssa.Call, index, depth int) (Filter, bool) {
	targets := f.calls.Callees(call)
	if len(targets.Funcs) > 0 {
		values, closed := f.results(call, index)
		if !closed {
			return Filter{}, false
		}
		filter, ok := f.sameFilter(values, depth)
		if ok && len(targets.Funcs) == 1 && targets.Funcs[0].Object() != nil {
			filter = named(targets.Funcs[0].Name(), f.place(targets.Funcs[0].Pos()), filter)
		}
		return filter, ok
	}
	fn := kubeapi.Callee(call.Common())
	if fn == nil || index != 0 {
		return Filter{}, false
	}
	var fact Predicate
	if f.pass.ImportObjectFact(fn, &fact) {
		return fact.Filter, true
	}
	return Filter{}, false
}

func (f *finder) globalPredicate(global *ssa.Global, depth int) Filter {
	if global.Object() == nil {
		return f.unknownAt(global)
	}
	if global.Pkg != f.calls.Pkg {
		var fact Predicate
		if f.pass.ImportObjectFact(global.Object(), &fact) {
			return fact.Filter
		}
		return f.unknownAt(global)
	}
	values := f.calls.Stored(global.Object())
	if filter, ok := f.sameFilter(values, depth); ok {
		return named(global.Name(), f.place(global.Pos()), filter)
	}
	if s := f.globalFuncs(global); s != nil {
		return named(global.Name(), f.place(global.Pos()), *s)
	}
	return f.unknownAt(global)
}

// globalFuncs reads a variable whose fields are set one by one, as the compiler
// does for a literal.
func (f *finder) globalFuncs(global *ssa.Global) *Filter {
	pointer, ok := global.Type().Underlying().(*types.Pointer)
	if !ok || !kubeapi.IsPredicateFuncs(pointer.Elem()) {
		return nil
	}
	s := new(literals.Struct)
	s.Values = make(map[string][]ssa.Value)
	for _, fn := range f.calls.All() {
		for store := range blocks.InstrsOf[*ssa.Store](fn) {
			if addr, ok := store.Addr.(*ssa.FieldAddr); ok && addr.X == global {
				if field := calls.FieldOf(addr.X.Type(), addr.Field); field != nil {
					s.Values[field.Name()] = append(s.Values[field.Name()], store.Val)
				}
			}
		}
	}
	filter := f.funcsFilter(s)
	return &filter
}

// predicateFuncs reads predicate.Funcs{…}.
func (f *finder) predicateFuncs(v ssa.Value) (Filter, bool) {
	switch v := v.(type) {
	case *ssa.Alloc:
	case *ssa.UnOp:
		if _, isGlobal := v.X.(*ssa.Global); isGlobal {
			return Filter{}, false
		}
	default:
		return Filter{}, false
	}
	s := f.read.Read(v)
	if s.Open {
		return Filter{}, false
	}
	return named("predicate.Funcs", f.place(v.Pos()), f.funcsFilter(s)), true
}

func (f *finder) funcsFilter(s *literals.Struct) Filter {
	cond := func(field string) Cond {
		values := s.Values[field]
		switch {
		case len(values) == 0 || len(values) == 1 && literals.IsZero(values[0]):
			return Cond{Op: True}
		case len(values) > 1:
			return Cond{Op: Maybe}
		}
		return f.bodies(values[0])
	}
	return Filter{Create: cond("CreateFunc"), Update: cond("UpdateFunc"), Delete: cond("DeleteFunc"), Generic: cond("GenericFunc")}
}

// predicateType reads a type of the user's that is a predicate: the methods that
// it has itself, and those of what it embeds.
func (f *finder) predicateType(t types.Type) Filter {
	n := kubeapi.Named(t)
	if n.Obj().Pkg() != f.pass.Pkg {
		var fact Predicate
		if f.pass.ImportObjectFact(n.Obj(), &fact) {
			return fact.Filter
		}
		return named(n.Obj().Name(), Place{}, unknownFilter)
	}
	return named(n.Obj().Name(), f.place(n.Obj().Pos()), Filter{
		Create: f.predicateMethod(t, "Create"), Update: f.predicateMethod(t, "Update"),
		Delete: f.predicateMethod(t, "Delete"), Generic: f.predicateMethod(t, "Generic"),
	})
}

func (f *finder) predicateMethod(t types.Type, name string) Cond {
	obj, _, _ := types.LookupFieldOrMethod(t, true, f.pass.Pkg, name)
	method, ok := obj.(*types.Func)
	if !ok {
		return Cond{Op: Maybe}
	}
	recv := method.Signature().Recv().Type()
	switch {
	case method.Pkg() == f.pass.Pkg:
		fn := f.calls.Pkg.Prog.FuncValue(method.Origin())
		if fn == nil || fn.Blocks == nil {
			return Cond{Op: Maybe}
		}
		return f.body(fn, 0)
	case kubeapi.IsPredicateFuncs(recv):
		// Embedded, and as a rule empty.
		if isEmptyFuncs(f, t) {
			return Cond{Op: True}
		}
		return Cond{Op: Maybe}
	}
	if cond, ok := stockFilters[kubeapi.StockPredicateOf(recv)]; ok {
		if name == "Update" {
			return cond
		}
		return Cond{Op: True}
	}
	return Cond{Op: Maybe}
}

// isEmptyFuncs reports whether nothing in the package sets the functions of
// a predicate.Funcs that t embeds.
func isEmptyFuncs(f *finder, t types.Type) bool {
	n := kubeapi.Named(t)
	for _, fn := range f.calls.All() {
		for addr := range blocks.InstrsOf[*ssa.FieldAddr](fn) {
			if kubeapi.Named(addr.X.Type()) != n {
				continue
			}
			if field := calls.FieldOf(addr.X.Type(), addr.Field); field != nil && field.Embedded() && kubeapi.IsPredicateFuncs(field.Type()) && len(*addr.Referrers()) > 0 && blocks.IsStoredTo(addr) {
				return false
			}
		}
	}
	return true
}

// exportPredicates tells other packages about functions that return predicates,
// variables that hold one, and types that are one.
func (f *finder) exportPredicates() {
	scope := f.pass.Pkg.Scope()
	for _, name := range scope.Names() {
		switch obj := scope.Lookup(name).(type) {
		case *types.Func:
			results := obj.Signature().Results()
			if results.Len() == 0 || !obj.Exported() || !kubeapi.IsPredicate(results.At(0).Type()) {
				continue
			}
			if fn := f.calls.Pkg.Prog.FuncValue(obj); fn != nil && fn.Blocks != nil {
				if filter, ok := f.sameFilter(returnedValues(fn), 0); ok {
					f.pass.ExportObjectFact(obj, &Predicate{named(name, f.place(obj.Pos()), filter)})
				}
			}
		case *types.Var:
			if obj.Exported() && kubeapi.IsPredicate(obj.Type()) {
				if global, ok := f.calls.Pkg.Members[name].(*ssa.Global); ok {
					f.pass.ExportObjectFact(obj, &Predicate{f.globalPredicate(global, 0)})
				}
			}
		case *types.TypeName:
			if n, ok := obj.Type().(*types.Named); ok && !obj.IsAlias() && obj.Exported() && !types.IsInterface(n) && kubeapi.IsPredicate(n) {
				f.pass.ExportObjectFact(obj, &Predicate{f.predicateType(n)})
			}
		}
	}
}

func returnedValues(fn *ssa.Function) []ssa.Value {
	var values []ssa.Value
	for ret := range blocks.Returns(fn) {
		if len(ret.Results) > 0 && !isZeroConst(ret.Results[0]) {
			values = append(values, ret.Results[0])
		}
	}
	return values
}
