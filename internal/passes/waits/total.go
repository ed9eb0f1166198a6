package waits

import (
	"math"
	"time"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/loops"
)

// Total returns how long the pause is at most in all rounds of the loops around it,
// in the function and where it lies, if their number and length can be told.
func (p *Pause) Total() (d time.Duration, known bool) {
	return p.total, p.totalKnown
}

// addUp computes the total of a pause: of a known one by counting rounds, and of
// one that grows by going through them.
func (i *Waits) addUp(p *Pause, around []*loops.Loop) {
	inside, length, known := int64(1), p.For, p.Known
	if p.Elsewhere != nil && p.Elsewhere.Again {
		if inside = p.Elsewhere.Rounds; inside == 0 || !known {
			inside, length, known = 1, p.Elsewhere.Total, p.Elsewhere.Total > 0
		}
	}
	rounds, bounded := i.rounds(p.At.Block(), around)
	switch {
	case bounded && known:
		p.total, p.totalKnown = times(length, float64(inside)*float64(rounds)), true
	case !known && p.length != nil && p.Loop != nil:
		p.total, p.totalKnown = i.sum(p.length, p.At, p.Loop, around)
	}
}

// times multiplies a duration without running over.
func times(d time.Duration, n float64) time.Duration {
	return time.Duration(min(float64(d)*n, math.MaxInt64/4))
}

// rounds returns how often a block is run at most in all the loops around it, 1 if
// there is none.
func (i *Waits) rounds(block *ssa.BasicBlock, around []*loops.Loop) (n int64, known bool) {
	n = 1
	for _, loop := range around {
		if !loop.Blocks[block] {
			continue
		}
		own, known := i.roundsOf(loop)
		if !known || n > math.MaxInt32 {
			return 0, false
		}
		n *= own
	}
	return n, true
}

func (i *Waits) roundsOf(loop *loops.Loop) (n int64, known bool) {
	if n, known := loop.Rounds(); known {
		return n, true
	}
	return i.courseOf(loop).rounds()
}

// sum adds up a pause whose length depends on the round, such as one that doubles. The
// length of a pause in a literal may be a variable, of which the length is what it has
// at the call.
func (i *Waits) sum(length ssa.Value, at ssa.Instruction, loop *loops.Loop, around []*loops.Loop) (time.Duration, bool) {
	inner, known := i.roundsOf(loop)
	all, allKnown := i.rounds(at.Block(), around)
	if !known || !allKnown || inner > maxRounds {
		return 0, false
	}
	total, c := 0.0, i.courseOf(loop)
	for round := range int(inner) {
		d, ok := c.lasts(length, at, round)
		if !ok || d < 0 {
			return 0, false
		}
		total += d
	}
	return times(1, total*float64(all)/float64(max(inner, 1))), true
}
