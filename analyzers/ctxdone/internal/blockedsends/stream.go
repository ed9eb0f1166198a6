package blockedsends

import (
	"fmt"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/channels"
	"github.com/opvet/opvet/internal/report/rule"
)

// stream reports the goroutine that feeds a reader or a watch by plain sends:
// whoever reads calls Close or Stop when it has had enough, and reads no more.
func (s *sends) stream(ch *channels.Channel) {
	owner := calls.DeclaredIn(s.Pass.Pkg, ch.Field)
	if owner == nil || ch.Capacity != 0 {
		return
	}
	read, end, ok := streamMethods(owner)
	if !ok || len(ch.Public) > 0 && read != "ResultChan" {
		return
	}
	drained := false
	for _, op := range ch.Ops {
		switch op.Kind {
		case channels.HandOver, channels.Close:
			// Closing it is the sender's way to say that there is no more.
			drained = drained || op.Kind == channels.HandOver || s.within(op.Fn(), owner, end)
		case channels.Receive:
			drained = drained || !s.within(op.Fn(), owner, read)
		}
	}
	for _, fn := range ch.Public {
		drained = drained || fn.Name() != read
	}
	if drained {
		return
	}
	for _, op := range ch.Ops {
		if op.Kind != channels.Send || !op.Plain() {
			continue
		}
		frames := ch.Frames()
		activity, ok := s.channels.ActivityOf(op, frames...)
		if ok && (activity.Own() || !activity.Many || s.Once(activity.Frame) && !s.Report.Strict()) {
			continue
		}
		if !ok && !s.spawned(op.Fn()) {
			continue
		}
		s.Report.Report(rule.Finding{
			Pos: op.Instr.Pos(), Category: "blocking-send",
			Message: fmt.Sprintf("this goroutine hangs in its send on %s after %s of %s, when nobody calls %s; select on a channel that %s closes",
				ch.Field.Name(), end, owner.Obj().Name(), read, end),
			Related: []analysis.RelatedInformation{{Pos: ch.Made.Pos(), Message: "the channel is made here"}},
		})
	}
}

// streamMethods tells by which methods a reader or watch is read and ended.
func streamMethods(owner *types.Named) (read, end string, ok bool) {
	ptr := types.NewPointer(owner)
	switch {
	case kubeapi.IsWatcher(ptr):
		return "ResultChan", "Stop", true
	case kubeapi.IsReadCloser(ptr):
		return "Read", "Close", true
	}
	return "", "", false
}

// within reports whether fn is the owner's method of that name, a literal in
// it, or a function that nothing but it calls.
func (s *sends) within(fn *ssa.Function, owner *types.Named, method string) bool {
	return s.reachedOnlyFrom(fn, func(at *ssa.Function) bool {
		recv := at.Signature.Recv()
		return recv != nil && at.Name() == method && kubeapi.Named(recv.Type()) == owner.Origin()
	}, 0)
}

// reachedOnlyFrom reports whether fn is one of the wanted functions, or all of
// its callers are.
func (s *sends) reachedOnlyFrom(fn *ssa.Function, wanted func(*ssa.Function) bool, depth int) bool {
	if wanted(fn) {
		return true
	}
	if depth > 6 {
		return false
	}
	if fn.Parent() != nil {
		return s.reachedOnlyFrom(fn.Parent(), wanted, depth+1)
	}
	return s.allCallers(fn, func(call ssa.CallInstruction) bool { return s.reachedOnlyFrom(call.Parent(), wanted, depth+1) })
}

// allCallers reports whether a function has callers in the package, and something holds of all.
func (s *sends) allCallers(fn *ssa.Function, holds func(ssa.CallInstruction) bool) bool {
	callers := s.Graph.Callers(fn)
	return len(callers) > 0 && !slices.ContainsFunc(callers, func(call ssa.CallInstruction) bool { return !holds(call) })
}

// spawned reports whether fn is run by a go statement and nothing else.
func (s *sends) spawned(fn *ssa.Function) bool {
	return s.allCallers(fn, func(call ssa.CallInstruction) bool {
		_, ok := call.(*ssa.Go)
		return ok || call.Parent() != fn && s.spawned(call.Parent())
	})
}
