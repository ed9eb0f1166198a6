package cachereads

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/literal"
)

// By what a predicate picks objects: what a selector of the cache could do as
// well.
const (
	byName      = "name"
	byNamespace = "namespace"
	byLabels    = "labels"
)

// filterOf returns by what the predicates of a watch, or of the builder that it
// belongs to, pick objects.
func (g *gatherer) filterOf(call ssa.CallInstruction, operands []ssa.Value) string {
	for _, v := range g.predicates(call.Common(), operands) {
		if by := g.filter(v, 0); by != "" {
			return by
		}
	}
	if len(operands) == 0 || !kubeapi.IsControllerBuilder(operands[0].Type()) {
		return ""
	}
	for _, other := range chain(call) {
		if fn := kubeapi.Callee(other.Common()); fn != nil && fn.Name() == "WithEventFilter" {
			if _, args := kubeapi.Args(other.Common()); len(args) == 1 {
				if by := g.filter(args[0], 0); by != "" {
					return by
				}
			}
		}
	}
	return ""
}

// chain returns the calls on a builder before and after one of them, as far as
// they are chained.
func chain(call ssa.CallInstruction) []ssa.CallInstruction {
	var calls []ssa.CallInstruction
	seen := make(map[ssa.CallInstruction]bool)
	var visit func(c ssa.CallInstruction)
	visit = func(c ssa.CallInstruction) {
		if seen[c] {
			return
		}
		seen[c] = true
		calls = append(calls, c)
		if recv, _ := kubeapi.Args(c.Common()); recv != nil {
			if before, ok := recv.(*ssa.Call); ok && kubeapi.IsControllerBuilder(before.Type()) {
				visit(before)
			}
		}
		v := c.Value()
		if v == nil || v.Referrers() == nil || !kubeapi.IsControllerBuilder(v.Type()) {
			return
		}
		for _, ref := range *v.Referrers() {
			if after, ok := ref.(ssa.CallInstruction); ok {
				if recv, _ := kubeapi.Args(after.Common()); recv == v {
					visit(after)
				}
			}
		}
	}
	visit(call)
	return calls
}

// predicates returns the predicates among the arguments of a watch: as such, or
// in the builder's option.
func (g *gatherer) predicates(common *ssa.CallCommon, operands []ssa.Value) []ssa.Value {
	var found []ssa.Value
	for _, option := range variadic(common, operands) {
		if inner, ok := option.(*ssa.MakeInterface); ok {
			option = inner.X
		}
		if call, ok := option.(*ssa.Call); ok && kubeapi.IsWithPredicates(kubeapi.Callee(call.Common())) && len(call.Call.Args) == 1 {
			elements, _ := g.read.Elements(call.Call.Args[0])
			found = append(found, elements...)
			continue
		}
		if kubeapi.IsPredicate(option.Type()) {
			found = append(found, option)
		}
	}
	return found
}

const maxFilter = 6

// filter returns by what a predicate picks objects, or nothing if it does not,
// or may let others pass.
func (g *gatherer) filter(v ssa.Value, depth int) string {
	if depth > maxFilter {
		return ""
	}
	switch v := v.(type) {
	case *ssa.MakeInterface:
		return g.filter(v.X, depth+1)
	case *ssa.ChangeInterface:
		return g.filter(v.X, depth+1)
	case *ssa.ChangeType:
		return g.filter(v.X, depth+1)
	case *ssa.Extract:
		if call, ok := v.Tuple.(*ssa.Call); ok && v.Index == 0 {
			return g.filterCall(call, depth)
		}
	case *ssa.Call:
		return g.filterCall(v, depth)
	case *ssa.Alloc:
		return g.filterFuncs(v, depth)
	case *ssa.UnOp:
		switch addr := v.X.(type) {
		case *ssa.Alloc:
			if stored := storedWhole(addr); stored != nil {
				return g.filter(stored, depth+1)
			}
			return g.filterFuncs(v, depth)
		}
	}
	return ""
}

// storedWhole returns the one value that is stored into a variable, or nil.
func storedWhole(addr *ssa.Alloc) ssa.Value {
	var found ssa.Value
	for _, ref := range *addr.Referrers() {
		if store, ok := ref.(*ssa.Store); ok && store.Addr == addr {
			if found != nil {
				return nil
			}
			found = store.Val
		}
	}
	return found
}

func (g *gatherer) filterCall(call *ssa.Call, depth int) string {
	fn := kubeapi.Callee(call.Common())
	args := call.Call.Args
	switch {
	case fn == nil:
		return ""
	case kubeapi.IsPredicateFunc(fn, "LabelSelectorPredicate"):
		return byLabels
	case (kubeapi.IsPredicateFunc(fn, "NewPredicateFuncs") || kubeapi.IsPredicateFunc(fn, "NewTypedPredicateFuncs")) && len(args) == 1:
		return g.filterFunc(args[0], depth)
	case kubeapi.IsPredicateFunc(fn, "And") && len(args) == 1:
		elements, _ := g.read.Elements(args[0])
		for _, e := range elements {
			if by := g.filter(e, depth+1); by != "" {
				return by
			}
		}
		return ""
	}
	targets := g.calls.Callees(call)
	if !targets.Closed {
		return ""
	}
	by := ""
	for _, fn := range targets.Funcs {
		for _, block := range fn.Blocks {
			ret, ok := block.Instrs[len(block.Instrs)-1].(*ssa.Return)
			if !ok || len(ret.Results) == 0 {
				continue
			}
			if c, isConst := ret.Results[0].(*ssa.Const); isConst && c.Value == nil && len(ret.Results) > 1 {
				continue // nil, err
			}
			if by = g.filter(ret.Results[0], depth+1); by == "" {
				return ""
			}
		}
	}
	return by
}

// filterFuncs looks at predicate.Funcs: all that is let pass must be picked.
func (g *gatherer) filterFuncs(v ssa.Value, depth int) string {
	s := g.read.Read(v)
	if s.Open {
		return ""
	}
	by := ""
	for _, name := range []string{"CreateFunc", "UpdateFunc", "DeleteFunc", "GenericFunc"} {
		values := s.Values[name]
		if len(values) != 1 || literal.IsZero(values[0]) {
			if name == "GenericFunc" {
				continue // nothing calls it for an informer
			}
			return ""
		}
		if g.rejects(values[0]) {
			continue
		}
		found := g.filterFunc(values[0], depth)
		if found == "" {
			return ""
		}
		by = found
	}
	return by
}

// rejects reports whether a function always returns false.
func (g *gatherer) rejects(v ssa.Value) bool {
	targets := g.calls.FuncsOf(v)
	if !targets.Closed {
		return false
	}
	for _, fn := range targets.Funcs {
		for _, block := range fn.Blocks {
			if ret, ok := block.Instrs[len(block.Instrs)-1].(*ssa.Return); ok && (len(ret.Results) != 1 || !literal.IsZero(ret.Results[0])) {
				return false
			}
		}
	}
	return true
}

// filterFunc returns by what a function of an object, or of an event, picks: it
// returns true only after a test of a name, a namespace or labels has held.
func (g *gatherer) filterFunc(v ssa.Value, depth int) string {
	targets := g.calls.FuncsOf(v)
	if !targets.Closed || len(targets.Funcs) != 1 || depth > maxFilter {
		return ""
	}
	return g.picks(targets.Funcs[0], depth)
}

func (g *gatherer) picks(fn *ssa.Function, depth int) string {
	if len(fn.Blocks) == 0 || len(fn.Params) == 0 || fn.Signature.Results().Len() != 1 {
		return ""
	}
	t := &tests{gatherer: g, fn: fn, depth: depth}
	reached := t.untested()
	for block := range reached {
		ret, ok := block.Instrs[len(block.Instrs)-1].(*ssa.Return)
		if ok && t.mayPass(ret.Results[0], block, reached) {
			return ""
		}
	}
	if len(t.names) > 1 && !t.others {
		return "" // one of several names: no selector says that
	}
	return t.by
}

// tests are those that a function makes of an object's identity.
type tests struct {
	*gatherer
	fn     *ssa.Function
	depth  int
	by     string
	names  []ssa.Value // what names are compared with
	others bool        // there are tests of a namespace or labels
}

// untested returns the blocks that can be reached while no test has held.
func (t *tests) untested() map[*ssa.BasicBlock]bool {
	reached := map[*ssa.BasicBlock]bool{t.fn.Blocks[0]: true}
	work := []*ssa.BasicBlock{t.fn.Blocks[0]}
	for len(work) > 0 {
		block := work[len(work)-1]
		work = work[:len(work)-1]
		for i, succ := range block.Succs {
			if t.heldOn(block, i) || reached[succ] {
				continue
			}
			reached[succ] = true
			work = append(work, succ)
		}
	}
	return reached
}

// heldOn reports whether a test has held on the way from a block to its i-th
// successor.
func (t *tests) heldOn(block *ssa.BasicBlock, i int) bool {
	branch, ok := block.Instrs[len(block.Instrs)-1].(*ssa.If)
	if !ok {
		return false
	}
	holds, isTest := t.test(branch.Cond)
	return isTest && (holds == (i == 0))
}

// mayPass reports whether a value returned from a block may be true although no
// test has held.
func (t *tests) mayPass(v ssa.Value, block *ssa.BasicBlock, reached map[*ssa.BasicBlock]bool) bool {
	if literal.IsZero(v) {
		return false
	}
	if holds, isTest := t.test(v); isTest && holds {
		return false
	}
	phi, ok := v.(*ssa.Phi)
	if !ok || phi.Block() != block {
		return true
	}
	for i, pred := range block.Preds {
		if !reached[pred] || t.heldOn(pred, slices.Index(pred.Succs, block)) {
			continue
		}
		if _, again := phi.Edges[i].(*ssa.Phi); again || t.mayPass(phi.Edges[i], pred, reached) {
			return true
		}
	}
	return false
}

// test recognises a condition on an object's name, namespace or labels: it
// holds if the condition is true, or if it is false.
func (t *tests) test(cond ssa.Value) (holds, ok bool) {
	switch cond := cond.(type) {
	case *ssa.UnOp:
		if cond.Op == token.NOT {
			holds, ok = t.test(cond.X)
			return !holds, ok
		}
	case *ssa.BinOp:
		if cond.Op != token.EQL && cond.Op != token.NEQ {
			return false, false
		}
		x, y := cond.X, cond.Y
		if t.identity(x) == "" {
			x, y = y, x
		}
		by := t.identity(x)
		if by == "" || t.identity(y) != "" || !t.isFixed(y) {
			return false, false
		}
		if s, isConst := kubeapi.ConstString(y); isConst && s == "" {
			return false, false
		}
		t.note(by, y)
		return cond.Op == token.EQL, true
	case *ssa.Extract:
		if lookup, isLookup := cond.Tuple.(*ssa.Lookup); isLookup && cond.Index == 1 && t.isLabels(lookup.X) {
			t.note(byLabels, nil)
			return true, true
		}
	case *ssa.Call:
		return t.testCall(cond)
	}
	return false, false
}

func (t *tests) testCall(call *ssa.Call) (holds, ok bool) {
	fn := kubeapi.Callee(call.Common())
	if fn != nil && fn.Name() == "Matches" {
		_, args := kubeapi.Args(call.Common())
		if len(args) == 1 && t.isLabels(args[0]) {
			t.note(byLabels, nil)
			return true, true
		}
	}
	if t.depth >= maxFilter {
		return false, false
	}
	targets := t.calls.Callees(call)
	if !targets.Closed || len(targets.Funcs) != 1 || targets.Funcs[0] == t.fn {
		return false, false
	}
	if by := t.picks(targets.Funcs[0], t.depth+2); by != "" {
		t.note(by, call)
		return true, true
	}
	return false, false
}

func (t *tests) note(by string, with ssa.Value) {
	t.by = by
	if by != byName {
		t.others = true
		return
	}
	for _, known := range t.names {
		if known == with || sameConst(known, with) {
			return
		}
	}
	t.names = append(t.names, with)
}

func sameConst(a, b ssa.Value) bool {
	x, isConst := kubeapi.ConstString(a)
	y, isOther := kubeapi.ConstString(b)
	if isConst && isOther {
		return x == y
	}
	// Two reads of the same variable.
	l, isLoad := a.(*ssa.UnOp)
	m, isOtherLoad := b.(*ssa.UnOp)
	if !isLoad || !isOtherLoad {
		return false
	}
	if l.X == m.X {
		return true
	}
	f, isField := l.X.(*ssa.FieldAddr)
	h, isOtherField := m.X.(*ssa.FieldAddr)
	return isField && isOtherField && f.Field == h.Field && f.X == h.X
}

// identity tells what of an object a string is: its name, its namespace or one
// of its labels.
func (t *tests) identity(v ssa.Value) string {
	switch v := v.(type) {
	case *ssa.Call:
		fn := kubeapi.Callee(v.Common())
		if fn == nil || len(v.Call.Args) > 1 {
			return ""
		}
		recv, _ := kubeapi.Args(v.Common())
		if recv == nil || !kubeapi.HasMethod(recv.Type(), "GetResourceVersion") {
			return ""
		}
		switch fn.Name() {
		case "GetName":
			return byName
		case "GetNamespace":
			return byNamespace
		}
	case *ssa.UnOp:
		field, ok := v.X.(*ssa.FieldAddr)
		if !ok || !kubeapi.IsObjectMeta(field.X.Type()) {
			return ""
		}
		switch fieldName(field) {
		case "Name":
			return byName
		case "Namespace":
			return byNamespace
		}
	case *ssa.Lookup:
		if t.isLabels(v.X) {
			return byLabels
		}
	case *ssa.Extract:
		if lookup, ok := v.Tuple.(*ssa.Lookup); ok && v.Index == 0 && t.isLabels(lookup.X) {
			return byLabels
		}
	}
	return ""
}

// isLabels reports whether a map is the labels of an object.
func (t *tests) isLabels(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.ChangeType:
		return t.isLabels(v.X)
	case *ssa.Convert:
		return t.isLabels(v.X)
	case *ssa.MakeInterface:
		return t.isLabels(v.X)
	case *ssa.Call:
		fn := kubeapi.Callee(v.Common())
		recv, _ := kubeapi.Args(v.Common())
		return fn != nil && fn.Name() == "GetLabels" && recv != nil && kubeapi.HasMethod(recv.Type(), "GetResourceVersion")
	case *ssa.UnOp:
		field, ok := v.X.(*ssa.FieldAddr)
		return ok && kubeapi.IsObjectMeta(field.X.Type()) && fieldName(field) == "Labels"
	}
	return false
}

// isFixed reports whether a string is the same for all objects: a constant, a
// variable or field from outside the function, or what a function makes
// without the object.
func (t *tests) isFixed(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Const:
		return true
	case *ssa.UnOp:
		switch addr := v.X.(type) {
		case *ssa.Global, *ssa.FreeVar:
			return true
		case *ssa.FieldAddr:
			return !kubeapi.IsObjectMeta(addr.X.Type())
		}
	case *ssa.FreeVar:
		return true
	case *ssa.Parameter:
		return true
	case *ssa.Field:
		return true
	case *ssa.Call:
		_, args := kubeapi.Args(v.Common())
		for _, arg := range args {
			if _, isConst := arg.(*ssa.Const); !isConst {
				return false
			}
		}
		return true
	}
	return false
}
