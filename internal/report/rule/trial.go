package rule

import (
	"slices"
	"sync/atomic"

	"golang.org/x/tools/go/analysis"
)

// trials tells that categories are on trial; see [Category.Trial].
var trials atomic.Bool

func init() { trials.Store(true) }

// WithoutTrials makes findings of categories on trial what they would be otherwise, for the tests
// of the analyzers, which say what harm they do.
func WithoutTrials() { trials.Store(false) }

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

func (o *options) tries(c Category) bool { return c.Trial && !o.strict && trials.Load() }

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
