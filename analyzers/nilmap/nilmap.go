package nilmap

import (
	_ "embed"
	"fmt"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/nilmap/internal/fills"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/passes/origins"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/wording"
)

//go:embed doc.go
var doc string

const (
	metadata = "metadata"
	data     = "data"
)

// Analyzer finds stores into maps of read objects that may be nil.
var Analyzer = rule.New(rule.Spec{
	Name:        "nilmap",
	Summary:     "find entries stored into labels, annotations or data that a read object need not have",
	DocSource:   doc,
	Group:       "status",
	Since:       "unreleased",
	Strict:      true,
	Excuses:     excuses.Reasons(),
	ProductOnly: true,
	Categories: []rule.Category{
		{Name: metadata, Summary: "an entry is stored into labels or annotations that may be nil", Harm: rule.Crash, Fix: true},
		{Name: data, Summary: "an entry is stored into the data of a ConfigMap or Secret that may be nil", Harm: rule.Crash, Fix: true},
	},
	Requires: []*analysis.Analyzer{objects.Analyzer, entrypoints.Analyzer, fills.Analyzer},
	Run:      run,
})

// checker looks at one package.
type checker struct {
	*objects.Summaries
	pass    *analysis.Pass
	report  *rule.Reporter
	origins *origins.Tracer
	filled  fills.Maps
	needs   map[*ssa.Function][]need
	read    map[*objects.Unit][]objects.Site
}

func run(pass *analysis.Pass, report *rule.Reporter) error {
	sums := pass.ResultOf[objects.Analyzer].(*objects.Summaries)
	if sums.Calls.Pkg == nil {
		return nil
	}
	c := &checker{
		Summaries: sums, pass: pass, report: report,
		origins: &origins.Tracer{Calls: sums.Calls, Entries: pass.ResultOf[entrypoints.Analyzer].(*entrypoints.Result)},
		filled:  pass.ResultOf[fills.Analyzer].(fills.Maps),
		needs:   make(map[*ssa.Function][]need),
		read:    make(map[*objects.Unit][]objects.Site),
	}
	for _, fn := range sums.Units() {
		if kubeapi.TakesTesting(fn) {
			continue
		}
		u := sums.Unit(fn)
		for _, s := range c.stores(u, 0) {
			reads := c.reads(u, s.slot)
			for _, from := range reads {
				if c.reaches(u, from, s) {
					c.tell(u, from, s)
					break
				}
			}
			if len(reads) > 0 {
				continue
			}
			s.fresh = true
			for _, from := range madeAt(u, s.slot) {
				if c.reaches(u, from, s) {
					c.tellFresh(from, s)
					break
				}
			}
		}
	}
	return nil
}

// tell words the finding about a store that a read reaches.
func (c *checker) tell(u *objects.Unit, from *paths.Node, s store) {
	f := rule.Finding{Pos: s.at.Pos(), Category: metadata, Fix: c.fix(s.at)}
	what := "object"
	if s.slot.kind != nil {
		what = wording.Tail(s.slot.kind.Obj().Name(), 40)
	}
	field := s.slot.field()
	if s.slot.isData() {
		f.Category = data
	}
	if excuses.Silence(c.report, f.Pos, f.Category, candidate{c.filled, c.Calls, s.slot, s.at, c.mayCreate(from)}) {
		return
	}
	f.Message = fmt.Sprintf("this panics on the first %s without %s: the map is nil then; make it before this entry is stored", what, field)
	if kubeapi.IsWriteOnly(s.slot.kind, s.slot.path) {
		f.Message, f.Fix = "the operator crashes: stringData of a Secret that was read is always nil; store the entry into Data", nil
	}
	if call, ok := s.at.(ssa.CallInstruction); ok {
		f.Pos, f.End = syntax.Span(c.pass.Files, call)
	}
	if from != nil && from.Instr.Pos().IsValid() {
		f.Related = append(f.Related, analysis.RelatedInformation{Pos: from.Instr.Pos(), Message: "the object is read here"})
	}
	for _, call := range s.through {
		f.Related = append(f.Related, analysis.RelatedInformation{Pos: call.Pos(), Message: "it is handed over here"})
	}
	c.report.Report(f)
}

// mayCreate reports whether an object is as CreateOrUpdate hands it on, which creates the
// first one.
func (c *checker) mayCreate(from *paths.Node) bool {
	if from == nil || from.Call() == nil {
		return false
	}
	op, ok := c.ClientOp(from.Call().Common())
	return ok && op.Mutate != nil
}

// kindOf is the kind that a value is, seen through what it was converted from.
func kindOf(v ssa.Value) *types.Named {
	for v != nil {
		if kind := kubeapi.KindOf(v.Type()); kind != nil {
			return kind
		}
		v = kubeapi.Converted(v)
	}
	return nil
}
