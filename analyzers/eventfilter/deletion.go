package eventfilter

import (
	"fmt"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/controllers"
	"github.com/opvet/opvet/internal/passes/kinds"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/wording"
)

// deletionDropped reports filters that drop the update which sets the deletion
// timestamp of objects that Reconcile puts a finalizer on, and filters of the whole
// controller that drop the deletion of children which it creates.
func (r *reader) deletionDropped() {
	r.finalizersHang()
	r.childrenStayAway()
}

func (r *reader) finalizersHang() {
	for w := range r.watches {
		if w.Handler.Class != controllers.Self || isNever(w.all.Update) {
			continue
		}
		changed := controllers.DeletionPart | controllers.OtherPart
		if !kubeapi.HasNoGeneration(w.Kind.ID) {
			// The API server raises the generation with the timestamp.
			changed |= controllers.GenerationPart
		}
		dropped := func(f controllers.Filter) bool { return drops(f, w.Kind, changed, kinds.Yes) }
		if !dropped(w.all) {
			continue
		}
		added, ok := r.does(w.Kind, controllers.AddFinalizer)
		if !ok {
			// Another controller puts it on.
			if added, ok = r.does(w.Kind, controllers.RemoveFinalizer); !ok || !r.asksForDeletion(r.ReconcileFn, 0) {
				continue
			}
		}
		pos := r.cause(w, dropped)
		r.tell(rule.Finding{
			Pos: pos, Category: deletionDropped, Harm: rule.Stuck, About: w.Kind.ID,
			Message: wording.Fit(func(name func(string) string) string {
				return fmt.Sprintf("deleted objects of kind %s hang in Terminating: the filter drops that update, so the finalizer (%s) stays; let deletionTimestamp through",
					name(w.Kind.Name()), name(added.At.String()))
			}),
			Related: r.related(pos, w),
		})
	}
}

// maxCalls bounds how far Reconcile is followed.
const maxCalls = 4

// asksForDeletion reports whether a function, or one that it calls, looks at a deletion
// timestamp.
func (r *reader) asksForDeletion(fn *ssa.Function, depth int) bool {
	if fn == nil || depth > maxCalls {
		return false
	}
	return blocks.Any(fn, func(instr ssa.Instruction) bool {
		switch instr := instr.(type) {
		case *ssa.FieldAddr:
			return calls.FieldName(instr) == "DeletionTimestamp"
		case ssa.CallInstruction:
			callee := kubeapi.Callee(instr.Common())
			return callee != nil && callee.Name() == "GetDeletionTimestamp" ||
				slices.ContainsFunc(r.calls.Callees(instr).Funcs, func(fn *ssa.Function) bool { return r.asksForDeletion(fn, depth+1) })
		}
		return false
	})
}

// childrenStayAway reports a filter of all watches that drops deletions: what the
// controller has created is not created again. On a single watch somebody wanted it.
func (r *reader) childrenStayAway() {
	if len(r.FilterPos) == 0 || r.Filter.Delete.Op != controllers.False {
		return
	}
	var names []string
	for w := range r.watches {
		if w.Role != controllers.Owns || isChosen(r.Filter, w.Kind) {
			continue
		}
		if _, ok := r.does(w.Kind, controllers.Create, controllers.CreateOrUpdate, controllers.Apply); ok {
			names = append(names, w.Kind.Name())
		}
	}
	if len(names) > 0 {
		r.tellChildren(r.FilterPos[0], names)
	}
}

// isChosen reports whether a filter asks for a kind: it was written for its events.
func isChosen(f controllers.Filter, kind controllers.Kind) bool {
	var asks func(c controllers.Cond) bool
	asks = func(c controllers.Cond) bool {
		return c.Op == controllers.IsKind && c.Kind == kind.ID || slices.ContainsFunc(c.Args, asks)
	}
	return slices.ContainsFunc([]controllers.Cond{f.Create, f.Update, f.Delete}, asks)
}

func (r *reader) tellChildren(pos token.Pos, names []string) {
	// What wakes Reconcile otherwise makes the child again, and one without an owner reference, or made
	// in one phase only, does not come back with the event either.
	r.tell(rule.Finding{
		Pos: pos, Category: deletionDropped, Harm: rule.Hygiene,
		Message: wording.Fit(func(name func(string) string) string {
			return fmt.Sprintf("a deleted %s is not created again: the filter drops deletions of what %s owns, too; filter For only",
				name(list(names)), name(r.name()))
		}),
	})
}

// does returns where Reconcile does one of some things with objects of a kind.
func (r *reader) does(kind controllers.Kind, acts ...controllers.Act) (controllers.Access, bool) {
	return r.access(func(a controllers.Access) bool { return a.Kind.ID == kind.ID && slices.Contains(acts, a.Act) })
}

// access returns the first such thing that Reconcile does.
func (r *reader) access(such func(controllers.Access) bool) (found controllers.Access, ok bool) {
	if i := slices.IndexFunc(r.Does.Accesses, such); i >= 0 {
		return r.Does.Accesses[i], true
	}
	return found, false
}
