package permissions

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Edge tells that one function mentions another one that needs something. From is empty
// for methods, initializers and main, which count as run: a package is imported as
// a whole, and what no part of the program mentions, such as a helper for another
// program, needs nothing.
type Edge struct{ From, To string }

// funcOf names the declared function around an instruction, or nothing for what counts
// as run.
func funcOf(fn *ssa.Function) string {
	fn = paths.Outermost(fn)
	if origin := fn.Origin(); origin != nil {
		fn = origin
	}
	obj, ok := fn.Object().(*types.Func)
	if !ok || obj.Signature().Recv() != nil || obj.Name() == "init" || obj.Name() == "main" {
		return ""
	}
	return kubeapi.FullName(obj)
}

// mention notes a function that an instruction mentions, if it is the user's.
func (g *gatherer) mention(instr ssa.Instruction, fn *ssa.Function) {
	declared, abstract := calls.Unwrap(fn)
	if abstract != nil || declared.Pkg == nil || !g.calls.SameModule(declared.Pkg.Pkg) {
		return
	}
	if call, ok := instr.(ssa.CallInstruction); ok && declared.Pkg != g.calls.Pkg && takesResource(instr.Parent()) {
		g.unknown(call, "list") // one case of a switch, as in generated ForResource
		return
	}
	if from, to := funcOf(instr.Parent()), funcOf(declared); to != "" && to != from {
		g.mentioned[Edge{from, to}] = true
	}
}

// keepEdges keeps what leads to a function that needs something, in this package or
// another one.
func (g *gatherer) keepEdges() {
	needy := make(map[string]bool)
	for _, n := range g.Direct {
		needy[n.Func] = true
	}
	for _, f := range g.Forwards {
		needy[f.Func] = true
	}
	for _, u := range g.Unknown {
		needy[u.Func] = true
	}
	for _, e := range g.Edges {
		needy[e.From], needy[e.To] = true, true
	}
	for grown := true; grown; {
		grown = false
		for e := range g.mentioned {
			if needy[e.To] && !needy[e.From] {
				needy[e.From], grown = true, true
			}
		}
	}
	for e := range g.mentioned {
		if needy[e.To] {
			g.Edges = append(g.Edges, e)
		}
	}
}

// reached returns a test of whether the program may run a function.
func (p *Permissions) reached() func(fn string) bool {
	next := make(map[string][]string)
	for _, e := range p.Edges {
		next[e.From] = append(next[e.From], e.To)
	}
	seen := map[string]bool{"": true}
	work := []string{""}
	for len(work) > 0 {
		fn := work[len(work)-1]
		work = work[:len(work)-1]
		for _, to := range next[fn] {
			if !seen[to] {
				seen[to] = true
				work = append(work, to)
			}
		}
	}
	return func(fn string) bool { return seen[fn] }
}
