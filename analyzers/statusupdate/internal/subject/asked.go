package subject

import (
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// After tells whether a part of an object, or one that it is in, is set again after a successful
// main write, or the object goes out of sight, and the first status write that follows.
func (u *Function) After(write *paths.Node, object paths.Object, part []string) (again bool, status *objects.Site) {
	_, again = u.Follow(u.Unit, write, object, paths.ErrorIs(write, paths.False), nil, func(s objects.Seen) paths.Step {
		switch {
		case s.Kind == objects.Mutated && s.Place.Aspect() == kubeapi.Status && paths.Overlap(s.Place.Sub, part), s.Kind == objects.HandedOff, s.Kind == objects.Touched:
			return paths.Found
		case s.Kind == objects.Refreshed:
			return paths.Prune
		case s.WrittenTo(kubeapi.StatusEndpoint) && u.setsInside(s.Site, part):
			return paths.Found
		case s.WrittenTo(kubeapi.StatusEndpoint):
			if status == nil {
				status = &s.Site
			}
			return paths.Prune
		}
		return paths.Continue
	})
	return again, status
}

// setsInside reports whether a function of the package that writes the status of an object which it is handed sets
// that part of it before.
func (u *Function) setsInside(write objects.Site, part []string) bool {
	call := write.Node.Call()
	if write.Via == nil || call == nil {
		return false
	}
	return slices.ContainsFunc(u.Calls.Callees(call).Funcs, func(fn *ssa.Function) bool {
		inside := u.Summaries.Unit(fn)
		return slices.ContainsFunc(inside.Sites, func(set objects.Site) bool {
			if set.Kind != objects.Mutated || set.Place.Aspect() != kubeapi.Status || !paths.Overlap(set.Place.Sub, part) {
				return false
			}
			p, given := set.Place.Object.Root.(*ssa.Parameter)
			if !given {
				return false
			}
			if arg := calls.ArgumentOf(call, p); arg == nil || u.Resolve.Place(arg).Object != write.Place.Object {
				return false
			}
			return slices.ContainsFunc(inside.Sites, func(s objects.Site) bool {
				return s.WrittenTo(kubeapi.StatusEndpoint) && s.Place.Object == set.Place.Object && inside.Graph.Reaches(set.Node, s.Node)
			})
		})
	})
}

// Interrupts reports whether an event ends what is known of an object.
func Interrupts(e objects.Event) bool {
	switch e.Kind {
	case objects.Written, objects.Refreshed, objects.HandedOff:
		return true
	}
	return false
}

// AnyOf reports whether one of the sites may be about the object: otherwise
// there is nothing to search for.
func (u *Function) AnyOf(sites []objects.Site, object paths.Object) bool {
	return slices.ContainsFunc(sites, func(s objects.Site) bool { return u.MayBe(s.Place.Object, object) })
}

// Describe joins aspects for a message.
func Describe(a kubeapi.Aspect) string { return strings.ReplaceAll(a.String(), " and ", ", ") }

// Writes returns the writes through exactly this endpoint.
func (u *Function) Writes(endpoint kubeapi.Endpoint) []objects.Site {
	var writes []objects.Site
	for _, s := range u.Sites {
		if s.Kind == objects.Written && s.Write.Endpoint == endpoint {
			writes = append(writes, s)
		}
	}
	return writes
}

// IsParameter reports whether an object is a parameter.
func IsParameter(o paths.Object) bool {
	_, ok := o.Root.(*ssa.Parameter)
	return ok
}

// MaxCallers bounds the callers that are asked.
const MaxCallers = 3

// OnlyChanges reports whether a call does nothing with the copy v but change
// it in place.
func (u *Function) OnlyChanges(call ssa.CallInstruction, v ssa.Value) bool {
	changes := false
	for _, e := range u.Events(call) {
		if e.Arg != v {
			continue
		}
		if e.Kind != objects.Mutated {
			return false
		}
		changes = true
	}
	return changes
}

// StatusUsed reports whether the status that was set is looked at afterwards,
// or the object handed to anything that may: it may have been set for that.
func (u *Function) StatusUsed(set objects.Site) bool {
	object := set.Place.Object
	_, found := u.Graph.Search(set.Node, 0, nil, func(n *paths.Node, stage int, _ paths.Known) (int, paths.Step) {
		switch instr := n.Instr.(type) {
		case *ssa.UnOp:
			if instr.Op != token.MUL {
				break
			}
			if p := u.Resolve.Place(instr.X); p.Object == object && p.Aspect() == kubeapi.Status && !u.onlyAppended(instr) {
				return stage, paths.Found
			}
		case ssa.CallInstruction:
			for _, v := range kubeapi.Operands(instr.Common()) {
				if u.Resolve.Place(v).Object == object && !(u.OnlyChanges(instr, v) && !reachesClient(instr)) && !kubeapi.Logs(kubeapi.Callee(instr.Common())) {
					return stage, paths.Found
				}
			}
		}
		return stage, paths.Continue
	})
	return found
}

// MainCall names the write of the main resource that goes with one of the status.
func MainCall(status objects.Site) string {
	if status.Write.Verb == kubeapi.Patch {
		return "Patch"
	}
	return "Update"
}

// onlyAppended reports whether a value is read only to be extended and stored
// again.
func (u *Function) onlyAppended(v ssa.Value) bool {
	return !slices.ContainsFunc(*v.Referrers(), func(ref ssa.Instruction) bool {
		call, ok := ref.(*ssa.Call)
		return !ok || !calls.IsBuiltin(call, "append")
	})
}

// reachesClient reports whether a call is given anything that may lead to a
// client, beside objects and plain data.
func reachesClient(call ssa.CallInstruction) bool {
	return slices.ContainsFunc(kubeapi.Operands(call.Common()), func(v ssa.Value) bool {
		named := kubeapi.Named(v.Type())
		return kubeapi.IsClient(v.Type()) || named != nil && kubeapi.HasClient(named)
	})
}
