package endlessloops

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
	"github.com/opvet/opvet/internal/passes/entrypoints"
)

// hand is a context or stop channel that a loop should listen to.
type hand struct {
	contexts.Source
	// by is the function that has it: the loop's own, or one that calls it or
	// starts it in a goroutine.
	by      *ssa.Function
	started bool // a goroutine lies between by and the loop
}

// maxCalls is how far callers are asked for a context.
const maxCalls = 3

// hand returns the best context or stop channel that the code of fn, or what
// runs it, has at hand, or nil.
func (c *loopCheck) hand(fn *ssa.Function) *hand {
	if known, ok := c.hands[fn]; ok {
		return known
	}
	found := c.handOf(fn, 0)
	if found == nil {
		// A goroutine belongs to the function that starts it.
		for _, call := range c.callersOf(fn) {
			if call.how != entrypoints.Started || found != nil {
				continue
			}
			if found = c.handOf(call.from, maxCalls); found != nil {
				up := *found
				up.started = true
				found = &up
			}
		}
	}
	c.hands[fn] = found
	return found
}

func (c *loopCheck) handOf(fn *ssa.Function, depth int) *hand {
	for _, source := range c.Contexts.AtHand(fn) {
		if depth > 0 && source.Kind == contexts.FromField {
			continue // of who knows what
		}
		if source.Stop && closes(fn, source) {
			continue
		}
		if c.ends(source) {
			started := source.Param != nil && source.Param.Parent() != fn && c.isStarted(fn)
			return &hand{Source: source, by: fn, started: started}
		}
	}
	if depth >= maxCalls {
		return nil
	}
	for _, call := range c.callersOf(fn) {
		if call.how == entrypoints.Started && !c.Report.Strict() {
			continue
		}
		if found := c.handOf(call.from, depth+1); found != nil {
			return found
		}
	}
	return nil
}

// closes reports whether fn itself closes the channel of a source: it tells others
// that something has ended, and is not told.
func closes(fn *ssa.Function, source contexts.Source) bool {
	for call := range blocks.InstrsOf[ssa.CallInstruction](fn) {
		if !calls.IsBuiltin(call, "close") {
			continue
		}
		ch := call.Common().Args[0]
		if n := len(source.Fields); n == 0 && ch == source.Param || n > 0 && calls.LoadedField(ch) == source.Fields[n-1].Origin() {
			return true
		}
	}
	return false
}

// isStarted reports whether a function literal is run in a goroutine.
func (c *loopCheck) isStarted(fn *ssa.Function) bool {
	return slices.ContainsFunc(c.callersOf(fn), func(call call) bool { return call.how == entrypoints.Started })
}

// callersOf returns the ways into fn in the package.
func (c *loopCheck) callersOf(fn *ssa.Function) []call {
	if c.callers == nil {
		c.callers = make(map[*ssa.Function][]call)
		for _, from := range c.Graph.Funcs {
			for _, edge := range c.Entries.Edges(from) {
				if edge.Callee != from {
					c.callers[edge.Callee] = append(c.callers[edge.Callee], call{from, edge.How})
				}
			}
		}
	}
	return c.callers[fn]
}

// ends reports whether a context at hand can end: a parameter for which all
// callers pass context.Background, or a field that holds it, cannot.
func (c *loopCheck) ends(source contexts.Source) bool {
	switch source.Kind {
	case contexts.FromParam:
		return !c.alwaysDetached(source.Param, 0)
	case contexts.FromField:
		origins, all := c.Contexts.FieldOrigins(source.Fields[len(source.Fields)-1])
		return !all || slices.ContainsFunc(origins, canEnd)
	case contexts.FromRequest:
		// A command's context ends with the process.
		return !kubeapi.IsNamed(source.Param.Type(), "github.com/spf13/cobra", "Command")
	}
	return false // a local of the function around: its own affair
}

// alwaysDetached reports whether all callers of an unexported function pass a
// context that nothing ends.
func (c *loopCheck) alwaysDetached(param *ssa.Parameter, depth int) bool {
	args, closed := c.Graph.Arguments(param)
	if !closed || param.Parent().Object() == nil || depth > maxCalls {
		return false
	}
	for _, arg := range args {
		if slices.ContainsFunc(c.Contexts.Origins(arg.Value), func(o contexts.Origin) bool {
			handedOn, ok := o.Root.(*ssa.Parameter)
			return canEnd(o) && !(o.Kind == contexts.Param && ok && len(o.Steps) == 0 && c.alwaysDetached(handedOn, depth+1))
		}) {
			return false
		}
	}
	return len(args) > 0
}

// canEnd reports whether a context of that origin can end.
func canEnd(o contexts.Origin) bool {
	if o.Kind != contexts.Detached && o.Kind != contexts.Severed {
		return true
	}
	return o.Derived(contexts.Cancel) || o.Derived(contexts.Timeout)
}
