package statusupdate

import (
	"fmt"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/flow"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/rule"
	"github.com/opvet/opvet/internal/summary"
)

// dropped finds status that is set and then sent to the main endpoint:
// status set → (no status write, nothing unknown) → main write.
func (u *unit) dropped() {
	for _, set := range u.sites {
		if !isStatus(set.Event) || !u.hasSubresource(kindOf(set.Event)) {
			continue
		}
		if write, ok := u.mainWriteAfter(set); ok {
			u.judge(set, write)
		}
	}
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
type visitor func(s site, certain, copied bool) flow.Step

// follow searches the paths after start for what visit finds, with the events
// on one object.
func (u *unit) follow(start *flow.Node, object flow.Object, assume map[ssa.Value]flow.Truth, visit visitor) bool {
	tracker := u.Resolve.Track(object)
	_, found := u.graph.Search(start, pending, assume, func(n *flow.Node, stage int, known flow.Known) (int, flow.Step) {
		if tracker.Ends(n) {
			return stage, flow.Prune
		}
		names := flow.Names(stage >> stageBits)
		copied := stage & pendingCopied
		for _, e := range u.events[n] {
			if e.Kind == summary.Reassigned || !tracker.MayBe(e.Place.Object, names) {
				continue
			}
			certain := tracker.Is(e.Place.Object, names)
			if e.Kind == summary.Copied && certain {
				copied = pendingCopied
			}
			if step := visit(site{e, n}, certain, copied != 0); step != flow.Continue {
				return stage, step
			}
		}
		return int(tracker.Step(n, known, names))<<stageBits | copied, flow.Continue
	})
	return found
}

// mainWriteAfter returns the first write through the main endpoint that a
// status change reaches while it is in memory only.
func (u *unit) mainWriteAfter(set site) (write site, found bool) {
	found = u.follow(set.node, set.Place.Object, changed(set.node), func(s site, certain, copied bool) flow.Step {
		switch {
		case !interrupts(s.Event):
			return flow.Continue
		case !certain || s.Kind != summary.Written || s.Write.Endpoint != kubeapi.MainEndpoint:
			return flow.Prune
		case s.ViaCopy && !copied:
			return flow.Continue // a copy from before the change
		}
		write = s
		return flow.Found
	})
	return write, found
}

// interrupts reports whether an event ends what is known of an object.
func interrupts(e summary.Event) bool {
	switch e.Kind {
	case summary.Written, summary.Refreshed, summary.HandedOff:
		return true
	}
	return false
}

// judge decides what a main write that follows a status change means.
func (u *unit) judge(set, write site) {
	again, status := u.after(write)
	switch {
	case again:
		// The status is set again, or may be: it was saved before, or the
		// write was for something else.
	case status != nil && write.Write.InMemory:
		u.reportLost(set, write, *status)
	case status != nil:
		// The object in memory still has the status; this write persists it.
	case !write.Write.InMemory && isParameter(set.Place.Object) && !write.ViaCopy:
		// A typed client leaves the caller's object as it is: the caller may
		// yet write its status.
	default:
		u.reportDropped(set, write)
	}
}

func isParameter(o flow.Object) bool {
	_, ok := o.Root.(*ssa.Parameter)
	return ok
}

// after tells whether the status is set again after a successful main write,
// or the object goes out of sight, and the first status write that follows.
func (u *unit) after(write site) (again bool, status *site) {
	again = u.follow(write.node, write.Place.Object, succeeded(write.node), func(s site, _, _ bool) flow.Step {
		switch {
		case s.Kind == summary.Mutated && s.Place.Aspect() == kubeapi.Status, s.Kind == summary.HandedOff, s.Kind == summary.Touched:
			return flow.Found
		case s.Kind == summary.Refreshed:
			return flow.Prune
		case s.Kind == summary.Written && s.Write.Endpoint&kubeapi.StatusEndpoint != 0:
			if status == nil {
				status = &s
			}
			return flow.Prune
		}
		return flow.Continue
	})
	return again, status
}

// changed is what is known after a helper has changed something: if it returns
// a bool, it is by convention whether it has.
func changed(n *flow.Node) map[ssa.Value]flow.Truth {
	assume := make(map[ssa.Value]flow.Truth)
	for _, v := range resultsOf(n, isBool) {
		assume[v] = flow.True
	}
	return assume
}

func isBool(t types.Type) bool { return types.Identical(t, types.Typ[types.Bool]) }

// succeeded is what is known after a call that returned no error.
func succeeded(n *flow.Node) map[ssa.Value]flow.Truth { return errorIs(n, flow.False) }

// errorIs gives the error of a call a truth: True for an error.
func errorIs(n *flow.Node, t flow.Truth) map[ssa.Value]flow.Truth {
	assume := make(map[ssa.Value]flow.Truth)
	for _, err := range errorsOf(n) {
		assume[err] = t
	}
	return assume
}

// errorsOf returns the values that hold a call's error.
func errorsOf(n *flow.Node) []ssa.Value { return resultsOf(n, kubeapi.IsError) }

// resultsOf returns the values that hold the results of a call whose type is
// wanted.
func resultsOf(n *flow.Node, wanted func(types.Type) bool) []ssa.Value {
	call, ok := n.Call().(*ssa.Call)
	if !ok {
		return nil
	}
	tuple, ok := call.Type().(*types.Tuple)
	if !ok {
		if wanted(call.Type()) {
			return []ssa.Value{call}
		}
		return nil
	}
	var found []ssa.Value
	if call.Referrers() != nil {
		for _, ref := range *call.Referrers() {
			if extract, ok := ref.(*ssa.Extract); ok && wanted(tuple.At(extract.Index).Type()) {
				found = append(found, extract)
			}
		}
	}
	return found
}

func (u *unit) reportDropped(set, write site) {
	kind := typeName(kindOf(set.Event))
	verb := u.verb(write)
	var message string
	switch write.Write.Verb {
	case kubeapi.Create:
		message = fmt.Sprintf("status set %s is dropped: %s stores %s without its status (status is a subresource); set it after the create and call %s",
			u.where(set), verb, kind, statusCall(write))
	default:
		message = fmt.Sprintf("status set %s is dropped: %s writes only spec and metadata of %s (status is a subresource); use %s",
			u.where(set), verb, kind, statusCall(write))
	}
	pos, end := u.span(write.node)
	u.report.Report(rule.Finding{
		Pos: pos, End: end, Category: droppedByUpdate, Message: message,
		Related: []analysis.RelatedInformation{u.related(set, "the status is set here")},
		Fix:     u.statusFix(set, write),
	})
}

func (u *unit) reportLost(set, write, status site) {
	pos, end := u.span(write.node)
	u.report.Report(rule.Finding{
		Pos: pos, End: end, Category: lostOnUpdate,
		Message: fmt.Sprintf("status set %s is lost: the answer to this %s overwrites %s with the stored status, which the status write on line %d then sends back; set the status after this call, or save it before and restore it",
			u.where(set), u.verb(write), typeName(kindOf(set.Event)), u.line(status.node.Instr.Pos())),
		Related: []analysis.RelatedInformation{
			u.related(set, "the status is set here"),
			u.related(status, "the stored status is written back here"),
		},
	})
}

// verb names the write as the code does.
func (u *unit) verb(write site) string {
	if write.Via != nil {
		return fmt.Sprintf("%s (in %s)", write.Write.Verb, write.Via.Name())
	}
	if call := write.node.Call(); call != nil {
		if fn := kubeapi.Callee(call.Common()); fn != nil {
			return fn.Name()
		}
	}
	return string(write.Write.Verb)
}

// statusCall names the call to use instead.
func statusCall(write site) string {
	typed := false
	if call := write.node.Call(); call != nil {
		if op, ok := kubeapi.ClientOp(call.Common()); ok {
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
	for _, status := range u.sites {
		if status.Kind != summary.Written || status.Write.Endpoint != kubeapi.StatusEndpoint ||
			status.Write.Verb != kubeapi.Update || !u.hasSubresource(kindOf(status.Event)) {
			continue
		}
		errs := errorsOf(status.node)
		if len(errs) == 0 {
			continue
		}
		write, found := u.fallbackAfter(status, errs)
		if !found {
			continue
		}
		pos, end := u.span(write.node)
		u.report.Report(rule.Finding{
			Pos: pos, End: end, Category: droppedByUpdate,
			Message: fmt.Sprintf("when the status write on line %d fails, for whatever reason, this %s stands in for it, succeeds and drops the status of %s (status is a subresource); return the error, or fall back on NotFound only",
				u.line(status.node.Instr.Pos()), u.verb(write), typeName(kindOf(status.Event))),
			Related: []analysis.RelatedInformation{u.related(status, "the status write that failed")},
		})
	}
}

// fallbackAfter returns the full write that follows a failed status write on a
// path that does not look at the error.
func (u *unit) fallbackAfter(status site, errs []ssa.Value) (write site, found bool) {
	_, found = u.graph.Search(status.node, 0, errorIs(status.node, flow.True), func(n *flow.Node, stage int, known flow.Known) (int, flow.Step) {
		if known.Of(errs[0]) != flow.True || inspects(n.Instr, errs) {
			return stage, flow.Prune
		}
		for _, e := range u.events[n] {
			if !u.MayBe(e.Place.Object, status.Place.Object) {
				continue
			}
			if e.Kind == summary.Written && e.Write.Verb == kubeapi.Update && e.Write.Endpoint == kubeapi.MainEndpoint &&
				e.Place.Object == status.Place.Object && e.Via == nil {
				write = site{e, n}
				return stage, flow.Found
			}
			if e.Kind != summary.Touched && e.Kind != summary.Copied {
				return stage, flow.Prune
			}
		}
		return stage, flow.Continue
	})
	return write, found
}

// inspects reports whether a call looks at one of the errors, as
// apierrors.IsNotFound(err) and errors.Is(err, …) do.
func inspects(instr ssa.Instruction, errs []ssa.Value) bool {
	call, ok := instr.(*ssa.Call)
	if !ok || !types.Identical(call.Type(), types.Typ[types.Bool]) {
		return false
	}
	for _, arg := range call.Common().Args {
		for _, err := range errs {
			if arg == err {
				return true
			}
		}
	}
	return false
}

// describe joins aspects for a message.
func describe(a kubeapi.Aspect) string { return strings.ReplaceAll(a.String(), " and ", ", ") }
