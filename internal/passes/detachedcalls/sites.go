package detachedcalls

import (
	"cmp"
	"go/token"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
	"github.com/opvet/opvet/internal/passes/entrypoints"
)

// sites finds the detached contexts that calls wait under and for which there
// is a live one, and tells other packages of those for which there is none.
func (c *computer) sites() []*Site {
	invents := make(map[*ssa.Function]*Invents)
	var sites []*Site
	for _, site := range c.candidates() {
		fn := site.Fn()
		if source, ok := c.live(fn); ok {
			site.Live = source
		} else if found := c.callerOf(fn); found != nil {
			site.Live, site.Caller, site.Chain, site.First = found.Live, found.Caller, found.Chain, found.First
		} else {
			if !site.Guessed {
				invents[fn] = invents[fn].and(c.invention(site))
			}
			continue
		}
		site.Waiter = c.waiterOf(site)
		site.Anybody = site.Live.Kind == contexts.FromParam && c.fromAnywhere(site.Live.Param, 0)
		sites = append(sites, site)
	}
	c.export(invents)
	slices.SortStableFunc(sites, func(a, b *Site) int {
		return syntax.ComparePos(c.pass.Fset, a.Pos(), b.Pos())
	})
	return sites
}

// and adds what else a function, or one that it calls, does under contexts of its
// own making: the worst of it is what callers are told.
func (i *Invents) and(other *Invents) *Invents {
	if i == nil || other == nil {
		return cmp.Or(i, other)
	}
	worst := *i
	if other.Work.Worse(i.Work) {
		worst = *other
	}
	worst.Calls = i.Calls + other.Calls
	return &worst
}

// candidates finds the detached contexts that calls wait under, made here or in
// functions of other packages that are called, where that is not right.
func (c *computer) candidates() []*Site {
	var found []*Site
	seen := make(map[any]*Site)
	for _, level := range []heed{heeds, mayHeed} {
		for _, u := range c.uses {
			if c.isCandidate(u, level) {
				found = append(found, c.roots(u, level, seen)...)
			}
		}
	}
	return append(found, c.elsewhere()...)
}

// isCandidate reports whether a call that heeds its context that surely gets one
// which nothing cancels, and should not.
func (c *computer) isCandidate(u use, level heed) bool {
	if _, started := u.call.(*ssa.Go); started || u.asked || !c.allDetached(u.origins) {
		return false // most are, and asking what a call does costs more
	}
	return c.heed(u.call, u.index) == level && !claimed(u.call) && !c.excused(u.call)
}

// roots makes sites of where the context of a call is made, or adds the call to
// those that were seen.
func (c *computer) roots(u use, level heed, seen map[any]*Site) []*Site {
	var found []*Site
	for _, o := range u.origins {
		key := any(o.Root)
		if o.Kind == contexts.Field {
			key = fieldIn{o.Field, u.call.Parent()}
		}
		site, known := seen[key]
		if keptCancel(o) || c.takesValues(o) || c.watched(o, u.call) || c.excusedRoot(o.Root) {
			continue
		}
		if !known {
			site = &Site{Root: o.Root, Call: u.call, Guessed: level == mayHeed}
			seen[key] = site
			found = append(found, site)
		}
		site.Calls = append(site.Calls, Called{u.call, c.workUnder(u.call, u.index).within(o)})
	}
	return found
}

// elsewhere finds the calls of functions of other packages that make up a
// context.
func (c *computer) elsewhere() []*Site {
	var found []*Site
	for _, fn := range c.graph.Funcs {
		for call := range blocks.InstrsOf[*ssa.Call](fn) {
			callee := kubeapi.Callee(call.Common())
			if callee == nil || callee.Pkg() == nil || callee.Pkg() == c.pass.Pkg {
				continue
			}
			var fact Invents
			if c.pass.ImportObjectFact(callee, &fact) && !c.excused(call) && !(isUndoing(fact.Call) && c.isCleanUpAt(call, true, 0)) {
				found = append(found, &Site{Call: call, Elsewhere: &fact, Calls: []Called{{call, fact.Work}}})
			}
		}
	}
	return found
}

// maxVia is how many functions may lie between a call and the function of
// another package that makes up the context.
const maxVia = 2

// excused reports whether a call may be detached because of where it stands.
func (c *computer) excused(call ssa.CallInstruction) bool {
	return isListWatch(call.Parent()) || isForm(call) || c.isCleanUp(call) || c.isStartUp(call, 0) || c.inBackground(call.Parent()) && !c.hasOwnContext(call.Parent())
}

// hasOwnContext reports whether a literal, or one around it, has a context that
// it is handed.
func (c *computer) hasOwnContext(fn *ssa.Function) bool {
	for ; fn != nil && fn.Parent() != nil; fn = fn.Parent() {
		for _, p := range fn.Params {
			if kubeapi.IsContext(p.Type()) || kubeapi.IsServerRequest(p.Type()) {
				return true
			}
		}
	}
	return false
}

// excusedRoot is [computer.excused] for where a context is made.
func (c *computer) excusedRoot(root ssa.Value) bool {
	instr, ok := root.(ssa.Instruction)
	if !ok || !rootPos(root).IsValid() {
		return true
	}
	if instr.Parent().Synthetic != "" {
		return true // a package-level variable
	}
	return c.isCleanUp(instr)
}

// claimed reports whether another analyzer looks after the context of a call:
// pollers, what runs until it is stopped, and watches.
func claimed(call ssa.CallInstruction) bool {
	if _, ok := kubeapi.WaitCall(call.Common()); ok {
		return true
	}
	results := call.Common().Signature().Results()
	return results.Len() > 0 && kubeapi.HasMethod(results.At(0).Type(), "ResultChan")
}

// fieldIn identifies the uses of a field in a function: one tells enough.
type fieldIn struct {
	field *types.Var
	fn    *ssa.Function
}

// allDetached reports whether a context is one that nothing cancels, also if it
// is kept in a field that never holds another.
func (c *computer) allDetached(origins []contexts.Origin) bool {
	return !slices.ContainsFunc(origins, func(o contexts.Origin) bool {
		return o.Kind != contexts.Detached && (o.Kind != contexts.Field || !c.holdsDetached(o.Field))
	})
}

// holdsDetached reports whether nothing but detached contexts is ever stored
// into a field.
func (c *computer) holdsDetached(field *types.Var) bool {
	origins, all := c.contexts.FieldOrigins(field)
	return all && !slices.ContainsFunc(origins, func(o contexts.Origin) bool { return o.Kind != contexts.Detached || len(o.Steps) > 0 })
}

// keptCancel reports whether a context can be cancelled by somebody else than
// the function that makes it: its cancel function is kept or handed on.
func keptCancel(o contexts.Origin) bool {
	return slices.ContainsFunc(o.Steps, func(s contexts.Step) bool { return s.Cancel != nil && handedOn(s.Cancel, 0) })
}

// takesValues reports whether a context is given what a live one carries, such as
// its logger or span: then it is detached on purpose.
func (c *computer) takesValues(o contexts.Origin) bool {
	for _, step := range o.Steps {
		for _, operand := range kubeapi.Operands(step.Call.Common()) {
			if operand != nil && !kubeapi.IsContext(operand.Type()) && c.comesFromLive(operand, 0) {
				return true
			}
		}
	}
	return false
}

// comesFromLive reports whether v is the result of a call that gets a live
// context.
func (c *computer) comesFromLive(v ssa.Value, depth int) bool {
	if depth > maxDepth {
		return false
	}
	if x := kubeapi.Converted(v); x != nil {
		return c.comesFromLive(x, depth+1)
	}
	switch v := v.(type) {
	case *ssa.Extract:
		return c.comesFromLive(v.Tuple, depth+1)
	case *ssa.Call:
		for _, operand := range kubeapi.Operands(v.Common()) {
			if operand == nil {
				continue
			}
			if kubeapi.IsContext(operand.Type()) && !c.allDetached(c.contexts.Origins(operand)) || c.comesFromLive(operand, depth+1) {
				return true
			}
		}
	}
	return false
}

// watched reports whether the function that makes a context which it can cancel
// looks for the end of another one beside.
func (c *computer) watched(o contexts.Origin, call ssa.CallInstruction) bool {
	if !o.Derived(contexts.Cancel) && !o.Derived(contexts.Timeout) {
		return false
	}
	maker := o.Root.Parent()
	return maker != nil && blocks.Within(call.Parent(), maker) && blocks.Any(maker, c.waitsForEnd)
}

// waitsForEnd reports whether an instruction does so.
func (c *computer) waitsForEnd(instr ssa.Instruction) bool {
	for ch := range blocks.Received(instr) {
		if c.tellsEnd(instr.Parent(), ch) {
			return true
		}
	}
	return false
}

// handedOn reports whether a cancel function is used for something else than
// being called.
func handedOn(v ssa.Value, depth int) bool {
	if v.Referrers() == nil || depth > maxDepth {
		return false
	}
	for _, ref := range *v.Referrers() {
		switch ref := ref.(type) {
		case *ssa.DebugRef:
		case *ssa.Store:
			if ref.Val != v {
				continue
			}
			local, ok := ref.Addr.(*ssa.Alloc)
			if !ok || handedOnFrom(local, depth+1) {
				return true
			}
		case ssa.CallInstruction:
			if ref.Common().Value != v {
				return true
			}
		case *ssa.MakeClosure:
			if handedOnTo(ref, v, depth) {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// handedOnFrom is [handedOn] for the variable that holds the function.
func handedOnFrom(addr ssa.Value, depth int) bool {
	if addr.Referrers() == nil || depth > maxDepth {
		return false
	}
	for _, ref := range *addr.Referrers() {
		switch ref := ref.(type) {
		case *ssa.UnOp:
			if ref.Op == token.MUL && handedOn(ref, depth+1) {
				return true
			}
		case *ssa.MakeClosure:
			if handedOnTo(ref, addr, depth) {
				return true
			}
		}
	}
	return false
}

// handedOnTo follows a captured cancel function, or the variable that holds it,
// into the literal; a literal that somebody else may call hands it on, and so does
// a goroutine, which waits for something before it cancels.
func handedOnTo(closure *ssa.MakeClosure, v ssa.Value, depth int) bool {
	for ref := range blocks.Uses(closure) {
		call, ok := ref.(ssa.CallInstruction)
		if _, started := ref.(*ssa.Go); started || !ok || call.Common().Value != closure {
			return true
		}
	}
	fn := closure.Fn.(*ssa.Function)
	for i, binding := range closure.Bindings {
		if binding != v || i >= len(fn.FreeVars) {
			continue
		}
		captured := fn.FreeVars[i]
		if _, isVariable := captured.Type().Underlying().(*types.Pointer); isVariable && handedOnFrom(captured, depth+1) || handedOn(captured, depth+1) {
			return true
		}
	}
	return false
}

// invention describes a site to callers in other packages.
func (c *computer) invention(site *Site) *Invents {
	if fact := site.Elsewhere; fact != nil {
		callee := kubeapi.Callee(site.Call.Common())
		if len(fact.Via) >= maxVia {
			return nil
		}
		own := *fact
		own.Via = append([]string{callee.Name()}, fact.Via...)
		return &own
	}
	if Excused(c.pass, site.Pos()) {
		return nil
	}
	worst := site.Worst()
	return &Invents{
		Root: RootName(site.Root), Call: CallName(worst), Where: syntax.Place(c.pass.Fset, site.Pos()),
		Work: worst.Work, Calls: len(site.Calls),
	}
}

// RootName words how a detached context is made: "context.TODO()".
func RootName(root ssa.Value) string {
	if call, ok := root.(*ssa.Call); ok {
		if callee := kubeapi.Callee(call.Common()); callee != nil {
			if kubeapi.IsRootContext(callee) {
				return "context." + callee.Name() + "()"
			}
			return callee.Name() + "()"
		}
	}
	if field := calls.LoadedField(root); field != nil {
		return "the context kept in the field " + field.Name() + ", which nothing cancels,"
	}
	return "a context that nothing cancels"
}

// Worst is the call of a site that is most worth telling of.
func (s *Site) Worst() Called {
	worst := s.Calls[0]
	for _, called := range s.Calls[1:] {
		if called.Work.Worse(worst.Work) {
			worst = called
		}
	}
	return worst
}

// CallName names a call, and what it does in the end: "save → Update".
func CallName(called Called) string {
	name := entrypoints.CalleeName(called.Call)
	if called.Work.Call == "" || called.Work.Call == name {
		return name
	}
	return name + " → " + called.Work.Call
}

// rootPos is where the code names what makes or holds the context.
func rootPos(root ssa.Value) token.Pos {
	if load, ok := root.(*ssa.UnOp); ok && !load.Pos().IsValid() {
		return load.X.Pos()
	}
	return root.Pos()
}

// export tells other packages which functions make up a context, themselves or
// in what they call.
func (c *computer) export(own map[*ssa.Function]*Invents) {
	invents := maps.Clone(own)
	for range maxDepth {
		changed := false
		for _, fn := range c.graph.Funcs {
			fact := invents[fn]
			if fact == nil || len(fact.Via) >= maxVia || announces(fn.Signature) {
				continue
			}
			for _, edge := range c.into[fn] {
				from := edge.Site.Parent()
				if from == fn || invents[from] != nil && !fact.Work.Worse(invents[from].Work) || !isPartOf(edge) || c.excused(edge.Site) {
					continue
				}
				via := fact.Via
				if fn.Object() != nil {
					via = append([]string{fn.Name()}, via...)
				}
				invents[from] = &Invents{Root: fact.Root, Call: fact.Call, Where: fact.Where, Via: via, Work: fact.Work, Calls: fact.Calls}
				changed = true
			}
		}
		if !changed {
			break
		}
	}
	for fn, fact := range invents {
		if obj, ok := fn.Object().(*types.Func); ok && fact != nil && obj.Pkg() == c.pass.Pkg && !setsUp(fn) && !announces(fn.Signature) {
			c.pass.ExportObjectFact(obj, fact)
		}
	}
}
