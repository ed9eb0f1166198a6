package tombstone

import (
	_ "embed"
	"go/token"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/analyzers/tombstone/internal/handlers"
	"github.com/opvet/opvet/internal/report/rule"
)

//go:embed doc.go
var doc string

const (
	panics   = "panic"
	dropped  = "dropped"
	rawKey   = "raw-key"
	unused   = "unwrapped-unused"
	pointers = "pointer"
)

// Analyzer finds delete handlers that cannot take a tombstone.
var Analyzer = rule.New(rule.Spec{
	Name:      "tombstone",
	Summary:   "find delete handlers that panic on, or drop, deletions which the informer has missed",
	DocSource: doc,
	Group:     "informers",
	Since:     "v0.1.0",
	Categories: []rule.Category{
		{Name: panics, Summary: "a tombstone is asserted to be an object without a check", Harm: rule.Crash},
		{Name: dropped, Summary: "what is no object, a tombstone too, is ignored", Harm: rule.Loss},
		{Name: rawKey, Summary: "the key or metadata of a tombstone is asked for as if it were an object", Harm: rule.Loss, Fix: true},
		{Name: unused, Summary: "the tombstone is recognised, and not what it holds is used", Harm: rule.Loss},
		{Name: pointers, Summary: "a pointer to a tombstone is asked for, where tombstones come by value", Harm: rule.Loss},
	},
	Strict:      true,
	Requires:    []*analysis.Analyzer{handlers.Analyzer},
	ProductOnly: true,
	Run:         run,
})

func run(pass *analysis.Pass, report *rule.Reporter) error {
	info := pass.ResultOf[handlers.Analyzer].(*handlers.Handlers)
	var found []rule.Finding
	crashes := make(map[token.Pos]bool) // an assertion that leaves nil is dropped only where it does not panic
	for i := range info.Losses {
		loss := &info.Losses[i]
		if !report.Strict() && (doubtful(loss) || meant(pass, loss)) {
			continue
		}
		f := finding(pass, loss)
		found = append(found, f)
		if f.Category == panics {
			crashes[f.Pos] = true
		}
	}
	for _, f := range found {
		if f.Category == panics || !crashes[f.Pos] {
			report.Report(f)
		}
	}
	return nil
}

// doubtful reports whether a loss may be meant.
func doubtful(l *handlers.Loss) bool { return l.Partial || l.Kind == handlers.Deliberate }

// category sorts a finding.
func category(l *handlers.Loss) string {
	switch {
	case l.Kind == handlers.Pointer:
		return pointers
	case l.Unwrapped, l.SentKnowingly:
		return unused
	case l.Kind == handlers.Panics, l.Kind == handlers.Dereferenced, l.Panicked:
		return panics
	case l.Kind == handlers.RawKey:
		return rawKey
	}
	return dropped
}
