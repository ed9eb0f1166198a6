// Package registry lists the rules of the suite. It is apart from package
// analyzers because unusedignore, which is in the suite too, has to know all the
// others.
package registry

import (
	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/analyzers/cachemutation"
	"github.com/opvet/opvet/analyzers/cacheretention"
	"github.com/opvet/opvet/analyzers/cachescope"
	"github.com/opvet/opvet/analyzers/cachesync"
	"github.com/opvet/opvet/analyzers/cachewrite"
	"github.com/opvet/opvet/analyzers/conflictretry"
	"github.com/opvet/opvet/analyzers/createorupdate"
	"github.com/opvet/opvet/analyzers/ctxdone"
	"github.com/opvet/opvet/analyzers/deletiontimestamp"
	"github.com/opvet/opvet/analyzers/detachedctx"
	"github.com/opvet/opvet/analyzers/duplicatecreate"
	"github.com/opvet/opvet/analyzers/emptykind"
	"github.com/opvet/opvet/analyzers/eventfilter"
	"github.com/opvet/opvet/analyzers/finalizeradd"
	"github.com/opvet/opvet/analyzers/finalizerpatch"
	"github.com/opvet/opvet/analyzers/finalizerremoval"
	"github.com/opvet/opvet/analyzers/gcfinalizer"
	"github.com/opvet/opvet/analyzers/handlergoroutine"
	"github.com/opvet/opvet/analyzers/informerlifecycle"
	"github.com/opvet/opvet/analyzers/jobdelete"
	"github.com/opvet/opvet/analyzers/maporder"
	"github.com/opvet/opvet/analyzers/nestedtimeout"
	"github.com/opvet/opvet/analyzers/nilmap"
	"github.com/opvet/opvet/analyzers/ownerref"
	"github.com/opvet/opvet/analyzers/rbac"
	"github.com/opvet/opvet/analyzers/reconcileclient"
	"github.com/opvet/opvet/analyzers/reconcileresult"
	"github.com/opvet/opvet/analyzers/reconcilerstate"
	"github.com/opvet/opvet/analyzers/restconfig"
	"github.com/opvet/opvet/analyzers/resync"
	"github.com/opvet/opvet/analyzers/schemeregister"
	"github.com/opvet/opvet/analyzers/selftrigger"
	"github.com/opvet/opvet/analyzers/semanticequal"
	"github.com/opvet/opvet/analyzers/statusupdate"
	"github.com/opvet/opvet/analyzers/tombstone"
	"github.com/opvet/opvet/analyzers/unstructuredassert"
	"github.com/opvet/opvet/analyzers/unwatched"
	"github.com/opvet/opvet/analyzers/updateunread"
	"github.com/opvet/opvet/analyzers/webhookdelete"
	"github.com/opvet/opvet/analyzers/workqueue"
)

// Rules holds every analyzer of the suite but unusedignore. Registering a new
// one is adding a line here; help, settings, documentation pages and the
// README's table follow from it.
var Rules = []*analysis.Analyzer{
	cachemutation.Analyzer,
	cacheretention.Analyzer,
	cachescope.Analyzer,
	cachesync.Analyzer,
	cachewrite.Analyzer,
	conflictretry.Analyzer,
	createorupdate.Analyzer,
	ctxdone.Analyzer,
	deletiontimestamp.Analyzer,
	detachedctx.Analyzer,
	duplicatecreate.Analyzer,
	emptykind.Analyzer,
	eventfilter.Analyzer,
	finalizeradd.Analyzer,
	finalizerpatch.Analyzer,
	finalizerremoval.Analyzer,
	gcfinalizer.Analyzer,
	handlergoroutine.Analyzer,
	informerlifecycle.Analyzer,
	jobdelete.Analyzer,
	maporder.Analyzer,
	nestedtimeout.Analyzer,
	nilmap.Analyzer,
	ownerref.Analyzer,
	rbac.Analyzer,
	reconcileclient.Analyzer,
	reconcileresult.Analyzer,
	reconcilerstate.Analyzer,
	restconfig.Analyzer,
	resync.Analyzer,
	schemeregister.Analyzer,
	selftrigger.Analyzer,
	semanticequal.Analyzer,
	statusupdate.Analyzer,
	tombstone.Analyzer,
	unstructuredassert.Analyzer,
	unwatched.Analyzer,
	updateunread.Analyzer,
	webhookdelete.Analyzer,
	workqueue.Analyzer,
}
