package failures

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// step reports whether a call is one of a step, see isStep.
func (i *Failures) step(call *ssa.Call) bool {
	targets := i.Calls.Callees(call)
	return targets.Closed && len(targets.Funcs) == 1 && i.steps[targets.Funcs[0]]
}

// isStep reports whether a function returns nothing but an error, which may be one of
// the API, and does not always print it first.
func (i *Failures) isStep(fn *ssa.Function) bool {
	results := fn.Signature.Results()
	return results.Len() == 1 && kubeapi.IsError(results.At(0).Type()) && (i.fails[fn] || asksAPI(fn)) && i.failsQuietly(fn)
}

// PrintsItself reports whether a call is one of a function of the package that prints
// whatever it fails with.
func (i *Failures) PrintsItself(call *ssa.Call) bool {
	targets := i.Calls.Callees(call)
	return targets.Closed && len(targets.Funcs) == 1 && len(targets.Funcs[0].Blocks) > 0 && !i.failsQuietly(targets.Funcs[0])
}

// asksAPI reports whether a function asks for the kind of an error of the API.
func asksAPI(fn *ssa.Function) bool {
	return calls.Names(fn, func(callee *types.Func) bool {
		use := kubeapi.ErrorUseOf(callee)
		return use == kubeapi.TellsNotFound || use == kubeapi.TellsErrorKind
	})
}

// failsQuietly reports whether a function returns an error on some way that prints
// nothing, here or in what has failed.
func (i *Failures) failsQuietly(fn *ssa.Function) bool {
	quiet, known := i.quiet[fn]
	if !known {
		i.quiet[fn] = true // what calls itself
		quiet = i.leavesQuietly(fn)
		i.quiet[fn] = quiet
	}
	return quiet
}

func (i *Failures) leavesQuietly(fn *ssa.Function) bool {
	u := i.Unit(fn)
	assume := make(map[ssa.Value]paths.Truth)
	for _, n := range u.Graph.Nodes {
		if call, ok := n.Instr.(*ssa.Call); ok && n.Joins == nil && i.PrintsItself(call) {
			for _, err := range paths.Results(n, kubeapi.IsError) {
				assume[err] = paths.False.WhenComputed()
			}
		}
	}
	_, found := u.Graph.Search(nil, 0, assume, func(at *paths.Node, stage int, known paths.Known) (int, paths.Step) {
		switch {
		case i.prints(at):
			return stage, paths.Prune
		case !u.Graph.IsExit(at):
			return stage, paths.Continue
		case u.Graph.Outcome(at, known) != paths.False:
			return stage, paths.Found
		}
		return stage, paths.Prune
	})
	return found
}

// unheard looks for a way from a failed step or read, of no kind that is asked for, to a
// return of success with nothing said or done about it, in a function that returns the
// errors of others.
func (i *Failures) unheard(u *objects.Unit, n *paths.Node, err ssa.Value) (Silence, bool) {
	if u.Fn.Signature.Results().Len() != 1 && !returnsResult(u.Fn) || !IsTested(err) {
		return Silence{}, false
	}
	questions, _ := questionsAbout(err)
	if others := returnedErrors(u); others == 0 || others == 1 && len(questions) == 0 {
		return Silence{}, false // perhaps it is not meant to return any
	}
	assume := map[ssa.Value]paths.Truth{err: paths.True}
	asked := make(map[ssa.Instruction]bool)
	for _, q := range questions {
		assume[q], asked[q] = paths.False.WhenComputed(), true
	}
	failing := exits(u, u.Graph.Answered(n), assume, func(at *paths.Node) bool {
		return at == n || !asked[at.Instr] && i.speaks(at, false)
	})
	success := exits(u, u.Graph.Answered(n), map[ssa.Value]paths.Truth{err: paths.False}, func(at *paths.Node) bool { return at == n })
	if e := alike(failing, success); e != nil {
		return Silence{Call: n.Instr.(*ssa.Call), Ret: e.ret, Told: e.told}, true
	}
	return Silence{}, false
}

// returnedErrors counts the returns of an error that is not simply nil.
func returnedErrors(u *objects.Unit) int {
	n := 0
	for ret := range blocks.Returns(u.Fn) {
		if len(ret.Results) > 0 {
			if _, isConst := ret.Results[len(ret.Results)-1].(*ssa.Const); !isConst {
				n++
			}
		}
	}
	return n
}
