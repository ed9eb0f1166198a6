package nilmap

import (
	_ "embed"
	"fmt"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/nilmap/internal/entries"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/passes/objects"
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
	Summary:     "find entries stored into labels, annotations or data that an object need not have",
	DocSource:   doc,
	Group:       "status",
	Since:       "unreleased",
	Strict:      true,
	Excuses:     excuses.Reasons(),
	ProductOnly: true,
	Categories: []rule.Category{
		{Name: metadata, Summary: "an entry is stored into labels or annotations that may be nil", Harm: rule.Crash, Fix: true},
		{Name: data, Summary: "an entry is stored into the data of a ConfigMap or Secret that may be nil", Harm: rule.Crash, Trial: true, Fix: true},
	},
	Requires: []*analysis.Analyzer{entries.Analyzer, entrypoints.Analyzer},
	Run:      run,
})

// checker looks at one package.
type checker struct {
	pass   *analysis.Pass
	report *rule.Reporter
	maps   *entries.Maps
	calls  *entrypoints.Result
}

func run(pass *analysis.Pass, report *rule.Reporter) error {
	maps := pass.ResultOf[entries.Analyzer].(*entries.Maps)
	sums := maps.Summaries
	if sums.Calls.Pkg == nil {
		return nil
	}
	c := &checker{pass, report, maps, pass.ResultOf[entrypoints.Analyzer].(*entrypoints.Result)}
	for _, fn := range sums.Units() {
		if kubeapi.TakesTesting(fn) {
			continue
		}
		u := sums.Unit(fn)
		for _, s := range c.maps.Of(u) {
			from, ok := c.maps.From(u, &s)
			switch {
			case ok && s.Fresh:
				c.tellFresh(from, s)
			case ok:
				c.tell(u, from, s)
			}
		}
	}
	return nil
}

// tell words the finding about a store that a read reaches.
func (c *checker) tell(u *objects.Unit, from *paths.Node, s entries.Store) {
	f := c.finding(s)
	it := candidate{c.maps.Calls, s, c.maps.IsAdmitted(from, s) || c.mayCreate(u, from, s), c.maps.IsSelected(from, s)}
	if excuses.Silence(c.report, f.Pos, f.Category, it) {
		return
	}
	what := "object"
	if s.Kind != nil {
		what = wording.Tail(s.Kind.Obj().Name(), 40)
	}
	f.Message = fmt.Sprintf("this panics on the first %s without %s: the map is nil then; make it before this entry is stored", what, s.Missing())
	if s.Elsewhere != "" {
		f.Message = fmt.Sprintf("this panics on the first %s without %s: %s stores an entry into nil; make the map before", what, s.Missing(), s.Elsewhere)
	}
	if kubeapi.IsWriteOnly(s.Kind, s.Path) && !it.lacking {
		f.Message, f.Fix = "this panics: stringData of a Secret that was read is always nil; store the entry into Data", nil
	}
	c.put(f, s, from, "the object is read here")
}

// tellFresh words the finding about a store into an object that was made without the
// map.
func (c *checker) tellFresh(from *paths.Node, s entries.Store) {
	f := c.finding(s)
	f.Message = fmt.Sprintf("this panics: the %s is made without %s, and the map is nil; make it before this entry is stored", wording.Tail(s.Kind.Obj().Name(), 40), s.Missing())
	if s.Elsewhere != "" {
		f.Message = fmt.Sprintf("this panics: the %s is made without %s: %s stores an entry into nil; make the map before", wording.Tail(s.Kind.Obj().Name(), 40), s.Missing(), s.Elsewhere)
	}
	c.put(f, s, from, "the object is made here")
}

func (c *checker) finding(s entries.Store) rule.Finding {
	f := rule.Finding{Pos: s.At.Pos(), Category: metadata, Harm: rule.OfPanic(c.calls.Recovers(s.At.Parent())), Fix: c.fix(s.At)}
	if s.IsData() {
		f.Category = data
	}
	return f
}

// put reports a finding, with the way from where the object begins.
func (c *checker) put(f rule.Finding, s entries.Store, from *paths.Node, begins string) {
	if call, ok := s.At.(ssa.CallInstruction); ok {
		f.Pos, f.End = syntax.Span(c.pass.Files, call)
	}
	if from != nil && from.Instr.Pos().IsValid() {
		f.Related = append(f.Related, analysis.RelatedInformation{Pos: from.Instr.Pos(), Message: begins})
	}
	for _, call := range s.Through {
		f.Related = append(f.Related, analysis.RelatedInformation{Pos: call.Pos(), Message: "it is handed over here"})
	}
	c.report.Report(f)
}

// mayCreate reports whether an object is as CreateOrUpdate hands it on, which creates the
// first one as the function has made it: without the map.
func (c *checker) mayCreate(u *objects.Unit, from *paths.Node, s entries.Store) bool {
	if from == nil || from.Call() == nil {
		return false
	}
	op, ok := c.maps.ClientOp(from.Call().Common())
	return ok && op.Mutate != nil && c.maps.LacksAt(u, from, s)
}
