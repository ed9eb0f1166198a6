package reconcilerstate

import (
	"fmt"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/wording"
)

// unlocked finds event handlers that look into a map without a lock, where workers
// change it under one.
func (r *reader) unlocked() {
	var handlers []*entrypoints.Entry
	guarded := make(map[*types.Var]ssa.Instruction)
	for _, entry := range r.entries.Entries {
		switch {
		case entry.Kind == kubeapi.EventHandler, entry.Kind == kubeapi.Predicate:
			handlers = append(handlers, entry)
		case entry.Kind.PerItem(), entry.Kind == kubeapi.Spawned:
			r.entries.Walk(entry, nil, func(path *entrypoints.Path) {
				if underLock(path) {
					changes(path.Fn, func(field *types.Var, at ssa.Instruction) {
						if guarded[field] == nil {
							guarded[field] = at
						}
					})
				}
			})
		}
	}
	if len(guarded) == 0 {
		return
	}
	for _, entry := range handlers {
		r.entries.Walk(entry, func(from *entrypoints.Path, edge *entrypoints.Edge) bool {
			return edge.How != entrypoints.Started && edge.How != entrypoints.Once && !locks(from.Fn)
		}, func(path *entrypoints.Path) {
			if locks(path.Fn) {
				return
			}
			looks(path.Fn, func(field *types.Var, at ssa.Instruction) {
				if change := guarded[field]; change != nil && !r.told[at.Pos()] {
					r.told[at.Pos()] = true
					r.tellUnlocked(entry, field, at, change)
				}
			})
		})
	}
}

// underLock reports whether a function on a path takes a lock.
func underLock(path *entrypoints.Path) bool {
	for ; path != nil; path = path.Prev {
		if locks(path.Fn) {
			return true
		}
	}
	return false
}

// changes calls found for each field whose map a function changes.
func changes(fn *ssa.Function, found func(*types.Var, ssa.Instruction)) {
	eachMap(fn, func(m ssa.Value, at ssa.Instruction, writes bool) {
		if field := mapField(m); field != nil && writes {
			found(field, at)
		}
	})
}

// looks calls found for each field whose map a function reads or changes.
func looks(fn *ssa.Function, found func(*types.Var, ssa.Instruction)) {
	eachMap(fn, func(m ssa.Value, at ssa.Instruction, _ bool) {
		if field := mapField(m); field != nil {
			found(field, at)
		}
	})
}

func eachMap(fn *ssa.Function, visit func(m ssa.Value, at ssa.Instruction, writes bool)) {
	for instr := range blocks.Instrs(fn) {
		switch instr := instr.(type) {
		case *ssa.Lookup:
			visit(instr.X, instr, false)
		case *ssa.Range:
			visit(instr.X, instr, false)
		case *ssa.MapUpdate:
			visit(instr.Map, instr, true)
		case *ssa.Call:
			if calls.IsBuiltin(instr, "delete") {
				visit(instr.Call.Args[0], instr, true)
			}
		}
	}
}

// mapField returns the field that holds a map, if it is one of a struct that a pointer
// leads to.
func mapField(m ssa.Value) *types.Var {
	load, ok := m.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return nil
	}
	addr, ok := load.X.(*ssa.FieldAddr)
	if !ok {
		return nil
	}
	if _, isMap := load.Type().Underlying().(*types.Map); !isMap {
		return nil
	}
	if _, own := addr.X.(*ssa.Alloc); own || kubeapi.IsAPIStruct(addr.X.Type()) {
		return nil
	}
	if field := calls.FieldOf(addr.X.Type(), addr.Field); field != nil && field.Pkg() == addr.Parent().Pkg.Pkg {
		return field
	}
	return nil
}

func (r *reader) tellUnlocked(entry *entrypoints.Entry, field *types.Var, at, change ssa.Instruction) {
	r.report.Report(rule.Finding{
		Pos: at.Pos(), Category: sharedMap,
		Message: wording.Fit(func(name func(string) string) string {
			return fmt.Sprintf("the operator dies of concurrent map access: this handler looks into %s without the lock that %s takes to change it; take it here, too",
				name(field.Name()), name(syntax.FuncName(paths.Outermost(change.Parent()))))
		}),
		Related: []analysis.RelatedInformation{
			{Pos: change.Pos(), Message: "it is changed under a lock here"},
			{Pos: entry.Registered, Message: "the handler is registered here"},
		},
	})
}
