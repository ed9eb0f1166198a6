package deadlines

import (
	"go/types"
	"slices"
	"time"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/passes/contexts"
)

// ID identifies a context within a function and the literals in it: the call
// that derives it, a parameter, a field of an object, a request. IDs are
// comparable.
type ID any

// fieldID is a context that is kept in a field.
type fieldID struct {
	base  ssa.Value
	field *types.Var
}

// requestID is the context of a request or stream.
type requestID struct{ request ssa.Value }

// Link is one derivation of a context.
type Link struct {
	// Call derives the context, or hands it to a literal: context.WithTimeout,
	// the user's helper that calls it, PollUntilContextTimeout.
	Call *ssa.Call
	Kind contexts.StepKind
	// After is the duration of a timeout, if it is Known.
	After time.Duration
	Known bool
	// Limit is the duration as it is handed to Call, nil if it is not an
	// argument of it.
	Limit ssa.Value
}

// Lineage is one possibility where a context comes from.
type Lineage struct {
	// Links are the derivations, nearest first.
	Links []Link
	// Root is the context with which the lineage begins; nil if that cannot be
	// told.
	Root ID
	Kind contexts.Kind
}

// Nearest returns the ID of the context itself: what only passes values on is
// the same context.
func (l Lineage) Nearest() ID {
	for _, link := range l.Links {
		if link.Kind != contexts.Value {
			return link.Call
		}
	}
	return l.Root
}

// Has reports whether the context is id or derives from it.
func (l Lineage) Has(id ID) bool {
	if l.Root == id {
		return true
	}
	return slices.ContainsFunc(l.Links, func(link Link) bool { return link.Kind != contexts.Value && ID(link.Call) == id })
}

// Timeout returns the nearest timeout of the lineage, or nil.
func (l Lineage) Timeout() *Link {
	for n := range l.Links {
		if l.Links[n].Kind == contexts.Timeout {
			return &l.Links[n]
		}
	}
	return nil
}

// Tightest returns the shortest timeout of the lineage that is known, or nil.
func (l Lineage) Tightest() *Link {
	var best *Link
	for n := range l.Links {
		link := &l.Links[n]
		if link.Kind == contexts.Timeout && link.Known && (best == nil || link.After < best.After) {
			best = link
		}
	}
	return best
}

// Bounds on the search for lineages.
const (
	maxLineages = 12
	maxVisits   = 300
	maxTrace    = 12
)

// Lineages returns where a context, or the stop channel that is its Done, may
// come from: one lineage for each possibility, and at least one.
//
// Other than contexts.Origins, which it builds on, it tells which assignment
// of a captured variable a use can see, and follows a literal's context to the
// call that runs the literal.
func (i *Deadlines) Lineages(ctx ssa.Value) []Lineage {
	if i.lineages == nil {
		return i.lineagesOf(ctx)
	}
	if known, ok := i.lineages.Load(ctx); ok {
		return known.([]Lineage)
	}
	found := i.lineagesOf(ctx)
	i.lineages.Store(ctx, found)
	return found
}

func (i *Deadlines) lineagesOf(ctx ssa.Value) []Lineage {
	w := &walker{info: i, onPath: make(map[ssa.Value]bool)}
	w.visit(ctx, nil)
	if len(w.found) == 0 || w.steps > maxVisits || len(w.found) > maxLineages {
		return []Lineage{{}}
	}
	return w.found
}

// Covers reports whether each possibility of a context is id or derives from
// it.
func (i *Deadlines) Covers(ctx ssa.Value, id ID) bool {
	return !slices.ContainsFunc(i.Lineages(ctx), func(l Lineage) bool { return !l.Has(id) })
}

// IDOf returns the ID of a context if there is one possibility, or nil.
func (i *Deadlines) IDOf(ctx ssa.Value) ID {
	all := i.Lineages(ctx)
	if len(all) != 1 {
		return nil
	}
	return all[0].Nearest()
}
