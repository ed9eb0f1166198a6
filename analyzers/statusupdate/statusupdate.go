package statusupdate

import (
	_ "embed"
	"flag"
	"go/types"
	"sync"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/analyzers/statusupdate/internal/copies"
	"github.com/opvet/opvet/analyzers/statusupdate/internal/dropped"
	"github.com/opvet/opvet/analyzers/statusupdate/internal/manifests"
	"github.com/opvet/opvet/analyzers/statusupdate/internal/patches"
	"github.com/opvet/opvet/analyzers/statusupdate/internal/rereads"
	"github.com/opvet/opvet/analyzers/statusupdate/internal/subject"
	"github.com/opvet/opvet/analyzers/statusupdate/internal/unpersisted"
	"github.com/opvet/opvet/internal/passes/finalizers"
	"github.com/opvet/opvet/internal/passes/kinds"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/report/rule"
)

//go:embed doc.go
var doc string

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
		{Name: subject.DroppedByUpdate, Summary: "status set, then written with Update, Patch, Create or Apply of the main resource", Harm: rule.Loss, Fix: true},
		{Name: subject.LostOnUpdate, Summary: "status set, then overwritten in memory by the response to an Update, or a Get, before it is written", Harm: rule.Hygiene},
		{Name: subject.MetadataDropped, Summary: "finalizers, labels, annotations or owner references changed, and only the status written", Harm: rule.Loss},
		{Name: subject.NoSubresource, Summary: "status written of a kind that has no status subresource", Harm: rule.Loss, Trial: true},
		{Name: subject.SubresourceMarker, Summary: "kind whose status is written lacks the subresource marker", Harm: rule.Loss, Trial: true},
		{Name: subject.CopyNotWritten, Summary: "status changed on a copy that goes nowhere", Harm: rule.Loss},
		{Name: subject.NeverPersisted, Summary: "status of an object that was read is changed and never written", Harm: rule.Loss, Trial: true},
		{Name: subject.NotInPatch, Summary: "status set before the state is copied that its patch starts from", Harm: rule.Loss},
	},
	Requires: []*analysis.Analyzer{objects.Analyzer, kinds.Analyzer, finalizers.Analyzer},
	Flags: func(fs *flag.FlagSet) {
		fs.StringVar(&crds, "crds", "", "folder with CRD manifests, relative to the module's root, that overrule the markers")
	},
	Run: run,
})

type unit struct{ *subject.Function }

func run(pass *analysis.Pass, report *rule.Reporter) error {
	sums := pass.ResultOf[objects.Analyzer].(*objects.Summaries)
	if sums.Calls.Pkg == nil {
		return nil
	}
	definitions, err := manifests.Read(pass, report, crds)
	if err != nil {
		return err
	}
	c := &subject.Checker{
		Summaries:  sums,
		Pass:       pass,
		Report:     report,
		Kinds:      pass.ResultOf[kinds.Analyzer].(*kinds.Kinds),
		Finalizers: pass.ResultOf[finalizers.Analyzer].(*finalizers.Finalizers),
		Manifests:  definitions,
		Project:    sync.OnceValue(func() manifests.Manifests { return manifests.OfProject(pass, report) }),
		Declaring:  func(kind *types.Named) manifests.Manifests { return manifests.OfDeclaring(pass, report, kind) },
		Marked:     make(map[*types.Named]bool),
	}
	for _, fn := range sums.Units() {
		u := &unit{c.Of(fn)}
		u.sent()
		if len(u.Sites) == 0 {
			continue
		}
		dropped.Report(u.Function)
		u.metadata()
		u.subresource()
		copies.Report(u.Function)
		unpersisted.Report(u.Function)
		patches.Report(u.Function)
		rereads.Report(u.Function)
	}
	return nil
}
