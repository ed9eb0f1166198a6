package finalizerpatch

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/finalizers"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/report/rule"
)

// sent reports whether a change of finalizers is part of a patch: it is made
// to what is sent, or to what that was copied from, after the state that the
// patch starts from was copied. A state that was handed in, or read by itself,
// is from before the change.
func (u *unit) sent(c change, at *paths.Node, p finalizers.Patch) bool {
	if at == c.node || p.From == p.To {
		return false
	}
	to, from := p.To, p.From
	toFrom, toCopy, toCopied := u.CopyOf(to)
	fromFrom, fromCopy, fromCopied := u.CopyOf(from)
	switch {
	case c.Object == to && fromCopied && u.same(fromFrom, to):
		// orig := obj.DeepCopy(); change(obj); Patch(obj, MergeFrom(orig))
		return u.follows(fromCopy, c.node, at, to)
	case c.Object == to && toCopied && u.same(toFrom, from):
		// updated := obj.DeepCopy(); change(updated); Patch(updated, MergeFrom(obj))
		return u.follows(toCopy, c.node, at, to)
	case toCopied && c.Object == toFrom && fromCopied && u.same(fromFrom, toFrom):
		// orig := obj.DeepCopy(); change(obj); Patch(obj.DeepCopy(), MergeFrom(orig))
		return u.follows(fromCopy, c.node, at, toFrom)
	case c.Object != to || fromCopied || toCopied:
		return false
	case u.handedIn(from):
		// func patch(obj, orig) { change(obj); Patch(obj, MergeFrom(orig)) }
		return u.leads(c.node, at, nil, to, from)
	case u.read(from):
		// change(obj); Get(stored); Patch(obj, MergeFrom(stored))
		return u.leads(c.node, at, nil, to, paths.Object{})
	}
	return false
}

// handedIn reports whether an object is what the function was given, or a field
// of that, or of what a constructor has returned.
func (u *unit) handedIn(o paths.Object) bool {
	root := o.Root
	if cell, isVar := root.(*ssa.Alloc); isVar && o.Path != "" {
		if stored := calls.StoredInto(cell); len(stored) == 1 {
			root = stored[0] // a struct that is handed in by value
		}
	}
	switch root := root.(type) {
	case *ssa.Parameter:
		return root.Parent() == u.Fn && o.Index == nil
	case *ssa.Call, *ssa.Extract:
		return o.Path != "" && o.Index == nil
	}
	return false
}

// read reports whether an object is a variable that is read from the API server
// or the cache here.
func (u *unit) read(o paths.Object) bool {
	if _, ok := o.Root.(*ssa.Alloc); !ok {
		return false
	}
	return slices.ContainsFunc(u.Sites, func(s objects.Site) bool {
		if s.Kind != objects.Refreshed || s.Place.Object != o || s.Node.Call() == nil {
			return false
		}
		op, ok := u.Summaries.ClientOp(s.Node.Call().Common())
		return ok && op.Verb.Reads()
	})
}

func (u *unit) same(a, b paths.Object) bool { return a == b || u.Summaries.MayBe(a, b) }

// follows reports whether a path leads from the copy to the change, and from
// there to the patch, without anything that overwrites or stores the object on
// the way.
func (u *unit) follows(copied *ssa.Call, changed, at *paths.Node, o paths.Object) bool {
	before := false
	for _, start := range u.Graph.At(copied) {
		_, found := u.Graph.Search(start, 0, nil, func(n *paths.Node, stage int, _ paths.Known) (int, paths.Step) {
			switch n {
			case changed:
				return stage, paths.Found
			case start:
				return stage, paths.Prune
			}
			return stage, paths.Continue
		})
		before = before || found
	}
	return before && u.leads(changed, at, copied, o, paths.Object{})
}

// leads reports whether a path leads from the change of o to the patch, without
// anything that overwrites or stores it, copies it again, or overwrites the state
// that the patch starts from.
func (u *unit) leads(changed, at *paths.Node, copied *ssa.Call, o, base paths.Object) bool {
	_, found := u.Graph.Search(changed, 0, objects.Done(changed), func(n *paths.Node, stage int, _ paths.Known) (int, paths.Step) {
		if n == at {
			return stage, paths.Found
		}
		if copied != nil && n.Instr == ssa.Instruction(copied) {
			return stage, paths.Prune
		}
		if slices.ContainsFunc(u.At(n), func(e objects.Event) bool {
			return (e.WrittenTo(kubeapi.MainEndpoint) || e.Kind == objects.Refreshed) && u.same(e.Place.Object, o) ||
				copied == nil && (e.Kind == objects.Refreshed || e.Kind == objects.Reassigned) && e.Place.Object == base
		}) {
			return stage, paths.Prune
		}
		return stage, paths.Continue
	})
	return found
}

// isShared reports whether a kind is one of Kubernetes' own, on which controllers of
// several projects put finalizers. On those of the module hardly anybody else does, nor
// on a kind of another project, but that one's controller. Partial metadata is taken for
// such a kind, too.
func (u *unit) isShared(kind types.Type) bool {
	named := kubeapi.Named(kind)
	return named != nil && (kubeapi.IsPartialMetadata(named) || kubeapi.IsBuiltin(kubeapi.KindID(named)))
}

// harmOf is what comes of a change in a patch without a lock. On a live object
// others add finalizers at the same time, and theirs are dropped; but for Kubernetes'
// own kinds there are hardly any. While it is being deleted nobody can add any,
// but others take theirs off: the list from a stale cache has them still, and the
// API server rejects it. Whoever hears of that tries again with a fresh one.
func (u *unit) harmOf(c change, at *paths.Node) rule.Harm {
	kind := c.Type
	if kind == nil {
		kind = finalizers.KindOf(c.Object)
	}
	switch c.Kind {
	case finalizers.Added:
		if !u.isShared(kind) {
			return rule.Hygiene
		}
		if !u.SurelyDeleting(u.Unit, c.node, c.Object, kind) {
			return rule.Loss
		}
	case finalizers.Removed:
		live := u.SurelyLive(u.Unit, c.node, c.Object, kind) || u.SurelyLive(u.Unit, at, c.Object, kind)
		switch {
		case live && u.isShared(kind):
			return rule.Loss
		case !live && u.silent(at) && !u.isSomebodys(at):
			return rule.Stuck
		}
		return rule.Hygiene
	}
	return 0
}

// isSomebodys reports whether a patch is sent by a client of controller-runtime that an accessor of
// another package has answered: it may as well read live.
func (u *unit) isSomebodys(at *paths.Node) bool {
	call := at.Call()
	if call == nil {
		return false
	}
	op, ok := u.Summaries.ClientOp(call.Common())
	return ok && op.Recv != nil && kubeapi.HasMethod(op.Recv.Type(), "RESTMapper") && kubeapi.IsSomebodys(op.Recv)
}

// silent reports whether the function may return as if nothing had happened although
// the API server has rejected the patch that a node sends.
func (u *unit) silent(at *paths.Node) bool {
	assume, from := make(map[ssa.Value]paths.Truth), []*paths.Node{at}
	var gone []ssa.Value // which what is rejected is not
	for _, err := range paths.Results(at, kubeapi.IsError) {
		assume[err] = paths.True
		if extract, ok := err.(*ssa.Extract); ok {
			from = u.Graph.At(extract)
		}
		if isHandedOn(err) {
			return false
		}
		for _, asked := range askedNotFound(err) {
			gone, assume[asked] = append(gone, asked), paths.Unknown
		}
	}
	return slices.ContainsFunc(from, func(start *paths.Node) bool {
		_, found := u.Graph.Search(start, 0, assume, func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
			if slices.ContainsFunc(gone, func(asked ssa.Value) bool { return known.Of(asked) == paths.True }) {
				return stage, paths.Prune
			}
			if u.Graph.IsExit(n) && u.Graph.Outcome(n, known) == paths.False {
				return stage, paths.Found
			}
			return stage, paths.Continue
		})
		return found
	})
}

// isHandedOn reports whether an error goes somewhere else than into a log or a question
// about it: into a struct, a list, or a function that makes a result of it.
func isHandedOn(err ssa.Value) bool {
	return blocks.AnyUse(err, func(ref ssa.Instruction) bool {
		switch ref := ref.(type) {
		case *ssa.Store:
			_, local := ref.Addr.(*ssa.Alloc)
			return !local
		case ssa.CallInstruction:
			callee := kubeapi.Callee(ref.Common())
			return !kubeapi.Logs(callee) && kubeapi.ErrorUseOf(callee) == 0 && !tellsErrorAlone(ref)
		}
		return false
	})
}

// tellsErrorAlone reports whether all that a call answers is an error, such as one that
// wraps another, a text, or whether something holds.
func tellsErrorAlone(call ssa.CallInstruction) bool {
	v := call.Value()
	if v == nil {
		return true
	}
	_, basic := v.Type().Underlying().(*types.Basic)
	return basic || kubeapi.IsError(v.Type())
}

// askedNotFound returns the calls that ask whether an error says that the object is gone.
func askedNotFound(err ssa.Value) []ssa.Value {
	var found []ssa.Value
	for call := range blocks.UsesOf[*ssa.Call](err) {
		if kubeapi.ErrorUseOf(kubeapi.Callee(call.Common())) == kubeapi.TellsNotFound {
			found = append(found, call)
		}
	}
	return found
}
