package controllers

import (
	"go/token"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// bodies reads the condition of the one function that a value is.
func (f *finder) bodies(v ssa.Value) Cond {
	targets := f.calls.FuncsOf(v)
	if len(targets.Funcs) != 1 || !targets.Closed {
		return Cond{Op: Maybe}
	}
	return f.body(targets.Funcs[0], 0)
}

// body reads the condition under which a function of an event, or of an object,
// returns true.
func (f *finder) body(fn *ssa.Function, depth int) Cond {
	b := &body{finder: f, depth: depth, params: make(map[ssa.Value]side)}
	for _, p := range calls.Params(fn) {
		switch {
		case kubeapi.IsEvent(p.Type()) && !kubeapi.IsObject(p.Type()):
			b.params[p] = side{event: true}
		case kubeapi.IsObject(p.Type()) || kubeapi.IsTypeParam(p.Type()):
			b.params[p] = side{object: current}
		}
	}
	return b.cond(fn)
}

// which object of an event it is.
type which uint8

const (
	neither  which = iota
	previous       // the old object of an update
	current        // the new one, or that of any other event
)

// side is what a value of the function is made of.
type side struct {
	event  bool // it is the event
	object which
	path   []string // the fields that lead on from the object
	kind   *types.Named
	// partly tells that it is made of what lies at path, and may be the same
	// though that differs.
	partly bool
}

// body reads one function.
type body struct {
	*finder
	params map[ssa.Value]side
	depth  int
	paths  int
}

const (
	maxPaths  = 64
	maxInline = 3
)

// cond walks the paths of a function.
func (b *body) cond(fn *ssa.Function) Cond {
	if len(fn.Blocks) == 0 || b.depth > maxInline || fn.Signature.Results().Len() != 1 {
		return Cond{Op: Maybe}
	}
	var result []Cond
	var walk func(block, from *ssa.BasicBlock, under []Cond, phis map[*ssa.Phi]ssa.Value, on map[*ssa.BasicBlock]bool) bool
	walk = func(block, from *ssa.BasicBlock, under []Cond, phis map[*ssa.Phi]ssa.Value, on map[*ssa.BasicBlock]bool) bool {
		if on[block] {
			return false // a loop
		}
		on[block] = true
		defer delete(on, block)
		phis = b.enter(block, from, phis)
		switch last := block.Instrs[len(block.Instrs)-1].(type) {
		case *ssa.Return:
			if b.paths++; b.paths > maxPaths {
				return false
			}
			result = append(result, and(append(join(under, nil), b.test(last.Results[0], phis, 0))...))
		case *ssa.If:
			c := b.test(last.Cond, phis, 0)
			for i, next := range block.Succs {
				branch := c
				if i == 1 {
					branch = not(c)
				}
				if branch.Op == False {
					continue
				}
				if !walk(next, block, append(join(under, nil), branch), phis, on) {
					return false
				}
			}
		case *ssa.Panic:
		default:
			for _, next := range block.Succs {
				if !walk(next, block, under, phis, on) {
					return false
				}
			}
		}
		return true
	}
	if !walk(fn.Blocks[0], nil, nil, nil, make(map[*ssa.BasicBlock]bool)) {
		return Cond{Op: Maybe}
	}
	return or(result...)
}

// enter notes what the phis of a block are on a path.
func (b *body) enter(block, from *ssa.BasicBlock, phis map[*ssa.Phi]ssa.Value) map[*ssa.Phi]ssa.Value {
	if from == nil {
		return phis
	}
	next := make(map[*ssa.Phi]ssa.Value, len(phis))
	maps.Copy(next, phis)
	for _, instr := range block.Instrs {
		phi, ok := instr.(*ssa.Phi)
		if !ok {
			break
		}
		for i, pred := range block.Preds {
			if pred != from {
				continue
			}
			v := phi.Edges[i]
			if inner, isPhi := v.(*ssa.Phi); isPhi && phis[inner] != nil {
				v = phis[inner]
			}
			next[phi] = v
		}
	}
	return next
}

// test reads a boolean value.
func (b *body) test(v ssa.Value, phis map[*ssa.Phi]ssa.Value, depth int) Cond {
	if depth > maxDepth {
		return Cond{Op: Maybe}
	}
	if asked, holds := values.Asked(v, true); !holds {
		return not(b.test(asked, phis, depth+1))
	} else if behind := calls.Behind(asked); behind != v {
		return b.test(behind, phis, depth+1)
	}
	if value, ok := kubeapi.ConstBool(v); ok {
		if value {
			return Cond{Op: True}
		}
		return Cond{Op: False}
	}
	if call, ok := v.(*ssa.Call); ok {
		return b.called(call)
	}
	switch v := v.(type) {
	case *ssa.Phi:
		if in := phis[v]; in != nil {
			return b.test(in, phis, depth+1)
		}
	case *ssa.BinOp:
		switch v.Op {
		case token.EQL:
			return not(b.differ(v.X, v.Y))
		case token.NEQ:
			return b.differ(v.X, v.Y)
		}
	case *ssa.Extract:
		if assert, ok := v.Tuple.(*ssa.TypeAssert); ok && v.Index == 1 {
			s, ok := b.sideOf(assert.X, 0)
			kind := kubeapi.KindOf(assert.AssertedType)
			if ok && s.object != neither && len(s.path) == 0 && kind != nil {
				return Cond{Op: IsKind, Kind: kubeapi.KindID(kind)}
			}
		}
	}
	return Cond{Op: Maybe}
}

// differ is the condition that two values differ.
func (b *body) differ(x, y ssa.Value) Cond {
	if calls.IsNil(y) {
		return b.present(x)
	}
	if calls.IsNil(x) {
		return b.present(y)
	}
	s, ok := b.sideOf(x, 0)
	t, ok2 := b.sideOf(y, 0)
	if !ok || !ok2 {
		return Cond{Op: Maybe, OtherName: ok && s.isName() && b.isFixed(y) || ok2 && t.isName() && b.isFixed(x)}
	}
	return changed(s, t)
}

// isName reports whether a side is the name of the event's object.
func (s side) isName() bool {
	return s.object == current && !s.partly && slices.Equal(s.path, []string{kubeapi.MetadataPath, "Name"})
}

// isFixed reports whether a value has nothing to do with the event.
func (b *body) isFixed(v ssa.Value) bool {
	of := values.Relation{Steps: values.All, More: func(v ssa.Value) []ssa.Value {
		if call, _ := calls.CallOf(v); call != nil {
			return kubeapi.Operands(call.Common())
		}
		return nil
	}}
	return !of.Any(v, func(v ssa.Value) bool {
		_, isEvents := b.params[v]
		return isEvents
	})
}

// present is the condition that something of the new object is set.
func (b *body) present(v ssa.Value) Cond {
	s, ok := b.sideOf(v, 0)
	switch {
	case !ok:
	case s.object != neither && len(s.path) == 0:
		return Cond{Op: True} // events have their objects
	case s.object == current && s.parts() == DeletionPart:
		return Cond{Op: Deleting}
	}
	return Cond{Op: Maybe}
}

// changed is the condition that the same thing differs in both objects.
func changed(s, t side) Cond {
	if s.object == neither || t.object == neither || s.object == t.object {
		return Cond{Op: Maybe}
	}
	p, q := s.parts(), t.parts()
	if p == 0 || p != q {
		return Cond{Op: Maybe}
	}
	return Cond{Op: Changed, Parts: p, Partly: s.partly || t.partly || s.isInside() || t.isInside()}
}

// generational are the fields of the metadata with a meaning of their own.
var generational = map[string]Parts{
	"Generation": GenerationPart, "ResourceVersion": ResourceVersionPart, "DeletionTimestamp": DeletionPart,
}

// parts are the parts of the object that a side lies in.
func (s side) parts() Parts {
	path := s.path
	if len(path) > 1 && path[0] == kubeapi.MetadataPath {
		if p, ok := generational[path[1]]; ok {
			return p
		}
	}
	if s.kind == nil {
		return partsOf(kubeapi.AspectOfUntyped(path))
	}
	return partsOf(kubeapi.AspectOf(s.kind, path))
}

// isInside reports whether a side is less than a whole part.
func (s side) isInside() bool {
	if len(s.path) > 0 && s.path[0] == kubeapi.MetadataPath {
		return len(s.path) > 2
	}
	return len(s.path) > 1
}

// getters of objects, and the fields that they return.
var getters = map[string]string{
	"GetGeneration": "Generation", "GetResourceVersion": "ResourceVersion", "GetLabels": "Labels", "GetAnnotations": "Annotations",
	"GetFinalizers": "Finalizers", "GetOwnerReferences": "OwnerReferences", "GetDeletionTimestamp": "DeletionTimestamp", "GetName": "Name", "GetNamespace": "Namespace",
}

// sideOf follows a value back to an object of the event.
func (b *body) sideOf(v ssa.Value, depth int) (side, bool) {
	if depth > 2*maxDepth {
		return side{}, false
	}
	if s, ok := b.params[v]; ok {
		return s, true
	}
	same := values.Relation{Steps: values.Same | values.Address, More: values.StoredOnce}
	if from, _ := same.Sources(v); len(from) == 1 {
		s, ok := b.sideOf(from[0], depth+1)
		if kind := kubeapi.KindOf(v.Type()); kind != nil && len(s.path) == 0 && kubeapi.Converted(v) != nil {
			s.kind = kind
		}
		return s, ok
	}
	if whole := calls.ElementOf(v); whole != nil {
		return b.inside(whole, depth)
	}
	switch v := v.(type) {
	case *ssa.Field:
		return b.field(v.X, v.Field, depth)
	case *ssa.FieldAddr:
		return b.field(v.X, v.Field, depth)
	case *ssa.IndexAddr:
		return b.inside(v.X, depth)
	}
	if call, ok := v.(*ssa.Call); ok {
		return b.madeOf(call, depth)
	}
	return side{}, false
}

func (b *body) inside(v ssa.Value, depth int) (side, bool) {
	s, ok := b.sideOf(v, depth+1)
	s.partly = true
	return s, ok
}

func (b *body) field(x ssa.Value, index, depth int) (side, bool) {
	s, ok := b.sideOf(x, depth+1)
	field := calls.FieldOf(x.Type(), index)
	if !ok || field == nil {
		return side{}, false
	}
	if s.event {
		switch field.Name() {
		case "ObjectOld", "MetaOld":
			return side{object: previous}, true
		case "ObjectNew", "MetaNew", "Object", "Meta":
			return side{object: current}, true
		}
		return side{}, false
	}
	if s.kind == nil && len(s.path) == 0 {
		s.kind = kubeapi.KindOf(x.Type())
	}
	s.path = append(join(s.path, nil), field.Name())
	return s, true
}

// madeOf is the result of a call: a getter's, or what is computed of one object.
func (b *body) madeOf(call *ssa.Call, depth int) (side, bool) {
	fn := kubeapi.Callee(call.Common())
	operands := kubeapi.Operands(call.Common())
	if fn == nil || len(operands) != 1 || fn.Signature().Recv() == nil {
		return side{}, false
	}
	name, isGetter := getters[fn.Name()]
	if !isGetter && !kubeapi.IsDeepCopy(fn) {
		return side{}, false
	}
	s, ok := b.sideOf(operands[0], depth+1)
	if !isGetter {
		return s, ok
	}
	if !ok || len(s.path) > 0 || s.object == neither {
		return side{}, false
	}
	s.path = []string{kubeapi.MetadataPath, name}
	return s, true
}

// called reads a call that answers yes or no.
func (b *body) called(call *ssa.Call) Cond {
	common := call.Common()
	if x, y, ok := kubeapi.Compared(common); ok {
		return not(b.differ(x, y))
	}
	fn := kubeapi.Callee(common)
	recv, args := kubeapi.Args(common)
	if fn != nil && fn.Name() == "IsZero" && recv != nil && len(args) == 0 {
		if s, ok := b.sideOf(recv, 0); ok && s.object == current && s.parts() == DeletionPart {
			return not(Cond{Op: Deleting})
		}
		return Cond{Op: Maybe}
	}
	if fn != nil && recv != nil && fn.Name() == "Update" && len(args) == 1 && kubeapi.IsEvent(args[0].Type()) {
		if s, ok := b.sideOf(args[0], 0); ok && s.event {
			if cond, ok := stockFilters[kubeapi.StockPredicateOf(recv.Type())]; ok {
				return cond
			}
		}
		return Cond{Op: Maybe}
	}
	return b.inlined(call)
}

// inlined reads a function of the package that is called with the objects.
func (b *body) inlined(call *ssa.Call) Cond {
	targets := b.calls.Callees(call)
	if len(targets.Funcs) != 1 || !targets.Closed || b.depth >= maxInline {
		return Cond{Op: Maybe}
	}
	fn := targets.Funcs[0]
	inner := &body{finder: b.finder, depth: b.depth + 1, params: make(map[ssa.Value]side)}
	operands := kubeapi.Operands(call.Common())
	if len(operands) != len(fn.Params) {
		return Cond{Op: Maybe}
	}
	for i, operand := range operands {
		if s, ok := b.sideOf(operand, 0); ok {
			inner.params[fn.Params[i]] = s
		}
	}
	return inner.cond(fn)
}
