package cacheobjects

import (
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/kubeapi"
)

// source is what values are followed from: an object of a cache, a parameter
// (kind NoCacheSource), or what a parameter that is a function returns (result
// is not negative).
type source struct {
	kind  kubeapi.CacheSource
	value ssa.Value       // the call, the parameter, or the store that is read
	at    ssa.Instruction // where the value comes to be, if that is not value
	pos   token.Pos

	fn     *ssa.Function // of the parameter
	param  int
	called bool
	result int

	what     string
	through  string // of a wrapper
	place    string // of what it wraps
	doubtful bool
	deleted  bool
	put      path // from the value that the source returns
	// replaced tells that it is the old object of an update.
	replaced bool
	// copied are the instructions that replace elements of the slice or map
	// that the source returns by copies.
	copied []ssa.Instruction
}

// origin is a source of a value, and the way from there to here.
type origin struct {
	src *source
	// take leads from a parameter to the value; of other sources it is not
	// needed, since all that is reached from shared memory is shared.
	take path
	// put leads from the value to what came from the source, through memory of
	// the program's own; empty if the value itself came from there.
	put path
	// dyn is the concrete type of a value in an interface, if it is known; see
	// typeStep.
	dyn string
	// except has the paths that were overwritten since a struct was copied as
	// a whole; see env.go and trace.go.
	except string
	// merged tells that the value may be another one, too.
	merged bool
	// shallow tells that it went through a copy by value.
	shallow bool
	// short tells that it is a slice cut off at some length, whose array goes
	// on: an append overwrites what follows.
	short bool
	// at is the index or key, which a loop counts up, of the element that leads
	// there; passed tells that the loop has gone on since. See rounds.go.
	at     ssa.Value
	passed bool
}

func (a origin) same(b origin) bool {
	return a.src == b.src && a.take == b.take && a.put == b.put && a.except == b.except && a.dyn == b.dyn && a.short == b.short && a.at == b.at && a.passed == b.passed
}

func (a origin) public() Origin {
	return Origin{
		Source: a.src.kind, What: a.src.what, Through: a.src.through, ThroughPlace: a.src.place, Value: a.src.value, Pos: a.src.pos,
		Depth: a.put.depth(), Doubtful: a.src.doubtful, Deleted: a.src.deleted, Replaced: a.src.replaced, Merged: a.merged, Shallow: a.shallow,
	}
}

// maxOrigins bounds the origins of a value.
const maxOrigins = 10

// merge adds an origin to a list, and reports whether that is new.
func merge(list []origin, o origin) ([]origin, bool) {
	for i := range list {
		if !list[i].same(o) {
			continue
		}
		old := list[i]
		list[i].merged = old.merged || o.merged
		list[i].shallow = old.shallow || o.shallow
		return list, list[i] != old
	}
	if len(list) >= maxOrigins {
		return list, false
	}
	return append(list, o), true
}

// field is the origin of a field or element of a value.
func (a origin) field(name string) (origin, bool) {
	a.short, a.dyn = false, ""
	if a.except != "" {
		var ok bool
		if a.except, ok = exceptField(a.except, name); !ok {
			return a, false
		}
	}
	if a.put == "" {
		if a.src.fn != nil {
			a.take = a.take.add(name)
		}
		return a, true
	}
	if a.put == follow && a.src.fn != nil {
		// A copy of a struct as a whole: its field is the original's.
		a.take = a.take.add(name)
	}
	if name == element {
		a.at, a.passed = nil, false
	}
	var ok bool
	a.put, ok = a.put.field(name)
	return a.typed(), ok
}

// typed takes the concrete type that a path begins with from there.
func (a origin) typed() origin {
	if strings.HasPrefix(string(a.put), "(") {
		a.dyn, a.put = a.put.cut()
	}
	return a
}

// assert is the origin of a value that is asserted to be of a type; ok is false
// if it is known to be of another.
func (a origin) assert(step string) (origin, bool) {
	if a.dyn != "" {
		ok := a.dyn == step
		a.dyn = ""
		return a, ok
	}
	if a.put == "" && a.src.fn != nil {
		a.take = a.take.add(step)
	}
	return a, true
}

// load is the origin of what is read from memory.
func (a origin) load() (origin, bool) {
	a.short, a.dyn = false, ""
	if a.put == "" {
		if a.src.fn != nil {
			a.take = a.take.add(follow)
		}
		return a, true
	}
	var ok bool
	a.put, ok = a.put.load()
	return a.typed(), ok
}

// walk is the origin of what a path leads to.
func (a origin) walk(p path) (origin, bool) {
	for p != "" {
		var step string
		step, p = p.cut()
		ok := true
		switch step {
		case anything:
			if a.put != "" {
				return a, false
			}
			if a.src.fn != nil {
				a.take = a.take.join(anything)
			}
			return a, true
		case follow:
			a, ok = a.load()
		default:
			if strings.HasPrefix(step, "(") {
				a, ok = a.assert(step)
			} else {
				a, ok = a.field(step)
			}
		}
		if !ok {
			return a, false
		}
	}
	return a, true
}

// each applies a step to all origins.
func each(list []origin, f func(origin) (origin, bool)) []origin {
	var found []origin
	for _, o := range list {
		if next, ok := f(o); ok {
			found, _ = merge(found, next)
		}
	}
	return found
}

// into is the origins of memory at a path, in which a value was stored.
func into(p path, v ssa.Value, list []origin) []origin {
	t := v.Type()
	return each(list, func(o origin) (origin, bool) {
		if isStruct(t) && o.put == "" && isPart(t) {
			o.shallow = true
		}
		if o.dyn != "" {
			o.put, o.dyn = path(o.dyn).join(o.put), ""
		}
		o.put = p.join(stored(t, o.put))
		o.merged, o.short = true, false
		return o, o.put.steps() <= maxOwnSteps
	})
}

// start is the instruction at which a source's value comes to be; nil for a
// parameter.
func (s *source) start() ssa.Instruction {
	if s.at != nil {
		return s.at
	}
	if _, ok := s.value.(*ssa.Parameter); ok {
		return nil
	}
	instr, _ := s.value.(ssa.Instruction)
	return instr
}
