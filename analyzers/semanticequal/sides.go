package semanticequal

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// side is where one side of a comparison comes from.
type side uint8

const (
	unknown side = iota
	read         // from the API server or a cache
	built        // put together by the program
)

// binding has the arguments of a call that leads to a function.
type binding map[*ssa.Parameter]ssa.Value

// onlyBuilt reports whether one of two values was read, and the other one
// built, for some caller of the function if they are its parameters.
func (c *checker) onlyBuilt(x, y ssa.Value) bool {
	return c.differ(x, y, nil, 0)
}

func (c *checker) differ(x, y ssa.Value, args binding, depth int) bool {
	a, pa := c.side(x, args, 0)
	b, pb := c.side(y, args, 0)
	if a != unknown && b != unknown {
		return a != b
	}
	if depth > maxDepth || a == unknown && pa == nil || b == unknown && pb == nil {
		return false
	}
	p := pa
	if p == nil {
		p = pb
	}
	fn := p.Parent()
	for _, call := range c.sums.Calls.Callers(fn) {
		ops := kubeapi.Operands(call.Common())
		if len(ops) != len(fn.Params) {
			continue
		}
		outer := binding{}
		for i, param := range fn.Params {
			outer[param] = ops[i]
		}
		for param, arg := range args {
			outer[param] = arg
		}
		if c.differ(x, y, outer, depth+1) {
			return true
		}
	}
	return false
}

// side tells where a value comes from; if that is a parameter that is not
// bound, it is returned.
func (c *checker) side(v ssa.Value, args binding, depth int) (side, *ssa.Parameter) {
	if depth > 3*maxDepth {
		return unknown, nil
	}
	return c.sideOf(c.sums.Resolve.Place(v).Object, args, depth)
}

func (c *checker) sideOf(o paths.Object, args binding, depth int) (side, *ssa.Parameter) {
	if copied := c.sums.CopyOf(o); copied != nil {
		return c.side(copied, args, depth+1)
	}
	if roots := c.sums.Resolve.Roots(o); len(roots) > 1 {
		return c.common(roots, o, args, depth)
	}
	switch root := o.Root.(type) {
	case *ssa.Parameter:
		if arg := args[root]; arg != nil {
			return c.side(arg, args, depth+1)
		}
		return unknown, root
	case *ssa.MakeMap, *ssa.MakeSlice:
		return built, nil
	case *ssa.Alloc:
		return c.variable(root, o), nil
	case *ssa.Call:
		return c.result(root, 0, args, depth)
	case *ssa.Extract:
		if call, ok := root.Tuple.(*ssa.Call); ok {
			return c.result(call, root.Index, args, depth)
		}
	}
	return unknown, nil
}

// common is the side of an object that may be one of several.
func (c *checker) common(roots []paths.Object, o paths.Object, args binding, depth int) (side, *ssa.Parameter) {
	found := unknown
	for _, root := range roots {
		if root == o {
			continue
		}
		s, _ := c.sideOf(root, args, depth+1)
		if s == unknown || found != unknown && s != found {
			return unknown, nil
		}
		found = s
	}
	return found, nil
}

// variable is the side of an object that is made here: read, if a client reads
// into it, and built otherwise.
func (c *checker) variable(alloc *ssa.Alloc, o paths.Object) side {
	for instr := range blocks.Instrs(alloc.Parent()) {
		for _, e := range c.sums.Events(instr) {
			if e.Place.Object.Root != ssa.Value(alloc) {
				continue
			}
			if e.Kind == objects.Refreshed {
				return read
			}
			if e.Kind == objects.Touched {
				return unknown
			}
		}
	}
	if o.Path != "" || kubeapi.KindOf(alloc.Type()) == nil && !alloc.Heap {
		return unknown
	}
	return built
}

// result is the side of what a call returns.
func (c *checker) result(call *ssa.Call, index int, args binding, depth int) (side, *ssa.Parameter) {
	if kubeapi.ReadsCache(call.Common()) {
		return read, nil
	}
	if op, ok := c.sums.ClientOp(call.Common()); ok {
		if op.Verb.Reads() {
			return read, nil
		}
		return unknown, nil
	}
	targets := c.sums.Calls.Callees(call)
	if len(targets.Funcs) != 1 || !targets.Closed {
		if cannotRead(call.Common()) {
			return built, nil
		}
		return unknown, nil
	}
	fn := targets.Funcs[0]
	ops := kubeapi.Operands(call.Common())
	inner := binding{}
	for param, arg := range args {
		inner[param] = arg
	}
	for i, param := range fn.Params {
		if len(ops) == len(fn.Params) {
			inner[param] = ops[i]
		}
	}
	found := unknown
	for ret := range blocks.Returns(fn) {
		if index >= len(ret.Results) || calls.IsNil(calls.Behind(ret.Results[index])) {
			continue
		}
		s, _ := c.side(ret.Results[index], inner, depth+1)
		if s == unknown || found != unknown && s != found {
			return unknown, nil
		}
		found = s
	}
	return found, nil
}

// cannotRead reports whether a function of another package makes an object: it
// has no context and no client to read one with, and is handed none of the kind.
func cannotRead(common *ssa.CallCommon) bool {
	fn := kubeapi.Callee(common)
	if fn == nil || common.IsInvoke() || kubeapi.IsDeepCopy(fn) {
		return false
	}
	result := kubeapi.Named(fn.Signature().Results().At(0).Type())
	for _, op := range kubeapi.Operands(common) {
		t := op.Type()
		if kubeapi.IsContext(t) || types.IsInterface(t) || kubeapi.IsClient(t) || kubeapi.HasClient(t) || kubeapi.Named(t) == result {
			return false
		}
	}
	return result != nil && kubeapi.KindOf(result) != nil
}

// mayBeEmpty reports whether a list or map that was read is compared with one
// that is not nil, and may have nothing in it.
func (c *checker) mayBeEmpty(call *ssa.Call, x, y ssa.Value) bool {
	for _, pair := range [][2]ssa.Value{{x, y}, {y, x}} {
		made, other := calls.Behind(pair[0]), pair[1]
		if !isContainer(made.Type()) || !c.isMadeEmpty(made, call) || !isPartOfObject(c.sums.Resolve.Place(other)) {
			continue
		}
		if s, _ := c.side(other, nil, 0); s != built {
			return c.decidesWrite(call, 0)
		}
	}
	return false
}

func isPartOfObject(p paths.Place) bool { return p.Kind != nil && len(p.Sub) > 0 }

// isMadeEmpty reports whether a container is made with nothing in it, and need
// not have got anything until it is compared.
func (c *checker) isMadeEmpty(v ssa.Value, at ssa.Instruction) bool {
	switch v := v.(type) {
	case *ssa.MakeMap:
		return !slices.ContainsFunc(usesOf(v), func(ref ssa.Instruction) bool {
			_, fills := ref.(*ssa.MapUpdate)
			_, handed := ref.(ssa.CallInstruction) // len, too: what is empty is looked for
			return fills && c.comesFirst(ref, at) || handed && ref != at
		})
	case *ssa.Phi:
		for _, edge := range v.Edges {
			if edge != ssa.Value(v) && c.isMadeEmpty(edge, at) {
				return true
			}
		}
	case *ssa.Slice:
		array, ok := v.X.(*ssa.Alloc)
		return ok && isEmptyArray(array.Type())
	case *ssa.MakeSlice:
		n, ok := v.Len.(*ssa.Const)
		return ok && n.Int64() == 0 && len(*v.Referrers()) > 0
	}
	return false
}

// comesFirst reports whether an instruction is run whenever another one is, before it.
func (c *checker) comesFirst(first, at ssa.Instruction) bool {
	return c.sums.Calls.Everywhere(at, func(at *calls.Site) bool {
		return at.Parent() == first.Parent() && first.Block().Dominates(at.Block())
	})
}

// usesOf returns what is done with a value, also by literals that capture the variable
// that it is kept in.
func usesOf(v ssa.Value) []ssa.Instruction {
	var uses []ssa.Instruction
	for _, ref := range *v.Referrers() {
		if store, ok := ref.(*ssa.Store); ok && store.Val == v && isCell(store.Addr) {
			uses = append(uses, loadsOf(store.Addr)...)
		} else {
			uses = append(uses, ref)
		}
	}
	return uses
}

func isCell(addr ssa.Value) bool {
	cell, ok := addr.(*ssa.Alloc)
	return ok && len(calls.StoredInto(cell)) == 1
}

func loadsOf(addr ssa.Value) []ssa.Instruction {
	var uses []ssa.Instruction
	for _, ref := range *addr.Referrers() {
		switch ref := ref.(type) {
		case *ssa.UnOp:
			uses = append(uses, *ref.Referrers()...)
		case *ssa.MakeClosure:
			for i, binding := range ref.Bindings {
				if binding == addr {
					uses = append(uses, loadsOf(ref.Fn.(*ssa.Function).FreeVars[i])...)
				}
			}
		}
	}
	return uses
}

// comparedOtherwise reports whether the function of a comparison, or all that call it,
// look for what the values lack as well: they compare their lengths, or with nil, or
// them by another function. Of a struct that has to be done with each part that may be
// missing.
func (c *checker) comparedOtherwise(call *ssa.Call, x ssa.Value) bool {
	return c.sums.Calls.Everywhere(call, func(at *calls.Site) bool {
		compared := c.placeFrom(at.Value, x)
		parts := make(map[string]bool)
		whole := false
		note := func(place paths.Place) {
			if place.Object != compared.Object {
				return
			}
			shared := min(len(place.Sub), len(compared.Sub))
			switch {
			case !slices.Equal(place.Sub[:shared], compared.Sub[:shared]):
			case len(place.Sub) == shared:
				whole = true
			default:
				parts[place.Sub[shared]] = true
			}
		}
		for instr := range blocks.Instrs(at.Parent()) {
			c.eachLookedAt(instr, note)
		}
		return whole || len(parts) > 0 && !slices.ContainsFunc(partsThatMayLack(x.Type()), func(name string) bool { return !parts[name] })
	})
}

// placeFrom is where a value is kept, as a caller sees it.
func (c *checker) placeFrom(outside func(ssa.Value) ssa.Value, v ssa.Value) paths.Place {
	place := c.sums.Resolve.Place(v)
	given := outside(place.Object.Root)
	if given == place.Object.Root {
		return place
	}
	at := c.sums.Resolve.Place(given)
	at.Sub = slices.Concat(at.Sub, place.Sub)
	return at
}

// eachLookedAt yields the places that an instruction compares, itself or in a function
// of the package.
func (c *checker) eachLookedAt(instr ssa.Instruction, yield func(paths.Place)) {
	for _, v := range lookedAt(instr) {
		yield(c.sums.Resolve.Place(v))
	}
	call, ok := instr.(*ssa.Call)
	if !ok {
		return
	}
	targets := c.sums.Calls.Callees(call)
	if len(targets.Funcs) != 1 || !returnsBool(targets.Funcs[0]) {
		return
	}
	given := func(v ssa.Value) ssa.Value {
		if param, ok := v.(*ssa.Parameter); ok && param.Parent() == targets.Funcs[0] {
			if arg := calls.ArgumentOf(call, param); arg != nil {
				return arg
			}
		}
		return v
	}
	for inner := range blocks.Instrs(targets.Funcs[0]) {
		for _, v := range lookedAt(inner) {
			yield(c.placeFrom(given, v))
		}
	}
}

// lookedAt returns what an instruction compares: lists and maps, those whose
// lengths it compares, and values in depth, but not by DeepDerivative.
func lookedAt(instr ssa.Instruction) []ssa.Value {
	var values []ssa.Value
	switch instr := instr.(type) {
	case *ssa.Call:
		comparison := kubeapi.ComparisonOf(instr.Common())
		if comparison.Kind != kubeapi.NoComparison && comparison.Kind != kubeapi.Derivative {
			values = append(values, kubeapi.Unboxed(comparison.X), kubeapi.Unboxed(comparison.Y))
		}
	case *ssa.BinOp:
		for _, v := range []ssa.Value{instr.X, instr.Y} {
			if v = measured(v); isContainer(v.Type()) {
				values = append(values, v)
			}
		}
	}
	return values
}

// measured returns what a value is the length of, or the value itself.
func measured(v ssa.Value) ssa.Value {
	if call, ok := v.(*ssa.Call); ok {
		if builtin, ok := call.Call.Value.(*ssa.Builtin); ok && builtin.Name() == "len" {
			return call.Call.Args[0]
		}
	}
	return v
}
