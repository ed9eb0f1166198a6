package controllers

import (
	"slices"
	"strings"

	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/kinds"
)

// Filter is which events predicates let through. The zero value lets all through.
type Filter struct {
	Create, Update, Delete, Generic Cond
	// Names are the predicates as users know them, such as
	// "GenerationChangedPredicate"; At is where each is made or declared.
	Names []string
	At    []Place
}

// IsSet reports whether there is any predicate.
func (f Filter) IsSet() bool { return len(f.Names) > 0 }

// And returns the filter that lets through what both do.
func (f Filter) And(g Filter) Filter {
	return f.with(g, and)
}

func (f Filter) with(g Filter, op func(...Cond) Cond) Filter {
	return Filter{
		Create: op(f.Create, g.Create), Update: op(f.Update, g.Update), Delete: op(f.Delete, g.Delete), Generic: op(f.Generic, g.Generic),
		Names: join(f.Names, g.Names), At: join(f.At, g.At),
	}
}

func join[T any](a, b []T) []T { return append(append([]T(nil), a...), b...) }

// Op is the operation of a [Cond].
type Op uint8

// The operations. True is the zero value: what nobody filters passes.
const (
	True Op = iota
	False
	// Maybe is a test that is not understood, or one of something that an event
	// may have or not, such as a name or a label.
	Maybe
	// Changed holds if one of the parts differs between the old and the new
	// object. With Partly, only some change of such a part counts.
	Changed
	// Deleting holds if the object has a deletion timestamp.
	Deleting
	// IsKind holds if the object is of the kind.
	IsKind
	Not
	AndAll
	OrAny
)

// Parts are the parts of an object that a change may concern.
type Parts uint16

// The parts. ResourceVersion changes with each write.
const (
	StatusPart Parts = 1 << iota
	SpecPart
	LabelsPart
	AnnotationsPart
	FinalizersPart
	OwnersPart
	DeletionPart // the deletion timestamp
	GenerationPart
	ResourceVersionPart
	OtherPart
)

// Cond is a condition over an event.
type Cond struct {
	Op    Op
	Args  []Cond
	Parts Parts
	// Partly tells that not each change of the parts counts.
	Partly bool
	// OtherName tells of Maybe that it fails of objects of one name alone, whichever that is.
	OtherName bool
	Kind      string // of IsKind, see [Kind.ID]
}

// OneName reports whether the condition certainly fails of objects of all names but one.
func (c Cond) OneName() bool {
	switch c.Op {
	case False:
		return true
	case Not:
		return c.Args[0].Op == Maybe && c.Args[0].OtherName
	case AndAll:
		return slices.ContainsFunc(c.Args, Cond.OneName)
	case OrAny:
		return !slices.ContainsFunc(c.Args, func(arg Cond) bool { return !arg.OneName() })
	}
	return false
}

// OneName reports whether nothing passes but events of objects of one name; generic events
// are not the API server's.
func (f Filter) OneName() bool { return f.Create.OneName() && f.Update.OneName() && f.Delete.OneName() }

const maxCond = 64 // nodes of one condition

func (c Cond) size() int {
	n := 1
	for _, arg := range c.Args {
		n += arg.size()
	}
	return n
}

func and(conds ...Cond) Cond { return combine(AndAll, True, False, conds) }
func or(conds ...Cond) Cond  { return combine(OrAny, False, True, conds) }

// combine leaves out what decides nothing.
func combine(op, neutral, absorbing Op, conds []Cond) Cond {
	var args []Cond
	for _, c := range conds {
		switch c.Op {
		case absorbing:
			return Cond{Op: absorbing}
		case neutral:
		case op:
			args = append(args, c.Args...)
		default:
			args = append(args, c)
		}
	}
	switch len(args) {
	case 0:
		return Cond{Op: neutral}
	case 1:
		return args[0]
	}
	if c := (Cond{Op: op, Args: args}); c.size() <= maxCond {
		return c
	}
	return Cond{Op: Maybe}
}

func not(c Cond) Cond {
	switch c.Op {
	case True:
		return Cond{Op: False}
	case False:
		return Cond{Op: True}
	case Not:
		return c.Args[0]
	}
	return Cond{Op: Not, Args: []Cond{c}}
}

// Event is a change of an object that a filter is asked about.
type Event struct {
	// Changed are the parts that differ, without GenerationPart unless the API
	// server raises the generation for them.
	Changed Parts
	// Deleting tells whether the object has a deletion timestamp.
	Deleting kinds.Answer
	// Kind is the ID of its kind; empty if it is not known.
	Kind string
}

// Passes tells whether a condition lets an event through: Yes or No only if that is
// certain whatever else the objects have.
func (c Cond) Passes(e Event) kinds.Answer {
	switch c.Op {
	case True:
		return kinds.Yes
	case False:
		return kinds.No
	case Changed:
		switch {
		case c.Parts&e.Changed == 0:
			return kinds.No
		case c.Partly:
			return kinds.Unknown
		}
		return kinds.Yes
	case Deleting:
		return e.Deleting
	case IsKind:
		switch {
		case e.Kind == "" || c.Kind == "":
			return kinds.Unknown
		case e.Kind == c.Kind:
			return kinds.Yes
		}
		return kinds.No
	case Not:
		return opposite(c.Args[0].Passes(e))
	case AndAll:
		return c.all(e, kinds.Yes, kinds.No)
	case OrAny:
		return c.all(e, kinds.No, kinds.Yes)
	}
	return kinds.Unknown
}

// all is the answer to several conditions: the absorbing one if any has it, the
// neutral one if all have that.
func (c Cond) all(e Event, neutral, absorbing kinds.Answer) kinds.Answer {
	answer := neutral
	for _, arg := range c.Args {
		switch arg.Passes(e) {
		case absorbing:
			return absorbing
		case neutral:
		default:
			answer = kinds.Unknown
		}
	}
	return answer
}

func opposite(a kinds.Answer) kinds.Answer {
	switch a {
	case kinds.Yes:
		return kinds.No
	case kinds.No:
		return kinds.Yes
	}
	return kinds.Unknown
}

// String words a condition: "generation changed or labels changed".
func (c Cond) String() string {
	switch c.Op {
	case True:
		return "always"
	case False:
		return "never"
	case Changed:
		if c.Partly {
			return "some of " + c.Parts.String() + " changed"
		}
		return c.Parts.String() + " changed"
	case Deleting:
		return "deleting"
	case IsKind:
		return "is " + Kind{ID: c.Kind}.Name()
	case Not:
		return "not (" + c.Args[0].String() + ")"
	case AndAll, OrAny:
		word := " and "
		if c.Op == OrAny {
			word = " or "
		}
		var parts []string
		for _, arg := range c.Args {
			text := arg.String()
			if arg.Op == AndAll || arg.Op == OrAny {
				text = "(" + text + ")"
			}
			parts = append(parts, text)
		}
		return strings.Join(parts, word)
	}
	return "?"
}

// partNames are the names of the parts, and the aspects of an object that they are.
var partNames = []struct {
	part   Parts
	name   string
	aspect kubeapi.Aspect
}{
	{StatusPart, "status", kubeapi.Status}, {SpecPart, "spec", kubeapi.Spec}, {LabelsPart, "labels", kubeapi.Labels},
	{AnnotationsPart, "annotations", kubeapi.Annotations}, {FinalizersPart, "finalizers", kubeapi.Finalizers},
	{OwnersPart, "owner references", kubeapi.OwnerReferences}, {DeletionPart, "deletion timestamp", 0}, {GenerationPart, "generation", 0},
	{ResourceVersionPart, "resource version", kubeapi.Whole}, {OtherPart, "metadata", kubeapi.OtherMetadata},
}

// String names the parts.
func (p Parts) String() string {
	var names []string
	for _, n := range partNames {
		if p&n.part != 0 {
			names = append(names, n.name)
		}
	}
	return strings.Join(names, " or ")
}

// partsOf are the parts that an aspect of an object is.
func partsOf(a kubeapi.Aspect) Parts {
	var parts Parts
	for _, n := range partNames {
		if a&n.aspect != 0 {
			parts |= n.part
		}
	}
	return parts
}
