package restconfig

import (
	_ "embed"
	"go/token"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/restconfig/internal/configs"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/passes/once"
	"github.com/opvet/opvet/internal/passes/repeats"
	"github.com/opvet/opvet/internal/report/rule"
)

//go:embed doc.go
var doc string

const (
	shared     = "shared"
	handedOver = "handed-over"
	helper     = "helper"
)

// Analyzer finds changes of configurations that others have.
var Analyzer = rule.New(rule.Spec{
	Name:      "restconfig",
	Summary:   "find changes of a rest.Config that other clients are built of",
	DocSource: doc,
	Group:     "clients",
	Since:     "unreleased",
	Strict:    true,
	Categories: []rule.Category{
		{Name: shared, Summary: "a configuration that others have is changed without a copy", Harm: rule.Loss, Trial: true, Fix: true},
		{Name: handedOver, Summary: "a configuration is changed after it was handed over and used", Harm: rule.Loss},
		{Name: helper, Summary: "a function is handed a shared configuration and changes it", Harm: rule.Loss, Trial: true},
	},
	Requires:    []*analysis.Analyzer{calls.Analyzer, repeats.Analyzer, configs.Analyzer},
	ProductOnly: true,
	Run:         run,
})

func run(pass *analysis.Pass, report *rule.Reporter) error {
	c := &checker{
		pass: pass, report: report,
		graph:    pass.ResultOf[calls.Analyzer].(*calls.Graph),
		clients:  pass.ResultOf[repeats.Analyzer].(*repeats.Built),
		configs:  pass.ResultOf[configs.Analyzer].(*configs.Changes),
		reported: make(map[ssa.Instruction]bool), once: make(map[place]bool),
	}
	if c.graph.Pkg == nil || len(c.configs.Changes) == 0 {
		return nil
	}
	for n := range c.configs.Changes { // of what a manager or cluster gives to everybody
		change := &c.configs.Changes[n]
		if o := c.configs.Origin(change.Config); o.Kind == configs.Manager && (!kubeapi.SetByClients(change.Field) || report.Strict()) {
			c.reportShared(change, o, nil)
		}
	}
	c.whileRunning()
	for n := range c.configs.Changes {
		change := &c.configs.Changes[n]
		if c.reported[change.Instr] {
			continue
		}
		if o := c.configs.Origin(change.Config); o.Kind == configs.Global || o.Kind == configs.Field {
			c.held(change, o)
		}
		if !c.reported[change.Instr] {
			c.handedOver(change)
		}
	}
	return nil
}

// checker looks at one package.
type checker struct {
	pass     *analysis.Pass
	report   *rule.Reporter
	graph    *calls.Graph
	clients  *repeats.Built
	configs  *configs.Changes
	reported map[ssa.Instruction]bool
	once     map[place]bool
}

// place is a configuration in a function: the first change is reported, the
// others are mended with it.
type place struct {
	fn     *ssa.Function
	config any
}

// first notes that a change is dealt with, and reports whether it is the first
// one of that configuration in its function.
func (c *checker) first(change *configs.Change, config any) bool {
	c.reported[change.Instr] = true
	at := place{change.Instr.Parent(), config}
	if c.once[at] {
		return false
	}
	c.once[at] = true
	return true
}

// whileRunning finds changes in what reconcilers, handlers and webhooks call, of
// a configuration that is the same each time.
func (c *checker) whileRunning() {
	in := make(map[*ssa.Function][]*configs.Change)
	for n := range c.configs.Changes {
		change := &c.configs.Changes[n]
		fn := change.Instr.Parent()
		in[fn] = append(in[fn], change)
	}
	c.clients.Walk(func(at *entrypoints.Path) {
		for _, change := range in[at.Fn] {
			if c.reported[change.Instr] || at.Prev == nil && !at.Entry.Covers(change.Instr) || once.Guarded(change.Instr) {
				continue
			}
			if change.By != nil && len(c.callees(change.Instr)) > 0 {
				continue // what the function of this package does counts
			}
			if o, ok := c.same(change.Config, at, 0); ok {
				c.reportShared(change, o, at)
			}
		}
	})
}

func (c *checker) callees(instr ssa.Instruction) []*ssa.Function {
	if call, ok := instr.(ssa.CallInstruction); ok {
		return c.graph.Callees(call).Funcs
	}
	return nil
}

// same reports whether a configuration is a shared one that is the same each time
// that the entry of the path is called.
func (c *checker) same(config ssa.Value, at *entrypoints.Path, depth int) (configs.Origin, bool) {
	o := c.configs.Origin(config)
	switch o.Kind {
	case configs.Manager, configs.Global:
		return o, !c.assigned(o, at.Fn)
	case configs.Field:
		return o, !c.assigned(o, at.Fn) && c.clients.Same(o.Base, o.Path, at)
	case configs.Param:
		for at != nil && at.Fn != o.Param.Parent() {
			at = at.Prev
		}
		if at == nil || at.Prev == nil || at.Edge.How != entrypoints.Called || depth > 20 {
			return o, false
		}
		if arg := calls.ArgumentOf(at.Edge.Site, o.Param); arg != nil {
			return c.same(arg, at.Prev, depth+1)
		}
	}
	return o, false
}

// assigned reports whether a function puts a configuration of its own into the
// field or variable first.
func (c *checker) assigned(o configs.Origin, fn *ssa.Function) bool {
	return slices.ContainsFunc(c.graph.Stores(o.Holder), func(store *ssa.Store) bool { return store.Parent() == fn })
}

// held finds changes of a configuration in a field or variable by a function
// that wants it for a client of its own, while others use it as well.
func (c *checker) held(change *configs.Change, o configs.Origin) {
	fn := change.Instr.Parent()
	special := kubeapi.SpecialField(change.Field) && !kubeapi.SetByClients(change.Field)
	if c.assigned(o, fn) || !special && !c.report.Strict() || once.Guarded(change.Instr) {
		return
	}
	lookedAt := change.By != nil && len(c.callees(change.Instr)) > 0 && c.sameHolder(change)
	if !lookedAt && c.buildsAfter(change, o) && c.usedElsewhere(o, fn) {
		c.reportShared(change, o, nil)
	}
}

// sameHolder reports whether the function of this package that makes the change
// has it from the field itself, and is looked at by itself.
func (c *checker) sameHolder(change *configs.Change) bool {
	return slices.ContainsFunc(c.configs.Changes, func(other configs.Change) bool {
		return other.By == nil && slices.Contains(c.callees(change.Instr), other.Instr.Parent()) && c.reported[other.Instr]
	})
}

// buildsAfter reports whether a client is built of the configuration after the
// change.
func (c *checker) buildsAfter(change *configs.Change, o configs.Origin) bool {
	return blocks.Any(change.Instr.Parent(), func(call ssa.CallInstruction) bool {
		build, ok := kubeapi.ClientBuildOf(call.Common())
		if !ok || !kubeapi.IsRESTConfig(build.From.Type()) || !blocks.Follows(change.Instr, call) {
			return false
		}
		from := c.configs.Origin(build.From)
		return from.Holder != nil && from.Holder == o.Holder
	})
}

// usedElsewhere reports whether another function hands the configuration on, or
// builds a client of it.
func (c *checker) usedElsewhere(o configs.Origin, fn *ssa.Function) bool {
	return slices.ContainsFunc(c.graph.Funcs, func(other *ssa.Function) bool {
		return paths.Outermost(other) != paths.Outermost(fn) && blocks.Any(other, func(load *ssa.UnOp) bool {
			return load.Op == token.MUL && calls.HolderOf(load.X) == o.Holder && slices.ContainsFunc(*load.Referrers(), func(ref ssa.Instruction) bool {
				switch ref := ref.(type) {
				case *ssa.Call:
					return !kubeapi.CopiesConfig(kubeapi.Callee(ref.Common()))
				case *ssa.Return, *ssa.Store:
					return true
				}
				return false
			})
		})
	})
}
