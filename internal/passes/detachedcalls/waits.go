package detachedcalls

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
)

// use is a context that a call gets as its operand number index (the receiver
// counted), or whose Done or Err is asked for.
type use struct {
	call    ssa.CallInstruction
	index   int
	asked   bool
	origins []contexts.Origin
}

// findUses collects the calls that get contexts.
func (c *computer) findUses() {
	for _, fn := range c.graph.Funcs {
		for call := range blocks.InstrsOf[ssa.CallInstruction](fn) {
			for index, operand := range kubeapi.Operands(call.Common()) {
				if operand == nil || !kubeapi.IsContext(operand.Type()) {
					continue
				}
				c.uses = append(c.uses, use{
					call: call, index: index, asked: asksForEnd(call.Common(), operand), origins: c.contexts.Origins(operand),
				})
			}
		}
	}
}

// asksForEnd reports whether a call is ctx.Done or ctx.Err.
func asksForEnd(common *ssa.CallCommon, ctx ssa.Value) bool {
	return common.IsInvoke() && common.Value == ctx && (common.Method.Name() == "Done" || common.Method.Name() == "Err")
}

// maxRounds bounds the search for the functions that wait.
const maxRounds = 10

// findWaits finds the functions that wait under a context that is their
// parameter, and tells other packages.
func (c *computer) findWaits() {
	for range maxRounds {
		changed := false
		for _, u := range c.uses {
			if _, started := u.call.(*ssa.Go); started || c.inBackground(u.call.Parent()) {
				continue // kept for later
			}
			level, work := heeds, Work{}
			if u.asked {
				work = workAfter(u.call)
			} else {
				level = c.waitsUnder(u.call, u.index)
				work = c.workUnder(u.call, u.index)
			}
			for _, o := range u.origins {
				if p, ok := o.Root.(*ssa.Parameter); ok && o.Kind == contexts.Param {
					changed = c.note(p, level) || changed
					changed = c.noteWork(p, work.within(o)) || changed
				}
			}
		}
		if !changed {
			break
		}
	}
	for fn := range c.waits {
		if obj, ok := fn.Object().(*types.Func); ok && obj.Pkg() == c.pass.Pkg {
			c.pass.ExportObjectFact(obj, &Waits{Params: c.params(fn, heeds), Guessed: c.params(fn, mayHeed), Works: c.worked(fn)})
		}
	}
}

// params lists the parameters under whose contexts fn waits that surely, the
// receiver not counted.
func (c *computer) params(fn *ssa.Function, level heed) []int {
	offset := 0
	if fn.Signature.Recv() != nil {
		offset = 1
	}
	var params []int
	for index, l := range c.waits[fn] {
		if l == level {
			params = append(params, index-offset)
		}
	}
	slices.Sort(params)
	return params
}

// note records that a function waits under its parameter p.
func (c *computer) note(p *ssa.Parameter, level heed) bool {
	fn := p.Parent()
	index := slices.Index(fn.Params, p)
	if index < 0 || c.waits[fn][index] >= level {
		return false
	}
	if c.waits[fn] == nil {
		c.waits[fn] = make(map[int]heed)
	}
	c.waits[fn][index] = level
	return true
}

// waitsUnder is [computer.heed], with those that run until they are told to stop:
// to drop their context is another analyzer's subject.
func (c *computer) waitsUnder(call ssa.CallInstruction, index int) heed {
	if _, ok := kubeapi.WaitCall(call.Common()); ok {
		return heeds
	}
	return c.heed(call, index)
}

// heed tells whether a call goes on only while the context that is its operand
// number index lives.
func (c *computer) heed(call ssa.CallInstruction, index int) heed {
	common := call.Common()
	if targets := c.graph.Callees(call); len(targets.Funcs) > 0 {
		most := ignores
		for _, target := range targets.Funcs {
			at := index
			if len(target.Params) == len(kubeapi.Operands(common))+1 {
				at++ // a method value kept in a variable
			}
			most = max(most, c.waits[target][at])
		}
		return most
	}
	callee := kubeapi.Callee(common)
	if callee == nil {
		return surely(kubeapi.HeedsContextOf(common.Value.Type()))
	}
	if callee.Pkg() == nil {
		return surely(kubeapi.HeedsContext(callee))
	}
	var fact Waits
	if c.pass.ImportObjectFact(callee, &fact) {
		if callee.Signature().Recv() != nil {
			index--
		}
		return fact.of(index)
	}
	_, isClient := kubeapi.ClientOp(common) // also a generated one
	switch {
	case isClient:
		return heeds
	case isAbstract(callee) && c.graph.SameModule(callee.Pkg()):
		return c.heedOfAbstract(callee)
	case callee.Pkg() != c.pass.Pkg && !isAbstract(callee) && c.pass.ImportPackageFact(callee.Pkg(), new(Looked)):
		return ignores
	}
	return surely(kubeapi.HeedsContext(callee))
}

func surely(yes bool) heed {
	if yes {
		return heeds
	}
	return ignores
}
