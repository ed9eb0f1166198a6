package deletiontimestamp

import (
	_ "embed"
	"fmt"
	"go/token"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/entrypoint"
	"github.com/opvet/opvet/internal/finalizers"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/rule"
)

//go:embed doc.go
var doc string

const nilDereference = "nil-dereference"

// Analyzer finds reads of deletion timestamps that may be nil.
var Analyzer = rule.New(rule.Spec{
	Name:      "deletiontimestamp",
	Summary:   "the deletion timestamp of a live object is nil",
	DocSource: doc,
	Group:     "finalizers",
	Since:     "v0.1.0",
	Categories: []rule.Category{
		{Name: nilDereference, Summary: "deletion timestamp dereferenced without a check that there is one", Fix: true},
	},
	Requires: []*analysis.Analyzer{finalizers.Analyzer, entrypoint.Analyzer},
	Run:      run,
})

func run(pass *analysis.Pass, report *rule.Reporter) error {
	info := pass.ResultOf[finalizers.Analyzer].(*finalizers.Info)
	if info.Summaries.Calls.Pkg == nil {
		return nil
	}
	c := &checker{
		Info: info, pass: pass, report: report,
		entries: pass.ResultOf[entrypoint.Analyzer].(*entrypoint.Result),
	}
	if c.filtersDeleted() {
		return nil
	}
	for _, fn := range info.Summaries.Units() {
		u := info.Summaries.Unit(fn)
		for _, read := range info.Reads(u) {
			if origin, ok := c.origin(u, read.Object); ok && !c.inTerminalPhase(read) {
				c.found(read, origin)
			}
		}
	}
	return nil
}

// checker looks at one package.
type checker struct {
	*finalizers.Info
	pass    *analysis.Pass
	report  *rule.Reporter
	entries *entrypoint.Result
}

// filtersDeleted reports whether a predicate or filter of the package looks at
// deletion: it may let through the objects only that are being deleted.
func (c *checker) filtersDeleted() bool {
	for _, entry := range c.entries.Entries {
		if entry.Kind != kubeapi.Predicate || len(entry.Fn.Blocks) == 0 {
			continue
		}
		if c.LooksAtDeletion(c.Summaries.Unit(entry.Fn)) {
			return true
		}
	}
	return false
}

func (c *checker) found(read finalizers.Read, origin string) {
	pos, end := c.span(read)
	message := fmt.Sprintf("panics on every object that is not being deleted: the DeletionTimestamp of %s is nil until then; check it first (its IsZero, Before and Equal can be called on nil)", origin)
	if read.Via != nil {
		message = fmt.Sprintf("panics on every object that is not being deleted: %s reads the DeletionTimestamp of %s, which is nil until then; check it first", read.Via.Name(), origin)
	}
	c.report.Report(rule.Finding{Pos: pos, End: end, Category: nilDereference, Message: message, Fix: c.fix(read)})
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
	for n, other := range instr.Block().Instrs {
		if other == instr {
			return instr.Block().Instrs[n:]
		}
	}
	return nil
}
