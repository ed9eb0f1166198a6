package conflictretry

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/report/rule"
)

// What a variable holds on a path after a conflict.
const (
	conflict paths.Label = iota + 1 // the conflict, or an error around it
	reread                          // what a Get has returned since
	text                            // what the conflict was turned into
)

// loses follows the conflict that an update ends in to the end of the function,
// and reports whether it gets lost on the way.
func (r *retry) loses(w update) bool {
	errs := paths.Results(w.node, kubeapi.IsError)
	if len(errs) != 1 || len(*errs[0].Referrers()) == 0 {
		return false
	}
	asked, other, _ := r.questions()
	assume := watch(asked, other)
	rereads := r.readErrors()
	for _, err := range rereads {
		assume[err] = paths.Unknown
	}
	assume[errs[0]] = paths.True
	carrier := &paths.Carrier{Label: r.label}
	var lost *ssa.Return
	var stringified *ssa.Call
	read := false
	start := r.Graph.Answered(w.node)
	r.Graph.Search(start, int(carrier.Hold(0, errs[0], conflict)), assume, func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
		before := paths.Held(stage &^ hasRead)
		held := carrier.Step(n, known, before)
		next := int(held) | stage&hasRead
		if carrier.Lost() || n == w.node || r.settles(n, carrier, before) {
			return stage, paths.Prune
		}
		if answered(known, other, paths.True) || slices.ContainsFunc(asked, func(call *ssa.Call) bool {
			return carrier.Of(held, lastArg(call)) == conflict && known.Of(call) == paths.False
		}) {
			return stage, paths.Prune
		}
		if r.reads(n) {
			next |= hasRead
		}
		ret, ok := n.Instr.(*ssa.Return)
		if !ok || !r.Graph.IsExit(n) {
			return next, paths.Continue
		}
		if values.IsWhereDeleting(ret.Block()) {
			return stage, paths.Prune // it is meant: what goes away needs no write
		}
		if slices.ContainsFunc(rereads, func(err ssa.Value) bool { return known.Of(err) == paths.True }) {
			return stage, paths.Prune // there is nothing to write: it is gone, as far as a cache can tell
		}
		result := ret.Results[len(ret.Results)-1]
		_, literal := result.(*ssa.Const)
		switch label := carrier.Of(held, result); {
		case label == conflict:
		case label == text:
			stringified, _ = result.(*ssa.Call)
			return stage, paths.Found
		case label == reread && known.Of(result) != paths.True,
			known.Of(result) == paths.False && (!literal || next&hasRead != 0 || r.report.Strict()):
			lost, read = ret, next&hasRead != 0
			return stage, paths.Found
		}
		return stage, paths.Prune
	})
	switch {
	case lost != nil:
		r.reportSwallowed(w, lost, read)
	case stringified != nil:
		r.reportCannotFire(w, stringified)
	default:
		return false
	}
	return true
}

// hasRead marks, in a search's stage, that the object was read since.
const hasRead = 1 << 62

// label tells what an instruction makes of errors.
func (r *retry) label(instr ssa.Instruction, of func(ssa.Value) paths.Label) (ssa.Value, paths.Label, bool) {
	switch instr := instr.(type) {
	case *ssa.Extract:
		call, ok := instr.Tuple.(*ssa.Call)
		if ok && kubeapi.IsError(instr.Type()) && r.isRead(call) {
			return instr, reread, true
		}
	case *ssa.Call:
		common := instr.Common()
		callee := kubeapi.Callee(common)
		if kubeapi.IsError(instr.Type()) && r.isRead(instr) {
			return instr, reread, true
		}
		if callee != nil && callee.Pkg() == nil && callee.Name() == "Error" && common.IsInvoke() && of(common.Value) == conflict {
			return instr, text, true
		}
		if !kubeapi.IsError(instr.Type()) {
			return instr, 0, false
		}
		var most paths.Label
		for _, arg := range kubeapi.Spread(common.Args) {
			most = max(most, of(arg))
		}
		if most == 0 {
			return instr, 0, true
		}
		if wrapped, ok := kubeapi.FormatsError(callee, common); ok {
			if wrapped {
				return instr, most, true
			}
			if most == conflict {
				most = text
			}
			return instr, max(most, 0), true
		}
		switch {
		case kubeapi.MakesError(callee):
			return instr, most, true // errors.New(err.Error())
		case kubeapi.WrappedError(callee, common) != nil:
			return instr, of(common.Args[0]), true
		case most == reread && kubeapi.ErrorUseOf(callee) == kubeapi.IgnoresErrorKind:
			return instr, reread, true
		}
		return instr, conflict, true // whatever it is: it has seen the error
	}
	return nil, 0, false
}

// isRead reports whether a call reads an object.
func (r *retry) isRead(call *ssa.Call) bool {
	if op, ok := r.ClientOp(call.Common()); ok {
		return op.Verb == kubeapi.Get && op.Mutate == nil
	}
	if kubeapi.ReadsCache(call.Common()) {
		return true
	}
	callee := kubeapi.Callee(call.Common())
	// A typed client's or a lister's Get: an object and an error come out.
	return callee != nil && callee.Name() == "Get" && callee.Signature().Results().Len() == 2 && kubeapi.IsObject(callee.Signature().Results().At(0).Type())
}

// readsLive reports whether each attempt asks the API server for the object that it writes, or that a function
// makes of it.
func (r *retry) readsLive(w update) bool {
	from := values.Relation{Steps: values.Merged, More: func(v ssa.Value) []ssa.Value {
		made, _ := calls.CallOf(v)
		if made == nil || r.ReadsLive(made) {
			return nil
		}
		operands := slices.Clone(kubeapi.Operands(made.Common())) // the call has them
		return slices.DeleteFunc(operands, func(arg ssa.Value) bool { return !types.Identical(arg.Type(), v.Type()) })
	}}
	return !slices.ContainsFunc(w.events, func(e objects.Event) bool {
		for end := range from.Ends(e.Place.Object.Root) {
			if read, _ := calls.CallOf(end); !calls.IsNil(end) && (read == nil || !r.ReadsLive(read)) {
				return true
			}
		}
		return false
	})
}

func (r *retry) reads(n *paths.Node) bool {
	call, ok := n.Instr.(*ssa.Call)
	return ok && n.Joins == nil && r.isRead(call)
}

// readErrors returns the errors of all reads in the function.
func (r *retry) readErrors() []ssa.Value {
	var errs []ssa.Value
	for _, n := range r.Graph.Nodes {
		if r.reads(n) {
			errs = append(errs, paths.Results(n, kubeapi.IsError)...)
		}
	}
	return errs
}

// questions returns the calls that ask whether an error is a conflict, those that ask for
// other kinds, and those that make nil of errors of a kind.
func (r *retry) questions() (asked, other, ignored []*ssa.Call) {
	for _, call := range r.Graph.Calls() {
		callee := kubeapi.Callee(call.Common())
		switch use := kubeapi.ErrorUseOf(callee); {
		case len(call.Call.Args) == 0:
		case kubeapi.IsConflictTest(callee):
			asked = append(asked, call)
		case use == kubeapi.TellsNotFound, use == kubeapi.TellsErrorKind:
			other = append(other, call)
		case use == kubeapi.IgnoresErrorKind:
			ignored = append(ignored, call)
		}
	}
	return asked, other, ignored
}

// watch is what a search has to watch that asks for the answers to questions.
func watch(questions ...[]*ssa.Call) map[ssa.Value]paths.Truth {
	assume := make(map[ssa.Value]paths.Truth)
	for _, call := range slices.Concat(questions...) {
		assume[call] = paths.Unknown
	}
	return assume
}

// answered reports whether one of some questions has an answer.
func answered(known paths.Known, questions []*ssa.Call, answer paths.Truth) bool {
	return slices.ContainsFunc(questions, func(call *ssa.Call) bool { return known.Of(call) == answer })
}

func lastArg(call *ssa.Call) ssa.Value { return call.Call.Args[len(call.Call.Args)-1] }

// settles reports whether a node sees to the conflict in a way of its own:
// writes again, hands the error on, or remembers that there was one.
func (r *retry) settles(n *paths.Node, carrier *paths.Carrier, held paths.Held) bool {
	if n.Joins != nil {
		return false
	}
	if slices.ContainsFunc(r.At(n), func(e objects.Event) bool { return e.Kind == objects.Written }) {
		return true
	}
	switch instr := n.Instr.(type) {
	case *ssa.Call:
		callee := kubeapi.Callee(instr.Common())
		if kubeapi.IsError(instr.Type()) || kubeapi.ErrorUseOf(callee) != kubeapi.UnknownErrorUse || callee != nil && callee.Pkg() == nil {
			return false
		}
		return slices.ContainsFunc(kubeapi.Spread(instr.Call.Args), func(arg ssa.Value) bool { return carrier.Of(held, arg) == conflict })
	case *ssa.Store:
		// A variable of the function around it, other than one for errors.
		if free, ok := instr.Addr.(*ssa.FreeVar); ok {
			ptr, ok := free.Type().Underlying().(*types.Pointer)
			return ok && isFlag(ptr.Elem())
		}
		_, field := instr.Addr.(*ssa.FieldAddr)
		return field && isFlag(instr.Val.Type())
	case *ssa.Send, *ssa.Go:
		return true
	}
	return false
}

// isFlag reports whether t is a boolean or a number, as used to remember what
// has happened.
func isFlag(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsBoolean|types.IsInteger) != 0
}

func (r *retry) reportSwallowed(w update, ret *ssa.Return, read bool) {
	why := ""
	if read {
		why = " after reading again"
	}
	r.tell(w.node, rule.Finding{
		Category: swallowed,
		Message: fmt.Sprintf("if %s conflicts, the write of %s is lost: line %d returns nil%s, and nothing is retried; return the conflict",
			name(w.node), kind(w.events[0]), r.line(ret.Pos()), why),
		Related: []analysis.RelatedInformation{
			{Pos: ret.Pos(), Message: "nil is returned here"},
			{Pos: r.call.Pos(), Message: "the function is tried here"},
		},
	})
}

func (r *retry) reportCannotFire(w update, made *ssa.Call) {
	pos, end := syntax.Span(r.pass.Files, made)
	harm := r.harm()
	what := "the write of line %d is lost on a conflict"
	if harm == rule.Load {
		what = "a conflict on line %d is not retried"
		if !r.report.Strict() && r.readsLive(w) {
			harm = rule.Hygiene // it takes somebody who writes in the moment between
		}
	}
	r.report.Report(rule.Finding{
		Pos: pos, End: end, Category: cannotFire, Harm: harm,
		Message: fmt.Sprintf(what+": its error becomes text here, and %s gives up; wrap it with %%w",
			r.line(w.node.Instr.Pos()), r.retrier()),
		Related: []analysis.RelatedInformation{{Pos: r.call.Pos(), Message: "the function is tried here"}},
		Fix:     r.wrapFix(made),
	})
}

// wrapFix makes the last verb of a format %w, if the error is the last
// argument, unformatted.
func (r *retry) wrapFix(made *ssa.Call) *analysis.SuggestedFix {
	call := syntax.Call(r.pass.Files, made)
	callee := kubeapi.Callee(made.Common())
	if call == nil || !kubeapi.IsFunc(callee, "fmt", "Errorf") || len(call.Args) < 2 || call.Ellipsis.IsValid() {
		return nil
	}
	format, ok := call.Args[0].(*ast.BasicLit)
	if !ok || format.Kind != token.STRING {
		return nil
	}
	if t := r.pass.TypesInfo.TypeOf(call.Args[len(call.Args)-1]); t == nil || !kubeapi.IsError(t) {
		return nil
	}
	value, err := strconv.Unquote(format.Value)
	if err != nil || strings.Count(value, "%") != len(call.Args)-1 {
		return nil
	}
	at := strings.LastIndex(format.Value, "%")
	if at < 0 || at+1 >= len(format.Value) || format.Value[at+1] != 'v' && format.Value[at+1] != 's' {
		return nil
	}
	verb := format.Pos() + token.Pos(at)
	return &analysis.SuggestedFix{
		Message:   "Wrap the error",
		TextEdits: []analysis.TextEdit{{Pos: verb, End: verb + 2, NewText: []byte("%w")}},
	}
}
