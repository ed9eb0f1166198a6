package detachedctx

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
	"github.com/opvet/opvet/internal/passes/detachedcalls"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/report/rule"
)

// leads reports work that a leader does under another context than that of its
// lead, in a program that goes on when it has lost it. It returns the calls.
func (c *checker) leads() map[ssa.CallInstruction]bool {
	reported := make(map[ssa.CallInstruction]bool)
	for _, entry := range c.entries.Entries {
		if entry.Kind != kubeapi.LeaderCallback || !strings.Contains(entry.What, "Started") {
			continue
		}
		outlives, until := c.outlivesLead(entry.Fn)
		if !outlives {
			continue
		}
		if call := c.lead(entry.Fn, until); call != nil {
			reported[call] = true
		}
	}
	return reported
}

// lead reports the first call of a callback that works under another context than that of the
// lead; it goes on until a request has been answered, if there is one.
func (c *checker) lead(fn *ssa.Function, until ssa.CallInstruction) ssa.CallInstruction {
	ctx := contextParam(fn)
	if ctx == nil || ctx.Referrers() != nil && len(*ctx.Referrers()) > 0 {
		return nil // what it is used for may end the rest
	}
	for call := range blocks.InstrsOf[ssa.CallInstruction](fn) {
		if under := c.worksUnder(call); under != "" && !detachedcalls.Excused(c.pass, call.Pos()) {
			finding := rule.Finding{
				Pos: call.Pos(), Category: "lead",
				Related: []analysis.RelatedInformation{{Pos: fn.Pos(), Message: "called when the lead is won"}},
			}
			long := ""
			if until != nil {
				long = fmt.Sprintf(", until %s is answered", entrypoints.CalleeName(until))
				finding.Related = append(finding.Related, analysis.RelatedInformation{Pos: until.Pos(), Message: "waits for the API server before anything is ended"})
			}
			finding.Message = fmt.Sprintf("two leaders: %s runs under %s and goes on when the lead is lost%s; pass the context that OnStartedLeading gets",
				entrypoints.CalleeName(call), under, long)
			c.report.Report(finding)
			return call
		}
	}
	return nil
}

// contextParam returns the last parameter of fn if it is a context.
func contextParam(fn *ssa.Function) *ssa.Parameter {
	if n := len(fn.Params); n > 0 && kubeapi.IsContext(fn.Params[n-1].Type()) {
		return fn.Params[n-1]
	}
	return nil
}

// worksUnder names the context under which a call works until it ends, or is empty.
func (c *checker) worksUnder(call ssa.CallInstruction) string {
	for index, operand := range kubeapi.Operands(call.Common()) {
		if operand == nil || !kubeapi.IsContext(operand.Type()) || !c.detached.Heeds(call, index) {
			continue
		}
		for _, o := range c.contexts.Origins(operand) {
			switch root := o.Root.(type) {
			case *ssa.Parameter:
				return root.Name()
			case *ssa.Call:
				if o.Kind == contexts.Detached {
					return detachedcalls.RootName(root)
				}
			}
		}
	}
	return ""
}

// outlivesLead reports whether the program is seen to go on when it has lost the
// lead for which fn is called: nothing ends it then, and whoever runs for the lead
// does so in a goroutine or a loop. Or what ends it comes after a request without a timeout, which is returned: the
// lead is mostly lost because the API server does not answer.
func (c *checker) outlivesLead(fn *ssa.Function) (outlives bool, until ssa.CallInstruction) {
	around := paths.Outermost(fn)
	stopped := 0
	for _, entry := range c.entries.Entries {
		if entry.Kind != kubeapi.LeaderCallback || !strings.Contains(entry.What, "Stopped") || paths.Outermost(entry.Fn) != around {
			continue
		}
		if until = c.asksFirst(entry.Fn); until == nil && c.ends(entry.Fn, 0) {
			return false, nil
		}
		stopped++
	}
	elections := electionsIn(around)
	return stopped == 1 && len(elections) == 1 && (until != nil || c.runsBeside(elections[0])), until
}

// asksFirst returns a request without a timeout that fn makes before all that may end the program or the
// work of the leader; nil if there is none, or nothing ends them.
func (c *checker) asksFirst(fn *ssa.Function) ssa.CallInstruction {
	var requests, ends []ssa.CallInstruction
	for call := range blocks.InstrsOf[ssa.CallInstruction](fn) {
		_, called := call.(*ssa.Call)
		_, started := call.(*ssa.Go)
		switch {
		case called && c.waitsForServer(call.Common()):
			requests = append(requests, call)
		case !c.endsBy(call, 0):
		case started:
			return nil
		default:
			ends = append(ends, call)
		}
	}
	for _, request := range requests {
		if len(ends) > 0 && !slices.ContainsFunc(ends, func(end ssa.CallInstruction) bool {
			_, deferred := end.(*ssa.Defer)
			return !deferred && (!blocks.Follows(request, end) || blocks.Follows(end, request))
		}) {
			return request
		}
	}
	return nil
}

// waitsForServer reports whether a call is a request under a context without a timeout.
func (c *checker) waitsForServer(common *ssa.CallCommon) bool {
	if _, ok := kubeapi.ClientOp(common); !ok {
		return false
	}
	_, args := kubeapi.Args(common)
	given := slices.DeleteFunc(slices.Clone(args), func(arg ssa.Value) bool { return !kubeapi.IsContext(arg.Type()) })
	return len(given) > 0 && !slices.ContainsFunc(given, func(ctx ssa.Value) bool {
		return slices.ContainsFunc(c.contexts.Origins(ctx), func(o contexts.Origin) bool { return o.Derived(contexts.Timeout) })
	})
}

// electionsIn returns the calls in fn and its literals that run for the lead.
func electionsIn(fn *ssa.Function) []ssa.CallInstruction {
	var found []ssa.CallInstruction
	for call := range blocks.InstrsOf[ssa.CallInstruction](fn) {
		if kubeapi.RunsElection(kubeapi.Callee(call.Common())) {
			found = append(found, call)
		}
	}
	for _, literal := range fn.AnonFuncs {
		found = append(found, electionsIn(literal)...)
	}
	return found
}

// runsBeside reports whether what comes after a call does not wait for it, or it is
// made again.
func (c *checker) runsBeside(call ssa.CallInstruction) bool {
	if _, started := call.(*ssa.Go); started || blocks.Follows(call, call) {
		return true
	}
	literal := call.Parent()
	if literal.Parent() == nil {
		return false
	}
	return slices.ContainsFunc(c.entries.Of(literal), func(e *entrypoints.Entry) bool { return e.Kind == kubeapi.Periodic }) ||
		slices.ContainsFunc(c.entries.Edges(literal.Parent()), func(e entrypoints.Edge) bool { return e.Callee == literal && e.How == entrypoints.Started })
}

// maxEnds bounds how far calls are followed that may end the program.
const maxEnds = 3

// ends reports whether fn may end the program, or the work of the leader: it exits,
// panics, cancels a context, closes a channel, or calls what cannot be seen.
func (c *checker) ends(fn *ssa.Function, depth int) bool {
	if depth > maxEnds {
		return true
	}
	return blocks.Any(fn, func(instr ssa.Instruction) bool {
		switch instr := instr.(type) {
		case *ssa.Panic, *ssa.Send:
			return true
		case ssa.CallInstruction:
			return c.endsBy(instr, depth)
		}
		return false
	})
}

func (c *checker) endsBy(call ssa.CallInstruction, depth int) bool {
	common := call.Common()
	if builtin, ok := common.Value.(*ssa.Builtin); ok {
		return builtin.Name() == "close"
	}
	if targets := c.graph.Callees(call).Funcs; len(targets) > 0 {
		return slices.ContainsFunc(targets, func(fn *ssa.Function) bool { return c.ends(fn, depth+1) })
	}
	callee := kubeapi.Callee(common)
	if callee == nil || callee.Pkg() == nil || kubeapi.NoReturn(callee) {
		return true
	}
	return c.graph.SameModule(callee.Pkg()) || callee.Pkg().Path() == "syscall" || callee.Pkg().Path() == "os"
}
