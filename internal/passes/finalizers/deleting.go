package finalizers

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// Status tells whether an object is being deleted.
type Status uint8

const (
	// Unsure is all that is known.
	Unsure Status = iota
	// Deleting is an object with a deletion timestamp.
	Deleting
	// Live is an object without one.
	Live
)

// Test is a value that tells whether an object is being deleted.
type Test struct {
	Value  ssa.Value // a bool or an error
	Object paths.Object
	// IfTrue and IfFalse are what follows if it is true (an error: not nil)
	// and if it is not.
	IfTrue, IfFalse Status
}

// when is what follows if the value is true, or not.
func (t Test) when(truth bool) Status {
	if truth {
		return t.IfTrue
	}
	return t.IfFalse
}

// maxTrace bounds how far values are followed.
const maxTrace = 12

// timestamp returns the object whose deletion timestamp v, a *metav1.Time, is.
func (i *Finalizers) timestamp(v ssa.Value) (paths.Object, bool) {
	switch x := v.(type) {
	case *ssa.Call:
		common := x.Common()
		if !kubeapi.IsDeletionTimestampGetter(kubeapi.Callee(common)) {
			if o, ok := i.stampOf(x); ok {
				return o, true
			}
			if common = i.Summaries.Calls.Through(common); !kubeapi.IsDeletionTimestampGetter(kubeapi.Callee(common)) {
				return paths.Object{}, false
			}
		}
		recv, _ := kubeapi.Args(common)
		if recv == nil {
			return paths.Object{}, false
		}
		return i.objectOf(recv), true
	case *ssa.UnOp:
		if x.Op != token.MUL {
			return paths.Object{}, false
		}
		if addr, ok := x.X.(*ssa.FieldAddr); ok {
			return i.timestampField(addr.X, addr.Field)
		}
		if local, ok := x.X.(*ssa.Alloc); ok {
			if stored := calls.StoredInto(local); len(stored) == 1 {
				return i.timestamp(stored[0])
			}
		}
	case *ssa.Field:
		return i.timestampField(x.X, x.Field)
	}
	return paths.Object{}, false
}

// stampOf returns the object whose deletion timestamp a function of the module returns.
func (i *Finalizers) stampOf(call *ssa.Call) (paths.Object, bool) {
	operands := kubeapi.Operands(call.Common())
	if !isTimePointer(call.Type()) {
		return paths.Object{}, false
	}
	known := i.known.At(call)
	if len(known) != 1 || len(known[0].Stamps) != 1 || known[0].Stamps[0] >= len(operands) {
		return paths.Object{}, false
	}
	return i.objectOf(operands[known[0].Stamps[0]]), true
}

// stamps returns the parameter whose deletion timestamp a function returns, if it
// returns nothing else.
func (i *Finalizers) stamps(fn *ssa.Function) []int {
	if results := fn.Signature.Results(); results.Len() != 1 || !isTimePointer(results.At(0).Type()) {
		return nil
	}
	found := -1
	for ret := range blocks.Returns(fn) {
		o, ok := i.timestamp(ret.Results[0])
		param, isParam := o.Root.(*ssa.Parameter)
		if !ok || !isParam || o.Path != "" || o.Index != nil {
			return nil
		}
		at := slices.Index(fn.Params, param)
		if at < 0 || found >= 0 && found != at {
			return nil
		}
		found = at
	}
	if found < 0 {
		return nil
	}
	return []int{found}
}

func (i *Finalizers) timestampField(meta ssa.Value, index int) (paths.Object, bool) {
	field := calls.FieldOf(meta.Type(), index)
	if field == nil || field.Name() != "DeletionTimestamp" || !kubeapi.IsObjectMeta(meta.Type()) {
		return paths.Object{}, false
	}
	return i.objectOf(meta), true
}

// zeroTest recognises x.IsZero() of a deletion timestamp and its comparison
// with nil: isZero is the truth of the value if there is no timestamp.
func (i *Finalizers) zeroTest(v ssa.Value) (o paths.Object, isZero, ok bool) {
	switch v := v.(type) {
	case *ssa.BinOp:
		if v.Op != token.EQL && v.Op != token.NEQ {
			return o, false, false
		}
		x := v.X
		if calls.IsNil(x) {
			x = v.Y
		} else if !calls.IsNil(v.Y) {
			return o, false, false
		}
		o, ok = i.timestamp(x)
		return o, v.Op == token.EQL, ok
	case *ssa.Call:
		callee := kubeapi.Callee(v.Common())
		if callee == nil || callee.Name() != "IsZero" {
			return o, false, false
		}
		recv, args := kubeapi.Args(v.Common())
		if recv == nil || len(args) > 0 {
			return o, false, false
		}
		if kubeapi.IsNamed(recv.Type(), "time", "Time") {
			// x.DeletionTimestamp.Time.IsZero()
			load, isLoad := recv.(*ssa.UnOp)
			if !isLoad {
				return o, false, false
			}
			addr, isField := load.X.(*ssa.FieldAddr)
			if !isField {
				return o, false, false
			}
			recv = addr.X
		}
		o, ok = i.timestamp(recv)
		return o, true, ok
	}
	return o, false, false
}

// test tells what a value says about whether an object is being deleted.
func (i *Finalizers) test(v ssa.Value) (Test, bool) { return i.testOf(v, new(trail)) }

// trail bounds how far one condition is followed: merges lead to others, and in
// loops back to themselves.
type trail struct {
	steps  int
	within []*ssa.Phi
}

const (
	maxSteps  = 300
	maxMerges = 5
)

func (i *Finalizers) testOf(v ssa.Value, t *trail) (Test, bool) {
	if t.steps++; t.steps > maxSteps {
		return Test{}, false
	}
	if o, isZero, ok := i.zeroTest(v); ok {
		t := Test{Value: v, Object: o, IfTrue: Live, IfFalse: Deleting}
		if !isZero {
			t.IfTrue, t.IfFalse = t.IfFalse, t.IfTrue
		}
		return t, true
	}
	if asked, holds := values.Asked(v, true); asked != v {
		of, ok := i.testOf(asked, t)
		if !holds {
			of.IfTrue, of.IfFalse = of.IfFalse, of.IfTrue
		}
		of.Value = v
		return of, ok
	}
	if phi, ok := v.(*ssa.Phi); ok {
		return i.shortCircuit(phi, t)
	}
	if call, index := calls.CallOf(v); call != nil {
		return i.asked(call, v, index)
	}
	if from, _ := (values.Relation{Calls: i.Summaries.Calls, Steps: values.Held}).Sources(v); len(from) == 1 {
		of, ok := i.testOf(from[0], t)
		of.Value = v
		return of, ok
	}
	return Test{}, false
}

// shortCircuit tells what a && b or a || b says: it is a merge, and each way
// into it has a value, and conditions that lead there.
func (i *Finalizers) shortCircuit(phi *ssa.Phi, within *trail) (Test, bool) {
	if slices.Contains(within.within, phi) || len(within.within) >= maxMerges {
		return Test{}, false
	}
	within.within = append(within.within, phi)
	defer func() { within.within = within.within[:len(within.within)-1] }()
	result := Test{Value: phi}
	found := false
	says := func(truth bool) Status {
		var all Status
		for n, edge := range phi.Edges {
			if value, ok := kubeapi.ConstBool(edge); ok && value != truth {
				continue // this way gives the other answer
			}
			status := Unsure
			if t, ok := i.testOf(edge, within); ok {
				if found && t.Object != result.Object {
					return Unsure
				}
				result.Object, found = t.Object, true
				status = t.when(truth)
			}
			if status == Unsure {
				status = i.onWayTo(phi.Block().Preds[n], phi.Block(), &result, &found, within)
			}
			if status == Unsure || all != Unsure && all != status {
				return Unsure
			}
			all = status
		}
		return all
	}
	result.IfTrue = says(true)
	result.IfFalse = says(false)
	return result, found && (result.IfTrue != Unsure || result.IfFalse != Unsure)
}

// onWayTo tells what the branches say that lead to the edge from one block to
// another.
func (i *Finalizers) onWayTo(from, to *ssa.BasicBlock, about *Test, found *bool, within *trail) Status {
	decide := func(branch *ssa.If, truth bool) Status {
		t, ok := i.testOf(branch.Cond, within)
		if !ok || *found && t.Object != about.Object {
			return Unsure
		}
		status := t.when(truth)
		if status != Unsure {
			about.Object, *found = t.Object, true
		}
		return status
	}
	if branch, ok := blocks.Last(from).(*ssa.If); ok && from.Succs[0] != from.Succs[1] {
		if status := decide(branch, from.Succs[0] == to); status != Unsure {
			return status
		}
	}
	for branch, held := range blocks.Decided(from) {
		if status := decide(branch, held); status != Unsure {
			return status
		}
	}
	return Unsure
}

// asked tells what the index-th result of a helper says, by its summary.
func (i *Finalizers) asked(call *ssa.Call, v ssa.Value, index int) (Test, bool) {
	if !isErrorOrBool(v.Type()) {
		return Test{}, false
	}
	operands := kubeapi.Operands(call.Common())
	for _, f := range i.known.At(call) {
		for _, p := range f.Predicates {
			if p.Result == index && p.Param < len(operands) {
				o := i.objectOf(operands[p.Param])
				if p.Path != "" {
					o = i.Summaries.Resolve.Descend(i.Place(operands[p.Param]), operands[p.Param].Type(), strings.Split(p.Path, ".")).Object
				}
				return Test{v, o, p.IfTrue, p.IfFalse}, true
			}
		}
	}
	return Test{}, false
}

func isErrorOrBool(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic) // a bool, also an untyped one
	return ok && b.Info()&types.IsBoolean != 0 || kubeapi.IsError(t)
}

// Tests returns the values of a unit that tell whether an object is being
// deleted.
func (i *Finalizers) Tests(u *objects.Unit, o paths.Object) []Test {
	return slices.DeleteFunc(slices.Clone(i.testsOf(u)), func(t Test) bool { return t.Object != o && !i.Summaries.MayBe(t.Object, o) })
}

func (i *Finalizers) testsOf(u *objects.Unit) []Test {
	i.mu.Lock()
	known, ok := i.tests[u.Fn]
	i.mu.Unlock()
	if ok {
		return known
	}
	var tests []Test
	for _, n := range u.Graph.Nodes {
		v, ok := n.Instr.(ssa.Value)
		if !ok || !isErrorOrBool(v.Type()) || slices.ContainsFunc(tests, func(t Test) bool { return t.Value == v }) {
			continue
		}
		if t, ok := i.test(v); ok {
			tests = append(tests, t)
		}
	}
	i.mu.Lock()
	i.tests[u.Fn] = tests
	i.mu.Unlock()
	return tests
}

// Watch returns what a search has to assume so that it keeps track of tests.
func Watch(tests []Test) map[ssa.Value]paths.Truth {
	watched := make(map[ssa.Value]paths.Truth)
	for _, t := range tests {
		watched[t.Value] = paths.Unknown
		if op, ok := t.Value.(*ssa.BinOp); ok {
			// What a path knows of a comparison with nil it knows of what
			// is compared.
			watched[op.X], watched[op.Y] = paths.Unknown, paths.Unknown
		}
	}
	return watched
}

// Known tells what a path has established about the object that the tests are
// about.
func Known(tests []Test, known paths.Known) Status {
	for _, t := range tests {
		status := Unsure
		if truth := known.Of(t.Value); truth != paths.Unknown {
			status = t.when(truth == paths.True)
		}
		if status != Unsure {
			return status
		}
	}
	return Unsure
}

// MayBeDeleting reports whether there is a path to the node on which nothing
// has established that the object is not being deleted.
func (i *Finalizers) MayBeDeleting(u *objects.Unit, at *paths.Node, o paths.Object) bool {
	tests := i.Tests(u, o)
	return mayReach(u, at, tests, func(known paths.Known) bool { return Known(tests, known) == Live })
}

// mayReach reports whether there is a path to the node on which the tests have not established that
// the object is live.
func mayReach(u *objects.Unit, at *paths.Node, tests []Test, isLive func(paths.Known) bool) bool {
	_, found := u.Graph.Search(nil, 0, Watch(tests), func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
		switch {
		case isLive(known):
			return stage, paths.Prune
		case n == at:
			return stage, paths.Found
		}
		return stage, paths.Continue
	})
	return found
}

// predicates finds what a function's results say about whether its parameters
// are being deleted.
func (i *Finalizers) predicates(fn *ssa.Function) []Predicate {
	var found []Predicate
	results := fn.Signature.Results()
	for index := range results.Len() {
		if !isErrorOrBool(results.At(index).Type()) {
			continue
		}
		if p, ok := i.predicate(fn, index); ok {
			found = append(found, p)
		}
	}
	return found
}

func (i *Finalizers) predicate(fn *ssa.Function, index int) (Predicate, bool) {
	about, found := Test{}, false
	says := func(truth bool) Status {
		var all Status
		for ret := range blocks.Returns(fn) {
			v := ret.Results[index]
			if c, ok := v.(*ssa.Const); ok {
				if isTrue, _ := kubeapi.ConstBool(c); isTrue != truth {
					continue
				}
			} else if truth == false && surelyError(v) {
				continue
			}
			status := Unsure
			if t, ok := i.testOf(v, new(trail)); ok && (!found || t.Object == about.Object) {
				status = t.when(truth)
				if status != Unsure {
					about.Object, found = t.Object, true
				}
			}
			if status == Unsure {
				status = i.onWayTo(ret.Block(), nil, &about, &found, new(trail))
			}
			if status == Unsure || all != Unsure && all != status {
				return Unsure
			}
			all = status
		}
		return all
	}
	p := Predicate{Result: index, IfTrue: says(true), IfFalse: says(false)}
	if !found || p.IfTrue == Unsure && p.IfFalse == Unsure || about.Object.Index != nil {
		return p, false
	}
	p.Path = strings.TrimPrefix(about.Object.Path, ".")
	param, ok := about.Object.Root.(*ssa.Parameter)
	if !ok {
		return p, false
	}
	p.Param = slices.Index(fn.Params, param)
	return p, p.Param >= 0
}

// surelyError reports whether v is an error that is made here.
func surelyError(v ssa.Value) bool {
	call, ok := v.(*ssa.Call)
	if !ok {
		_, made := v.(*ssa.MakeInterface)
		return made && kubeapi.IsError(v.Type())
	}
	callee := kubeapi.Callee(call.Common())
	return kubeapi.IsFunc(callee, "errors", "New") || kubeapi.IsFunc(callee, "fmt", "Errorf")
}
