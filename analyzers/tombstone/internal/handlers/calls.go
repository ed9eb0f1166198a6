package handlers

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// call runs a call, a go statement or a deferred call, the last at the time
// that it is deferred. It returns false if the path goes on in states of its
// own, or ends.
func (r *runner) call(st *state, instr ssa.CallInstruction) bool {
	common := instr.Common()
	if builtin, ok := common.Value.(*ssa.Builtin); ok {
		r.builtin(st, instr, builtin)
		return true
	}
	if common.IsInvoke() && st.of(common.Value).kind == null {
		return r.dereference(st, common.Value, instr)
	}
	outcomes, known := r.outcomes(st, instr)
	if !known {
		r.unknownCall(st, instr)
		forgetShared(st, instr)
		return true
	}
	forgetShared(st, instr)
	for _, o := range outcomes {
		for _, e := range o.exits {
			next := st.clone()
			next.index++
			if r.returnTo(next, instr, e) {
				r.queue = append(r.queue, next)
			}
		}
		for at := range o.works {
			r.out.works[at] = true
		}
		if o.worked {
			r.out.worked = true
			for _, at := range st.passed {
				r.out.works[at] = true
			}
		}
		for _, d := range o.sent {
			r.deliveredBy(st, instr, d)
		}
	}
	return false
}

// returnTo goes on behind a call that has ended in one way. It returns false
// if the path ends there.
func (r *runner) returnTo(st *state, call ssa.CallInstruction, e exit) bool {
	if e.recognised {
		st.recognise(e.recognisedBy)
	}
	switch {
	case e.cause == nil || st.doubt:
		if e.worked || e.after {
			st.path.work()
		}
	default:
		c := r.calledBy(call, e.cause)
		if st.recognised && !e.recognised && !c.Unwrapped {
			again := c.Cause
			again.Unwrapped = true
			told := c.told
			c = r.blame(again)
			c.told = told
		}
		if st.cause != nil && !c.explains(st.cause) && !e.panicked {
			st.after = st.after || e.worked || e.after
			break
		}
		if e.worked {
			st.path.work()
		}
		st.forget()
		st.cause, st.after = c, e.after
	}
	st.doubt = st.doubt || e.doubt
	st.stays = st.stays || e.stays
	for _, at := range e.passed {
		st.pass(at)
	}
	if len(e.passed) > 0 {
		st.pass(call)
	}
	if e.panicked {
		switch {
		case !e.deref.IsValid():
			r.end(st, nil, true)
		case st.cause != nil && !st.doubt:
			st.cause = r.usedNil(st.cause, e.deref)
			r.end(st, nil, true)
		default:
			e.path = st.path
			r.record(e)
		}
		return false
	}
	v, ok := call.(*ssa.Call)
	if !ok {
		return true // go and defer have no results
	}
	e.results = slices.Clone(e.results)
	for i := range e.results {
		if e.results[i].kind == null {
			e.results[i].learned = e.cause == nil // it was not the tombstone's fault
		}
	}
	switch {
	case len(e.results) == 1:
		st.set(v, e.results[0])
	case len(e.results) > 1:
		st.set(v, val{kind: tuple, parts: e.results})
	default:
		st.set(v, val{})
	}
	return true
}

// outcomes runs what a call runs. known is false if it is not known what that
// is.
func (r *runner) outcomes(st *state, instr ssa.CallInstruction) (all []*outcome, known bool) {
	common := instr.Common()
	callee := kubeapi.Callee(common)
	args := make([]val, len(common.Args))
	for i, arg := range common.Args {
		args[i] = st.of(arg)
	}
	if common.IsInvoke() {
		args = append([]val{st.of(common.Value)}, args...)
	} else if recv, _ := kubeapi.Args(common); recv != nil && len(kubeapi.Operands(common)) > len(args) {
		args = append([]val{st.of(recv)}, args...) // of a method value
	}
	targets, free := r.targets(st, instr)
	if callee == nil || callee.Pkg() != r.pass.Pkg || len(targets.Funcs) == 0 {
		if o := r.library(callee, instr, args, common); o != nil {
			return []*outcome{o}, true
		}
	}
	for _, fn := range targets.Funcs {
		o := r.inPackage(st, instr, fn, args, free)
		if o == nil {
			return nil, false
		}
		all = append(all, o)
	}
	for _, external := range targets.External {
		operands := args
		if external.Recv != nil {
			operands = append([]val{{}}, args...)
		}
		o := r.library(external.Func, instr, operands, nil)
		if o == nil {
			o = r.elsewhere(st, instr, external.Func, operands)
		}
		if o == nil {
			return nil, false
		}
		all = append(all, o)
	}
	return all, len(all) > 0
}

// targets is what a call may run, with the captured variables of a closure.
func (r *runner) targets(st *state, instr ssa.CallInstruction) (targets calls.Targets, free []val) {
	common := instr.Common()
	if common.IsInvoke() {
		targets = r.graph.Callees(instr)
		if len(targets.Funcs)+len(targets.External) == 0 {
			targets.External = []calls.External{{Func: common.Method.Origin()}}
		}
		return targets, nil
	}
	v := common.Value
	if known := st.of(v); known.kind == function {
		if closure, ok := known.fn.(*ssa.MakeClosure); ok && closure.Fn.(*ssa.Function).Synthetic == "" {
			return calls.Targets{Funcs: []*ssa.Function{closure.Fn.(*ssa.Function)}}, known.free
		}
		return r.graph.FuncsOf(known.fn), nil
	}
	targets = r.graph.Callees(instr)
	if len(targets.Funcs)+len(targets.External) == 0 {
		if held := r.held(v); held != nil {
			targets.External = []calls.External{{Func: held}}
		} else if callee := kubeapi.Callee(common); callee != nil {
			targets.External = []calls.External{{Func: callee}}
		}
	}
	return targets, nil
}

// held returns the library's function that a package-level variable of another
// package holds.
func (r *runner) held(v ssa.Value) *types.Func {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return nil
	}
	global, ok := load.X.(*ssa.Global)
	if !ok || global.Object() == nil {
		return nil
	}
	if global.Pkg == r.graph.Pkg {
		return r.heldBy(global)
	}
	fact := new(Holds)
	if !r.pass.ImportObjectFact(global.Object(), fact) {
		return nil
	}
	return r.lookup(fact.Path, fact.Name)
}

// heldBy returns the one function of a library that a variable of this package
// is set to.
func (m *machine) heldBy(global *ssa.Global) *types.Func {
	targets := m.graph.FuncsOf(&ssa.UnOp{Op: token.MUL, X: global})
	if len(targets.Funcs) == 0 && len(targets.External) == 1 && targets.External[0].Recv == nil {
		return targets.External[0].Func
	}
	return nil
}

// lookup finds a function of a package that this one imports, directly or not.
func (m *machine) lookup(path, name string) *types.Func {
	if p := kubeapi.FindImport(m.pass.Pkg, path); p != nil {
		fn, _ := p.Scope().Lookup(name).(*types.Func)
		return fn
	}
	return nil
}

// inPackage runs a function of this package.
func (r *runner) inPackage(st *state, instr ssa.CallInstruction, fn *ssa.Function, args, free []val) *outcome {
	if missing := len(fn.Params) - len(args); missing > 0 {
		args = append(make([]val, missing), args...) // the receiver of a method value
	}
	// A function may be run with what it has captured.
	mayRun := func(v val) bool { return v.matters() || v.kind == function && slices.ContainsFunc(v.free, val.matters) }
	if !slices.ContainsFunc(args, mayRun) && !slices.ContainsFunc(free, val.matters) {
		return ordinary(r.works(fn), fn.Signature) // nothing is known but whether it does anything lasting
	}
	if instantiatedWithTombstone(instr.Common()) {
		return nil
	}
	o := r.run(activation{fn: fn, args: args, free: free})
	if o.overflow {
		for at := range o.works {
			r.out.works[at] = true
		}
		return nil
	}
	if slices.ContainsFunc(o.exits, func(e exit) bool { return e.given != nil }) {
		return nil // calls something unknown with the tombstone
	}
	return o
}

// forgetShared forgets what variables hold that a call may assign: those whose
// address it is given, and those that closures assign which it is given or
// which it calls.
func forgetShared(st *state, call ssa.CallInstruction) {
	for _, operand := range append([]ssa.Value{call.Common().Value}, call.Common().Args...) {
		operand = kubeapi.Unboxed(operand)
		if known := st.of(operand); known.kind == function {
			operand = known.fn
		}
		switch v := operand.(type) {
		case *ssa.Alloc:
			delete(st.env, v)
		case *ssa.MakeClosure:
			for i, binding := range v.Bindings {
				captured := v.Fn.(*ssa.Function).FreeVars[i]
				if len(calls.StoredInto(captured)) > 0 {
					delete(st.env, binding)
				}
			}
		}
	}
}

// ordinary is the outcome of a call with one way of ending.
func ordinary(worked bool, sig *types.Signature) *outcome {
	e := exit{results: make([]val, sig.Results().Len())}
	e.worked = worked
	return &outcome{exits: []exit{e}, worked: worked}
}

// instantiatedWithTombstone reports whether a generic function is called that
// may assert tombstones, by asserting its type parameter: its own body does not tell.
func instantiatedWithTombstone(common *ssa.CallCommon) bool {
	fn := common.StaticCallee()
	return fn != nil && slices.ContainsFunc(fn.TypeArgs(), func(arg types.Type) bool {
		return kubeapi.IsTombstone(arg) || takesAnything(arg)
	}) && assertsParam(fn.Origin())
}

// assertsParam reports whether a generic function asserts a type parameter, or may
// have another one do so.
func assertsParam(fn *ssa.Function) bool {
	if fn == nil || len(fn.Blocks) == 0 {
		return true
	}
	return blocks.Any(fn, func(instr ssa.Instruction) bool {
		switch instr := instr.(type) {
		case *ssa.TypeAssert:
			return kubeapi.IsTypeParam(instr.AssertedType)
		case ssa.CallInstruction:
			callee := instr.Common().StaticCallee()
			return callee != nil && len(callee.TypeArgs()) > 0
		case *ssa.MakeClosure:
			return true
		}
		return false
	})
}

// library is the outcome of a function that the tables know, or nil.
func (r *runner) library(callee *types.Func, instr ssa.CallInstruction, args []val, common *ssa.CallCommon) *outcome {
	if callee == nil {
		return nil
	}
	sig := callee.Signature()
	o := ordinary(false, sig)
	e := &o.exits[0]
	switch use, _ := kubeapi.TombstoneUseOf(callee); {
	case use == kubeapi.UnknownTombstoneUse || len(args) == 0:
	case args[0].kind == tomb && use == kubeapi.RefusesTombstone:
		e.cause = r.blame(Cause{Kind: RawKey, Instr: instr, Func: callee})
		e.results[0] = zeroOf(sig.Results().At(0).Type())
		if e.results[0].kind == other {
			e.results[0] = val{kind: noKey}
		}
		e.results[len(e.results)-1] = val{kind: notNull}
		return o
	case args[0].kind == tomb:
		e.results[len(e.results)-1] = val{kind: null, learned: true}
		return o
	case args[0].kind == object:
		e.results[len(e.results)-1] = val{kind: null, learned: true}
		if use == kubeapi.RefusesTombstone {
			e.passed = []ssa.Instruction{instr}
		}
		return o
	default:
		return o
	}
	switch {
	case kubeapi.IsDeepCopy(callee) && len(args) > 0 && args[0].kind == null:
		e.results[0] = args[0]
		return o
	case makesError(callee):
		for i := range e.results {
			e.results[i] = val{kind: notNull}
		}
		return o
	case common != nil && kubeapi.LeavesNothing(common), common == nil && kubeapi.LeavesNothingFunc(callee):
		for _, arg := range args {
			// A function such as reflect.TypeOf may tell a tombstone.
			e.doubt = e.doubt || arg.carries() && sig.Results().Len() > 0 && !isText(sig) && !kubeapi.Logs(callee)
		}
		return o
	}
	return nil
}

func isText(sig *types.Signature) bool {
	b, ok := sig.Results().At(0).Type().Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// makesError reports whether fn always returns an error.
func makesError(fn *types.Func) bool {
	if fn.Pkg() == nil {
		return false
	}
	switch fn.Pkg().Path() + "." + fn.Name() {
	case "errors.New", "fmt.Errorf", "github.com/pkg/errors.New", "github.com/pkg/errors.Errorf":
		return true
	}
	return false
}

// elsewhere is the outcome of a function of another package of the user's
// modules, by the facts about it, or nil.
func (r *runner) elsewhere(st *state, instr ssa.CallInstruction, callee *types.Func, args []val) *outcome {
	if callee.Pkg() == nil || callee.Pkg() == r.pass.Pkg {
		return nil
	}
	idle := r.pass.ImportObjectFact(callee, new(Idle))
	var takes Takes
	r.pass.ImportObjectFact(callee, &takes)
	sig := callee.Signature()
	for i, arg := range args {
		if arg.kind != tomb && arg.kind != object {
			continue
		}
		param := takes.of(i)
		switch {
		case param == nil && arg.kind == tomb && !idle, arg.kind == tomb && instantiatedWithTombstone(instr.Common()):
			return nil
		case param == nil:
			continue
		case arg.kind == object:
			o := ordinary(param.Works, sig)
			o.exits[0].passed = []ssa.Instruction{instr}
			if param.Works {
				o.works = map[ssa.Instruction]bool{instr: true}
			}
			return o
		}
		return r.told(instr, param, func(told Exit) *outcome {
			operands := kubeapi.Operands(instr.Common())
			if told.Passed > len(operands) {
				return nil
			}
			return r.given(st, operands[told.Passed-1], told.PassedAs)
		})
	}
	if idle {
		o := ordinary(false, sig)
		for _, arg := range args {
			o.exits[0].doubt = o.exits[0].doubt || arg.carries() && sig.Results().Len() > 0 && !isText(sig)
		}
		return o
	}
	return nil
}

func (t *Takes) of(index int) *Param {
	if i := slices.IndexFunc(t.Params, func(p Param) bool { return p.Index == index }); i >= 0 {
		return &t.Params[i]
	}
	return nil
}

// told is the outcome that a fact tells of. given runs a function that was
// handed in and is called with the tombstone.
func (m *machine) told(at ssa.Instruction, param *Param, given func(Exit) *outcome) *outcome {
	o := new(outcome)
	for _, told := range param.Exits {
		e := exit{panicked: told.Panicked}
		e.worked, e.after, e.recognised = told.Before, told.After, told.Recognised
		for _, kind := range told.Results {
			e.results = append(e.results, val{kind: what(kind)})
		}
		if told.Kind != 0 {
			e.cause = m.blame(Cause{Kind: told.Kind, Instr: at, Where: told.Where, In: told.In, Unwrapped: told.Unwrapped})
			e.cause.told.asserted, e.cause.told.fn, e.cause.told.onlyKey = told.Asserted, told.Func, param.OnlyKey
		}
		o.worked = o.worked || e.worked || e.after
		if told.Passed == 0 {
			o.exits = append(o.exits, e)
			continue
		}
		if given == nil {
			return nil
		}
		called := given(told)
		if called == nil {
			return nil
		}
		o.worked = o.worked || called.worked
		for _, after := range called.exits {
			both := e
			if after.cause != nil {
				both.cause, both.after = after.cause, after.after
			}
			both.worked = both.worked || after.worked
			both.panicked = after.panicked
			o.exits = append(o.exits, both)
		}
	}
	return o
}

// given runs a function that another package's function calls with the
// tombstone.
func (r *runner) given(st *state, fn ssa.Value, as int) *outcome {
	targets := r.graph.FuncsOf(fn)
	if len(targets.Funcs) != 1 {
		return nil
	}
	target := targets.Funcs[0]
	shift := 0
	if target.Signature.Recv() != nil {
		shift = 1
	}
	if as+shift >= len(target.Params) {
		return nil
	}
	args := make([]val, len(target.Params))
	args[as+shift] = val{kind: tomb}
	var free []val
	if known := st.of(fn); known.kind == function && target.Parent() != nil {
		free = known.free
	}
	o := r.run(activation{fn: target, args: args, free: free})
	if o.overflow {
		return nil
	}
	return o
}

// unknownCall is a call of something that is not known: it may do anything
// with what it is given.
func (r *runner) unknownCall(st *state, instr ssa.CallInstruction) {
	common := instr.Common()
	operands := kubeapi.Operands(common)
	callee := kubeapi.Callee(common)
	lost, again := false, false
	for i, operand := range operands {
		v := st.of(operand)
		if v.carries() {
			r.handOn(st, instr, callee, operands, i, v)
			again = st.cause != nil
		}
		lost = lost || v.kind == noKey
	}
	if v, ok := instr.(ssa.Value); ok {
		delete(st.env, v)
	}
	if (lost || again) && kubeapi.IsQueueAdd(callee) {
		return // an empty key is no work, nor is one more try with what was refused
	}
	r.work(st)
}

// handOn is what becomes of a tombstone that is handed to something unknown:
// a queue gives it to its workers.
func (r *runner) handOn(st *state, instr ssa.CallInstruction, callee *types.Func, operands []ssa.Value, index int, v val) {
	if kubeapi.IsQueueAdd(callee) && index == 1 {
		r.deliver(delivery{at: instr, container: r.container(operands[0]), value: v, recognised: st.recognised})
		return
	}
	if p, ok := instr.Common().Value.(*ssa.Parameter); ok && !instr.Common().IsInvoke() && v.kind == tomb {
		// A function that was handed in: callers in other packages know it.
		if p.Parent() == r.fn && r.fn.Parent() == nil && (st.given == nil || st.given == p) {
			st.given, st.givenAs = p, index
			return
		}
	}
	st.doubt = true
}

// builtin runs a call of a builtin function.
func (r *runner) builtin(st *state, instr ssa.CallInstruction, builtin *ssa.Builtin) {
	args := instr.Common().Args
	switch builtin.Name() {
	case "delete", "close", "clear":
		switch {
		case len(args) == 0 || calls.IsOwn(args[0]):
		case len(args) > 1 && st.of(args[1]).kind == noKey:
			st.stays = true // there is no entry of that name
		default:
			r.work(st)
		}
	case "len":
		if v, ok := instr.(ssa.Value); ok && st.of(args[0]).kind == noKey {
			st.set(v, number(0))
			return
		}
	}
	if v, ok := instr.(ssa.Value); ok {
		delete(st.env, v)
	}
}
