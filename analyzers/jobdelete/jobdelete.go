package jobdelete

import (
	_ "embed"
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/literals"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/passes/origins"
	"github.com/opvet/opvet/internal/report/edit"
	"github.com/opvet/opvet/internal/report/rule"
)

//go:embed doc.go
var doc string

const orphanedPods = "orphaned-pods"

// Analyzer finds Jobs that are deleted while their pods stay.
var Analyzer = rule.New(rule.Spec{
	Name:        "jobdelete",
	Summary:     "find Jobs that are deleted while their pods stay",
	DocSource:   doc,
	Group:       "finalizers",
	Since:       "unreleased",
	Categories:  []rule.Category{{Name: orphanedPods, Summary: "a Job is deleted without a propagation policy: its pods stay", Harm: rule.Leak, Fix: true}},
	Excuses:     excuses.Reasons(),
	ProductOnly: true,
	Requires:    []*analysis.Analyzer{calls.Analyzer, entrypoints.Analyzer},
	Run:         run,
})

// checker looks at one package.
type checker struct {
	pass    *analysis.Pass
	report  *rule.Reporter
	graph   *calls.Graph
	origins *origins.Tracer
	// refused tells whether the roles let no Job be deleted.
	refused func() bool
}

func run(pass *analysis.Pass, report *rule.Reporter) error {
	c := &checker{pass: pass, report: report, graph: pass.ResultOf[calls.Analyzer].(*calls.Graph)}
	if c.graph.Pkg == nil {
		return nil
	}
	c.refused = sync.OnceValue(c.isRefused)
	c.origins = &origins.Tracer{Calls: c.graph, Entries: pass.ResultOf[entrypoints.Analyzer].(*entrypoints.Result)}
	for _, fn := range c.graph.Funcs {
		for call := range blocks.InstrsOf[ssa.CallInstruction](fn) {
			deletion, ok := kubeapi.DeletionCallOf(call.Common())
			if !ok || !c.saysNothing(deletion) {
				continue
			}
			if isJob := c.isJob(call, deletion); isJob || c.isOfAnyKind(call, deletion) {
				c.tell(call, deletion, !isJob)
			}
		}
	}
	return nil
}

// isJob reports whether a call deletes Jobs, also in a helper that is handed one and not told to leave it.
func (c *checker) isJob(call ssa.CallInstruction, d kubeapi.DeletionCall) bool {
	if d.Kind != nil || d.Object == nil {
		return kubeapi.OrphansByDefault(d.Kind)
	}
	p, ok := calls.Behind(d.Object).(*ssa.Parameter)
	if !ok {
		return false
	}
	args, _ := c.origins.Calls.Arguments(p)
	job, deleted := false, false // a Job is handed in, and what may be one gets to the deletion
	for _, arg := range args {
		isJob := values.Relation{Steps: values.Same}.Any(arg.Value, func(v ssa.Value) bool { return kubeapi.OrphansByDefault(kubeapi.KindOf(v.Type())) })
		_, handedOn := arg.Value.(*ssa.Parameter)
		job = job || isJob
		deleted = deleted || (isJob || handedOn) && !values.NeverReaches(arg.Call, call)
	}
	return job && deleted
}

// saysNothing reports whether a deletion surely does not say what is to become of
// the pods.
func (c *checker) saysNothing(d kubeapi.DeletionCall) bool {
	if !d.Typed {
		options, ok := kubeapi.VariadicArgs(d.Options)
		return ok && !slices.ContainsFunc(options, func(option ssa.Value) bool {
			return !kubeapi.NeutralDeleteOption(option) && !c.lacksPolicy(option)
		})
	}
	if constant, ok := d.Options.(*ssa.Const); ok {
		return constant.Value == nil // nil, or a literal without fields
	}
	return c.lacksPolicy(d.Options)
}

// lacksPolicy reports whether an options struct is put together here without a
// policy.
func (c *checker) lacksPolicy(options ssa.Value) bool {
	options = kubeapi.Unconverted(options)
	if !kubeapi.HasField(options.Type(), "PropagationPolicy") {
		return false
	}
	read := (&literals.Reader{Calls: c.graph}).Read(options)
	return !read.Open && !read.Set("PropagationPolicy") && !read.Set("OrphanDependents") && !read.Set("Raw") && !read.Set("DeleteOptions")
}

// candidate is a deletion of Jobs that says nothing of their pods.
type candidate struct {
	*checker
	call ssa.CallInstruction
}

// excuses say when such a deletion does no harm.
var excuses = rule.Excuses[candidate]{
	{
		Reason: rule.Reason{Name: "pods-by-hand", Doc: "the pods are deleted next to it, too"},
		Holds:  func(c candidate) bool { return c.deletesPods(c.call) },
	},
	{
		Reason: rule.Reason{Name: "test-helper", Doc: "a helper of tests"},
		Holds:  func(c candidate) bool { return kubeapi.TakesTesting(c.call.Parent()) },
	},
	{
		Reason: rule.Reason{Name: "own-client", Doc: "the method is one of the package, and may see to the pods"},
		Holds:  func(c candidate) bool { return len(c.graph.Callees(c.call).Funcs) > 0 },
	},
}

// deletesPods reports whether the function, what it calls, or one that calls it,
// deletes pods, too, themselves or by helpers.
func (c *checker) deletesPods(call ssa.CallInstruction) bool {
	near := map[*ssa.Function]int{paths.Outermost(call.Parent()): 0}
	c.spread(near, func(fn *ssa.Function) []ssa.CallInstruction { return c.graph.Callers(fn) },
		func(site ssa.CallInstruction) []*ssa.Function { return []*ssa.Function{paths.Outermost(site.Parent())} })
	for fn := range near {
		near[fn] = 0
	}
	c.spread(near, func(fn *ssa.Function) []ssa.CallInstruction {
		return slices.Collect(blocks.InstrsOf[ssa.CallInstruction](fn))
	}, func(site ssa.CallInstruction) []*ssa.Function { return c.graph.Callees(site).Funcs })
	return slices.ContainsFunc(c.graph.Funcs, func(f *ssa.Function) bool {
		_, ok := near[paths.Outermost(f)]
		return ok && deletesPod(f)
	})
}

// maxAround bounds the calls between a deletion and one that belongs to it, each way. Neither literals nor
// functions that only make one call count.
const maxAround = 2

// spread adds the functions that calls lead to, with the number of calls.
func (c *checker) spread(near map[*ssa.Function]int, sites func(*ssa.Function) []ssa.CallInstruction, to func(ssa.CallInstruction) []*ssa.Function) {
	work := slices.Collect(maps.Keys(near))
	for len(work) > 0 {
		fn := work[0]
		work = work[1:]
		for _, site := range sites(fn) {
			call, ok := site.(*ssa.Call)
			onlyCalls := ok && c.graph.Inner(call) != nil
			for _, next := range to(site) {
				far := near[fn]
				if !onlyCalls && next.Parent() == nil {
					far++
				}
				if known, seen := near[next]; far <= maxAround && (!seen || far < known) {
					near[next] = far
					work = append(work, next)
				}
			}
		}
	}
}

func deletesPod(fn *ssa.Function) bool {
	return blocks.Any(fn, func(call ssa.CallInstruction) bool {
		d, ok := kubeapi.DeletionCallOf(call.Common())
		return ok && d.Kind != nil && isPod(d.Kind)
	}) || blocks.Any(fn, gathersPod)
}

func isPod(t types.Type) bool { return kubeapi.IsNamed(t, "k8s.io/api/core/v1", "Pod") }

// gathersPod reports whether a pod is put into a list of objects, which another module's helper deletes,
// as a rule: one that is only read or printed is not.
func gathersPod(store *ssa.Store) bool {
	_, isElement := store.Addr.(*ssa.IndexAddr)
	object, ok := store.Val.(*ssa.MakeInterface)
	return ok && isElement && kubeapi.IsObjectInterface(object.Type()) && isPod(kubeapi.Deref(object.X.Type()))
}

// tell words the finding. Of any kind it is hygiene: there need not be a Job among what is
// deleted. So it is where hardly any Job is deleted.
func (c *checker) tell(call ssa.CallInstruction, d kubeapi.DeletionCall, ofAnyKind bool) {
	f := rule.Finding{
		Category: orphanedPods, Fix: c.fix(call, d),
		Message: "the pods of the deleted Job stay: by default the API server orphans them; set the propagation policy to Background",
	}
	switch {
	case ofAnyKind:
		f.Harm, f.Message = rule.Hygiene, "if what is deleted is a Job its pods stay, where those of all other kinds go; set the propagation policy to Background"
	case c.refused():
		f.Harm, f.Message = rule.Hygiene, "no role grants the deletion of Jobs; once one does, the pods of this one stay: set the propagation policy to Background, too"
	case c.isMissing(call), c.isStray(call):
		f.Harm = rule.Hygiene
	}
	f.Pos, f.End = syntax.Span(c.pass.Files, call)
	if !excuses.Silence(c.report, f.Pos, f.Category, candidate{c, call}) {
		c.report.Report(f)
	}
}

const (
	clientPath = "sigs.k8s.io/controller-runtime/pkg/client"
	metav1Path = "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// fix adds the policy, where the file imports what that takes.
func (c *checker) fix(call ssa.CallInstruction, d kubeapi.DeletionCall) *analysis.SuggestedFix {
	syn := syntax.Call(c.pass.Files, call)
	if syn == nil || len(syn.Args) == 0 || syn.Ellipsis.IsValid() {
		return nil
	}
	meta, ok := edit.Qualifier(c.pass, syn.Pos(), metav1Path, "DeletePropagationBackground")
	if !ok {
		return nil
	}
	fix := &analysis.SuggestedFix{Message: "Delete the pods, too"}
	if d.Typed {
		lit := emptyOptions(c.pass, syn)
		ptr, ok := edit.Qualifier(c.pass, syn.Pos(), "k8s.io/utils/ptr", "To")
		if lit == nil || !ok {
			return nil
		}
		text := "PropagationPolicy: " + ptr + "To(" + meta + "DeletePropagationBackground)"
		fix.TextEdits = []analysis.TextEdit{{Pos: lit.Lbrace + 1, End: lit.Rbrace, NewText: []byte(text)}}
		return fix
	}
	client, ok := edit.Qualifier(c.pass, syn.Pos(), clientPath, "PropagationPolicy")
	if !ok {
		return nil
	}
	end := syn.Args[len(syn.Args)-1].End()
	fix.TextEdits = []analysis.TextEdit{{Pos: end, End: end, NewText: []byte(", " + client + "PropagationPolicy(" + meta + "DeletePropagationBackground)")}}
	return fix
}

// emptyOptions returns the literal of options among a call's arguments, if nothing
// stands in it.
func emptyOptions(pass *analysis.Pass, call *ast.CallExpr) *ast.CompositeLit {
	for _, arg := range call.Args {
		if ref, ok := arg.(*ast.UnaryExpr); ok {
			arg = ref.X
		}
		lit, ok := arg.(*ast.CompositeLit)
		if ok && len(lit.Elts) == 0 && kubeapi.IsNamed(pass.TypesInfo.TypeOf(lit), metav1Path, "DeleteOptions") {
			return lit
		}
	}
	return nil
}
