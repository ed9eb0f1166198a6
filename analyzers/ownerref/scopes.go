package ownerref

import (
	"fmt"

	"github.com/opvet/opvet/internal/passes/kinds"
	"github.com/opvet/opvet/internal/report/rule"
)

// scopes finds cluster-scoped objects with an owner in a namespace.
func (c *checker) scopes() {
	for l := range c.checkedFirst {
		if c.scope(l.Owner.Kind) != kinds.No || c.scope(l.Child.Kind) != kinds.Yes || c.children[l.Child.Object] {
			continue
		}
		c.reported[l.Instr] = true
		c.children[l.Child.Object] = l.Checked != ""
		owner, child := typeName(l.Owner.Kind), typeName(l.Child.Kind)
		pos, end := c.span(l)
		c.report.Report(rule.Finding{
			Pos: pos, End: end, Related: c.inner(l), Category: namespacedOwner, Harm: harm(l, rule.Leak),
			Message: fmt.Sprintf("%s: the cluster-scoped %s cannot be owned by the namespaced %s; %s",
				refusal(l, "never garbage-collected"), child, owner, c.remedy(l.Owner.Kind)),
		})
	}
}
