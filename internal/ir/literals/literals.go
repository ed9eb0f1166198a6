// Package literals tells which values the fields of a struct may have where it
// is put together in the package: in a composite literal, by assignments to its
// fields before or after, in branches, in functions that get or return it.
//
// The answer has all values that may be in a field, without order. What gets out
// of sight, such as a struct that comes from another package, is open: its
// fields may have any value.
package literals

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Struct is what is known of a struct value.
type Struct struct {
	// Values are those stored into a field, by its name.
	Values map[string][]ssa.Value
	// Stores are the instructions that store them.
	Stores map[string][]*ssa.Store
	// Loads are the values read from a field again: a map that is kept there
	// may be filled through them.
	Loads map[string][]ssa.Value
	// Nested are the fields that are structs and put together in place.
	Nested map[string]*Struct
	// Open tells that any field may have other values, too.
	Open bool
}

// Reader reads structs of one package.
type Reader struct {
	Calls *calls.Graph
	// Given is a parameter whose fields count as not set: the options that a
	// constructor is handed to change.
	Given *ssa.Parameter

	globals map[*ssa.Global][]ssa.Instruction
}

// Read returns what is known of v, a struct or a pointer to one.
func (r *Reader) Read(v ssa.Value) *Struct {
	s := newStruct()
	r.value(v, s, make(map[ssa.Value]bool), 0)
	return s
}

func newStruct() *Struct {
	return &Struct{Values: make(map[string][]ssa.Value), Stores: make(map[string][]*ssa.Store), Loads: make(map[string][]ssa.Value), Nested: make(map[string]*Struct)}
}

// Field returns what is known of a field that is a struct or a pointer to one: the
// values stored into it and what is put together in place. ok is false if
// nothing is stored there.
func (r *Reader) Field(s *Struct, name string) (inner *Struct, ok bool) {
	inner = newStruct()
	if nested := s.Nested[name]; nested != nil {
		inner.merge(nested)
		ok = true
	}
	for _, v := range s.Values[name] {
		if c, isConst := v.(*ssa.Const); isConst && c.Value == nil {
			continue
		}
		r.value(v, inner, make(map[ssa.Value]bool), 0)
		ok = true
	}
	// s.Cache = &CacheOptions{}; s.Cache.DisableFor = …
	for _, v := range s.Loads[name] {
		if _, isPointer := v.Type().Underlying().(*types.Pointer); isPointer {
			before := len(inner.Values)
			r.stores(v, inner, make(map[ssa.Value]bool), 0)
			ok = ok || len(inner.Values) > before
		}
	}
	return inner, ok
}

// Set reports whether a field may have a value other than its zero value.
func (s *Struct) Set(name string) bool {
	if s.Open {
		return true
	}
	for _, v := range s.Values[name] {
		if !IsZero(v) {
			return true
		}
	}
	nested := s.Nested[name]
	return nested != nil && !nested.isEmpty()
}

// isEmpty reports whether nothing but zero values is stored.
func (s *Struct) isEmpty() bool {
	if s.Open {
		return false
	}
	for name := range s.Values {
		if s.Set(name) {
			return false
		}
	}
	for _, nested := range s.Nested {
		if !nested.isEmpty() {
			return false
		}
	}
	return true
}

// Names returns the fields that may have a value other than their zero value.
func (s *Struct) Names() []string {
	var names []string
	for name := range s.Values {
		if s.Set(name) {
			names = append(names, name)
		}
	}
	for name, nested := range s.Nested {
		if _, known := s.Values[name]; !known && !nested.isEmpty() {
			names = append(names, name)
		}
	}
	return names
}

// IsZero reports whether v is certainly a zero value.
func IsZero(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && (c.Value == nil || slices.Contains([]string{`""`, "false", "0"}, c.Value.ExactString()))
}

// IsEmpty reports whether v is the empty string, nil, or a struct with nothing in it.
func IsEmpty(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && (c.Value == nil || c.Value.ExactString() == `""`)
}

// IsEmptyList reports whether a list is made here with nothing in it.
func IsEmptyList(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.MakeSlice:
		n, ok := v.Len.(*ssa.Const)
		return ok && n.Int64() == 0
	case *ssa.Slice:
		made, ok := v.X.(*ssa.Alloc)
		if !ok {
			return false
		}
		array, ok := made.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array)
		return ok && array.Len() == 0
	}
	return false
}

func (s *Struct) merge(other *Struct) {
	for name, values := range other.Values {
		s.Values[name] = append(s.Values[name], values...)
		s.Stores[name] = append(s.Stores[name], other.Stores[name]...)
	}
	for name, values := range other.Loads {
		s.Loads[name] = append(s.Loads[name], values...)
	}
	for name, nested := range other.Nested {
		s.nested(name).merge(nested)
	}
	s.Open = s.Open || other.Open
}

func (s *Struct) nested(name string) *Struct {
	if s.Nested[name] == nil {
		s.Nested[name] = newStruct()
	}
	return s.Nested[name]
}

const maxDepth = 6

// value adds what is known of a struct value, or of what a pointer refers to.
func (r *Reader) value(v ssa.Value, into *Struct, seen map[ssa.Value]bool, depth int) {
	if seen[v] {
		return
	}
	seen[v] = true
	if depth > maxDepth {
		into.Open = true
		return
	}
	switch v := v.(type) {
	case *ssa.Alloc:
		r.stores(v, into, seen, depth)
	case *ssa.Const:
	case *ssa.UnOp:
		r.variable(v.X, into, seen, depth)
	case *ssa.Phi:
		for _, edge := range v.Edges {
			r.value(edge, into, seen, depth+1)
		}
	case *ssa.ChangeType, *ssa.MakeInterface:
		r.value(kubeapi.Converted(v), into, seen, depth)
	case *ssa.Call:
		r.result(v, 0, into, seen, depth)
	case *ssa.Extract:
		if call, ok := v.Tuple.(*ssa.Call); ok {
			r.result(call, v.Index, into, seen, depth)
		} else {
			into.Open = true
		}
	case *ssa.Parameter:
		r.parameter(v, into, seen, depth)
	default:
		into.Open = true
	}
}

// variable adds what is stored at addr.
func (r *Reader) variable(addr ssa.Value, into *Struct, seen map[ssa.Value]bool, depth int) {
	switch addr := addr.(type) {
	case *ssa.Alloc:
		r.value(addr, into, seen, depth)
	case *ssa.Global:
		if addr.Pkg != r.Calls.Pkg || addr.Object() == nil || addr.Object().Exported() {
			into.Open = true
			return
		}
		r.global(addr, into, seen, depth)
	case *ssa.FreeVar:
		if binding := r.Calls.Binding(addr); binding != nil {
			r.variable(binding, into, seen, depth+1)
			return
		}
		into.Open = true
	default:
		into.Open = true
	}
}

// global adds what the package stores into a variable of its own.
func (r *Reader) global(global *ssa.Global, into *Struct, seen map[ssa.Value]bool, depth int) {
	if seen[global] {
		return
	}
	seen[global] = true
	if r.globals == nil {
		r.indexGlobals()
	}
	for _, instr := range r.globals[global] {
		r.use(global, instr, into, seen, depth)
	}
}

func (r *Reader) indexGlobals() {
	r.globals = make(map[*ssa.Global][]ssa.Instruction)
	for _, fn := range r.Calls.All() {
		for instr := range blocks.Instrs(fn) {
			for _, operand := range instr.Operands(nil) {
				if global, ok := (*operand).(*ssa.Global); ok && global.Pkg == r.Calls.Pkg {
					r.globals[global] = append(r.globals[global], instr)
				}
			}
		}
	}
}

// stores adds what is stored through a pointer to a struct.
func (r *Reader) stores(addr ssa.Value, into *Struct, seen map[ssa.Value]bool, depth int) {
	refs := addr.Referrers()
	if refs == nil {
		into.Open = true
		return
	}
	for _, ref := range *refs {
		r.use(addr, ref, into, seen, depth)
	}
}

// use adds what one instruction does with a pointer to a struct.
func (r *Reader) use(addr ssa.Value, instr ssa.Instruction, into *Struct, seen map[ssa.Value]bool, depth int) {
	switch ref := instr.(type) {
	case *ssa.FieldAddr:
		field := calls.FieldOf(ref.X.Type(), ref.Field)
		if field == nil || ref.Referrers() == nil {
			return
		}
		r.field(ref, field.Name(), into)
	case *ssa.Store:
		if ref.Addr == addr {
			r.value(ref.Val, into, seen, depth+1)
		}
	case *ssa.MakeClosure:
		fn := ref.Fn.(*ssa.Function)
		for i, binding := range ref.Bindings {
			if binding == addr && !seen[fn.FreeVars[i]] {
				seen[fn.FreeVars[i]] = true
				r.stores(fn.FreeVars[i], into, seen, depth+1)
			}
		}
	case ssa.CallInstruction:
		r.passed(ref, addr, into, seen, depth)
	case *ssa.UnOp:
		// Read as a whole. What is loaded may be a pointer, by which more is set.
		for inner := range blocks.Uses(ref) {
			switch inner := inner.(type) {
			case *ssa.FieldAddr:
				r.use(ref, inner, into, seen, depth)
			case ssa.CallInstruction:
				into.Open = into.Open || kubeapi.AppliesTo(inner.Common()) == ref
			}
		}
	case *ssa.DebugRef, *ssa.MakeInterface, *ssa.Return:
		// Behind an interface the fields are only read.
	case *ssa.Phi:
		into.Open = true
	}
}

// field adds what is stored into one field, or into a struct that it is.
func (r *Reader) field(addr *ssa.FieldAddr, name string, into *Struct) {
	for _, use := range *addr.Referrers() {
		switch use := use.(type) {
		case *ssa.Store:
			if use.Addr == addr {
				into.Values[name] = append(into.Values[name], use.Val)
				into.Stores[name] = append(into.Stores[name], use)
			}
		case *ssa.UnOp:
			into.Loads[name] = append(into.Loads[name], use)
		case *ssa.FieldAddr:
			if inner := calls.FieldOf(use.X.Type(), use.Field); inner != nil && use.Referrers() != nil {
				r.field(use, inner.Name(), into.nested(name))
			}
		case ssa.CallInstruction:
			into.nested(name).Open = true // flag.StringVar(&options.Namespace, …)
		}
	}
}

// passed adds what a function does with a struct that it gets a pointer to.
func (r *Reader) passed(call ssa.CallInstruction, addr ssa.Value, into *Struct, seen map[ssa.Value]bool, depth int) {
	callee := call.Common().StaticCallee()
	if callee == nil || callee.Blocks == nil || depth > maxDepth {
		into.Open = into.Open || depth > maxDepth || !kubeapi.IsDeleteOptions(addr.Type()) // which clients only read
		return
	}
	for i, arg := range call.Common().Args {
		if arg == addr && i < len(callee.Params) && !seen[callee.Params[i]] {
			seen[callee.Params[i]] = true
			r.stores(callee.Params[i], into, seen, depth+1)
		}
	}
}

// result adds what a function of the package returns.
func (r *Reader) result(call *ssa.Call, index int, into *Struct, seen map[ssa.Value]bool, depth int) {
	closed := r.returned(call, index, func(results ...ssa.Value) {
		for _, v := range results {
			r.value(v, into, seen, depth+1)
		}
	})
	into.Open = into.Open || !closed
}

// parameter adds what the callers of an unexported function hand over.
func (r *Reader) parameter(p *ssa.Parameter, into *Struct, seen map[ssa.Value]bool, depth int) {
	if p == r.Given {
		return
	}
	fn := p.Parent()
	callers := r.Calls.Callers(fn)
	if len(callers) == 0 || fn.Parent() == nil && (fn.Object() == nil || fn.Object().Exported() && !isMain(fn)) {
		into.Open = true
		return
	}
	for _, call := range callers {
		if arg := calls.ArgumentOf(call, p); arg != nil {
			r.value(arg, into, seen, depth+1)
		}
	}
}

// isMain reports whether nothing can call a function from outside its package.
func isMain(fn *ssa.Function) bool { return fn.Pkg != nil && fn.Pkg.Pkg.Name() == "main" }

// returned hands the index-th results of the functions that a call may run to
// add, and reports whether these are all.
func (r *Reader) returned(call *ssa.Call, index int, add func(...ssa.Value)) bool {
	results, closed := r.Calls.Results(call, index)
	add(results...)
	return closed
}
