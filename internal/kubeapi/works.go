package kubeapi

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Work is what a call that gets a context does until it returns, from what is
// over at once to what may never be.
type Work uint8

const (
	// UnknownWork cannot be told.
	UnknownWork Work = iota
	// CachedRead is a read of a controller-runtime client: the cache of the
	// manager answers.
	CachedRead
	// LiveRead asks the API server once.
	LiveRead
	// LiveWrite sends the API server something once.
	LiveWrite
	// Limited waits for something else, with a time limit of its own.
	Limited
	// Foreign asks another service, whose client has no time limit: a cloud, a
	// database, a server of the operator's own.
	Foreign
	// Poll asks again and again until the response is right.
	Poll
	// Stream goes on as long as the other side likes: a watch, a log, a command in
	// a container.
	Stream
)

// WorkOf tells what a call does that gets a context and is not looked into; own
// tells which packages are the user's. What cannot be told for sure is
// UnknownWork.
func WorkOf(call ssa.CallInstruction, own func(*types.Package) bool) Work {
	common := call.Common()
	callee := Callee(common)
	if callee == nil || callee.Pkg() == nil {
		return UnknownWork
	}
	if wait, ok := WaitCall(common); ok {
		return workOfWait(common, wait)
	}
	if op, ok := ClientOp(common); ok {
		switch {
		case op.Verb == Create && op.Object != nil && IsReview(op.Object.Type()):
			return LiveRead
		case !op.Verb.Reads():
			return LiveWrite
		case op.InMemory:
			return CachedRead
		}
		return LiveRead
	}
	switch {
	case streams.match(callee) && readsLogSoFar(common):
		return LiveRead
	case streams.match(callee), returnsWatch(callee):
		return Stream
	case requestRuns.match(callee):
		return LiveRead
	case IsOfClient(callee):
		return workOfClient(callee)
	case IsFunc(callee, "net/http", "NewRequestWithContext"):
		return workOfRequest(call)
	case startsWith(callee.Name(), []string{"Start", "New", "Register"}):
		return UnknownWork // what is started goes on after it
	case isForeign(callee) && !own(callee.Pkg()) && !getsClient(common) && HeedsContext(callee):
		return Foreign
	}
	return UnknownWork
}

// IsReview reports whether objects of a type are questions to the API server,
// which answers and stores nothing: access and token reviews.
func IsReview(t types.Type) bool {
	named := Named(t)
	if named == nil || named.Obj().Pkg() == nil || !strings.HasSuffix(named.Obj().Name(), "Review") {
		return false
	}
	path := named.Obj().Pkg().Path()
	return strings.HasPrefix(path, "k8s.io/api/authorization/") || strings.HasPrefix(path, "k8s.io/api/authentication/")
}

// streams are functions that return when the other side has no more to say.
var streams = newNameTable(
	"(*k8s.io/client-go/rest.Request).Stream", "(*k8s.io/client-go/rest.Request).Watch", "(k8s.io/client-go/tools/remotecommand.Executor).StreamWithContext",
	"(k8s.io/client-go/rest.ResponseWrapper).Stream",
)

// requestRuns are what sends a request that was put together by hand.
var requestRuns = newNameTable(
	"(*k8s.io/client-go/rest.Request).Do", "(*k8s.io/client-go/rest.Request).DoRaw", "(k8s.io/client-go/rest.ResponseWrapper).DoRaw",
)

func returnsWatch(fn *types.Func) bool {
	results := fn.Signature().Results()
	return results.Len() > 0 && HasMethod(results.At(0).Type(), "ResultChan")
}

// workOfWait tells pollers that never give up from those that do. What runs until
// it is told to stop has no end to wait for.
func workOfWait(common *ssa.CallCommon, wait Wait) Work {
	if wait.Synced {
		return Poll
	}
	if !wait.Poller {
		return UnknownWork
	}
	if _, _, _, limited := PollTimeout(common); limited || strings.HasPrefix(wait.Callee.Name(), "ExponentialBackoff") {
		return Limited
	}
	return Poll
}

// workOfClient tells by its name what a method of a client does that is none of
// the usual ones.
func workOfClient(fn *types.Func) Work {
	if !startsWith(fn.Name(), []string{"Get", "List"}) {
		return LiveWrite
	}
	if AnyIs(fn.Signature().Params(), IsObject) {
		return CachedRead
	}
	return LiveRead
}

// workOfRequest tells what becomes of a request: it is Foreign if it is seen to be
// sent by a client without a time limit.
func workOfRequest(call ssa.CallInstruction) Work {
	made, ok := call.(*ssa.Call)
	if !ok || made.Referrers() == nil {
		return UnknownWork
	}
	for _, ref := range *made.Referrers() {
		request, ok := ref.(*ssa.Extract)
		if !ok || request.Index != 0 {
			continue
		}
		uses, _ := usesOf(request, 0)
		for _, use := range uses {
			if sends, ok := SendsRequest(use.Common()); ok && sends.Client != nil && isUnlimited(sends.Client) {
				return Foreign
			}
		}
	}
	return UnknownWork
}

// isUnlimited reports whether an HTTP client is seen to have no timeout: it is the
// default one, or made here without.
func isUnlimited(client ssa.Value) bool {
	if made, ok := client.(*ssa.Alloc); ok {
		return !HasTimeout(made) && len(storedAt(made)) == 0 // it gets no fields from another one
	}
	return IsVariable(client, "net/http", "DefaultClient")
}

// ecosystem begin the paths of packages whose functions take a context and leave
// the process only through clients that they are handed, if at all.
var ecosystem = []string{
	"k8s.io/", "sigs.k8s.io/", "knative.dev/", "github.com/openshift/", "open-cluster-management.io/", "kmodules.xyz/", "kubedb.dev/", "istio.io/client-go/",
	"golang.org/x/", "github.com/google/cel-go/", "github.com/open-policy-agent/", "cuelang.org/", "github.com/go-logr/", "github.com/sourcegraph/conc",
	"github.com/cenkalti/backoff", "github.com/avast/retry-go", "github.com/hashicorp/go-multierror", "github.com/tetratelabs/", "github.com/sethvargo/go-retry",
	"github.com/looplab/fsm", "github.com/kubevela/", "github.com/crossplane/", "github.com/fluxcd/", "github.com/rancher/", "github.com/banzaicloud/", "github.com/cisco-open/",
	"github.com/jaypipes/", "github.com/santhosh-tekuri/", "github.com/xeipuuv/", "github.com/go-playground/", "github.com/eko/gocache", "github.com/ReneKroon/", "github.com/dgraph-io/ristretto",
}

// limitedByDefault are clients that give up by themselves unless they are told otherwise:
// Vault's after a minute, those of Redis after three seconds, Kafka's after thirty.
var limitedByDefault = []string{
	"github.com/hashicorp/vault/", "github.com/redis/go-redis/", "github.com/go-redis/redis", "github.com/IBM/sarama", "github.com/Shopify/sarama",
}

// isForeign reports whether fn belongs to a library that talks to something else
// than the API server, be it a cloud, a database or a service, for as long as that takes: a
// module that is none of the ecosystem's.
func isForeign(fn *types.Func) bool {
	path := fn.Pkg().Path()
	if path == "database/sql" {
		return true
	}
	host, _, _ := strings.Cut(path, "/")
	return strings.Contains(host, ".") && !startsWith(path, ecosystem) && !startsWith(path, limitedByDefault)
}

// getsClient reports whether a client of the API server is among the operands of a
// call: then that is who is asked.
func getsClient(common *ssa.CallCommon) bool {
	for _, operand := range Operands(common) {
		if operand != nil && (ClientKindOf(operand.Type()) != NoClient && !IsNamed(operand.Type(), "net/http", "Client") || IsRESTConfig(operand.Type())) {
			return true
		}
	}
	return false
}
