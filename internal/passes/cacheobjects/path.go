package cacheobjects

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// A path leads from a value to something that is reached through it. Its steps
// are field names, "[]" for an element of an array, slice or map, and "*" for
// following a reference (a pointer, slice, map or interface) that was read from
// there. The path of a reference begins in the memory that it refers to, that
// of a struct in the struct.
//
//	p.Spec.Paused = true     p: Spec.Paused
//	p.Labels["a"] = "b"      p: ObjectMeta.Labels.*.[]
//
// A step in parentheses is the assertion that an interface holds a type.
type path string

const (
	element = "[]"
	follow  = "*"
	// anything stands at the end of a path that grew too long.
	anything = "…"
)

// maxSteps bounds paths: those that lead into an object, and those through
// memory of the program's own, which are given up beyond it.
const (
	maxSteps    = 14
	maxOwnSteps = 7
)

func (p path) cut() (first string, rest path) {
	a, b, _ := strings.Cut(string(p), ".")
	return a, path(b)
}

func (p path) join(q path) path {
	switch {
	case p == "":
		return q
	case q == "":
		return p
	}
	return p + "." + q
}

func (p path) steps() int {
	if p == "" {
		return 0
	}
	return strings.Count(string(p), ".") + 1
}

// add appends a step to a path into an object.
func (p path) add(step string) path {
	if strings.HasSuffix(string(p), anything) {
		return p
	}
	if p.steps() >= maxSteps {
		return p.join(anything)
	}
	return p.join(path(step))
}

// depth is the number of references that are followed.
func (p path) depth() int {
	n := 0
	for p != "" {
		var step string
		if step, p = p.cut(); step == follow {
			n++
		}
	}
	return n
}

// field is what is left of a path after the step to a field or element; ok is
// false if the path leads elsewhere. Before a reference that any field may
// hold, it stays.
func (p path) field(name string) (path, bool) {
	if p == "" {
		return "", true
	}
	first, rest := p.cut()
	switch first {
	case name:
		return rest, true
	case follow:
		return p, true
	}
	return "", false
}

// load is what is left of a path after a reference is followed: of a whole
// struct, the fields before that remain.
func (p path) load() (path, bool) {
	if p == "" {
		return "", true
	}
	var before path
	for rest := p; rest != ""; {
		var first string
		first, rest = rest.cut()
		if first == follow {
			return before.join(rest), true
		}
		before = before.join(path(first))
	}
	return "", false
}

// stored is the path from a reference to memory in which a value of type t,
// with the path p, was stored: with the step that reads the reference.
func stored(t types.Type, p path) path {
	var before path
	rest := p
	for rest != "" {
		first, after := rest.cut()
		if first == follow {
			break
		}
		next := step(t, first)
		if next == nil {
			break
		}
		before, rest, t = before.join(path(first)), after, next
	}
	return before.join(follow).join(rest)
}

// step is the type of a field or element that lies in a value of type t
// itself, or nil if t is a reference.
func step(t types.Type, name string) types.Type {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for field := range u.Fields() {
			if field.Name() == name {
				return field.Type()
			}
		}
	case *types.Array:
		if name == element {
			return u.Elem()
		}
	}
	return nil
}

// typeStep is the step that asserts a concrete type, which also names the type
// that an interface is known to hold.
func typeStep(t types.Type) string {
	return "(" + strings.ReplaceAll(types.TypeString(t, nil), ".", "·") + ")"
}

// isPrivate reports whether a field of a type that API objects are made of is
// not exported: what the program keeps there is no part of the object, and is
// meant to be shared.
func isPrivate(t types.Type, index int) bool {
	field := calls.FieldOf(t, index)
	return field != nil && !field.Exported() && !field.Embedded() && isPart(t)
}

func fieldName(t types.Type, index int) string {
	if field := calls.FieldOf(t, index); field != nil {
		return field.Name()
	}
	return "?"
}

// base follows an address back to the value that it leads into, and the path
// from there.
func base(addr ssa.Value) (ssa.Value, path) {
	var p path
	for range maxSteps {
		switch x := addr.(type) {
		case *ssa.FieldAddr:
			p = path(fieldName(x.X.Type(), x.Field)).join(p)
			addr = x.X
		case *ssa.IndexAddr:
			p = path(element).join(p)
			addr = x.X
		default:
			return addr, p
		}
	}
	return addr, p
}

// holdsReferences reports whether something that can be written to is reached
// through a value of type t: through a string or a number there is nothing.
// Times and quantities have pointers inside, which nobody writes through.
func holdsReferences(t types.Type) bool { return holds(t, 0) }

func holds(t types.Type, depth int) bool {
	if depth > 6 {
		return true
	}
	if named, ok := types.Unalias(t).(*types.Named); ok && named.Obj().Pkg() != nil {
		switch named.Obj().Pkg().Path() + "." + named.Obj().Name() {
		case "time.Time", "k8s.io/apimachinery/pkg/apis/meta/v1.Time", "k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime",
			"k8s.io/apimachinery/pkg/api/resource.Quantity", "context.Context", "sync.Mutex", "sync.RWMutex":
			return false
		}
	}
	if kubeapi.IsError(t) {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer, *types.Slice, *types.Map, *types.Interface:
		return true
	case *types.Struct:
		for field := range u.Fields() {
			if holds(field.Type(), depth+1) {
				return true
			}
		}
	case *types.Array:
		return holds(u.Elem(), depth+1)
	case *types.Tuple:
		return true
	}
	return false
}
