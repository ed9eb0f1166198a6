package failures

import (
	"go/token"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// silent finds the calls of a function whose failure it answers with success.
func (i *Failures) silent(fn *ssa.Function) []Silence {
	if i.handed[fn] || !kubeapi.CanFail(fn.Signature) {
		return nil
	}
	u := i.Unit(fn)
	var found []Silence
	for _, n := range u.Graph.Nodes {
		call, ok := n.Instr.(*ssa.Call)
		if !ok || n.Joins != nil || n.Frame.Parent != nil || n.Deferred {
			continue
		}
		writes, reads := i.Writes(call), i.reads(call)
		step := !writes && i.step(call) // a function that does nothing but write is a write
		if !writes && !reads && !step || i.isFollowUp(call) {
			continue
		}
		errs := paths.Results(n, kubeapi.IsError)
		if len(errs) != 1 {
			continue
		}
		if step || i.ReadsLive(call) {
			if s, ok := i.unheard(u, n, errs[0]); ok {
				s.Step = step
				found = append(found, s)
				continue
			}
		}
		if step {
			continue
		}
		if s, ok := i.asked(u, n, errs[0], writes); ok {
			found = append(found, s)
			continue
		}
		if writes && IsTested(errs[0]) {
			if s, ok := i.answered(u, n, errs[0]); ok {
				s.Logged = s.Logged || i.PrintsItself(call)
				if s.Logged && i.standIns[fn] {
					continue // whoever has kept the step may know of it
				}
				found = append(found, s)
			}
		}
	}
	return found
}

// isFollowUp reports whether a call deletes an object of Kubernetes' own after the one that
// it belongs to: the garbage collector does that as well, and whoever forgets the failure
// goes by it.
func (i *Failures) isFollowUp(call *ssa.Call) bool {
	if dependent, owner := i.deletes(call, 0); !dependent || owner {
		return false
	}
	return blocks.Any(call.Parent(), func(other *ssa.Call) bool {
		if other == call || !loops.Precedes(other, call) {
			return false
		}
		dependent, owner := i.deletes(other, 0)
		return owner && !dependent
	})
}

// maxDeletes bounds the functions that lead to a deletion.
const maxDeletes = 3

// deletes reports whether a call deletes objects of Kubernetes' own, and others, itself or
// in the functions of the package that it runs.
func (i *Failures) deletes(call ssa.CallInstruction, depth int) (dependent, owner bool) {
	if d, ok := i.DeletionOf(call.Common()); ok {
		dependent = isDependent(d, i.Calls.Through(call.Common()))
		return dependent, !dependent
	}
	if depth == maxDeletes {
		return false, false
	}
	for _, fn := range i.Calls.Callees(call).Funcs {
		for inner := range blocks.InstrsOf[ssa.CallInstruction](fn) {
			d, o := i.deletes(inner, depth+1)
			dependent, owner = dependent || d, owner || o
		}
	}
	return dependent, owner
}

// isDependent reports whether a deletion is of a kind of Kubernetes' own.
func isDependent(d kubeapi.Deletion, common *ssa.CallCommon) bool {
	if d.Object == nil {
		callee := kubeapi.Callee(common)
		return callee != nil && callee.Pkg() != nil && strings.HasPrefix(callee.Pkg().Path(), "k8s.io/client-go/kubernetes/typed/")
	}
	kind := kubeapi.KindBehind(d.Object)
	return kind != nil && kubeapi.IsBuiltin(kubeapi.KindID(kind))
}

// reads reports whether a call reads an object.
func (i *Failures) reads(call *ssa.Call) bool {
	op, ok := i.ClientOp(call.Common())
	return ok && op.Verb == kubeapi.Get
}

// IsTested reports whether somebody asks if there is an error: one that is
// dropped altogether is known to every linter.
func IsTested(err ssa.Value) bool {
	for _, ref := range *err.Referrers() {
		switch ref.(type) {
		case *ssa.BinOp, *ssa.Phi, *ssa.Store:
			return true
		}
	}
	return false
}

// answered looks for a way from a failed write to a return that says the same as
// after a write that has not failed, with nothing said or done about it.
func (i *Failures) answered(u *objects.Unit, n *paths.Node, err ssa.Value) (Silence, bool) {
	call := n.Instr.(*ssa.Call)
	for _, logged := range []bool{false, true} {
		failing := exits(u, u.Graph.Answered(n), map[ssa.Value]paths.Truth{err: paths.True}, func(at *paths.Node) bool { return at == n || i.speaks(at, logged) })
		if len(failing) == 0 {
			continue
		}
		success := exits(u, u.Graph.Answered(n), map[ssa.Value]paths.Truth{err: paths.False}, func(at *paths.Node) bool { return at == n })
		if e := alike(failing, success); e != nil {
			return Silence{Call: call, Ret: e.ret, Logged: logged, Told: e.told, Tells: i.tells(u)}, true
		}
		return Silence{}, false
	}
	return Silence{}, false
}

// tells reports whether the other results of a function are not the same
// whenever it returns no error, so that they may tell a caller to come back.
func (i *Failures) tells(u *objects.Unit) bool {
	if u.Fn.Signature.Results().Len() == 1 {
		return false
	}
	all := exits(u, nil, nil, nil)
	return slices.ContainsFunc(all, func(e exit) bool { return e.says != all[0].says })
}

// exit is a return with a nil error.
type exit struct {
	ret  *ssa.Return
	says string        // the other results
	told []paths.Truth // what is known of them
}

// alike returns the first of some exits that says the same as one of the others, or nil.
func alike(exits, others []exit) *exit {
	for i, e := range exits {
		if slices.ContainsFunc(others, func(other exit) bool { return other.says == e.says }) {
			return &exits[i]
		}
	}
	return nil
}

// exits returns the returns that are reached from a node, or from the start of
// a function, with an error that is nil on all paths.
func exits(u *objects.Unit, start *paths.Node, assume map[ssa.Value]paths.Truth, stop func(*paths.Node) bool) []exit {
	var found []exit
	failing := make(map[*ssa.Return]bool)
	u.Graph.Search(start, 0, assume, func(at *paths.Node, stage int, known paths.Known) (int, paths.Step) {
		if stop != nil && stop(at) {
			return stage, paths.Prune
		}
		ret, ok := at.Instr.(*ssa.Return)
		if !ok || !u.Graph.IsExit(at) {
			return stage, paths.Continue
		}
		last := len(ret.Results) - 1
		if known.Of(ret.Results[last]) != paths.False {
			failing[ret] = true
			return stage, paths.Prune
		}
		e := exit{ret: ret, says: says(ret.Results[:last], known)}
		for _, v := range ret.Results[:last] {
			e.told = append(e.told, known.Of(v))
		}
		found = append(found, e)
		return stage, paths.Prune
	})
	return slices.DeleteFunc(found, func(e exit) bool { return failing[e.ret] })
}

// says describes results so that those which tell a caller the same are the
// same.
func says(results []ssa.Value, known paths.Known) string {
	var b strings.Builder
	for _, v := range results {
		b.WriteByte('|')
		switch {
		case kubeapi.IsBool(v.Type()) && known.Of(v) != paths.Unknown:
			b.WriteString(strconv.FormatBool(known.Of(v) == paths.True))
		case isEmptyLiteral(v):
			b.WriteString("{}")
		default:
			b.WriteString(v.Name())
		}
	}
	return b.String()
}

// speaks reports whether a node may say or do something about a failure: calls
// anything at all, but loggers where these do not count, or stores something
// that is not a local variable.
func (i *Failures) speaks(n *paths.Node, logs bool) bool {
	switch instr := n.Instr.(type) {
	case *ssa.Defer:
		return n.Deferred && (kubeapi.Callee(instr.Common()) == nil || paths.Literal(i.Calls, instr.Call.Value) != nil)
	case *ssa.Call:
		return !logs || !isLogged(instr)
	case *ssa.BinOp:
		return isCount(instr) || !logs && kubeapi.IsLogger(instr.X.Type()) // it is said wherever there is somebody to say it to
	case *ssa.Store:
		if index, ok := instr.Addr.(*ssa.IndexAddr); ok {
			_, local := index.X.(*ssa.Alloc)
			return !local || !logs
		}
		_, local := paths.Cell(instr.Addr).(*ssa.Alloc)
		if field, ok := instr.Addr.(*ssa.FieldAddr); ok {
			return paths.Cell(field.X) == nil
		}
		return !local
	case *ssa.Go, *ssa.MapUpdate, *ssa.Send, *ssa.Panic:
		return true
	}
	return false
}

// isCount reports whether an instruction counts failures, and callers are told how many there were: the number is
// returned, or kept in a field or by a pointer.
func isCount(instr ssa.Instruction) bool {
	sum, ok := instr.(*ssa.BinOp)
	if !ok || sum.Op != token.ADD && sum.Op != token.SUB || !isOne(sum.Y) || !calls.AfterFailure(sum) {
		return false
	}
	for _, use := range (values.Relation{Steps: values.Merged | values.Held}).Uses(sum) {
		switch use := use.(type) {
		case *ssa.Return:
			return true
		case *ssa.Store:
			switch use.Addr.(type) {
			case *ssa.FieldAddr, *ssa.Parameter:
				return true
			}
		}
	}
	return false
}

func isOne(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.Value != nil && c.Value.ExactString() == "1"
}

// isToldOnly reports whether what a call returns goes into events and nowhere else, as with
// recorders that take an event for one value.
func isToldOnly(call *ssa.Call) bool {
	refs := call.Referrers()
	return refs != nil && len(*refs) > 0 && !slices.ContainsFunc(*refs, func(ref ssa.Instruction) bool {
		told, ok := ref.(*ssa.Call)
		if !ok {
			return true
		}
		callee := kubeapi.Callee(told.Common())
		return callee == nil || !kubeapi.IsEventRecorder(callee)
	})
}

// isLogged reports whether a call prints something, or words what is printed.
func isLogged(call *ssa.Call) bool {
	callee := kubeapi.Callee(call.Common())
	if callee == nil {
		return false
	}
	if callee.Pkg() == nil && callee.Name() == "Error" {
		return true
	}
	if callee.Name() == "Exit" || strings.HasPrefix(callee.Name(), "Fatal") || strings.HasPrefix(callee.Name(), "Panic") {
		return false
	}
	return kubeapi.Logs(callee) || kubeapi.ErrorUseOf(callee) == kubeapi.PrintsError || isToldOnly(call) || kubeapi.IsFunc(callee, "fmt", "Sprintf") || kubeapi.IsFunc(callee, "sigs.k8s.io/controller-runtime/pkg/log", "FromContext")
}
