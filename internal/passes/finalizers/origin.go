package finalizers

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// Origin is where an object comes from.
type Origin uint8

const (
	// Elsewhere is all that cannot be told.
	Elsewhere Origin = iota
	// Fetched objects were read from the API server or a cache.
	Fetched
	// Made objects were put together here.
	Made
	// Given objects are a parameter's.
	Given
	// Kept objects are those of CreateOrUpdate and its like: made here, and
	// overwritten by what is stored, if anything is.
	Kept
)

// Place is the place of a value, seen through accessors of its metadata.
func (i *Finalizers) Place(v ssa.Value) paths.Place {
	place := i.Summaries.Resolve.Place(v)
	for range maxTrace {
		root := place.Object.Root
		if extract, ok := root.(*ssa.Extract); ok && extract.Index == 0 {
			root = extract.Tuple
		}
		call, ok := root.(*ssa.Call)
		if !ok {
			break
		}
		object, ok := kubeapi.IsAccessor(call.Common())
		if !ok {
			break
		}
		base := i.Summaries.Resolve.Place(object)
		if base.Kind == nil && place.Kind != nil {
			base.Kind = place.Kind
		}
		base.Sub = append(slices.Clip(base.Sub), place.FullPath()...)
		place = base
	}
	return place
}

// KindOf returns the kind of an object, as far as the type of its root tells.
func KindOf(o paths.Object) *types.Named {
	if o.Root == nil {
		return nil
	}
	if o.Path == "" {
		return kubeapi.KindOfValue(o.Root)
	}
	t := o.Root.Type()
	for _, field := range strings.Split(strings.TrimPrefix(o.Path, "."), ".") {
		if field == "*" {
			ptr, ok := t.Underlying().(*types.Pointer)
			if !ok {
				return nil
			}
			t = ptr.Elem()
			continue
		}
		t = paths.Place{}.TypeFrom(t, []string{field})
	}
	return kubeapi.KindOf(t)
}

// Origin tells where an object of a unit comes from.
func (i *Finalizers) Origin(u *objects.Unit, o paths.Object) Origin { return i.origin(u, o, 0) }

func (i *Finalizers) origin(u *objects.Unit, o paths.Object, depth int) Origin {
	if depth > maxTrace/2 {
		return Elsewhere
	}
	if call, index := calls.CallOf(o.Root); call != nil {
		return i.ofCall(u, o, call, index, depth)
	}
	switch o.Root.(type) {
	case *ssa.Parameter:
		return Given
	case *ssa.Alloc:
		return i.ofVariable(u, o, depth)
	case *ssa.Phi:
		return i.ofRoots(u, o, depth)
	}
	return Elsewhere
}

// isSeveral reports whether an object is one of several: by the way that was taken, or what is
// stored into a variable.
func isSeveral(o paths.Object) bool {
	switch o.Root.(type) {
	case *ssa.Phi:
		return true
	case *ssa.Alloc:
		return strings.HasPrefix(o.Path, ".*")
	}
	return false
}

// ofRoots is the origin of an object that is one of several.
func (i *Finalizers) ofRoots(u *objects.Unit, o paths.Object, depth int) Origin {
	all, first := Elsewhere, true
	for _, root := range i.Summaries.Resolve.Roots(o) {
		if root == o || depth > 0 && isSeveral(root) {
			continue // what that one may be is among the roots of the first
		}
		origin := i.origin(u, root, depth+1)
		if origin == Fetched {
			return Fetched
		}
		if !first && origin != all {
			all = Elsewhere
			continue
		}
		all, first = origin, false
	}
	return all
}

func (i *Finalizers) ofVariable(u *objects.Unit, o paths.Object, depth int) Origin {
	if strings.HasPrefix(o.Path, ".*") {
		return i.ofRoots(u, o, depth)
	}
	origin, ok := i.refreshed(u, o, depth)
	if !ok {
		origin = Made
	}
	if o.Path != "" && origin == Made {
		return Elsewhere
	}
	return origin
}

// ofCall is the origin of an object that a call returns. What a constructor makes
// may be read into afterwards.
func (i *Finalizers) ofCall(u *objects.Unit, o paths.Object, call *ssa.Call, index, depth int) Origin {
	origin := i.ofResult(call, index, depth)
	if origin == Fetched || o.Path != "" {
		return origin
	}
	if read, ok := i.refreshed(u, o, depth); ok {
		return read
	}
	return origin
}

// refreshed is the origin of what a unit reads into an object, if it does.
func (i *Finalizers) refreshed(u *objects.Unit, o paths.Object, depth int) (origin Origin, ok bool) {
	for _, s := range u.Sites {
		if s.Place.Object.Root != o.Root || s.Kind != objects.Refreshed {
			continue
		}
		switch instr := s.Node.Instr.(type) {
		case *ssa.Store:
			if from := i.Place(instr.Val).Object; from != o {
				return i.origin(u, from, depth+1), true
			}
		case ssa.CallInstruction:
			op, isOp := i.Summaries.ClientOp(instr.Common())
			switch {
			case isOp && op.Mutate != nil:
				origin, ok = Kept, true
			case isOp && op.Verb.Reads() || !isOp && s.Via != nil:
				return Fetched, true
			}
		}
	}
	return origin, ok
}

// ofResult is the origin of a call's index-th result.
func (i *Finalizers) ofResult(call *ssa.Call, index, depth int) Origin {
	common := call.Common()
	if fn := kubeapi.Callee(common); fn != nil && kubeapi.IsDeepCopy(fn) {
		recv, _ := kubeapi.Args(common)
		if recv == nil {
			return Elsewhere
		}
		return i.origin(i.Summaries.Unit(paths.Outermost(call.Parent())), i.Place(recv).Object, depth+1)
	}
	if kubeapi.ReadsCache(common) {
		return Fetched
	}
	if op, ok := i.Summaries.ClientOp(common); ok {
		if op.Verb.Reads() {
			return Fetched
		}
		return Made
	}
	for _, f := range i.known.At(call) {
		if slices.Contains(f.Fetched, index) {
			return Fetched
		}
	}
	return Elsewhere
}

// fetched lists the results of a function that are objects which it has read
// and whose deletion it has not looked at.
func (i *Finalizers) fetched(u *objects.Unit) []int {
	var found []int
	results := u.Fn.Signature.Results()
	for index := range results.Len() {
		kind := kubeapi.KindOf(results.At(index).Type())
		if kind == nil && !kubeapi.IsObject(results.At(index).Type()) {
			continue
		}
		for ret := range blocks.Returns(u.Fn) {
			if calls.IsNil(ret.Results[index]) {
				continue
			}
			o := i.Place(ret.Results[index]).Object
			if i.Origin(u, o) == Fetched && len(i.Tests(u, o)) == 0 {
				found = append(found, index)
				break
			}
		}
	}
	return found
}

// CopyOf returns the object that o is a deep copy of, and the call that made
// it.
func (i *Finalizers) CopyOf(o paths.Object) (from paths.Object, call *ssa.Call, ok bool) {
	if o.Path != "" {
		return from, nil, false
	}
	root := o.Root
	if cell, isVar := root.(*ssa.Alloc); isVar {
		stored := calls.StoredInto(cell)
		if len(stored) != 1 {
			return from, nil, false
		}
		if load, isLoad := stored[0].(*ssa.UnOp); isLoad {
			root = load.X // copied := *obj.DeepCopy()
		}
	}
	source := i.Summaries.DeepCopied(root)
	if source == nil {
		return from, nil, false
	}
	call, _ = calls.CallOf(root)
	return i.Place(source).Object, call, true
}

// copies finds what a function adds to copies of its parameters, and writes.
func (i *Finalizers) copies(u *objects.Unit) []ParamChange {
	var found []ParamChange
	for _, n := range u.Graph.Nodes {
		if skipped(n) {
			continue
		}
		for _, c := range i.Changes(n.Instr) {
			if c.Kind != Added || !c.Persisted && !i.persisted(u, c.Object) {
				continue
			}
			from, _, ok := i.CopyOf(c.Object)
			param, isParam := from.Root.(*ssa.Parameter)
			if !ok || !isParam || len(found) >= maxChanges {
				continue
			}
			index := slices.Index(u.Fn.Params, param)
			if index < 0 {
				continue
			}
			p := ParamChange{
				Param: index, Path: strings.TrimPrefix(from.Path, "."), Kind: Added, Name: c.Name, Persisted: true,
				Guarded: c.Guarded || !i.MayBeDeletingKind(u, n, c.Object, KindOf(from)),
			}
			if !slices.Contains(found, p) {
				found = append(found, p)
			}
		}
	}
	return found
}

func skipped(n *paths.Node) bool {
	_, isDefer := n.Instr.(*ssa.Defer)
	return isDefer && !n.Deferred || n.Joins != nil
}

// CopyChanges returns what the functions that a call runs add to copies of the
// objects that they are given, and write.
func (i *Finalizers) CopyChanges(instr ssa.Instruction) []Change {
	call, ok := instr.(ssa.CallInstruction)
	if !ok {
		return nil
	}
	if _, isGo := instr.(*ssa.Go); isGo {
		return nil
	}
	var changes []Change
	for _, f := range i.known.At(call) {
		for _, p := range f.Copies {
			changes = i.apply(changes, call, p)
		}
	}
	return changes
}
