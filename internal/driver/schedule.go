package driver

import (
	"go/types"
	"slices"
	"sync"
	"time"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/passes/processes"
	"github.com/opvet/opvet/internal/report/rule"
)

// schedule runs all passes over one package: one after the other while each CPU has a
// package, and several at once when packages have run out, so that a large package which
// all others wait for, or the only one that has changed, is not left to one of them.
type schedule struct {
	*executor
	*plan
	unit    *unitResult
	failed  map[*analysis.Analyzer]string // imports
	visible func(*types.Package) bool

	helpers sync.WaitGroup
	mu      sync.Mutex // guards the rest, and the unit
	more    sync.Cond  // that passes have become ready, or the last has ended
	results map[*analysis.Analyzer]any
	waiting map[*analysis.Analyzer]int // for how many that it requires
	asked   map[*analysis.Analyzer]int // by how many that have not run
	ready   []*analysis.Analyzer
	left    int
}

func newSchedule(e *executor, unit *unitResult, failedImports map[*analysis.Analyzer]string) *schedule {
	s := &schedule{
		executor: e, plan: e.plans[e.needs[unit.pkg.ID]], unit: unit, failed: failedImports, visible: e.facts.visibleTo(unit.pkg),
		results: make(map[*analysis.Analyzer]any), waiting: make(map[*analysis.Analyzer]int), asked: make(map[*analysis.Analyzer]int),
	}
	s.more.L, s.left = &s.mu, len(s.plan.order)
	for _, a := range s.plan.order {
		s.asked[a] = len(s.users[a])
		if s.waiting[a] = len(a.Requires); len(a.Requires) == 0 {
			s.ready = append(s.ready, a)
		}
	}
	return s
}

// run returns when all passes have run.
func (s *schedule) run() {
	s.mu.Lock()
	for s.left > 0 {
		if len(s.ready) == 0 {
			s.more.Wait()
			continue
		}
		s.next()
	}
	s.mu.Unlock()
	s.helpers.Wait()
}

// help runs passes as long as any are ready.
func (s *schedule) help() {
	s.mu.Lock()
	for len(s.ready) > 0 {
		s.next()
	}
	s.mu.Unlock()
	s.idle <- struct{}{}
}

// next runs a pass that is ready. It lets go of the mutex meanwhile.
func (s *schedule) next() {
	// What has become ready last asks for what has been made last, which is then forgotten.
	last := len(s.ready) - 1
	a := s.ready[last]
	if s.ready = s.ready[:last]; len(s.ready) > 0 {
		select {
		case <-s.idle:
			s.helpers.Go(s.help)
		default: // each CPU has something to do
		}
	}
	s.one(a)
	for _, required := range a.Requires {
		if s.asked[required]--; s.asked[required] == 0 {
			delete(s.results, required)
		}
	}
	for _, user := range s.users[a] {
		if s.waiting[user]--; s.waiting[user] == 0 {
			s.ready = append(s.ready, user)
		}
	}
	s.left--
	s.more.Signal()
}

func (s *schedule) one(a *analysis.Analyzer) {
	unit := s.unit
	if err := prerequisites(a, unit, s.failed); err != nil {
		unit.errors[a] = err
		return
	}
	inputs := make(map[*analysis.Analyzer]any, len(a.Requires))
	for _, required := range a.Requires {
		inputs[required] = s.results[required]
	}
	s.mu.Unlock()
	start := time.Now()
	result, found, err := s.pass(a, unit.pkg, inputs, s.visible)
	cost := time.Since(start)
	s.mu.Lock()
	unit.costs[a] = cost
	if err != nil {
		unit.errors[a] = err
		return
	}
	if len(found) > 0 {
		unit.diagnostics[a] = slices.Clip(found)
	}
	s.results[a] = result
	switch result := result.(type) {
	case *rule.Outcome:
		unit.outcomes[a] = result
	case *processes.Summary:
		unit.summary = result
	}
}
