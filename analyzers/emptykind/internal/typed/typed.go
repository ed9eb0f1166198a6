// Package typed tells which objects come without their kind and apiVersion: those that typed
// clients and listers return, and what a client without a cache fills.
package typed

import (
	"cmp"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// In answers for a package.
type In struct{ Sums *objects.Summaries }

// maxDepth bounds how far objects are followed.
const maxDepth = 8

// From returns the call of a typed client or lister that an object comes from, or nil if it
// may have its kind.
func (c In) From(object ssa.Value) ssa.Value {
	return c.emptyFrom(c.Sums.Resolve.Place(object).Object, 0)
}

func (c In) emptyFrom(o paths.Object, depth int) ssa.Value {
	if depth > maxDepth {
		return nil
	}
	if copied := c.Sums.CopyOf(o); copied != nil {
		return c.emptyFrom(c.Sums.Resolve.Place(copied).Object, depth+1)
	}
	if roots := c.Sums.Resolve.Roots(o); len(roots) > 1 {
		var found ssa.Value
		for _, root := range roots {
			if root == o {
				continue
			}
			if found = c.emptyFrom(root, depth+1); found == nil {
				return nil
			}
		}
		return found
	}
	if call, index := calls.CallOf(o.Root); call != nil {
		return c.emptyResult(call, index, o.Path, depth)
	}
	switch root := o.Root.(type) {
	case *ssa.Alloc:
		return c.readLive(root, o.Path)
	case *ssa.Parameter:
		return c.emptyArgument(root, o.Path, depth)
	}
	return nil
}

// emptyResult judges what a call returns, or the elements of a list of that.
func (c In) emptyResult(call *ssa.Call, index int, path string, depth int) ssa.Value {
	if index == 0 && comesEmpty(c.Sums, call, path) {
		return call
	}
	targets := c.Sums.Calls.Callees(call)
	if len(targets.Funcs) != 1 || !targets.Closed || path != "" {
		return nil
	}
	var found ssa.Value
	for ret := range blocks.Returns(targets.Funcs[0]) {
		if index >= len(ret.Results) || calls.IsNil(calls.Behind(ret.Results[index])) {
			continue
		}
		if found = c.emptyFrom(c.Sums.Resolve.Place(ret.Results[index]).Object, depth+1); found == nil || c.MaySetIn(targets.Funcs[0], ret.Results[index]) {
			return nil
		}
	}
	if found == nil {
		return nil
	}
	return call
}

// emptyArgument finds a caller that hands over an object without kind.
func (c In) emptyArgument(p *ssa.Parameter, path string, depth int) ssa.Value {
	if path != "" || kubeapi.KindOf(p.Type()) == nil {
		return nil
	}
	args, _ := c.Sums.Calls.Arguments(p)
	for _, arg := range args {
		found := c.emptyFrom(c.Sums.Resolve.Place(arg.Value).Object, depth+1)
		if found != nil && !c.MaySetIn(arg.Call.Parent(), arg.Value) {
			return found
		}
	}
	return nil
}

// comesEmpty recognises the calls that return typed objects without kind and
// apiVersion: those of generated clients, whose decoder takes them off as one that is made by hand
// need not, and of listers, whose objects were lists' elements.
func comesEmpty(sums *objects.Summaries, call *ssa.Call, path string) bool {
	fn := kubeapi.Callee(call.Common())
	if fn == nil || fn.Signature().Recv() == nil {
		return false
	}
	if kubeapi.IsTypedList(fn) {
		return path == paths.Listed && losesKind(fn.Signature().Results().At(0).Type())
	}
	recv, _ := kubeapi.Args(call.Common())
	if read, ok := kubeapi.CacheReadOf(fn, recv); ok {
		return read.Source == kubeapi.ListerObject && !read.Doubtful && hasKind(fn.Signature().Results().At(0).Type()) && (path == ".[]") == read.Slice
	}
	op, ok := sums.ClientOp(call.Common())
	return ok && op.Result && path == "" && kubeapi.IsGeneratedClient(fn) && hasKind(fn.Signature().Results().At(0).Type())
}

// losesKind reports whether the elements of a list come without their kind: the API server
// leaves it out for its own kinds, and stores it with custom resources. The decoder takes
// it off the list alone.
func losesKind(list types.Type) bool {
	named := kubeapi.Named(list)
	return named != nil && kubeapi.IsBuiltin(kubeapi.KindID(named))
}

// hasKind reports whether t is a typed object or a slice of such.
func hasKind(t types.Type) bool {
	if slice, ok := t.Underlying().(*types.Slice); ok {
		t = slice.Elem()
	}
	return kubeapi.KindOf(t) != nil
}

// Described returns the object whose kind the receiver of GroupVersionKind
// describes: its TypeMeta, or what GetObjectKind returned.
func Described(recv ssa.Value) ssa.Value {
	if call, ok := calls.Behind(recv).(*ssa.Call); ok {
		fn := kubeapi.Callee(call.Common())
		if fn == nil || fn.Name() != "GetObjectKind" {
			return nil
		}
		recv, _ = kubeapi.Args(call.Common())
		if recv != nil && kubeapi.IsObject(recv.Type()) {
			return recv
		}
	}
	if meta, ok := recv.(*ssa.FieldAddr); ok && kubeapi.IsTypeMeta(meta.Type()) {
		return meta.X
	}
	return nil
}

// MaySetIn reports whether a function may set the kind of an object: itself, or
// by handing the object to somebody; of a literal, also those around it.
func (c In) MaySetIn(fn *ssa.Function, object ssa.Value) bool {
	o := c.Sums.Resolve.Place(object).Object
	for ; fn != nil; fn = fn.Parent() {
		for instr := range blocks.Instrs(fn) {
			if slices.ContainsFunc(c.Sums.Events(instr), func(e objects.Event) bool { return c.sets(instr, e, o) }) || c.setsKind(instr, o) {
				return true
			}
		}
	}
	return false
}

// sets reports whether an event may change the type of an object.
func (c In) sets(instr ssa.Instruction, e objects.Event, o paths.Object) bool {
	if !c.Sums.MayBe(e.Place.Object, o) {
		return false
	}
	call, isCall := instr.(ssa.CallInstruction)
	switch e.Kind {
	case objects.Mutated:
		return len(e.Place.Sub) > 0 && e.Place.Sub[0] == "TypeMeta"
	case objects.Touched, objects.Refreshed:
		if !isCall || len(e.Place.Sub) > 0 && e.Place.Sub[0] != "TypeMeta" {
			return false
		}
		// A call of a client leaves the kind as it was.
		alloc, ok := o.Root.(*ssa.Alloc)
		_, isClient := c.Sums.ClientOp(call.Common())
		return !ok || !isClient || c.readLive(alloc, o.Path) == nil
	}
	return false
}

// setsKind recognises SetGroupVersionKind on the object.
func (c In) setsKind(instr ssa.Instruction, o paths.Object) bool {
	call, ok := instr.(ssa.CallInstruction)
	if !ok {
		return false
	}
	fn := kubeapi.Callee(call.Common())
	if fn == nil || fn.Name() != "SetGroupVersionKind" && fn.Name() != "FromAPIVersionAndKind" {
		return false
	}
	recv, _ := kubeapi.Args(call.Common())
	object := cmp.Or(Described(recv), recv)
	return object != nil && c.Sums.MayBe(c.Sums.Resolve.Place(object).Object, o)
}

// readLive returns the call by which a client of controller-runtime that has no cache fills
// an object, or the list that it is an element of; nil if there is none, or if another
// client fills it as well, since caches set the kind.
func (c In) readLive(alloc *ssa.Alloc, path string) ssa.Value {
	verb := kubeapi.Get
	if path == paths.Listed {
		verb = kubeapi.List
	} else if path != "" {
		return nil
	}
	var found ssa.Value
	for call := range blocks.InstrsOf[*ssa.Call](alloc.Parent()) {
		op, ok := c.Sums.ClientOp(call.Common())
		if !ok || !op.Verb.Reads() || op.Object == nil || c.Sums.Resolve.Place(op.Object).Object != (paths.Object{Root: alloc}) {
			continue
		}
		if op.Verb != verb || !op.InMemory || !c.isLive(op.Recv) || verb == kubeapi.List && !losesKind(alloc.Type()) {
			return nil
		}
		found = call
	}
	return found
}

// isLive reports whether a client surely asks the API server each time: whatever it may be
// was made by client.New, or is the reader that a manager has for that.
func (c In) isLive(client ssa.Value) bool {
	may := values.Relation{Calls: c.Sums.Calls, Steps: values.Package, More: func(v ssa.Value) []ssa.Value {
		if field := calls.LoadedField(v); field != nil && !field.Exported() {
			return c.Sums.Calls.Stored(field)
		}
		return nil
	}}
	return client != nil && may.Any(client, kubeapi.MakesLiveClient) && may.All(client, func(v ssa.Value) bool { return kubeapi.MakesLiveClient(v) || calls.IsNil(v) })
}
