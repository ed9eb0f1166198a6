package ownerref

import (
	"fmt"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/ownerref/internal/owners"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/kinds"
	"github.com/opvet/opvet/internal/report/rule"
)

// neverCollected is what comes of a reference to a namespaced owner that is stored.
const neverCollected = "never garbage-collected"

// scopes finds cluster-scoped objects with an owner in a namespace.
func (c *checker) scopes() {
	for l := range c.checkedFirst {
		if !c.isAcrossScopes(l) || c.children[l.Child.Object] || c.MindsNamespaces(l) || c.isToldInHelper(l) {
			continue
		}
		c.reported[l.Instr] = true
		c.children[l.Child.Object] = l.Checked != ""
		owner, child := typeName(l.Owner.Kind), typeName(l.Child.Kind)
		pos, end := c.span(l)
		harm, becomes := harm(l, rule.Leak), refusal(l, neverCollected)
		if l.Checked != "" && !c.isWithoutNamespace(l) {
			// The check compares namespaces: with one that the API server will drop, the reference is stored.
			harm, becomes = rule.Leak, neverCollected
		}
		if becomes == neverCollected && c.deletes(l.Child.Kind) {
			harm = rule.Hygiene // a reference to no avail
		}
		cause, cleaned := "", ""
		if l.Checked == "" && harm == rule.Leak {
			cause = c.pass.Pkg.Path() + " " + owner // one finalizer mends all
		}
		if harm == rule.Leak && c.inModule(l.Owner.Kind) {
			cleaned = kubeapi.KindID(l.Owner.Kind)
		}
		c.report.Report(rule.Finding{
			Pos: pos, End: end, Cause: cause, Related: c.inner(l), Category: namespacedOwner, Harm: harm, CleanedUp: cleaned,
			Message: fmt.Sprintf("%s: the cluster-scoped %s cannot be owned by the namespaced %s; %s",
				becomes, child, owner, c.remedy(l.Owner.Kind)),
		})
	}
}

func (c *checker) isAcrossScopes(l owners.Link) bool {
	return c.scope(l.Owner.Kind) == kinds.No && c.scope(l.Child.Kind) == kinds.Yes
}

// isWithoutNamespace reports whether the child certainly has no namespace in its metadata, as
// it should be in cluster scope: it is made here, and nobody gives it one.
func (c *checker) isWithoutNamespace(l owners.Link) bool {
	made, ok := l.Child.Object.Root.(*ssa.Alloc)
	if !ok || l.Child.Object.Path != "" {
		return false
	}
	for addr := range blocks.UsesOf[*ssa.FieldAddr](made) {
		if calls.FieldName(addr) != kubeapi.MetadataPath {
			continue
		}
		for store := range blocks.UsesOf[*ssa.Store](addr) {
			load, ok := store.Val.(*ssa.UnOp)
			if !ok {
				return false // what a function returns
			}
			if _, ok := load.X.(*ssa.Alloc); !ok {
				return false
			}
		}
	}
	return !slices.ContainsFunc(c.ChildNamespaces(l), func(o owners.Origin) bool { return o.Kind != owners.Constant || o.Text != "" })
}

// isToldInHelper reports whether the helper of the package that makes a link knows both kinds
// itself: it is reported there, once for all its callers.
func (c *checker) isToldInHelper(l owners.Link) bool {
	return l.Via != nil && slices.ContainsFunc(c.links, func(other owners.Link) bool {
		return other.Via == nil && other.Instr.Parent().Object() == l.Via && c.isAcrossScopes(other)
	})
}

// deletes reports whether the package deletes objects of a kind itself, and so does without
// the garbage collector.
func (c *checker) deletes(kind *types.Named) bool {
	mayBe := values.Relation{Calls: c.Summaries.Calls, Steps: values.Local}
	return slices.ContainsFunc(c.Summaries.Calls.Funcs, func(fn *ssa.Function) bool {
		return blocks.Any(fn, func(call ssa.CallInstruction) bool {
			d, ok := c.Summaries.DeletionOf(call.Common())
			if !ok || d.Object == nil {
				return ok && isClientOf(call.Common(), kind)
			}
			return mayBe.Any(d.Object, func(v ssa.Value) bool { return kubeapi.KindBehind(v) == kind })
		})
	})
}

// isClientOf reports whether a call is one of a typed client for objects of a kind: it has
// methods that return these.
func isClientOf(common *ssa.CallCommon, kind *types.Named) bool {
	recv, _ := kubeapi.Args(common)
	if recv == nil {
		return false
	}
	for method := range types.NewMethodSet(recv.Type()).Methods() {
		sig, ok := method.Type().(*types.Signature)
		if ok && sig.Results().Len() > 0 && kubeapi.KindOf(sig.Results().At(0).Type()) == kind {
			return true
		}
	}
	return false
}
