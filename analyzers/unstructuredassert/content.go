package unstructuredassert

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// content is a place in the content of an unstructured object.
type content struct {
	// root is the object, or a parameter that has a part of its content.
	root ssa.Value
	path []step
}

// step leads from a map or slice to what it holds: by a constant key, by
// another one, or to an element.
type step struct {
	name string    // of a constant key; "[]" for an element, "" if not known
	key  ssa.Value // that is not constant
}

const element = "[]"

// maxDepth bounds how far values are followed.
const maxDepth = 24

// String is the path as users would write it: status.conditions[].
func (c content) String() string {
	s := ""
	for _, p := range c.path {
		switch {
		case p.name == element:
			s += element
		case p.name == "":
			s += "[…]"
		case s == "":
			s = p.name
		default:
			s += "." + p.name
		}
	}
	return s
}

// names are the names of the steps.
func (c content) names() []string {
	var names []string
	for _, p := range c.path {
		names = append(names, p.name)
	}
	return names
}

// known reports whether the whole path is made of constants.
func (c content) known() bool {
	return !slices.ContainsFunc(c.path, func(p step) bool { return p.name == "" })
}

func (c content) with(steps ...step) content {
	c.path = append(c.path[:len(c.path):len(c.path)], steps...)
	return c
}

// contentOf tells which place in an object's content v is.
func (k *checker) contentOf(v ssa.Value) (content, bool) { return k.follow(v, 0) }

func (k *checker) follow(v ssa.Value, depth int) (content, bool) {
	if depth > maxDepth {
		return content{}, false
	}
	if c, ok := k.within(v, depth); ok {
		return c, true
	}
	if same := k.graph.Same(v); same != nil {
		return k.follow(same, depth+1)
	}
	return content{}, false
}

// within tells which place v is by what it is taken out of.
func (k *checker) within(v ssa.Value, depth int) (content, bool) {
	// A switch of its own: each kind adds a step of its own to the way into the content.
	switch v := v.(type) {
	case *ssa.UnOp:
		if v.Op != token.MUL {
			return content{}, false
		}
		return k.loaded(v.X, depth)
	case *ssa.Field:
		if kubeapi.IsContentField(v.X.Type(), calls.FieldOf(v.X.Type(), v.Field)) {
			return content{root: k.origin(v.X)}, true
		}
	case *ssa.Lookup:
		c, ok := k.follow(v.X, depth+1)
		return c.with(stepOf(v.Index)), ok
	case *ssa.Index:
		c, ok := k.follow(v.X, depth+1)
		return c.with(step{name: element}), ok
	case *ssa.Extract:
		return k.extracted(v, depth)
	case *ssa.Call:
		if owner := kubeapi.ContentOwner(v.Common()); owner != nil {
			return content{root: k.origin(owner)}, true
		}
		if kubeapi.IsDeepCopyOfContent(v.Common()) {
			return k.follow(v.Call.Args[0], depth+1)
		}
	case *ssa.Slice:
		return k.follow(v.X, depth+1)
	case *ssa.Phi:
		return k.merged(v, depth)
	case *ssa.Parameter:
		return k.parameter(v, depth)
	}
	return content{}, false
}

// origin is the object that v surely is, as far back as it can be followed.
func (k *checker) origin(v ssa.Value) ssa.Value {
	for range maxDepth {
		same := k.graph.Same(v)
		if same == nil {
			break
		}
		v = same
	}
	return v
}

// merged follows a list from which elements are taken in a loop.
func (k *checker) merged(phi *ssa.Phi, depth int) (content, bool) {
	var found content
	ok := false
	for _, source := range sources(phi, nil, make(map[*ssa.Phi]bool)) {
		c, known := k.follow(source, depth+4)
		if !known || ok && !samePlace(c, found) {
			return content{}, false
		}
		found, ok = c, true
	}
	return found, ok
}

// sources appends what goes into a merge, seen through others.
func sources(phi *ssa.Phi, found []ssa.Value, seen map[*ssa.Phi]bool) []ssa.Value {
	seen[phi] = true
	for _, edge := range phi.Edges {
		edge = shortened(edge)
		other, ok := edge.(*ssa.Phi)
		switch {
		case !ok:
			found = append(found, edge)
		case !seen[other]:
			found = sources(other, found, seen)
		}
	}
	return found
}

// shortened returns the list that a part of it, or a list with elements
// left out, was made from.
func shortened(v ssa.Value) ssa.Value {
	for range maxDepth {
		switch x := v.(type) {
		case *ssa.Slice:
			v = x.X
		case *ssa.Call:
			if !calls.IsBuiltin(x, "append") {
				return v
			}
			if rest, ok := x.Call.Args[1].(*ssa.Slice); !ok || shortened(rest) != shortened(x.Call.Args[0]) {
				return v
			}
			v = x.Call.Args[0]
		default:
			return v
		}
	}
	return v
}

// loaded follows what is stored at an address.
func (k *checker) loaded(addr ssa.Value, depth int) (content, bool) {
	switch addr := addr.(type) {
	case *ssa.FieldAddr:
		if kubeapi.IsContentField(addr.X.Type(), calls.FieldOf(addr.X.Type(), addr.Field)) {
			return content{root: k.origin(addr.X)}, true
		}
	case *ssa.IndexAddr:
		c, ok := k.follow(addr.X, depth+1)
		return c.with(step{name: element}), ok
	}
	return content{}, false
}

// extracted follows one of several results.
func (k *checker) extracted(v *ssa.Extract, depth int) (content, bool) {
	switch tuple := v.Tuple.(type) {
	case *ssa.Lookup:
		if v.Index == 0 {
			return k.follow(tuple, depth+1)
		}
	case *ssa.Next:
		// for key, value := range map
		if r, ok := tuple.Iter.(*ssa.Range); ok && v.Index == 2 {
			c, ok := k.follow(r.X, depth+1)
			return c.with(step{key: v}), ok
		}
	case *ssa.Call:
		call, ok := kubeapi.NestedCallOf(tuple.Common())
		if !ok || call.Sets || v.Index != 0 {
			return content{}, false
		}
		return k.nested(call, depth+1)
	}
	return content{}, false
}

// nested is the place that a call of the Nested functions is about.
func (k *checker) nested(call kubeapi.NestedCall, depth int) (content, bool) {
	c, ok := k.follow(call.Content, depth)
	if !ok {
		return content{}, false
	}
	if !call.Known {
		return c.with(step{key: call.Content}), true
	}
	for _, field := range call.Fields {
		c = c.with(stepOf(field))
	}
	return c, true
}

func stepOf(key ssa.Value) step {
	if name, ok := kubeapi.ConstString(kubeapi.Unboxed(key)); ok {
		return step{name: name}
	}
	return step{key: key}
}

// parameter follows a map that a function is given to where it is called.
func (k *checker) parameter(p *ssa.Parameter, depth int) (content, bool) {
	if !isContentType(p.Type()) {
		return content{}, false
	}
	args, ok := k.origins.Calls.Arguments(p)
	if !ok || len(args) == 0 {
		return content{}, false
	}
	var found content
	for i, arg := range args {
		c, ok := k.follow(arg.Value, depth+4)
		if !ok {
			return content{}, false
		}
		if i == 0 {
			found = c
		} else if c.String() != found.String() {
			found.path = []step{{}}
		}
	}
	// The path from the object, in the function's own terms.
	return content{root: p, path: found.path}, true
}
