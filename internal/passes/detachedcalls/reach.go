package detachedcalls

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
	"github.com/opvet/opvet/internal/passes/entrypoints"
)

// live returns the best context that code in fn could use instead of making
// one up.
func (c *computer) live(fn *ssa.Function) (contexts.Source, bool) {
	var field contexts.Source
	for _, source := range c.contexts.AtHand(fn) {
		switch {
		case source.Stop || !c.isLive(fn, source):
		case source.Kind != contexts.FromField:
			return source, true
		case field.Param == nil:
			// A parameter, be it without a name, is the better one.
			field = source
		}
	}
	return field, field.Param != nil
}

// isLive reports whether somebody may cancel a context that is at hand in fn,
// and fn runs while it is valid.
func (c *computer) isLive(fn *ssa.Function, source contexts.Source) bool {
	if source.Param == nil {
		return false // a variable: whether it is set yet is not known
	}
	switch source.Kind {
	case contexts.FromParam:
		if c.neverLive(source.Param) {
			return false
		}
	case contexts.FromRequest:
		if !kubeapi.IsServerRequest(source.Param.Type()) {
			return false // a client or a builder
		}
		if c.isOutgoing(source.Param, 0) {
			return false // its context comes from whoever made it
		}
		if takesOver(source.Param.Parent()) {
			return false
		}
	case contexts.FromField:
		if !c.isMeantForAll(source.Fields) {
			return false
		}
	}
	owner := source.Param.Parent()
	for at := fn; at != owner; at = at.Parent() {
		if at == nil || !c.runsWithin(at) {
			return false
		}
	}
	return true
}

// takesOver reports whether fn takes the connection of its request over, so that
// its context does not end before fn does.
func takesOver(fn *ssa.Function) bool { return calls.Names(fn, kubeapi.TakesOver) }

// neverLive reports whether nothing can cancel the context that a parameter is:
// all callers of the function that are known hand it one that they make up, and
// have no other.
func (c *computer) neverLive(p *ssa.Parameter) bool {
	if known, ok := c.dead[p]; ok {
		return known
	}
	c.dead[p] = false // for recursion
	dead := c.isDead(p)
	c.dead[p] = dead
	return dead
}

func (c *computer) isDead(p *ssa.Parameter) bool {
	fn := p.Parent()
	edges, index := c.into[fn], slices.Index(fn.Params, p)
	if len(edges) == 0 || index < 0 || len(c.entries.Of(fn)) > 0 || fn.Parent() == nil && !c.contexts.OnlyCalled(fn) {
		return false
	}
	for _, edge := range edges {
		from, handed := edge.Site.Parent(), c.handed(edge, fn, index)
		var origins []contexts.Origin
		if handed != nil {
			origins = c.contexts.Origins(handed)
		} else if !c.isMadeUpFor(edge, fn) {
			return false
		}
		for _, o := range origins {
			if o.Derived(contexts.Timeout) || slices.ContainsFunc(o.Steps, cancelsEarly) {
				return false
			}
			handedOn, isParam := o.Root.(*ssa.Parameter)
			if o.Kind != contexts.Detached && (o.Kind != contexts.Param || !isParam || !c.neverLive(handedOn)) {
				return false
			}
		}
		if _, ok := c.live(from); ok || c.callerOf(from) != nil {
			return false
		}
	}
	return true
}

// cancelsEarly reports whether a context may be cancelled before the function that
// makes it returns: its cancel function is not only deferred.
func cancelsEarly(step contexts.Step) bool {
	if step.Cancel == nil {
		return false
	}
	return step.Cancel.Referrers() == nil || slices.ContainsFunc(*step.Cancel.Referrers(), func(ref ssa.Instruction) bool {
		deferred, ok := ref.(*ssa.Defer)
		return !ok || deferred.Common().Value != step.Cancel
	})
}

// handed returns the context that a call hands to fn as its parameter, or that of
// the poller which calls fn back; nil if that is not known.
func (c *computer) handed(edge entrypoints.Edge, fn *ssa.Function, index int) ssa.Value {
	common := edge.Site.Common()
	if wait, ok := kubeapi.WaitCall(common); ok && wait.Poller && edge.How == entrypoints.CalledBack && kubeapi.IsContext(wait.Until.Type()) {
		return wait.Until
	}
	switch edge.How {
	case entrypoints.Called, entrypoints.Started:
	case entrypoints.CalledBack:
		if common = c.callBack(edge, fn); common == nil {
			return nil
		}
	default:
		return nil
	}
	operands := kubeapi.Operands(common)
	if len(operands) == len(fn.Params)-1 {
		index-- // a method value kept in a variable
	}
	if len(operands) > len(fn.Params) || index < 0 || index >= len(operands) || operands[index] == nil || !kubeapi.IsContext(operands[index].Type()) {
		return nil
	}
	return operands[index]
}

// callBack returns the only call by which a function of the package calls back what it
// is handed, or nil.
func (c *computer) callBack(edge entrypoints.Edge, fn *ssa.Function) *ssa.CallCommon {
	between := c.graph.Callees(edge.Site)
	if !between.Closed || len(between.Funcs) != 1 {
		return nil
	}
	var only *ssa.CallCommon
	for _, call := range c.graph.Callers(fn) {
		if call.Parent() == between.Funcs[0] {
			if only != nil {
				return nil
			}
			only = call.Common()
		}
	}
	return only
}

// isMeantForAll reports whether a context that fields lead to is one for
// whatever the code at hand does: somebody may cancel it, it has no time limit of
// its own, and it is not a private matter of another part.
func (c *computer) isMeantForAll(fields []*types.Var) bool {
	field := fields[len(fields)-1]
	if len(fields) > 1 && !field.Exported() {
		return false
	}
	origins, _ := c.contexts.FieldOrigins(field)
	if len(origins) == 0 {
		return true
	}
	return slices.ContainsFunc(origins, func(o contexts.Origin) bool {
		if o.Derived(contexts.Timeout) {
			return false
		}
		if p, ok := o.Root.(*ssa.Parameter); ok && o.Kind == contexts.Param && c.neverLive(p) {
			return o.Derived(contexts.Cancel)
		}
		return o.Kind != contexts.Detached || o.Derived(contexts.Cancel)
	})
}

// runsWithin reports whether a function literal runs while the function around
// it does, or as long as what that is about: it is called in place, in a
// goroutine that is waited for, or by events.
func (c *computer) runsWithin(literal *ssa.Function) bool {
	for _, entry := range c.entries.Of(literal) {
		switch {
		case entry.Kind.PerEvent(), entry.Kind.PerItem(), entry.Kind == kubeapi.Periodic:
			return true
		}
	}
	return slices.ContainsFunc(c.into[literal], func(edge entrypoints.Edge) bool {
		return edge.Site.Parent() == literal.Parent() && c.joins(edge)
	})
}

// inBackground reports whether fn is a literal that nothing but goroutines run
// which nothing waits for, or lies in one.
func (c *computer) inBackground(fn *ssa.Function) bool {
	for ; fn != nil && fn.Parent() != nil; fn = fn.Parent() {
		edges := c.into[fn]
		if len(edges) == 0 || len(c.entries.Of(fn)) > 0 {
			continue
		}
		if !slices.ContainsFunc(edges, c.joins) {
			return true
		}
	}
	return false
}

// joins reports whether what an edge leads to ends before, or because, the
// function that it starts from does.
func (c *computer) joins(edge entrypoints.Edge) bool {
	if _, ok := edge.Site.(*ssa.Defer); ok || isShared(edge) {
		return false
	}
	return edge.How != entrypoints.Started || c.joined[edge.Site.Parent()]
}

// isShared reports whether a function is run for others as well, so that it must
// not end with the context of the one that happens to come first.
func isShared(edge entrypoints.Edge) bool {
	return edge.How == entrypoints.Once || kubeapi.IsShared(kubeapi.Callee(edge.Site.Common()))
}

// isPartOf reports whether what an edge leads to is part of what the function
// does that it starts from: a call, or a goroutine of a group that it waits for.
func isPartOf(edge entrypoints.Edge) bool {
	return edge.How == entrypoints.Called || edge.How == entrypoints.CalledBack && !isShared(edge) ||
		edge.How == entrypoints.Started && calls.Names(edge.Site.Parent(), kubeapi.IsGroupWait)
}

// joined reports whether fn waits for something, so that goroutines which it
// starts need not outlive it.
func joined(fn *ssa.Function) bool {
	for instr := range blocks.Instrs(fn) {
		switch instr := instr.(type) {
		case *ssa.UnOp:
			if _, ok := instr.X.Type().Underlying().(*types.Chan); ok {
				return true
			}
		case *ssa.Select:
			return true
		case ssa.CallInstruction:
			callee := kubeapi.Callee(instr.Common())
			if kubeapi.IsGroupWait(callee) || kubeapi.IsEndless(callee) {
				return true
			}
		}
	}
	return false
}

// setsUp reports whether fn, or a function around it, puts the program together, or
// does what a command is for: it reads what its user types.
func setsUp(fn *ssa.Function) bool {
	for ; fn != nil; fn = fn.Parent() {
		if kubeapi.SetsUp(fn.Signature) || blocks.Any(fn, func(load *ssa.UnOp) bool { return kubeapi.IsVariable(load, "os", "Stdin") }) {
			return true
		}
		if fn.Parent() == nil && fn.Synthetic == "" && fn.Signature.Recv() == nil && (fn.Name() == "main" || fn.Name() == "init" || strings.HasPrefix(fn.Name(), "init#")) {
			return true
		}
	}
	return false
}

// startsUp reports whether an instruction belongs to what a function does before
// it settles down: the beginning of a component's Run. A loop is work, unless it
// waits for what the component needs and for the component's end.
func (c *computer) startsUp(instr ssa.Instruction) bool {
	if blocks.Follows(instr, instr) && !c.looksForEndInLoop(instr) {
		return false
	}
	return slices.ContainsFunc(c.settlesAt(instr.Parent(), 0), func(at ssa.Instruction) bool {
		return blocks.Follows(instr, at) && !blocks.Follows(at, instr)
	})
}

// looksForEndInLoop reports whether the loop around an instruction has a select
// with the end of a context or of the program among its cases.
func (c *computer) looksForEndInLoop(instr ssa.Instruction) bool {
	return blocks.Any(instr.Parent(), func(sel *ssa.Select) bool {
		return blocks.Follows(instr, sel) && blocks.Follows(sel, instr) && c.waitsForEnd(sel)
	})
}

// isStartUp reports whether an instruction belongs to what puts the program, or
// a component, together: it stands in a function for that, or one that is only
// called from there.
func (c *computer) isStartUp(instr ssa.Instruction, depth int) bool {
	return c.startsUp(instr) || c.isStartUpFunc(instr.Parent(), depth)
}

// isStartUpFunc is [computer.isStartUp] for all of a function.
func (c *computer) isStartUpFunc(fn *ssa.Function, depth int) bool {
	if setsUp(fn) {
		return true
	}
	if depth > maxDepth/2 {
		return false
	}
	if entries := c.entries.Of(fn); len(entries) > 0 {
		// A program that waits for the lead goes on starting up when it has it.
		return fn.Parent() != nil && !slices.ContainsFunc(entries, func(entry *entrypoints.Entry) bool { return entry.Kind != kubeapi.LeaderCallback }) &&
			c.isStartUpFunc(fn.Parent(), depth+1)
	}
	edges := c.into[fn]
	if len(edges) == 0 || fn.Object() != nil && fn.Object().Exported() {
		return false
	}
	return !slices.ContainsFunc(edges, func(e entrypoints.Edge) bool {
		return e.Site.Parent() == fn || e.How == entrypoints.Started || !c.isStartUp(e.Site, depth+1)
	})
}

// settlesAt returns the instructions at which fn settles down: it waits for its
// end or for the items of a queue, or starts a goroutine that does, itself or in
// what it calls.
func (c *computer) settlesAt(fn *ssa.Function, depth int) []ssa.Instruction {
	if known, ok := c.settles[fn]; ok || depth > maxDepth {
		return known
	}
	c.settles[fn] = nil // for recursion
	var found []ssa.Instruction
	for instr := range blocks.Instrs(fn) {
		if c.isSettling(instr, depth) {
			found = append(found, instr)
		}
	}
	c.settles[fn] = found
	return found
}

func (c *computer) isSettling(instr ssa.Instruction, depth int) bool {
	switch instr := instr.(type) {
	case *ssa.UnOp:
		return instr.Op == token.ARROW && c.tellsEnd(instr.Parent(), instr.X)
	case *ssa.Defer:
	case ssa.CallInstruction:
		callee := kubeapi.Callee(instr.Common())
		if kubeapi.IsEndless(callee) || kubeapi.IsQueueGet(callee) {
			return true
		}
		targets := c.graph.Callees(instr).Funcs
		if slices.ContainsFunc(targets, func(target *ssa.Function) bool { return len(c.settlesAt(target, depth+1)) > 0 }) {
			return true
		}
		var fact Settles
		return len(targets) == 0 && callee != nil && callee.Pkg() != nil && callee.Pkg() != c.pass.Pkg && c.pass.ImportObjectFact(callee, &fact)
	}
	return false
}

// exportSettles tells other packages which functions settle down.
func (c *computer) exportSettles() {
	for _, fn := range c.graph.Funcs {
		if obj, ok := fn.Object().(*types.Func); ok && obj.Pkg() == c.pass.Pkg && len(c.settlesAt(fn, 0)) > 0 {
			c.pass.ExportObjectFact(obj, new(Settles))
		}
	}
}

// isGlue reports whether fn is what the ecosystem calls for each event or item:
// it is not for its callers to hand it a context.
func (c *computer) isGlue(fn *ssa.Function) bool {
	return slices.ContainsFunc(c.entries.Of(fn), func(entry *entrypoints.Entry) bool { return entry.Kind != kubeapi.HTTPHandler })
}

// callerOf finds the nearest function that reaches fn and has a live context, and
// the calls that lead there from it.
func (c *computer) callerOf(fn *ssa.Function) *Site {
	type step struct {
		fn    *ssa.Function
		chain []ssa.CallInstruction
	}
	seen := map[*ssa.Function]bool{fn: true}
	queue := []step{{fn: fn}}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		if len(at.chain) >= maxDepth || c.isGlue(at.fn) || announces(at.fn.Signature) {
			continue
		}
		for _, edge := range c.into[at.fn] {
			from := edge.Site.Parent()
			if seen[from] || !isPartOf(edge) || isKept(edge) || c.excused(edge.Site) || takesOver(from) {
				continue
			}
			chain := append([]ssa.CallInstruction{edge.Site}, at.chain...)
			if source, ok := c.live(from); ok && (source.Param.Parent() == from || !c.isGlue(from)) {
				return &Site{Live: source, Caller: from, Chain: chain, First: at.fn}
			}
			seen[from] = true
			queue = append(queue, step{from, chain})
		}
	}
	return nil
}
