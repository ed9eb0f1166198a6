package rule

import (
	"slices"
	"sync/atomic"

	"golang.org/x/tools/go/analysis"
)

// untried tells that no category is on trial; see [WithoutTrials].
var untried atomic.Bool

// WithoutTrials makes findings of categories on trial what they would be otherwise, for the tests
// of the analyzers, which say what harm they do.
func WithoutTrials() { untried.Store(true) }

// OnTrial reports whether the findings of a category are hygiene since it is on trial. An
// analyzer that was not made by [New] has nothing on trial.
func OnTrial(a *analysis.Analyzer, category string) bool {
	made, ok := made.Load(a)
	if !ok {
		return false
	}
	r := made.(rule)
	return slices.ContainsFunc(r.spec.Categories, func(c Category) bool { return c.Name == category && r.opts.tries(c) })
}

func (o *options) tries(c Category) bool { return c.Trial && !o.strict && !untried.Load() }

// onTrial makes hygiene of a finding, whatever is settled later.
func onTrial(f Finding) Finding {
	f.Harm, f.HarmIfServed = Hygiene, min(f.HarmIfServed, Hygiene)
	switch i := f.IfImplemented; {
	case i == nil:
	case i.Only:
		proven := *i
		proven.Harm = Hygiene
		f.IfImplemented = &proven
	default:
		f.IfImplemented = nil
	}
	return f
}
