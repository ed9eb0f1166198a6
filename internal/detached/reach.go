package detached

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/contexts"
	"github.com/opvet/opvet/internal/entrypoint"
	"github.com/opvet/opvet/internal/kubeapi"
)

// live returns the best context that code in fn could use instead of making
// one up.
func (c *computer) live(fn *ssa.Function) (contexts.Source, bool) {
	for _, source := range c.contexts.AtHand(fn) {
		if !source.Stop && c.isLive(fn, source) {
			return source, true
		}
	}
	return contexts.Source{}, false
}

// isLive reports whether somebody may cancel a context that is at hand in fn,
// and fn runs while it is valid.
func (c *computer) isLive(fn *ssa.Function, source contexts.Source) bool {
	if len(source.Fields) > 0 && c.neverCancelled(source.Fields[len(source.Fields)-1]) {
		return false
	}
	if source.Param == nil {
		return false // a variable: whether it is set yet is not known
	}
	owner := source.Param.Parent()
	for at := fn; at != owner; at = at.Parent() {
		if at == nil || !c.runsWithin(at) {
			return false
		}
	}
	return true
}

// neverCancelled reports whether a field only ever holds contexts that nothing
// cancels.
func (c *computer) neverCancelled(field *types.Var) bool {
	origins, _ := c.contexts.FieldOrigins(field)
	for _, o := range origins {
		if o.Kind != contexts.Detached || o.Derived(contexts.Cancel) || o.Derived(contexts.Timeout) {
			return false
		}
	}
	return len(origins) > 0
}

// runsWithin reports whether a function literal runs while the function around
// it does, or as long as what that is about: it is called in place, in a
// goroutine that is waited for, or by events.
func (c *computer) runsWithin(literal *ssa.Function) bool {
	for _, entry := range c.entries.Of(literal) {
		switch {
		case entry.Kind.PerEvent(), entry.Kind.PerItem(), entry.Kind == kubeapi.Periodic:
			return true
		}
	}
	for _, edge := range c.into[literal] {
		if edge.Site.Parent() == literal.Parent() && c.joins(edge) {
			return true
		}
	}
	return false
}

// joins reports whether what an edge leads to ends before, or because, the
// function that it starts from does.
func (c *computer) joins(edge entrypoint.Edge) bool {
	if _, ok := edge.Site.(*ssa.Defer); ok {
		return false
	}
	return edge.How != entrypoint.Started || joined(edge.Site.Parent())
}

// joined reports whether fn waits for something, so that goroutines which it
// starts need not outlive it.
func joined(fn *ssa.Function) bool {
	for _, block := range fn.Blocks {
		for _, instr := range block.Instrs {
			switch instr := instr.(type) {
			case *ssa.UnOp:
				if _, ok := instr.X.Type().Underlying().(*types.Chan); ok {
					return true
				}
			case *ssa.Select:
				return true
			case ssa.CallInstruction:
				callee := kubeapi.Callee(instr.Common())
				if kubeapi.IsGroupWait(callee) || kubeapi.IsEndless(callee) {
					return true
				}
			}
		}
	}
	return false
}

// setsUp reports whether fn, or a function around it, puts the program together.
func setsUp(fn *ssa.Function) bool {
	for ; fn != nil; fn = fn.Parent() {
		if kubeapi.SetsUp(fn.Signature) {
			return true
		}
		if fn.Parent() == nil && fn.Signature.Recv() == nil && (fn.Name() == "main" || fn.Name() == "init" || strings.HasPrefix(fn.Name(), "init#")) {
			return true
		}
	}
	return false
}

// forTests reports whether a package serves tests, by what it imports.
func forTests(pkg *types.Package) bool {
	return slices.ContainsFunc(pkg.Imports(), func(imported *types.Package) bool {
		path := imported.Path()
		return path == "testing" || strings.HasPrefix(path, "github.com/onsi/") || strings.HasPrefix(path, "github.com/stretchr/testify/")
	})
}

// caller is a function that has a live context, and the calls that lead from it
// to one that has none.
type caller struct {
	fn    *ssa.Function
	live  contexts.Source
	chain []ssa.CallInstruction
}

// callerOf finds the nearest function that reaches fn and has a live context.
func (c *computer) callerOf(fn *ssa.Function) *caller {
	type step struct {
		fn    *ssa.Function
		chain []ssa.CallInstruction
	}
	seen := map[*ssa.Function]bool{fn: true}
	queue := []step{{fn: fn}}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		if len(at.chain) >= maxDepth {
			continue
		}
		for _, edge := range c.into[at.fn] {
			from := edge.Site.Parent()
			if seen[from] || !c.joins(edge) || c.isCleanUp(edge.Site) || setsUp(from) {
				continue
			}
			chain := append([]ssa.CallInstruction{edge.Site}, at.chain...)
			if source, ok := c.live(from); ok {
				return &caller{from, source, chain}
			}
			seen[from] = true
			queue = append(queue, step{from, chain})
		}
	}
	return nil
}
