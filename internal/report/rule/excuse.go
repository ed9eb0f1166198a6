package rule

import (
	"fmt"
	"go/token"
)

// Reason says why a candidate was not reported.
type Reason struct {
	Name string // kebab-case
	Doc  string // one line: what is so, and why that makes it right or harmless
}

// LeftAlone is the heading above an analyzer's reasons, in its help and on its page,
// and AboutLeftAlone the sentence below it.
const (
	LeftAlone      = "Left alone"
	AboutLeftAlone = "What looks like a mistake and is not reported; opvet why FILE:LINE tells which reason was found."
)

// Excuse is a reason not to report a candidate of type C.
type Excuse[C any] struct {
	Reason
	// Strict tells that it rests on a guess: the analyzer's strict flag sets it
	// aside.
	Strict bool
	Holds  func(C) bool
}

// Excuses are asked in their order.
type Excuses[C any] []Excuse[C]

// Silence reports whether an excuse keeps a candidate of a category from being
// reported, and notes which, for those who ask.
func (e Excuses[C]) Silence(report *Reporter, pos token.Pos, category string, candidate C) bool {
	for _, excuse := range e {
		if excuse.Strict && report.Strict() || !excuse.Holds(candidate) {
			continue
		}
		report.excused(pos, category, excuse.Reason)
		return true
	}
	return false
}

// Reasons returns what the excuses are called and mean, for [Spec.Excuses].
func (e Excuses[C]) Reasons() []Reason {
	reasons := make([]Reason, 0, len(e))
	for _, excuse := range e {
		reason := excuse.Reason
		if excuse.Strict {
			reason.Doc += "; a guess, which the strict flag sets aside"
		}
		reasons = append(reasons, reason)
	}
	return reasons
}

// The reasons that all analyzers have.
var (
	becauseFile    = Reason{"file", "the file is generated or for tests"}
	becauseComment = Reason{"comment", "a comment silences it"}
)

// Excused is a candidate that was not reported.
type Excused struct {
	Pos      token.Pos
	Category string
	Reason   Reason
}

// Excused returns the candidates that were not reported, with the reasons.
func (o *Outcome) Excused() []Excused { return o.excused }

// Skipped reports whether the analyzer has nothing of the package but what a server runs, since that
// serves tests.
func (o *Outcome) Skipped() bool { return o.skipped }

func (r *Reporter) excused(pos token.Pos, category string, reason Reason) {
	if _, ok := r.category[category]; !ok {
		panic(fmt.Sprintf("analyzer %s excuses the undeclared category %q", r.spec.Name, category))
	}
	r.outcome.excused = append(r.outcome.excused, Excused{pos, category, reason})
}
