// Package foreign finds changes that take the finalizers of other controllers off as well.
package foreign

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/finalizerremoval/internal/fate"
	"github.com/opvet/opvet/analyzers/finalizerremoval/internal/subject"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/finalizers"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/report/rule"
)

// unit is what this package asks about.
type unit struct{ *subject.Function }

// ReportAnywhere does so in functions that change no finalizers that are known.
func ReportAnywhere(in *subject.Function) {
	u := &unit{in}
	u.filtered()
	u.rebuilt()
}

// Report finds changes that take other controllers' finalizers off.
func Report(in *subject.Function) {
	u := &unit{in}
	for _, ch := range u.Changes {
		if ch.Via != nil && ch.Persisted && !ofAnyKind(ch.Via) {
			continue // it is reported in the helper
		}
		switch ch.Kind {
		case finalizers.Emptied:
			u.emptied(ch)
		case finalizers.Replaced:
			u.replaced(ch)
		}
	}
}

// ofAnyKind reports whether a helper takes objects of any kind: then its
// caller knows which it is.
func ofAnyKind(fn *types.Func) bool {
	return kubeapi.AnyIs(fn.Signature().Params(), func(t types.Type) bool { return types.IsInterface(t) && kubeapi.IsObject(t) })
}

// emptied is a list that is set to nothing. On kinds that the package has no
// finalizers of its own on it may be meant: to get rid of an object by force.
func (u *unit) emptied(ch subject.Change) {
	own := ch.Type != nil && u.OwnKinds[kubeapi.KindID(ch.Type)] || u.asksHere(ch)
	if !own && !u.Report.Strict() || u.asksForLength(ch) || !u.isStored(ch) || u.LiveAt(ch.Node, ch.Object) || u.refilled(ch) {
		return
	}
	u.reportForeign(ch, 0, "all of them are removed here; remove only your own (controllerutil.RemoveFinalizer)")
}

// refilled reports whether finalizers that are not known are put back after the list was
// emptied: those that a loop keeps, here or in a helper.
func (u *unit) refilled(ch subject.Change) bool {
	return slices.ContainsFunc(u.Changes, func(later subject.Change) bool {
		return later.Kind == finalizers.Added && !later.Name.Known() && u.MayBe(later.Object, ch.Object) && u.Graph.Reaches(ch.Node, later.Node)
	})
}

// replaced is a list that takes the place of an object's own. One that is written
// down in a patch is finalizerpatch's matter.
func (u *unit) replaced(ch subject.Change) {
	if u.isPatch(ch) || u.asksForLength(ch) || !u.isStored(ch) || u.isNew(ch) {
		return
	}
	var harm rule.Harm
	if ch.Type != nil && u.Calls.SameModule(ch.Type.Obj().Pkg()) {
		harm = rule.Hygiene // nobody else puts any on it, as a rule; kubectl does so on deletion, when none can be added
	}
	u.reportForeign(ch, harm, "the list is replaced; add your own to it (controllerutil.AddFinalizer)")
}

// isPatch reports whether a change is made by a patch itself.
func (u *unit) isPatch(ch subject.Change) bool {
	call := ch.Node.Call()
	if call == nil || ch.Via != nil {
		return false
	}
	op, ok := u.ClientOp(call.Common())
	return ok && op.Verb == kubeapi.Patch
}

// asksHere reports whether the function looks at the finalizers of the object.
func (u *unit) asksHere(ch subject.Change) bool {
	for call := range u.Asks() {
		if slices.ContainsFunc(kubeapi.Operands(call.Common()), func(v ssa.Value) bool {
			return kubeapi.IsObject(v.Type()) && u.MayBe(u.Resolve.Place(v).Object, ch.Object)
		}) {
			return true
		}
	}
	return false
}

// asksForLength reports whether a change depends on how many finalizers there
// are, so that there may be no foreign ones.
func (u *unit) asksForLength(ch subject.Change) bool {
	return u.Calls.Everywhere(ch.Node.Instr, func(at *calls.Site) bool {
		for branch := range blocks.Above(at.Block()) {
			op, ok := branch.Cond.(*ssa.BinOp)
			if !ok {
				continue
			}
			for _, v := range []ssa.Value{op.X, op.Y} {
				if call, ok := v.(*ssa.Call); ok && calls.IsBuiltin(call, "len") && kubeapi.IsStrings(call.Common().Args[0].Type()) {
					return true
				}
				if kubeapi.IsStrings(v.Type()) {
					return true // finalizers == nil
				}
			}
		}
		return false
	})
}

// isStored reports whether a change is sent to the API server as an update or
// a patch of an object that exists.
func (u *unit) isStored(ch subject.Change) bool {
	if ch.Persisted {
		return true
	}
	_, found := u.Graph.Search(ch.Node, 0, nil, func(n *paths.Node, stage int, _ paths.Known) (int, paths.Step) {
		for _, e := range u.At(n) {
			if !u.MayBe(e.Place.Object, ch.Object) {
				continue
			}
			switch e.Kind {
			case objects.Written:
				if e.Write.Endpoint&kubeapi.MainEndpoint != 0 && (e.Write.Verb == kubeapi.Update || e.Write.Verb == kubeapi.Patch) {
					return stage, paths.Found
				}
				if e.Write.Verb == kubeapi.Create {
					return stage, paths.Prune
				}
			case objects.Refreshed:
				return stage, paths.Prune
			}
		}
		return stage, paths.Continue
	})
	return found
}

// isNew reports whether the object of a change may have been made here, and
// not read.
func (u *unit) isNew(ch subject.Change) bool {
	if ch.Persisted && ch.Kind == finalizers.Replaced {
		return false
	}
	alloc, ok := ch.Object.Root.(*ssa.Alloc)
	if !ok {
		_, isParam := ch.Object.Root.(*ssa.Parameter)
		return !isParam || len(u.Info.Tests(u.Unit, ch.Object)) == 0
	}
	// It is new unless every path reads it first.
	_, unread := u.Graph.Search(nil, 0, nil, func(n *paths.Node, stage int, _ paths.Known) (int, paths.Step) {
		if n == ch.Node {
			return stage, paths.Found
		}
		for _, e := range u.At(n) {
			if e.Kind == objects.Refreshed && e.Place.Object.Root == alloc {
				return stage, paths.Prune
			}
		}
		return stage, paths.Continue
	})
	return unread
}

// filtered finds lists of those to keep that are put together in a loop: a
// finalizer that the loop does not know must be among them.
func (u *unit) filtered() {
	for _, n := range u.Graph.Nodes {
		if n.Joins != nil {
			continue
		}
		place, list, ok := u.Info.Assigned(n.Instr)
		if !ok {
			continue
		}
		element := u.dropsUnknown(u.Info.KeptElements(list))
		ch := subject.Change{Change: finalizers.Change{Kind: finalizers.Removed, Object: place.Object, Type: place.Kind}, Node: n}
		if element == nil || !u.isStored(ch) && u.ParamIndex(place.Object) < 0 || u.deletes(place.Object) && !u.Report.Strict() {
			continue
		}
		u.reportForeign(ch, 0, "the loop keeps only names that it knows; keep all but your own")
	}
}

// dropsUnknown returns the element of a loop over finalizers if a path through
// one round leaves it out although it equals none of the names that it is
// compared with.
func (u *unit) dropsUnknown(elements []ssa.Value) ssa.Value {
	for _, element := range elements {
		instr, ok := element.(ssa.Instruction)
		if !ok {
			continue
		}
		names := make(map[ssa.Value]paths.Truth)
		understood := true
		kept := make(map[ssa.Instruction]bool)
		for ref := range blocks.Uses(element) {
			switch ref := ref.(type) {
			case *ssa.BinOp:
				switch ref.Op {
				case token.EQL:
					names[ref] = paths.False
				case token.NEQ:
					names[ref] = paths.True
				default:
					understood = false
				}
			case *ssa.Store:
				if !fate.IsVarargs(ref.Addr) {
					understood = false
				}
				kept[ref] = true
			case *ssa.Call:
				if !types.Identical(ref.Type(), types.NewTuple()) && !kubeapi.Logs(kubeapi.Callee(ref.Common())) {
					understood = false // what it returns may decide
				}
			case *ssa.MakeInterface, *ssa.DebugRef:
			default:
				understood = false
			}
		}
		if !understood || len(names) == 0 {
			continue
		}
		for _, start := range u.Graph.At(instr) {
			watched := make(map[ssa.Value]paths.Truth)
			for v := range names {
				watched[v] = paths.Unknown
			}
			_, found := u.Graph.Search(start, 0, watched, func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
				for v, truth := range names {
					if have := known.Of(v); have != paths.Unknown && have != truth {
						return stage, paths.Prune // one of ours
					}
				}
				if kept[n.Instr] {
					return stage, paths.Prune
				}
				if _, isReturn := n.Instr.(*ssa.Return); isReturn {
					return stage, paths.Prune
				}
				if n == start {
					return stage, paths.Found // the next round
				}
				return stage, paths.Continue
			})
			if found {
				return element
			}
		}
	}
	return nil
}

// deletes reports whether the function deletes an object itself: who gets rid of it by force
// chooses which finalizers may still hold it back.
func (u *unit) deletes(o paths.Object) bool {
	return slices.ContainsFunc(u.Graph.Nodes, func(n *paths.Node) bool {
		return u.DeletesAt(n, func(deleted paths.Object) bool { return u.MayBe(deleted, o) })
	})
}

func (u *unit) reportForeign(ch subject.Change, harm rule.Harm, cause string) {
	u.Tell(ch.Node, rule.Finding{
		Category: subject.StripsForeign, Harm: harm,
		Message: fmt.Sprintf("other controllers lose their finalizers on %s: %s", u.Object(ch), cause),
	})
}

// rebuilt finds objects that are put together anew, made to look like the one
// that is stored by its resource version, and written over it without its
// finalizers.
func (u *unit) rebuilt() {
	for _, n := range u.Graph.Nodes {
		object, ok := u.takesVersion(n)
		if !ok {
			continue
		}
		var kind *types.Named
		var write *paths.Node
		_, found := u.Graph.Search(n, 0, nil, func(n *paths.Node, stage int, _ paths.Known) (int, paths.Step) {
			for _, e := range u.At(n) {
				if e.Kind == objects.Written && e.Place.Object == object && e.Write.Verb == kubeapi.Update && e.Write.Endpoint == kubeapi.MainEndpoint {
					kind, write = e.Place.Kind, n
					if kind == nil {
						kind = e.Type
					}
					return stage, paths.Found
				}
			}
			return stage, paths.Continue
		})
		if !found || u.carriesOver(object, 0) || kind != nil && !usedByOthers(kind) && !u.Report.Strict() {
			continue
		}
		name, harm := "object", rule.Hygiene // of any kind, also of one that others use
		if kind != nil {
			name, harm = subject.KindName(kind), u.harmTo(kind)
		}
		u.Tell(write, rule.Finding{
			Category: subject.StripsForeign, Harm: harm,
			Message: fmt.Sprintf("other controllers lose their finalizers on the %s: a new one overwrites it (resource version from line %d); change the stored one",
				name, u.Line(n.Instr.Pos())),
			Related: []analysis.RelatedInformation{{Pos: n.Instr.Pos(), Message: "the resource version is taken over here"}},
		})
	}
}

// harmTo tells what overwriting an object of a kind does. What others' finalizers on these
// kinds keep from happening, they put on again as a rule; a load balancer's clean-up is lost for
// good if the Service is one no longer.
func (u *unit) harmTo(kind *types.Named) rule.Harm {
	if kubeapi.KindID(kind) == "k8s.io/api/core/v1.Service" && slices.ContainsFunc(u.Calls.Funcs, u.makesLoadBalancer) {
		return rule.Loss
	}
	return rule.Hygiene
}

// makesLoadBalancer reports whether a function may make a Service one of a load balancer.
func (u *unit) makesLoadBalancer(fn *ssa.Function) bool {
	return blocks.Any(fn, func(store *ssa.Store) bool {
		addr, ok := store.Addr.(*ssa.FieldAddr)
		if !ok || calls.FieldOf(addr.X.Type(), addr.Field).Name() != "Type" || !kubeapi.IsNamed(addr.X.Type(), "k8s.io/api/core/v1", "ServiceSpec") {
			return false
		}
		return (values.Relation{Calls: u.Calls, Steps: values.Package}).Any(store.Val, func(v ssa.Value) bool {
			text, ok := kubeapi.ConstString(v)
			return ok && text == "LoadBalancer"
		})
	})
}

// usedByOthers lists kinds on which Kubernetes' own controllers, or cloud
// providers', put finalizers.
func usedByOthers(kind *types.Named) bool {
	switch kubeapi.KindID(kind) {
	case "k8s.io/api/core/v1.Service", "k8s.io/api/core/v1.PersistentVolumeClaim", "k8s.io/api/core/v1.PersistentVolume",
		"k8s.io/api/core/v1.Pod", "k8s.io/api/core/v1.Namespace", "k8s.io/api/networking/v1.Ingress":
		return true
	}
	return false
}

// takesVersion recognises new.ResourceVersion = old.ResourceVersion and its
// like; object is the new one.
func (u *unit) takesVersion(n *paths.Node) (object paths.Object, ok bool) {
	value, of := kubeapi.VersionSet(n.Instr)
	if of == nil || n.Joins != nil {
		return object, false
	}
	place := u.Resolve.Place(of)
	var source paths.Object
	switch v := value.(type) {
	case *ssa.UnOp:
		addr, ok := v.X.(*ssa.FieldAddr)
		if !ok || !kubeapi.IsMetaField(addr, "ResourceVersion") {
			return object, false
		}
		source = u.Resolve.Place(addr).Object
	case *ssa.Call:
		callee := kubeapi.Callee(v.Common())
		recv, _ := kubeapi.Args(v.Common())
		if callee == nil || callee.Name() != "GetResourceVersion" || recv == nil {
			return object, false
		}
		source = u.Resolve.Place(recv).Object
	default:
		return object, false
	}
	if u.MayBe(source, place.Object) || u.CopyOf(place.Object) != nil || u.IsRead(place.Object) {
		return object, false
	}
	return place.Object, true
}

// carriesOver reports whether anything in the function, or in what it calls,
// may put finalizers on an object.
func (u *unit) carriesOver(o paths.Object, depth int) bool {
	if call, index := calls.CallOf(o.Root); call != nil && depth < subject.MaxMakers {
		for _, maker := range u.Calls.Callees(call).Funcs {
			inner := &unit{u.Of(maker)}
			for ret := range blocks.Returns(maker) {
				if index < len(ret.Results) && inner.carriesOver(u.Resolve.Place(ret.Results[index]).Object, depth+1) {
					return true
				}
			}
		}
	}
	for _, n := range u.Graph.Nodes {
		switch instr := n.Instr.(type) {
		case *ssa.Store:
			place := u.Resolve.Place(instr.Addr)
			if u.MayBe(place.Object, o) && (place.Aspect() == kubeapi.Finalizers || len(place.Sub) < 2 && place.Aspect() == kubeapi.OtherMetadata || place.Aspect() == kubeapi.Whole) {
				if !isLiteralWithout(instr.Val, "Finalizers") {
					return true
				}
			}
		case ssa.CallInstruction:
			if n.Joins != nil {
				continue
			}
			if fn := kubeapi.Callee(instr.Common()); kubeapi.IsFinalizerSetter(fn) {
				return true
			}
		}
	}
	return slices.ContainsFunc(u.Sites, func(s objects.Site) bool {
		if s.Kind == objects.Mutated && u.MayBe(s.Place.Object, o) && s.Via != nil && s.Place.Aspect()&(kubeapi.Finalizers|kubeapi.Whole) != 0 {
			return true
		}
		return (s.Kind == objects.HandedOff || s.Kind == objects.Touched) && u.MayBe(s.Place.Object, o) && isMetadata(s)
	})
}

// isLiteralWithout reports whether v is a composite literal that leaves out a
// field.
func isLiteralWithout(v ssa.Value, field string) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return false
	}
	literal, ok := load.X.(*ssa.Alloc)
	return ok && literal.Comment == "complit" && !blocks.AnyUse(literal, func(ref ssa.Instruction) bool {
		switch ref := ref.(type) {
		case *ssa.FieldAddr:
			f := calls.FieldOf(literal.Type(), ref.Field)
			return f == nil || f.Name() == field || f.Name() == "ObjectMeta"
		case *ssa.UnOp, *ssa.DebugRef:
			return false
		}
		return true
	})
}

// isMetadata reports whether an event concerns an object's metadata as a
// whole.
func isMetadata(s objects.Site) bool {
	if s.Arg == nil || !kubeapi.IsObjectMeta(s.Arg.Type()) {
		return false
	}
	call := s.Node.Call()
	if call == nil {
		return true
	}
	recv, _ := kubeapi.Args(call.Common())
	return recv == nil || !kubeapi.IsObjectMeta(recv.Type())
}
