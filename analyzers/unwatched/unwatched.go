package unwatched

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/controllers"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/wording"
)

//go:embed doc.go
var doc string

const (
	wrongRequest  = "wrong-request"
	ownerMismatch = "owner-mismatch"
	childNotOwned = "child-not-owned"
)

// Analyzer finds watches that do not lead to what Reconcile works on.
var Analyzer = rule.New(rule.Spec{
	Name:      "unwatched",
	Summary:   "find watches that ask for the wrong objects, and children that nobody watches",
	DocSource: doc,
	Group:     "controllers",
	Since:     "unreleased",
	Strict:    true,
	Categories: []rule.Category{
		{Name: wrongRequest, Summary: "EnqueueRequestForObject for another kind than the reconciler's", Harm: rule.Loss, Trial: true},
		{Name: ownerMismatch, Summary: "Owns a kind of which another kind is the owner", Harm: rule.Loss},
		{Name: childNotOwned, Summary: "children with an owner reference that are not watched", Harm: rule.Loss, Strict: true},
	},
	Requires:    []*analysis.Analyzer{controllers.Analyzer},
	ProductOnly: true,
	Run:         run,
})

func run(pass *analysis.Pass, report *rule.Reporter) error {
	result := pass.ResultOf[controllers.Analyzer].(*controllers.Result)
	for _, c := range result.Local {
		if !c.For.IsKnown() {
			continue
		}
		r := &reader{Local: c, report: report}
		r.wrongRequests()
		r.otherOwners()
		if report.Strict() {
			r.children()
		}
	}
	return nil
}

type reader struct {
	*controllers.Local
	report *rule.Reporter
}

// does reports whether Reconcile does one of several things with objects of a kind.
func (r *reader) does(kind controllers.Kind, acts ...controllers.Act) bool {
	for _, a := range r.Does.Accesses {
		for _, act := range acts {
			if a.Act == act && (a.Kind.ID == kind.ID || !a.Kind.IsKnown() && a.Act != controllers.List) {
				return true
			}
		}
	}
	return false
}

// wrongRequests reports requests that name objects of another kind than the one that
// Reconcile looks up by them. Where it looks up or creates objects of the other kind,
// they may have the same names.
func (r *reader) wrongRequests() {
	if r.ReconcileFn == nil || !r.looksUp(r.ReconcileFn) || r.Does.Open || r.Does.Full {
		return
	}
	for i, w := range r.Watches {
		if w.Role == controllers.For || w.Handler.Class != controllers.Self || !w.Kind.IsKnown() || w.Kind.ID == r.For.ID {
			continue
		}
		if r.does(w.Kind, controllers.Get, controllers.Create, controllers.CreateOrUpdate, controllers.Apply, controllers.Patch, controllers.Update, controllers.Delete) {
			continue
		}
		r.report.Report(rule.Finding{
			Pos: r.WatchPos[i], Category: wrongRequest,
			Message: wording.Fit(func(name func(string) string) string {
				return fmt.Sprintf("events of %s are lost: EnqueueRequestForObject asks for a %s of the same name, which is not there; use EnqueueRequestsFromMapFunc",
					name(w.Kind.Name()), name(r.For.Name()))
			}),
		})
	}
}

// looksUp reports whether a Reconcile itself gets the reconciled object by its request.
func (r *reader) looksUp(fn *ssa.Function) bool {
	for call := range blocks.InstrsOf[ssa.CallInstruction](fn) {
		op, ok := kubeapi.ClientOp(call.Common())
		if !ok || op.Verb != kubeapi.Get || op.Object == nil {
			continue
		}
		kind := kubeapi.KindOfValue(op.Object)
		_, args := kubeapi.Args(call.Common())
		if kind != nil && kubeapi.KindID(kind) == r.For.ID && len(args) > 1 && isOfRequest(args[1]) {
			return true
		}
	}
	return false
}

// isOfRequest reports whether a key is the one that Reconcile is asked for.
func isOfRequest(key ssa.Value) bool {
	for range 6 {
		key = calls.Behind(key)
		switch x := key.(type) {
		case *ssa.Parameter:
			return kubeapi.IsRequest(x.Type())
		case *ssa.Field:
			key = x.X
		case *ssa.UnOp:
			addr, ok := x.X.(*ssa.FieldAddr)
			if !ok {
				return false
			}
			if kubeapi.IsRequest(kubeapi.Deref(addr.X.Type())) {
				return true
			}
			key = addr.X
		default:
			return false
		}
	}
	return false
}

// otherOwners reports kinds that the controller Owns although Reconcile makes another kind the
// controller of all such objects.
func (r *reader) otherOwners() {
	if r.Does.Open || r.Does.Full {
		return
	}
	for i, w := range r.Watches {
		if w.Role != controllers.Owns || !w.Handler.OnlyController || w.Handler.Owner.ID != r.For.ID || !w.Kind.IsKnown() {
			continue
		}
		owner, ok := r.soleOwner(w.Kind)
		if !ok || owner.ID == r.For.ID {
			continue
		}
		r.report.Report(rule.Finding{
			Pos: r.WatchPos[i], Category: ownerMismatch,
			Message: wording.Fit(func(name func(string) string) string {
				return fmt.Sprintf("Owns asks for the %s that controls a %s, but that is a %s; its events reach nobody; watch %s and map to the %s",
					name(r.For.Name()), name(w.Kind.Name()), name(owner.Name()), name(w.Kind.Name()), name(r.For.Name()))
			}),
		})
	}
}

// soleOwner is the kind that Reconcile makes the controller of all objects of a kind.
func (r *reader) soleOwner(kind controllers.Kind) (controllers.Kind, bool) {
	var owner controllers.Kind
	for _, a := range r.Does.Accesses {
		switch a.Act {
		case controllers.SetController, controllers.SetOwner:
		case controllers.ChangePart:
			if a.Part&kubeapi.OwnerReferences != 0 && (a.Kind.ID == kind.ID || !a.Kind.IsKnown()) {
				return controllers.Kind{}, false // by hand
			}
			continue
		default:
			continue
		}
		if a.Kind.IsKnown() && a.Kind.ID != kind.ID {
			continue
		}
		if !a.Kind.IsKnown() || !a.Owner.IsKnown() || owner.IsKnown() && owner.ID != a.Owner.ID {
			return controllers.Kind{}, false
		}
		owner = a.Owner
	}
	return owner, owner.IsKnown()
}

// children reports kinds that Reconcile creates with its own object as controller, and that no
// watch is for.
func (r *reader) children() {
	if r.Open {
		return
	}
	told := make(map[string]bool)
	for _, a := range r.Does.Accesses {
		if a.Act != controllers.SetController || a.Owner.ID != r.For.ID || !a.Kind.IsKnown() || told[a.Kind.ID] || r.watches(a.Kind) {
			continue
		}
		if !r.does(a.Kind, controllers.Create, controllers.CreateOrUpdate, controllers.Apply) {
			continue
		}
		told[a.Kind.ID] = true
		r.report.Report(rule.Finding{
			Pos: r.Pos, Category: childNotOwned, About: a.Kind.ID,
			Message: wording.Fit(func(name func(string) string) string {
				return fmt.Sprintf("a %s that is changed or deleted stays so: %s creates it (%s) and does not watch it; add Owns",
					name(a.Kind.Name()), name(r.Reconciler[strings.LastIndexByte(r.Reconciler, '.')+1:]), wording.File(a.At.String()))
			}),
		})
	}
}

func (r *reader) watches(kind controllers.Kind) bool {
	return slices.ContainsFunc(r.Watches, func(w controllers.Watch) bool { return w.Kind.ID == kind.ID || !w.Kind.IsKnown() })
}
