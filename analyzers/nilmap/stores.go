package nilmap

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// slot is a map of an object.
type slot struct {
	object paths.Object
	kind   *types.Named // of the object, nil if not known
	path   []string     // from the object to the map
}

// field is the name of the map as it is written in manifests.
func (s slot) field() string {
	if len(s.path) == 0 {
		return "entries"
	}
	name := s.path[len(s.path)-1]
	return strings.ToLower(name[:1]) + name[1:]
}

// isData reports whether the map is the data of a ConfigMap or Secret.
func (s slot) isData() bool { return s.field() != "labels" && s.field() != "annotations" }

// store is an instruction that stores an entry into a map.
type store struct {
	slot
	node  *paths.Node     // in the function that is looked at
	at    ssa.Instruction // where it happens: there, or in a function that is called
	fresh bool            // the object is made in the function
	// through are the calls that lead there.
	through []ssa.CallInstruction
}

// need is a map that callers must have made: a path that leads from a
// parameter to it.
type need struct {
	param   int
	path    []string
	at      ssa.Instruction
	through []ssa.CallInstruction
}

// maxCalls bounds how far stores are followed to callers.
const maxCalls = 4

// slotOf tells which map of an object a value is.
func (c *checker) slotOf(v ssa.Value) (slot, bool) {
	v = calls.Behind(v)
	switch v := v.(type) {
	case *ssa.UnOp:
		field, ok := v.X.(*ssa.FieldAddr)
		if !ok || !kubeapi.IsMetadataMap(field.X.Type(), field.Field) && !kubeapi.IsDataMap(field.X.Type(), field.Field) {
			return slot{}, false
		}
		return asSlot(c.Resolve.Place(field)), true
	case *ssa.Call:
		if object, path, ok := kubeapi.MetadataMapOf(v.Common()); ok {
			return c.below(object, path), true
		}
	}
	return slot{}, false
}

func asSlot(p paths.Place) slot {
	if p.Kind == nil {
		// The metadata alone is at hand: what is below the root is the path.
		path := p.FullPath()
		return slot{object: paths.Object{Root: p.Object.Root}, path: path}
	}
	return slot{object: p.Object, kind: p.Kind, path: p.Sub}
}

// below is the map that a path leads to from a value.
func (c *checker) below(v ssa.Value, path []string) slot {
	p := c.Resolve.Place(v)
	kind := kindOf(v)
	if p.Kind == nil && kind == nil && kubeapi.IsObject(v.Type()) {
		return slot{object: p.Object, path: path}
	}
	if len(path) > 0 && path[0] == kubeapi.MetadataPath && kubeapi.IsObjectMeta(v.Type()) {
		path = path[1:] // a method of the embedded ObjectMeta
	}
	if p.Kind == nil && kind != nil {
		return slot{object: p.Object, kind: kind, path: path}
	}
	return asSlot(c.Resolve.Descend(p, v.Type(), path))
}

// stores returns what stores entries into maps of objects in a function, itself
// or through functions of the package that it calls.
func (c *checker) stores(u *objects.Unit, depth int) []store {
	var found []store
	add := func(n *paths.Node, m ssa.Value, at ssa.Instruction) {
		if s, ok := c.slotOf(m); ok {
			found = append(found, store{slot: s, node: n, at: at})
		} else if p, ok := calls.Behind(m).(*ssa.Parameter); ok {
			found = append(found, store{slot: slot{object: paths.Object{Root: p}}, node: n, at: at})
		}
	}
	for _, n := range u.Graph.Nodes {
		if n.Joins != nil {
			continue
		}
		switch instr := n.Instr.(type) {
		case *ssa.MapUpdate:
			add(n, instr.Map, instr)
		case *ssa.Call:
			if into, _, ok := kubeapi.CopiesEntries(instr.Common()); ok {
				add(n, into, instr)
			} else if depth < maxCalls {
				found = append(found, c.throughCall(n, instr, depth)...)
			}
		}
	}
	return found
}

// throughCall returns the stores into what a call hands over.
func (c *checker) throughCall(n *paths.Node, call *ssa.Call, depth int) []store {
	targets := c.Calls.Callees(call)
	if !targets.Closed || len(targets.Funcs) != 1 || paths.Literal(c.Calls, call.Call.Value) != nil {
		return nil
	}
	var found []store
	operands := kubeapi.Operands(call.Common())
	for _, need := range c.needsOf(targets.Funcs[0], depth+1) {
		if need.param >= len(operands) {
			continue
		}
		s := store{node: n, at: need.at, through: append([]ssa.CallInstruction{call}, need.through...)}
		if len(need.path) == 0 {
			var ok bool
			if s.slot, ok = c.slotOf(operands[need.param]); !ok {
				continue
			}
		} else {
			s.slot = c.below(operands[need.param], need.path)
		}
		found = append(found, s)
	}
	return found
}

// needsOf returns the maps that callers of a function must have made.
func (c *checker) needsOf(fn *ssa.Function, depth int) []need {
	if known, ok := c.needs[fn]; ok {
		return known
	}
	c.needs[fn] = nil // what calls itself needs nothing
	if len(fn.Blocks) == 0 || fn.Parent() != nil {
		return nil
	}
	var found []need
	u := c.Unit(fn)
	for _, s := range c.stores(u, depth) {
		p, ok := s.object.Root.(*ssa.Parameter)
		if !ok || p.Parent() != fn || s.object.Path != "" || !c.reaches(u, nil, s) {
			continue
		}
		found = append(found, need{slices.Index(fn.Params, p), s.path, s.at, s.through})
	}
	c.needs[fn] = found
	return found
}
