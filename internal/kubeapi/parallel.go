package kubeapi

import "go/types"

// parallel lists functions that call the function they are handed many times, at once, and
// return when all these calls have. An entry has the operands, the receiver not counted, that are the
// number of calls and the function.
var parallel = map[string]struct{ pieces, work int }{
	"k8s.io/client-go/util/workqueue.ParallelizeUntil":                           {2, 3},
	"k8s.io/client-go/util/workqueue.Parallelize":                                {1, 2},
	"(k8s.io/kubernetes/pkg/scheduler/framework/parallelize.Parallelizer).Until": {1, 2},
	"(k8s.io/kube-scheduler/framework.Parallelizer).Until":                       {1, 2},
}

// RunsInParallel tells which arguments of a function, the receiver not counted, are how often
// it calls another one at once, and that other one; ok is false if it does no such thing.
func RunsInParallel(callee *types.Func) (pieces, work int, ok bool) {
	if callee == nil {
		return 0, 0, false
	}
	entry, ok := parallel[FullName(callee)]
	return entry.pieces, entry.work, ok
}
