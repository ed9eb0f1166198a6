package unstructuredassert

import (
	"fmt"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/rule"
)

// behind judges the assertions that a function of another package makes on the
// content that it is given.
func (k *checker) behind(call *ssa.Call) {
	fact := k.asserts.Elsewhere(call)
	if fact == nil {
		return
	}
	operands := kubeapi.Operands(call.Common())
	for _, a := range fact.List {
		if a.Param >= len(operands) {
			continue
		}
		c, ok := k.placeIn(operands[a.Param], a.Keys)
		if !ok {
			continue
		}
		doubtful := len(c.path) == 1 && c.path[0].name == "spec" || !c.known()
		if kubeapi.IsGuaranteedField(c.names()) || doubtful && !k.report.Strict() || !k.wanted(c) || k.established(call, c, 0) {
			continue
		}
		remedy := "check it"
		if a.Want != "" {
			remedy = "use unstructured." + a.Want
		}
		f := rule.Finding{Category: unchecked, Harm: k.harm(c, call.Parent()), Message: fmt.Sprintf(
			"this panics on the first object without %s: it is asserted unchecked (%s); %s", c, a.Where, remedy,
		)}
		f.Pos, f.End = syntax.Span(k.pass.Files, call)
		k.report.Report(f)
		return // one finding for u.Object["a"].(T)["b"].(T)
	}
}

// placeIn returns the place that keys lead to from a value, an object or a part of
// its content.
func (k *checker) placeIn(v ssa.Value, keys []string) (content, bool) {
	c, ok := k.contentOf(v)
	if !ok {
		if !kubeapi.IsUnstructured(v.Type()) {
			return content{}, false
		}
		c = content{root: k.origin(v)}
	}
	for _, key := range keys {
		c = c.with(step{name: key})
	}
	return c, true
}
