package detachedcalls

import (
	"cmp"
	"go/types"
	"slices"
	"time"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
	"github.com/opvet/opvet/internal/passes/entrypoints"
)

// Work is what a call does under its context, itself or in what it calls: the
// worst of it, as far as that is known.
type Work struct {
	Kind kubeapi.Work
	// Call is what does it: "Update".
	Call string
	// Limit is the time limit under which it is done, 0 if there is none and
	// negative if it is not known.
	Limit time.Duration
}

// Bounded reports whether the context of the call ends by itself.
func (w Work) Bounded() bool { return w.Limit != 0 }

// Worse reports whether w is more worth telling of than v.
func (w Work) Worse(v Work) bool {
	return cmp.Or(cmp.Compare(w.rank(), v.rank()), cmp.Compare(w.Kind, v.Kind)) > 0
}

// rank puts what ends by itself between reads of a cache and those of the API
// server.
func (w Work) rank() int {
	if w.Kind > kubeapi.CachedRead && w.Bounded() {
		return 2*int(kubeapi.CachedRead) + 1
	}
	return 2 * int(w.Kind)
}

// within is the work under a context with the steps of an origin.
func (w Work) within(o contexts.Origin) Work {
	for _, step := range o.Steps {
		if step.Kind != contexts.Timeout {
			continue
		}
		switch {
		case !step.Known || step.After <= 0:
			if w.Limit == 0 {
				w.Limit = -1
			}
		case w.Limit <= 0 || step.After < w.Limit:
			w.Limit = step.After
		}
	}
	return w
}

// workUnder tells what a call does under the context that is its operand number
// index.
func (c *computer) workUnder(call ssa.CallInstruction, index int) Work {
	common := call.Common()
	if targets := c.graph.Callees(call); len(targets.Funcs) > 0 {
		var worst Work
		for _, target := range targets.Funcs {
			at := index
			if len(target.Params) == len(kubeapi.Operands(common))+1 {
				at++ // a method value kept in a variable
			}
			if work := c.works[target][at]; work.Worse(worst) {
				worst = work
			}
		}
		return worst
	}
	callee := kubeapi.Callee(common)
	if callee == nil || callee.Pkg() == nil {
		return Work{}
	}
	var fact Waits
	if c.pass.ImportObjectFact(callee, &fact) {
		if callee.Signature().Recv() != nil {
			index--
		}
		return fact.work(index)
	}
	if kind := kubeapi.WorkOf(call, c.isOwn); kind != kubeapi.UnknownWork {
		if kind == kubeapi.Poll && c.triesToWrite(call) {
			kind = kubeapi.Limited // until nobody else writes
		}
		return Work{Kind: kind, Call: entrypoints.CalleeName(call)}
	}
	if isAbstract(callee) && c.graph.SameModule(callee.Pkg()) {
		return c.workOfAbstract(callee)
	}
	return Work{}
}

// triesToWrite reports whether what a poller asks again and again writes to the API
// server: then it waits for no state, but tries until there is no conflict.
func (c *computer) triesToWrite(call ssa.CallInstruction) bool {
	writes := func(fn *ssa.Function) bool {
		return blocks.Any(fn, func(call ssa.CallInstruction) bool { return kubeapi.WorkOf(call, c.isOwn) == kubeapi.LiveWrite })
	}
	return slices.ContainsFunc(kubeapi.Operands(call.Common()), func(operand ssa.Value) bool {
		if operand == nil {
			return false
		}
		_, isFunc := operand.Type().Underlying().(*types.Signature)
		return isFunc && slices.ContainsFunc(c.graph.FuncsOf(operand).Funcs, writes)
	})
}

// workAfter tells what waits for the end of a context whose Done is asked for: a
// poller or a wait for caches that takes a channel.
func workAfter(done ssa.CallInstruction) Work {
	value := done.Value()
	if value == nil {
		return Work{}
	}
	for call := range blocks.UsesOf[ssa.CallInstruction](value) {
		if wait, ok := kubeapi.WaitCall(call.Common()); ok && wait.Synced {
			return Work{Kind: kubeapi.Poll, Call: entrypoints.CalleeName(call)}
		}
	}
	return Work{}
}

// isOwn reports whether a package is the user's.
func (c *computer) isOwn(pkg *types.Package) bool {
	return c.graph.SameModule(pkg) || c.pass.ImportPackageFact(pkg, new(Looked))
}

// noteWork records what a function does under its parameter p.
func (c *computer) noteWork(p *ssa.Parameter, work Work) bool {
	fn := p.Parent()
	index := slices.Index(fn.Params, p)
	if index < 0 || !work.Worse(c.works[fn][index]) {
		return false
	}
	if c.works[fn] == nil {
		c.works[fn] = make(map[int]Work)
	}
	c.works[fn][index] = work
	return true
}

// worked lists what fn does under its parameters.
func (c *computer) worked(fn *ssa.Function) []Worked {
	offset := 0
	if fn.Signature.Recv() != nil {
		offset = 1
	}
	var list []Worked
	for index := range fn.Params {
		if work := c.works[fn][index]; work.Kind != kubeapi.UnknownWork {
			list = append(list, Worked{index - offset, work})
		}
	}
	return list
}
