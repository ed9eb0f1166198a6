package calls

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/kubeapi"
)

// maxThrough bounds the wrappers that Through takes away.
const maxThrough = 5

// Through returns the call that a call comes down to if what it calls does nothing
// but make another call and return its results, perhaps with words around the
// error: that call, with what is handed to the wrapper in the place of its
// parameters; other calls are returned as they are. Operands that are the
// wrapper's own are values of its function, or, where that is in another package,
// zero.
//
// The call that is returned belongs to no instruction: who asks for callees and
// callers uses the one that is there.
func (g *Graph) Through(common *ssa.CallCommon) *ssa.CallCommon {
	for range maxThrough {
		inner, _ := g.through(common)
		if inner == nil {
			break
		}
		common = inner
	}
	return common
}

// Does is Through for a call whose results do not matter: it also sees through
// functions of other packages that return nothing of what the call returns.
func (g *Graph) Does(common *ssa.CallCommon) *ssa.CallCommon {
	common = g.Through(common)
	if fn, _ := g.wrapperAt(common); fn == nil {
		if inner := g.throughElsewhere(common, true); inner != nil {
			return inner
		}
	}
	return common
}

// Inner returns the call of the package that a call comes down to, as [Graph.Through]
// tells, where it stands; nil if the call is no wrapper's, or ends elsewhere.
func (g *Graph) Inner(call *ssa.Call) *ssa.Call {
	var last *ssa.Call
	common := call.Common()
	for range maxThrough {
		inner, main := g.through(common)
		if inner == nil {
			break
		}
		common, last = inner, main
	}
	return last
}

func (g *Graph) through(common *ssa.CallCommon) (*ssa.CallCommon, *ssa.Call) {
	fn, operands := g.wrapperAt(common)
	if fn == nil {
		return g.throughElsewhere(common, false), nil
	}
	main := g.mainCall(fn)
	if main == nil || len(operands) != len(fn.Params) {
		return nil, nil
	}
	return outside(main, fn, operands), main
}

// outside is a call in a function with what that is given in the place of its
// parameters.
func outside(call *ssa.Call, fn *ssa.Function, operands []ssa.Value) *ssa.CallCommon {
	given := func(v ssa.Value) ssa.Value {
		if i := wrapperOperand(fn, v); i >= 0 && operands[i] != nil {
			return operands[i]
		}
		if i := loadedOperand(fn, v); i >= 0 {
			if held := heldBehind(operands[i]); held != nil {
				return held
			}
		}
		return v
	}
	common := call.Call
	// The function type behind an interface is called by its method, not as the interface.
	if value := given(common.Value); common.IsInvoke() || kubeapi.IsFuncType(value.Type()) {
		common.Value = value
	}
	common.Args = make([]ssa.Value, len(call.Call.Args))
	for i, arg := range call.Call.Args {
		common.Args[i] = given(arg)
	}
	return &common
}

// Made returns the call that makes a value, seen through functions of the package
// that return what they make, with what they are given in the place of their
// parameters; nil if it is not known.
func (g *Graph) Made(v ssa.Value) *ssa.CallCommon {
	call, index := CallOf(v)
	if call == nil {
		return nil
	}
	common := call.Common()
	for range maxThrough {
		inner, next := g.madeIn(common, index)
		if inner == nil {
			break
		}
		common, index = inner, next
	}
	if index > 0 {
		return nil
	}
	return g.Through(common)
}

// CallOf returns the call that a value is a result of, and which; nil if it is
// none.
func CallOf(v ssa.Value) (*ssa.Call, int) {
	for x := v; x != nil; x = kubeapi.Converted(v) {
		v = x
	}
	switch v := v.(type) {
	case *ssa.Call:
		return v, 0
	case *ssa.Extract:
		if call, ok := v.Tuple.(*ssa.Call); ok {
			return call, v.Index
		}
	}
	return nil, 0
}

// madeIn returns the call whose result a function that is called returns as its
// index-th, wherever it returns anything but nil.
func (g *Graph) madeIn(common *ssa.CallCommon, index int) (*ssa.CallCommon, int) {
	fn, operands := g.wrapperAt(common)
	if fn == nil || len(operands) != len(fn.Params) {
		return nil, 0
	}
	var made *ssa.Call
	which := 0
	for ret := range blocks.Returns(fn) {
		if index >= len(ret.Results) {
			continue
		}
		if c, ok := ret.Results[index].(*ssa.Const); ok && c.IsNil() {
			continue
		}
		call, i := CallOf(ret.Results[index])
		if call == nil || made != nil && (call != made || i != which) {
			return nil, 0
		}
		made, which = call, i
	}
	if made == nil {
		return nil, 0
	}
	return outside(made, fn, operands), which
}

// wrapperAt returns the only function of the package that a call may run, with
// what it gets as its parameters; nil stands for the receiver of a method value.
func (g *Graph) wrapperAt(common *ssa.CallCommon) (*ssa.Function, []ssa.Value) {
	if common.IsInvoke() {
		targets := g.invoke(common.Value.Type(), common.Method)
		if len(targets.Funcs) != 1 {
			return nil, nil
		}
		return targets.Funcs[0], append([]ssa.Value{common.Value}, common.Args...)
	}
	targets := g.FuncsOf(common.Value)
	if !targets.Closed || len(targets.Funcs) != 1 {
		return nil, nil
	}
	fn, operands := targets.Funcs[0], kubeapi.Operands(common)
	if len(operands) == len(fn.Params)-1 {
		operands = append([]ssa.Value{nil}, operands...)
	}
	return fn, operands
}

// wrapperOperand returns which parameter of a wrapper a value is, or -1.
func wrapperOperand(fn *ssa.Function, v ssa.Value) int {
	for {
		if p, ok := v.(*ssa.Parameter); ok {
			return slices.Index(fn.Params, p)
		}
		if _, assert := v.(*ssa.TypeAssert); assert {
			return -1
		}
		if v = kubeapi.Converted(v); v == nil {
			return -1
		}
	}
}

// loadedOperand returns which parameter of a wrapper, a pointer, a value is read from, or
// -1.
func loadedOperand(fn *ssa.Function, v ssa.Value) int {
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		return wrapperOperand(fn, load.X)
	}
	return -1
}

// heldBehind returns what a local variable holds whose address is handed over, if it is
// assigned once and as a whole; nil if that is not so.
func heldBehind(pointer ssa.Value) ssa.Value {
	local, ok := pointer.(*ssa.Alloc)
	if !ok || local.Referrers() == nil {
		return nil
	}
	for _, ref := range *local.Referrers() {
		part, ok := ref.(ssa.Value)
		if _, loaded := ref.(*ssa.UnOp); !ok || loaded || part.Referrers() == nil {
			continue
		}
		for range blocks.Stores(part) {
			return nil
		}
	}
	if stored := StoredInto(local); len(stored) == 1 {
		return stored[0]
	}
	return nil
}

// mainCall returns the call that is all that a function does and whose results it
// returns, or nil.
func (g *Graph) mainCall(fn *ssa.Function) *ssa.Call {
	g.mu.Lock()
	defer g.mu.Unlock()
	main, ok := g.mains[fn]
	if !ok {
		main = mainCall(fn, false)
		g.mains[fn] = main
	}
	return main
}

// maxWrapper bounds the blocks of a wrapper: one that tests the error has three.
const maxWrapper = 4

// mainCall finds the call that a function makes and whose results it returns, or, if
// they are dropped, of which it returns nothing.
func mainCall(fn *ssa.Function, dropped bool) *ssa.Call {
	if len(fn.Blocks) == 0 || len(fn.Blocks) > maxWrapper || fn.Recover != nil {
		return nil
	}
	var main *ssa.Call
	for _, block := range fn.Blocks {
		for _, instr := range block.Instrs {
			switch instr := instr.(type) {
			case *ssa.Call:
				if isAside(instr) {
					continue
				}
				if main != nil && !feeds(main, instr, 0) || block != fn.Blocks[0] {
					return nil
				}
				main = instr
			case *ssa.Store:
				if !IsOwn(instr.Addr) {
					return nil
				}
			case *ssa.MapUpdate, *ssa.Send, *ssa.Go, *ssa.Defer, *ssa.Panic, *ssa.Select, *ssa.RunDefers, *ssa.MakeClosure:
				return nil
			}
		}
	}
	if main == nil {
		return nil
	}
	if dropped && fn.Signature.Results().Len() == 0 {
		return main
	}
	if fn.Signature.Results().Len() != main.Call.Signature().Results().Len() {
		return nil
	}
	for ret := range blocks.Returns(fn) {
		if !returnsAll(ret, main) {
			return nil
		}
	}
	return main
}

// isAside reports whether a call belongs to no work: it logs, or words an error.
func isAside(call *ssa.Call) bool {
	callee := kubeapi.Callee(call.Common())
	return callee != nil && (kubeapi.Logs(callee) || kubeapi.WrappedError(callee, call.Common()) != nil || kubeapi.MakesError(callee))
}

// IsOwn reports whether an address is of a variable of the function, as those are
// that variadic arguments and literals are put together in, or of a list or map that it
// has made.
func IsOwn(addr ssa.Value) bool {
	for {
		switch x := addr.(type) {
		case *ssa.Alloc, *ssa.MakeSlice, *ssa.MakeMap:
			return true
		case *ssa.FieldAddr:
			addr = x.X
		case *ssa.IndexAddr:
			addr = x.X
		case *ssa.Slice:
			addr = x.X
		default:
			return false
		}
	}
}

// feeds reports whether a value is an operand of an instruction, also as a part of
// another one, and nothing else.
func feeds(v ssa.Value, into ssa.Instruction, depth int) bool {
	if v.Referrers() == nil || depth > maxDepth || kubeapi.IsError(v.Type()) {
		return false
	}
	used := false
	for _, ref := range *v.Referrers() {
		switch ref := ref.(type) {
		case *ssa.DebugRef:
		case *ssa.Store:
			if !IsOwn(ref.Addr) {
				return false
			}
			used = true // an element of what is packed for the call
		default:
			value, ok := ref.(ssa.Value)
			if ref != into && (!ok || !feeds(value, into, depth+1)) {
				return false
			}
			used = true
		}
	}
	return used
}

// returnsAll reports whether a function returns the results of a call: all of them,
// or the error with words around it where there is one and no error where there is none.
func returnsAll(ret *ssa.Return, main *ssa.Call) bool {
	for i, v := range ret.Results {
		if isResult(v, main, i, len(ret.Results)) {
			continue
		}
		if i != len(ret.Results)-1 || !kubeapi.IsError(v.Type()) || !isErrorOf(ret, v, main) {
			return false
		}
	}
	return true
}

func isResult(v ssa.Value, main *ssa.Call, index, count int) bool {
	if change, ok := v.(*ssa.ChangeInterface); ok {
		v = change.X
	}
	if count == 1 {
		return v == main
	}
	extract, ok := v.(*ssa.Extract)
	return ok && extract.Tuple == main && extract.Index == index
}

// isErrorOf reports whether an error that is returned says whether main has
// failed: it stands where that is known, and is nil or an error as main's is.
func isErrorOf(ret *ssa.Return, v ssa.Value, main *ssa.Call) bool {
	failed, known := FailedAt(ret.Block(), main)
	if !known {
		return false
	}
	switch v := v.(type) {
	case *ssa.Const:
		return v.IsNil() && !failed
	case *ssa.Call:
		callee := kubeapi.Callee(v.Common())
		return failed && (kubeapi.MakesError(callee) || kubeapi.WrappedError(callee, v.Common()) != nil)
	}
	return false
}

// Wraps is the fact on a function that it does nothing but call another one and
// return its results, or nothing.
type Wraps struct {
	Pkg, Recv, Name string // the function, and the type that it is a method of
	// Operands tells for each operand of that call, the receiver first, which
	// parameter of the wrapper it is: zeroOperand if it is a zero constant,
	// namedOperand if it is another one, and ownOperand if the receiver is the
	// wrapper's own.
	Operands []int
	// Constants are the constants of the named operands, in their order, as Go
	// writes them.
	Constants []string
	// Loads tells of each, by the bit of that number, whether it is read from the
	// parameter, a pointer.
	Loads uint64
	// Drops tells that it does not return the results.
	Drops bool
}

const (
	ownOperand   = -1
	zeroOperand  = -2
	namedOperand = -3
)

// AFact marks a fact on a function.
func (*Wraps) AFact() {}

// wraps says what other packages have to know of a wrapper; nil if it is none, or
// cannot be told.
func (g *Graph) wraps(fn *ssa.Function) *Wraps {
	main, drops := g.mainCall(fn), false
	if main == nil {
		main, drops = mainCall(fn, true), true
	}
	if main == nil {
		return nil
	}
	var called types.Object
	var recv *types.Var
	callee := kubeapi.Callee(main.Common())
	switch v := g.libraryVariable(main.Common()); {
	case v != nil:
		called = v
	case callee == nil || callee.Signature().TypeParams().Len() > 0:
		return nil
	default:
		called, recv = callee, callee.Signature().Recv()
	}
	if called.Pkg() == nil {
		return nil
	}
	w := &Wraps{Pkg: called.Pkg().Path(), Name: called.Name(), Drops: drops}
	if recv != nil {
		named := kubeapi.Named(recv.Type())
		if named == nil || named.TypeArgs().Len() > 0 || named.Obj().Pkg() != callee.Pkg() || named.Obj().Parent() != callee.Pkg().Scope() {
			return nil
		}
		w.Recv = named.Obj().Name()
	}
	for i, operand := range kubeapi.Operands(main.Common()) {
		index := wrapperOperand(fn, operand)
		if c, ok := operand.(*ssa.Const); ok && c.Value == nil || kubeapi.IsNeverStop(operand) {
			index = zeroOperand // which never stops, either
		} else if ok && (c.Value.Kind() == constant.String || c.Value.Kind() == constant.Int) {
			index = namedOperand
			w.Constants = append(w.Constants, c.Value.ExactString())
		}
		if loaded := loadedOperand(fn, operand); loaded >= 0 && i < 64 {
			index, w.Loads = loaded, w.Loads|1<<i
		}
		if index == ownOperand && (i > 0 || recv == nil) {
			return nil
		}
		w.Operands = append(w.Operands, index)
	}
	return w
}

// libraryVariable returns the variable of another module that a call takes its function
// from, as those are that controller-runtime keeps its short names in; nil if it does
// not.
func (g *Graph) libraryVariable(common *ssa.CallCommon) *types.Var {
	load, ok := common.Value.(*ssa.UnOp)
	if !ok || common.IsInvoke() {
		return nil
	}
	global, ok := load.X.(*ssa.Global)
	if !ok || global.Object() == nil || g.SameModule(global.Object().Pkg()) {
		return nil
	}
	v, _ := global.Object().(*types.Var)
	return v
}

// exchangeWrappers takes note of the wrappers of other packages, and tells of those
// of this one.
func (g *Graph) exchangeWrappers(pass *analysis.Pass) {
	g.importWrappers(pass)
	g.declareWrapped(pass)
	for _, fn := range g.Funcs {
		obj, ok := fn.Object().(*types.Func)
		if !ok || fn.Parent() != nil || !obj.Exported() && obj.Signature().Recv() == nil {
			continue
		}
		if w := g.wraps(fn); w != nil {
			pass.ExportObjectFact(obj, w)
		}
	}
	g.ExportInterfaces(pass)
}

// importWrappers asks what the functions of other packages are that the package calls,
// and those that these call.
func (g *Graph) importWrappers(pass *analysis.Pass) {
	g.wrappers = make(map[*types.Func]*Wraps)
	asked := make(map[*types.Func]bool)
	var ask func(fn *types.Func)
	ask = func(fn *types.Func) {
		if fn == nil || fn.Pkg() == nil || fn.Pkg() == pass.Pkg || asked[fn] {
			return
		}
		asked[fn] = true
		w := new(Wraps)
		if !pass.ImportObjectFact(fn, w) {
			return
		}
		g.wrappers[fn] = w
		if called, ok := w.called(fn.Pkg(), pass.Pkg).(*types.Func); ok {
			ask(called.Origin())
		}
	}
	g.Each(func(instr ssa.Instruction) {
		if call, ok := instr.(ssa.CallInstruction); ok {
			ask(kubeapi.Callee(call.Common()))
		}
	})
}

// throughElsewhere is through for a wrapper in another package.
func (g *Graph) throughElsewhere(common *ssa.CallCommon, dropped bool) *ssa.CallCommon {
	wrapper := kubeapi.Callee(common)
	w := g.wrappers[wrapper]
	if w == nil || w.Drops && !dropped {
		return nil
	}
	called := w.called(wrapper.Pkg(), g.Pkg.Pkg)
	callee, _ := called.(*types.Func)
	fn := g.declared[called]
	if fn != nil {
		callee, _ = fn.Object().(*types.Func)
	}
	if callee == nil {
		return nil
	}
	given := kubeapi.Operands(common)
	params := calleeParams(callee)
	if len(w.Operands) != len(params) {
		return nil
	}
	operands := make([]ssa.Value, len(params))
	constants := w.Constants
	for i, index := range w.Operands {
		if index >= len(given) {
			return nil
		}
		switch {
		case index == namedOperand:
			operands[i] = ssa.NewConst(parsed(constants[0]), params[i].Type())
			constants = constants[1:]
		case index < 0:
			operands[i] = ssa.NewConst(nil, params[i].Type())
		case w.Loads&(1<<i) == 0:
			operands[i] = given[index]
		default:
			if operands[i] = heldBehind(given[index]); operands[i] == nil {
				return nil
			}
		}
	}
	inner := *common
	if recv := callee.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
		inner.Method, inner.Value, inner.Args = callee, operands[0], operands[1:]
		return &inner
	}
	if fn == nil {
		fn = g.funcValue(callee)
	}
	if fn == nil {
		return nil
	}
	inner.Method, inner.Value, inner.Args = nil, fn, operands
	return &inner
}

// parsed is the string or the number that Go writes so.
func parsed(text string) constant.Value {
	if strings.HasPrefix(text, `"`) {
		return constant.MakeFromLiteral(text, token.STRING, 0)
	}
	digits, negative := strings.CutPrefix(text, "-")
	number := constant.MakeFromLiteral(digits, token.INT, 0)
	if negative {
		return constant.UnaryOp(token.SUB, number, 0)
	}
	return number
}

// funcValue returns the function that a wrapper of another package calls; nil if it
// cannot be had.
func (g *Graph) funcValue(callee *types.Func) *ssa.Function {
	if fn := g.Pkg.Prog.FuncValue(callee); fn != nil {
		return fn
	}
	if recv := callee.Signature().Recv(); recv != nil {
		sel := g.Pkg.Prog.MethodSets.MethodSet(recv.Type()).Lookup(callee.Pkg(), callee.Name())
		if sel == nil {
			return nil
		}
		return g.Pkg.Prog.MethodValue(sel)
	}
	return nil
}

// declareWrapped declares the functions that wrappers of imported packages call: of
// other packages, only what this one uses itself is declared. They get a package of
// their own that is called like theirs, in which a function stands for a variable
// that has one. Functions of the user's modules are left out: what is known of them
// is asked by their objects.
func (g *Graph) declareWrapped(pass *analysis.Pass) {
	g.declared = make(map[types.Object]*ssa.Function)
	wanted := make(map[*types.Package][]types.Object)
	for wrapper, w := range g.wrappers {
		if !slices.Contains(pass.Pkg.Imports(), wrapper.Pkg()) || w.Recv != "" {
			continue
		}
		called := w.called(wrapper.Pkg(), g.Pkg.Pkg)
		if called == nil || g.SameModule(called.Pkg()) || slices.Contains(wanted[called.Pkg()], called) {
			continue
		}
		if fn, ok := called.(*types.Func); !ok || g.Pkg.Prog.FuncValue(fn) == nil {
			wanted[called.Pkg()] = append(wanted[called.Pkg()], called)
		}
	}
	for pkg, list := range wanted {
		same := types.NewPackage(pkg.Path(), pkg.Name())
		for _, called := range list {
			if sig, ok := called.Type().Underlying().(*types.Signature); ok {
				same.Scope().Insert(types.NewFunc(called.Pos(), same, called.Name(), sig))
			}
		}
		made := g.Pkg.Prog.CreatePackage(same, nil, nil, false)
		for _, called := range list {
			g.declared[called] = made.Func(called.Name())
		}
	}
}

func calleeParams(fn *types.Func) []*types.Var {
	var params []*types.Var
	if recv := fn.Signature().Recv(); recv != nil {
		params = append(params, recv)
	}
	for p := range fn.Signature().Params().Variables() {
		params = append(params, p)
	}
	return params
}

// called finds what a wrapper of a package calls, seen from one that uses the wrapper: a
// function, or a variable that has one.
func (w *Wraps) called(from, user *types.Package) types.Object {
	pkg := from
	if w.Pkg != from.Path() {
		// What a package imports that is imported itself, not every driver knows.
		i := slices.IndexFunc(user.Imports(), func(p *types.Package) bool { return p.Path() == w.Pkg })
		if i < 0 {
			return nil
		}
		pkg = user.Imports()[i]
	}
	if w.Recv == "" {
		switch obj := pkg.Scope().Lookup(w.Name).(type) {
		case *types.Func, *types.Var:
			return obj
		}
		return nil
	}
	tn, ok := pkg.Scope().Lookup(w.Recv).(*types.TypeName)
	if !ok {
		return nil
	}
	obj, _, _ := types.LookupFieldOrMethod(tn.Type(), true, pkg, w.Name)
	if fn, ok := obj.(*types.Func); ok {
		return fn
	}
	return nil
}
