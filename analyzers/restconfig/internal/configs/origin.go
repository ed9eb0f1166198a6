package configs

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Kind is where a configuration comes from.
type Kind uint8

const (
	// Unknown cannot be told, or is one of several.
	Unknown Kind = iota
	// Nothing is nil.
	Nothing
	// Fresh is made here: nobody else has it yet.
	Fresh
	// Copy is made here as a copy of another one, with which it shares maps,
	// slices and what it points to.
	Copy
	// Manager is what a manager or cluster gives to everybody.
	Manager
	// Global is held by a package-level variable.
	Global
	// Field is held by a field of a struct.
	Field
	// Param is a parameter.
	Param
)

// Origin is where a configuration comes from.
type Origin struct {
	Kind Kind
	// What names it: "r.config", "mgr.GetConfig()".
	What string
	// Root is what makes it, for Fresh, Copy and Manager.
	Root ssa.Value
	// Of is what it is a copy of.
	Of ssa.Value
	// Base is what has the manager or field, and Path leads from there to the
	// configuration.
	Base ssa.Value
	Path string
	// Holder is the field or variable.
	Holder types.Object
	Param  *ssa.Parameter
}

// Shared reports whether others have the configuration, as far as that can be
// told from where it comes.
func (o Origin) Shared() bool { return o.Kind == Manager || o.Kind == Global || o.Kind == Field }

const maxDepth = 10

// Origin follows a configuration, or a pointer to one, back.
func (i *Changes) Origin(v ssa.Value) Origin { return i.origin(v, 0, make(map[ssa.Value]bool)) }

func (i *Changes) origin(v ssa.Value, depth int, seen map[ssa.Value]bool) Origin {
	if v == nil || depth > maxDepth {
		return Origin{}
	}
	if seen[v] {
		return Origin{Kind: Nothing}
	}
	seen[v] = true
	defer delete(seen, v)
	same := values.Relation{Calls: i.graph, Steps: values.Converted | values.Merged | values.Held | values.Address, More: func(v ssa.Value) []ssa.Value {
		if isOwnConfig(v) {
			return nil
		}
		return values.Stored(v)
	}}
	if from, _ := same.Sources(v); len(from) > 0 {
		return i.all(from, depth, seen)
	}
	if call, index := calls.CallOf(v); call != nil {
		return i.ofCall(call, index, depth, seen)
	}
	switch v := v.(type) {
	case *ssa.Const:
		return Origin{Kind: Nothing}
	case *ssa.Parameter:
		return Origin{Kind: Param, What: v.Name(), Param: v}
	case *ssa.Alloc:
		if isOwnConfig(v) {
			return i.made(v)
		}
	}
	return i.held(v)
}

// isOwnConfig reports whether a variable of the function has a configuration in it, as
// opposed to a pointer.
func isOwnConfig(v ssa.Value) bool {
	local, ok := v.(*ssa.Alloc)
	return ok && kubeapi.IsRESTConfig(v.Type()) && !kubeapi.IsPointer(kubeapi.Deref(local.Type()))
}

// held is what a field or variable holds, or a configuration that is one.
func (i *Changes) held(v ssa.Value) Origin {
	if global, ok := v.(*ssa.Global); ok && global.Object() != nil {
		name := global.Name()
		if global.Pkg != i.graph.Pkg && global.Pkg != nil {
			name = global.Pkg.Pkg.Name() + "." + name
		}
		return Origin{Kind: Global, What: name, Holder: global.Object(), Base: global}
	}
	field := calls.FieldAt(v)
	if field == nil {
		return Origin{}
	}
	base, path := chain(v, "")
	path = strings.TrimSuffix(path, ".")
	if _, copied := v.(*ssa.Field); !copied {
		switch base.(type) {
		case *ssa.Alloc, *ssa.Call, *ssa.Extract, *ssa.Lookup, *ssa.TypeAssert, *ssa.Const, *ssa.MakeInterface:
			return Origin{} // of what the function has made or found
		}
	}
	return Origin{Kind: Field, What: nameOf(base, path), Base: base, Path: path, Holder: field}
}

// chain follows fields to the value that they begin with.
func chain(v ssa.Value, path string) (base ssa.Value, fields string) {
	base, selected := values.Selection(v)
	for _, field := range slices.Backward(selected) {
		path = field.Name() + "." + path
	}
	return base, path
}

func nameOf(base ssa.Value, path string) string {
	if name := values.NameOf(base); name != "" {
		return name + "." + path
	}
	return path
}

// made is a configuration that the function has in a variable of its own: a
// literal, or a copy.
func (i *Changes) made(v *ssa.Alloc) Origin {
	for store := range blocks.Stores(v) {
		if load, ok := store.Val.(*ssa.UnOp); ok && load.Op == token.MUL {
			return Origin{Kind: Copy, Root: v, Of: load.X}
		}
		if param, ok := store.Val.(*ssa.Parameter); ok {
			return Origin{Kind: Copy, Root: v, Of: param} // handed over by value
		}
	}
	return Origin{Kind: Fresh, Root: v}
}

// all is what several values have in common.
func (i *Changes) all(values []ssa.Value, depth int, seen map[ssa.Value]bool) Origin {
	var common Origin
	for n, v := range values {
		o := i.origin(v, depth+1, seen)
		switch {
		case n == 0 || common.Kind == Nothing:
			common = o
		case o.Kind == Nothing:
		case o.Kind != common.Kind, o.Holder != common.Holder, o.Param != common.Param:
			return Origin{}
		}
	}
	return common
}

func (i *Changes) ofCall(call *ssa.Call, index, depth int, seen map[ssa.Value]bool) Origin {
	common := call.Common()
	callee := kubeapi.Callee(common)
	ops := kubeapi.Operands(common)
	switch {
	case index == 0 && kubeapi.SharedConfig(callee):
		return Origin{Kind: Manager, What: i.Called(call) + "()", Root: call, Base: ops[0]}
	case kubeapi.CallsConfigSource(common):
		return Origin{Kind: Fresh, Root: call}
	case kubeapi.CopiesConfig(callee) && len(ops) == 1:
		return Origin{Kind: Copy, Root: call, Of: ops[0]}
	}
	if config, _, ok := kubeapi.ChangesConfig(common); ok {
		return i.origin(config, depth+1, seen) // AddUserAgent hands it back
	}
	if index != 0 {
		return Origin{}
	}
	if targets := i.graph.Callees(call).Funcs; len(targets) == 1 {
		return i.returned(call, targets[0], depth, seen)
	}
	var shared Shared
	if fact := i.sums.Elsewhere(call); fact != nil {
		shared = fact.Shared
	}
	return i.sharedBy(call, shared)
}

// sharedBy turns what a fact says of a call's result into where it comes from.
func (i *Changes) sharedBy(call *ssa.Call, shared Shared) Origin {
	ops := kubeapi.Operands(call.Common())
	o := Origin{Kind: shared.Kind, What: i.Called(call) + "()", Root: call, Path: shared.Path}
	if shared.Kind == Manager || shared.Kind == Field {
		if shared.Param >= len(ops) {
			return Origin{}
		}
		o.Base = ops[shared.Param]
		if isFound(o.Base) {
			return Origin{}
		}
	}
	return o
}

// isFound reports whether the function itself has made or found a value.
func isFound(v ssa.Value) bool {
	switch v.(type) {
	case *ssa.Alloc, *ssa.Call, *ssa.Extract, *ssa.Lookup:
		return true
	}
	return false
}

// returned is what a function of the package returns.
func (i *Changes) returned(call *ssa.Call, fn *ssa.Function, depth int, seen map[ssa.Value]bool) Origin {
	o := i.all(firstResults(fn), depth+1, seen)
	ops := kubeapi.Operands(call.Common())
	at := func(v ssa.Value) ssa.Value {
		if p, ok := v.(*ssa.Parameter); ok && p.Parent() == fn {
			if n := slices.Index(fn.Params, p); n < len(ops) {
				return ops[n]
			}
		}
		return nil
	}
	switch o.Kind {
	case Fresh, Nothing, Global:
		o.Root = call
		return o
	case Copy:
		o.Root, o.Of = call, at(o.Of)
		return o
	case Param:
		if arg := at(o.Param); arg != nil {
			return i.origin(arg, depth+1, seen)
		}
	case Manager, Field:
		root, path := chain(o.Base, o.Path)
		base := at(root)
		if base == nil {
			return Origin{}
		}
		o.Path = strings.TrimSuffix(path, ".")
		if o.Kind == Field {
			base, o.Path = chain(base, o.Path)
			if isFound(base) {
				return Origin{}
			}
		}
		o.Base, o.What, o.Root = base, i.Called(call)+"()", call
		return o
	}
	return Origin{}
}

// firstResults are the values that a function returns first.
func firstResults(fn *ssa.Function) []ssa.Value {
	var values []ssa.Value
	for ret := range blocks.Returns(fn) {
		if len(ret.Results) > 0 {
			values = append(values, ret.Results[0])
		}
	}
	return values
}

// sharedResult tells what a function returns, for its fact.
func (i *Changes) sharedResult(fn *ssa.Function) Shared {
	o := i.all(firstResults(fn), 0, make(map[ssa.Value]bool))
	switch o.Kind {
	case Global:
		return Shared{Kind: Global}
	case Manager, Field:
		base, path := chain(o.Base, o.Path)
		p, ok := base.(*ssa.Parameter)
		if n := slices.Index(fn.Params, p); ok && n >= 0 {
			return Shared{Kind: o.Kind, Param: n, Path: strings.TrimSuffix(path, ".")}
		}
	}
	return Shared{}
}
