package detachedctx

import (
	"slices"
	"time"

	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/detachedcalls"
	"github.com/opvet/opvet/internal/report/rule"
)

// patience is how long the API server waits for a webhook at most.
const patience = 30 * time.Second

// least is the harm of calls that nobody waits for in vain: they end soon, or the
// one who waits has no deadline.
const least = rule.Hygiene

// harmOf tells what comes of it that a call does not end with the live context: that
// depends on what it waits for, and on who is waiting. The API server answers a single
// request within its own minute: that merely finishes, and only a webhook whose caller
// has been told by then that it failed writes what nobody expects any more.
//
//	                     reconcile    given a timeout   admission, gRPC   HTTP
//	read of a cache      hygiene      hygiene           hygiene           hygiene
//	read                 hygiene      hygiene           hygiene           hygiene
//	write                hygiene      hygiene           stuck             hygiene
//	with a time limit    hygiene      stuck             stuck             stuck, if it is near
//	another service      hygiene      stuck             stuck             stuck
//	polls, streams       stuck        stuck             stuck             stuck
//
// The context of a reconcile ends at shutdown only, and the client of another service, which is made elsewhere,
// mostly gives up by itself: that is hygiene, but for requests whose client is seen to have
// no time limit, and for a loop that asks the service until it has what it wants.
func harmOf(site *detachedcalls.Site, called detachedcalls.Called) rule.Harm {
	work := called.Work
	if work.Bounded() {
		if site.Waiter == detachedcalls.Requester && work.Limit > patience && work.Kind >= kubeapi.LiveWrite {
			return rule.Stuck
		}
		return least
	}
	switch {
	case work.Kind == kubeapi.Foreign && site.Waiter == detachedcalls.Somebody && !isRequest(called) &&
		(category(site) == "helper" || !asksAgain(called)):
		return least
	case work.Kind >= kubeapi.Foreign,
		work.Kind == kubeapi.LiveWrite && site.Waiter == detachedcalls.Requester,
		work.Kind == kubeapi.Limited && (site.Waiter >= detachedcalls.Timed || site.Waiter == detachedcalls.Visitor && site.Elsewhere == nil):
		return rule.Stuck
	}
	return least
}

// isRequest reports whether a call makes an HTTP request: that is foreign only if it is
// seen to be sent by a client without a time limit.
func isRequest(called detachedcalls.Called) bool {
	return called.Call != nil && kubeapi.IsFunc(kubeapi.Callee(called.Call.Common()), "net/http", "NewRequestWithContext")
}

// asksAgain reports whether a call is made again and again, with a pause, in a loop that
// does not count its rounds.
func asksAgain(called detachedcalls.Called) bool {
	if called.Call == nil {
		return false
	}
	return slices.ContainsFunc(loops.Of(called.Call.Parent()), func(l *loops.Loop) bool {
		_, counted := l.Rounds()
		return l.Blocks[called.Call.Block()] && !counted && len(l.Waits()) > 0
	})
}
