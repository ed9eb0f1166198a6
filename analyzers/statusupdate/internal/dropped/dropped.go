// Package dropped finds changes of the status that an update of the object drops.
package dropped

import (
	"cmp"
	"fmt"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/statusupdate/internal/subject"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/finalizers"
	"github.com/opvet/opvet/internal/passes/kinds"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/report/rule"
)

// unit is what this package asks about, with what it has found.
type unit struct {
	*subject.Function
	found []rule.Finding
}

// Report reports changes of the status that an update drops, also one that is tried
// where the status could not be written.
func Report(in *subject.Function) {
	u := &unit{Function: in}
	u.dropped()
	u.fallback()
	// Of several changes that one write drops, the worst is told.
	slices.SortStableFunc(u.found, func(a, b rule.Finding) int { return cmp.Compare(b.Harm, a.Harm) })
	for _, f := range u.found {
		u.Report.Report(f)
	}
}

// dropped finds status that is set and then sent to the main endpoint:
// status set → (no status write, nothing unknown) → main write.
func (u *unit) dropped() {
	writes := u.Writes(kubeapi.MainEndpoint)
	if len(writes) == 0 {
		return
	}
	for _, set := range u.Sites {
		if !subject.IsStatus(set.Event) || !u.HasSubresource(subject.KindOf(set.Event)) || !u.AnyOf(writes, set.Place.Object) {
			continue
		}
		if !u.Report.Strict() && u.isCarriedOver(set) {
			continue
		}
		write, ok := u.mainWriteAfter(set)
		if !ok || write.Write.Verb == kubeapi.Create && kinds.CreateKeepsStatus(subject.KindOf(set.Event)) {
			continue
		}
		u.judge(set, write)
	}
}

// releases reports whether a write, after which nothing is written, stores that a
// finalizer comes off: then the object goes away with it, as a rule, and nobody
// looks at its status any more. A helper that puts it on as well does not tell.
func (u *unit) releases(write objects.Site) bool {
	for _, n := range u.Graph.Nodes {
		if n != write.Node && !u.Graph.Reaches(n, write.Node) {
			continue
		}
		takesOff, putsOn := false, false
		for _, c := range u.Finalizers.Changes(n.Instr) {
			if u.MayBe(c.Object, write.Place.Object) {
				takesOff = takesOff || c.Kind == finalizers.Removed || c.Kind == finalizers.Emptied
				putsOn = putsOn || c.Kind == finalizers.Added || c.Kind == finalizers.Replaced
			}
		}
		if takesOff && !putsOn {
			return true
		}
	}
	return false
}

// mainWriteAfter returns the first write through the main endpoint that a
// status change reaches while it is in memory only.
func (u *unit) mainWriteAfter(set objects.Site) (write objects.Site, found bool) {
	kind := subject.KindOf(set.Event)
	settled := func(h objects.Here) paths.Step {
		stores := func(e objects.Event) bool { return e.WrittenTo(kubeapi.MainEndpoint) }
		if h.Node != set.Node && !slices.ContainsFunc(u.At(h.Node), stores) && u.SettlesStatus(h.Node, kind, h.MayBe) {
			return paths.Prune // a helper has it, which writes the status of a copy that it has read
		}
		return paths.Continue
	}
	_, found = u.Follow(u.Unit, set.Node, set.Place.Object, u.Changed(u.Unit, set.Node, set.Place), settled, func(s objects.Seen) paths.Step {
		switch {
		case s.Kind == objects.Touched && isWholeStatus(s.Place):
			return paths.Prune // somebody else has it, who may write it
		case !subject.Interrupts(s.Event):
			return paths.Continue
		case !s.Certain || s.Kind != objects.Written || s.Write.Endpoint != kubeapi.MainEndpoint:
			return paths.Prune
		case s.ViaCopy && !s.Copied, s.Write.Partial:
			return paths.Continue // a copy from before the change, or a patch of something else
		}
		write = s.Site
		return paths.Found
	})
	return write, found
}

// isWholeStatus reports whether a place is the status of an object.
func isWholeStatus(p paths.Place) bool {
	return len(p.Sub) == 1 && p.Aspect() == kubeapi.Status
}

// judge decides what a main write that follows a status change means.
func (u *unit) judge(set, write objects.Site) {
	again, status := u.After(write.Node, write.Place.Object, set.Place.Sub)
	inMemory := write.Write.InMemory
	if answer := u.answer(write); answer != nil && !again {
		// What a typed client returns often takes the object's place.
		var ofAnswer *objects.Site
		again, ofAnswer = u.After(u.nodeOf(answer, write.Node), u.Resolve.Place(answer).Object, set.Place.Sub)
		if status == nil && ofAnswer != nil {
			status, inMemory = ofAnswer, true
		}
	}
	switch {
	case again:
		// The status is set again, or may be: it was saved before, or the
		// write was for something else.
	case u.releases(write), u.isEitherOf(set, write), u.isKept(set, write):
	case !u.Report.Strict() && u.mayNotWrite(write, 0):
		// Whether the helper comes to write is a question of what it finds.
	case status != nil && write.Write.InMemory && u.keepsInMemory(write):
		// The status that is written afterwards is the one that was set.
	case status != nil && inMemory:
		u.reportLost(set, write, *status)
	case status != nil:
		// The object in memory still has the status; this write persists it.
	case !inMemory && u.StoredByCaller(set.Place.Object) && !u.takesPlace(write, set.Place.Object):
		// A typed client leaves the caller's object as it is.
	case write.Via != nil && inMemory && u.StoredByCaller(set.Place.Object) && !u.Report.Strict():
		// Whether the helper comes to write at all is a question of what the
		// callers know, and if it does, their own write of the status starts
		// from what is stored.
	default:
		u.reportDropped(set, write)
	}
}

// isEitherOf reports whether one call sets the status and writes: a loop over
// functions, which may well come to the one that writes first, and to each once.
func (u *unit) isEitherOf(set, write objects.Site) bool {
	call := write.Node.Call()
	return set.Node == write.Node && call != nil && len(u.Calls.Callees(call).Funcs) > 1
}

// keepsInMemory reports whether an object in memory still has its status after a Create.
// The API server drops the status of a custom resource, and its answer is JSON without
// one, which leaves that field of the object alone. Of Kubernetes' own kinds it is
// protobuf, which resets the object first.
func (u *unit) keepsInMemory(write objects.Site) bool {
	kind := subject.KindOf(write.Event)
	return write.Write.Verb == kubeapi.Create && kind != nil && !kubeapi.IsBuiltin(kubeapi.KindID(kind))
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
		for store := range blocks.UsesOf[*ssa.Store](answer) {
			if store.Val == answer && u.Resolve.Place(store.Addr).Object == object {
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

func (u *unit) reportDropped(set, write objects.Site) {
	if !u.isSubresourceInProject(subject.KindOf(set.Event)) {
		return
	}
	kind := subject.TypeName(subject.KindOf(set.Event))
	how := "%s writes only spec and metadata of the %s; use %s"
	if write.Write.Verb == kubeapi.Create {
		how = "%s stores the %s without its status; set it afterwards with %s"
	}
	message := fmt.Sprintf("status set %s is dropped: "+how, u.Where(set), u.verb(write), kind, u.statusCall(write))
	pos, end := u.Span(write.Node)
	u.found = append(u.found, rule.Finding{
		Pos: pos, End: end, Category: subject.DroppedByUpdate, Message: message, Harm: u.harm(set, write),
		Related: []analysis.RelatedInformation{u.Related(set, "the status is set here")},
		Fix:     u.statusFix(set, write),
	})
}

// isSubresourceInProject reports whether no CRD of the project, or of the module that declares the kind, contradicts
// what its marker says: what is installed counts.
func (u *unit) isSubresourceInProject(kind *types.Named) bool {
	if kind == nil || u.Manifests.Of(kind) == kinds.Yes || kubeapi.IsBuiltin(kubeapi.KindID(kind)) {
		return true
	}
	inProject := u.Project().Of(kind)
	return inProject == kinds.Yes || inProject == kinds.Unknown && u.Declaring(kind).Of(kind) != kinds.No
}

func (u *unit) reportLost(set, write, status objects.Site) {
	pos, end := u.Span(write.Node)
	u.found = append(u.found, rule.Finding{
		Pos: pos, End: end, Category: subject.LostOnUpdate, Harm: u.harmOfLost(set, write),
		Message: fmt.Sprintf("status set %s is lost: %s overwrites this %s with what is stored, and line %d writes that back; set it afterwards",
			u.Where(set), u.verb(write), subject.TypeName(subject.KindOf(set.Event)), u.Line(status.Node.Instr.Pos())),
		Related: []analysis.RelatedInformation{
			u.Related(set, "the status is set here"),
			u.Related(status, "the stored status is written back here"),
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
	verb := write.Write.Verb
	if verb != kubeapi.Patch && verb != kubeapi.Apply {
		verb = kubeapi.Update
	}
	if call := write.Node.Call(); call != nil {
		if op, ok := u.ClientOp(call.Common()); ok && op.Result {
			if verb == kubeapi.Patch {
				return `Patch with the subresource "status"`
			}
			return string(verb) + "Status"
		}
	}
	return "Status()." + string(verb)
}

// fallback finds a full write that stands in for a failed status write:
// whatever the error was, it "succeeds" and drops the status.
func (u *unit) fallback() {
	for _, status := range u.Sites {
		if status.Kind != objects.Written || status.Write.Endpoint != kubeapi.StatusEndpoint ||
			status.Write.Verb != kubeapi.Update || !u.HasSubresource(subject.KindOf(status.Event)) {
			continue
		}
		errs := paths.Results(status.Node, kubeapi.IsError)
		if len(errs) == 0 {
			continue
		}
		write, found := u.fallbackAfter(status, errs)
		if !found {
			continue
		}
		pos, end := u.Span(write.Node)
		u.found = append(u.found, rule.Finding{
			Pos: pos, End: end, Category: subject.DroppedByUpdate,
			Message: fmt.Sprintf("status of the %s is dropped if line %d fails but for a conflict: this %s succeeds without storing it; return the error, or do this on NotFound only",
				subject.TypeName(subject.KindOf(status.Event)), u.Line(status.Node.Instr.Pos()), u.verb(write)),
			Harm:    rule.Hygiene, // it takes an error that the other write, a moment later, does not meet
			Related: []analysis.RelatedInformation{u.Related(status, "the status write that failed")},
		})
	}
}

// fallbackAfter returns the full write that follows a failed status write on a
// path that does not look at the error.
func (u *unit) fallbackAfter(status objects.Site, errs []ssa.Value) (write objects.Site, found bool) {
	_, found = u.Graph.Search(status.Node, 0, paths.ErrorIs(status.Node, paths.True), func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
		if known.Of(errs[0]) != paths.True || u.inspects(n.Instr, errs) || blocks.Precedes(n.Instr, status.Node.Instr) {
			return stage, paths.Prune // what comes before belongs to the next attempt
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

// maxReturned bounds the literals that return one error.
const maxReturned = 5

// inspects reports whether a call looks at one of the errors, as
// apierrors.IsNotFound(err) and errors.Is(err, …) do.
func (u *unit) inspects(instr ssa.Instruction, errs []ssa.Value) bool {
	call, ok := instr.(*ssa.Call)
	if !ok || !types.Identical(call.Type(), types.Typ[types.Bool]) {
		return false
	}
	for _, arg := range call.Common().Args {
		for v, steps := arg, 0; v != nil && steps < maxReturned; steps++ {
			if slices.Contains(errs, v) {
				return true
			}
			v = u.Calls.Returned(calls.Behind(v))
		}
	}
	return false
}
