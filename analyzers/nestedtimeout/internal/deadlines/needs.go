package deadlines

import (
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
)

// needs finds the first operation on each parameter that fails if the
// parameter has ended: those that are reached without asking whether it has.
func (i *Deadlines) needs(fn *ssa.Function, g *paths.Graph, b *Behaviour) {
	for index, p := range fn.Params {
		if !kubeapi.IsContext(p.Type()) {
			continue
		}
		seen := make([]bool, len(g.Nodes))
		queue := []*paths.Node{g.Entry}
		for len(queue) > 0 {
			n := queue[0]
			queue = queue[1:]
			if n == nil || seen[n.Index()] {
				continue
			}
			seen[n.Index()] = true
			if i.Checks(n, p) {
				continue
			}
			if use, ok := i.UseOf(n); ok && use.Ctx != nil && !use.Derives && i.Covers(use.Ctx, p) {
				need := Need{Param: index, What: use.What, Where: use.Where, Shuts: use.Shuts}
				if need.What == "" {
					need.What, need.Where = calleeName(use.Call), i.Where(use.Call)
				}
				b.Needs = append(b.Needs, need)
				break
			}
			queue = append(queue, n.Succs...)
		}
	}
}
