package reconcileclient

import (
	_ "embed"
	"fmt"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
	"github.com/opvet/opvet/internal/passes/repeats"
	"github.com/opvet/opvet/internal/report/rule"
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
		{Name: perCall, Summary: "a client of the API server is built for each event or request", Harm: rule.Load, EndsWithProcess: true},
		{Name: watching, Summary: "a manager, cache or informer factory is made for each event or request", Harm: rule.Leak, Trial: true, EndsWithProcess: true},
		{Name: transport, Summary: "an HTTP client gets a transport of its own for each event or request", Harm: rule.Hygiene},
		{Name: pooled, Summary: "clients are kept in a sync.Pool", Harm: rule.Loss},
		{Name: noTimeout, Summary: "a reconciler or handler of events sends an HTTP request that may never end", Harm: rule.Stuck, EndsWithProcess: true},
	},
	Requires:    []*analysis.Analyzer{calls.Analyzer, repeats.Analyzer, contexts.Analyzer},
	ProductOnly: true,
	Run:         run,
})

func run(pass *analysis.Pass, report *rule.Reporter) error {
	c := &checker{
		pass: pass, report: report,
		graph:    pass.ResultOf[calls.Analyzer].(*calls.Graph),
		clients:  pass.ResultOf[repeats.Analyzer].(*repeats.Built),
		contexts: pass.ResultOf[contexts.Analyzer].(*contexts.Sources),
	}
	if c.graph.Pkg == nil {
		return nil
	}
	for _, sites := range c.causes() {
		c.built(sites)
	}
	c.pools()
	c.requests()
	return nil
}

// checker looks at one package.
type checker struct {
	pass     *analysis.Pass
	report   *rule.Reporter
	graph    *calls.Graph
	clients  *repeats.Built
	contexts *contexts.Sources
	usual    map[*ssa.Function]bool // by rare
}

// causes puts the sites together that one change mends: those that reach a transport
// which one place in another package makes. Those that matter less stay apart.
func (c *checker) causes() [][]*repeats.Site {
	type cause struct {
		place string
		rare  bool
	}
	var list [][]*repeats.Site
	known := make(map[cause]int)
	for _, site := range c.clients.Sites {
		if !site.Elsewhere || site.Kind != kubeapi.Transport {
			list = append(list, []*repeats.Site{site})
			continue
		}
		key := cause{site.Place, c.rare(site)}
		i, ok := known[key]
		if !ok {
			i, known[key] = len(list), len(list)
			list = append(list, nil)
		}
		list[i] = append(list[i], site)
	}
	return list
}

// built words what is built each time at sites of one cause.
func (c *checker) built(sites []*repeats.Site) {
	site := sites[0]
	entry := site.Path.Entry.Name()
	category, harm := perCall, rule.Hygiene
	happens, remedy := "QPS and Burst limit nothing: each "+entry+" makes "+site.Kind.String()+" with a rate limiter of its own", "build it once, at start"
	switch site.Kind {
	case kubeapi.Manager, kubeapi.Cluster, kubeapi.Cache, kubeapi.Factory:
		category, harm = watching, rule.Leak
		happens = fmt.Sprintf("each %s lists and caches all objects again: it makes %s", entry, site.Kind)
	case kubeapi.Transport:
		category, harm = transport, rule.Hygiene
		happens = fmt.Sprintf("each %s leaves a connection and two goroutines behind: it makes an http.Transport", entry)
		remedy = "make it once, or set IdleConnTimeout"
	case kubeapi.HTTPClient:
		happens = fmt.Sprintf("each %s connects anew: it makes %s", entry, site.Kind)
	case kubeapi.RuntimeClient, kubeapi.Mapper:
		happens = fmt.Sprintf("each %s asks the API server for all its resources: it makes %s", entry, site.Kind)
	}
	if site.Unshared && site.Kind != kubeapi.Transport {
		harm = rule.Leak
		happens = fmt.Sprintf("each %s leaves connections behind: it makes %s whose dialer or proxy keeps them from being shared", entry, site.Kind)
	}
	if site.Unread {
		happens = fmt.Sprintf("each %s connects anew, and closes the connection with an answer that it has not read: it makes an http.Transport", entry)
		remedy = "make it once"
	}
	if site.Unread || c.rare(site) {
		harm = rule.Hygiene
	}
	pos, end := syntax.Span(c.pass.Files, site.Instr)
	related := site.Path.Related()
	for _, other := range sites[1:] {
		related = append(related, analysis.RelatedInformation{Pos: other.Instr.Pos(), Message: "and here"})
	}
	f := rule.Finding{
		Pos: pos, End: end, Category: category, Harm: harm,
		Message: fmt.Sprintf("%s%s; %s", happens, where(sites), remedy),
		Related: related,
	}
	// Packages whose calls reach one transport are mended by one change, too. What matters
	// less must not be the first of them.
	if site.Kind == kubeapi.Transport && harm != rule.Hygiene {
		f.Cause = site.Place
	}
	c.report.Report(f)
}

// where names the place where something is built, if that is in another package.
func where(sites []*repeats.Site) string {
	switch {
	case !sites[0].Elsewhere:
		return ""
	case len(sites) > 1:
		return fmt.Sprintf(" (%s, %d calls)", sites[0].Place, len(sites))
	}
	return fmt.Sprintf(" (%s)", sites[0].Place)
}
