package kubeapi

import "golang.org/x/tools/go/ssa"

// LibraryRequest is what functions of libraries ask the API server for in the name of
// the program.
type LibraryRequest struct {
	Group, Resource, Sub string
	Verbs                []string
	// Election tells that it belongs to the election of a leader.
	Election bool
}

var (
	electionLease = LibraryRequest{Group: "coordination.k8s.io", Resource: "leases", Verbs: []string{"get", "create", "update"}, Election: true}
	electionEvent = LibraryRequest{Resource: "events", Verbs: []string{"create", "patch"}, Election: true}

	findPods  = []LibraryRequest{{Resource: "pods", Verbs: []string{"list"}}, {Group: "apps", Resource: "daemonsets", Verbs: []string{"get"}}}
	evictPods = []LibraryRequest{{Resource: "pods", Verbs: []string{"get"}}, {Resource: "pods", Sub: "eviction", Verbs: []string{"create"}}}
)

// libraryRequests are by the names of functions, as [types.Func.FullName] has them.
var libraryRequests = map[string][]LibraryRequest{
	"k8s.io/client-go/tools/leaderelection/resourcelock.New":               {electionLease},
	"k8s.io/client-go/tools/leaderelection/resourcelock.NewFromKubeconfig": {electionLease},

	"github.com/kubernetes-csi/csi-lib-utils/leaderelection.NewLeaderElection":           {electionLease, electionEvent},
	"github.com/kubernetes-csi/csi-lib-utils/leaderelection.NewLeaderElectionWithLeases": {electionLease, electionEvent},

	// Pods are deleted only where the server cannot evict, or is told not to.
	"k8s.io/kubectl/pkg/drain.RunNodeDrain":                   {findPods[0], findPods[1], evictPods[0], evictPods[1]},
	"k8s.io/kubectl/pkg/drain.RunCordonOrUncordon":            {{Resource: "nodes", Verbs: []string{"patch"}}},
	"(*k8s.io/kubectl/pkg/drain.Helper).GetPodsForDeletion":   findPods,
	"(*k8s.io/kubectl/pkg/drain.Helper).DeleteOrEvictPods":    evictPods,
	"(*k8s.io/kubectl/pkg/drain.Helper).EvictPod":             evictPods[1:],
	"(*k8s.io/kubectl/pkg/drain.Helper).DeletePod":            {{Resource: "pods", Verbs: []string{"delete"}}},
	"(*k8s.io/kubectl/pkg/drain.CordonHelper).PatchOrReplace": {{Resource: "nodes", Verbs: []string{"patch"}}},
}

// LibraryRequestsOf returns what a call of a library's function asks the API server for.
func LibraryRequestsOf(common *ssa.CallCommon) []LibraryRequest {
	fn := Callee(common)
	if fn == nil || fn.Pkg() == nil {
		return nil
	}
	return libraryRequests[FullName(fn)]
}
