package eventfilter

import (
	"fmt"
	"go/token"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/controllers"
	"github.com/opvet/opvet/internal/passes/kinds"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/wording"
)

// statusDropped reports filters that drop what changes the status only of children
// or others, although Reconcile tests that status. A Reconcile that asks to be
// called again may be polling.
func (r *reader) statusDropped() {
	if r.Does.Requeues && !r.strict {
		return
	}
	for w := range r.watches {
		if w.Handler.Class == controllers.Self || !r.hasOwnStatus(w) {
			continue
		}
		dropped := func(f controllers.Filter) bool { return drops(f, w.Kind, controllers.StatusPart, kinds.Unknown) }
		if !dropped(w.all) || isNever(w.all.Update) {
			continue
		}
		read, ok := r.access(func(a controllers.Access) bool { return tests(a, w.Kind, kubeapi.Status) && a.Name == "" })
		if !ok || r.setsStatus(w.Kind) && !r.strict {
			continue
		}
		pos := r.cause(w, dropped)
		r.tell(rule.Finding{
			Pos: pos, Category: statusDropped, About: w.Kind.ID,
			Message: wording.Fit(func(name func(string) string) string {
				return fmt.Sprintf("the filter drops changes of the status of %s, which Reconcile tests (%s) and never polls; let them through",
					name(w.Kind.Name()), name(read.At.String()))
			}),
			Related: r.related(pos, w),
		})
	}
}

// setsStatus reports whether Reconcile writes the status of such objects, or of objects whose
// kind is not known: then what it tests is what it has written itself.
func (r *reader) setsStatus(kind controllers.Kind) bool {
	return slices.ContainsFunc(r.Does.Accesses, func(a controllers.Access) bool {
		return a.Endpoint&kubeapi.StatusEndpoint != 0 && (a.Act == controllers.Update || a.Act == controllers.Patch || a.Act == controllers.Apply) &&
			(a.Kind.ID == kind.ID || a.Kind.ID == "")
	})
}

// hasOwnStatus reports whether the status of a kind changes without its generation.
func (r *reader) hasOwnStatus(w filtered) bool {
	if kubeapi.IsBuiltin(w.Kind.ID) {
		return true
	}
	kind := r.KindTypes[w.index]
	return kind != nil && r.kinds.Of(kind).StatusSubresource == kinds.Yes
}

// isNever reports whether a condition lets nothing pass: somebody wanted that.
func isNever(c controllers.Cond) bool { return c.Op == controllers.False }

// related points to the watch, if the finding stands elsewhere, and to the filters that the
// package itself declares, where one is changed.
func (r *reader) related(pos token.Pos, w filtered) []analysis.RelatedInformation {
	told := map[string]bool{r.line(pos): true}
	var found []analysis.RelatedInformation
	add := func(at token.Pos, message string) {
		if at.IsValid() && !told[r.line(at)] {
			told[r.line(at)] = true
			found = append(found, analysis.RelatedInformation{Pos: at, Message: message})
		}
	}
	add(r.WatchPos[w.index], w.Kind.Name()+" is watched here")
	for _, place := range w.all.At {
		add(r.posOf(place), "this is the filter")
	}
	return found
}

func (r *reader) line(pos token.Pos) string {
	at := r.pass.Fset.Position(pos)
	return fmt.Sprintf("%s:%d", at.Filename, at.Line)
}

// posOf is the position of a place in the package, or none.
func (r *reader) posOf(place controllers.Place) token.Pos {
	if place.Package != r.pass.Pkg.Path() {
		return token.NoPos
	}
	for _, file := range r.pass.Files {
		if in := r.pass.Fset.File(file.FileStart); filepath.Base(in.Name()) == place.File && place.Line <= in.LineCount() {
			return in.LineStart(place.Line)
		}
	}
	return token.NoPos
}
