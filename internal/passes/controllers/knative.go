package controllers

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// knativeWorkers is controller.DefaultThreadsPerController.
const knativeWorkers = 2

// knative finds knative's controllers: what the NewImpl of a kind makes of a reconciler,
// with the informers whose handlers add to its queue.
type knative struct {
	*queues
	made  map[*ssa.Call]*Local
	order []*ssa.Call
	// handles are the functions that handlers of informers run.
	handles map[*ssa.Function]bool
}

func (q *queues) knativeControllers() {
	k := &knative{queues: q, made: make(map[*ssa.Call]*Local), handles: make(map[*ssa.Function]bool)}
	q.calls.Each(func(instr ssa.Instruction) {
		call, ok := instr.(*ssa.Call)
		if !ok {
			return
		}
		if reconciler, kind, ok := kubeapi.MakesKnativeImpl(call.Common()); ok && len(q.calls.Callees(call).Funcs) == 0 {
			k.made[call] = k.controller(call, reconciler, kind)
			k.order = append(k.order, call)
		}
	})
	if len(k.order) == 0 {
		return
	}
	q.calls.Each(k.watches)
	q.calls.Each(k.others)
}

// controller puts together what one call makes, without its watches.
func (k *knative) controller(call *ssa.Call, reconciler ssa.Value, kind *types.Named) *Local {
	c := &Local{Controller: Controller{
		Framework: Knative, Package: k.pass.Pkg.Path(), At: k.place(call.Pos()), Workers: Number{Value: knativeWorkers, Default: true},
	}, Pos: call.Pos()}
	if kind != nil {
		c.For = Kind{kubeapi.KindID(kind), Typed}
	}
	k.knativeOptions(c, call)
	t := calls.Behind(reconciler).Type()
	c.Does.Open = true
	for _, name := range []string{"ReconcileKind", "Reconcile", "FinalizeKind"} {
		obj, _, _ := types.LookupFieldOrMethod(t, true, k.pass.Pkg, name)
		fn, ok := obj.(*types.Func)
		if !ok || types.IsInterface(t) {
			continue
		}
		if name != "FinalizeKind" && c.Reconcile == "" {
			k.setReconcile(c, fn)
			c.Does.Open = false
		}
		c.Does = c.Does.with(k.effects.ofFunc(fn.Origin()))
		if name == "FinalizeKind" {
			c.generated(Access{Act: AddFinalizer}, Access{Act: RemoveFinalizer})
		}
	}
	k.informed, k.taking = append(k.informed, c), append(k.taking, c)
	return c
}

// generated adds what the generated part of a reconciler does to its kind.
func (c *Local) generated(accesses ...Access) {
	for _, a := range accesses {
		a.Kind, a.At = c.For, c.At
		c.Does.Accesses = append(slices.Clip(c.Does.Accesses), a)
	}
}

// knativeOptions reads controller.Options, which a function returns, and
// controller.ControllerOptions.
func (k *knative) knativeOptions(c *Local, call *ssa.Call) {
	writesStatus := c.For.IsKnown()
	read := func(v ssa.Value) {
		s := k.finder.read.Read(v)
		if values := s.Values["Concurrency"]; len(values) > 0 {
			c.Workers = k.number(values)
		}
		for _, name := range []string{"AgentName", "WorkQueueName"} {
			for _, v := range s.Values[name] {
				if text, ok := kubeapi.ConstString(v); ok {
					c.Name = text
				}
			}
		}
		c.RateLimiter = c.RateLimiter || s.Set("RateLimiter")
		writesStatus = writesStatus && !s.Set("SkipStatusUpdates")
	}
	for _, arg := range call.Call.Args {
		if kubeapi.IsNamed(arg.Type(), "knative.dev/pkg/controller", "ControllerOptions") {
			read(arg)
		}
		if _, ok := arg.Type().Underlying().(*types.Slice); !ok {
			continue
		}
		values, _ := k.finder.read.Elements(arg)
		for _, v := range values {
			for _, fn := range k.calls.FuncsOf(v).Funcs {
				for ret := range blocks.Returns(fn) {
					if len(ret.Results) == 1 {
						read(ret.Results[0])
					}
				}
			}
		}
	}
	if writesStatus {
		c.generated(Access{Act: Update, Endpoint: kubeapi.StatusEndpoint})
	}
}

// others adds what wakes the controllers beside informers: calls that put all objects into
// the queue, when a configuration has changed, and EnqueueKey in others' hands.
func (k *knative) others(instr ssa.Instruction) {
	call, ok := instr.(ssa.CallInstruction)
	if !ok || k.handles[call.Parent()] {
		return
	}
	recv, args := kubeapi.Args(call.Common())
	if fn := kubeapi.Callee(call.Common()); kubeapi.KnativeEnqueueOf(fn) == kubeapi.EnqueueAll {
		k.raw(recv, fn, call)
		return
	}
	for _, arg := range args {
		if _, isFunc := arg.Type().Underlying().(*types.Signature); !isFunc {
			continue
		}
		for _, external := range k.calls.FuncsOf(arg).External {
			if kubeapi.IsKnativeImpl(recvOf(external.Func)) && external.Func.Name() == "EnqueueKey" {
				k.raw(external.Recv, external.Func, call)
			}
		}
	}
}

// recvOf is the type of a method's receiver; that of nothing for a function.
func recvOf(fn *types.Func) types.Type {
	if recv := fn.Signature().Recv(); recv != nil {
		return recv.Type()
	}
	return types.Typ[types.UntypedNil]
}

func (k *knative) raw(impl ssa.Value, fn *types.Func, call ssa.CallInstruction) {
	if c := k.controllerOf(impl, call); c != nil {
		at := k.place(call.Pos())
		k.addWatch(c, Watch{Role: Raw, At: at, Handler: Handler{Class: Custom, Func: kubeapi.FullName(fn), At: at}}, object{}, call)
	}
}

// watches adds what handlers of informers wake.
func (k *knative) watches(instr ssa.Instruction) {
	call, ok := instr.(ssa.CallInstruction)
	if !ok {
		return
	}
	op, ok := kubeapi.InformerOpOf(call)
	if !ok || op.Verb != kubeapi.AddHandler {
		return
	}
	h := &knativeHandler{knative: k, call: call}
	h.read(op.Handler, 0)
	for _, woken := range h.wakes {
		w := Watch{Role: Watches, Filter: h.filter, At: k.place(call.Pos()), Conditional: mayBeSkipped(call), Handler: woken.handler}
		w.Handler.At = w.At
		for _, o := range k.kindsInformed(op.Informer, 0) {
			w := w
			switch {
			case w.Handler.Class == Self && (o.Kind == woken.of.For || !woken.of.For.IsKnown()):
				w.Role = For
			case w.Handler.Class == Owner:
				w.Role = Owns
				w.Handler.Owner = woken.of.For
			}
			k.addWatch(woken.of, w, o, call)
		}
	}
}

// controllerOf returns the controller that an Impl is of, or, if that cannot be told, the
// one that is made in the function.
func (k *knative) controllerOf(impl ssa.Value, at ssa.Instruction) *Local {
	if impl != nil && kubeapi.IsKnativeImpl(impl.Type()) {
		if c := k.implOf(impl, 0); c != nil {
			return c
		}
	}
	var only *Local
	for _, call := range k.order {
		if paths.Outermost(call.Parent()) == paths.Outermost(at.Parent()) {
			if only != nil {
				return nil
			}
			only = k.made[call]
		}
	}
	return only
}

func (k *knative) implOf(v ssa.Value, depth int) *Local {
	if v == nil || depth > maxDepth {
		return nil
	}
	v = calls.Behind(v)
	if call, ok := v.(*ssa.Call); ok {
		return k.made[call]
	}
	of := values.Relation{Calls: k.calls, Steps: values.Held | values.Given, More: func(v ssa.Value) []ssa.Value {
		if load, ok := v.(*ssa.UnOp); ok {
			return k.calls.Stored(calls.HolderOf(load.X))
		}
		return values.Stored(v)
	}}
	from, _ := of.Sources(v)
	only, _ := values.Agree(from, func(v ssa.Value) *Local { return k.implOf(v, depth+1) })
	return only
}

// knativeHandler is what a handler does to queues.
type knativeHandler struct {
	*knative
	call   ssa.CallInstruction
	filter Filter
	wakes  []woken
}

// woken is a controller that a handler wakes.
type woken struct {
	of      *Local
	handler Handler
}

// read takes a handler apart.
func (h *knativeHandler) read(v ssa.Value, depth int) {
	if depth > maxDepth {
		return
	}
	v = calls.Behind(v)
	if call, ok := v.(*ssa.Call); ok {
		if kubeapi.IsKnativeWrapper(kubeapi.Callee(call.Common())) {
			h.function(call.Call.Args[0], depth+1)
			return
		}
		values, _ := h.results(call, 0)
		for _, value := range values {
			h.read(value, depth+1)
		}
		return
	}
	if !kubeapi.HasField(v.Type(), "AddFunc") && !kubeapi.HasField(v.Type(), "FilterFunc") {
		return
	}
	s := h.finder.read.Read(v)
	for _, name := range handlerFields {
		for _, fn := range s.Values[name] {
			h.function(fn, depth+1)
		}
	}
	for _, fn := range s.Values["FilterFunc"] {
		h.filter = h.filter.And(named(h.filterName(fn), h.place(fn.Pos()), unknownFilter))
	}
	for _, inner := range s.Values["Handler"] {
		h.read(inner, depth+1)
	}
}

// filterName is what the code calls a filter, such as FilterController.
func (h *knativeHandler) filterName(v ssa.Value) string {
	if call, ok := calls.Behind(v).(*ssa.Call); ok {
		if fn := kubeapi.Callee(call.Common()); fn != nil {
			return fn.Name()
		}
	}
	return h.shortName(v)
}

// function notes what a function of a handler adds to queues.
func (h *knativeHandler) function(v ssa.Value, depth int) {
	if depth > maxDepth {
		return
	}
	if call, ok := calls.Behind(v).(*ssa.Call); ok {
		fn := kubeapi.Callee(call.Common())
		switch {
		case kubeapi.IsKnativeWrapper(fn):
			h.function(call.Call.Args[0], depth+1)
		case kubeapi.KnativeEnqueueOf(fn) != kubeapi.NoEnqueue:
			recv, _ := kubeapi.Args(call.Common())
			h.wake(recv, fn)
		default:
			values, _ := h.results(call, 0)
			for _, value := range values {
				h.function(value, depth+1)
			}
		}
		return
	}
	targets := h.calls.FuncsOf(v)
	for _, external := range targets.External {
		h.wake(external.Recv, external.Func)
	}
	seen := make(map[*ssa.Function]bool)
	for _, fn := range targets.Funcs {
		h.body(fn, fn, seen, depth)
	}
}

// body notes what a function of the program's own adds to queues; by is the one that the
// handler names.
func (h *knativeHandler) body(fn, by *ssa.Function, seen map[*ssa.Function]bool, depth int) {
	if seen[fn] || depth > maxDepth || len(seen) > maxReach {
		return
	}
	seen[fn], h.handles[fn] = true, true
	for call := range blocks.InstrsOf[ssa.CallInstruction](fn) {
		if kubeapi.KnativeEnqueueOf(kubeapi.Callee(call.Common())) != kubeapi.NoEnqueue {
			recv, _ := kubeapi.Args(call.Common())
			made := Handler{Class: Custom}
			if obj, ok := by.Object().(*types.Func); ok {
				made.Func = kubeapi.FullName(obj)
			}
			h.add(recv, made)
		}
		for _, callee := range h.calls.Callees(call).Funcs {
			h.body(callee, by, seen, depth+1)
		}
	}
}

// wake notes a method of an Impl, or of its tracker, that a handler runs.
func (h *knativeHandler) wake(recv ssa.Value, fn *types.Func) {
	switch kubeapi.KnativeEnqueueOf(fn) {
	case kubeapi.EnqueueSelf:
		h.add(recv, Handler{Class: Self})
	case kubeapi.EnqueueOwner:
		h.add(recv, Handler{Class: Owner, OnlyController: true})
	case kubeapi.EnqueueOther, kubeapi.EnqueueAll, kubeapi.EnqueueTracks:
		h.add(recv, Handler{Class: Mapped, Func: kubeapi.FullName(fn)})
	}
}

func (h *knativeHandler) add(recv ssa.Value, made Handler) {
	c := h.controllerOf(recv, h.call)
	if c != nil && !slices.Contains(h.wakes, woken{c, made}) {
		h.wakes = append(h.wakes, woken{c, made})
	}
}
