package statusupdate

import (
	_ "embed"
	"flag"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/kinds"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/report/rule"
)

//go:embed doc.go
var doc string

const (
	droppedByUpdate   = "dropped-by-update"
	lostOnUpdate      = "lost-on-update"
	metadataDropped   = "metadata-dropped"
	noSubresource     = "no-subresource"
	subresourceMarker = "subresource-marker"
	copyNotWritten    = "copy-not-written"
	neverPersisted    = "never-persisted"
	notInPatch        = "not-in-patch"
)

// crds is the folder with CRD manifests that overrule the markers.
var crds string

// Analyzer finds writes of status that the API server drops, and the like.
var Analyzer = rule.New(rule.Spec{
	Name:      "statusupdate",
	Summary:   "find status and metadata that are written through the wrong endpoint, or not at all",
	DocSource: doc,
	Group:     "status",
	Since:     "v0.1.0",
	Strict:    true,
	Categories: []rule.Category{
		{Name: droppedByUpdate, Summary: "status set, then written with Update, Patch, Create or Apply of the main resource", Harm: rule.Loss, Fix: true},
		{Name: lostOnUpdate, Summary: "status set, then overwritten in memory by the response to an Update, or a Get, before it is written", Harm: rule.Loss},
		{Name: metadataDropped, Summary: "finalizers, labels, annotations or owner references changed, and only the status written", Harm: rule.Loss},
		{Name: noSubresource, Summary: "status written of a kind that has no status subresource", Harm: rule.Loss},
		{Name: subresourceMarker, Summary: "kind whose status is written lacks the subresource marker", Harm: rule.Loss},
		{Name: copyNotWritten, Summary: "status changed on a copy that goes nowhere", Harm: rule.Loss},
		{Name: neverPersisted, Summary: "status of an object that was read is changed and never written", Harm: rule.Loss},
		{Name: notInPatch, Summary: "status set before the state is copied that its patch starts from", Harm: rule.Loss},
	},
	Requires: []*analysis.Analyzer{objects.Analyzer, kinds.Analyzer},
	Flags: func(fs *flag.FlagSet) {
		fs.StringVar(&crds, "crds", "", "folder with CRD manifests, relative to the module's root, that overrule the markers")
	},
	Run: run,
})

func run(pass *analysis.Pass, report *rule.Reporter) error {
	sums := pass.ResultOf[objects.Analyzer].(*objects.Summaries)
	if sums.Calls.Pkg == nil {
		return nil
	}
	manifests, err := readManifests(pass, report, crds)
	if err != nil {
		return err
	}
	c := &checker{
		Summaries: sums,
		pass:      pass,
		report:    report,
		kinds:     pass.ResultOf[kinds.Analyzer].(*kinds.Kinds),
		manifests: manifests,
		marked:    make(map[*types.Named]bool),
	}
	for _, fn := range sums.Units() {
		u := c.unit(fn)
		u.sent()
		if len(u.Sites) == 0 {
			continue
		}
		u.dropped()
		u.fallback()
		u.metadata()
		u.subresource()
		u.copies()
		u.unpersisted()
		u.patches()
		u.reread()
	}
	return nil
}

// checker looks at one package.
type checker struct {
	*objects.Summaries
	pass      *analysis.Pass
	report    *rule.Reporter
	kinds     *kinds.Kinds
	manifests manifests
	marked    map[*types.Named]bool // kinds reported by subresource-marker
}

// unit is one function with the literals that are part of its path graph.
type unit struct {
	*checker
	*objects.Unit
	copied map[paths.Object]bool // copies that copy-not-written reports
}

func (c *checker) unit(fn *ssa.Function) *unit {
	return &unit{checker: c, Unit: c.Unit(fn), copied: make(map[paths.Object]bool)}
}

// hasSubresource reports whether the status of a kind is known to be a
// subresource: from manifests, its marker, the built-in kinds, or because the
// module writes it as one.
func (c *checker) hasSubresource(kind *types.Named) bool {
	if kind == nil || kubeapi.StatusField(kind) == nil {
		return false
	}
	switch c.subresourceOf(kind) {
	case kinds.Yes:
		return true
	case kinds.No:
		return false
	}
	return c.StatusWritten(kind)
}

func (c *checker) subresourceOf(kind *types.Named) kinds.Answer {
	if answer := c.manifests.of(kind); answer != kinds.Unknown {
		return answer
	}
	return c.kinds.Of(kind).StatusSubresource
}

// isStatus reports whether an event sets the status of its object for good.
func isStatus(e objects.Event) bool {
	return e.Kind == objects.Mutated && !e.Empty && !e.Settled && e.Place.Aspect() == kubeapi.Status
}

// kindOf returns the kind of an event's object.
func kindOf(e objects.Event) *types.Named {
	if e.Place.Kind != nil {
		return e.Place.Kind
	}
	return e.Type
}

// typeName is how messages name a kind.
func typeName(kind *types.Named) string {
	return kind.Obj().Name()
}

func (c *checker) line(pos token.Pos) int { return c.pass.Fset.Position(pos).Line }

// where says where an event happens.
func (c *checker) where(s objects.Site) string {
	return fmt.Sprintf("on line %d", c.line(s.Node.Instr.Pos()))
}

// place says where an instruction is, with its file if that is another one.
func (c *checker) position(pos token.Pos) string {
	p := c.pass.Fset.Position(pos)
	return fmt.Sprintf("%s:%d", filepath.Base(p.Filename), p.Line)
}

// syntax returns the syntax of the call that a node stands for, or nil.
func (c *checker) syntax(n *paths.Node) *ast.CallExpr { return syntax.Call(c.pass.Files, n.Call()) }

// span returns where a finding about a node stands: for a call, the name of
// what is called.
func (c *checker) span(n *paths.Node) (pos, end token.Pos) {
	if call := n.Call(); call != nil {
		return syntax.Span(c.pass.Files, call)
	}
	return n.Instr.Pos(), token.NoPos
}

func (c *checker) related(s objects.Site, message string) analysis.RelatedInformation {
	return analysis.RelatedInformation{Pos: s.Node.Instr.Pos(), Message: message}
}
