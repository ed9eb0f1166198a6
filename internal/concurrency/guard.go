package concurrency

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/callgraph"
	"github.com/opvet/opvet/internal/kubeapi"
)

// stateKey names a piece of state that outlives a call: a struct field of any
// value or a package-level variable (a types.Object), or a variable captured
// by a literal that is kept (an *ssa.Alloc).
type stateKey any

// guarded reports whether at, an instruction that starts a goroutine or calls
// something that does, runs only if some remembered state says that nothing
// runs yet, or after what ran before was stopped, or within a bounded number
// of slots. inside are the instructions of the goroutine, if known; handles is
// the state through which it can be stopped.
func (a *analysisState) guarded(at ssa.Instruction, inside []located, handles handles) bool {
	fn := at.Parent()
	return a.startedOnce(fn, at, inside) || a.previousStopped(fn, at, handles) || a.registered(fn, at, inside) || a.slotTaken(fn, at, inside)
}

// startedOnce looks for a check that decides whether at runs, of a state that
// is claimed in this function, in what it calls, or by the goroutine.
func (a *analysisState) startedOnce(fn *ssa.Function, at ssa.Instruction, inside []located) bool {
	for _, block := range fn.Blocks {
		branch, ok := lastInstr(block).(*ssa.If)
		if !ok || !decides(block, at.Block()) {
			continue
		}
		checked := &checks{a: a, keys: make(map[stateKey]bool), seen: make(map[ssa.Value]bool), asked: make(map[*ssa.Function]bool), slots: make(map[stateKey]bool)}
		checked.visit(branch.Cond, 0)
		if checked.claimed || a.confirmed(fn, at, checked.asked) {
			return true
		}
		if len(checked.keys) == 0 {
			continue
		}
		claims := a.claims(fn, onWay(block, at.Block()), inside)
		for key := range checked.keys {
			if claims[key] || checked.slots[key] && a.fills(key, inside) {
				return true
			}
		}
	}
	return false
}

// fills reports whether a goroutine takes a slot of a channel of which it was
// asked before how full it is.
func (a *analysisState) fills(channel stateKey, inside []located) bool {
	for _, in := range inside {
		if taken, sent := a.slot(in.instr, in.env); taken != nil && sent && a.stateOf(taken) == channel {
			return true
		}
	}
	return false
}

func lastInstr(block *ssa.BasicBlock) ssa.Instruction {
	if len(block.Instrs) == 0 {
		return nil
	}
	return block.Instrs[len(block.Instrs)-1]
}

// decides reports whether the branch at the end of block determines whether
// target runs: it dominates it, and one of its ways avoids it.
func decides(block, target *ssa.BasicBlock) bool {
	if len(block.Succs) != 2 || !block.Dominates(target) || block == target {
		return false
	}
	return !leadsTo(block.Succs[0], target, block) || !leadsTo(block.Succs[1], target, block)
}

// leadsTo reports whether to can be reached from from without passing avoid.
func leadsTo(from, to, avoid *ssa.BasicBlock) bool {
	seen := map[*ssa.BasicBlock]bool{avoid: true}
	stack := []*ssa.BasicBlock{from}
	for len(stack) > 0 {
		b := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[b] {
			continue
		}
		if b == to {
			return true
		}
		seen[b] = true
		stack = append(stack, b.Succs...)
	}
	return false
}

// confirmed reports whether fn, after at, asks one of the questions again that
// decided whether at runs: it does not return before the answer has changed,
// or has given up waiting for it.
func (a *analysisState) confirmed(fn *ssa.Function, at ssa.Instruction, asked map[*ssa.Function]bool) bool {
	if len(asked) == 0 {
		return false
	}
	polls := func(instr ssa.Instruction, _ *env) bool {
		call, ok := instr.(ssa.CallInstruction)
		if !ok {
			return false
		}
		for _, callee := range a.graph.Callees(call).Funcs {
			if asked[callee] {
				return true
			}
		}
		return false
	}
	for _, block := range fn.Blocks {
		for _, instr := range block.Instrs {
			call, ok := instr.(*ssa.Call)
			if !ok || !reachesInstr(at, call) || !kubeapi.IsPoll(kubeapi.Callee(call.Common())) {
				continue
			}
			w := &walker{a: a, seen: map[*ssa.Function]bool{fn: true}, budget: maxInstr, visit: polls}
			if w.call(call, nil, 0) {
				return true
			}
		}
	}
	return false
}

// onWay returns the blocks that run along with target: those before the branch
// at the end of block, and those after it on target's side.
func onWay(block, target *ssa.BasicBlock) func(*ssa.BasicBlock) bool {
	side := make(map[*ssa.BasicBlock]bool)
	var stack []*ssa.BasicBlock
	for _, succ := range block.Succs {
		if leadsTo(succ, target, block) {
			stack = append(stack, succ)
		}
	}
	for len(stack) > 0 {
		b := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if b == block || side[b] {
			continue
		}
		side[b] = true
		stack = append(stack, b.Succs...)
	}
	return func(b *ssa.BasicBlock) bool { return side[b] || b.Dominates(block) }
}

// checks collects the state that a condition depends on.
type checks struct {
	a       *analysisState
	keys    map[stateKey]bool
	seen    map[ssa.Value]bool
	asked   map[*ssa.Function]bool // functions of the package that are asked
	slots   map[stateKey]bool      // channels of which the length is asked
	claimed bool                   // the check itself claims: CompareAndSwap, LoadOrStore, TryLock
}

func (c *checks) visit(v ssa.Value, depth int) {
	if v == nil || c.seen[v] || depth > 12 || kubeapi.IsError(v.Type()) {
		return
	}
	c.seen[v] = true
	switch v := v.(type) {
	case *ssa.UnOp:
		if v.Op != token.MUL {
			c.visit(v.X, depth+1)
			return
		}
		if cell := c.a.cell(v.X); cell != nil {
			if kept := c.a.keptVariable(v.X); kept != nil {
				c.keys[kept] = true
			}
			for _, stored := range storesInto(cell, 0) {
				c.visit(stored, depth+1)
			}
			return
		}
		c.state(v.X)
	case *ssa.BinOp:
		c.visit(v.X, depth+1)
		c.visit(v.Y, depth+1)
	case *ssa.Phi:
		for _, edge := range v.Edges {
			c.visit(edge, depth+1)
		}
	case *ssa.Lookup:
		c.state(v.X)
	case *ssa.Extract:
		c.visit(v.Tuple, depth+1)
	case *ssa.TypeAssert:
		c.visit(v.X, depth+1)
	case *ssa.ChangeType:
		c.visit(v.X, depth+1)
	case *ssa.ChangeInterface:
		c.visit(v.X, depth+1)
	case *ssa.MakeInterface:
		c.visit(v.X, depth+1)
	case *ssa.Field:
		c.state(v)
	case *ssa.FreeVar:
		c.visit(c.a.graph.Binding(v), depth+1)
	case *ssa.Call:
		c.call(v, depth)
	}
}

// state records the field or global that v is loaded from.
func (c *checks) state(v ssa.Value) {
	if c.a.isLocal(v) {
		return
	}
	if key := c.a.stateOf(v); key != nil {
		c.keys[key] = true
	}
}

// keptVariable returns the variable that addr denotes if a literal captures it
// and is itself kept: the variable then outlives the literal's calls.
func (a *analysisState) keptVariable(addr ssa.Value) *ssa.Alloc {
	captured, ok := addr.(*ssa.FreeVar)
	if !ok {
		return nil
	}
	for _, closure := range a.graph.Closures(captured.Parent()) {
		if a.escapes(closure, make(map[ssa.Value]bool)) {
			return a.cell(addr)
		}
	}
	return nil
}

// isLocal reports whether v lies in something that the call has for itself: a
// struct of its own, or what it has just made or fetched. What is noted there
// does not outlive the call.
func (a *analysisState) isLocal(v ssa.Value) bool { return a.madeHere(v, 0) }

func (a *analysisState) madeHere(v ssa.Value, depth int) bool {
	root := a.placeOf(v, nil).root
	switch r := root.(type) {
	case *ssa.Alloc:
		_, isStruct := r.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
		return isStruct
	case *ssa.Call:
		return a.madeBy(r, 0, depth)
	case *ssa.Extract:
		if call, ok := r.Tuple.(*ssa.Call); ok {
			return a.madeBy(call, r.Index, depth)
		}
	}
	_, isStruct := root.Type().Underlying().(*types.Struct)
	return isStruct
}

// madeBy reports whether the index-th result of a call was made or fetched by
// the callee, as opposed to looked up.
func (a *analysisState) madeBy(call *ssa.Call, index, depth int) bool {
	targets := a.graph.Callees(call).Funcs
	if len(targets) == 0 {
		callee := kubeapi.Callee(call.Common())
		recv, args := kubeapi.Args(call.Common())
		return recv == nil || !asksMemory(callee, args)
	}
	if depth > 2 {
		return false
	}
	for _, target := range targets {
		for _, block := range target.Blocks {
			ret, ok := lastInstr(block).(*ssa.Return)
			if !ok || index >= len(ret.Results) {
				continue
			}
			if c, ok := ret.Results[index].(*ssa.Const); ok && c.IsNil() {
				continue
			}
			if !a.madeHere(ret.Results[index], depth+1) {
				return false
			}
		}
	}
	return true
}

func (c *checks) call(call *ssa.Call, depth int) {
	common := call.Common()
	if builtin, ok := common.Value.(*ssa.Builtin); ok {
		if builtin.Name() == "len" {
			c.state(common.Args[0])
			if _, ok := common.Args[0].Type().Underlying().(*types.Chan); ok {
				if key := c.a.stateOf(common.Args[0]); key != nil {
					c.slots[key] = true
				}
			}
		}
		return
	}
	callee := kubeapi.Callee(common)
	recv, args := kubeapi.Args(common)
	if kubeapi.IsTestAndSet(callee) {
		c.claimed = true
		return
	}
	targets := c.a.graph.Callees(call).Funcs
	for _, target := range targets {
		c.asked[target] = true
		for _, block := range target.Blocks {
			if ret, ok := lastInstr(block).(*ssa.Return); ok {
				for _, result := range ret.Results {
					c.visit(result, depth+3)
				}
			}
			// A helper decides by branches as well: if _, ok := m[k]; ok {
			// return true }.
			if branch, ok := lastInstr(block).(*ssa.If); ok {
				c.visit(branch.Cond, depth+3)
			}
		}
	}
	if len(targets) > 0 || recv == nil || !asksMemory(callee, args) {
		return
	}
	c.state(recv)
}

// asksMemory reports whether a method of another package looks something up in
// memory: it takes no context and cannot fail.
func asksMemory(callee *types.Func, args []ssa.Value) bool {
	if callee == nil || kubeapi.IsQueue(callee.Signature().Recv().Type()) {
		return false
	}
	for _, arg := range args {
		if kubeapi.IsContext(arg.Type()) {
			return false
		}
	}
	results := callee.Signature().Results()
	for r := range results.Variables() {
		if kubeapi.IsError(r.Type()) {
			return false
		}
	}
	return results.Len() > 0
}

// stateOf returns the field or package-level variable that v, a value or an
// address, is or lies in; nil if that is part of an API object, whose state
// comes from the server, or if there is none.
func (a *analysisState) stateOf(v ssa.Value) stateKey {
	var key stateKey
	for range maxTrace {
		switch x := v.(type) {
		case *ssa.FieldAddr:
			if key == nil {
				key = fieldKey(x.X.Type(), x.Field)
			}
			if isAPIType(x.X.Type()) {
				return nil
			}
			v = x.X
		case *ssa.Field:
			if key == nil {
				key = fieldKey(x.X.Type(), x.Field)
			}
			if isAPIType(x.X.Type()) {
				return nil
			}
			v = x.X
		case *ssa.UnOp:
			if x.Op != token.MUL {
				return key
			}
			if cell := a.cell(x.X); cell != nil {
				stored := onlyStore(cell)
				if stored == nil {
					return key
				}
				v = stored
				continue
			}
			v = x.X
		case *ssa.Global:
			if key == nil && x.Object() != nil {
				key = x.Object()
			}
			return key
		case *ssa.IndexAddr:
			v = x.X
		case *ssa.Lookup:
			v = x.X
		case *ssa.Extract:
			switch tuple := x.Tuple.(type) {
			case *ssa.Lookup:
				v = tuple.X
			case *ssa.TypeAssert:
				v = tuple.X
			case *ssa.Call:
				v = tuple
			default:
				return key
			}
		case *ssa.ChangeType:
			v = x.X
		case *ssa.MakeInterface:
			v = x.X
		case *ssa.ChangeInterface:
			v = x.X
		case *ssa.TypeAssert:
			v = x.X
		case *ssa.FreeVar:
			binding := a.graph.Binding(x)
			if binding == nil {
				return key
			}
			v = binding
		case *ssa.Call:
			// What a registry hands out belongs to it: r.running.Load(key).
			if key != nil || len(a.graph.Callees(x).Funcs) > 0 {
				return key
			}
			recv, args := kubeapi.Args(x.Common())
			if recv == nil || !asksMemory(kubeapi.Callee(x.Common()), args) {
				return nil
			}
			v = recv
		default:
			return key
		}
	}
	return key
}

func fieldKey(t types.Type, index int) stateKey {
	field := callgraph.FieldOf(t, index)
	if field == nil {
		return nil
	}
	return field
}

// isAPIType reports whether t is, or points to, an API object or a part of
// one: they come with generated deep copies.
func isAPIType(t types.Type) bool {
	if kubeapi.IsObject(t) {
		return true
	}
	named := kubeapi.Named(t)
	if named == nil {
		return false
	}
	obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(named), true, named.Obj().Pkg(), "DeepCopyInto")
	_, ok := obj.(*types.Func)
	return ok
}

// claims returns the state that is written in the wanted blocks of fn, by what
// they call in the package, or by the goroutine.
func (a *analysisState) claims(fn *ssa.Function, wanted func(*ssa.BasicBlock) bool, inside []located) map[stateKey]bool {
	all := make(map[stateKey]bool)
	seen := map[*ssa.Function]bool{fn: true}
	var visit func(fn *ssa.Function, depth int)
	calls := func(block *ssa.BasicBlock, depth int) {
		for _, instr := range block.Instrs {
			if call, ok := instr.(ssa.CallInstruction); ok {
				for _, callee := range a.graph.Callees(call).Funcs {
					visit(callee, depth+1)
				}
			}
		}
	}
	visit = func(fn *ssa.Function, depth int) {
		if seen[fn] || depth > maxLook {
			return
		}
		seen[fn] = true
		for key := range a.writes(fn) {
			all[key] = true
		}
		for _, block := range fn.Blocks {
			calls(block, depth)
		}
	}
	for _, block := range fn.Blocks {
		if !wanted(block) {
			continue
		}
		for _, instr := range block.Instrs {
			a.writesOf(instr, all)
		}
		calls(block, 0)
	}
	for _, at := range inside {
		a.writesOf(at.instr, all)
	}
	return all
}

// writes returns the state that fn itself writes.
func (a *analysisState) writes(fn *ssa.Function) map[stateKey]bool {
	if known, ok := a.written[fn]; ok {
		return known
	}
	keys := make(map[stateKey]bool)
	for _, block := range fn.Blocks {
		for _, instr := range block.Instrs {
			a.writesOf(instr, keys)
		}
	}
	a.written[fn] = keys
	return keys
}

func (a *analysisState) writesOf(instr ssa.Instruction, into map[stateKey]bool) {
	add := func(v ssa.Value) {
		if key := a.stateOf(v); key != nil {
			into[key] = true
		}
	}
	switch instr := instr.(type) {
	case *ssa.Store:
		switch instr.Addr.(type) {
		case *ssa.FieldAddr, *ssa.Global, *ssa.IndexAddr:
			add(instr.Addr)
		case *ssa.FreeVar:
			if kept := a.keptVariable(instr.Addr); kept != nil {
				into[kept] = true
			}
		}
	case *ssa.MapUpdate:
		add(instr.Map)
	case ssa.CallInstruction:
		common := instr.Common()
		if builtin, ok := common.Value.(*ssa.Builtin); ok {
			if builtin.Name() == "delete" || builtin.Name() == "clear" {
				add(common.Args[0])
			}
			return
		}
		if len(a.graph.Callees(instr).Funcs) > 0 {
			return
		}
		callee := kubeapi.Callee(common)
		if recv, _ := kubeapi.Args(common); recv != nil && callee != nil && changesState(callee) {
			add(recv)
		}
	}
}

// changesState reports whether a method of another package puts something into
// its receiver or takes it out: set.Insert, sync.Map.Store, atomic.Bool.Store.
func changesState(callee *types.Func) bool {
	if callee.Signature().Recv() == nil || kubeapi.IsNamed(callee.Signature().Recv().Type(), "sync", "WaitGroup") {
		return false
	}
	switch callee.Name() {
	case "Store", "Insert", "Add", "Set", "Put", "Delete", "Remove", "LoadOrStore", "LoadAndDelete", "CompareAndSwap", "Swap", "Mark", "Register", "Track", "Acquire", "SetDefault":
		return !kubeapi.IsQueue(callee.Signature().Recv().Type())
	}
	return false
}

// handles is the state through which a goroutine can be told to stop: the
// fields and variables in which it finds its channels, contexts and owner, and
// the types that have these fields.
type handles struct {
	keys    map[stateKey]bool
	holders map[*types.Named]bool
}

// handlesOf returns the handles of a goroutine.
func (a *analysisState) handlesOf(s *Spawn, b *body) handles {
	h := handles{keys: make(map[stateKey]bool), holders: make(map[*types.Named]bool)}
	add := func(v ssa.Value) {
		if key := a.stateOf(v); key != nil {
			h.keys[key] = true
		}
		if named := holderOf(v); named != nil {
			h.holders[named] = true
		}
	}
	common := s.Call.Common()
	if common.IsInvoke() {
		add(common.Value)
	}
	for _, arg := range common.Args {
		add(arg)
	}
	for _, in := range b.instrs {
		switch instr := in.instr.(type) {
		case *ssa.UnOp:
			if instr.Op == token.ARROW {
				add(waited(instr.X))
			}
		case *ssa.Select:
			for _, state := range instr.States {
				if state.Dir == types.RecvOnly {
					add(waited(state.Chan))
				}
			}
		case ssa.CallInstruction:
			_, args := kubeapi.Args(instr.Common())
			for _, arg := range args {
				if _, isChan := arg.Type().Underlying().(*types.Chan); isChan || kubeapi.IsContext(arg.Type()) {
					add(waited(arg))
				}
			}
		}
	}
	return h
}

// waited is the context whose Done channel v is, or v itself.
func waited(v ssa.Value) ssa.Value {
	if ctx := kubeapi.DoneOf(v); ctx != nil {
		return ctx
	}
	return v
}

// holderOf returns the type of the struct whose field v was loaded from.
func holderOf(v ssa.Value) *types.Named {
	for range 4 {
		switch x := v.(type) {
		case *ssa.UnOp:
			v = x.X
		case *ssa.ChangeType:
			v = x.X
		case *ssa.MakeInterface:
			v = x.X
		case *ssa.FieldAddr:
			return kubeapi.Named(x.X.Type())
		case *ssa.Field:
			return kubeapi.Named(x.X.Type())
		default:
			return nil
		}
	}
	return nil
}

// previousStopped looks for a stop of what an earlier call started: of the
// state through which the goroutine is stopped, before it is started.
func (a *analysisState) previousStopped(fn *ssa.Function, at ssa.Instruction, h handles) bool {
	if len(h.keys) == 0 && len(h.holders) == 0 {
		return false
	}
	stopsIt := func(instr ssa.Instruction, _ *env) bool {
		call, ok := instr.(ssa.CallInstruction)
		if !ok {
			return false
		}
		stopped := a.stops(call)
		if stopped == nil {
			return false
		}
		if key := a.stateOf(stopped); key != nil && h.keys[key] {
			return true
		}
		named := holderOf(stopped)
		return named != nil && h.holders[named]
	}
	for _, block := range fn.Blocks {
		for _, instr := range block.Instrs {
			call, ok := instr.(ssa.CallInstruction)
			if !ok || !mayPrecede(call, at) {
				continue
			}
			if stopsIt(call, nil) {
				return true
			}
			if _, isGo := call.(*ssa.Go); isGo {
				continue
			}
			for _, callee := range a.graph.Callees(call).Funcs {
				if a.walk(callee, nil, stopsIt) {
					return true
				}
			}
		}
	}
	return false
}

// stops returns the value that a call stops: a channel that it closes, a
// cancel function that it calls, the receiver of Stop or Close; or nil.
func (a *analysisState) stops(call ssa.CallInstruction) ssa.Value {
	common := call.Common()
	if builtin, ok := common.Value.(*ssa.Builtin); ok {
		if builtin.Name() == "close" {
			return common.Args[0]
		}
		return nil
	}
	if callee := kubeapi.Callee(common); callee != nil {
		if kubeapi.IsStop(callee) {
			recv, _ := kubeapi.Args(common)
			return recv
		}
		return nil
	}
	if sig, ok := common.Value.Type().Underlying().(*types.Signature); ok && sig.Params().Len() == 0 && sig.Results().Len() == 0 {
		return common.Value
	}
	return nil
}

// mayPrecede reports whether first can run before second in their function.
func mayPrecede(first, second ssa.Instruction) bool {
	if _, ok := first.(*ssa.Defer); ok {
		return false
	}
	return reachesInstr(first, second)
}

// registered looks for an entry in a map of what is in progress: written
// before the goroutine starts, changed again by the goroutine itself, and
// looked up elsewhere.
func (a *analysisState) registered(fn *ssa.Function, at ssa.Instruction, inside []located) bool {
	changed := make(map[stateKey]bool)
	for _, in := range inside {
		switch in.instr.(type) {
		case *ssa.MapUpdate, ssa.CallInstruction, *ssa.Store:
			a.writesOf(in.instr, changed)
		}
	}
	if len(changed) == 0 {
		return false
	}
	for _, block := range fn.Blocks {
		for _, instr := range block.Instrs {
			if !reachesInstr(instr, at) || !instr.Block().Dominates(at.Block()) {
				continue
			}
			if !putsKey(instr) {
				continue
			}
			before := make(map[stateKey]bool)
			a.writesOf(instr, before)
			for key := range before {
				if changed[key] {
					return true
				}
			}
		}
	}
	return false
}

// putsKey reports whether an instruction puts something into a map.
func putsKey(instr ssa.Instruction) bool {
	switch instr := instr.(type) {
	case *ssa.MapUpdate:
		return true
	case *ssa.Call:
		callee := kubeapi.Callee(instr.Common())
		return callee != nil && callee.Signature().Recv() != nil && kubeapi.IsNamed(callee.Signature().Recv().Type(), "sync", "Map")
	}
	return false
}

// slotTaken looks for a semaphore that outlives the call: taken before the
// goroutine starts, given back by it.
func (a *analysisState) slotTaken(fn *ssa.Function, at ssa.Instruction, inside []located) bool {
	for _, block := range fn.Blocks {
		for _, instr := range block.Instrs {
			if !reachesInstr(instr, at) {
				continue
			}
			taken, give := a.slot(instr, nil)
			if taken == nil {
				continue
			}
			key := a.stateOf(taken)
			p := a.placeOf(taken, nil)
			if _, local := p.root.(*ssa.MakeChan); key == nil && local {
				continue
			}
			for _, in := range inside {
				given, take := a.slot(in.instr, in.env)
				if given == nil || take == give {
					continue
				}
				if key != nil && a.stateOf(given) == key || a.placeOf(given, in.env) == p {
					return true
				}
			}
		}
	}
	return false
}

// slot returns the channel or semaphore on which an instruction takes or gives
// a slot; sent tells the two directions apart.
func (a *analysisState) slot(instr ssa.Instruction, _ *env) (v ssa.Value, sent bool) {
	switch instr := instr.(type) {
	case *ssa.Send:
		return instr.Chan, true
	case *ssa.UnOp:
		if instr.Op == token.ARROW {
			return instr.X, false
		}
	case *ssa.Select:
		for _, state := range instr.States {
			if state.Dir == types.SendOnly {
				return state.Chan, true
			}
		}
	case ssa.CallInstruction:
		callee := kubeapi.Callee(instr.Common())
		if callee == nil || callee.Signature().Recv() == nil {
			return nil, false
		}
		recv, _ := kubeapi.Args(instr.Common())
		switch callee.Name() {
		case "Acquire", "TryAcquire":
			return recv, true
		case "Release":
			return recv, false
		}
	}
	return nil, false
}

// reachesInstr reports whether to can run after from, both in one function.
func reachesInstr(from, to ssa.Instruction) bool {
	if from.Block() == to.Block() {
		for _, instr := range from.Block().Instrs {
			if instr == from {
				return from != to
			}
			if instr == to {
				break
			}
		}
	}
	seen := make(map[*ssa.BasicBlock]bool)
	stack := append([]*ssa.BasicBlock(nil), from.Block().Succs...)
	for len(stack) > 0 {
		b := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[b] {
			continue
		}
		seen[b] = true
		if b == to.Block() {
			return true
		}
		stack = append(stack, b.Succs...)
	}
	return false
}
