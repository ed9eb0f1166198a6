package subject

import (
	"fmt"
	"go/token"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
)

// Once reports whether fn runs but once in the life of a process: in main, in a
// command, in a Runnable. What it leaves behind goes with the process.
func (u *Unit) Once(fn *ssa.Function) bool {
	if u.Pass.Pkg.Name() != "main" {
		return u.onlyOnce(fn, make(map[*ssa.Function]bool), 0)
	}
	return u.ReachedBy(fn, append(slices.Clone(Again), kubeapi.Admission, kubeapi.HTTPHandler, kubeapi.Watch)...) == nil
}

// Again are the entry points that are called for each event or item, and every now and then.
var Again = []kubeapi.EntryKind{
	kubeapi.EventHandler, kubeapi.Predicate, kubeapi.MapFunc, kubeapi.Reconcile, kubeapi.Worker, kubeapi.Sync, kubeapi.Periodic,
}

func (u *Unit) onlyOnce(fn *ssa.Function, seen map[*ssa.Function]bool, depth int) bool {
	if seen[fn] {
		return true // in a cycle: the other ways decide
	}
	if depth > 8 {
		return false
	}
	seen[fn] = true
	if kubeapi.IsCommand(fn.Signature) || kubeapi.AsksForSignals(fn) || fn.Parent() == nil && fn.Name() == "init" {
		return true
	}
	if entries := u.Entries.Of(fn); len(entries) > 0 {
		return !slices.ContainsFunc(entries, func(entry *entrypoints.Entry) bool {
			return entry.Kind != kubeapi.Runnable && entry.Kind != kubeapi.LeaderCallback
		})
	}
	callers := u.Graph.Callers(fn)
	if len(callers) == 0 {
		return fn.Parent() != nil && u.onlyOnce(fn.Parent(), seen, depth+1)
	}
	return !slices.ContainsFunc(callers, func(call ssa.CallInstruction) bool { return !u.onlyOnce(call.Parent(), seen, depth+1) })
}

// LineFrom names a place as seen from another one: without the file if that is the
// same.
func (u *Unit) LineFrom(pos, from token.Pos) string {
	at := u.Pass.Fset.Position(pos)
	if at.Filename == u.Pass.Fset.Position(from).Filename {
		return fmt.Sprintf("line %d", at.Line)
	}
	return fmt.Sprintf("%s:%d", filepath.Base(at.Filename), at.Line)
}

// ReachedBy returns the path by which an entry point, of some kinds if there are any, reaches fn or a
// function around it, or nil.
func (u *Unit) ReachedBy(fn *ssa.Function, kinds ...kubeapi.EntryKind) *entrypoints.Path {
	for at := fn; at != nil; at = at.Parent() {
		if path := u.Entries.PathTo(at, kinds...); path != nil {
			return path
		}
	}
	return nil
}

// RelatedTo has the places of that path.
func (u *Unit) RelatedTo(fn *ssa.Function) []analysis.RelatedInformation {
	if path := u.ReachedBy(fn); path != nil {
		return path.Related()
	}
	return nil
}

// FuncName names a function for a message.
func FuncName(fn *ssa.Function) string {
	return paths.Outermost(fn).Name()
}
