package overdue

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/passes/origins"
)

// isData reports whether a time was read from an object, a certificate or a text,
// so that it may be any.
func (c *Finder) isData(t ssa.Value) bool {
	times := values.Relation{Calls: c.Calls, Steps: values.Merged | values.Held | values.Given, More: func(v ssa.Value) []ssa.Value {
		if call, ok := v.(*ssa.Call); ok {
			if from := kubeapi.TimeFrom(call.Common()); from != nil {
				return []ssa.Value{from}
			}
		}
		if call, index := calls.CallOf(v); call != nil {
			return c.returned(call, index)
		}
		if behind := calls.Behind(v); behind != v {
			return []ssa.Value{behind}
		}
		return c.embedded(v)
	}}
	return times.Any(t, func(v ssa.Value) bool {
		if call, index := calls.CallOf(v); call != nil {
			return index == 0 && kubeapi.ParsesTime(call.Common()) && !c.isOfNew(v)
		}
		switch v := v.(type) {
		case *ssa.UnOp:
			_, variable := v.X.(*ssa.Alloc)
			return v.Op == token.MUL && !variable && c.isField(v.X)
		case *ssa.Field:
			return c.isField(v)
		}
		return false
	})
}

// until is kubeapi.TimeUntil, also with a present that the function is handed, or that time.Now tells from a field.
func (c *Finder) until(common *ssa.CallCommon) ssa.Value {
	if t, minus := kubeapi.TimeDifference(common); t != nil && c.isHandedPresent(minus, 0) {
		return t
	}
	return kubeapi.TimeUntil(common)
}

// since is kubeapi.TimeSince with the same.
func (c *Finder) since(common *ssa.CallCommon) ssa.Value {
	if now, t := kubeapi.TimeDifference(common); t != nil && c.isHandedPresent(now, 0) {
		return t
	}
	return kubeapi.TimeSince(common)
}

// isHandedPresent reports whether a value is a parameter that all callers in the package give the present
// time, or what a variable tells that is set to time.Now or its like and to nothing else.
func (c *Finder) isHandedPresent(v ssa.Value, depth int) bool {
	switch v := calls.Behind(v).(type) {
	case *ssa.Call:
		told := c.Calls.FuncsOf(v.Call.Value)
		return !v.Call.IsInvoke() && len(told.Funcs) == 0 && len(told.External) > 0 && !slices.ContainsFunc(told.External, func(fn calls.External) bool {
			return !kubeapi.TellsPresent(fn.Func)
		})
	case *ssa.Parameter:
		args, _ := c.Calls.Arguments(v)
		return depth < maxDepth && len(args) > 0 && !slices.ContainsFunc(args, func(arg calls.Argument) bool {
			return kubeapi.Present(arg.Value) == nil && !c.isHandedPresent(arg.Value, depth+1)
		})
	}
	return false
}

// returned returns what a function of the package returns that decides nothing.
func (c *Finder) returned(call *ssa.Call, index int) []ssa.Value {
	targets := c.Calls.Callees(call)
	if !targets.Closed || len(targets.Funcs) != 1 || len(targets.Funcs[0].Blocks) != 1 {
		return nil
	}
	results, _ := c.Calls.Results(call, index)
	return results
}

// pointed returns what a function is handed a pointer to, as far as the callers have it
// in a variable, and the pointers where they have not.
func (c *Finder) pointed(pointer *ssa.Parameter) []ssa.Value {
	var found []ssa.Value
	args, _ := c.Calls.Arguments(pointer)
	for _, arg := range args {
		if cell, ok := arg.Value.(*ssa.Alloc); ok {
			found = append(found, calls.StoredInto(cell)...)
		} else {
			found = append(found, arg.Value)
		}
	}
	return found
}

// embedded returns what a struct of a time is put together with, if v is the time that
// is embedded in one: metav1.Time has one.
func (c *Finder) embedded(v ssa.Value) []ssa.Value {
	switch v := v.(type) {
	case *ssa.Field:
		if c.Resolve.Place(v).Kind == nil && kubeapi.IsTime(v.X.Type()) {
			return []ssa.Value{v.X}
		}
	case *ssa.UnOp:
		if pointer, ok := v.X.(*ssa.Parameter); ok && v.Op == token.MUL {
			return c.pointed(pointer)
		}
		field, ok := v.X.(*ssa.FieldAddr)
		if !ok || v.Op != token.MUL || !kubeapi.IsTime(field.X.Type()) || c.Resolve.Place(field).Kind != nil {
			return nil
		}
		switch x := field.X.(type) {
		case *ssa.Alloc:
			return calls.StoredInto(x)
		case *ssa.Parameter:
			return c.pointed(x)
		}
	}
	return nil
}

// isField reports whether a place is in an object that others have made, or in a
// certificate.
func (c *Finder) isField(v ssa.Value) bool {
	p := c.Resolve.Place(v)
	return p.IsInside() && !c.isMade(p) || c.isCertificate(blocks.Base(v)) || isFound(v) || isErrorPart(v)
}

// isCertificate reports whether a value is a certificate that was read, and not one that another package of
// the module hands back: that sees to it that it is a fresh one, as a rule.
func (c *Finder) isCertificate(v ssa.Value) bool {
	if !kubeapi.IsCertificate(v.Type()) {
		return false
	}
	call, _ := calls.CallOf(v)
	if call == nil {
		return true
	}
	callee := kubeapi.Callee(call.Common())
	return callee == nil || callee.Pkg() == c.Calls.Pkg.Pkg || !c.Calls.SameModule(callee.Pkg())
}

// isFound reports whether a place is in a part of an object, such as a condition,
// that a call has found.
func isFound(v ssa.Value) bool {
	call, ok := blocks.Base(v).(*ssa.Call)
	return ok && kubeapi.IsAPIStruct(call.Type()) && !kubeapi.IsTime(call.Type())
}

// isInError reports whether a time is read from an error.
func isInError(t ssa.Value) bool {
	load, ok := calls.Behind(t).(*ssa.UnOp)
	return ok && isErrorPart(load.X)
}

// isErrorPart reports whether a place is in an error: whoever has made it knew the time.
func isErrorPart(v ssa.Value) bool {
	field, ok := v.(*ssa.FieldAddr)
	return ok && kubeapi.IsErrorStruct(blocks.Base(field).Type())
}

// isMade reports whether a place is in an object that the code puts together, and does
// not read.
func (c *Finder) isMade(p paths.Place) bool {
	root := p.Object.Root
	alloc, ok := root.(*ssa.Alloc)
	if made := ok && alloc.Comment == "complit" || !ok && c.Origins.Of(root) == origins.Made; !made || root.Parent() == nil {
		return false
	}
	return !slices.ContainsFunc(c.Unit(root.Parent()).Sites, func(s objects.Site) bool {
		return s.Kind == objects.Refreshed && s.Place.Object == p.Object
	})
}

// textPlace is the field, such as the annotations, that holds the text which a time is read from.
func (c *Finder) textPlace(t ssa.Value) paths.Place {
	if entry := entryBehind(t); entry != nil {
		return c.Resolve.Place(calls.Behind(entry.X))
	}
	return paths.Place{}
}

// entryBehind is the entry of a map that a time is read from as text.
func entryBehind(t ssa.Value) *ssa.Lookup {
	call, index := calls.CallOf(timeBehind(t))
	if call == nil || index != 0 || !kubeapi.ParsesTime(call.Common()) {
		return nil
	}
	text := calls.Behind(call.Call.Args[1])
	if part, ok := text.(*ssa.Extract); ok {
		text = part.Tuple
	}
	entry, _ := text.(*ssa.Lookup)
	return entry
}

// isOfNew reports whether a text is that of an object which the code has made, and nothing has read.
func (c *Finder) isOfNew(t ssa.Value) bool {
	p := c.textPlace(t)
	return p.IsInside() && c.isMade(p) && !slices.ContainsFunc(c.Unit(p.Object.Root.Parent()).Sites, func(s objects.Site) bool {
		return !c.keepsText(s, p.Object)
	})
}

// longest returns a time that a loop finds with others in objects, if a value is the
// longest that has gone by since one of them.
func (c *Finder) longest(v ssa.Value) ssa.Value {
	if _, merged := v.(*ssa.Phi); !merged {
		return nil
	}
	var t ssa.Value
	for _, leaf := range merged(v) {
		call, ok := leaf.(*ssa.Call)
		if !ok {
			if _, start := leaf.(*ssa.Const); !start {
				return nil
			}
			continue
		}
		if t = kubeapi.TimeSince(call.Common()); t == nil || !c.isData(t) {
			return nil
		}
	}
	return t
}

// merged returns the values that a merge may be.
func merged(v ssa.Value) []ssa.Value {
	return slices.Collect(values.Relation{Steps: values.Merged}.Ends(v))
}

// isLongest reports whether a comparison asks which of several times has gone by
// for longest.
func isLongest(b *ssa.BinOp, l left) bool {
	if l.most == nil {
		return false
	}
	all := merged(l.most)
	among := func(v ssa.Value) bool {
		_, start := v.(*ssa.Const)
		same := merged(v)
		return !start && (slices.Contains(all, v) || contains(all, same) && contains(same, all))
	}
	return among(b.X) && among(b.Y)
}

// contains reports whether all of some values are among others.
func contains(all, some []ssa.Value) bool {
	return !slices.ContainsFunc(some, func(v ssa.Value) bool { return !slices.Contains(all, v) })
}
