package ownerref

import (
	"fmt"

	"github.com/opvet/opvet/internal/apikind"
	"github.com/opvet/opvet/internal/rule"
)

// scopes finds cluster-scoped objects with an owner in a namespace.
func (c *checker) scopes() {
	for l := range c.checkedFirst {
		if c.scope(l.Owner.Kind) != apikind.No || c.scope(l.Child.Kind) != apikind.Yes || c.children[l.Child.Object] {
			continue
		}
		c.reported[l.Instr] = true
		c.children[l.Child.Object] = l.Checked != ""
		owner, child := typeName(l.Owner.Kind), typeName(l.Child.Kind)
		pos, end := c.span(l)
		c.report.Report(rule.Finding{
			Pos: pos, End: end, Related: c.inner(l), Category: namespacedOwner,
			Message: fmt.Sprintf("a %s has no namespace and cannot be owned by a %s, which has one: %s; %s instead",
				child, owner, refusal(l, "the garbage collector finds no such owner and never deletes it"), c.remedy(l.Owner.Kind)),
		})
	}
}
