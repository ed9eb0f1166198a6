package events

import (
	"fmt"
	"maps"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/workqueue/internal/subject"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/report/rule"
)

// ReportBypassed finds event handlers that call what the workers call with an item.
func ReportBypassed(in *subject.Checker, w *subject.Worker) {
	c := &checker{in}
	targets := make(map[*ssa.Function]ssa.CallInstruction)
	for _, h := range w.Items.Calls {
		if subject.Processes(paths.Outermost(h.Site.Parent())) && paths.Outermost(h.Site.Parent()) != paths.Outermost(w.Get.Parent()) {
			continue // a part of the work
		}
		if targets[h.Target] == nil && subject.Processes(h.Target) && !c.Handles(h.Target) && c.Writes(h.Target, 0, make(map[*ssa.Function]bool)) {
			targets[h.Target] = h.Site
		}
	}
	if len(targets) == 0 {
		return
	}
	for _, entry := range c.Entries.Leading(maps.Keys(targets)) {
		if entry.Kind != kubeapi.EventHandler {
			continue
		}
		follow := func(from *entrypoints.Path, edge *entrypoints.Edge) bool {
			return targets[from.Fn] == nil && edge.How != entrypoints.Once
		}
		c.Entries.Walk(entry, follow, func(path *entrypoints.Path) {
			if site := targets[path.Fn]; site != nil && path.Edge != nil {
				c.reportBypass(path, w, site)
			}
		})
	}
}

func (c *checker) reportBypass(path *entrypoints.Path, w *subject.Worker, site ssa.CallInstruction) {
	call := path.Edge.Site
	pos, end := syntax.Span(c.Pass.Files, call)
	queue := c.QueueOf(w)
	c.Report.Report(rule.Finding{
		Pos: pos, End: end, Category: subject.Bypassed,
		Message: fmt.Sprintf("%s runs past %s: beside a worker that has the same object (line %d), and with no retry; add the key to the queue",
			c.Called(call), queue, c.Line(site.Pos())),
		Related: path.Related(),
	})
}
