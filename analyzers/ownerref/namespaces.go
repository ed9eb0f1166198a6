package ownerref

import (
	"fmt"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/ownerref/internal/owners"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/kinds"
	"github.com/opvet/opvet/internal/report/rule"
)

// namespaces finds owners in another namespace than what they own.
func (c *checker) namespaces() {
	for l := range c.checkedFirst {
		if l.Owner.Kind == nil || l.Child.Kind == nil || c.reported[l.Instr] || c.children[l.Child.Object] ||
			c.scope(l.Owner.Kind) == kinds.Yes || c.scope(l.Child.Kind) == kinds.Yes || c.MindsNamespaces(l) {
			continue
		}
		what := c.named(l)
		if what == "" && c.report.Strict() {
			what = c.fixedElsewhere(l)
		}
		if what == "" {
			continue
		}
		c.reported[l.Instr] = true
		c.children[l.Child.Object] = true
		pos, end := c.span(l)
		c.report.Report(rule.Finding{
			Pos: pos, End: end, Related: c.inner(l), Category: crossNamespace, Harm: harm(l, rule.Loss),
			Message: fmt.Sprintf("%s across namespaces: %s; %s", refusal(l, "the garbage collector deletes it"), what, c.remedy(l.Owner.Kind)),
		})
	}
}

// fixedElsewhere tells that the child is in a namespace that is fixed or
// configured, while its owner is wherever a user has put it: as far as the package
// knows. Webhooks, the only code that makes such owners, or the one place where
// they are looked up may keep them in that very namespace.
func (c *checker) fixedElsewhere(l owners.Link) string {
	origins := c.ChildNamespaces(l)
	if len(origins) == 0 || slices.ContainsFunc(origins, func(o owners.Origin) bool {
		return o.Kind != owners.Constant && o.Kind != owners.Variable || o.Kind == owners.Constant && o.Text == ""
	}) {
		return ""
	}
	if len(c.OwnerNamespaces(l)) > 0 || c.scope(l.Owner.Kind) != kinds.No || !c.inModule(l.Owner.Kind) || !c.usesNamespaceOf(l.Owner.Kind) {
		return ""
	}
	where := fmt.Sprintf("namespace %s", origins[0].Text)
	if origins[0].Kind == owners.Constant {
		where = fmt.Sprintf("namespace %q", origins[0].Text)
	}
	return fmt.Sprintf("this %s is in %s, the %s in any", typeName(l.Child.Kind), where, typeName(l.Owner.Kind))
}

// inModule reports whether a kind is declared in the module under analysis:
// its objects are the users', while built-in ones may be the operator's own.
func (c *checker) inModule(kind *types.Named) bool {
	return c.Summaries.Calls.SameModule(kind.Obj().Pkg())
}

// usesNamespaceOf reports whether the package works with the namespaces of
// objects of a kind, as if there could be several.
func (c *checker) usesNamespaceOf(kind *types.Named) bool {
	return slices.ContainsFunc(c.Summaries.Calls.Funcs, func(fn *ssa.Function) bool {
		return blocks.Any(fn, func(instr ssa.Instruction) bool { return c.readsNamespaceOf(instr, kind) })
	})
}

func (c *checker) readsNamespaceOf(instr ssa.Instruction, kind *types.Named) bool {
	switch instr := instr.(type) {
	case *ssa.UnOp:
		addr, ok := instr.X.(*ssa.FieldAddr)
		return ok && owners.IsNamespace(addr) && c.Summaries.Resolve.Place(addr).Kind == kind
	case *ssa.Call:
		recv, _ := kubeapi.Args(instr.Common())
		return kubeapi.IsNamespaceGetter(kubeapi.Callee(instr.Common())) && recv != nil && (kubeapi.KindOf(recv.Type()) == kind || c.Summaries.Resolve.Place(recv).Kind == kind)
	}
	return false
}

// named tells that the child is in any namespace that there is, or one of the
// two in a namespace that a user writes into the spec of the other.
func (c *checker) named(l owners.Link) string {
	for _, o := range c.ChildNamespaces(l) {
		if o.Kind == owners.Listed && c.scope(l.Owner.Kind) == kinds.No && c.inModule(l.Owner.Kind) {
			return fmt.Sprintf("this %s goes into every namespace, the %s is in one", typeName(l.Child.Kind), typeName(l.Owner.Kind))
		}
		if o.Kind == owners.Spec && o.Object == l.Owner.Object {
			return fmt.Sprintf("this %s is where %s of the %s says", typeName(l.Child.Kind), o.Text, typeName(l.Owner.Kind))
		}
	}
	for _, o := range c.OwnerNamespaces(l) {
		if o.Kind == owners.Spec && o.Object == l.Child.Object {
			return fmt.Sprintf("the %s is looked up where %s of the %s says", typeName(l.Owner.Kind), o.Text, typeName(l.Child.Kind))
		}
	}
	return ""
}
