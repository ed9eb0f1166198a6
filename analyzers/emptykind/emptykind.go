package emptykind

import (
	_ "embed"
	"go/token"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/emptykind/internal/typed"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/wording"
)

//go:embed doc.go
var doc string

const lostGVK = "lost-gvk"

// Analyzer finds kinds and versions read from typed objects that come without
// them.
var Analyzer = rule.New(rule.Spec{
	Name:       "emptykind",
	Summary:    "find kinds and versions read from typed objects that come without them",
	DocSource:  doc,
	Group:      "objects",
	Since:      "unreleased",
	Strict:     true,
	Categories: []rule.Category{{Name: lostGVK, Summary: "the kind or version of a typed object from a clientset or lister is used, which is empty", Harm: rule.Loss}},
	Requires:   []*analysis.Analyzer{objects.Analyzer},
	Run:        run,
})

type checker struct {
	pass   *analysis.Pass
	report *rule.Reporter
	sums   *objects.Summaries
	typed  typed.In
	told   map[ssa.Value]bool // the sources of objects, by function
}

func run(pass *analysis.Pass, report *rule.Reporter) error {
	sums := pass.ResultOf[objects.Analyzer].(*objects.Summaries)
	if sums.Calls.Pkg == nil {
		return nil
	}
	for _, fn := range sums.Calls.Funcs {
		if kubeapi.TakesTesting(fn) {
			continue
		}
		c := &checker{pass, report, sums, typed.In{Sums: sums}, make(map[ssa.Value]bool)}
		for instr := range blocks.Instrs(fn) {
			if read, ok := c.readOf(instr); ok {
				c.judge(fn, read)
			}
		}
	}
	return nil
}

// judge reports the use of a kind that is surely empty, once for each object
// of a function.
func (c *checker) judge(fn *ssa.Function, r read) {
	use := worstUse(c.sums.Calls, r)
	if use.what == nothing || use.what == elsewhere && !c.report.Strict() {
		return
	}
	source := c.typed.From(r.object)
	if source == nil || c.told[source] || c.typed.MaySetIn(fn, r.object) {
		return
	}
	c.told[source] = true
	pos, end := syntax.Span(c.pass.Files, r.instr)
	kind := "object"
	if known := kubeapi.KindOfValue(r.object); known != nil {
		kind = known.Obj().Name()
	}
	c.report.Report(rule.Finding{
		Pos: pos, End: end, Category: lostGVK, Harm: use.harm(),
		Message: wording.Fit(func(name func(string) string) string {
			return use.consequence() + ": a " + name(kind) + " from a typed client or lister has no " + plain(r.field) + "; name it, or use apiutil.GVKForObject"
		}),
		Related: []analysis.RelatedInformation{{Pos: source.Pos(), Message: "the object comes from here"}},
	})
}

// read is a place where the kind or version of an object is read.
type read struct {
	instr  ssa.Instruction
	object ssa.Value
	value  ssa.Value // what is read
	field  string    // as users know it: "Kind", "APIVersion", "GroupVersionKind()"
}

// readOf recognises reads of TypeMeta's fields and calls of its methods.
func (c *checker) readOf(instr ssa.Instruction) (read, bool) {
	switch instr := instr.(type) {
	case *ssa.UnOp:
		if field, ok := instr.X.(*ssa.FieldAddr); ok && instr.Op == token.MUL {
			if meta, ok := field.X.(*ssa.FieldAddr); ok && kubeapi.IsTypeMeta(meta.Type()) {
				return read{instr, meta.X, instr, calls.FieldOf(field.X.Type(), field.Field).Name()}, true
			}
		}
	case *ssa.Field:
		if meta, ok := instr.X.(*ssa.Field); ok && kubeapi.IsTypeMeta(meta.Type()) {
			return read{instr, meta.X, instr, calls.FieldOf(instr.X.Type(), instr.Field).Name()}, true
		}
	case *ssa.Call:
		if fn := kubeapi.Callee(instr.Common()); fn != nil && fn.Name() == "GroupVersionKind" && len(instr.Call.Args) <= 1 {
			recv, _ := kubeapi.Args(instr.Common())
			if object := typed.Described(recv); object != nil {
				return read{instr, object, instr, "GroupVersionKind()"}, true
			}
		}
	}
	return read{}, false
}
