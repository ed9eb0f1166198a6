package eventfilter

import (
	"fmt"
	"go/token"
	"slices"

	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/controllers"
	"github.com/opvet/opvet/internal/passes/kinds"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/wording"
)

// noGeneration reports filters that wait for a change of the generation of kinds
// whose generation never changes.
func (r *reader) noGeneration() {
	var causes []*cause
	for w := range r.watches {
		if !kubeapi.HasNoGeneration(w.Kind.ID) || !r.dropsContent(w, w.all) || passesMetadata(w) && !kubeapi.HasData(w.Kind.ID) {
			continue
		}
		pos := r.cause(w, func(f controllers.Filter) bool { return r.dropsContent(w, f) })
		i := slices.IndexFunc(causes, func(c *cause) bool { return c.pos == pos })
		if i < 0 {
			i, causes = len(causes), append(causes, &cause{pos: pos, first: w})
		}
		if name := w.Kind.Name(); !slices.Contains(causes[i].kinds, name) {
			causes[i].kinds = append(causes[i].kinds, name)
		}
		causes[i].harm = max(causes[i].harm, r.generationHarm(w))
	}
	for _, c := range causes {
		r.tellGeneration(c)
	}
}

// cause is a filter, with the kinds that it drops the events of.
type cause struct {
	pos   token.Pos
	kinds []string
	first filtered
	harm  rule.Harm
}

// dropsContent reports whether a filter that asks for the generation drops each change
// of what an object has in it.
func (r *reader) dropsContent(w filtered, f controllers.Filter) bool {
	return asksGeneration(f.Update) && drops(f, w.Kind, controllers.SpecPart, kinds.Unknown)
}

// passesMetadata reports whether a filter lets changes of labels or annotations
// through: for many kinds, they are what a controller waits for.
func passesMetadata(w filtered) bool {
	return !drops(w.all, w.Kind, controllers.LabelsPart, kinds.Unknown) || !drops(w.all, w.Kind, controllers.AnnotationsPart, kinds.Unknown)
}

// asksGeneration reports whether a condition asks whether the generation has changed.
func asksGeneration(c controllers.Cond) bool {
	return c.Op == controllers.Changed && c.Parts&controllers.GenerationPart != 0 || slices.ContainsFunc(c.Args, asksGeneration)
}

// generationHarm is little for what the controller owns and does not write
// again: then nobody would put right what others have changed, if it was told. It is little,
// too, where Reconcile asks to be called again, and puts that right a little later, and
// for what others own if Reconcile is not known to look at it.
func (r *reader) generationHarm(w filtered) rule.Harm {
	of := func(a controllers.Access) bool { return a.Kind.ID == w.Kind.ID }
	_, writes := r.does(w.Kind, controllers.Update, controllers.Patch, controllers.Apply, controllers.CreateOrUpdate)
	switch owns := w.Role == controllers.Owns; {
	case w.Role == controllers.For, !owns && slices.ContainsFunc(r.Does.Accesses, of), owns && !r.Does.Requeues && writes:
		return rule.Loss
	}
	return rule.Hygiene
}

func (r *reader) tellGeneration(c *cause) {
	w := c.first
	what, which := "changes", "each update"
	if passesMetadata(w) {
		what, which = "changed data", "such updates"
	}
	remedy := "use ResourceVersionChangedPredicate there"
	if slices.Contains(r.FilterPos, c.pos) && w.Role != controllers.For {
		remedy = "put the predicate on For only"
	}
	r.tell(rule.Finding{
		Pos: c.pos, Category: noGeneration, Harm: c.harm,
		Message: wording.Fit(func(name func(string) string) string {
			return fmt.Sprintf("%s never sees %s of %s: their generation never changes, so the filter drops %s; %s",
				name(r.name()), what, name(list(c.kinds)), which, remedy)
		}),
		Related: r.related(c.pos, w),
	})
}
