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

// Stages of the search for the main write.
const (
	pending = iota
	pendingCopied
)

// mainWriteAfter returns the first write through the main endpoint that a
// status change reaches while it is in memory only.
func (u *unit) mainWriteAfter(set site) (write site, found bool) {
	object := set.Place.Object
	_, found = u.graph.Search(set.node, pending, changed(set.node), func(n *flow.Node, stage int, _ flow.Known) (int, flow.Step) {
		if defines(n, object) {
			return stage, flow.Prune
		}
		for _, e := range u.events[n] {
			if e.Place.Object != object {
				if u.MayBe(e.Place.Object, object) && interrupts(e) {
					return stage, flow.Prune
				}
				continue
			}
			switch e.Kind {
			case summary.Copied:
				stage = pendingCopied
			case summary.Written:
				if e.Write.Endpoint != kubeapi.MainEndpoint {
					return stage, flow.Prune
				}
				if e.ViaCopy && stage != pendingCopied {
					continue // a copy from before the change
				}
				write = site{e, n}
				return stage, flow.Found
			case summary.Refreshed, summary.HandedOff, summary.Reassigned:
				return stage, flow.Prune
			}
		}
		return stage, flow.Continue
	})
	return write, found
}

// interrupts reports whether an event on what may be the object ends all
// certainty about it.
func interrupts(e summary.Event) bool {
	switch e.Kind {
	case summary.Written, summary.Refreshed, summary.HandedOff, summary.Reassigned:
		return true
	}
	return false
}

// defines reports whether a node makes the object anew, as a loop does.
func defines(n *flow.Node, o flow.Object) bool {
	v, ok := n.Instr.(ssa.Value)
	return ok && v == o.Root
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
	object := write.Place.Object
	_, again = u.graph.Search(write.node, 0, succeeded(write.node), func(n *flow.Node, stage int, _ flow.Known) (int, flow.Step) {
		if defines(n, object) {
			return stage, flow.Prune
		}
		for _, e := range u.events[n] {
			if !u.MayBe(e.Place.Object, object) {
				continue
			}
			switch {
			case e.Kind == summary.Mutated && e.Place.Aspect() == kubeapi.Status,
				e.Kind == summary.HandedOff:
				return stage, flow.Found
			case e.Kind == summary.Touched && status == nil:
				return stage, flow.Found
			case e.Kind == summary.Refreshed:
				return stage, flow.Prune
			case e.Kind == summary.Written && e.Write.Endpoint&kubeapi.StatusEndpoint != 0:
				if status == nil && n != write.node {
					status = &site{e, n}
				}
				return stage, flow.Prune
			}
		}
		return stage, flow.Continue
	})
	return again, status
}

// changed is what is known after a helper has changed something: if it returns
// a bool, it is by convention whether it has.
func changed(n *flow.Node) map[ssa.Value]flow.Truth {
	assume := make(map[ssa.Value]flow.Truth)
	for _, v := range resultsOf(n.Instr, isBool) {
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
	for _, err := range errorsOf(n.Instr) {
		assume[err] = t
	}
	return assume
}

// errorsOf returns the values that hold a call's error.
func errorsOf(instr ssa.Instruction) []ssa.Value { return resultsOf(instr, kubeapi.IsError) }

// resultsOf returns the values that hold the results of a call whose type is
// wanted.
func resultsOf(instr ssa.Instruction, wanted func(types.Type) bool) []ssa.Value {
	call, ok := instr.(*ssa.Call)
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
	pos, end := u.span(write.node.Instr)
	u.report.Report(rule.Finding{
		Pos: pos, End: end, Category: droppedByUpdate, Message: message,
		Related: []analysis.RelatedInformation{u.related(set, "the status is set here")},
		Fix:     u.statusFix(set, write),
	})
}

func (u *unit) reportLost(set, write, status site) {
	pos, end := u.span(write.node.Instr)
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
	if call, ok := write.node.Instr.(ssa.CallInstruction); ok {
		if fn := kubeapi.Callee(call.Common()); fn != nil {
			return fn.Name()
		}
	}
	return string(write.Write.Verb)
}

// statusCall names the call to use instead.
func statusCall(write site) string {
	typed := false
	if call, ok := write.node.Instr.(ssa.CallInstruction); ok {
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
		errs := errorsOf(status.node.Instr)
		if len(errs) == 0 {
			continue
		}
		var write site
		_, found := u.graph.Search(status.node, 0, errorIs(status.node, flow.True), func(n *flow.Node, stage int, known flow.Known) (int, flow.Step) {
			if known.Of(errs[0]) != flow.True || inspects(n.Instr, errs) {
				return stage, flow.Prune
			}
			for _, e := range u.events[n] {
				if !u.MayBe(e.Place.Object, status.Place.Object) {
					continue
				}
				if e.Kind == summary.Written && e.Write == (summary.Write{Verb: kubeapi.Update, Endpoint: kubeapi.MainEndpoint, InMemory: e.Write.InMemory}) &&
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
		if !found {
			continue
		}
		pos, end := u.span(write.node.Instr)
		u.report.Report(rule.Finding{
			Pos: pos, End: end, Category: droppedByUpdate,
			Message: fmt.Sprintf("when the status write on line %d fails, for whatever reason, this %s stands in for it, succeeds and drops the status of %s (status is a subresource); return the error, or fall back on NotFound only",
				u.line(status.node.Instr.Pos()), u.verb(write), typeName(kindOf(status.Event))),
			Related: []analysis.RelatedInformation{u.related(status, "the status write that failed")},
		})
	}
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
