package detachedctx

import (
	"go/types"

	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/detachedcalls"
	"github.com/opvet/opvet/internal/passes/processes"
	"github.com/opvet/opvet/internal/report/rule"
)

// waitsForOthers is what is told of a method that waits under its context for another service,
// a poll or a stream, as long as that takes.
const waitsForOthers = "detachedctx: waits for others"

// tell tells other packages which methods wait for others: they may call them through
// interfaces.
func (c *checker) tell() {
	for fn, work := range c.detached.Methods() {
		if work.Kind >= kubeapi.Foreign && !work.Bounded() {
			c.report.Tell(waitsForOthers, fn)
		}
	}
}

// provenBy tells what a finding depends on whose worst call is one of an interface's method, of
// which nothing here or below says what it waits for: what the module puts behind it.
func provenBy(site *detachedcalls.Site, worst detachedcalls.Called) *rule.IfImplemented {
	if site.Elsewhere != nil || worst.Work.Kind != kubeapi.UnknownWork || !worst.Call.Common().IsInvoke() {
		return nil
	}
	common := worst.Call.Common()
	iface, ok := common.Value.Type().Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	worst.Work.Kind = kubeapi.Foreign
	harm := harmOf(site, worst)
	if harm <= least {
		return nil // even then
	}
	return &rule.IfImplemented{
		Method: processes.AbstractName(iface, common.Method), Property: waitsForOthers, Harm: harm,
		// A helper would need a context for it.
		Only: isGuess(site),
	}
}
