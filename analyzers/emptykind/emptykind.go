package emptykind

import (
	_ "embed"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
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
	told   map[ssa.Value]bool // the sources of objects, by function
	live   map[ssa.Value]bool // what is known of clients
}

func run(pass *analysis.Pass, report *rule.Reporter) error {
	sums := pass.ResultOf[objects.Analyzer].(*objects.Summaries)
	if sums.Calls.Pkg == nil {
		return nil
	}
	live := make(map[ssa.Value]bool)
	for _, fn := range sums.Calls.Funcs {
		if kubeapi.TakesTesting(fn) {
			continue
		}
		c := &checker{pass: pass, report: report, sums: sums, told: make(map[ssa.Value]bool), live: live}
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
	place := c.sums.Resolve.Place(r.object)
	source := c.emptyFrom(place.Object, 0)
	if source == nil || c.told[source.call] || c.maySetIn(fn, r.object) {
		return
	}
	c.told[source.call] = true
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
		Related: []analysis.RelatedInformation{{Pos: source.call.Pos(), Message: "the object comes from here"}},
	})
}

// source is the call that an object without kind comes from.
type source struct{ call ssa.Value }

// maxDepth bounds how far objects are followed.
const maxDepth = 8

// emptyFrom returns the call of a typed client or lister that an object comes
// from, or nil if it may have its kind.
func (c *checker) emptyFrom(o objectID, depth int) *source {
	if depth > maxDepth {
		return nil
	}
	if copied := c.sums.CopyOf(o); copied != nil {
		return c.emptyFrom(c.sums.Resolve.Place(copied).Object, depth+1)
	}
	if roots := c.sums.Resolve.Roots(o); len(roots) > 1 {
		var found *source
		for _, root := range roots {
			if root == o {
				continue
			}
			if found = c.emptyFrom(root, depth+1); found == nil {
				return nil
			}
		}
		return found
	}
	if call, index := calls.CallOf(o.Root); call != nil {
		return c.emptyResult(call, index, o.Path, depth)
	}
	switch root := o.Root.(type) {
	case *ssa.Alloc:
		if call := c.readLive(root, o.Path); call != nil {
			return &source{call}
		}
	case *ssa.Parameter:
		return c.emptyArgument(root, o.Path, depth)
	}
	return nil
}

// emptyResult judges what a call returns, or the elements of a list of that.
func (c *checker) emptyResult(call *ssa.Call, index int, path string, depth int) *source {
	if index == 0 && comesEmpty(c.sums, call, path) {
		return &source{call}
	}
	targets := c.sums.Calls.Callees(call)
	if len(targets.Funcs) != 1 || !targets.Closed || path != "" {
		return nil
	}
	var found *source
	for ret := range blocks.Returns(targets.Funcs[0]) {
		if index >= len(ret.Results) || calls.IsNil(calls.Behind(ret.Results[index])) {
			continue
		}
		if found = c.emptyFrom(c.sums.Resolve.Place(ret.Results[index]).Object, depth+1); found == nil || c.maySetIn(targets.Funcs[0], ret.Results[index]) {
			return nil
		}
	}
	if found == nil {
		return nil
	}
	return &source{call}
}

// emptyArgument finds a caller that hands over an object without kind.
func (c *checker) emptyArgument(p *ssa.Parameter, path string, depth int) *source {
	if path != "" || kubeapi.KindOf(p.Type()) == nil {
		return nil
	}
	args, _ := c.sums.Calls.Arguments(p)
	for _, arg := range args {
		found := c.emptyFrom(c.sums.Resolve.Place(arg.Value).Object, depth+1)
		if found != nil && !c.maySetIn(arg.Call.Parent(), arg.Value) {
			return found
		}
	}
	return nil
}

// comesEmpty recognises the calls that return typed objects without kind and
// apiVersion: those of typed clients, whose decoder takes them off, and of
// listers, whose objects were lists' elements.
func comesEmpty(sums *objects.Summaries, call *ssa.Call, path string) bool {
	fn := kubeapi.Callee(call.Common())
	if fn == nil || fn.Signature().Recv() == nil {
		return false
	}
	if kubeapi.IsTypedList(fn) {
		return path == paths.Listed
	}
	recv, _ := kubeapi.Args(call.Common())
	if read, ok := kubeapi.CacheReadOf(fn, recv); ok {
		return read.Source == kubeapi.ListerObject && !read.Doubtful && hasKind(fn.Signature().Results().At(0).Type()) && (path == ".[]") == read.Slice
	}
	op, ok := sums.ClientOp(call.Common())
	return ok && op.Result && path == "" && hasKind(fn.Signature().Results().At(0).Type())
}

// hasKind reports whether t is a typed object or a slice of such.
func hasKind(t types.Type) bool {
	if slice, ok := t.Underlying().(*types.Slice); ok {
		t = slice.Elem()
	}
	return kubeapi.KindOf(t) != nil
}
