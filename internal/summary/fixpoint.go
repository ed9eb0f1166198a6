package summary

import (
	"reflect"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/callgraph"
	"github.com/opvet/opvet/internal/kubeapi"
)

// maxRounds bounds the fixed point of mutually recursive functions.
const maxRounds = 4

// compute summarises all functions, bottom-up; those whose callees change
// later, through recursion, once more.
func (s *Summaries) compute() {
	order := bottomUp(s.Calls)
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
			if site.Kind == Written && site.Write.Endpoint&kubeapi.StatusEndpoint != 0 && site.Type != nil {
				s.statuses[kindName(site.Type)] = true
			}
		}
	}
}

// bottomUp orders the declared functions and literals of a package so that
// callees come before their callers where there is no recursion.
func bottomUp(calls *callgraph.Graph) []*ssa.Function {
	var order []*ssa.Function
	done := make(map[*ssa.Function]bool)
	var visit func(fn *ssa.Function)
	visit = func(fn *ssa.Function) {
		if done[fn] || len(fn.Blocks) == 0 {
			return
		}
		done[fn] = true
		for _, literal := range fn.AnonFuncs {
			visit(literal)
		}
		for _, block := range fn.Blocks {
			for _, instr := range block.Instrs {
				if call, ok := instr.(ssa.CallInstruction); ok {
					for _, callee := range calls.Callees(call).Funcs {
						visit(callee)
					}
				}
			}
		}
		order = append(order, fn)
	}
	for _, fn := range calls.Funcs {
		visit(fn)
	}
	return order
}
