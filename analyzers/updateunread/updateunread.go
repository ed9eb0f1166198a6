package updateunread

import (
	_ "embed"
	"fmt"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/updateunread/internal/versions"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
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

const noResourceVersion = "no-resource-version"

// Analyzer finds updates of objects that were not read.
var Analyzer = rule.New(rule.Spec{
	Name:        "updateunread",
	Summary:     "find updates of objects that were not read",
	DocSource:   doc,
	Group:       "status",
	Since:       "unreleased",
	Strict:      true,
	Categories:  []rule.Category{{Name: noResourceVersion, Summary: "a new object is sent as an update, without a resourceVersion", Harm: rule.Loss}},
	Excuses:     excuses.Reasons(),
	ProductOnly: true,
	Requires:    []*analysis.Analyzer{objects.Analyzer, entrypoints.Analyzer},
	Run:         run,
})

// checker looks at one package.
type checker struct {
	*objects.Summaries
	pass     *analysis.Pass
	report   *rule.Reporter
	origins  *origins.Tracer
	updates  map[*ssa.Function][]given
	failed   map[*objects.Unit][]ssa.Value
	versions *versions.In
}

func run(pass *analysis.Pass, report *rule.Reporter) error {
	sums := pass.ResultOf[objects.Analyzer].(*objects.Summaries)
	if sums.Calls.Pkg == nil {
		return nil
	}
	c := &checker{
		Summaries: sums, pass: pass, report: report, updates: make(map[*ssa.Function][]given), failed: make(map[*objects.Unit][]ssa.Value),
		versions: versions.New(sums, report.Strict()),
		origins:  &origins.Tracer{Calls: sums.Calls, Entries: pass.ResultOf[entrypoints.Analyzer].(*entrypoints.Result)},
	}
	for _, fn := range sums.Units() {
		if kubeapi.TakesTesting(fn) {
			continue
		}
		u := sums.Unit(fn)
		c.cleared(u)
		updates := c.updatesIn(u, 0)
		nodes := make(map[paths.Object][]*paths.Node) // at which an object is sent
		for _, w := range updates {
			nodes[w.object] = append(nodes[w.object], w.node)
		}
		unread := make(map[paths.Object]map[*paths.Node]bool)
		for _, w := range updates {
			if c.readWhereItExists(u, w.object) {
				continue
			}
			if create := c.nothingCreated(u, w); create != nil {
				c.tell(create, "this has failed then, and returns an empty object", w, always)
				continue
			}
			made := c.madeIn(u, w.object)
			if made == nil {
				if created, when := c.createdElse(u, w); created != nil && !c.triedAgain(u, w) {
					c.tell(created, "the same object is created here, so it has no resourceVersion", w, when)
				}
				continue
			}
			if _, known := unread[w.object]; !known {
				unread[w.object] = c.unread(u, made, w.object, nodes[w.object])
			}
			if unread[w.object][w.node] && !c.triedAgain(u, w) {
				c.tell(made, "the object is made here", w, c.whenCreated(u, w))
			}
		}
	}
	return nil
}

// update is a node at which an object is sent as an update: there, or in a
// function that is called.
type update struct {
	node   *paths.Node
	at     ssa.CallInstruction
	value  ssa.Value
	object paths.Object
	status bool // it is the status alone that is sent
}

// given is a parameter that a function sends as an update without having read it.
type given struct {
	param  int
	at     ssa.CallInstruction
	status bool
}

const maxCalls = 3

// updatesIn returns the updates in a function.
func (c *checker) updatesIn(u *objects.Unit, depth int) []update {
	var found []update
	for _, n := range u.Graph.Nodes {
		call, ok := n.Instr.(*ssa.Call)
		if !ok || n.Joins != nil {
			continue
		}
		targets := c.Calls.Callees(call)
		if op, ok := c.ClientOp(call.Common()); ok && len(targets.Funcs) == 0 {
			if op.Verb == kubeapi.Update && op.Mutate == nil && op.Object != nil && op.Endpoint&(kubeapi.MainEndpoint|kubeapi.StatusEndpoint) != 0 {
				found = append(found, update{n, call, op.Object, c.Resolve.Place(op.Object).Object, op.Endpoint&kubeapi.MainEndpoint == 0})
			}
			continue
		}
		if depth == maxCalls || !targets.Closed || len(targets.Funcs) != 1 || paths.Literal(c.Calls, call.Call.Value) != nil {
			continue
		}
		operands := kubeapi.Operands(call.Common())
		for _, g := range c.givenTo(targets.Funcs[0], depth+1) {
			if g.param < len(operands) {
				v := operands[g.param]
				found = append(found, update{n, g.at, v, c.Resolve.Place(v).Object, g.status})
			}
		}
	}
	return found
}

// givenTo returns the parameters that a function sends unread.
func (c *checker) givenTo(fn *ssa.Function, depth int) []given {
	if known, ok := c.updates[fn]; ok {
		return known
	}
	c.updates[fn] = nil
	if len(fn.Blocks) == 0 || fn.Parent() != nil {
		return nil
	}
	var found []given
	u := c.Unit(fn)
	for _, w := range c.updatesIn(u, depth) {
		if p, ok := w.object.Root.(*ssa.Parameter); ok && w.object.Path == "" && p.Parent() == fn && c.reached(u, nil, w.object, w.node)[w.node] {
			found = append(found, given{slices.Index(fn.Params, p), w.at, w.status})
		}
	}
	c.updates[fn] = found
	return found
}

// madeIn returns the instruction that makes an object in a function, or nil.
func (c *checker) madeIn(u *objects.Unit, o paths.Object) ssa.Instruction {
	if o.Path != "" {
		return nil
	}
	if call, index := calls.CallOf(o.Root); call != nil && c.isConstructor(call, index) {
		return o.Root.(ssa.Instruction)
	}
	if root, ok := o.Root.(*ssa.Alloc); ok {
		if kubeapi.KindOf(root.Type().(*types.Pointer).Elem()) != nil && len(calls.StoredInto(root)) == 0 { // else it may be a copy
			return root
		}
	}
	return nil
}

// isConstructor reports whether a function of the package puts together what it
// returns and reads nothing into it.
func (c *checker) isConstructor(call *ssa.Call, index int) bool {
	targets := c.Calls.Callees(call)
	if !targets.Closed || len(targets.Funcs) != 1 || len(targets.Funcs[0].Blocks) == 0 || c.origins.Of(calls.ResultOf(call, index)) != origins.Made {
		return false
	}
	u := c.Unit(targets.Funcs[0])
	for _, n := range u.Graph.Nodes {
		ret, ok := n.Instr.(*ssa.Return)
		if !ok || !u.Graph.IsExit(n) {
			continue
		}
		if constant, ok := ret.Results[index].(*ssa.Const); ok && constant.IsNil() {
			continue
		}
		o := c.Resolve.Place(ret.Results[index]).Object
		made, ok := c.madeIn(u, o).(*ssa.Alloc)
		if !ok || c.mayBeVersioned(u, o) || !c.reached(u, u.Graph.At(made)[0], o, n)[n] {
			return false
		}
	}
	return true
}

// mayBeVersioned reports whether a function gives an object a resourceVersion on some way: where it has been
// handed the existing one, perhaps.
func (c *checker) mayBeVersioned(u *objects.Unit, o paths.Object) bool {
	return slices.ContainsFunc(u.Graph.Nodes, func(n *paths.Node) bool {
		_, versioned := c.versions.At(u, n, o)
		return versioned
	})
}

// unread returns at which of some nodes an object may arrive unread.
func (c *checker) unread(u *objects.Unit, made ssa.Instruction, o paths.Object, nodes []*paths.Node) map[*paths.Node]bool {
	all := make(map[*paths.Node]bool)
	for _, n := range u.Graph.At(made) {
		maps.Copy(all, c.reached(u, n, o, nodes...))
	}
	return all
}

// reached returns to which of some nodes, at which an object is sent, a path leads on
// which nothing reads the object, makes it by a successful Create, or gives it a
// resourceVersion. One search answers for all of them: what is sent is not new any more.
func (c *checker) reached(u *objects.Unit, from *paths.Node, o paths.Object, nodes ...*paths.Node) map[*paths.Node]bool {
	reached := make(map[*paths.Node]bool, len(nodes))
	for _, n := range nodes {
		reached[n] = false
	}
	missing := len(reached)
	assume := make(map[ssa.Value]paths.Truth)
	failed := c.failures(u)
	for _, v := range failed {
		assume[v] = paths.Unknown
	}
	u.Graph.Search(from, 0, assume, func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
		if already, wanted := reached[n]; wanted {
			if !already && (stage == 0 || slices.ContainsFunc(failed, func(v ssa.Value) bool { return known.Of(v) == paths.True })) {
				reached[n] = true
				missing--
			}
			if missing == 0 {
				return stage, paths.Found
			}
			return stage, paths.Prune
		}
		created, other := c.versions.At(u, n, o)
		switch {
		case other || n.Makes(o):
			return stage, paths.Prune
		case created:
			stage = 1
		}
		return stage, paths.Continue
	})
	return reached
}

// failures returns what is true where a creation in a function has failed.
func (c *checker) failures(u *objects.Unit) []ssa.Value {
	if known, ok := c.failed[u]; ok {
		return known
	}
	var failed []ssa.Value
	for _, site := range u.Sites {
		if site.Kind == objects.Written && site.Write.Verb == kubeapi.Create {
			for _, err := range paths.Results(site.Node, kubeapi.IsError) {
				failed = append(failed, err)
				failed = append(failed, questions(err)...)
			}
		}
	}
	c.failed[u] = failed
	return failed
}

// questions returns the calls that ask of what kind an error is.
func questions(err ssa.Value) []ssa.Value {
	var found []ssa.Value
	for call := range blocks.UsesOf[*ssa.Call](err) {
		switch kubeapi.ErrorUseOf(kubeapi.Callee(call.Common())) {
		case kubeapi.TellsErrorKind, kubeapi.TellsNotFound:
			found = append(found, call)
		}
	}
	return found
}

// excuses say when an update without a resourceVersion is left alone.
var excuses = rule.Excuses[*types.Named]{
	{
		Reason: rule.Reason{Name: "unknown-kind", Doc: "of what kind the object is, is not known"},
		Holds:  func(kind *types.Named) bool { return kind == nil },
	},
}

// mild are the reasons why an update without a resourceVersion may do little harm.
var mild = []func(w update, kind *types.Named, when occasion) bool{
	// Whoever updates objects of any kind sees to it for those that need it, as a rule.
	func(w update, _ *types.Named, _ occasion) bool { return kubeapi.KindBehind(w.value) == nil },
	// The status of what is new is written after its creation, which most often goes well.
	func(w update, _ *types.Named, when occasion) bool { return w.status || when == ifNotCreated },
	// Nothing of that version is there to be updated.
	func(_ update, kind *types.Named, _ occasion) bool { return kubeapi.IsEarlyVersion(kind) },
}

func (c *checker) tell(made ssa.Instruction, why string, w update, when occasion) {
	kind := c.kindOf(w)
	f := rule.Finding{Category: noResourceVersion}
	if i := slices.IndexFunc(mild, func(m func(update, *types.Named, occasion) bool) bool { return m(w, kind, when) }); i >= 0 {
		f.Harm = rule.Hygiene
	}
	f.Pos, f.End = syntax.Span(c.pass.Files, w.at)
	switch ofAnyKind := kind == nil && kubeapi.HoldsUnstructured(w.value); {
	case ofAnyKind:
		f.Message = "this update of a custom resource always fails: a new object has no resourceVersion; take that of the existing one over, or use server-side apply"
	case excuses.Silence(c.report, f.Pos, f.Category, kind):
		return
	case kubeapi.UpdatesUnread(kind):
		if !c.report.Strict() {
			f.Harm = rule.Hygiene // where nobody else writes it, that is meant as a rule
		}
		f.Message = fmt.Sprintf("what others have written to the %s is lost: without a resourceVersion the update replaces all; read it first, or use CreateOrUpdate", wording.Tail(kind.Obj().Name(), 40))
	case when != always:
		f.Message = fmt.Sprintf("this update fails if the %s exists already: only what Create has made gets a resourceVersion; read the object first", wording.Tail(kind.Obj().Name(), 40))
	default:
		f.Message = fmt.Sprintf("this update always fails: a new %s has no resourceVersion; read the object first and change that, or use CreateOrUpdate", wording.Tail(kind.Obj().Name(), 40))
	}
	if made.Pos().IsValid() {
		f.Related = []analysis.RelatedInformation{{Pos: made.Pos(), Message: why}}
	}
	c.report.Report(f)
}

// kindOf is the kind of an object that is sent; of one that is handed in as an
// interface, a kind that a caller hands in and that refuses such updates.
func (c *checker) kindOf(w update) *types.Named {
	if kind := kubeapi.KindBehind(w.value); kind != nil {
		return kind
	}
	p, ok := w.object.Root.(*ssa.Parameter)
	if !ok {
		return nil
	}
	var found *types.Named
	args, _ := c.origins.Calls.Arguments(p)
	for _, arg := range args {
		if kind := kubeapi.KindBehind(arg.Value); kind != nil && (found == nil || kubeapi.UpdatesUnread(found)) {
			found = kind
		}
	}
	return found
}
