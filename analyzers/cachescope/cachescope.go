package cachescope

import (
	_ "embed"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/passes/permissions"
	"github.com/opvet/opvet/internal/passes/reads"
	"github.com/opvet/opvet/internal/report/rule"
)

//go:embed doc.go
var doc string

const (
	hiddenInformer  = "hidden-informer"
	predicateFilter = "predicate-filter"
	disabledWatched = "disabled-and-watched"
	twoCaches       = "two-caches"
	emptyEntry      = "empty-entry"
	unscopedCache   = "unscoped-cache"
)

// Analyzer finds caches that hold far more than the program needs.
var Analyzer = rule.New(rule.Spec{
	Name:      "cachescope",
	Summary:   "find caches that keep all objects of the cluster where the program needs a few",
	DocSource: doc,
	Group:     "informers",
	Since:     "unreleased",
	Strict:    true,
	Categories: []rule.Category{
		{Name: hiddenInformer, Summary: "reading a kind that nothing watches starts an informer for all of the cluster", Harm: rule.Load, EndsWithProcess: true},
		{Name: predicateFilter, Summary: "a predicate picks the objects of a watch, and the cache keeps all others, too", Harm: rule.Load, EndsWithProcess: true},
		{Name: disabledWatched, Summary: "a kind is not read from the cache, and watched, which keeps all of it in memory", Harm: rule.Load, EndsWithProcess: true},
		{Name: twoCaches, Summary: "a kind is used in two forms, each of which has a cache of its own", Harm: rule.Load, EndsWithProcess: true},
		{Name: emptyEntry, Summary: "an entry of ByObject limits nothing", Harm: rule.Load, EndsWithProcess: true},
		{Name: unscopedCache, Summary: "all Secrets or ConfigMaps of the cluster are cached for a watch of a few", Harm: rule.Load, EndsWithProcess: true},
	},
	Requires:    []*analysis.Analyzer{reads.Analyzer},
	ProductOnly: true,
	Run:         run,
})

// granted returns what the project grants its programs.
func granted(pass *analysis.Pass, report *rule.Reporter) *permissions.Grants {
	project := permissions.ProjectOfPass(pass)
	if project != "" {
		report.ReadsBelow(project, rule.Grants)
	}
	return permissions.GrantedIn(project, pass.Fset)
}

func run(pass *analysis.Pass, report *rule.Reporter) error {
	program := pass.ResultOf[reads.Analyzer].(*reads.Program)
	if program.Calls == nil || program.Full || len(program.Uses) == 0 {
		return nil
	}
	for i := range program.Managers {
		m := &program.Managers[i]
		call := program.Decides(m.ID)
		if call == nil || !m.Known || program.StandsFor(m.ID) != m.ID {
			continue
		}
		c := &checker{program: program, manager: m, call: call, pass: pass, report: report, grants: granted(pass, report)}
		for _, k := range c.kinds() {
			c.check(k)
		}
		c.together(c.read, c.tellHidden)
		c.together(c.watched, c.tellUnscoped)
	}
	return nil
}
