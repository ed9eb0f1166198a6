package deletiontimestamp

import (
	_ "embed"
	"fmt"
	"go/token"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/passes/finalizers"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/report/rule"
)

//go:embed doc.go
var doc string

const nilDereference = "nil-dereference"

// Analyzer finds reads of deletion timestamps that may be nil.
var Analyzer = rule.New(rule.Spec{
	Name:      "deletiontimestamp",
	Summary:   "find deletion timestamps that are read on live objects, which have none",
	DocSource: doc,
	Group:     "finalizers",
	Since:     "v0.1.0",
	Categories: []rule.Category{
		{Name: nilDereference, Summary: "deletion timestamp dereferenced without a check that there is one", Harm: rule.Crash, Fix: true},
	},
	Requires: []*analysis.Analyzer{finalizers.Analyzer, entrypoints.Analyzer},
	Run:      run,
})

func run(pass *analysis.Pass, report *rule.Reporter) error {
	info := pass.ResultOf[finalizers.Analyzer].(*finalizers.Finalizers)
	if info.Summaries.Calls.Pkg == nil {
		return nil
	}
	c := &checker{
		Finalizers: info, pass: pass, report: report,
		entries: pass.ResultOf[entrypoints.Analyzer].(*entrypoints.Result),
	}
	if c.filtersDeleted() {
		return nil
	}
	for _, fn := range info.Summaries.Units() {
		u := info.Summaries.Unit(fn)
		for _, read := range info.Reads(u) {
			if origin, ok := c.origin(u, read.Object); ok && !c.inTerminalPhase(read) && !c.inBranchOfDeleted(u, read) {
				c.found(read, origin)
			}
		}
	}
	return nil
}

// checker looks at one package.
type checker struct {
	*finalizers.Finalizers
	pass    *analysis.Pass
	report  *rule.Reporter
	entries *entrypoints.Result
}

// inBranchOfDeleted reports whether a read stands in the branch of a test that says
// that the object is being deleted. Whatever was called with the object since, it
// is not taken back.
func (c *checker) inBranchOfDeleted(u *objects.Unit, read finalizers.Read) bool {
	for _, test := range c.Tests(u, read.Object) {
		for branch := range blocks.UsesOf[*ssa.If](test.Value) {
			for i, status := range []finalizers.Status{test.IfTrue, test.IfFalse} {
				succ := branch.Block().Succs[i]
				if status == finalizers.Deleting && len(succ.Preds) == 1 && succ.Dominates(read.Node.Instr.Block()) {
					return true
				}
			}
		}
	}
	return false
}

// filtersDeleted reports whether a predicate or filter of the package looks at
// deletion: it may let through the objects only that are being deleted.
func (c *checker) filtersDeleted() bool {
	return slices.ContainsFunc(c.entries.Entries, func(entry *entrypoints.Entry) bool {
		return entry.Kind == kubeapi.Predicate && len(entry.Fn.Blocks) != 0 && c.LooksAtDeletion(c.Summaries.Unit(entry.Fn))
	})
}

func (c *checker) found(read finalizers.Read, origin string) {
	inner, calls := c.innermost(read)
	related := make([]analysis.RelatedInformation, 0, len(calls))
	for n, call := range calls {
		pos, _ := c.span(call)
		related = append(related, analysis.RelatedInformation{Pos: pos, Message: "the object is handed on here"})
		if n == 0 {
			at := c.pass.Fset.Position(pos)
			origin += fmt.Sprintf(" (%s:%d)", filepath.Base(at.Filename), at.Line)
		}
	}
	pos, end := c.span(inner)
	message := fmt.Sprintf("panics on live objects: the DeletionTimestamp of %s is nil until deletion; check it with IsZero first", origin)
	if inner.Via != nil {
		message = fmt.Sprintf("panics on live objects: %s reads the DeletionTimestamp of %s, nil until deletion; check it first", inner.Via.Name(), origin)
	}
	c.report.Report(rule.Finding{
		Pos: pos, End: end, Category: nilDereference, Harm: rule.OfPanic(c.entries.Recovers(inner.Node.Instr.Parent())),
		Message: message, Related: related, Fix: c.fix(inner),
	})
}

// maxHelpers bounds how far helpers are followed.
const maxHelpers = 4

// innermost follows a read through helpers of the package to where it stands,
// so that a helper that many call is reported once. calls are the reads by
// those helpers that lead there.
func (c *checker) innermost(read finalizers.Read) (inner finalizers.Read, calls []finalizers.Read) {
	for range maxHelpers {
		next, ok := c.inHelper(read)
		if !ok {
			break
		}
		calls = append(calls, read)
		read = next
	}
	return read, calls
}

func (c *checker) inHelper(read finalizers.Read) (finalizers.Read, bool) {
	call, ok := read.Node.Instr.(ssa.CallInstruction)
	if !ok || read.Via == nil {
		return finalizers.Read{}, false
	}
	targets := c.Summaries.Calls.Callees(call)
	index := slices.Index(kubeapi.Operands(call.Common()), read.Arg)
	if len(targets.Funcs) != 1 || index < 0 || index >= len(targets.Funcs[0].Params) {
		return finalizers.Read{}, false
	}
	param := targets.Funcs[0].Params[index]
	for _, inner := range c.Reads(c.Summaries.Unit(targets.Funcs[0])) {
		if inner.Object.Root == param && inner.Object.Path == "" {
			return inner, true
		}
	}
	return finalizers.Read{}, false
}

// span is where a read stands: what is read, or the call of the helper.
func (c *checker) span(read finalizers.Read) (pos, end token.Pos) {
	if read.Via == nil {
		if sel := c.selector(read); sel != nil {
			return sel.Sel.Pos(), sel.Sel.End()
		}
	}
	instr := read.Node.Instr
	if pos = instr.Pos(); pos.IsValid() {
		return pos, token.NoPos
	}
	if read.Pointer != nil && read.Pointer.Pos().IsValid() {
		return read.Pointer.Pos(), token.NoPos
	}
	// An instruction that stands for no syntax: the next one in its block.
	for _, next := range after(instr) {
		if next.Pos().IsValid() {
			return next.Pos(), token.NoPos
		}
	}
	return instr.Parent().Pos(), token.NoPos
}

func after(instr ssa.Instruction) []ssa.Instruction {
	instrs := instr.Block().Instrs
	return instrs[slices.Index(instrs, instr):]
}
