package entrypoints

import (
	"cmp"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

func run(pass *analysis.Pass) (any, error) {
	graph := pass.ResultOf[calls.Analyzer].(*calls.Graph)
	result := &Result{graph: graph, byFn: make(map[*ssa.Function][]*Entry), edges: make(map[*ssa.Function][]Edge)}
	if graph.Pkg == nil {
		return result, nil
	}
	f := &finder{
		pass: pass, graph: graph, result: result,
		params: make(map[*ssa.Parameter][]kubeapi.Role),
		fields: make(map[*types.Var][]kubeapi.Role),
		seen:   make(map[entryKey]bool),
	}
	f.functions = graph.All()
	f.resolveParams()
	f.interfaces()
	f.methods()
	for _, fn := range f.functions {
		f.function(fn)
	}
	f.export()
	// By file and line: positions themselves depend on which file was parsed
	// first.
	slices.SortStableFunc(result.Entries, func(a, b *Entry) int {
		p, q := pass.Fset.Position(a.Registered), pass.Fset.Position(b.Registered)
		return cmp.Or(cmp.Compare(p.Filename, q.Filename), cmp.Compare(p.Offset, q.Offset))
	})
	for i, entry := range result.Entries {
		entry.index = i
		result.byFn[entry.Fn] = append(result.byFn[entry.Fn], entry)
	}
	return result, nil
}

type entryKey struct {
	fn   *ssa.Function
	kind kubeapi.EntryKind
	what string
}

type finder struct {
	pass      *analysis.Pass
	graph     *calls.Graph
	result    *Result
	functions []*ssa.Function
	// params has what the package's functions do with their function-typed
	// parameters.
	params map[*ssa.Parameter][]kubeapi.Role
	// fields has the same for fields of function type.
	fields map[*types.Var][]kubeapi.Role
	seen   map[entryKey]bool

	operands blocks.Operands
}

// resolveParams computes what functions do with the functions that they are
// given, to a fixed point: a helper may hand its parameter to another one.
func (f *finder) resolveParams() {
	for range 5 {
		before := f.countRoles()
		for _, fn := range f.functions {
			f.uses(fn, func(v ssa.Value, role kubeapi.Role, _ ssa.Instruction) {
				if param := f.paramOf(v); param != nil && !slices.ContainsFunc(f.params[param], func(have kubeapi.Role) bool { return have.Kind == role.Kind }) {
					f.params[param] = append(f.params[param], role)
				}
				// A function kept in a field: whoever stores it there hands
				// it to what calls the field.
				if field := calls.LoadedField(v); field != nil && role.Kind == kubeapi.Sync && len(f.fields[field]) == 0 {
					f.fields[field] = append(f.fields[field], role)
				}
			})
		}
		if f.countRoles() == before {
			return
		}
	}
}

func (f *finder) countRoles() int {
	n := 0
	for _, roles := range f.params {
		n += len(roles)
	}
	return n + len(f.fields)
}

// uses calls yield for each function value in fn that has a role because of
// where it is used, with the instruction that uses it.
func (f *finder) uses(fn *ssa.Function, yield func(v ssa.Value, role kubeapi.Role, at ssa.Instruction)) {
	get := queueGet(fn)
	for instr := range blocks.Instrs(fn) {
		switch instr := instr.(type) {
		case *ssa.Store:
			addr, ok := instr.Addr.(*ssa.FieldAddr)
			if !ok {
				continue
			}
			if role, ok := f.fieldRole(addr); ok {
				yield(instr.Val, role, instr)
			}
			if field := calls.FieldOf(addr.X.Type(), addr.Field); field != nil {
				for _, role := range f.fields[field] {
					yield(instr.Val, role, instr)
				}
			}
		case *ssa.ChangeType:
			if role, ok := kubeapi.ConversionRole(instr.Type()); ok {
				yield(instr.X, role, instr)
			}
		case *ssa.MakeInterface:
			if role, ok := kubeapi.ConversionRole(instr.X.Type()); ok {
				yield(instr.X, role, instr)
			}
		case ssa.CallInstruction:
			f.call(instr, get, yield)
		}
	}
}

// fieldRole tells what a function stored into a struct of another package is
// called for. The package's own structs are followed by the call graph.
func (f *finder) fieldRole(addr *ssa.FieldAddr) (kubeapi.Role, bool) {
	t := addr.X.Type()
	if named := kubeapi.Named(t); named == nil || named.Obj().Pkg() == f.graph.Pkg.Pkg {
		return kubeapi.Role{}, false
	}
	return kubeapi.FieldRole(t, addr.Field)
}

func (f *finder) call(call ssa.CallInstruction, get ssa.Instruction, yield func(ssa.Value, kubeapi.Role, ssa.Instruction)) {
	common := call.Common()
	_, isGo := call.(*ssa.Go)
	if !common.IsInvoke() && common.StaticCallee() == nil {
		// A call of a function value.
		role := kubeapi.Role{Kind: kubeapi.InPlace, What: "callback"}
		switch {
		case isGo:
			role = kubeapi.Role{Kind: kubeapi.Spawned, What: "goroutine"}
		case get != nil && blocks.Follows(get, call) || get == nil && aboutItem(call.Parent()):
			role = kubeapi.Role{Kind: kubeapi.Sync, What: "sync function"}
		}
		yield(common.Value, role, call)
	}
	callee := kubeapi.Callee(common)
	_, args := kubeapi.Args(common)
	for i, arg := range args {
		if !isFunc(arg.Type()) {
			continue
		}
		if packed, ok := kubeapi.VariadicArgs(arg); ok {
			for _, v := range packed {
				f.argument(call, callee, i, v, yield)
			}
			continue
		}
		f.argument(call, callee, i, arg, yield)
	}
}

func (f *finder) argument(call ssa.CallInstruction, callee *types.Func, index int, arg ssa.Value, yield func(ssa.Value, kubeapi.Role, ssa.Instruction)) {
	for _, role := range f.argumentRoles(call, callee, index) {
		if _, isGo := call.(*ssa.Go); isGo && role.Kind == kubeapi.InPlace {
			role = kubeapi.Role{Kind: kubeapi.Spawned, What: "goroutine"}
		}
		yield(arg, role, call)
	}
}

// argumentRoles tells what a call does with the function that it gets as
// argument number index: by the tables, by a fact, or by the callee's body.
func (f *finder) argumentRoles(call ssa.CallInstruction, callee *types.Func, index int) []kubeapi.Role {
	if role, ok := kubeapi.ArgumentRole(callee, index); ok {
		return []kubeapi.Role{role}
	}
	var roles []kubeapi.Role
	for _, target := range f.graph.Callees(call).Funcs {
		if params := calls.Params(target); index < len(params) {
			roles = append(roles, f.params[params[index]]...)
		}
	}
	if callee != nil && callee.Pkg() != f.pass.Pkg {
		var fact Callbacks
		if f.pass.ImportObjectFact(callee, &fact) {
			for _, p := range fact.Params {
				if p.Index == index {
					roles = append(roles, p.Role)
				}
			}
		}
	}
	return roles
}

// paramOf returns the parameter that a function value is, seen through the
// variables and literals that it passes on its way.
func (f *finder) paramOf(v ssa.Value) *ssa.Parameter {
	local := values.Relation{Calls: f.graph, Steps: values.Local}
	for v := range local.Ends(v) {
		if p, ok := v.(*ssa.Parameter); ok {
			return p
		}
	}
	return nil
}

// methods finds the methods that are called because of the interfaces that
// their types implement.
func (f *finder) methods() {
	scope := f.graph.Pkg.Pkg.Scope()
	for _, name := range scope.Names() {
		tn, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || tn.IsAlias() || types.IsInterface(tn.Type()) {
			continue
		}
		named, ok := tn.Type().(*types.Named)
		if !ok {
			continue
		}
		if _, ok := named.Underlying().(*types.Signature); ok {
			continue // functions converted to it are the entries
		}
		for method := range named.Methods() {
			role, ok := kubeapi.MethodRole(named, method)
			if !ok {
				continue
			}
			if fn := f.graph.Pkg.Prog.FuncValue(method); fn != nil && fn.Blocks != nil {
				f.add(&Entry{Role: role, Fn: fn, Registered: method.Pos()})
			}
		}
	}
}

// interfaces finds the methods that workers call with items through an
// interface of this package, themselves or in a literal about one item, says so
// to other packages, and finds the implementations here of those that other
// packages told of.
func (f *finder) interfaces() {
	for _, fn := range f.functions {
		get := queueGet(fn)
		if get == nil && !aboutItem(fn) {
			continue
		}
		for call := range blocks.InstrsOf[ssa.CallInstruction](fn) {
			if !call.Common().IsInvoke() || get != nil && !blocks.Follows(get, call) {
				continue
			}
			if m := call.Common().Method.Origin(); m.Pkg() == f.pass.Pkg && m.Exported() && ownInterface(m) != nil {
				f.pass.ExportObjectFact(m, new(CalledPerItem))
			}
		}
	}
	var perItem []*types.Func
	for _, told := range f.pass.AllObjectFacts() {
		m, ok := told.Object.(*types.Func)
		if _, isFact := told.Fact.(*CalledPerItem); ok && isFact && m.Pkg() != f.pass.Pkg {
			perItem = append(perItem, m)
		}
	}
	// Facts come in any order; a function has one path from an entry point.
	slices.SortFunc(perItem, func(a, b *types.Func) int { return strings.Compare(kubeapi.FullName(a), kubeapi.FullName(b)) })
	for _, m := range perItem {
		if iface := ownInterface(m); iface != nil {
			f.implementations(iface, m)
		}
	}
}

// ownInterface returns the interface that declares the method m, or nil.
func ownInterface(m *types.Func) *types.Interface {
	recv := m.Signature().Recv()
	if recv == nil {
		return nil
	}
	iface, _ := recv.Type().Underlying().(*types.Interface)
	return iface
}

// implementations adds the methods of the package's types that a worker
// elsewhere calls through the interface method m.
func (f *finder) implementations(iface *types.Interface, m *types.Func) {
	scope := f.pass.Pkg.Scope()
	for _, name := range scope.Names() {
		tn, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || tn.IsAlias() || types.IsInterface(tn.Type()) {
			continue
		}
		ptr := types.NewPointer(tn.Type())
		if named, ok := tn.Type().(*types.Named); !ok || named.TypeParams().Len() > 0 || !types.Implements(ptr, iface) {
			continue
		}
		obj, _, _ := types.LookupFieldOrMethod(ptr, true, f.pass.Pkg, m.Name())
		method, ok := obj.(*types.Func)
		if !ok || method.Pkg() != f.pass.Pkg {
			continue
		}
		if fn := f.graph.Pkg.Prog.FuncValue(method); fn != nil && fn.Blocks != nil {
			f.add(&Entry{Role: kubeapi.Role{Kind: kubeapi.Sync, What: "sync function"}, Fn: fn, Registered: method.Pos()})
		}
	}
}

// function finds the entries that fn registers, and its edges.
func (f *finder) function(fn *ssa.Function) {
	if get := queueGet(fn); get != nil {
		f.add(&Entry{Role: kubeapi.Role{Kind: kubeapi.Worker, What: "workqueue worker"}, Fn: fn, Registered: get.Pos(), After: get})
	}
	f.uses(fn, f.use)
	for instr := range blocks.Instrs(fn) {
		f.bySignature(instr)
		if call, ok := instr.(ssa.CallInstruction); ok {
			f.callEdges(call)
		}
	}
}

// use records what a function value in a role amounts to: an entry, or an
// edge for a callback that the call runs in place.
func (f *finder) use(v ssa.Value, role kubeapi.Role, at ssa.Instruction) {
	call, isCall := at.(ssa.CallInstruction)
	direct := isCall && call.Common().Value == v
	if f.paramOf(v) != nil {
		return // the functions handed in are dealt with where they are
	}
	targets := f.graph.FuncsOf(v)
	if !direct && role.Kind != kubeapi.InPlace && role.Kind != kubeapi.Spawned {
		for _, external := range targets.External {
			f.result.Handed = append(f.result.Handed, &Handed{Role: role, External: external, At: at})
		}
	}
	for _, fn := range targets.Funcs {
		switch role.Kind {
		case kubeapi.InPlace:
			if isCall && !direct {
				f.edge(call, fn, calledBack(call))
			}
		case kubeapi.Spawned:
			if isCall && !direct {
				f.edge(call, fn, Started)
			}
		default:
			if role.Kind == kubeapi.Sync && (direct || !isCall) {
				// The worker of this package calls it, by the field too:
				// that is an edge already.
				continue
			}
			f.add(&Entry{Role: role, Fn: fn, Registered: at.Pos()})
			if isCall && !direct && (role.Kind == kubeapi.Periodic || role.Kind == kubeapi.Sync) {
				f.edge(call, fn, calledBack(call))
			}
		}
	}
}

// calledBack is how a call runs a callback: its own way, a goroutine's if it
// is a go statement, once for sync.Once.
func calledBack(call ssa.CallInstruction) How {
	if _, ok := call.(*ssa.Go); ok {
		return Started
	}
	if fn := kubeapi.Callee(call.Common()); fn != nil && kubeapi.FullName(fn) == "(*sync.Once).Do" {
		return Once
	}
	return CalledBack
}

// callEdges adds the edges of the call itself. Parameters are left out: the
// functions handed in are reached from the calls that hand them in.
func (f *finder) callEdges(call ssa.CallInstruction) {
	common := call.Common()
	if !common.IsInvoke() && f.paramOf(common.Value) != nil {
		return
	}
	how := Called
	if _, ok := call.(*ssa.Go); ok {
		how = Started
	}
	for _, fn := range f.graph.Callees(call).Funcs {
		f.edge(call, fn, how)
	}
	// A range-over-func loop hands its body to the iterator.
	for _, arg := range common.Args {
		if closure, ok := arg.(*ssa.MakeClosure); ok {
			if body := closure.Fn.(*ssa.Function); body.Synthetic == "range-over-func yield" {
				f.edge(call, body, CalledBack)
			}
		}
	}
}

func (f *finder) edge(site ssa.CallInstruction, callee *ssa.Function, how How) {
	from := site.Parent()
	if !slices.ContainsFunc(f.result.edges[from], func(have Edge) bool { return have.Site == site && have.Callee == callee }) {
		f.result.edges[from] = append(f.result.edges[from], Edge{Site: site, Callee: callee, How: how})
	}
}

// bySignature finds functions that are used as values and whose signature
// alone tells what for.
func (f *finder) bySignature(instr ssa.Instruction) {
	if _, ok := instr.(*ssa.DebugRef); ok {
		return
	}
	var called *ssa.Value
	if call, ok := instr.(ssa.CallInstruction); ok && !call.Common().IsInvoke() {
		called = &call.Common().Value
	}
	for _, operand := range f.operands.Of(instr) {
		if operand == nil || *operand == nil || operand == called {
			continue
		}
		v := *operand
		switch v.(type) {
		case *ssa.Function, *ssa.MakeClosure:
		default:
			continue
		}
		if closure, ok := instr.(*ssa.MakeClosure); ok && closure.Fn == v {
			continue
		}
		sig, ok := v.Type().Underlying().(*types.Signature)
		if !ok {
			continue
		}
		role, ok := kubeapi.SignatureRole(sig)
		if !ok {
			continue
		}
		for _, fn := range f.graph.FuncsOf(v).Funcs {
			f.add(&Entry{Role: role, Fn: fn, Registered: instr.Pos()})
		}
	}
}

func (f *finder) add(entry *Entry) {
	key := entryKey{entry.Fn, entry.Kind, entry.What}
	if f.seen[key] {
		return
	}
	f.seen[key] = true
	if !entry.Registered.IsValid() {
		entry.Registered = entry.Fn.Pos()
	}
	f.result.Entries = append(f.result.Entries, entry)
}

// export tells other packages what the functions of this one do with the
// functions that they are given.
func (f *finder) export() {
	for _, fn := range f.functions {
		obj, ok := fn.Object().(*types.Func)
		if !ok || obj.Pkg() != f.pass.Pkg {
			continue
		}
		var fact Callbacks
		for i, param := range calls.Params(fn) {
			for _, role := range f.params[param] {
				fact.Params = append(fact.Params, Callback{Index: i, Role: role})
			}
		}
		if len(fact.Params) > 0 {
			f.pass.ExportObjectFact(obj, &fact)
		}
	}
}

// queueGet returns the call by which fn takes an item off a workqueue, or nil.
func queueGet(fn *ssa.Function) ssa.Instruction {
	for call := range blocks.InstrsOf[*ssa.Call](fn) {
		if kubeapi.IsQueueGet(kubeapi.Callee(call.Common())) {
			return call
		}
	}
	return nil
}

// aboutItem reports whether fn is a literal that a worker makes after it has
// taken an item.
func aboutItem(fn *ssa.Function) bool {
	parent := fn.Parent()
	if parent == nil {
		return false
	}
	get := queueGet(parent)
	if get == nil {
		return aboutItem(parent)
	}
	for closure := range blocks.InstrsOf[*ssa.MakeClosure](parent) {
		if closure.Fn == fn {
			return blocks.Follows(get, closure)
		}
	}
	return false
}

func isFunc(t types.Type) bool {
	if slice, ok := t.Underlying().(*types.Slice); ok {
		t = slice.Elem()
	}
	_, ok := t.Underlying().(*types.Signature)
	return ok
}
