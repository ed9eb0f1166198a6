package ownerref

import (
	"fmt"
	"go/constant"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/ownerref/internal/owners"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/kinds"
	"github.com/opvet/opvet/internal/report/rule"
)

// namespaces finds owners in another namespace than what they own.
func (c *checker) namespaces() {
	for l := range c.checkedFirst {
		if l.Owner.Kind == nil || l.Child.Kind == nil || c.reported[l.Instr] || c.children[l.Child.Object] ||
			c.scope(l.Owner.Kind) == kinds.Yes || c.scope(l.Child.Kind) == kinds.Yes || c.ComparesNamespaces(l.Instr.Parent()) {
			continue
		}
		what := c.fixedElsewhere(l)
		if what == "" {
			what = c.named(l)
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
// configured, while its owner is wherever a user has put it.
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
	if slices.ContainsFunc(origins, func(o owners.Origin) bool { return c.looksUpIn(o, l.Owner.Kind) }) && !c.report.Strict() {
		return "" // the owner may be one of the objects that are kept there
	}
	where := fmt.Sprintf("namespace %s", origins[0].Text)
	if origins[0].Kind == owners.Constant {
		where = fmt.Sprintf("namespace %q", origins[0].Text)
	}
	return fmt.Sprintf("this %s is in %s, the %s in any", typeName(l.Child.Kind), where, typeName(l.Owner.Kind))
}

// looksUpIn reports whether the package looks objects up where the child is: by a key
// whose namespace the same package-level variable has, or objects of the owner's kind
// by the same constant.
func (c *checker) looksUpIn(o owners.Origin, owner *types.Named) bool {
	for _, fn := range c.Summaries.Calls.Funcs {
		for _, block := range fn.Blocks {
			for _, instr := range block.Instrs {
				switch instr := instr.(type) {
				case *ssa.Store:
					if addr, ok := instr.Addr.(*ssa.FieldAddr); ok && o.Kind == owners.Variable && kubeapi.IsNamed(addr.X.Type(), "k8s.io/apimachinery/pkg/types", "NamespacedName") && isOrigin(instr.Val, o) {
						return true
					}
				case *ssa.Call:
					if getsByName(&instr.Call, owner) && slices.ContainsFunc(instr.Call.Args, func(arg ssa.Value) bool { return isOrigin(arg, o) }) {
						return true
					}
				}
			}
		}
	}
	return false
}

// isOrigin reports whether a value is the constant, or the package-level variable, that
// a namespace comes from.
func isOrigin(v ssa.Value, o owners.Origin) bool {
	switch v := v.(type) {
	case *ssa.Const:
		return o.Kind == owners.Constant && v.Value != nil && v.Value.Kind() == constant.String && constant.StringVal(v.Value) == o.Text
	case *ssa.UnOp:
		global, ok := v.X.(*ssa.Global)
		return ok && o.Kind == owners.Variable && strings.HasSuffix(o.Text, global.Name())
	}
	return false
}

// getsByName reports whether a call is a Get of a kind that takes a namespace and a name,
// as the caches and clients of many frameworks have it.
func getsByName(common *ssa.CallCommon, kind *types.Named) bool {
	callee := kubeapi.Callee(common)
	if callee == nil || callee.Name() != "Get" || callee.Signature().Recv() == nil || callee.Signature().Params().Len() < 2 ||
		common.Signature().Results().Len() == 0 || kubeapi.KindOf(common.Signature().Results().At(0).Type()) != kind {
		return false
	}
	params := callee.Signature().Params()
	return types.Identical(params.At(0).Type(), types.Typ[types.String]) && types.Identical(params.At(1).Type(), types.Typ[types.String])
}

// inModule reports whether a kind is declared in the module under analysis:
// its objects are the users', while built-in ones may be the operator's own.
func (c *checker) inModule(kind *types.Named) bool {
	return c.Summaries.Calls.SameModule(kind.Obj().Pkg())
}

// usesNamespaceOf reports whether the package works with the namespaces of
// objects of a kind, as if there could be several.
func (c *checker) usesNamespaceOf(kind *types.Named) bool {
	for _, fn := range c.Summaries.Calls.Funcs {
		for _, block := range fn.Blocks {
			for _, instr := range block.Instrs {
				if c.readsNamespaceOf(instr, kind) {
					return true
				}
			}
		}
	}
	return false
}

func (c *checker) readsNamespaceOf(instr ssa.Instruction, kind *types.Named) bool {
	switch instr := instr.(type) {
	case *ssa.UnOp:
		addr, ok := instr.X.(*ssa.FieldAddr)
		if !ok || !kubeapi.IsObjectMeta(addr.X.Type()) {
			return false
		}
		if field := calls.FieldOf(addr.X.Type(), addr.Field); field == nil || field.Name() != "Namespace" {
			return false
		}
		return c.Summaries.Resolve.Place(addr).Kind == kind
	case *ssa.Call:
		if !kubeapi.IsNamespaceGetter(kubeapi.Callee(instr.Common())) {
			return false
		}
		recv, _ := kubeapi.Args(instr.Common())
		return recv != nil && (kubeapi.KindOf(recv.Type()) == kind || c.Summaries.Resolve.Place(recv).Kind == kind)
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
