package nestedtimeout

import (
	"fmt"

	"github.com/opvet/opvet/analyzers/nestedtimeout/internal/deadlines"
	"github.com/opvet/opvet/analyzers/nestedtimeout/internal/units"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/wording"
)

// mistaken reports a timeout that has passed before anything is done, since its number is in
// another unit.
func (c *checker) mistaken(t deadlines.Timeout) bool {
	if callee := kubeapi.Callee(t.Call.Common()); callee == nil || callee.Pkg() == nil || c.calls.SameModule(callee.Pkg()) {
		return false
	}
	unit, ok := units.Mistaken(c.calls, c.info, t)
	if !ok {
		return false
	}
	pos, end := c.span(t.Call)
	message := fmt.Sprintf("the timeout of %s is over before anything is done: the number counts nanoseconds; multiply it by time.Second, or the unit meant", wording.Duration(t.After))
	if unit != "" {
		message = fmt.Sprintf("the timeout is over before anything is done: the number that %s returns is taken for nanoseconds; pass the duration itself", unit)
	}
	c.report.Report(rule.Finding{Pos: pos, End: end, Category: alreadyDone, Message: message})
	return true
}
