package reconcileclient

import (
	_ "embed"
	"fmt"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/callgraph"
	"github.com/opvet/opvet/internal/clients"
	"github.com/opvet/opvet/internal/contexts"
	"github.com/opvet/opvet/internal/entrypoint"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/rule"
	"github.com/opvet/opvet/internal/source"
)

//go:embed doc.go
var doc string

const (
	perCall   = "client"
	watching  = "factory"
	transport = "transport"
	pooled    = "pooled"
	noTimeout = "no-timeout"
)

// Analyzer finds clients that are built for each request.
var Analyzer = rule.New(rule.Spec{
	Name:      "reconcileclient",
	Summary:   "find clients, caches and transports that are built for each event or request, and requests without a timeout",
	DocSource: doc,
	Group:     "clients",
	Since:     "unreleased",
	Categories: []rule.Category{
		{Name: perCall, Summary: "a client of the API server is built for each event or request", Harm: rule.Leak},
		{Name: watching, Summary: "a manager, cache or informer factory is made for each event or request", Harm: rule.Leak},
		{Name: transport, Summary: "an HTTP client gets a transport of its own for each event or request", Harm: rule.Leak},
		{Name: pooled, Summary: "clients are kept in a sync.Pool", Harm: rule.Loss},
		{Name: noTimeout, Summary: "a reconciler or handler of events sends an HTTP request that may never end", Harm: rule.Stuck},
	},
	Requires: []*analysis.Analyzer{callgraph.Analyzer, clients.Analyzer, contexts.Analyzer},
	Run:      run,
})

func run(pass *analysis.Pass, report *rule.Reporter) error {
	c := &checker{
		pass: pass, report: report,
		graph:    pass.ResultOf[callgraph.Analyzer].(*callgraph.Graph),
		clients:  pass.ResultOf[clients.Analyzer].(*clients.Info),
		contexts: pass.ResultOf[contexts.Analyzer].(*contexts.Info),
	}
	if c.graph.Pkg == nil || kubeapi.ServesTests(pass) {
		return nil
	}
	for _, site := range c.clients.Sites {
		c.built(site)
	}
	c.pools()
	c.requests()
	return nil
}

// checker looks at one package.
type checker struct {
	pass     *analysis.Pass
	report   *rule.Reporter
	graph    *callgraph.Graph
	clients  *clients.Info
	contexts *contexts.Info
}

// built words what is built each time.
func (c *checker) built(site *clients.Site) {
	category, happens := perCall, ""
	switch site.Kind {
	case kubeapi.Manager, kubeapi.Cluster, kubeapi.Cache, kubeapi.Factory:
		category = watching
		happens = "each has caches of its own, which hold all objects once more and ask the API server for them; make it once, at start, and read from that"
	case kubeapi.Transport:
		category = transport
		happens = "its connections stay open when it is no longer used, with two goroutines each, until the other side closes them; make it once, or set IdleConnTimeout"
	case kubeapi.HTTPClient:
		happens = "make it once, at start, and hand it to all clients"
	case kubeapi.RuntimeClient, kubeapi.Mapper:
		happens = "each has a rate limiter of its own, so that QPS and Burst hold for none, and asks the API server anew which resources it has; build it once, at start"
	default:
		happens = "each has a rate limiter of its own, so that QPS and Burst hold for none, and all that it knows is lost with it; build it once, at start"
	}
	if site.Unshared && site.Kind != kubeapi.Transport {
		happens = "its dialer or proxy keeps client-go from sharing connections, so that each leaves some behind; build it once, at start"
	}
	act := fmt.Sprintf("%s makes %s", site.What, site.Kind)
	if site.Kind == kubeapi.Transport {
		act = "this makes " + site.Kind.String()
	}
	if site.Elsewhere {
		name := "this call"
		if call, ok := site.Instr.(ssa.CallInstruction); ok {
			name = entrypoint.CalleeName(call)
		}
		act = fmt.Sprintf("%s makes %s (%s in %s, %s)", name, site.Kind, site.What, site.Func, site.Place)
	}
	pos, end := source.Span(c.pass.Files, site.Instr)
	c.report.Report(rule.Finding{
		Pos: pos, End: end, Category: category,
		Message: fmt.Sprintf("%s each time that %s runs, %s: %s", act, site.Path.Entry.Name(), site.Path.Route(c.pass.Fset), happens),
		Related: site.Path.Related(),
	})
}
