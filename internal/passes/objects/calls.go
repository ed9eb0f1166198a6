package objects

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
)

// call is what a call does to its operands.
func (s *Summaries) call(instr ssa.CallInstruction) []Event {
	common := instr.Common()
	if builtin, ok := common.Value.(*ssa.Builtin); ok {
		return s.builtin(builtin, common)
	}
	ops := kubeapi.Operands(common)
	if kubeapi.IsDeepCopy(kubeapi.Callee(common)) {
		return s.copied(instr, ops)
	}
	if source, copy := s.copiedBy(instr); source != nil {
		e := s.event(Copied, s.Resolve.Place(source), source)
		e.Copy = copy
		return append(s.calls(instr, common, ops), e)
	}
	return s.calls(instr, common, ops)
}

// copiedBy returns what a function copies that is called, and the copy that it
// returns, or nil.
func (s *Summaries) copiedBy(instr ssa.CallInstruction) (source, copied ssa.Value) {
	call, ok := instr.(*ssa.Call)
	if !ok {
		return nil, nil
	}
	for _, v := range calls.AllResults(call) {
		if !isPointerLike(v.Type()) || !mayHoldObject(v.Type()) {
			continue
		}
		if source := s.DeepCopied(v); source != nil {
			return source, v
		}
	}
	return nil, nil
}

// DeepCopied returns what a value is a deep copy of, made here or by a function
// that returns it, or nil.
func (s *Summaries) DeepCopied(v ssa.Value) ssa.Value {
	made := s.Calls.Made(v)
	if made == nil {
		return nil
	}
	if ops := kubeapi.Operands(made); kubeapi.IsDeepCopy(kubeapi.Callee(made)) && len(ops) == 1 {
		return ops[0]
	}
	return nil
}

// calls is what a call does that copies nothing itself.
func (s *Summaries) calls(instr ssa.CallInstruction, common *ssa.CallCommon, ops []ssa.Value) []Event {
	if sums, ok := s.callees(common, instr); ok {
		var events []Event
		for _, c := range sums {
			events = append(events, s.apply(c.fn, c.sum, ops)...)
			events = append(events, s.made(c.fn, c.sum, instr)...)
		}
		return events
	}
	if op, ok := s.ClientOp(common); ok {
		return s.clientOp(op)
	}
	callee := kubeapi.Callee(common)
	if callee == nil {
		return s.unknown(ops)
	}
	if effects, ok := kubeapi.Mutations(callee); ok {
		var events []Event
		for _, effect := range effects {
			if effect.Operand < len(ops) {
				events = append(events, s.mutation(ops[effect.Operand], effect.Path, nil))
			}
		}
		return events
	}
	if common.IsInvoke() && !kubeapi.OnlyReads(callee) {
		return s.unknown(ops)
	}
	if slices.ContainsFunc(ops, func(v ssa.Value) bool { return kubeapi.IsClient(v.Type()) }) {
		return s.unknown(ops)
	}
	return s.touched(callee, ops)
}

// ReadsLive reports whether a call is the Get of a typed client, which asks the API server: a lister's has neither
// context nor options.
func (s *Summaries) ReadsLive(call *ssa.Call) bool {
	op, ok := s.ClientOp(call.Common())
	if !ok || op.Verb != kubeapi.Get || !op.Result {
		return false
	}
	params := call.Call.Signature().Params()
	return params.Len() > 1 && types.IsInterface(params.At(0).Type())
}

// ClientOp is [kubeapi.ClientOp], also for a client's method that is kept in a
// variable or field, and for functions that do nothing but call one.
func (s *Summaries) ClientOp(common *ssa.CallCommon) (kubeapi.Op, bool) {
	if op, ok := kubeapi.ClientOp(common); ok {
		return op, true
	}
	if inner := s.Calls.Through(common); inner != common {
		if op, ok := kubeapi.ClientOp(inner); ok {
			return op, true
		}
		common = inner
	}
	if common.IsInvoke() || common.StaticCallee() != nil {
		return kubeapi.Op{}, false
	}
	targets := s.Calls.FuncsOf(common.Value)
	if len(targets.Funcs) > 0 || len(targets.External) != 1 {
		return kubeapi.Op{}, false
	}
	target := targets.External[0]
	if target.Func.Signature().Recv() != nil && target.Recv == nil {
		return kubeapi.Op{}, false // a method expression
	}
	return kubeapi.ClientOpOf(target.Func, target.Recv, common.Args)
}

// DeletionOf is [kubeapi.DeletionOf], also for functions that do nothing but call
// such a one.
func (s *Summaries) DeletionOf(common *ssa.CallCommon) (kubeapi.Deletion, bool) {
	if d, ok := kubeapi.DeletionOf(common); ok {
		return d, true
	}
	return kubeapi.DeletionOf(s.Calls.Through(common))
}

// Writes reports whether a call changes something at the API server.
func (s *Summaries) Writes(call *ssa.Call) bool {
	if _, ok := s.DeletionOf(call.Common()); ok {
		return true
	}
	op, ok := s.ClientOp(call.Common())
	return ok && !op.Verb.Reads()
}

// Behind reports whether a node belongs to a function literal that does nothing
// but make a call, so that the call of the literal stands for it.
func (s *Summaries) Behind(n *paths.Node) bool {
	return n.Frame.Called && s.Calls.Through(n.Frame.Call.Common()) != n.Frame.Call.Common()
}

// made is what a constructor has changed in the objects that it returns.
func (s *Summaries) made(fn *types.Func, sum *Summary, instr ssa.CallInstruction) []Event {
	call, ok := instr.(*ssa.Call)
	if !ok {
		return nil
	}
	var events []Event
	for i, changed := range sum.Fresh {
		for _, path := range changed {
			if result := calls.ResultOf(call, i); result != nil {
				events = append(events, s.mutation(result, paths.Split(path), fn))
			}
		}
	}
	return events
}

// callee is a function that a call may run, with its summary.
type callee struct {
	fn  *types.Func // nil for a function literal
	sum *Summary
}

// callees returns the summaries of what a call may run in the user's modules;
// ok is false if it may run anything else.
func (s *Summaries) callees(common *ssa.CallCommon, instr ssa.CallInstruction) (found []callee, ok bool) {
	if targets := s.Calls.Callees(instr); targets.Closed || len(targets.Funcs) == 1 && common.IsInvoke() {
		var inGraph *ssa.Function // a literal whose body stands at the call
		if !common.IsInvoke() {
			inGraph = paths.Literal(s.Calls, common.Value)
		}
		for _, fn := range targets.Funcs {
			if sum := s.local[fn]; sum != nil && fn != inGraph {
				obj, _ := fn.Object().(*types.Func)
				found = append(found, callee{obj, sum})
			}
		}
		return found, true
	}
	fn := kubeapi.Callee(common)
	if fn == nil {
		return nil, false
	}
	if sum := s.of(fn); sum != nil {
		return []callee{{fn, sum}}, true
	}
	if !common.IsInvoke() {
		return nil, false
	}
	// The receiver's concrete type may be known here.
	if kind := kubeapi.KindBehind(common.Value); kind != nil {
		obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(kind), true, fn.Pkg(), fn.Name())
		if method, ok := obj.(*types.Func); ok {
			if sum := s.of(method); sum != nil {
				return []callee{{method, sum}}, true
			}
		}
	}
	return nil, false
}

// apply turns a summary into events on a call's operands.
func (s *Summaries) apply(callee *types.Func, sum *Summary, ops []ssa.Value) []Event {
	if callee != nil && callee.Signature().Recv() != nil && len(ops) == len(sum.Params)-1 {
		// A method value that was kept somewhere: its receiver is not an
		// operand of the call.
		ops = append([]ssa.Value{nil}, ops...)
	}
	var events []Event
	for i, p := range sum.Params {
		if i >= len(ops) || ops[i] == nil || p.isZero() || !mayHoldObject(ops[i].Type()) {
			continue
		}
		place := s.Resolve.Place(ops[i])
		add := func(e Event) {
			e.Via = callee
			events = append(events, e)
		}
		at := func(path string) paths.Place {
			if path == "" {
				return place
			}
			return s.Resolve.Descend(place, ops[i].Type(), paths.Split(path))
		}
		for _, path := range p.Refreshes {
			add(s.reached(Refreshed, at(path), path, ops[i]))
		}
		for _, w := range p.persists() {
			for _, e := range s.written(at(w.Path), ops[i], w) {
				// What is handed over by value is written as a copy of it.
				e.ViaCopy = e.ViaCopy || w.Path == "" && isValue(ops[i])
				add(e)
			}
		}
		for _, path := range p.Mutates {
			e := s.mutation(ops[i], paths.Split(path), callee)
			e.Settled = sum.settles(e.Type) || e.Place.Kind != nil && sum.settles(e.Place.Kind)
			e.Converted = kubeapi.IsConversion(callee)
			add(e)
		}
		for _, path := range p.Handoffs {
			add(s.reached(HandedOff, at(path), path, ops[i]))
		}
	}
	return events
}

// isValue reports whether a call gets a struct itself, of which it makes a copy.
func isValue(v ssa.Value) bool {
	_, ok := v.Type().Underlying().(*types.Struct)
	return ok
}

// reached is an event on what path leads to from an operand.
func (s *Summaries) reached(kind EventKind, place paths.Place, path string, operand ssa.Value) Event {
	if path != "" {
		operand = nil // the operand is not the object itself
	}
	return s.event(kind, place, operand)
}

// mutation is a change at path inside of v.
func (s *Summaries) mutation(v ssa.Value, path []string, via *types.Func) Event {
	place := s.Resolve.Place(v)
	if len(path) > 0 && path[0] == kubeapi.MetadataPath && kubeapi.IsObjectMeta(v.Type()) {
		path = path[1:] // a method of the embedded ObjectMeta
	}
	t := v.Type()
	if kind := kubeapi.KindBehind(v); kind != nil {
		t = kind
	}
	if place.Kind == nil && kubeapi.KindOf(t) == nil && kubeapi.IsObject(t) {
		// An object whose kind is not known here: the path begins in it.
		place.Sub = path
	} else {
		place = s.Resolve.Descend(place, t, path)
	}
	e := s.event(Mutated, place, v)
	e.Via = via
	return e
}

// clientOp is a call of a Kubernetes client.
func (s *Summaries) clientOp(op kubeapi.Op) []Event {
	if op.Object == nil {
		return s.patchedByName(op)
	}
	place := s.Resolve.Place(op.Object)
	write := writeOf(op)
	switch {
	case op.Verb.Reads():
		return []Event{s.event(Refreshed, place, op.Object)}
	case op.Mutate == nil:
		return s.written(place, op.Object, write)
	case s.isSpliced(op.Mutate):
		// It reads, runs the literal, and writes after it; see joined.
		return []Event{s.event(Refreshed, place, op.Object)}
	}
	return append(s.written(place, op.Object, write), s.handoff(op.Object)...)
}

// patchedByName is a patch of the object that has the name. What its bytes
// say is known only where they are computed from objects; a patch through the
// status endpoint is taken to store the status that the object has in memory.
func (s *Summaries) patchedByName(op kubeapi.Op) []Event {
	var events []Event
	if object := s.named(op.Name); object != nil {
		w := Write{Verb: op.Verb, Endpoint: op.Endpoint, Partial: op.Endpoint != kubeapi.StatusEndpoint}
		events = s.written(s.Resolve.Place(object), object, w)
	}
	for _, object := range marshalled(op.Data, 0) {
		events = append(events, s.written(s.Resolve.Place(object), object, Write{Verb: op.Verb, Endpoint: op.Endpoint})...)
	}
	return events
}

// named returns the object whose name v was read from, or nil.
func (s *Summaries) named(v ssa.Value) ssa.Value {
	switch v := v.(type) {
	case *ssa.UnOp: // obj.Name
		name, ok := v.X.(*ssa.FieldAddr)
		if !ok {
			return nil
		}
		if metadata, ok := name.X.(*ssa.FieldAddr); ok && kubeapi.IsObjectMeta(name.X.Type()) && kubeapi.KindOf(metadata.X.Type()) != nil {
			return metadata.X
		}
	case *ssa.Call: // obj.GetName()
		recv, args := kubeapi.Args(v.Common())
		if recv == nil || len(args) > 0 {
			return nil
		}
		if metadata, ok := recv.(*ssa.FieldAddr); ok && kubeapi.IsObjectMeta(recv.Type()) {
			return metadata.X
		}
		if kubeapi.IsObject(recv.Type()) {
			return recv
		}
	}
	return nil
}

// marshalled returns the objects that bytes were made from with json.Marshal,
// also through functions that compute a patch from them.
func marshalled(v ssa.Value, depth int) []ssa.Value {
	extract, ok := v.(*ssa.Extract)
	if !ok || depth > maxCopies {
		return nil
	}
	call, ok := extract.Tuple.(*ssa.Call)
	if !ok {
		return nil
	}
	fn := kubeapi.Callee(call.Common())
	if kubeapi.IsFunc(fn, "encoding/json", "Marshal") {
		return call.Common().Args
	}
	var found []ssa.Value
	for _, arg := range call.Common().Args {
		if types.Identical(arg.Type(), types.NewSlice(types.Typ[types.Byte])) {
			found = append(found, marshalled(arg, depth+1)...)
		}
	}
	return found
}

// writeOf is what a call of a client writes, as far as it says so itself.
func writeOf(op kubeapi.Op) Write {
	return Write{Verb: op.Verb, Endpoint: op.Endpoint, InMemory: op.InMemory, IfChanged: op.IfChanged}
}

// joined is what a call does after the function literals that it runs.
func (s *Summaries) joined(call ssa.CallInstruction) []Event {
	if op, ok := kubeapi.ClientOp(call.Common()); ok && op.Mutate != nil && s.isSpliced(op.Mutate) {
		return s.written(s.Resolve.Place(op.Object), op.Object, writeOf(op))
	}
	return slices.DeleteFunc(s.call(call), func(e Event) bool { return !isAfterLiterals(e) })
}

// isSpliced reports whether a callback is a literal that stands in the graph.
func (s *Summaries) isSpliced(callback ssa.Value) bool {
	return paths.Literal(s.Calls, callback) != nil
}

// written is a write of an object, which also persists what the object is a
// copy of.
func (s *Summaries) written(place paths.Place, v ssa.Value, w Write) []Event {
	e := s.event(Written, place, v)
	if w.Path != "" {
		e = s.reached(Written, place, w.Path, v)
		e.Type = kubeapi.KindOf(place.TypeFrom(v.Type(), paths.Split(w.Path)))
		w.Path = ""
	}
	e.Write = w
	events := []Event{e}
	for range maxCopies {
		source := s.CopyOf(place.Object)
		if source == nil {
			source = givenAs(place.Object)
		}
		if source == nil {
			break
		}
		place = s.Resolve.Place(source)
		of := s.event(Written, place, source)
		of.Write = w
		of.Write.InMemory = false
		of.ViaCopy = true
		of.Arg = v
		events = append(events, of)
	}
	return events
}

// givenAs returns the parameter that an object is the function's own copy of, as x
// is in func(x T) { update(&x) }, if nothing else is assigned to it; or nil. Callers
// have what it was copied from.
func givenAs(o paths.Object) ssa.Value {
	alloc, ok := o.Root.(*ssa.Alloc)
	if !ok || o.Path != "" || !isStruct(alloc) {
		return nil
	}
	if stored := calls.StoredInto(alloc); len(stored) == 1 {
		if param, ok := stored[0].(*ssa.Parameter); ok {
			return param
		}
	}
	return nil
}

// maxCopies bounds chains of copies of copies.
const maxCopies = 4

// CopyOf returns what an object was copied from, by DeepCopy or by value, or
// nil.
func (s *Summaries) CopyOf(o paths.Object) ssa.Value {
	if o.Path != "" {
		return nil
	}
	switch root := o.Root.(type) {
	case *ssa.Call, *ssa.Extract:
		return s.DeepCopied(root)
	case *ssa.Alloc:
		if !isStruct(root) || root.Referrers() == nil {
			return nil
		}
		for _, ref := range *root.Referrers() {
			switch ref := ref.(type) {
			case *ssa.Store:
				if ref.Addr != root {
					continue
				}
				// x := *y, or x := *y.DeepCopy()
				if load, ok := ref.Val.(*ssa.UnOp); ok {
					if call, ok := load.X.(*ssa.Call); ok {
						if source := s.CopyOf(paths.Object{Root: call}); source != nil {
							return source
						}
					}
					return load.X
				}
			case *ssa.Call:
				if ops := kubeapi.Operands(ref.Common()); kubeapi.IsDeepCopy(kubeapi.Callee(ref.Common())) && len(ops) == 2 && ops[1] == root {
					return ops[0]
				}
			}
		}
	}
	return nil
}

// copied is a call of DeepCopy, DeepCopyObject or DeepCopyInto.
func (s *Summaries) copied(instr ssa.CallInstruction, ops []ssa.Value) []Event {
	if len(ops) == 0 {
		return nil
	}
	e := s.event(Copied, s.Resolve.Place(ops[0]), ops[0])
	if len(ops) == 2 {
		into := s.event(Refreshed, s.Resolve.Place(ops[1]), ops[1])
		if len(into.Place.Sub) > 0 {
			into.Kind = Mutated // x.DeepCopyInto(&obj.Status)
		}
		e.Copy = ops[1]
		return []Event{e, into}
	}
	if v, ok := instr.(ssa.Value); ok {
		e.Copy = v
	}
	return []Event{e}
}

// unknown is a call of something that may do anything with its operands.
func (s *Summaries) unknown(ops []ssa.Value) []Event {
	return s.handoffs(expand(ops))
}

// touched is a call of a function of another module that has no client: it
// can change what it gets a pointer to, but not persist it.
func (s *Summaries) touched(callee *types.Func, ops []ssa.Value) []Event {
	if kubeapi.OnlyReads(callee) {
		return nil
	}
	var events []Event
	for _, v := range expand(ops) {
		if isPointerLike(v.Type()) && mayHoldObject(v.Type()) {
			events = append(events, s.event(Touched, s.Resolve.Place(v), v))
		}
	}
	return events
}

// expand replaces packed variadic arguments by what was packed.
func expand(ops []ssa.Value) []ssa.Value {
	if len(ops) == 0 {
		return nil
	}
	last := ops[len(ops)-1]
	if _, ok := last.(*ssa.Slice); !ok {
		return ops
	}
	packed, ok := kubeapi.VariadicArgs(last)
	if !ok {
		return ops
	}
	return append(slices.Clone(ops[:len(ops)-1]), packed...)
}

// builtin is a call of a predeclared function.
func (s *Summaries) builtin(builtin *ssa.Builtin, common *ssa.CallCommon) []Event {
	switch builtin.Name() {
	case "copy", "delete", "clear":
		place := s.Resolve.Place(common.Args[0]).Child(common.Args[0].Type(), "[]")
		return []Event{s.event(Mutated, place, common.Args[0])}
	case "append":
		var events []Event
		for _, v := range expand(common.Args[1:]) {
			events = append(events, s.stored(v)...)
		}
		return events
	}
	return nil
}
