package finalizeradd

import (
	"fmt"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/finalizers"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/report/rule"
)

// refusal says what it does that an addition is refused: the reconcile fails
// as long as another finalizer keeps the object, which costs requests and
// log lines. Worse is an addition in front of the removal of another finalizer
// of the same controller, and one that undoes a removal before it is stored.
// Where nothing ever looks at a deletion, the finalizer hardly is missing then.
func (c *checker) refusal(a addition) (rule.Harm, string) {
	if removal := c.undone(a); removal != nil {
		return rule.Stuck, fmt.Sprintf("a deleted %s stays Terminating: the finalizer removed on line %d is added again before that is stored; check DeletionTimestamp first",
			a.kind(), c.line(removal))
	}
	if removal := c.blocked(a); removal != nil {
		return rule.Stuck, fmt.Sprintf("a deleted %s stays Terminating: this addition is refused before line %d removes another finalizer; check DeletionTimestamp first",
			a.kind(), c.line(removal))
	}
	// The clean-up is done by then, or not held up: a rejected update in the log.
	return rule.Hygiene, fmt.Sprintf("while another finalizer keeps a deleted %s, each reconcile fails: new ones are refused; add it only if DeletionTimestamp.IsZero()", a.kind())
}

func (c *checker) line(n *paths.Node) int { return c.pass.Fset.Position(n.Instr.Pos()).Line }

// undone returns a removal of the finalizer from which a path leads to the
// addition without the object being stored.
func (c *checker) undone(a addition) *paths.Node {
	for _, n := range a.unit.Graph.Nodes {
		if n.Joins != nil || n == a.node || !c.takesOff(n, a, func(ch finalizers.Change) bool {
			return !ch.Persisted && (ch.Kind == finalizers.Emptied || ch.Name == a.Name && a.Name.Known())
		}) {
			continue
		}
		if !c.MayBeDeletingKind(a.unit, n, paths.Object{}, a.Type) {
			continue
		}
		// What a function value does once may be done again, as far as the graph knows: who calls it
		// twice with the same object stores or reads it in between.
		literal := a.node.Instr.Parent()
		within := literal.Parent() != nil && blocks.Within(n.Instr.Parent(), literal)
		_, found := a.unit.Graph.Search(n, 0, nil, func(at *paths.Node, stage int, _ paths.Known) (int, paths.Step) {
			switch {
			case at == a.node:
				return stage, paths.Found
			case c.storesOrReads(a.unit, at, a.Object), within && isReturn(at.Instr, literal):
				return stage, paths.Prune
			}
			return stage, paths.Continue
		})
		if found {
			return n
		}
	}
	return nil
}

func isReturn(instr ssa.Instruction, fn *ssa.Function) bool {
	_, ok := instr.(*ssa.Return)
	return ok && instr.Parent() == fn
}

// blocked returns a removal of another finalizer, of an object that is being
// deleted, to which a path leads from the addition.
func (c *checker) blocked(a addition) *paths.Node {
	if !a.Name.Known() {
		return nil
	}
	tests := c.Tests(a.unit, a.Object)
	if len(tests) == 0 {
		return nil
	}
	path, found := a.unit.Graph.Search(a.node, 0, finalizers.Watch(tests), func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
		if n.Joins != nil || finalizers.Known(tests, known) != finalizers.Deleting {
			return stage, paths.Continue
		}
		if c.takesOff(n, a, func(ch finalizers.Change) bool {
			return ch.Kind == finalizers.Removed && ch.Name.Known() && ch.Name != a.Name
		}) && !c.takesOff(n, a, func(ch finalizers.Change) bool { return ch.Name == a.Name }) {
			return stage, paths.Found
		}
		return stage, paths.Continue
	})
	if !found {
		return nil
	}
	return path[len(path)-1]
}

// takesOff reports whether a node takes finalizers of a certain kind off the
// object of an addition.
func (c *checker) takesOff(n *paths.Node, a addition, wanted func(finalizers.Change) bool) bool {
	return slices.ContainsFunc(c.Changes(n.Instr), func(ch finalizers.Change) bool {
		return (ch.Kind == finalizers.Removed || ch.Kind == finalizers.Emptied) && c.Summaries.MayBe(ch.Object, a.Object) && wanted(ch)
	})
}

// storesOrReads reports whether a node writes an object, reads it anew, or may
// do so out of sight.
func (c *checker) storesOrReads(u *objects.Unit, n *paths.Node, o paths.Object) bool {
	return slices.ContainsFunc(u.At(n), func(e objects.Event) bool {
		return (e.Kind == objects.Written || e.Kind == objects.Refreshed || e.Kind == objects.HandedOff) && c.Summaries.MayBe(e.Place.Object, o)
	})
}

// createdWith reports whether objects of the kind are created with the
// finalizer by this package, and lose it only where nobody looks at their own
// deletion, but at their owner's: then one that is being deleted has it still,
// and nothing is added.
func (c *checker) createdWith(a addition) bool {
	if a.Type == nil || !a.Name.Known() {
		return false
	}
	key := kindAndName{a.Type, a.Name}
	created, known := c.withCreation[key]
	if !known {
		created = c.addedToCreated(key) && !c.removedOnDeletion(key)
		c.withCreation[key] = created
	}
	return created
}

// kindAndName is a finalizer of objects of a kind.
type kindAndName struct {
	kind *types.Named
	name finalizers.Name
}

// addedToCreated reports whether the package creates objects of the kind with
// the finalizer.
func (c *checker) addedToCreated(key kindAndName) bool {
	return slices.ContainsFunc(c.listChanges().added[key.name], func(a addition) bool {
		return a.Type == key.kind && c.mayCreate(a) || isMetadata(a) && c.creates(key.kind)
	})
}

// removedOnDeletion reports whether the package takes the finalizer off objects
// of the kind when they are deleted.
func (c *checker) removedOnDeletion(key kindAndName) bool {
	changes := c.listChanges()
	return slices.ContainsFunc(slices.Concat(changes.removed[key.name], changes.unnamed), func(r addition) bool {
		return (r.Type == key.kind || r.Type == nil) && c.onOwnDeletion(r.unit, r.node, r.Change)
	})
}

// listChanges are the changes of lists of finalizers in the package, by the
// names of the finalizers.
type listChanges struct {
	added   map[finalizers.Name][]addition
	removed map[finalizers.Name][]addition
	unnamed []addition // removals of any name
}

func (c *checker) listChanges() *listChanges {
	if c.changes != nil {
		return c.changes
	}
	c.changes = &listChanges{added: make(map[finalizers.Name][]addition), removed: make(map[finalizers.Name][]addition)}
	for _, fn := range c.Summaries.Units() {
		u := c.Summaries.Unit(fn)
		for _, a := range c.additions(u) {
			c.changes.added[a.Name] = append(c.changes.added[a.Name], a)
		}
		for _, n := range u.Graph.Nodes {
			if n.Joins != nil {
				continue
			}
			for _, ch := range c.Changes(n.Instr) {
				switch {
				case ch.Kind != finalizers.Removed && ch.Kind != finalizers.Emptied:
				case ch.Name.Known():
					c.changes.removed[ch.Name] = append(c.changes.removed[ch.Name], addition{ch, u, n})
				default:
					c.changes.unnamed = append(c.changes.unnamed, addition{ch, u, n})
				}
			}
		}
	}
	return c.changes
}

// onOwnDeletion reports whether a removal may depend on the deletion of the
// very object.
func (c *checker) onOwnDeletion(u *objects.Unit, n *paths.Node, ch finalizers.Change) bool {
	return len(c.Tests(u, ch.Object)) > 0 || len(c.TestsOfKind(u, paths.Object{}, ch.Type)) > 0 && c.MayBeDeletingKind(u, n, paths.Object{}, ch.Type)
}

// isMetadata reports whether an addition is to metadata that is put together by
// itself, for an object that is made.
func isMetadata(a addition) bool {
	return a.Kind == finalizers.Replaced && a.Type == nil && a.Object.Root != nil && kubeapi.IsObjectMeta(a.Object.Root.Type())
}

// creates reports whether the package creates objects of a kind.
func (c *checker) creates(kind *types.Named) bool {
	if c.created == nil {
		c.created = make(map[*types.Named]bool)
		for _, fn := range c.Summaries.Units() {
			for _, s := range c.Summaries.Unit(fn).Sites {
				if s.Kind == objects.Written && s.Write.Verb == kubeapi.Create {
					c.created[s.Place.Kind], c.created[s.Type] = true, true
				}
			}
		}
	}
	return c.created[kind]
}

// mayCreate reports whether the object of an addition may be created with it.
func (c *checker) mayCreate(a addition) bool {
	_, found := c.Summaries.Follow(a.unit, a.node, a.Object, nil, nil, func(e objects.Seen) paths.Step {
		if e.Kind == objects.Written && e.Write.Verb == kubeapi.Create {
			return paths.Found
		}
		return paths.Continue
	})
	return found
}
