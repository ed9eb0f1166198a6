package statusupdate

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/kinds"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/report/rule"
)

// dropped finds status that is set and then sent to the main endpoint:
// status set → (no status write, nothing unknown) → main write.
func (u *unit) dropped() {
	writes := u.writes(kubeapi.MainEndpoint)
	if len(writes) == 0 {
		return
	}
	for _, set := range u.Sites {
		if !isStatus(set.Event) || !u.hasSubresource(kindOf(set.Event)) || !u.anyOf(writes, set.Place.Object) {
			continue
		}
		write, ok := u.mainWriteAfter(set)
		if !ok || write.Write.Verb == kubeapi.Create && kinds.CreateKeepsStatus(kindOf(set.Event)) {
			continue
		}
		u.judge(set, write)
	}
}

// releases reports whether a write, after which nothing is written, stores that a
// finalizer comes off: then the object goes away with it, as a rule, and nobody
// looks at its status any more.
func (u *unit) releases(write objects.Site) bool {
	for _, s := range u.Sites {
		if s.Kind != objects.Mutated || s.Place.Aspect() != kubeapi.Finalizers || !u.MayBe(s.Place.Object, write.Place.Object) {
			continue
		}
		if call := s.Node.Call(); call != nil {
			if c, ok := kubeapi.FinalizerCallOf(call.Common()); !ok || c.Verb != kubeapi.RemovesFinalizer {
				continue
			}
		} else if !s.Empty {
			continue
		}
		if u.Graph.Reaches(s.Node, write.Node) {
			return true
		}
	}
	return false
}

// writes returns the writes through exactly this endpoint.
func (u *unit) writes(endpoint kubeapi.Endpoint) []objects.Site {
	var writes []objects.Site
	for _, s := range u.Sites {
		if s.Kind == objects.Written && s.Write.Endpoint == endpoint {
			writes = append(writes, s)
		}
	}
	return writes
}

// anyOf reports whether one of the sites may be about the object: otherwise
// there is nothing to search for.
func (u *unit) anyOf(sites []objects.Site, object paths.Object) bool {
	return slices.ContainsFunc(sites, func(s objects.Site) bool { return u.MayBe(s.Place.Object, object) })
}

// Stages of a search; the names that hold the object lie above them.
const (
	pending       = 0
	pendingCopied = 1 // a copy was made since
	stageBits     = 1
)

// visitor is a search's view of one object: what happens to it at a node.
// copied tells that a copy was made on the path; certain, that the event is on
// the object itself and not on something that may be it.
type visitor func(s objects.Site, certain, copied bool) paths.Step

// follow searches the paths after start for what visit finds, with the events
// on one object.
func (u *unit) follow(start *paths.Node, object paths.Object, assume map[ssa.Value]paths.Truth, visit visitor) bool {
	tracker := u.Resolve.Track(object)
	_, found := u.Graph.Search(start, pending, assume, func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
		if tracker.Ends(n) {
			return stage, paths.Prune
		}
		names := paths.Names(stage >> stageBits)
		copied := stage & pendingCopied
		for _, e := range u.At(n) {
			if e.Kind == objects.Reassigned {
				continue // the tracker sees to it
			}
			if e.Kind == objects.HandedOff && holds(e.Place.Object, object) {
				if step := visit(objects.Site{Event: e, Node: n}, false, copied != 0); step != paths.Continue {
					return stage, step
				}
			}
			if !tracker.MayBe(e.Place.Object, names) {
				continue
			}
			certain := tracker.Is(e.Place.Object, names)
			if e.Kind == objects.Copied && certain {
				copied = pendingCopied
			}
			if step := visit(objects.Site{Event: e, Node: n}, certain, copied != 0); step != paths.Continue {
				return stage, step
			}
		}
		return int(tracker.Step(n, known, names))<<stageBits | copied, paths.Continue
	})
	return found
}

// mainWriteAfter returns the first write through the main endpoint that a
// status change reaches while it is in memory only.
func (u *unit) mainWriteAfter(set objects.Site) (write objects.Site, found bool) {
	found = u.follow(set.Node, set.Place.Object, u.Changed(u.Unit, set.Node, set.Place), func(s objects.Site, certain, copied bool) paths.Step {
		switch {
		case s.Kind == objects.Touched && isWholeStatus(s.Place):
			return paths.Prune // somebody else has it, who may write it
		case !interrupts(s.Event):
			return paths.Continue
		case !certain || s.Kind != objects.Written || s.Write.Endpoint != kubeapi.MainEndpoint:
			return paths.Prune
		case s.ViaCopy && !copied, s.Write.Partial:
			return paths.Continue // a copy from before the change, or a patch of something else
		}
		write = s
		return paths.Found
	})
	return write, found
}

// isWholeStatus reports whether a place is the status of an object.
func isWholeStatus(p paths.Place) bool {
	return len(p.Sub) == 1 && p.Aspect() == kubeapi.Status
}

// interrupts reports whether an event ends what is known of an object.
func interrupts(e objects.Event) bool {
	switch e.Kind {
	case objects.Written, objects.Refreshed, objects.HandedOff:
		return true
	}
	return false
}

// judge decides what a main write that follows a status change means.
func (u *unit) judge(set, write objects.Site) {
	again, status := u.after(write.Node, write.Place.Object)
	inMemory := write.Write.InMemory
	if answer := u.answer(write); answer != nil && !again {
		// What a typed client returns often takes the object's place.
		var ofAnswer *objects.Site
		again, ofAnswer = u.after(u.nodeOf(answer, write.Node), u.Resolve.Place(answer).Object)
		if status == nil && ofAnswer != nil {
			status, inMemory = ofAnswer, true
		}
	}
	switch {
	case again:
		// The status is set again, or may be: it was saved before, or the
		// write was for something else.
	case status != nil && inMemory:
		u.reportLost(set, write, *status)
	case status != nil:
		// The object in memory still has the status; this write persists it.
	case !inMemory && u.storedByCaller(set.Place.Object) && !u.takesPlace(write, set.Place.Object):
		// A typed client leaves the caller's object as it is.
	case u.releases(write):
	case write.Via != nil && inMemory && u.storedByCaller(set.Place.Object) && !u.report.Strict():
		// Whether the helper comes to write at all is a question of what the
		// callers know, and if it does, their own write of the status starts
		// from what is stored.
	default:
		u.reportDropped(set, write)
	}
}

// nodeOf returns the node that computes v in the frame of another node.
func (u *unit) nodeOf(v ssa.Value, in *paths.Node) *paths.Node {
	if instr, ok := v.(ssa.Instruction); ok {
		for _, n := range u.Graph.At(instr) {
			if n.Frame == in.Frame {
				return n
			}
		}
	}
	return in
}

// takesPlace reports whether the object that a call returns is stored where
// object was.
func (u *unit) takesPlace(write objects.Site, object paths.Object) bool {
	for _, answer := range paths.Results(write.Node, kubeapi.IsObject) {
		for _, ref := range *answer.Referrers() {
			if store, ok := ref.(*ssa.Store); ok && store.Val == answer && u.Resolve.Place(store.Addr).Object == object {
				return true
			}
		}
	}
	return false
}

// answer returns the object that a typed client's call returns, or nil.
func (u *unit) answer(write objects.Site) ssa.Value {
	call, ok := write.Node.Call().(*ssa.Call)
	if !ok || write.Via != nil {
		return nil
	}
	if op, ok := u.ClientOp(call.Common()); !ok || !op.Result {
		return nil
	}
	for _, v := range paths.Results(write.Node, kubeapi.IsObject) {
		return v
	}
	return nil
}

func isParameter(o paths.Object) bool {
	_, ok := o.Root.(*ssa.Parameter)
	return ok
}

// after tells whether the status of an object is set again after a successful
// main write, or the object goes out of sight, and the first status write that follows.
func (u *unit) after(write *paths.Node, object paths.Object) (again bool, status *objects.Site) {
	again = u.follow(write, object, succeeded(write), func(s objects.Site, _, _ bool) paths.Step {
		switch {
		case s.Kind == objects.Mutated && s.Place.Aspect() == kubeapi.Status, s.Kind == objects.HandedOff, s.Kind == objects.Touched:
			return paths.Found
		case s.Kind == objects.Refreshed:
			return paths.Prune
		case s.Kind == objects.Written && s.Write.Endpoint&kubeapi.StatusEndpoint != 0:
			if status == nil {
				status = &s
			}
			return paths.Prune
		}
		return paths.Continue
	})
	return again, status
}

// succeeded is what is known after a call that returned no error.
func succeeded(n *paths.Node) map[ssa.Value]paths.Truth { return errorIs(n, paths.False) }

// errorIs gives the error of a call a truth: True for an error.
func errorIs(n *paths.Node, t paths.Truth) map[ssa.Value]paths.Truth {
	assume := make(map[ssa.Value]paths.Truth)
	for _, err := range errorsOf(n) {
		assume[err] = t
	}
	return assume
}

// errorsOf returns the values that hold a call's error.
func errorsOf(n *paths.Node) []ssa.Value { return paths.Results(n, kubeapi.IsError) }

func (u *unit) reportDropped(set, write objects.Site) {
	kind := typeName(kindOf(set.Event))
	verb := u.verb(write)
	var message string
	var harm rule.Harm
	switch {
	case write.Write.Verb == kubeapi.Create && u.saysNothing(set.Place.Object):
		harm = rule.Hygiene
		message = fmt.Sprintf("status set %s is dropped: %s stores the %s without its status, which means the same here; leave it out",
			u.where(set), verb, kind)
	case write.Write.Verb == kubeapi.Create:
		message = fmt.Sprintf("status set %s is dropped: %s stores the %s without its status; set it afterwards with %s",
			u.where(set), verb, kind, u.statusCall(write))
	default:
		message = fmt.Sprintf("status set %s is dropped: %s writes only spec and metadata of the %s; use %s",
			u.where(set), verb, kind, u.statusCall(write))
	}
	pos, end := u.span(write.Node)
	u.report.Report(rule.Finding{
		Pos: pos, End: end, Category: droppedByUpdate, Message: message, Harm: harm,
		Related: []analysis.RelatedInformation{u.related(set, "the status is set here")},
		Fix:     u.statusFix(set, write),
	})
}

func (u *unit) reportLost(set, write, status objects.Site) {
	pos, end := u.span(write.Node)
	u.report.Report(rule.Finding{
		Pos: pos, End: end, Category: lostOnUpdate,
		Message: fmt.Sprintf("status set %s is lost: %s overwrites this %s with what is stored, and line %d writes that back; set it afterwards",
			u.where(set), u.verb(write), typeName(kindOf(set.Event)), u.line(status.Node.Instr.Pos())),
		Related: []analysis.RelatedInformation{
			u.related(set, "the status is set here"),
			u.related(status, "the stored status is written back here"),
		},
	})
}

// verb names the write as the code does.
func (u *unit) verb(write objects.Site) string {
	if write.Via != nil {
		return fmt.Sprintf("%s (in %s)", write.Write.Verb, write.Via.Name())
	}
	if call := write.Node.Call(); call != nil {
		if fn := kubeapi.Callee(call.Common()); fn != nil {
			return fn.Name()
		}
	}
	return string(write.Write.Verb)
}

// statusCall names the call to use instead.
func (u *unit) statusCall(write objects.Site) string {
	typed := false
	if call := write.Node.Call(); call != nil {
		if op, ok := u.ClientOp(call.Common()); ok {
			typed = op.Result
		}
	}
	switch {
	case typed && write.Write.Verb == kubeapi.Patch:
		return `Patch with the subresource "status"`
	case typed && write.Write.Verb == kubeapi.Apply:
		return "ApplyStatus"
	case typed:
		return "UpdateStatus"
	case write.Write.Verb == kubeapi.Patch:
		return "Status().Patch"
	case write.Write.Verb == kubeapi.Apply:
		return "Status().Apply"
	}
	return "Status().Update"
}

// fallback finds a full write that stands in for a failed status write:
// whatever the error was, it "succeeds" and drops the status.
func (u *unit) fallback() {
	for _, status := range u.Sites {
		if status.Kind != objects.Written || status.Write.Endpoint != kubeapi.StatusEndpoint ||
			status.Write.Verb != kubeapi.Update || !u.hasSubresource(kindOf(status.Event)) {
			continue
		}
		errs := errorsOf(status.Node)
		if len(errs) == 0 {
			continue
		}
		write, found := u.fallbackAfter(status, errs)
		if !found {
			continue
		}
		pos, end := u.span(write.Node)
		u.report.Report(rule.Finding{
			Pos: pos, End: end, Category: droppedByUpdate,
			Message: fmt.Sprintf("status of the %s is dropped whenever line %d fails: this %s then succeeds without storing it; return the error, or fall back on NotFound only",
				typeName(kindOf(status.Event)), u.line(status.Node.Instr.Pos()), u.verb(write)),
			Related: []analysis.RelatedInformation{u.related(status, "the status write that failed")},
		})
	}
}

// fallbackAfter returns the full write that follows a failed status write on a
// path that does not look at the error.
func (u *unit) fallbackAfter(status objects.Site, errs []ssa.Value) (write objects.Site, found bool) {
	_, found = u.Graph.Search(status.Node, 0, errorIs(status.Node, paths.True), func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
		if known.Of(errs[0]) != paths.True || u.inspects(n.Instr, errs) {
			return stage, paths.Prune
		}
		for _, e := range u.At(n) {
			if !u.MayBe(e.Place.Object, status.Place.Object) {
				continue
			}
			if e.Kind == objects.Written && e.Write.Verb == kubeapi.Update && e.Write.Endpoint == kubeapi.MainEndpoint &&
				e.Place.Object == status.Place.Object && e.Via == nil {
				write = objects.Site{Event: e, Node: n}
				return stage, paths.Found
			}
			if e.Kind != objects.Touched && e.Kind != objects.Copied {
				return stage, paths.Prune
			}
		}
		return stage, paths.Continue
	})
	return write, found
}

// inspects reports whether a call looks at one of the errors, as
// apierrors.IsNotFound(err) and errors.Is(err, …) do.
func (u *unit) inspects(instr ssa.Instruction, errs []ssa.Value) bool {
	call, ok := instr.(*ssa.Call)
	if !ok || !types.Identical(call.Type(), types.Typ[types.Bool]) {
		return false
	}
	for _, arg := range call.Common().Args {
		if slices.Contains(errs, arg) || slices.Contains(errs, u.Calls.Returned(calls.Behind(arg))) {
			return true
		}
	}
	return false
}

// describe joins aspects for a message.
func describe(a kubeapi.Aspect) string { return strings.ReplaceAll(a.String(), " and ", ", ") }
