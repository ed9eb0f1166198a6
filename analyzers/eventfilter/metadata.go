package eventfilter

import (
	"fmt"
	"slices"

	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/controllers"
	"github.com/opvet/opvet/internal/passes/kinds"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/wording"
)

// metadataDropped reports filters of the reconciled kind that drop changes of a
// label or annotation which Reconcile tests and does not set itself.
func (r *reader) metadataDropped() {
	for w := range r.watches {
		if w.Handler.Class != controllers.Self || isNever(w.all.Update) || !r.strict && !r.isOwn(w) {
			continue
		}
		for _, m := range []struct {
			aspect kubeapi.Aspect
			part   controllers.Parts
			name   string
		}{{kubeapi.Annotations, controllers.AnnotationsPart, "annotation"}, {kubeapi.Labels, controllers.LabelsPart, "label"}} {
			dropped := func(f controllers.Filter) bool { return drops(f, w.Kind, m.part, kinds.Unknown) }
			if !dropped(w.all) {
				continue
			}
			read, ok := r.testedEntry(w.Kind, m.aspect)
			if !ok {
				continue
			}
			pos := r.cause(w, dropped)
			r.tell(rule.Finding{
				Pos: pos, Category: metadataDropped, About: w.Kind.ID + " " + m.name,
				Message: wording.Fit(func(name func(string) string) string {
					return fmt.Sprintf("the filter drops changes of %s %s, which Reconcile tests (%s); add a predicate for %ss with predicate.Or",
						m.name, name(read.Name), wording.File(read.At.String()), m.name)
				}),
				Related: r.related(pos, w),
			})
		}
	}
}

// isOwn reports whether the kind of a watch is the module's own: the labels and annotations
// of others, such as those of pods, often tell what an object is, and are there from the
// beginning.
func (r *reader) isOwn(w filtered) bool {
	kind := r.KindTypes[w.index]
	return kind != nil && r.calls.SameModule(kind.Obj().Pkg())
}

// testedEntry returns the test of a label or annotation that nothing which
// Reconcile runs sets itself: a change comes from somebody else.
func (r *reader) testedEntry(kind controllers.Kind, part kubeapi.Aspect) (read controllers.Access, ok bool) {
	if r.Does.Open || r.Does.Full {
		return read, false
	}
	return r.access(func(a controllers.Access) bool {
		return tests(a, kind, part) && a.Name != "" && !r.sets(kind, part, a.Name)
	})
}

// tests reports whether Reconcile decides something by a part of objects of a kind.
func tests(a controllers.Access, kind controllers.Kind, part kubeapi.Aspect) bool {
	return a.Act == controllers.ReadPart && a.Kind.ID == kind.ID && a.Part == part && a.Decides
}

func (r *reader) sets(kind controllers.Kind, part kubeapi.Aspect, key string) bool {
	return slices.ContainsFunc(r.Does.Accesses, func(a controllers.Access) bool {
		return a.Act == controllers.ChangePart && a.Part == part && (a.Name == "" || a.Name == key) && (a.Kind.ID == kind.ID || !a.Kind.IsKnown())
	})
}
