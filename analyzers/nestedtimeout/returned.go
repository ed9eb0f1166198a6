package nestedtimeout

import (
	"fmt"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/nestedtimeout/internal/deadlines"
	"github.com/opvet/opvet/analyzers/nestedtimeout/internal/returned"
	"github.com/opvet/opvet/internal/report/rule"
)

// returned reports contexts that a function returns when it has cancelled them.
func (c *checker) returned(fn *ssa.Function) {
	reported := make(map[deadlines.End]bool)
	for _, ended := range returned.In(c.info, c.info.Graphs.Of(fn)) {
		if pos := ended.Return.Pos(); pos.IsValid() && !reported[ended.End] {
			reported[ended.End] = true
			c.report.Report(rule.Finding{
				Pos: pos, Category: cancelledEarly,
				Message: fmt.Sprintf("callers cannot use the context that %s returns: it is cancelled before (%s); return its cancel function too, for them to call",
					outermost(fn), c.at(ended.End.Pos, pos)),
				Related: []analysis.RelatedInformation{{Pos: ended.End.Pos, Message: "cancels the context"}},
			})
		}
	}
}
