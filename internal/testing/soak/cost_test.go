package soak

import (
	"sync"
	"testing"
	"time"

	"golang.org/x/tools/go/analysis"
)

// limit is how long an analyzer may take for a package.
const limit = 5 * time.Second

// costs are what passes took since they were last asked for.
type costs struct {
	mu      sync.Mutex
	slowest cost
	slow    []cost // over the limit
	passes  int
}

type cost struct {
	analyzer, pkg string
	time          time.Duration
}

var (
	measured     costs
	measuredRuns = make(map[*analysis.Analyzer]bool)
)

// measure makes the analyzers, and those that they require, note what they
// take from now on.
func measure(suite []*analysis.Analyzer) *costs {
	for _, a := range suite {
		if measuredRuns[a] {
			continue
		}
		measuredRuns[a] = true
		measure(a.Requires)
		run := a.Run
		a.Run = func(pass *analysis.Pass) (any, error) {
			start := startClock()
			defer func() { measured.add(cost{a.Name, pass.Pkg.Path(), start()}) }()
			return run(pass)
		}
	}
	measured.mu.Lock()
	defer measured.mu.Unlock()
	measured.slowest, measured.slow, measured.passes = cost{}, nil, 0
	return &measured
}

func (c *costs) add(one cost) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.passes++
	if one.time > c.slowest.time {
		c.slowest = one
	}
	if one.time > limit {
		c.slow = append(c.slow, one)
	}
}

// report tells what was slowest, and fails if that was too slow; not in a part
// of the tests that runs wherever anybody works.
func (c *costs) report(t *testing.T) {
	t.Helper()
	t.Logf("%d passes, the slowest %s on %s: %.2f s", c.passes, c.slowest.analyzer, c.slowest.pkg, c.slowest.time.Seconds())
	if !*full {
		return
	}
	for _, one := range c.slow {
		t.Errorf("%s took %.1f s on %s, more than %v", one.analyzer, one.time.Seconds(), one.pkg, limit)
	}
}
