package failures

import (
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Mapper is a function that makes an empty Result and nil of every error that it
// is given.
type Mapper struct {
	Fn      *ssa.Function // nil if it is in another package
	Operand int           // the error, the receiver counted
	Ret     *ssa.Return   // nil if it is in another package
	Place   string        // of the return
}

// Mapper returns what a call maps an error with.
func (i *Failures) Mapper(call *ssa.Call) (Mapper, bool) {
	targets := i.Calls.Callees(call)
	if targets.Closed && len(targets.Funcs) == 1 {
		m, ok := i.mappers[targets.Funcs[0]]
		return m, ok
	}
	if f := i.facts.Elsewhere(call); f != nil && f.Maps > 0 {
		return Mapper{Operand: f.Maps - 1, Place: f.Place}, true
	}
	return Mapper{}, false
}

// maps reports whether a function answers every error with an empty Result and
// nil, and does nothing about it but print it.
func (i *Failures) maps(fn *ssa.Function) (Mapper, bool) {
	if !returnsResult(fn) {
		return Mapper{}, false
	}
	for index, p := range fn.Params {
		if kubeapi.IsError(p.Type()) {
			ret := i.mapsParam(fn, p)
			if ret == nil {
				return Mapper{}, false
			}
			return Mapper{Fn: fn, Operand: index, Ret: ret, Place: syntax.Place(i.pass.Fset, ret.Pos())}, true
		}
	}
	return Mapper{}, false
}

func (i *Failures) mapsParam(fn *ssa.Function, p *ssa.Parameter) *ssa.Return {
	g := i.Unit(fn).Graph
	var last *ssa.Return
	all := true
	g.Search(nil, 0, map[ssa.Value]paths.Truth{p: paths.True}, func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
		if i.acts(n) {
			all = false
			return stage, paths.Found
		}
		ret, ok := n.Instr.(*ssa.Return)
		if !ok || !g.IsExit(n) {
			return stage, paths.Continue
		}
		last = ret
		if known.Of(ret.Results[1]) != paths.False || !isEmptyResult(ret.Results[0]) {
			all = false
			return stage, paths.Found
		}
		return stage, paths.Prune
	})
	if !all {
		return nil
	}
	return last
}

// acts reports whether a node may do something about an error: anything but
// printing it, and wording what is printed.
func (i *Failures) acts(n *paths.Node) bool {
	switch instr := n.Instr.(type) {
	case *ssa.Call:
		use := kubeapi.ErrorUseOf(kubeapi.Callee(instr.Common()))
		return n.Joins == nil && !isLogged(instr) && use != kubeapi.PrintsError && use != kubeapi.WrapsError
	case *ssa.Store:
		if _, element := instr.Addr.(*ssa.IndexAddr); element {
			return false // what is printed
		}
		_, local := paths.Cell(instr.Addr).(*ssa.Alloc)
		return !local
	case *ssa.Go, *ssa.MapUpdate, *ssa.Send, *ssa.Panic, *ssa.TypeAssert:
		return true
	}
	return false
}

// isEmptyResult reports whether a Result is an empty literal.
func isEmptyResult(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.Value == nil || isEmptyLiteral(v)
}

// isEmptyLiteral reports whether a value is a struct literal without fields.
func isEmptyLiteral(v ssa.Value) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return false
	}
	alloc, ok := load.X.(*ssa.Alloc)
	return ok && alloc.Comment == "complit" && len(*alloc.Referrers()) == 1
}

// FailedWrite returns the call of which an error surely is, if that writes an
// object itself or hands on the error of a write, or nil.
func (i *Failures) FailedWrite(err ssa.Value) *ssa.Call {
	wrapped := values.Relation{More: func(v ssa.Value) []ssa.Value {
		if call, ok := v.(*ssa.Call); ok && kubeapi.ErrorUseOf(kubeapi.Callee(call.Common())) == kubeapi.WrapsError {
			if inner := errorAmong(call); inner != nil {
				return []ssa.Value{inner}
			}
		}
		return nil
	}}
	if call, _ := calls.CallOf(wrapped.End(err)); call != nil && i.mayFailToWrite(call) {
		return call
	}
	return nil
}

// errorAmong returns the error among the arguments of a call, also among those
// packed for a format.
func errorAmong(call *ssa.Call) ssa.Value {
	args := call.Call.Args
	if len(args) > 0 {
		if packed, ok := args[len(args)-1].(*ssa.Slice); ok {
			if values, ok := kubeapi.VariadicArgs(packed); ok {
				args = append(args[:len(args)-1:len(args)-1], values...)
			}
		}
	}
	for _, arg := range args {
		if change, ok := arg.(*ssa.ChangeInterface); ok {
			arg = change.X
		}
		if kubeapi.IsError(arg.Type()) {
			return arg
		}
	}
	return nil
}

func (i *Failures) mayFailToWrite(call *ssa.Call) bool {
	if i.Writes(call) {
		return true
	}
	targets := i.Calls.Callees(call)
	return targets.Closed && len(targets.Funcs) == 1 && i.fails[targets.Funcs[0]]
}

// handsOnWrite reports whether a function returns an error of a write.
func (i *Failures) handsOnWrite(fn *ssa.Function) bool {
	if !kubeapi.CanFail(fn.Signature) {
		return false
	}
	u := i.Unit(fn)
	for _, n := range u.Graph.Nodes {
		call, ok := n.Instr.(*ssa.Call)
		if !ok || n.Joins != nil || n.Frame.Parent != nil || !i.mayFailToWrite(call) {
			continue
		}
		errs := paths.Results(n, kubeapi.IsError)
		if len(errs) != 1 {
			continue
		}
		if _, found := u.Graph.Search(u.Graph.Answered(n), 0, map[ssa.Value]paths.Truth{errs[0]: paths.True}, func(at *paths.Node, stage int, known paths.Known) (int, paths.Step) {
			if !u.Graph.IsExit(at) {
				return stage, paths.Continue
			}
			if u.Graph.Outcome(at, known) == paths.True {
				return stage, paths.Found
			}
			return stage, paths.Prune
		}); found {
			return true
		}
	}
	return false
}
