package controllers

import (
	"cmp"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/literals"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/kinds"
)

// controllers finds the controllers that controller-runtime's builder and controller.New make.
func (f *finder) controllers() {
	for _, fn := range f.calls.All() {
		for call := range blocks.InstrsOf[*ssa.Call](fn) {
			if kubeapi.MakesControllerBuilder(call.Common()) {
				f.builder(call)
			} else if kubeapi.MakesController(call.Common()) {
				f.directController(call)
			}
		}
	}
}

func (f *finder) newLocal(framework Framework, at ssa.Instruction) *Local {
	c := &Local{Controller: Controller{Framework: framework, Package: f.pass.Pkg.Path(), At: f.place(at.Pos())}, Pos: at.Pos(), Made: at, Setup: paths.Outermost(at.Parent())}
	f.found = append(f.found, c)
	return c
}

// builder reads one chain.
func (f *finder) builder(made *ssa.Call) {
	c := f.newLocal(Builder, made)
	c.Workers = Number{Value: 1, Default: true}
	chain := f.usesOf(made, kubeapi.IsControllerBuilder)
	c.Open = chain.open
	slices.SortStableFunc(chain.calls, func(a, b use) int { return int(a.call.Pos() - b.call.Pos()) })
	var complete ssa.CallInstruction
	for _, u := range chain.calls {
		if name := builderMethod(u); name == "Complete" || name == "Build" {
			complete = u.call
		}
	}
	for _, u := range chain.calls {
		f.builderCall(c, u, complete)
	}
	for _, c := range f.split(c) {
		for i := range c.Watches {
			if w := &c.Watches[i]; w.Role == Owns {
				w.Handler.Owner = c.For // wherever For stands in the chain
			}
		}
	}
}

// split makes one controller for each kind that a chain is run for: one in a loop over
// kinds, or in a helper that several callers hand a kind. Whether they have one and the
// same reconciler is not told.
func (f *finder) split(c *Local) []*Local {
	var reconciled []int
	unknown := false
	for i, w := range c.Watches {
		if w.Role == For {
			unknown = unknown || !w.Kind.IsKnown()
			if w.Kind.IsKnown() {
				reconciled = append(reconciled, i)
			}
		}
	}
	if len(reconciled) == 0 || len(reconciled) == 1 && !unknown {
		return []*Local{c}
	}
	whole := *c
	whole.ReconcilerValue, whole.Open = nil, whole.Open || unknown
	all := []*Local{c}
	for range reconciled[1:] {
		all = append(all, new(Local))
	}
	for n, part := range all {
		*part = whole
		part.For = whole.Watches[reconciled[n]].Kind
		part.Watches, part.WatchPos, part.KindTypes = nil, nil, nil
		for i, w := range whole.Watches {
			if w.Role != For || i == reconciled[n] {
				part.Watches, part.WatchPos, part.KindTypes = append(part.Watches, w), append(part.WatchPos, whole.WatchPos[i]), append(part.KindTypes, whole.KindTypes[i])
			}
		}
	}
	f.found = append(f.found, all[1:]...)
	return all
}

// builderMethod is the name of the builder's method that is called; empty for other
// calls.
func builderMethod(u use) string {
	fn := kubeapi.Callee(u.call.Common())
	if fn == nil || u.operand != 0 || fn.Signature().Recv() == nil || !kubeapi.IsControllerBuilder(fn.Signature().Recv().Type()) {
		return ""
	}
	return fn.Name()
}

func (f *finder) builderCall(c *Local, u use, complete ssa.CallInstruction) {
	_, args := kubeapi.Args(u.call.Common())
	name := builderMethod(u)
	if name == "" || len(args) == 0 {
		return
	}
	switch name {
	case "For", "Owns", "Watches", "WatchesMetadata", "WatchesRawSource":
		f.builderWatch(c, name, u.call, args, complete)
	case "WithEventFilter":
		c.FilterPos = append(c.FilterPos, u.call.Pos())
		c.Filter = c.Filter.And(f.predicate(args[0]))
	case "WithOptions":
		f.options(c, args[0])
	case "Named":
		c.Name, c.NameUnknown = constName(args[0])
	case "Complete", "Build":
		f.reconciler(c, args[0])
	}
}

func constName(v ssa.Value) (name string, unknown bool) {
	name, ok := kubeapi.ConstString(v)
	return name, !ok
}

var roles = map[string]Role{"For": For, "Owns": Owns, "Watches": Watches, "WatchesMetadata": Watches, "WatchesRawSource": Raw}

func (f *finder) builderWatch(c *Local, name string, call ssa.CallInstruction, args []ssa.Value, complete ssa.CallInstruction) {
	// A controller may be completed without the call.
	conditional := complete != nil && call.Parent() == complete.Parent() && call.Block() != complete.Block() && !call.Block().Dominates(complete.Block())
	w := Watch{Role: roles[name], At: f.place(call.Pos()), Conditional: conditional}
	var objects []object
	switch {
	case name == "For" || name == "Owns":
		objects = f.objectsOf(args[0])
	case len(args) > 1 && kubeapi.IsObject(args[0].Type()) && name != "WatchesRawSource":
		objects = f.objectsOf(args[0])
		w.Handler = f.handler(args[1])
	default:
		objects = f.source(&w, args[0])
		if len(args) > 1 && w.Handler.Class == "" && name != "WatchesRawSource" {
			w.Handler = f.handler(args[1])
		}
		if len(args) > 1 && w.Handler.Class == UnknownHandler {
			w.Handler = f.handler(args[1])
		}
	}
	onlyMetadata := name == "WatchesMetadata"
	everyOwner := false
	if call.Common().Signature().Variadic() && len(args) > 0 {
		options, known := kubeapi.VariadicArgs(args[len(args)-1])
		if !known {
			w.Filter = w.Filter.And(unknownFilter)
		}
		for _, option := range options {
			onlyMetadata = onlyMetadata || kubeapi.IsOnlyMetadata(option)
			everyOwner = everyOwner || kubeapi.IsMatchEveryOwner(option)
			w.Filter = w.Filter.And(f.predicateOption(option))
		}
	}
	switch name {
	case "For":
		w.Handler = Handler{Class: Self}
	case "Owns":
		w.Handler = Handler{Class: Owner, OnlyController: !everyOwner}
	}
	for _, o := range objects {
		if onlyMetadata && o.IsKnown() {
			o.Form = Metadata
		}
		f.addWatch(c, w, o, call)
	}
}

// unknownFilter is what predicates let through that are not seen.
var unknownFilter = Filter{
	Create: Cond{Op: Maybe}, Update: Cond{Op: Maybe}, Delete: Cond{Op: Maybe}, Generic: Cond{Op: Maybe}, Names: []string{"?"}, At: []Place{{}},
}

func (f *finder) addWatch(c *Local, w Watch, o object, at ssa.Instruction) {
	w.Kind = o.Kind
	if w.Role == For {
		c.For = o.Kind
	}
	c.Watches = append(c.Watches, w)
	c.WatchPos = append(c.WatchPos, at.Pos())
	c.KindTypes = append(c.KindTypes, o.named)
}

// options reads controller.Options.
func (f *finder) options(c *Local, v ssa.Value) {
	s := f.read.Read(v)
	if s.Open {
		c.Workers, c.Open = Number{From: fromOf(v)}, true
	}
	if values := s.Values["MaxConcurrentReconciles"]; len(values) > 0 {
		c.Workers = f.number(values)
	}
	c.RateLimiter = c.RateLimiter || len(s.Values["RateLimiter"]) > 0 && s.Set("RateLimiter")
	for _, v := range s.Values["NeedLeaderElection"] {
		switch {
		case kubeapi.PointsToTrue(calls.Behind(v)):
			c.LeaderElection = kinds.Yes
		case kubeapi.PointsToFalse(calls.Behind(v)):
			c.LeaderElection = kinds.No
		}
	}
	for _, r := range s.Values["Reconciler"] {
		if !literals.IsZero(r) {
			f.reconciler(c, r)
		}
	}
}

// number is the number that values are if all agree.
func (f *finder) number(values []ssa.Value) Number {
	n := Number{Value: -1}
	for _, v := range values {
		v = calls.Behind(v)
		if conv, ok := v.(*ssa.Convert); ok {
			v = calls.Behind(conv.X)
		}
		if p, ok := v.(*ssa.Parameter); ok {
			if handed, closed := f.calls.HandedOver(p); closed {
				if inner := f.number(handed); inner.Value > 0 && (n.Value < 0 || n.Value == inner.Value) {
					n = inner
					continue
				}
			}
			return notConstant(f.calls, p)
		}
		value, ok := blocks.Number(v)
		if !ok {
			return notConstant(f.calls, v)
		}
		if n.Value >= 0 && n.Value != int(value) {
			return Number{}
		}
		n.Value = int(value)
	}
	if n.Value <= 0 {
		return Number{Value: 1, Default: true}
	}
	return n
}

// fromOf says where a value comes from that is not known.
func fromOf(v ssa.Value) string {
	switch v := (values.Relation{Steps: values.Held}).End(v).(type) {
	case *ssa.Parameter:
		return "parameter"
	case *ssa.Call:
		return "call"
	case *ssa.UnOp:
		switch v.X.(type) {
		case *ssa.Global, *ssa.Alloc:
			return "variable"
		case *ssa.UnOp, *ssa.Call:
			return "flag"
		}
	}
	if calls.LoadedField(v) != nil {
		return "field"
	}
	return ""
}

// reconciler notes what is run for each request.
func (f *finder) reconciler(c *Local, v ssa.Value) {
	for range maxDepth {
		x := cmp.Or(kubeapi.Converted(v), calls.Behind(v))
		if x == v {
			break
		}
		if _, isFunc := x.Type().Underlying().(*types.Signature); isFunc {
			f.reconcileFunc(c, x)
			return
		}
		v = x
	}
	if obj := kubeapi.ReconcileMethod(v.Type()); obj != nil && !types.IsInterface(obj.Signature().Recv().Type()) {
		c.Reconciler, c.ReconcilerValue = TypeID(v.Type()), v
		f.setReconcile(c, obj)
		return
	}
	call, ok := v.(*ssa.Call)
	if !ok {
		return
	}
	// reconcile.AsReconciler(client, r) and other wrappers.
	values, _ := f.results(call, 0)
	if len(values) == 1 && c.Reconcile == "" {
		f.reconciler(c, values[0])
		return
	}
	for _, arg := range kubeapi.Operands(call.Common()) {
		if inner := calls.Behind(arg); c.Reconcile == "" && kubeapi.ReconcileMethod(inner.Type()) != nil {
			f.reconciler(c, inner)
		}
	}
}

func (f *finder) reconcileFunc(c *Local, v ssa.Value) {
	targets := f.calls.FuncsOf(v)
	switch {
	case targets.Closed && len(targets.Funcs) == 1:
		fn := targets.Funcs[0]
		c.ReconcileFn = fn
		if obj, ok := fn.Object().(*types.Func); ok {
			f.setReconcile(c, obj)
		}
	case len(targets.Funcs) == 0 && len(targets.External) == 1:
		f.setReconcile(c, targets.External[0].Func)
	}
}

func (f *finder) setReconcile(c *Local, obj *types.Func) {
	obj = obj.Origin()
	c.ReconcileObj, c.Reconcile = obj, kubeapi.FullName(obj)
	if recv := obj.Signature().Recv(); recv != nil && c.Reconciler == "" {
		c.Reconciler = TypeID(recv.Type())
	}
	if obj.Pkg() == f.pass.Pkg {
		if fn := f.calls.Pkg.Prog.FuncValue(obj); fn != nil && fn.Blocks != nil {
			c.ReconcileFn = fn
		}
	}
}
