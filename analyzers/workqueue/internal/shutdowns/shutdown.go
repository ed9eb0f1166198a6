// Package shutdowns finds queues that nobody shuts down, whose workers wait in Get forever.
package shutdowns

import (
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/workqueue/internal/queues"
	"github.com/opvet/opvet/analyzers/workqueue/internal/subject"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/report/rule"
)

// checker is what this package asks about.
type checker struct{ *subject.Checker }

// Report finds queues that workers wait for and that nobody shuts down, and
// Report of queues that were never made.
func Report(in *subject.Checker) {
	c := &checker{in}
	forgotten := make(map[*ssa.Function][]*queues.Made)
	plain := make(map[*ssa.Function][]*queues.Made)
	var makers []*ssa.Function // in source order
	reported := make(map[*types.Var]bool)
	for _, op := range c.Queues.Ops {
		if op.Verb != kubeapi.QueueShutDown || op.Helper != nil || !c.Queues.NeverSet(op.Queue) || nilChecked(op) {
			continue
		}
		if field := c.Queues.FieldOf(op.Queue); !reported[field] {
			reported[field] = true
			c.reportNil(op)
		}
	}
	seen := make(map[*types.Var]bool) // two constructors may fill one field
	for _, made := range c.Queues.Made {
		field := made.Field()
		if !made.Known || seen[field] || !c.endless(made) {
			continue
		}
		if field != nil {
			seen[field] = true
		}
		if fn := c.siblings(made); fn != nil {
			forgotten[fn] = append(forgotten[fn], made)
		} else if c.starter(made) != nil {
			by := made.Call.Parent()
			if plain[by] == nil {
				makers = append(makers, by)
			}
			plain[by] = append(plain[by], made)
		}
	}
	inOrder := func(a, b *ssa.Function) int { return syntax.ComparePos(c.Pass.Fset, a.Pos(), b.Pos()) }
	for _, fn := range slices.SortedFunc(maps.Keys(forgotten), inOrder) {
		c.reportForgotten(fn, forgotten[fn])
	}
	for _, by := range makers {
		c.reportEndless(plain[by])
	}
}

// endless reports whether workers take items off a queue that nobody shuts
// down.
func (c *checker) endless(made *queues.Made) bool {
	ops, all := made.Ops()
	gets := false
	for _, op := range ops {
		gets = gets || op.Verb == kubeapi.QueueGet && !filled(op.Instr)
		if op.Verb == kubeapi.QueueShutDown {
			return false
		}
	}
	return all && gets
}

// filled reports whether an item is taken off only if there is one: Get does not
// wait then.
func filled(get ssa.Instruction) bool {
	for branch := range blocks.Above(get.Block()) {
		if cmp, ok := branch.Cond.(*ssa.BinOp); ok && (isLength(cmp.X) || isLength(cmp.Y)) {
			return true
		}
	}
	return false
}

// isLength reports whether a value is the number of items in a queue.
func isLength(v ssa.Value) bool {
	call, ok := v.(*ssa.Call)
	if !ok || entrypoints.CalleeName(call) != "Len" {
		return false
	}
	recv, _ := kubeapi.Args(call.Common())
	return recv != nil && kubeapi.IsQueue(recv.Type())
}

// siblings returns the function that shuts other queues of the same struct
// down, or nil.
func (c *checker) siblings(made *queues.Made) *ssa.Function {
	field := made.Field()
	if field == nil || !field.IsField() {
		return nil
	}
	owner := calls.DeclaredIn(c.Pass.Pkg, field)
	for _, op := range slices.Backward(c.Queues.Ops) {
		if op.Verb != kubeapi.QueueShutDown || c.Queues.NeverSet(op.Queue) {
			continue
		}
		if other := c.Queues.FieldOf(op.Queue); other != nil && owner != nil && calls.DeclaredIn(c.Pass.Pkg, other) == owner {
			return paths.Outermost(op.Instr.Parent())
		}
	}
	return nil
}

// starter returns the call that starts the workers of a queue in a function that is told
// when to stop, or nil.
func (c *checker) starter(made *queues.Made) ssa.CallInstruction {
	ops, _ := made.Ops()
	for _, op := range ops {
		if op.Verb != kubeapi.QueueGet || op.Helper != nil {
			continue
		}
		if site := c.startedWithStop(made, op.Instr.Parent(), make(map[*ssa.Function]bool)); site != nil {
			return site
		}
	}
	return nil
}

// startedWithStop follows a worker back to who starts it, and returns the call there if
// that is a function with a context or a stop channel among its parameters.
func (c *checker) startedWithStop(made *queues.Made, fn *ssa.Function, seen map[*ssa.Function]bool) ssa.CallInstruction {
	if seen[fn] || len(seen) > 50 {
		return nil
	}
	seen[fn] = true
	called := false
	for _, edge := range c.EdgesTo(fn) {
		called = true
		from := edge.Site.Parent()
		if !c.hands(edge.Site, made) {
			continue
		}
		if tellsStop(paths.Outermost(from)) {
			return edge.Site
		}
		if edge.How != entrypoints.Started {
			if site := c.startedWithStop(made, from, seen); site != nil {
				return site
			}
		}
	}
	// A literal that is handed to something which is not known.
	if called || fn.Parent() == nil {
		return nil
	}
	return c.startedWithStop(made, fn.Parent(), seen)
}

// hands reports whether a call that hands queues over hands this one over.
func (c *checker) hands(site ssa.CallInstruction, made *queues.Made) bool {
	others := false
	for _, arg := range kubeapi.Operands(site.Common()) {
		if kubeapi.IsQueue(arg.Type()) {
			if c.Queues.MayBeSame(arg, made.Call) {
				return true
			}
			others = true
		}
	}
	return !others
}

func tellsStop(fn *ssa.Function) bool {
	return slices.ContainsFunc(fn.Params, func(p *ssa.Parameter) bool {
		if kubeapi.IsContext(p.Type()) {
			return true
		}
		ch, ok := p.Type().Underlying().(*types.Chan)
		return ok && ch.Dir() != types.SendOnly
	})
}

// nilChecked reports whether a shutdown is behind a test of the queue.
func nilChecked(op *queues.Op) bool {
	for branch := range blocks.Above(op.Instr.Block()) {
		if cmp, ok := branch.Cond.(*ssa.BinOp); ok && (calls.IsNil(cmp.X) || calls.IsNil(cmp.Y)) {
			return true
		}
	}
	return false
}

func names(made []*queues.Made) string {
	var list []string
	for _, m := range made {
		name := "a queue"
		if f := m.Field(); f != nil {
			name = f.Name()
		}
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	if len(list) > 4 {
		return fmt.Sprintf("%s and %d more", strings.Join(list[:3], ", "), len(list)-3)
	}
	if len(list) > 1 {
		return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
	}
	return list[0]
}

// related are queues as related places.
func related(made []*queues.Made) []analysis.RelatedInformation {
	var places []analysis.RelatedInformation
	for _, m := range made {
		places = append(places, analysis.RelatedInformation{Pos: m.Call.Pos(), Message: "a queue that is not shut down"})
	}
	return places
}

func (c *checker) reportForgotten(fn *ssa.Function, made []*queues.Made) {
	var last *queues.Op
	for _, op := range c.Queues.Ops {
		// Where a queue is nil there may be a finding already.
		if op.Verb == kubeapi.QueueShutDown && paths.Outermost(op.Instr.Parent()) == fn && !c.Queues.NeverSet(op.Queue) {
			last = op
		}
	}
	pos, end := syntax.Span(c.Pass.Files, last.Instr)
	c.Report.Report(rule.Finding{
		Pos: pos, End: end, Category: subject.NoShutdown,
		Harm: c.harmOf(made),
		Message: fmt.Sprintf("the workers of %s wait in Get forever after the end: %s shuts down other queues only; shut all of them down",
			names(made), syntax.FuncName(fn)),
		Related: related(made),
	})
}

// reportEndless reports the queues that one function makes: there if it starts the workers,
// too, and otherwise where those of the first are started.
func (c *checker) reportEndless(made []*queues.Made) {
	start := c.starter(made[0])
	at, others := ssa.Instruction(made[0].Call), made[1:]
	if start.Parent() != nil && paths.Outermost(start.Parent()) != paths.Outermost(made[0].Call.Parent()) {
		at, others = start, made
	}
	pos, end := syntax.Span(c.Pass.Files, at)
	related := related(others)
	for _, m := range made {
		ops, _ := m.Ops()
		for _, op := range ops {
			if op.Verb == kubeapi.QueueGet {
				related = append(related, analysis.RelatedInformation{Pos: op.Instr.Pos(), Message: "workers wait here"})
				break
			}
		}
	}
	c.Report.Report(rule.Finding{
		Pos: pos, End: end, Category: subject.NoShutdown,
		Harm: c.harmOf(made),
		Message: fmt.Sprintf("the workers of %s wait in Get forever when told to stop: nothing calls ShutDown; defer it in %s",
			names(made), syntax.FuncName(start.Parent())),
		Related: related,
	})
}

func (c *checker) reportNil(op *queues.Op) {
	pos, end := syntax.Span(c.Pass.Files, op.Instr)
	c.Report.Report(rule.Finding{
		Pos: pos, End: end, Category: subject.NoShutdown,
		Message: fmt.Sprintf("%s panics: nothing ever sets %s; make the queue or remove the call", c.Called(op.Instr), c.Queues.Name(op.Queue)),
		Harm:    rule.Crash,
	})
}
