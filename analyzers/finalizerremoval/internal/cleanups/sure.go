package cleanups

import (
	"go/ast"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/finalizerremoval/internal/fate"
	"github.com/opvet/opvet/analyzers/finalizerremoval/internal/subject"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// isSure reports whether a clean-up that fails is sure to leave something behind for good, and
// going on is not seen to be meant: an object that nothing else deletes, or something outside
// of the cluster which another call has to reach anyway.
func (u *unit) isSure(n *paths.Node, call *ssa.Call) bool {
	if u.explains(n) {
		return false
	}
	if u.inCluster(call, 0) {
		return u.staysForGood(call, 0)
	}
	return u.isReachedAnyway(n, call)
}

// staysForGood reports whether a call deletes, itself or in a function of the package, an
// object that the garbage collector is sure to leave: one that nothing in a namespace can own, or
// one that the package makes without an owner.
func (u *unit) staysForGood(call *ssa.Call, depth int) bool {
	if _, ok := u.DeletionOf(call.Common()); ok {
		kind := u.DeletedKind(call)
		if kind == nil {
			return false
		}
		if hasNoOwner(kind) {
			return !u.owned()[kubeapi.KindID(kind)]
		}
		return !u.givesOwners(kind) && u.makes(kubeapi.KindID(kind))
	}
	return u.cleansUpInside(call, depth, func(u *unit, inner *ssa.Call) bool { return u.staysForGood(inner, depth+1) })
}

// makes reports whether the package creates objects of a kind.
func (u *unit) makes(kind string) bool {
	if u.Made == nil {
		u.Made = make(map[string]bool)
		for _, fn := range u.Summaries.Units() {
			for _, s := range u.Of(fn).Sites {
				if s.Kind == objects.Written && s.Write.Verb == kubeapi.Create && s.Type != nil {
					u.Made[kubeapi.KindID(s.Type)] = true
				}
			}
		}
	}
	return u.Made[kind]
}

// isReachedAnyway reports whether the function returns the error of another call of what does
// the clean-up, which must have succeeded before: that the other side may be gone for good is not
// why the clean-up's error is dropped. What it is asked of must be made by something that talks to
// others.
func (u *unit) isReachedAnyway(at *paths.Node, call *ssa.Call) bool {
	recv := receiver(call)
	if recv == nil || !u.isRemote(recv, 0) {
		return false
	}
	return slices.ContainsFunc(u.Graph.Nodes, func(n *paths.Node) bool {
		before := subject.Failing(n)
		if before == nil || n == at || before.Parent() != call.Parent() || receiver(before) != recv || !before.Block().Dominates(call.Block()) {
			return false
		}
		t := fate.Follow(subject.Used(paths.Results(n, kubeapi.IsError)))
		_, returned := u.Graph.Search(u.Graph.Answered(n), 0, t.Watch(), func(n *paths.Node, stage int, _ paths.Known) (int, paths.Step) {
			if n == at {
				return stage, paths.Prune
			}
			if ret, ok := n.Instr.(*ssa.Return); ok && len(ret.Results) > 0 && t.Aliases[ret.Results[len(ret.Results)-1]] {
				return stage, paths.Found
			}
			return stage, paths.Continue
		})
		return returned
	})
}

func receiver(call *ssa.Call) ssa.Value {
	recv, _ := kubeapi.Args(call.Common())
	return recv
}

// isRemote reports whether v, or what all callers of the package hand over for it, is made by a
// call that can fail and has a client or a context.
func (u *unit) isRemote(v ssa.Value, depth int) bool {
	if depth > subject.MaxCallers {
		return false
	}
	v = u.Source(v)
	if param, ok := v.(*ssa.Parameter); ok {
		args, known := u.Calls.HandedOver(param)
		return known && !slices.ContainsFunc(args, func(arg ssa.Value) bool { return !u.isRemote(arg, depth+1) })
	}
	made, _ := calls.CallOf(v)
	return made != nil && kubeapi.CanFail(made.Common().Signature()) && subject.CanAsk(made)
}

// explains reports whether a comment stands where the failure of a call is handled, or behind the
// call: it says why to go on.
func (u *unit) explains(n *paths.Node) bool {
	call, file := u.Syntax(n)
	if call == nil {
		return false
	}
	path := syntax.Path(u.Pass.Files, call.Pos())
	i := slices.IndexFunc(path, func(node ast.Node) bool { _, ok := node.(ast.Stmt); return ok })
	if i < 0 || i+1 >= len(path) {
		return false
	}
	stmt := path[i].(ast.Stmt)
	to := stmt.End()
	switch outer := path[i+1].(type) {
	case *ast.IfStmt: // if err := f(); err != nil {
		to = outer.Body.End()
	case *ast.BlockStmt: // err := f(), and then if err != nil {
		if at := slices.Index(outer.List, stmt); at >= 0 && at+1 < len(outer.List) {
			if branch, ok := outer.List[at+1].(*ast.IfStmt); ok {
				to = branch.Body.End()
			}
		}
	}
	dropped := !noted(paths.Results(n, kubeapi.IsError))
	return slices.ContainsFunc(file.Comments, func(c *ast.CommentGroup) bool {
		behind := u.Line(c.Pos()) - u.Line(stmt.End())
		return behind > 0 && c.End() < to || behind == 0 && dropped
	})
}
