package reconcileresult

import (
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/report/edit"
	"github.com/opvet/opvet/internal/report/rule"
)

// left is a duration that is left until a time which an object or something
// else outside the program has: it is negative once that time has passed.
type left struct {
	at   ssa.Value // the instruction that computes it, or the call of what does
	time ssa.Value // the time
	in   ssa.Value // the instruction in that function, or nil
	most ssa.Value // the longest time that has gone by since one of several, or nil
}

// past finds results that ask to come back when a time is reached that may have
// passed: RequeueAfter is not positive then, and nothing is requeued.
func (c *checker) past(fn *ssa.Function) {
	u := c.Unit(fn)
	if !setsRequeueAfter(u) {
		return
	}
	reported := make(map[*ssa.Store]bool)
	for _, n := range u.Graph.Nodes {
		l, ok := c.leftAt(n, 0)
		if !ok {
			continue
		}
		bounds := c.bounds(u, l)
		if at := c.requeuedAfter(u, l, bounds); at != nil && !reported[at] {
			reported[at] = true
			c.reportPast(at, l)
		} else if at == nil && forget(bounds, func(v ssa.Value) bool { return readsClockAgain(v, l) }) {
			if at := c.requeuedAfter(u, l, bounds); at != nil && !reported[at] {
				reported[at] = true
				c.reportRecomputed(at, l)
			}
		}
	}
	c.reversed(u)
}

func setsRequeueAfter(u *objects.Unit) bool {
	return slices.ContainsFunc(u.Graph.Nodes, func(n *paths.Node) bool { return requeueAfterStored(n) != nil })
}

// requeueAfterStored returns the store that sets RequeueAfter at a node.
func requeueAfterStored(n *paths.Node) *ssa.Store {
	store, ok := n.Instr.(*ssa.Store)
	if !ok {
		return nil
	}
	if addr, ok := store.Addr.(*ssa.FieldAddr); !ok || requeueField(addr) != "RequeueAfter" {
		return nil
	}
	return store
}

// leftAt recognises time.Until(t), t.Sub(now), limit - time.Since(t), and calls
// of functions that return one of these as it is.
func (c *checker) leftAt(n *paths.Node, depth int) (left, bool) {
	switch instr := n.Instr.(type) {
	case *ssa.Call:
		if t := kubeapi.TimeUntil(instr.Common()); t != nil {
			return left{at: instr, time: t}, c.isData(t, 0)
		}
		if t := c.untilBehind(instr); t != nil {
			return left{at: instr, time: t}, true
		}
		if depth < maxShapes {
			return c.leftReturned(instr, depth)
		}
	case *ssa.BinOp:
		if instr.Op != token.SUB || !kubeapi.IsDuration(instr.Type()) {
			return left{}, false
		}
		if call, ok := instr.Y.(*ssa.Call); ok {
			if t := kubeapi.TimeSince(call.Common()); t != nil {
				return left{at: instr, time: t}, c.isData(t, 0)
			}
		}
		if t := c.longest(instr.Y); t != nil {
			return left{at: instr, time: t, most: instr.Y}, true
		}
	}
	return left{}, false
}

// untilBehind returns the time that a function asks time.Until about which does
// nothing else, if the caller has read it.
func (c *checker) untilBehind(call *ssa.Call) ssa.Value {
	t := kubeapi.TimeUntil(c.Calls.Through(call.Common()))
	if t == nil || t.Parent() != call.Parent() || !c.isData(t, 0) {
		return nil
	}
	return t
}

// leftReturned looks into a function that returns a duration.
func (c *checker) leftReturned(call *ssa.Call, depth int) (left, bool) {
	if !kubeapi.IsDuration(call.Type()) || paths.Literal(c.Calls, call.Call.Value) != nil {
		return left{}, false
	}
	targets := c.Calls.Callees(call)
	if !targets.Closed || len(targets.Funcs) != 1 || len(targets.Funcs[0].Blocks) == 0 {
		return left{}, false
	}
	u := c.Unit(targets.Funcs[0])
	for _, n := range u.Graph.Nodes {
		l, ok := c.leftAt(n, depth+1)
		if ok && c.follow(u, l, c.bounds(u, l), func(n *paths.Node) ssa.Value {
			if ret, ok := n.Instr.(*ssa.Return); ok && u.Graph.IsExit(n) {
				return ret.Results[0]
			}
			return nil
		}) != nil {
			in := l.in
			if in == nil {
				in = l.at
			}
			return left{at: call, time: l.time, in: in}, true
		}
	}
	return left{}, false
}

// isData reports whether a time was read from an object, a certificate or a text,
// so that it may be any.
func (c *checker) isData(t ssa.Value, depth int) bool {
	if depth > maxPairs {
		return false
	}
	t = calls.Behind(t)
	switch t := t.(type) {
	case *ssa.Call:
		if kubeapi.ParsesTime(t.Common()) {
			return true
		}
		if from := kubeapi.TimeFrom(t.Common()); from != nil {
			return c.isData(from, depth+1)
		}
	case *ssa.Extract:
		call, ok := t.Tuple.(*ssa.Call)
		return ok && t.Index == 0 && kubeapi.ParsesTime(call.Common())
	case *ssa.UnOp:
		if t.Op != token.MUL {
			return false
		}
		if cell, ok := t.X.(*ssa.Alloc); ok {
			return slices.ContainsFunc(calls.StoredInto(cell), func(v ssa.Value) bool { return c.isData(v, depth+1) })
		}
		return c.isField(t.X, depth)
	case *ssa.Field:
		return c.isField(t, depth)
	case *ssa.Phi:
		return slices.ContainsFunc(t.Edges, func(edge ssa.Value) bool { return c.isData(edge, depth+1) })
	case *ssa.Parameter:
		args, _ := c.origins.Calls.Arguments(t)
		return slices.ContainsFunc(args, func(arg calls.Argument) bool { return c.isData(arg.Value, depth+1) })
	}
	return false
}

// isField reports whether a place is in an object that others have made, or in a
// certificate.
func (c *checker) isField(v ssa.Value, depth int) bool {
	p := c.Resolve.Place(v)
	if field, ok := v.(*ssa.FieldAddr); ok && p.Kind == nil && kubeapi.IsTime(field.X.Type()) {
		if cell, ok := field.X.(*ssa.Alloc); ok {
			return slices.ContainsFunc(calls.StoredInto(cell), func(v ssa.Value) bool { return c.isData(v, depth+1) })
		}
	}
	if field, ok := v.(*ssa.Field); ok && p.Kind == nil && kubeapi.IsTime(field.X.Type()) {
		return c.isData(field.X, depth+1)
	}
	return p.Kind != nil && len(p.Sub) > 0 && !isMade(p) || kubeapi.IsCertificate(rootType(v)) || isFound(v)
}

// isFound reports whether a place is in a part of an object, such as a condition,
// that a call has found.
func isFound(v ssa.Value) bool {
	for range maxPairs {
		field, ok := v.(*ssa.FieldAddr)
		if !ok {
			break
		}
		v = field.X
	}
	_, ok := v.(*ssa.Call)
	return ok && kubeapi.IsAPIStruct(v.Type()) && !kubeapi.IsTime(v.Type())
}

// rootType is the type of the struct that an address begins in.
func rootType(addr ssa.Value) types.Type {
	for range maxPairs {
		field, ok := addr.(*ssa.FieldAddr)
		if !ok {
			break
		}
		addr = field.X
	}
	return addr.Type()
}

// isMade reports whether a place is in an object that the function puts together.
func isMade(p paths.Place) bool {
	alloc, ok := p.Object.Root.(*ssa.Alloc)
	return ok && alloc.Comment == "complit"
}

// requeuedAfter returns the store that sets RequeueAfter to what is left, on a
// path on which nobody has asked whether anything is.
func (c *checker) requeuedAfter(u *objects.Unit, l left, bounds map[ssa.Value]paths.Truth) *ssa.Store {
	found := c.follow(u, l, bounds, func(n *paths.Node) ssa.Value {
		if store := requeueAfterStored(n); store != nil && !requeuesAnyway(store) {
			return store.Val
		}
		return nil
	})
	if found == nil {
		return nil
	}
	return requeueAfterStored(found)
}

// requeuesAnyway reports whether the same Result has Requeue set, too.
func requeuesAnyway(store *ssa.Store) bool {
	result := store.Addr.(*ssa.FieldAddr).X
	if result.Referrers() == nil {
		return false
	}
	for _, ref := range *result.Referrers() {
		addr, ok := ref.(*ssa.FieldAddr)
		if !ok || requeueField(addr) != "Requeue" {
			continue
		}
		for _, use := range *addr.Referrers() {
			if other, ok := use.(*ssa.Store); ok && other.Addr == addr {
				return true
			}
		}
	}
	return false
}

const isLeft paths.Label = 1

// follow returns the first node that takes what is left as it is: used says what
// a node takes.
func (c *checker) follow(u *objects.Unit, l left, bounds map[ssa.Value]paths.Truth, used func(*paths.Node) ssa.Value) *paths.Node {
	if l.most != nil && len(bounds) > 0 {
		return nil
	}
	assume := make(map[ssa.Value]paths.Truth, len(bounds))
	for v := range bounds {
		assume[v] = paths.Unknown
	}
	carrier := &paths.Carrier{
		Label: func(instr ssa.Instruction, of func(ssa.Value) paths.Label) (ssa.Value, paths.Label, bool) {
			if v, ok := instr.(ssa.Value); ok && v == l.at {
				return l.at, isLeft, true
			}
			v, ok := instr.(ssa.Value)
			if from := kubeapi.DurationFrom(instr); ok && from != nil && of(from) == isLeft {
				return v, isLeft, true
			}
			return nil, 0, false
		},
		Other: func(ssa.Value) paths.Label { return 0 },
	}
	var found *paths.Node
	u.Graph.Search(nil, 0, assume, func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
		for v, t := range bounds {
			if have := known.Of(v); have != paths.Unknown && (t == have || t == paths.Unknown) {
				return stage, paths.Prune
			}
		}
		if c.sets(u, n, l.time) {
			return stage, paths.Prune
		}
		held := carrier.Step(n, known, paths.Held(stage))
		if carrier.Lost() {
			return stage, paths.Prune
		}
		if v := used(n); v != nil && carrier.Of(held, v) == isLeft {
			found = n
			return stage, paths.Found
		}
		return int(held), paths.Continue
	})
	return found
}

// sets reports whether a node changes the time: then it is one that the code
// has chosen.
func (c *checker) sets(u *objects.Unit, n *paths.Node, t ssa.Value) bool {
	place := c.timePlace(t)
	if place.Kind == nil {
		return false
	}
	for _, e := range u.At(n) {
		if e.Kind != objects.Mutated && e.Kind != objects.Touched || !c.MayBe(e.Place.Object, place.Object) {
			continue
		}
		k := min(len(e.Place.Sub), len(place.Sub))
		if slices.Equal(e.Place.Sub[:k], place.Sub[:k]) {
			return true
		}
	}
	return false
}

// timePlace is the field that a time is read from, or computed from.
func (c *checker) timePlace(t ssa.Value) paths.Place {
	for range maxPairs {
		call, ok := calls.Behind(t).(*ssa.Call)
		if !ok {
			break
		}
		from := kubeapi.TimeFrom(call.Common())
		if from == nil {
			break
		}
		t = from
	}
	p := c.Resolve.Place(calls.Behind(t))
	if n := len(p.Sub); n > 1 && p.Sub[n-1] == "Time" {
		p.Sub = p.Sub[:n-1] // metav1.Time is a time by what it embeds
	}
	return p
}

// bounds returns the conditions by which the code asks whether the time has
// passed, with the answer that says no; Unknown for those of which any answer
// does, since what they ask is not seen.
func (c *checker) bounds(u *objects.Unit, l left) map[ssa.Value]paths.Truth {
	found := make(map[ssa.Value]paths.Truth)
	for _, n := range u.Graph.Nodes {
		switch instr := n.Instr.(type) {
		case *ssa.BinOp:
			if kubeapi.IsDuration(instr.X.Type()) && !kubeapi.IsDuration(instr.Type()) {
				c.compared(found, instr, l)
			}
		case *ssa.Call:
			if b, ok := instr.Type().Underlying().(*types.Basic); ok && b.Kind() == types.Bool && c.asksAbout(instr.Common(), l) {
				found[instr] = paths.Unknown
			}
		}
	}
	return found
}

// compared notes a comparison of what is left, or of something computed from the
// same time: a second look at the clock is a moment later, and that moment is for
// strict.
func (c *checker) compared(found map[ssa.Value]paths.Truth, b *ssa.BinOp, l left) {
	is := func(v ssa.Value) bool { return c.isLeftOf(v, l) }
	switch {
	case is(b.X) && (b.Op == token.GTR || b.Op == token.GEQ), is(b.Y) && (b.Op == token.LSS || b.Op == token.LEQ):
		found[b] = paths.True
	case is(b.X) && (b.Op == token.LSS || b.Op == token.LEQ), is(b.Y) && (b.Op == token.GTR || b.Op == token.GEQ):
		found[b] = paths.False
	case isLongest(b, l):
	case c.measures(b.X, l) || c.measures(b.Y, l):
		found[b] = paths.Unknown
	}
}

// isLeftOf reports whether a value is what is left, seen through merges and
// what does not change its sign.
func (c *checker) isLeftOf(v ssa.Value, l left) bool {
	of := values.Relation{Calls: c.Calls, Steps: values.Merged | values.Held, More: func(v ssa.Value) []ssa.Value {
		if instr, ok := v.(ssa.Instruction); ok {
			if from := kubeapi.DurationFrom(instr); from != nil {
				return []ssa.Value{from}
			}
		}
		if call, ok := v.(*ssa.Call); ok {
			if back := c.Calls.GivenBack(call, 0); back != nil {
				return []ssa.Value{back}
			}
		}
		return nil
	}}
	return of.Any(v, func(v ssa.Value) bool { return v == l.at })
}

// measures reports whether a duration is computed from the same time in another
// place.
func (c *checker) measures(v ssa.Value, l left) bool {
	of := values.Relation{Calls: c.Calls, Steps: values.Merged | values.Held | values.Computed}
	return !c.report.Strict() && of.Any(v, func(v ssa.Value) bool {
		call, ok := v.(*ssa.Call)
		return ok && c.asksAbout(call.Common(), l)
	})
}

// asksAbout reports whether a call is handed the time, or the object that has
// it, and is not about something else: t.IsZero.
func (c *checker) asksAbout(common *ssa.CallCommon, l left) bool {
	if callee := kubeapi.Callee(common); callee != nil && callee.Name() == "IsZero" {
		return false
	}
	place := c.placeOf(l)
	for _, operand := range kubeapi.Operands(common) {
		if operand == l.time || operand == l.at {
			return true
		}
		p := c.timePlace(operand)
		if p.Object == place.Object && (len(p.Sub) == 0 || slices.Equal(p.Sub, place.Sub)) {
			return true
		}
	}
	return false
}

// placeOf is the field that the time is read from; if a function does, what it is
// given is told from where it is called.
func (c *checker) placeOf(l left) paths.Place {
	place := c.timePlace(l.time)
	call, isCall := l.at.(*ssa.Call)
	param, isParam := place.Object.Root.(*ssa.Parameter)
	if !isCall || !isParam || param.Parent() == call.Parent() {
		return place
	}
	arg := calls.ArgumentOf(call, param)
	if arg == nil {
		return place
	}
	if given := c.Resolve.Place(arg); len(given.Sub) == 0 {
		place.Object = paths.Object{Root: given.Object.Root, Path: given.Object.Path + place.Object.Path, Index: given.Object.Index}
	}
	return place
}

func (c *checker) reportPast(at *ssa.Store, l left) {
	f := rule.Finding{
		Pos: at.Pos(), Category: past,
		Message: "the object is not looked at again: RequeueAfter is not positive once the time has passed, and nothing is requeued then; use max(…, time.Second)",
		Related: []analysis.RelatedInformation{{Pos: l.at.Pos(), Message: "this is negative once the time has passed"}},
	}
	if l.in != nil && l.in.Pos().IsValid() {
		f.Related = append(f.Related, analysis.RelatedInformation{Pos: l.in.Pos(), Message: "it is computed here"})
	}
	if value := c.requeueAfterSyntax(at.Pos()); value != nil {
		f.Pos, f.End = value.Pos(), value.End()
		f.Fix = c.maxFix(value)
	}
	c.report.Report(f)
}

// requeueAfterSyntax returns the expression that RequeueAfter is set to.
func (c *checker) requeueAfterSyntax(pos token.Pos) ast.Expr {
	for _, n := range syntax.Path(c.pass.Files, pos) {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && key.Name == "RequeueAfter" {
				return n.Value
			}
		case *ast.AssignStmt:
			for i, lhs := range n.Lhs {
				if sel, ok := lhs.(*ast.SelectorExpr); ok && sel.Sel.Name == "RequeueAfter" && len(n.Rhs) == len(n.Lhs) {
					return n.Rhs[i]
				}
			}
		}
	}
	return nil
}

// maxFix puts a lower bound around an expression, where the language and the file
// have what it takes.
func (c *checker) maxFix(value ast.Expr) *analysis.SuggestedFix {
	qualifier, ok := edit.Qualifier(c.pass, value.Pos(), "time", "Second")
	if v := c.pass.Pkg.GoVersion(); !ok || v == "" || version.Compare(v, "go1.21") < 0 || !edit.IsBuiltin(c.pass, value.Pos(), "max") {
		return nil
	}
	return &analysis.SuggestedFix{
		Message: "Come back after a second at least",
		TextEdits: []analysis.TextEdit{
			{Pos: value.Pos(), End: value.Pos(), NewText: []byte("max(")},
			{Pos: value.End(), End: value.End(), NewText: []byte(", " + qualifier + "Second)")},
		},
	}
}
