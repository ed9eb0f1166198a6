package controllers

import (
	"cmp"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/literals"
	"github.com/opvet/opvet/internal/kubeapi"
)

// effects computes what the functions of a package do to API objects.
type effects struct {
	*finder
	own   map[*ssa.Function][]Access
	again map[*ssa.Function]bool // see summary.requeues
	open  map[*ssa.Function]bool // see Effects.Open
	edges map[*ssa.Function][]edge
	all   map[*ssa.Function]*summary
}

// edge is a call from one function to another: one of the package, or the facts on
// one from elsewhere.
type edge struct {
	callee   *ssa.Function
	external *Effects
	call     ssa.CallInstruction
}

// summary is what a function does, with what it calls.
type summary struct {
	Effects
	has map[Access]bool // without places
}

// maxAccesses bounds what is listed of one function.
const maxAccesses = 200

func (e *effects) compute() {
	for _, fn := range e.calls.Funcs {
		if fn.Blocks == nil {
			continue
		}
		root, later := outermost(fn), e.runsLater(fn)
		for instr := range blocks.Instrs(fn) {
			e.instruction(root, instr, later)
		}
	}
	var roots []*ssa.Function
	for _, fn := range e.calls.Funcs {
		if outermost(fn) != fn || fn.Blocks == nil {
			continue
		}
		roots = append(roots, fn)
		s := &summary{has: make(map[Access]bool), Effects: Effects{Requeues: e.again[fn], Open: e.open[fn]}}
		for _, a := range e.own[fn] {
			s.add(a)
		}
		e.all[fn] = s
	}
	for range maxRounds {
		changed := false
		for _, fn := range slices.Backward(roots) {
			changed = e.propagate(fn) || changed
		}
		for _, fn := range roots {
			changed = e.propagate(fn) || changed
		}
		if !changed {
			break
		}
	}
	e.export(roots)
}

const maxRounds = 5

// outermost is the declared function that a literal is in, or the literal that a package
// variable holds.
func outermost(fn *ssa.Function) *ssa.Function {
	for fn.Parent() != nil && fn.Parent().Synthetic == "" {
		fn = fn.Parent()
	}
	return fn
}

func (s *summary) add(a Access) bool {
	key := a
	key.At = Place{}
	if s.has[key] {
		return false
	}
	if len(s.Accesses) >= maxAccesses {
		s.Full = true
		return false
	}
	s.has[key] = true
	s.Accesses = append(s.Accesses, a)
	return true
}

func (e *effects) propagate(fn *ssa.Function) bool {
	s := e.all[fn]
	changed := false
	for _, edge := range e.edges[fn] {
		inner := edge.external
		if edge.callee != nil {
			called := e.all[outermost(edge.callee)]
			if called == nil || called == s {
				continue
			}
			inner = &called.Effects
		}
		changed = changed || inner.Open && !s.Open || inner.Full && !s.Full || inner.Requeues && !s.Requeues
		s.Open, s.Full, s.Requeues = s.Open || inner.Open, s.Full || inner.Full, s.Requeues || inner.Requeues
		for _, a := range inner.Accesses {
			changed = e.at(s, a, edge.call) || changed
		}
	}
	return changed
}

// at adds an access of a callee: if it is one of a parameter's kind, of what the
// call hands over.
func (e *effects) at(s *summary, a Access, call ssa.CallInstruction) bool {
	if a.Param == 0 {
		return s.add(a)
	}
	operands := kubeapi.Operands(call.Common())
	param := a.Param
	a.Param = 0
	if param <= len(operands) {
		of := e.handed(operands[param-1])
		a.Kind, a.Param = of.kind, of.param
	}
	return s.add(a)
}

// subject is the kind of an operand: known, or that of a parameter.
type subject struct {
	kind  Kind
	param int
}

// handed tells the kind of what a call is given.
func (e *effects) handed(v ssa.Value) subject {
	if v == nil {
		return subject{}
	}
	for x := kubeapi.Converted(v); x != nil; x = kubeapi.Converted(v) {
		v = x
	}
	if o, ok := ofType(v.Type()); ok {
		return subject{kind: o.Kind}
	}
	behind := calls.Behind(v)
	for range maxDepth {
		captured, ok := behind.(*ssa.FreeVar)
		if !ok {
			break
		}
		binding := e.calls.Binding(captured)
		if binding == nil {
			break
		}
		behind = calls.Behind(binding)
	}
	if p, ok := behind.(*ssa.Parameter); ok && outermost(p.Parent()) == p.Parent() {
		return subject{param: slices.Index(p.Parent().Params, p) + 1}
	}
	return subject{kind: e.kindOf(v).Kind}
}

// instruction notes what an instruction does. What runs later, not when the function is
// called, tests nothing for it.
func (e *effects) instruction(fn *ssa.Function, instr ssa.Instruction, later bool) {
	add := func(a Access, of subject, pos token.Pos) {
		a.Decides = a.Decides && !later
		a.Kind, a.Param, a.At = of.kind, of.param, e.place(pos)
		if a.Kind.IsKnown() || a.Param > 0 || a.Act != ReadPart {
			e.own[fn] = append(e.own[fn], a)
		}
	}
	switch instr := instr.(type) {
	case *ssa.FieldAddr:
		e.readField(instr, instr.X, instr.Field, add)
	case *ssa.Field:
		e.readField(instr, instr.X, instr.Field, add)
	case *ssa.Store:
		if addr, ok := instr.Addr.(*ssa.FieldAddr); ok {
			e.again[fn] = e.again[fn] || kubeapi.AsksAgain(addr.X.Type(), addr.Field) && !literals.IsZero(instr.Val)
			e.changeMetadata(addr, "", instr.Pos(), add)
		}
	case *ssa.MapUpdate:
		key, _ := kubeapi.ConstString(instr.Key)
		e.changeMap(instr.Map, key, instr.Pos(), add)
	case ssa.CallInstruction:
		e.call(fn, instr, add)
	}
}

// changeMap notes that an entry of labels or annotations is set or deleted.
func (e *effects) changeMap(m ssa.Value, key string, pos token.Pos, add func(Access, subject, token.Pos)) {
	switch m := calls.Behind(m).(type) {
	case *ssa.UnOp:
		if addr, ok := m.X.(*ssa.FieldAddr); ok {
			e.changeMetadata(addr, key, pos, add)
		}
	case *ssa.Call:
		fn := kubeapi.Callee(m.Common())
		if recv, args := kubeapi.Args(m.Common()); fn != nil && recv != nil && len(args) == 0 && kubeapi.IsObject(recv.Type()) {
			if part, ok := getterParts[fn.Name()]; ok {
				add(Access{Act: ChangePart, Part: part, Name: key}, e.handed(recv), pos)
			}
		}
	}
}

// changeMetadata notes that a field of an object's metadata is changed.
func (e *effects) changeMetadata(addr *ssa.FieldAddr, key string, pos token.Pos, add func(Access, subject, token.Pos)) {
	field := calls.FieldOf(addr.X.Type(), addr.Field)
	kind := ofMetadata(addr.X)
	if field == nil || kind == nil {
		return
	}
	if part := kubeapi.AspectOf(kind, []string{kubeapi.MetadataPath, field.Name()}); part&kubeapi.Metadata != 0 {
		add(Access{Act: ChangePart, Part: part, Name: key}, subject{kind: Kind{kubeapi.KindID(kind), Typed}}, pos)
	}
}

// ofMetadata is the kind of the object that an address of metadata is in, or nil.
func ofMetadata(addr ssa.Value) *types.Named {
	field, ok := addr.(*ssa.FieldAddr)
	if !ok || !kubeapi.IsObjectMeta(addr.Type()) {
		return nil
	}
	return kubeapi.KindOf(field.X.Type())
}

// readKeys notes the entries of labels or annotations that are read by a constant
// key.
func (e *effects) readKeys(m ssa.Value, part kubeapi.Aspect, of subject, depth int, add func(Access, subject, token.Pos)) {
	if depth > 2 {
		return
	}
	for ref := range blocks.Uses(m) {
		switch ref := ref.(type) {
		case *ssa.Lookup:
			if key, ok := kubeapi.ConstString(ref.Index); ok {
				add(Access{Act: ReadPart, Part: part, Name: key, Decides: e.decides(ref)}, of, ref.Pos())
			}
		case *ssa.UnOp:
			e.readKeys(ref, part, of, depth+1, add)
		}
	}
}

// readField notes that a part of an object is read.
func (e *effects) readField(v ssa.Value, x ssa.Value, index int, add func(Access, subject, token.Pos)) {
	field := calls.FieldOf(x.Type(), index)
	if field == nil || !isRead(v) {
		return
	}
	if kind := kubeapi.KindOf(x.Type()); kind != nil {
		if part := kubeapi.AspectOf(kind, []string{field.Name()}); part&(kubeapi.Status|kubeapi.Spec) != 0 && !field.Embedded() {
			add(Access{Act: ReadPart, Part: part, Decides: e.decides(v)}, subject{kind: Kind{kubeapi.KindID(kind), Typed}}, v.Pos())
		}
	} else if kind := ofMetadata(x); kind != nil {
		if part := kubeapi.AspectOf(kind, []string{kubeapi.MetadataPath, field.Name()}); part&kubeapi.Metadata != 0 {
			of := subject{kind: Kind{kubeapi.KindID(kind), Typed}}
			add(Access{Act: ReadPart, Part: part, Decides: e.decides(v)}, of, v.Pos())
			e.readKeys(v, part, of, 0, add)
		}
	}
}

// isRead reports whether something reads through an address, or uses a value.
func isRead(v ssa.Value) bool {
	for ref := range blocks.Uses(v) {
		switch ref := ref.(type) {
		case *ssa.Store:
			if ref.Addr != v {
				return true
			}
		case *ssa.FieldAddr, *ssa.IndexAddr:
			if isRead(ref.(ssa.Value)) {
				return true
			}
		case *ssa.DebugRef, *ssa.MapUpdate:
		default:
			return true
		}
	}
	return false
}

var getterParts = map[string]kubeapi.Aspect{
	"GetLabels": kubeapi.Labels, "GetAnnotations": kubeapi.Annotations, "GetFinalizers": kubeapi.Finalizers, "GetOwnerReferences": kubeapi.OwnerReferences,
}

func (e *effects) call(fn *ssa.Function, call ssa.CallInstruction, add func(Access, subject, token.Pos)) {
	common := call.Common()
	callee := kubeapi.Callee(common)
	recv, args := kubeapi.Args(common)
	if callee != nil && recv != nil && len(args) == 0 {
		if part, ok := getterParts[callee.Name()]; ok && kubeapi.IsObject(recv.Type()) {
			if value, ok := call.(*ssa.Call); ok {
				add(Access{Act: ReadPart, Part: part, Decides: e.decides(value)}, e.handed(recv), call.Pos())
				e.readKeys(value, part, e.handed(recv), 0, add)
			}
			return
		}
	}
	e.follow(fn, call, callee)
	if calls.IsBuiltin(call, "delete") {
		key, _ := kubeapi.ConstString(common.Args[1])
		e.changeMap(common.Args[0], key, call.Pos(), add)
		return
	}
	if callee != nil && recv != nil {
		if part, ok := kubeapi.MetadataSetter(callee); ok {
			add(Access{Act: ChangePart, Part: part}, e.handed(recv), call.Pos())
			return
		}
	}
	if set, ok := kubeapi.MetadataEntryOf(common); ok {
		if kind := ofMetadata(set.Meta); kind != nil {
			key, _ := kubeapi.ConstString(set.Key)
			add(Access{Act: ChangePart, Part: set.Part, Name: key}, subject{kind: Kind{kubeapi.KindID(kind), Typed}}, call.Pos())
		}
		return
	}
	if op, ok := kubeapi.ClientOp(common); ok {
		e.operation(op, call, add)
		return
	}
	if deletion, ok := kubeapi.DeletionOf(common); ok {
		of := e.handed(deletion.Object)
		if deletion.Object == nil && recv != nil {
			of = subject{kind: e.typedClient(recv.Type())}
		}
		add(Access{Act: Delete, Endpoint: kubeapi.MainEndpoint}, of, call.Pos())
		return
	}
	if owner, ok := kubeapi.OwnerCallOf(common); ok {
		a := Access{Act: SetOwner, Owner: e.handed(owner.Owner).kind}
		if owner.Controller {
			a.Act = SetController
		}
		add(a, e.handed(owner.Object), call.Pos())
		return
	}
	if fin, ok := kubeapi.FinalizerCallOf(common); ok && fin.Verb != kubeapi.RunsFinalizers {
		a := Access{Act: AddFinalizer}
		if fin.Verb == kubeapi.RemovesFinalizer {
			a.Act = RemoveFinalizer
		}
		if fin.Name != nil {
			a.Name, _ = kubeapi.ConstString(fin.Name)
		}
		add(a, e.handed(fin.Object), call.Pos())
		return
	}
	e.lister(call, callee, recv, add)
}

var acts = map[kubeapi.Verb]Act{
	kubeapi.Get: Get, kubeapi.List: List, kubeapi.Create: Create, kubeapi.Update: Update, kubeapi.Patch: Patch, kubeapi.Apply: Apply,
}

func (e *effects) operation(op kubeapi.Op, call ssa.CallInstruction, add func(Access, subject, token.Pos)) {
	a := Access{Act: acts[op.Verb]}
	if op.Mutate != nil {
		a.Act = CreateOrUpdate
	}
	if op.Verb.Reads() {
		a.Source = sourceOf(op)
	} else {
		a.Endpoint = op.Endpoint
	}
	of := subject{}
	switch {
	case op.Kind != nil:
		of.kind = Kind{kubeapi.KindID(op.Kind), Typed}
	case op.Object != nil:
		of = e.handed(op.Object)
	}
	add(a, of, call.Pos())
}

// sourceOf tells what answers a read.
func sourceOf(op kubeapi.Op) Source {
	if op.Result {
		return FromAPI
	}
	if call, ok := calls.Behind(op.Recv).(*ssa.Call); ok {
		if fn := kubeapi.Callee(call.Common()); fn != nil && fn.Name() == "GetAPIReader" {
			return FromAPI
		}
	}
	return FromClient
}

// typedClient is the kind that a typed client is for: what its Get returns.
func (e *effects) typedClient(t types.Type) Kind {
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, "Get")
	fn, ok := obj.(*types.Func)
	if !ok || fn.Signature().Results().Len() == 0 {
		return Kind{}
	}
	o, _ := ofType(fn.Signature().Results().At(0).Type())
	return o.Kind
}

func (e *effects) lister(call ssa.CallInstruction, callee *types.Func, recv ssa.Value, add func(Access, subject, token.Pos)) {
	if callee == nil || recv == nil {
		return
	}
	read, ok := kubeapi.CacheReadOf(callee, recv)
	if !ok || read.Source != kubeapi.ListerObject {
		return
	}
	a := Access{Act: Get, Source: FromCache}
	t := callee.Signature().Results().At(0).Type()
	if slice, ok := t.Underlying().(*types.Slice); ok {
		a.Act, t = List, slice.Elem()
	}
	o, _ := ofType(t)
	add(a, subject{kind: o.Kind}, call.Pos())
}

// follow notes what a call may run.
func (e *effects) follow(fn *ssa.Function, call ssa.CallInstruction, callee *types.Func) {
	targets := e.calls.Callees(call)
	for _, target := range targets.Funcs {
		e.edges[fn] = append(e.edges[fn], edge{callee: target, call: call})
	}
	if len(targets.Funcs) > 0 {
		return
	}
	if results := call.Common().Signature().Results(); results.Len() > 0 && kubeapi.IsReconcileResult(results.At(0).Type()) && !e.isOwn(callee) {
		e.again[fn] = true // a helper of a library, or another reconciler, may ask for it
	}
	if callee == nil {
		sig, ok := call.Common().Value.Type().Underlying().(*types.Signature)
		e.open[fn] = e.open[fn] || ok && mayUseObjects(sig)
		return
	}
	if callee.Pkg() == nil || !e.calls.SameModule(callee.Pkg()) {
		return
	}
	var fact Does
	if callee.Pkg() != e.pass.Pkg && e.pass.ImportObjectFact(callee, &fact) {
		e.edges[fn] = append(e.edges[fn], edge{external: &fact.Effects, call: call})
	} else if recv := callee.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
		e.open[fn] = e.open[fn] || mayUseObjects(callee.Signature())
	}
}

// isOwn reports whether a function is one of the module's, so that its fact says what
// it does.
func (e *effects) isOwn(fn *types.Func) bool {
	if fn == nil || fn.Pkg() == nil || !e.calls.SameModule(fn.Pkg()) {
		return false
	}
	recv := fn.Signature().Recv()
	return recv == nil || !types.IsInterface(recv.Type())
}

// mayUseObjects reports whether a function that is not known may use API objects: it
// gets one, or a context to talk to somebody.
func mayUseObjects(sig *types.Signature) bool {
	return kubeapi.TakesContext(sig) || kubeapi.AnyIs(sig.Params(), kubeapi.IsObject)
}

// maxDecide bounds how far a value is followed to a test.
const maxDecide = 6

// decides reports whether a value, or what is made of it, is tested.
func (e *effects) decides(v ssa.Value) bool { return e.isTested(v, make(map[ssa.Value]bool), 0) }

func (e *effects) isTested(v ssa.Value, seen map[ssa.Value]bool, depth int) bool {
	if v == nil || seen[v] || depth > 3*maxDecide || v.Referrers() == nil {
		return false
	}
	seen[v] = true
	for _, ref := range *v.Referrers() {
		switch ref := ref.(type) {
		case *ssa.If:
			return true
		case *ssa.Return:
			// The answer of a helper, such as isReady.
			if kubeapi.IsBool(v.Type()) {
				return true
			}
		case *ssa.Call:
			if callee := kubeapi.Callee(ref.Common()); callee != nil && (kubeapi.Logs(callee) || kubeapi.IsDeepCopy(callee)) {
				continue
			}
			_, isTuple := ref.Type().(*types.Tuple)
			if e.isTested(ref, seen, depth+1) && !kubeapi.IsError(ref.Type()) && !isTuple {
				return true
			}
		case *ssa.Store:
			if ref.Val == v {
				if alloc, ok := ref.Addr.(*ssa.Alloc); ok && e.isTested(alloc, seen, depth+1) {
					return true
				}
			}
		case *ssa.MakeClosure:
		case ssa.Value:
			if e.isTested(ref, seen, depth+1) {
				return true
			}
		}
	}
	return false
}

// ofFunc returns the effects of a function.
func (e *effects) ofFunc(fn *types.Func) Effects {
	fn = fn.Origin()
	if fn.Pkg() == e.pass.Pkg {
		if s := e.all[e.calls.Pkg.Prog.FuncValue(fn)]; s != nil {
			return s.effects()
		}
		return Effects{Open: true}
	}
	var fact Does
	if e.pass.ImportObjectFact(fn, &fact) {
		return fact.Effects
	}
	return Effects{Open: true}
}

// effects are the accesses in the order of their kinds.
func (s *summary) effects() Effects {
	e := s.Effects
	e.Accesses = slices.Clone(s.Accesses)
	slices.SortStableFunc(e.Accesses, func(a, b Access) int {
		return cmp.Or(cmp.Compare(a.Kind.ID, b.Kind.ID), cmp.Compare(a.Act, b.Act), cmp.Compare(a.Part, b.Part), cmp.Compare(a.Endpoint, b.Endpoint),
			cmp.Compare(a.At.Package, b.At.Package), cmp.Compare(a.At.File, b.At.File), cmp.Compare(a.At.Line, b.At.Line))
	})
	return e
}

// export tells other packages about functions, and about interface methods whose
// implementations here agree.
func (e *effects) export(roots []*ssa.Function) {
	for _, fn := range roots {
		s := e.all[fn]
		obj, ok := fn.Object().(*types.Func)
		if ok && obj.Pkg() == e.pass.Pkg && (len(s.Accesses) > 0 || s.Requeues || s.Open) {
			e.pass.ExportObjectFact(obj, &Does{s.effects()})
		}
	}
	e.calls.ExportInterfaces(e.pass)
}

// runsLater reports whether a literal is only handed to functions of other modules that
// keep it, such as those of a scheduler, or runs in a goroutine.
func (e *effects) runsLater(fn *ssa.Function) bool {
	closures := e.calls.Closures(fn)
	if fn.Parent() == nil || len(closures) == 0 {
		return false
	}
	return !slices.ContainsFunc(closures, func(closure *ssa.MakeClosure) bool {
		return slices.ContainsFunc(*closure.Referrers(), func(ref ssa.Instruction) bool {
			if _, starts := ref.(*ssa.Go); starts {
				return false
			}
			call, ok := ref.(*ssa.Call)
			if !ok || call.Call.Value == ssa.Value(closure) {
				return true
			}
			callee := kubeapi.Callee(call.Common())
			if callee == nil || e.calls.SameModule(callee.Pkg()) {
				return true
			}
			_, args := kubeapi.Args(call.Common())
			return kubeapi.RunsInPlace(callee, slices.Index(args, ssa.Value(closure)))
		})
	})
}
