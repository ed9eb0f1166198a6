package reads

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/literals"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// picks returns by what a function of an object, or of an event, picks.
func (g *gatherer) picks(fn *ssa.Function, depth int) string {
	if len(fn.Blocks) == 0 || len(fn.Params) == 0 || fn.Signature.Results().Len() != 1 {
		return ""
	}
	t := &tests{gatherer: g, fn: fn, depth: depth}
	reached := t.untested()
	for block := range reached {
		ret, ok := blocks.Last(block).(*ssa.Return)
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
	branch, ok := blocks.Last(block).(*ssa.If)
	if !ok {
		return false
	}
	holds, isTest := t.test(branch.Cond)
	return isTest && (holds == (i == 0))
}

// mayPass reports whether a value returned from a block may be true although no
// test has held.
func (t *tests) mayPass(v ssa.Value, block *ssa.BasicBlock, reached map[*ssa.BasicBlock]bool) bool {
	if literals.IsZero(v) {
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
	cond, answer := values.Asked(cond, true)
	switch cond := cond.(type) {
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
		return answer == (cond.Op == token.EQL), true
	case *ssa.Extract:
		if lookup, isLookup := cond.Tuple.(*ssa.Lookup); isLookup && cond.Index == 1 && t.isLabels(lookup.X) {
			t.note(byLabels, nil)
			return answer, true
		}
	case *ssa.Call:
		holds, ok = t.testCall(cond)
		return answer == holds, ok
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
	if !slices.ContainsFunc(t.names, func(known ssa.Value) bool { return known == with || sameConst(known, with) }) {
		t.names = append(t.names, with)
	}
}

func sameConst(a, b ssa.Value) bool {
	x, isConst := kubeapi.ConstString(a)
	y, isOther := kubeapi.ConstString(b)
	if isConst && isOther {
		return x == y
	}
	return calls.SameRead(a, b)
}

// identity tells what of an object a string is: its name, its namespace or one
// of its labels.
func (t *tests) identity(v ssa.Value) string {
	if m := calls.ElementOf(v); m != nil && t.isLabels(m) {
		return byLabels
	}
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
		switch calls.FieldName(field) {
		case "Name":
			return byName
		case "Namespace":
			return byNamespace
		}
	}
	return ""
}

// isLabels reports whether a map is the labels of an object.
func (t *tests) isLabels(v ssa.Value) bool {
	switch v := (values.Relation{Steps: values.Converted}).End(v).(type) {
	case *ssa.Call:
		fn := kubeapi.Callee(v.Common())
		recv, _ := kubeapi.Args(v.Common())
		return fn != nil && fn.Name() == "GetLabels" && recv != nil && kubeapi.HasMethod(recv.Type(), "GetResourceVersion")
	case *ssa.UnOp:
		field, ok := v.X.(*ssa.FieldAddr)
		return ok && kubeapi.IsObjectMeta(field.X.Type()) && calls.FieldName(field) == "Labels"
	}
	return false
}

// isFixed reports whether a string is the same for all objects: a constant, a
// variable or field from outside the function, or what a function makes
// without the object.
func (t *tests) isFixed(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Const, *ssa.FreeVar, *ssa.Parameter, *ssa.Field:
		return true
	case *ssa.UnOp:
		switch addr := v.X.(type) {
		case *ssa.Global, *ssa.FreeVar:
			return true
		case *ssa.FieldAddr:
			return !kubeapi.IsObjectMeta(addr.X.Type())
		}
	case *ssa.Call:
		_, args := kubeapi.Args(v.Common())
		return !slices.ContainsFunc(args, func(arg ssa.Value) bool { _, isConst := arg.(*ssa.Const); return !isConst })
	}
	return false
}
