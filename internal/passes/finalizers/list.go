package finalizers

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/literals"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// edit is what became of a list of strings.
type edit struct {
	// from is the value of the list that it was made from: an object's
	// finalizers, or a parameter. Nil is a list of its own.
	from  ssa.Value
	kind  Kind
	names []Name
	known bool
}

// assigned is the change that storing a list into an object makes in fn.
func (i *Finalizers) assigned(fn *ssa.Function, place paths.Place, recv, list ssa.Value) []Change {
	base := Change{Object: place.Object, Type: place.Kind, Arg: recv}
	if base.Type == nil && recv != nil {
		base.Type = kubeapi.KindOfValue(recv)
	}
	if names, ok := i.keptInPlace(place.Object, list); ok {
		return named(base, Removed, names)
	}
	e := i.editOf(list, 0)
	if !e.known || e.kind == Emptied && i.refilled(fn, place.Object) {
		return nil
	}
	if e.from != nil {
		if from, ok := i.listOf(e.from); !ok || from != place.Object && !i.Summaries.MayBe(from, place.Object) {
			return nil // another object's list, or one that is not known
		}
		if len(e.names) == 0 {
			if e.kind == Replaced {
				return nil // stored as it is
			}
			base.Kind = e.kind
			return []Change{base}
		}
	}
	if e.kind == Emptied || len(e.names) == 0 {
		base.Kind = e.kind
		return []Change{base}
	}
	return named(base, e.kind, e.names)
}

// named is one change for each name.
func named(base Change, kind Kind, names []Name) []Change {
	var changes []Change
	for _, name := range names {
		c := base
		c.Kind, c.Name = kind, name
		changes = append(changes, c)
	}
	return changes
}

// listOf returns the object whose list of finalizers v was read as.
func (i *Finalizers) listOf(v ssa.Value) (paths.Object, bool) {
	switch x := v.(type) {
	case *ssa.Call:
		if !kubeapi.IsFinalizerGetter(kubeapi.Callee(x.Common())) {
			return paths.Object{}, false
		}
		recv, _ := kubeapi.Args(x.Common())
		if recv == nil {
			return paths.Object{}, false
		}
		return i.Place(recv).Object, true
	case *ssa.UnOp:
		if addr, ok := x.X.(*ssa.FieldAddr); ok && isFinalizersField(addr) {
			return i.Place(addr).Object, true
		}
	}
	return paths.Object{}, false
}

// editOf tells how a list of strings was made.
func (i *Finalizers) editOf(v ssa.Value, depth int) edit {
	if v == nil || depth > maxTrace {
		return edit{}
	}
	if _, ok := i.listOf(v); ok {
		return edit{from: v, kind: Replaced, known: true}
	}
	if calls.IsNil(v) || literals.IsEmptyList(v) {
		return edit{kind: Emptied, known: true}
	}
	same := values.Relation{Steps: values.Converted | values.Held}
	if from, _ := same.Sources(v); len(from) == 1 {
		return i.editOf(from[0], depth+1)
	}
	if call, ok := v.(*ssa.Call); ok {
		return i.edited(call, depth)
	}
	if call, index := calls.CallOf(v); call != nil {
		return i.listHelper(call, index, depth)
	}
	switch v := v.(type) {
	case *ssa.Parameter:
		return edit{from: v, kind: Replaced, known: true}
	case *ssa.Slice:
		return i.literal(v, depth)
	case *ssa.Phi:
		return i.merged(v, depth)
	}
	return edit{}
}

// literal is []string{…}, or a part of a list.
func (i *Finalizers) literal(s *ssa.Slice, depth int) edit {
	if _, ok := s.X.(*ssa.Alloc); !ok {
		e := i.editOf(s.X, depth+1)
		if high, ok := blocks.Number(s.High); ok && high == 0 && s.Low == nil {
			return edit{kind: Emptied, known: e.known} // list[:0]
		}
		return e
	}
	values, ok := kubeapi.VariadicArgs(s)
	if !ok {
		return edit{}
	}
	return edit{kind: Replaced, known: true, names: i.namesOf(values)}
}

// edited is a list that a call returns.
func (i *Finalizers) edited(call *ssa.Call, depth int) edit {
	common := call.Common()
	if calls.IsBuiltin(call, "append") {
		return i.appended(call, depth)
	}
	callee := kubeapi.Callee(common)
	recv, args := kubeapi.Args(common)
	if callee != nil && callee.Pkg() != nil {
		switch callee.Pkg().Path() {
		case "slices", "golang.org/x/exp/slices":
			return i.slicesCall(callee.Name(), args, depth)
		case "k8s.io/apimachinery/pkg/util/sets":
			set := recv
			if set == nil && len(args) > 0 {
				set = args[0] // sets.List(s)
			}
			if set != nil {
				return i.setEdit(set, depth)
			}
		}
	}
	return i.listHelper(call, 0, depth)
}

// slicesCall is a function of package slices.
func (i *Finalizers) slicesCall(name string, args []ssa.Value, depth int) edit {
	if len(args) == 0 {
		return edit{}
	}
	e := i.editOf(args[0], depth+1)
	switch name {
	case "Clone", "Compact", "Clip", "Grow":
		return e
	case "DeleteFunc", "Delete":
		if e.from == nil {
			return edit{}
		}
		e.kind, e.names = Removed, nil
		if name == "DeleteFunc" && len(args) > 1 {
			for _, fn := range i.Summaries.Calls.FuncsOf(args[1]).Funcs {
				e.names = append(e.names, i.compared(fn, nil)...)
			}
		}
		return e
	case "Insert":
		if e.from != nil && len(args) > 2 {
			if values, ok := kubeapi.VariadicArgs(args[2]); ok {
				e.kind, e.names = Added, i.namesOf(values)
				return e
			}
		}
	}
	return edit{}
}

func (i *Finalizers) namesOf(values []ssa.Value) []Name {
	var names []Name
	for _, v := range values {
		names = append(names, i.NameOf(v))
	}
	return names
}

// appended is append(list, names…), or append(list[:k], list[k+1:]…).
func (i *Finalizers) appended(call *ssa.Call, depth int) edit {
	args := call.Common().Args
	if len(args) != 2 {
		return edit{}
	}
	e := i.editOf(args[0], depth+1)
	if !e.known {
		return edit{}
	}
	values, packed := kubeapi.VariadicArgs(args[1])
	if !packed {
		other := i.editOf(args[1], depth+1)
		if part, ok := args[0].(*ssa.Slice); ok && part.High != nil && other.known && other.from != nil && e.from != nil {
			return edit{from: e.from, kind: Removed, names: i.compared(call.Parent(), e.from), known: true}
		}
		return edit{}
	}
	if e.from == nil {
		if e.kind == Emptied {
			return edit{kind: Replaced, names: i.namesOf(values), known: true}
		}
		e.names = append(e.names, i.namesOf(values)...)
		return e
	}
	if e.kind == Replaced {
		e.kind, e.names = Added, nil
	}
	if e.kind != Added {
		return edit{}
	}
	e.names = append(slices.Clone(e.names), i.namesOf(values)...)
	return e
}

// merged is a list that is put together in a loop, or differs by the path.
func (i *Finalizers) merged(phi *ssa.Phi, depth int) edit {
	if e := i.cut(phi, depth); e.known {
		return e
	}
	// A filter: every edge is empty or appends elements of one list.
	var from ssa.Value
	filter := false
	var foreign []Name
	seen := map[ssa.Value]bool{}
	var gather func(v ssa.Value, level int) bool
	gather = func(v ssa.Value, level int) bool {
		if seen[v] {
			return true
		}
		seen[v] = true
		if level > maxTrace {
			return false
		}
		switch x := v.(type) {
		case *ssa.Phi:
			return !slices.ContainsFunc(x.Edges, func(edge ssa.Value) bool { return !gather(edge, level+1) })
		case *ssa.Call:
			if !calls.IsBuiltin(x, "append") {
				return false
			}
			values, ok := kubeapi.VariadicArgs(x.Common().Args[1])
			if !ok {
				return false
			}
			for _, value := range values {
				list := elementOf(value)
				if list == nil {
					foreign = append(foreign, i.NameOf(value))
					continue
				}
				source := i.editOf(list, depth+1)
				if !source.known || source.from == nil || from != nil && !i.sameList(source.from, from) {
					return false
				}
				from, filter = source.from, true
			}
			return gather(x.Common().Args[0], level+1)
		}
		e := i.editOf(v, depth+1)
		return e.known && e.from == nil && e.kind == Emptied
	}
	if gather(phi, 0) && filter && len(foreign) == 0 {
		return edit{from: from, kind: Removed, names: i.compared(phi.Parent(), from), known: true}
	}
	// Changed on some paths only.
	var all edit
	for _, edge := range phi.Edges {
		if edge == phi {
			continue
		}
		e := i.editOf(edge, depth+2)
		switch {
		case !e.known:
			return edit{}
		case !all.known:
			all = e
		case e.from == nil || all.from == nil || !i.sameList(e.from, all.from):
			return edit{}
		case len(e.names) == 0 && e.kind == Replaced: // as it was
		case len(all.names) == 0 && all.kind == Replaced:
			all = e
		case e.kind != all.kind:
			return edit{}
		}
	}
	return all
}

func (i *Finalizers) sameList(a, b ssa.Value) bool {
	if a == b {
		return true
	}
	x, ok := i.listOf(a)
	if !ok {
		return false
	}
	y, ok := i.listOf(b)
	return ok && x == y
}

// elementOf returns the list that v is an element of, or nil.
func elementOf(v ssa.Value) ssa.Value {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return nil
	}
	switch addr := load.X.(type) {
	case *ssa.IndexAddr:
		return addr.X
	case *ssa.Alloc: // a loop variable whose address is taken
		if stored := calls.StoredInto(addr); len(stored) == 1 {
			return elementOf(stored[0])
		}
	}
	return nil
}

// compared returns the names that the elements of a list, or the parameter of
// a literal, are compared with in fn.
func (i *Finalizers) compared(fn *ssa.Function, list ssa.Value) []Name {
	var names []Name
	isElement := func(v ssa.Value) bool {
		if list == nil {
			p, ok := v.(*ssa.Parameter)
			return ok && p.Parent() == fn
		}
		from := elementOf(v)
		return from != nil && (from == list || i.sameList(from, list))
	}
	for op := range blocks.InstrsOf[*ssa.BinOp](fn) {
		if op.Op != token.EQL && op.Op != token.NEQ {
			continue
		}
		switch {
		case isElement(op.X):
			names = appendNew(names, i.NameOf(op.Y))
		case isElement(op.Y):
			names = appendNew(names, i.NameOf(op.X))
		}
	}
	return names
}

func appendNew(names []Name, n Name) []Name {
	if slices.Contains(names, n) {
		return names
	}
	return append(names, n)
}

// setEdit is a list made from a set that was made from a list.
func (i *Finalizers) setEdit(set ssa.Value, depth int) edit {
	call, ok := set.(*ssa.Call)
	if !ok || depth > maxTrace {
		return edit{}
	}
	callee := kubeapi.Callee(call.Common())
	if callee == nil || callee.Pkg() == nil || callee.Pkg().Path() != "k8s.io/apimachinery/pkg/util/sets" {
		return edit{}
	}
	recv, args := kubeapi.Args(call.Common())
	if recv != nil {
		// s.Insert(…) and s.Delete(…) return the set.
		if callee.Name() != "Insert" && callee.Name() != "Delete" {
			return edit{}
		}
		return i.setEdit(recv, depth+1)
	}
	if len(args) != 1 || call.Referrers() == nil {
		return edit{}
	}
	e := i.editOf(args[0], depth+1)
	if !e.known || e.from == nil {
		return edit{}
	}
	for use := range blocks.UsesOf[*ssa.Call](call) {
		method := kubeapi.Callee(use.Common())
		recv, args := kubeapi.Args(use.Common())
		if method == nil || recv != call || len(args) != 1 {
			continue
		}
		values, ok := kubeapi.VariadicArgs(args[0])
		switch {
		case method.Name() == "Insert" && ok:
			e.kind, e.names = Added, i.namesOf(values)
		case method.Name() == "Delete" && ok:
			e.kind, e.names = Removed, i.namesOf(values)
		}
	}
	return e
}

// listHelper is a list that a helper of the user's returns.
func (i *Finalizers) listHelper(call *ssa.Call, index, depth int) edit {
	operands := kubeapi.Operands(call.Common())
	for _, f := range i.known.At(call) {
		for _, l := range f.Lists {
			if l.Result != index || l.List >= len(operands) {
				continue
			}
			e := i.editOf(operands[l.List], depth+1)
			if !e.known || e.from == nil {
				return edit{}
			}
			name := l.Name
			if name.Param > 0 {
				name = Name{}
				if l.Name.Param-1 < len(operands) {
					name = i.NameOf(operands[l.Name.Param-1])
				}
			}
			e.kind, e.names = l.Kind, []Name{name}
			return e
		}
	}
	return edit{}
}

// listEdits finds what a function does to a list of strings that it gets and
// returns.
func (i *Finalizers) listEdits(fn *ssa.Function) []ListEdit {
	var found []ListEdit
	results := fn.Signature.Results()
	for index := range results.Len() {
		if !kubeapi.IsStrings(results.At(index).Type()) {
			continue
		}
		for ret := range blocks.Returns(fn) {
			e := i.editOf(ret.Results[index], 0)
			if !e.known || e.from == nil || len(e.names) != 1 {
				continue
			}
			param, ok := e.from.(*ssa.Parameter)
			if !ok {
				continue
			}
			l := ListEdit{Result: index, List: slices.Index(fn.Params, param), Kind: e.kind, Name: e.names[0]}
			if l.List >= 0 && !slices.Contains(found, l) {
				found = append(found, l)
			}
		}
	}
	return found
}
