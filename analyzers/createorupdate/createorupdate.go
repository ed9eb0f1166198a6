package createorupdate

import (
	"cmp"
	_ "embed"
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/createorupdate/internal/chance"
	"github.com/opvet/opvet/analyzers/createorupdate/internal/missing"
	"github.com/opvet/opvet/analyzers/createorupdate/internal/replaced"
	"github.com/opvet/opvet/analyzers/createorupdate/internal/stages"
	"github.com/opvet/opvet/analyzers/createorupdate/internal/upserts"
	"github.com/opvet/opvet/analyzers/createorupdate/internal/wishes"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/literals"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/passes/kinds"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/passes/origins"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/wording"
)

//go:embed doc.go
var doc string

const (
	noopMutate = "noop-mutate"
	setOutside = "set-outside"
)

// Analyzer finds what CreateOrUpdate overwrites before it is written.
var Analyzer = rule.New(rule.Spec{
	Name:      "createorupdate",
	Summary:   "find what CreateOrUpdate overwrites before it is written",
	DocSource: doc,
	Group:     "status",
	Since:     "unreleased",
	Strict:    true,
	Categories: []rule.Category{
		{Name: noopMutate, Summary: "the function changes nothing: the first version stays forever", Harm: rule.Loss},
		{Name: setOutside, Summary: "a field is set before, and not in the function: it never changes", Harm: rule.Loss},
	},
	Excuses:     excuses.Reasons(),
	ProductOnly: true,
	Requires:    []*analysis.Analyzer{objects.Analyzer, entrypoints.Analyzer, chance.Analyzer, wishes.Analyzer, upserts.Analyzer, kinds.Analyzer},
	Run:         run,
})

// checker looks at one package.
type checker struct {
	*objects.Summaries
	pass    *analysis.Pass
	report  *rule.Reporter
	origins *origins.Tracer
	chances *chance.Chances
	wishes  *wishes.Reader
	upserts *upserts.Table
	kinds   *kinds.Kinds
}

func run(pass *analysis.Pass, report *rule.Reporter) error {
	sums := pass.ResultOf[objects.Analyzer].(*objects.Summaries)
	if sums.Calls.Pkg == nil {
		return nil
	}
	c := &checker{
		Summaries: sums, pass: pass, report: report,
		origins: &origins.Tracer{Calls: sums.Calls, Entries: pass.ResultOf[entrypoints.Analyzer].(*entrypoints.Result)},
		chances: &chance.Chances{Calls: sums.Calls, Table: pass.ResultOf[chance.Analyzer].(*chance.Table)},
		wishes:  &wishes.Reader{Calls: sums.Calls, Table: pass.ResultOf[wishes.Analyzer].(*wishes.Table)},
		upserts: pass.ResultOf[upserts.Analyzer].(*upserts.Table), kinds: pass.ResultOf[kinds.Analyzer].(*kinds.Kinds),
	}
	for _, fn := range sums.Units() {
		u := sums.Unit(fn)
		for n, call := range u.Graph.Calls() {
			if op, ok := c.ClientOp(call.Common()); ok && op.Mutate != nil && !hasNoFunction(call, op) {
				c.upsert(u, n, call, op)
			} else {
				c.handedOn(u, n, call)
			}
		}
	}
	return nil
}

// hasNoFunction reports whether a call is one of a helper that has no function for CreateOrUpdate: the
// helper is judged itself.
func hasNoFunction(call *ssa.Call, op kubeapi.Op) bool {
	if !calls.IsNil(op.Mutate) {
		return false
	}
	_, direct := kubeapi.ClientOp(call.Common())
	return !direct
}

// upsert is an object that is created or updated, of a kind that may not be known, by the
// function of a name.
type upsert struct {
	object ssa.Value
	kind   *types.Named
	by     string
}

// upsert judges one call of CreateOrUpdate or CreateOrPatch.
func (c *checker) upsert(u *objects.Unit, n *paths.Node, call *ssa.Call, op kubeapi.Op) {
	if !upserts.Mutates(c.Summaries, call.Parent(), op) {
		return
	}
	it := upsert{op.Object, kubeapi.KindBehind(op.Object), "CreateOrUpdate"}
	if op.Verb == kubeapi.Patch {
		it.by = "CreateOrPatch"
	}
	other := replaced.In{Summaries: c.Summaries, Origins: c.origins, Info: c.pass.TypesInfo}
	if at := other.Variable(call, op, it.kind); at.IsValid() {
		c.tellReplaced(call, it, at)
		return
	}
	inside, sure := upserts.SetInside(c.Summaries, u, call, c.Resolve.Place(op.Object).Object)
	if !sure {
		return
	}
	if at := other.Ignored(op, it.kind); at.IsValid() && !slices.ContainsFunc(inside, func(path []string) bool { return path[0] != kubeapi.MetadataPath }) {
		c.tellReplaced(call, it, at)
		return
	}
	c.judge(u, n, call, it, inside)
}

// handedOn judges a call of such a function of another package.
func (c *checker) handedOn(u *objects.Unit, n *paths.Node, call *ssa.Call) {
	fact := c.upserts.Elsewhere(call)
	if fact == nil {
		return
	}
	// An interface's method is called on what is no parameter of it.
	operands := kubeapi.Operands(call.Common())
	if fact.Param > len(operands) {
		return
	}
	object := operands[fact.Param-1]
	var inside [][]string
	for _, path := range fact.Sets {
		inside = append(inside, paths.Split(path))
	}
	c.judge(u, n, call, upsert{object, kubeapi.KindOf(object.Type()), fact.Name}, inside)
}

// judge reports what is set before a call that is not among the fields that are set inside.
func (c *checker) judge(u *objects.Unit, n *paths.Node, call *ssa.Call, it upsert, inside [][]string) {
	var lost []setting
	before := c.setBefore(u, n, c.Resolve.Place(it.object).Object, 0)
	if slices.ContainsFunc(before, isImmutability) {
		return // made once, or the update would be refused
	}
	for _, e := range before {
		if slices.ContainsFunc(inside, func(path []string) bool { return paths.Overlap(path, e.Place.Sub) }) {
			continue
		}
		if !excuses.Silence(c.report, call.Pos(), setOutside, e) {
			lost = append(lost, e)
		}
	}
	if len(lost) == 0 {
		return
	}
	known, certain := c.callersKnow(call.Parent())
	if !certain && !c.isOneStage(call, lost) && !(missing.In{Summaries: c.Summaries}).Is(call, it.kind) && !c.isRandom(lost) {
		c.tell(call, it.by, lost, len(inside) == 0, known)
	}
}

// isOneStage reports whether a call is made at one stage of an object's life, or where what has
// changed is stored otherwise.
func (c *checker) isOneStage(call *ssa.Call, lost []setting) bool {
	at := stages.In{Summaries: c.Summaries}
	return !c.report.Strict() && (at.Is(call) || at.IsUpdated(call, kind(lost[0])))
}

// callersKnow reports whether a function runs for other packages alone, which may call it only
// where nothing is there yet: it is exported and has no callers here, or all that it has are such.
// It is certain unless that is a step of a reconcile.
func (c *checker) callersKnow(fn *ssa.Function) (known, certain bool) {
	if c.report.Strict() {
		return false, false
	}
	fn = paths.Outermost(fn)
	return c.isForOthers(fn, true, nil), c.isForOthers(fn, false, nil)
}

func (c *checker) isForOthers(fn *ssa.Function, steps bool, seen []*ssa.Function) bool {
	callers := c.Calls.Callers(fn)
	switch {
	case slices.Contains(seen, fn) || len(seen) > maxCallers || len(c.origins.Entries.Of(fn)) > 0:
		return false
	case len(callers) == 0:
		return fn.Object() != nil && fn.Object().Exported() && (steps || !isStep(fn))
	}
	seen = append(seen, fn)
	return !slices.ContainsFunc(callers, func(call ssa.CallInstruction) bool {
		return !c.isForOthers(paths.Outermost(call.Parent()), steps, seen)
	})
}

// isStep reports whether a function answers whether to come back: it is a step of a reconcile, which
// runs again and again, as a rule.
func isStep(fn *ssa.Function) bool {
	return kubeapi.AnyIs(fn.Signature.Results(), func(t types.Type) bool { return kubeapi.IsReconcileResult(kubeapi.Deref(t)) })
}

// maxCallers bounds how far objects are followed to callers.
const maxCallers = 2

// setBefore returns what is set in an object on a way to a node: in the function,
// or by its callers in the package if the object is a parameter.
func (c *checker) setBefore(u *objects.Unit, at *paths.Node, o paths.Object, depth int) []setting {
	var found []setting
	var after map[*paths.Node]bool
	for _, site := range u.Sites {
		if site.Kind != objects.Mutated || site.Empty || site.Place.Object != o || site.Node == at || c.isThroughPart(site) {
			continue
		}
		if after == nil {
			after = afterwards(u, at, o)
		}
		if !after[site.Node] && u.Graph.Reaches(site.Node, at) {
			found = append(found, c.parts(site)...)
		}
	}
	if o.Path != "" || depth == maxCallers {
		return found
	}
	// A variable that is not a pointer gets a copy of the literal.
	if literal, ok := c.CopyOf(o).(*ssa.Alloc); ok && literal.Comment == "complit" {
		found = append(found, c.setBefore(u, at, paths.Object{Root: literal}, depth+1)...)
	}
	p, ok := o.Root.(*ssa.Parameter)
	if !ok {
		return found
	}
	args, _ := c.origins.Calls.Arguments(p)
	for _, arg := range args {
		caller := c.Unit(paths.Outermost(arg.Call.Parent()))
		place := c.Resolve.Place(arg.Value)
		for _, n := range caller.Graph.At(arg.Call) {
			found = append(found, c.setBefore(caller, n, place.Object, depth+1)...)
		}
	}
	return found
}

// afterwards returns the nodes that come after another one for the same object, and not for the
// one that a loop makes next.
func afterwards(u *objects.Unit, from *paths.Node, o paths.Object) map[*paths.Node]bool {
	made, _ := o.Root.(ssa.Instruction)
	after := make(map[*paths.Node]bool)
	u.Graph.Search(from, 0, nil, func(n *paths.Node, stage int, _ paths.Known) (int, paths.Step) {
		if made != nil && n.Instr == made {
			return stage, paths.Prune
		}
		after[n] = true
		return stage, paths.Continue
	})
	return after
}

// parts returns what a literal of the metadata sets by which the object is not found.
func (c *checker) parts(site objects.Site) []setting {
	e := setting{Event: site.Event, at: site.Node.Instr}
	if of := kind(e); of != nil {
		e.fixedSpec = c.kinds.Of(of).FixedSpec
	}
	store, ok := site.Node.Instr.(*ssa.Store)
	if !ok || len(e.Place.Sub) != 1 || e.Place.Sub[0] != kubeapi.MetadataPath || !literals.IsLiteral(store.Val) {
		return []setting{e}
	}
	var found []setting
	for _, name := range []string{"Labels", "Annotations"} {
		if !literals.LeavesOut(store.Val, name) {
			part := e
			part.Place.Sub = []string{kubeapi.MetadataPath, name}
			found = append(found, part)
		}
	}
	return found
}

// excuses say when a field that is set before the call need not be set in the
// function.
var excuses = rule.Excuses[setting]{
	{
		Reason: rule.Reason{Name: "identity", Doc: "the object is found by it, or it belongs to the server"},
		Holds: func(e setting) bool {
			path := e.Place.Sub
			return path[0] == "TypeMeta" || path[0] == kubeapi.MetadataPath && (len(path) == 1 || slices.Contains(identity, path[1]))
		},
	},
	{
		Reason: rule.Reason{Name: "immutable", Doc: "the API server never changes the field"},
		Holds: func(e setting) bool {
			return kubeapi.IsImmutable(kind(e), e.Place.Sub) || e.fixedSpec && e.Place.Sub[0] == "Spec"
		},
	},
	{
		Reason: rule.Reason{Name: "status", Doc: "the status is written by other means"},
		Holds:  func(e setting) bool { return e.Place.Aspect() == kubeapi.Status },
	},
}

// identity are the fields of the metadata that CreateOrUpdate finds the object by,
// or that belong to the server.
var identity = []string{"Name", "Namespace", "GenerateName", "UID", "ResourceVersion", "OwnerReferences"}

func kind(e setting) *types.Named { return cmp.Or(e.Place.Kind, e.Type) }

// tell words the finding about fields that are lost. It may be harmless whatever they are.
func (c *checker) tell(call *ssa.Call, name string, lost []setting, nothing, harmless bool) {
	f := rule.Finding{Category: setOutside, Harm: rule.Hygiene}
	worst := lost[0]
	if at := slices.IndexFunc(lost, func(e setting) bool { return c.isWished(e, nothing) }); at >= 0 {
		worst = lost[at]
		if !harmless {
			f.Harm = rule.Loss
		}
	} else if at := slices.IndexFunc(lost, func(e setting) bool { return !isMetadata(e) }); at >= 0 {
		worst = lost[at]
	}
	what := "object"
	if k := kind(worst); k != nil {
		what = k.Obj().Name()
	}
	f.Message = wording.Fit(func(short func(string) string) string {
		return fmt.Sprintf("changes of %s never reach the %s: the Get of %s overwrites what was set before; set it in the function", short(fieldName(worst.Place.Sub)), short(what), name)
	})
	if nothing {
		f.Category = noopMutate
		f.Message = wording.Fit(func(short func(string) string) string {
			return fmt.Sprintf("the first version of the %s stays forever: the Get of %s overwrites what was set before; set it in the function", short(what), name)
		})
	}
	f.Pos, f.End = syntax.Span(c.pass.Files, call)
	if worst.Arg != nil && worst.Arg.Pos().IsValid() {
		f.Related = []analysis.RelatedInformation{{Pos: worst.Arg.Pos(), Message: "it is set here"}}
	}
	c.report.Report(f)
}

// tellReplaced reports a function that puts another object into the variable instead of changing
// the one that is written.
func (c *checker) tellReplaced(call *ssa.Call, it upsert, at token.Pos) {
	pos, end := syntax.Span(c.pass.Files, call)
	c.report.Report(rule.Finding{
		Pos: pos, End: end, Category: noopMutate,
		Message: wording.Fit(func(short func(string) string) string {
			return fmt.Sprintf("what is made for the %s is never stored: it only goes into a variable, and %s writes what it was handed; set its fields", short(it.kind.Obj().Name()), it.by)
		}),
		Related: []analysis.RelatedInformation{{Pos: at, Message: "this one takes its place"}},
	})
}

func isMetadata(e setting) bool { return e.Place.Sub[0] == kubeapi.MetadataPath }

// fieldName names a field as manifests do: spec.replicas.
func fieldName(path []string) string {
	var names []string
	for _, name := range path[:min(len(path), 3)] {
		if name == "[]" {
			break
		}
		if name == kubeapi.MetadataPath {
			name = "metadata"
		}
		names = append(names, strings.ToLower(name[:1])+name[1:])
	}
	return strings.Join(names, ".")
}
