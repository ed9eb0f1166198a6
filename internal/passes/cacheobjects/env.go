package cacheobjects

import (
	"go/token"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// env is what is known at a point of a path: which values and variables lead to
// what came from the source. It is sorted and never changed.
type env []binding

type binding struct {
	id   int
	v    ssa.Value
	list []origin
}

// lookup evaluates values at a point of a path.
func (t *tracer) lookup(e env) lookup {
	var get func(v ssa.Value, depth int) []origin
	get = func(v ssa.Value, depth int) []origin {
		if depth > 30 {
			return nil
		}
		// A switch of its own: what is bound on a path, and what is computed from that.
		switch x := v.(type) {
		case *ssa.FreeVar:
			if binding := t.Calls.Binding(x); binding != nil {
				return get(binding, depth+1)
			}
			return nil
		case *ssa.Phi, *ssa.Call, *ssa.Alloc, *ssa.MakeMap, *ssa.MakeSlice, *ssa.Parameter:
			return t.bound(e, v)
		case *ssa.UnOp:
			if x.Op == token.MUL {
				return t.bound(e, v)
			}
		case *ssa.Extract:
			if _, call := x.Tuple.(*ssa.Call); call {
				return t.bound(e, v)
			}
		case nil:
			return nil
		}
		return eval(v, func(x ssa.Value) []origin { return get(x, depth+1) })
	}
	return func(v ssa.Value) []origin { return get(v, 0) }
}

func (t *tracer) id(v ssa.Value) int {
	id, ok := t.ids[v]
	if !ok {
		id = len(t.ids)
		t.ids[v] = id
	}
	return id
}

func (t *tracer) bound(e env, v ssa.Value) []origin {
	id, ok := t.ids[v]
	if !ok {
		return nil
	}
	i, ok := slices.BinarySearchFunc(e, id, func(b binding, id int) int { return b.id - id })
	if !ok {
		return nil
	}
	return e[i].list
}

// set makes a value lead to what the list has of the source.
func (t *tracer) set(e env, v ssa.Value, list []origin) env {
	var own []origin
	for _, o := range list {
		if o.src == t.src {
			o.take = ""
			own, _ = merge(own, o)
		}
	}
	id := t.id(v)
	i, ok := slices.BinarySearchFunc(e, id, func(b binding, id int) int { return b.id - id })
	switch {
	case !ok && len(own) == 0:
		return e
	case !ok:
		return slices.Insert(slices.Clone(e), i, binding{id, v, own})
	case len(own) == 0:
		return slices.Delete(slices.Clone(e), i, i+1)
	}
	if slices.Equal(e[i].list, own) {
		return e
	}
	e = slices.Clone(e)
	e[i].list = own
	return e
}

func (t *tracer) drop(e env, gone func(ssa.Value) bool) env {
	if !slices.ContainsFunc(e, func(b binding) bool { return gone(b.v) }) {
		return e
	}
	return slices.DeleteFunc(slices.Clone(e), func(b binding) bool { return gone(b.v) })
}

// reached is the reach of a value at a point of a path.
func (t *tracer) reached(e env, v ssa.Value, list []origin) env {
	t.reach(v, list, func(v ssa.Value, o origin) {
		if o.src == t.src {
			e = t.set(e, v, append(slices.Clone(t.bound(e, v)), o))
		}
	})
	return e
}

// root is the variable, or other value, whose memory an address lies in.
func (t *tracer) root(at ssa.Value) ssa.Value {
	for range 8 {
		free, ok := at.(*ssa.FreeVar)
		if !ok {
			return at
		}
		at = t.Calls.Binding(free)
	}
	return nil
}

func (t *tracer) overwritten(e env, v ssa.Value) env {
	at, p := base(v)
	return t.overwrite(e, at, p, false)
}

// overwrite forgets what the memory of a value at the path leads to. Of elements
// one cannot tell which is meant, nor whether a loop goes over all: they are
// forgotten if they are replaced by copies.
func (t *tracer) overwrite(e env, at ssa.Value, p path, byCopy bool) env {
	if !byCopy && slices.Contains(strings.Split(string(p), "."), element) {
		return e
	}
	for range 6 {
		root := t.root(at)
		if root == nil {
			return e
		}
		var left []origin
		for _, o := range t.bound(e, root) {
			if o, ok := o.without(p); ok {
				left = append(left, o)
			}
		}
		e = t.set(e, root, left)
		// The same memory, by the variable that the reference was read from.
		load, ok := root.(*ssa.UnOp)
		if !ok || load.Op != token.MUL {
			return e
		}
		var before path
		at, before = base(load.X)
		p = before.join(follow).join(p)
	}
	return e
}

// without is what is left of an origin after memory at the path was overwritten.
func (a origin) without(p path) (origin, bool) {
	if a.put == "" {
		return a, true
	}
	put, at := a.put, p
	for at != "" {
		first, rest := put.cut()
		want, after := at.cut()
		switch first {
		case want:
			put, at = rest, after
		case follow:
			a.except = addExcept(a.except, p)
			return a, true
		default:
			return a, true
		}
		if put == "" {
			return a, true
		}
	}
	return a, false
}

// addExcept adds a path to those that were overwritten.
func addExcept(except string, p path) string {
	paths := strings.Split(except, ";")
	if except == "" {
		paths = nil
	}
	if slices.Contains(paths, string(p)) {
		return except
	}
	paths = append(paths, string(p))
	slices.Sort(paths)
	return strings.Join(paths, ";")
}

// exceptField is what is left of the overwritten paths behind a field; ok is
// false if the field itself is among them.
func exceptField(except, name string) (string, bool) {
	var left []string
	for _, p := range strings.Split(except, ";") {
		first, rest := path(p).cut()
		if first != name {
			continue
		}
		if rest == "" {
			return "", false
		}
		left = append(left, string(rest))
	}
	return strings.Join(left, ";"), true
}

// intern numbers an environment.
func (t *tracer) intern(e env) int {
	var b []byte
	for _, binding := range e {
		b = strconv.AppendInt(b, int64(binding.id), 10)
		for _, o := range binding.list {
			b = append(b, ':')
			b = append(b, o.put...)
			b = append(b, ',')
			b = append(b, o.dyn...)
			b = append(b, ',')
			b = append(b, o.except...)
			if o.short {
				b = append(b, '!')
			}
			if o.at != nil {
				b = strconv.AppendInt(append(b, '@'), int64(t.id(o.at)), 10)
			}
			if o.passed {
				b = append(b, '+')
			}
		}
		b = append(b, '|')
	}
	key := string(b)
	n, ok := t.known[key]
	if !ok {
		n = len(t.envs)
		t.known[key] = n
		t.envs = append(t.envs, e)
	}
	return n
}
