// Package subject has what all questions of the rule are about: one package under analysis, with all that it does
// with informers.
package subject

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/passes/goroutines"
	"github.com/opvet/opvet/internal/passes/informers"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/wording"
)

// The categories.
const (
	NeverStopped    = "never-stopped"
	HandlerPerEvent = "handler-per-event"
	Restarted       = "restarted"
	AfterStart      = "after-start"
	NeverStarted    = "never-started"
	NoShutdown      = "no-shutdown"
)

// Unit is one package under analysis.
type Unit struct {
	Pass     *analysis.Pass
	Report   *rule.Reporter
	Info     *informers.Uses
	Graph    *calls.Graph
	Entries  *entrypoints.Result
	Contexts *contexts.Sources
	Spawns   *goroutines.Starts
	// into has the ways that lead to each function.
	Into map[*ssa.Function][]entrypoints.Edge
	// setUps and staying remember answers.
	SetUps, Staying map[*ssa.Function]bool
	// unmade remembers which types only tests make.
	Unmade map[*types.Named]bool
	// claimed are the goroutines that handlergoroutine reports.
	Claimed map[ssa.CallInstruction]bool
	// built are the factories that reconcileclient reports.
	Built map[ssa.Instruction]bool
	// reported are the starts that have a finding.
	Reported map[ssa.Instruction]bool
}

// LeftBehind finds the goroutines that event handlers and reconcilers leave
// behind: they are handlergoroutine's, whatever runs in them.
func (u *Unit) LeftBehind() map[ssa.CallInstruction]bool {
	claimed := make(map[ssa.CallInstruction]bool)
	for _, entry := range u.Entries.Entries {
		if !entry.Kind.PerEvent() && !entry.Kind.PerItem() && entry.Kind != kubeapi.Watch {
			continue
		}
		for _, leak := range u.Spawns.Leaks(entry.Fn) {
			if !entry.Covers(leak.At()) || leak.Elsewhere != nil {
				continue
			}
			claimed[leak.Start()] = true
			if leak.Spawn == nil {
				continue
			}
			for _, body := range leak.Spawn.Bodies {
				for _, op := range u.Info.Ops {
					if blocks.Within(op.Instr.Parent(), body) {
						claimed[op.Instr] = true
					}
				}
			}
		}
	}
	return claimed
}

// NameOf names what is started, asked or added to, with its article.
func NameOf(op kubeapi.InformerOp) string {
	v := op.Factory
	kind := "the factory"
	switch {
	case v == nil:
		v, kind = op.Informer, "the informer"
	case op.Cache:
		kind = "the cache"
	}
	if v == nil {
		return "the informer"
	}
	if name := kubeapi.Named(v.Type()); name != nil && kind == "the informer" && name.Obj().Name() == "Reflector" {
		kind = "the reflector"
	}
	if resource := resourceOf(v); resource != "" && kind == "the informer" {
		return "the informer of " + wording.Tail(resource, MaxName)
	}
	return kind
}

// resourceOf names what an informer is about, if the accessor of a factory
// tells: "Pods" of f.Core().V1().Pods().Informer().
func resourceOf(v ssa.Value) string {
	call, ok := v.(*ssa.Call)
	if !ok {
		return ""
	}
	recv, args := kubeapi.Args(call.Common())
	inner, ok := recv.(*ssa.Call)
	if !ok || len(args) > 0 {
		return ""
	}
	if _, args := kubeapi.Args(inner.Common()); len(args) > 0 {
		return ""
	}
	if callee := kubeapi.Callee(inner.Common()); callee != nil {
		return callee.Name()
	}
	return ""
}

// MaxName bounds names from the code under analysis, so that messages stay
// short.
const MaxName = 30

// FuncName names a function for messages: "Run", "a function in Run".
func FuncName(fn *ssa.Function) string {
	outer := paths.Outermost(fn)
	name := outer.Name()
	if obj, ok := outer.Object().(*types.Func); ok {
		name = obj.Name()
	}
	name = wording.Tail(name, MaxName)
	if outer != fn {
		return "a function in " + name
	}
	return name
}

// IsFake reports whether a factory is made over a client that serves objects from
// memory.
func (u *Unit) IsFake(made *informers.Made) bool {
	return slices.ContainsFunc(made.Instr.Common().Args, func(arg ssa.Value) bool {
		call, ok := kubeapi.Unconverted(arg).(*ssa.Call)
		if !ok {
			return false
		}
		callee := kubeapi.Callee(call.Common())
		return callee != nil && kubeapi.IsFakeClientMaker(callee)
	})
}
