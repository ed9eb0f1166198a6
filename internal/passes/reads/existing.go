package reads

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/origins"
)

// maxExisting bounds the functions that an object is followed through.
const maxExisting = 4

// exists reports whether the object that v is has been read from the API server, with
// success, on all paths to an instruction, and is still called what it was then. It has a
// resource version, so that the API server would not even let it be created.
func (g *gatherer) exists(at ssa.Instruction, v ssa.Value, depth int) bool {
	o := g.resolve.Place(v).Object
	if o.Root == nil || depth > maxExisting {
		return false
	}
	if from, ok := g.listOf(o); ok {
		// A list of an API's kind is what the API server has, whoever has read it.
		return (kubeapi.IsList(from.Root.Type()) || g.origins.Of(v) == origins.Server) && !g.becomesAnother(at, o)
	}
	if elements := elementsOf(o.Root); len(elements) > 0 {
		return !slices.ContainsFunc(elements, func(element ssa.Value) bool { return !g.exists(at, element, depth+1) })
	}
	if o.Path != "" {
		return false // anybody may have put another one into a field
	}
	if read, gets := g.readBefore(at, o, depth); gets {
		return read
	}
	if g.becomesAnother(at, o) {
		return false
	}
	if p, ok := o.Root.(*ssa.Parameter); ok {
		args, closed := g.calls.Arguments(p)
		return g.origins.IsSent(p) || closed && len(args) > 0 && !slices.ContainsFunc(args, func(arg calls.Argument) bool {
			return !g.exists(arg.Call, arg.Value, depth+1)
		})
	}
	call, index := calls.CallOf(o.Root)
	return call != nil && g.givesExisting(call, index, depth)
}

// listOf returns the element of a list that an object is, or that alone is copied into it
// if it is a variable; ok tells that it is one.
func (g *gatherer) listOf(o paths.Object) (element paths.Object, ok bool) {
	if local, ok := o.Root.(*ssa.Alloc); ok && o.Path == "" {
		stored := calls.StoredInto(local)
		if len(stored) != 1 {
			return o, false
		}
		o = g.resolve.Place(stored[0]).Object
	}
	return o, o.IsListed()
}

// elementsOf returns what stands in the list of a literal.
func elementsOf(list ssa.Value) []ssa.Value {
	array, ok := list.(*ssa.Alloc)
	if !ok {
		return nil
	}
	var elements []ssa.Value
	for index := range blocks.UsesOf[*ssa.IndexAddr](array) {
		for store := range blocks.Stores(index) {
			elements = append(elements, store.Val)
		}
	}
	return elements
}

// givesExisting reports whether what a call runs returns only objects that exist, or nil.
func (g *gatherer) givesExisting(call *ssa.Call, index, depth int) bool {
	targets := g.calls.Callees(call)
	if !targets.Closed || len(targets.Funcs) == 0 {
		return false
	}
	found := false
	for _, fn := range targets.Funcs {
		for ret := range blocks.Returns(fn) {
			if calls.IsNil(ret.Results[index]) {
				continue
			}
			if !g.exists(ret, ret.Results[index], depth+1) {
				return false
			}
			found = true
		}
	}
	return found
}

// readBefore reports whether the last read of an object has succeeded on all paths to an
// instruction; gets tells that there is any in the function. A return reports success only
// where the read was one: that of its error is left to the caller.
func (g *gatherer) readBefore(at ssa.Instruction, o paths.Object, depth int) (read, gets bool) {
	graph := g.graphs.Of(paths.Outermost(at.Parent()))
	at = g.runs(graph, at)
	errs := make(map[*paths.Node][]ssa.Value)
	var order []*paths.Node // the stage of a path is the number of the last of them
	assume := make(map[ssa.Value]paths.Truth)
	for _, n := range graph.Nodes {
		if n.Joins != nil || n.Call() == nil || !g.isGetOf(n.Call(), o) && !g.getsFor(n.Call(), o, depth) {
			continue
		}
		order = append(order, n)
		errs[n] = paths.Results(n, kubeapi.IsError)
		for _, err := range errs[n] {
			assume[err] = paths.Unknown
		}
	}
	if len(order) == 0 {
		return false, false
	}
	reached := false
	_, unread := graph.Search(nil, 0, assume, func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
		switch {
		case n.Joins != nil:
			return stage, paths.Continue
		case n.Instr == at:
			reached = true
			if g.fails(graph, n, known) || stage > 0 && g.succeeded(n, errs[order[stage-1]], known) {
				return stage, paths.Prune
			}
			return stage, paths.Found
		case errs[n] != nil:
			return slices.Index(order, n) + 1, paths.Continue
		case isMade(n.Instr, o) || g.makesAnother(n.Instr, o):
			return 0, paths.Continue // made in the next round of a loop
		}
		return stage, paths.Continue
	})
	return reached && !unread, true
}

// runs returns the instruction of a graph that stands for one which may be in a literal
// that something else calls: there the literal is made, and it runs after that.
func (g *gatherer) runs(graph *paths.Graph, at ssa.Instruction) ssa.Instruction {
	for fn := at.Parent(); len(graph.At(at)) == 0 && fn.Parent() != nil; fn = fn.Parent() {
		made := g.calls.Closures(fn)
		if len(made) != 1 {
			break
		}
		at = made[0]
	}
	return at
}

// fails reports whether a node returns an error for certain.
func (g *gatherer) fails(graph *paths.Graph, n *paths.Node, known paths.Known) bool {
	_, returns := n.Instr.(*ssa.Return)
	return returns && graph.Outcome(n, known) == paths.True
}

// succeeded reports whether a read with these errors has succeeded at a node, or the node
// returns the error of it.
func (g *gatherer) succeeded(n *paths.Node, errs []ssa.Value, known paths.Known) bool {
	ret, _ := n.Instr.(*ssa.Return)
	return !slices.ContainsFunc(errs, func(err ssa.Value) bool {
		returned := ret != nil && len(ret.Results) > 0 && g.gives(ret.Results[len(ret.Results)-1], err)
		return !returned && known.Of(err) != paths.False
	})
}

// gives reports whether a value is an error, or what a literal returns that returns it.
func (g *gatherer) gives(v, err ssa.Value) bool {
	if v == err {
		return true
	}
	call, index := calls.CallOf(v)
	if call == nil {
		return false
	}
	results, closed := g.calls.Results(call, index)
	return closed && len(results) > 0 && !slices.ContainsFunc(results, func(result ssa.Value) bool { return result != err })
}

// getsFor reports whether a call hands an object to a function that reads it, and fails if
// that does. One of another package that is also handed a client, and may fail, is taken
// for such.
func (g *gatherer) getsFor(call ssa.CallInstruction, o paths.Object, depth int) bool {
	if _, ok := call.(*ssa.Call); !ok || depth > maxExisting || !kubeapi.CanFail(call.Common().Signature()) {
		return false
	}
	common := call.Common()
	operands := kubeapi.Operands(common)
	index := slices.IndexFunc(operands, func(v ssa.Value) bool { return g.resolve.Place(v).Object == o })
	if index < 0 {
		return false
	}
	targets := g.calls.Callees(call)
	if !targets.Closed || len(targets.Funcs) == 0 {
		fn := kubeapi.Callee(common)
		return fn != nil && fn.Pkg() != nil && fn.Pkg() != g.pass.Pkg && g.calls.SameModule(fn.Pkg()) &&
			slices.ContainsFunc(operands, func(v ssa.Value) bool { return kubeapi.IsReader(v.Type()) })
	}
	return !slices.ContainsFunc(targets.Funcs, func(fn *ssa.Function) bool {
		if len(fn.Params) != len(operands) || len(fn.Blocks) == 0 {
			return true
		}
		given := g.resolve.Place(fn.Params[index]).Object
		for ret := range blocks.Returns(fn) {
			if read, _ := g.readBefore(ret, given, depth+1); !read {
				return true
			}
		}
		return false
	})
}

// isGetOf reports whether a call reads an object.
func (g *gatherer) isGetOf(call ssa.CallInstruction, o paths.Object) bool {
	op, ok := kubeapi.ClientOp(call.Common())
	if !ok || op.Verb != kubeapi.Get || op.Mutate != nil {
		return false
	}
	if op.Result {
		made, index := calls.CallOf(o.Root)
		return made != nil && made == call && index == 0
	}
	return op.Object != nil && (g.resolve.Place(op.Object).Object == o || g.resolve.Place(g.calls.Origin(kubeapi.Unboxed(op.Object))).Object == o)
}

// becomesAnother reports whether anything in the function around an instruction makes
// another object of one, or deletes it.
func (g *gatherer) becomesAnother(at ssa.Instruction, o paths.Object) bool {
	return slices.ContainsFunc(g.graphs.Of(paths.Outermost(at.Parent())).Nodes, func(n *paths.Node) bool {
		return n.Joins == nil && g.makesAnother(n.Instr, o)
	})
}

// isMade reports whether an instruction makes an object.
func isMade(instr ssa.Instruction, o paths.Object) bool {
	made, ok := instr.(ssa.Value)
	return ok && made == o.Root
}

// makesAnother reports whether an instruction gives an object another name, overwrites or
// deletes it.
func (g *gatherer) makesAnother(instr ssa.Instruction, o paths.Object) bool {
	if store, ok := instr.(*ssa.Store); ok {
		at := g.resolve.Place(store.Addr)
		if at.Object != o {
			return false
		}
		path := at.FullPath()[len(paths.Place{Object: o}.FullPath()):]
		if len(path) > 1 && path[0] == "ObjectMeta" {
			path = path[1:]
		}
		if len(path) == 0 {
			return !g.resolve.Place(store.Val).Object.IsListed() // as a loop puts elements of a list into its variable
		}
		return len(path) == 1 && (path[0] == "ObjectMeta" || slices.Contains(identity, path[0]))
	}
	call, ok := instr.(ssa.CallInstruction)
	if !ok {
		return false
	}
	if d, ok := kubeapi.DeletionOf(call.Common()); ok && d.Object != nil {
		return g.resolve.Place(d.Object).Object == o
	}
	callee := kubeapi.Callee(call.Common())
	if !slices.ContainsFunc(identity, func(field string) bool { return kubeapi.IsMetaSetter(callee, "Set"+field) }) {
		return false
	}
	recv, _ := kubeapi.Args(call.Common())
	return recv != nil && g.resolve.Place(recv).Object == o
}

// identity are the fields of an object's metadata that tell which object it is.
var identity = []string{"Name", "Namespace", "GenerateName", "ResourceVersion", "UID"}
