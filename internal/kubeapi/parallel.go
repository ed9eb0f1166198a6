package kubeapi

import "go/types"

// Parallel tells which arguments of a function, the receiver not counted, are how many calls
// run at once at most (-1 if that is no argument), how many there are in all, and what is called.
type Parallel struct{ Workers, Pieces, Work int }

// parallel lists functions that call the function they are handed many times, at once, and
// return when all these calls have.
var parallel = map[string]Parallel{
	"k8s.io/client-go/util/workqueue.ParallelizeUntil":                           {1, 2, 3},
	"k8s.io/client-go/util/workqueue.Parallelize":                                {0, 1, 2},
	"(k8s.io/kubernetes/pkg/scheduler/framework/parallelize.Parallelizer).Until": {-1, 1, 2},
	"(k8s.io/kube-scheduler/framework.Parallelizer).Until":                       {-1, 1, 2},
}

// RunsInParallel tells how a function calls another one many times at once and waits for it;
// ok is false if it does no such thing.
func RunsInParallel(callee *types.Func) (p Parallel, ok bool) {
	if callee == nil {
		return Parallel{}, false
	}
	p, ok = parallel[FullName(callee)]
	return p, ok
}
