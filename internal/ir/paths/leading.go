package paths

// LeadingTo tells of each node, by its Index, whether a path leads from it to a
// node that is wanted, or it is one. A search that prunes all others finds the
// same.
func (g *Graph) LeadingTo(wanted func(*Node) bool) []bool {
	// preds has the nodes before each, those of one after those of another:
	// the i-th node's from ends[i-1] to ends[i].
	ends := make([]int32, len(g.Nodes)+1)
	edges := 0
	for _, n := range g.Nodes {
		edges += len(n.Succs)
		for _, succ := range n.Succs {
			ends[succ.index+1]++
		}
	}
	for i := 1; i < len(ends); i++ {
		ends[i] += ends[i-1]
	}
	preds := make([]int32, edges)
	for i, n := range g.Nodes {
		for _, succ := range n.Succs {
			preds[ends[succ.index]] = int32(i)
			ends[succ.index]++
		}
	}
	leads := make([]bool, len(g.Nodes))
	var queue []int32
	add := func(i int32) {
		if !leads[i] {
			leads[i] = true
			queue = append(queue, i)
		}
	}
	for i, n := range g.Nodes {
		if wanted(n) {
			add(int32(i))
		}
	}
	for len(queue) > 0 {
		i := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		first := int32(0)
		if i > 0 {
			first = ends[i-1]
		}
		for _, pred := range preds[first:ends[i]] {
			add(pred)
		}
	}
	return leads
}
