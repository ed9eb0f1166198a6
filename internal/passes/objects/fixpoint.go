package objects

import (
	"reflect"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/kubeapi"
)

// maxRounds bounds the fixed point of mutually recursive functions.
const maxRounds = 4

// compute summarises all functions, bottom-up; those whose callees change
// later, through recursion, once more.
func (s *Summaries) compute() {
	order := s.Calls.BottomUp()
	position := make(map[*ssa.Function]int, len(order))
	for i, fn := range order {
		position[fn] = i
	}
	dirty := make([]bool, len(order))
	for i := range dirty {
		dirty[i] = true
	}
	for range maxRounds {
		again := false
		for i, fn := range order {
			if !dirty[i] {
				continue
			}
			dirty[i] = false
			delete(s.units, fn)
			sum := s.summarise(s.Unit(fn))
			if old := s.local[fn]; old != nil && reflect.DeepEqual(old, sum) || old == nil && sum.isZero() {
				s.local[fn] = sum
				continue
			}
			s.local[fn] = sum
			for _, call := range s.Calls.Callers(fn) {
				if at, ok := position[call.Parent()]; ok && at <= i {
					dirty[at] = true
					again = true
				}
			}
		}
		if !again {
			break
		}
	}
	for _, fn := range order {
		for _, site := range s.Unit(fn).Sites {
			if site.WrittenTo(kubeapi.StatusEndpoint) && site.Type != nil {
				s.statuses[kindName(site.Type)] = true
			}
		}
	}
}
