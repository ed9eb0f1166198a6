package detached

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/contexts"
	"github.com/opvet/opvet/internal/kubeapi"
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
		for _, block := range fn.Blocks {
			for _, instr := range block.Instrs {
				call, ok := instr.(ssa.CallInstruction)
				if !ok {
					continue
				}
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
			if _, started := u.call.(*ssa.Go); started || c.inBackground(u.call.Parent()) || !u.asked && !c.waitsUnder(u.call, u.index) {
				continue // kept for later
			}
			for _, o := range u.origins {
				if p, ok := o.Root.(*ssa.Parameter); ok && o.Kind == contexts.Param {
					changed = c.note(p) || changed
				}
			}
		}
		if !changed {
			break
		}
	}
	for fn, params := range c.waits {
		obj, ok := fn.Object().(*types.Func)
		if !ok || obj.Pkg() != c.pass.Pkg {
			continue
		}
		offset := 0
		if fn.Signature.Recv() != nil {
			offset = 1
		}
		fact := new(Waits)
		for index := range params {
			fact.Params = append(fact.Params, index-offset)
		}
		slices.Sort(fact.Params)
		c.pass.ExportObjectFact(obj, fact)
	}
}

// note records that a function waits under its parameter p.
func (c *computer) note(p *ssa.Parameter) bool {
	fn := p.Parent()
	index := slices.Index(fn.Params, p)
	if index < 0 || c.waits[fn][index] {
		return false
	}
	if c.waits[fn] == nil {
		c.waits[fn] = make(map[int]bool)
	}
	c.waits[fn][index] = true
	return true
}

// waitsUnder is [computer.heeds], with those that run until they are told to stop: to
// drop their context is another analyzer's subject.
func (c *computer) waitsUnder(call ssa.CallInstruction, index int) bool {
	if c.heeds(call, index) {
		return true
	}
	_, ok := kubeapi.WaitCall(call.Common())
	return ok
}

// heeds reports whether a call goes on only while the context that is its
// operand number index lives.
func (c *computer) heeds(call ssa.CallInstruction, index int) bool {
	common := call.Common()
	if targets := c.graph.Callees(call); len(targets.Funcs) > 0 {
		for _, target := range targets.Funcs {
			at := index
			if len(target.Params) == len(kubeapi.Operands(common))+1 {
				at++ // a method value kept in a variable
			}
			if c.waits[target][at] {
				return true
			}
		}
		return false
	}
	callee := kubeapi.Callee(common)
	if callee == nil {
		return kubeapi.HeedsContextOf(common.Value.Type())
	}
	if callee.Pkg() != nil && callee.Pkg() != c.pass.Pkg {
		var fact Waits
		if c.pass.ImportObjectFact(callee, &fact) {
			if callee.Signature().Recv() != nil {
				index--
			}
			return slices.Contains(fact.Params, index)
		}
		if !isAbstract(callee) && c.pass.ImportPackageFact(callee.Pkg(), new(Looked)) {
			_, isClient := kubeapi.ClientOp(common) // a generated one
			return isClient
		}
	}
	return kubeapi.HeedsContext(callee)
}

// isAbstract reports whether fn is a method of an interface.
func isAbstract(fn *types.Func) bool {
	recv := fn.Signature().Recv()
	return recv != nil && types.IsInterface(recv.Type())
}
