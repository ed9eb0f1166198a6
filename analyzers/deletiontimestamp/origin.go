package deletiontimestamp

import (
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/finalizers"
	"github.com/opvet/opvet/internal/passes/objects"
)

// origin says where the object comes from, if it comes from the API server in
// this unit, so that nothing has told yet whether it is live.
func (c *checker) origin(u *objects.Unit, o paths.Object) (string, bool) {
	if root := o.Root.Parent(); root == nil || u.Fn.Parent() != nil && !blocks.Within(root, u.Fn) {
		return "", false // the function around this literal may have looked
	}
	switch root := o.Root.(type) {
	case *ssa.Parameter:
		return c.handedIn(u, root, o.Path)
	case *ssa.Alloc:
		return c.readInto(u, root, o.Path)
	case *ssa.Extract:
		return c.returned(root, o.Path)
	}
	return "", false
}

// handedIn is an object that the ecosystem calls the unit's function with.
func (c *checker) handedIn(u *objects.Unit, param *ssa.Parameter, path string) (string, bool) {
	if param.Parent() != u.Fn {
		return "", false
	}
	if !slices.Contains([]string{"", ".Object", ".ObjectNew", ".ObjectOld"}, path) {
		return "", false
	}
	for _, entry := range c.entries.Of(u.Fn) {
		if mayBeLive(entry.Kind, entry.What) && slices.Contains(entry.Objects(), param) {
			return "the object that " + entry.What + " gets", true
		}
	}
	return "", false
}

// mayBeLive reports whether an entry is called with objects that are not being
// deleted.
func mayBeLive(kind kubeapi.EntryKind, what string) bool {
	kinds := []kubeapi.EntryKind{kubeapi.EventHandler, kubeapi.Predicate, kubeapi.MapFunc, kubeapi.Reconcile, kubeapi.Admission}
	return slices.Contains(kinds, kind) && !strings.Contains(what, "Delete") && !strings.Contains(what, "Finalize")
}

// readInto is a variable that a client reads into: the object itself, or the
// list that it is an element of.
func (c *checker) readInto(u *objects.Unit, alloc *ssa.Alloc, path string) (string, bool) {
	if param := handedBy(alloc); param != nil {
		return c.handedIn(u, param, path)
	}
	if from, ok := copyOfElement(alloc); ok && path == "" {
		place := c.Summaries.Resolve.Place(from).Object
		if place.Root == alloc {
			return "", false
		}
		return c.origin(u, place)
	}
	verb, origin := kubeapi.Get, "the object that Get reads"
	if path != "" {
		verb, origin = kubeapi.List, "a listed object"
		if path != paths.Listed || !c.onlyVisited(alloc) {
			return "", false
		}
	}
	for _, call := range u.Graph.Calls() {
		op, ok := c.Summaries.ClientOp(call.Common())
		if ok && op.Verb == verb && op.Object != nil && c.Summaries.Resolve.Place(op.Object).Object == (paths.Object{Root: alloc}) {
			return origin, true
		}
	}
	return "", false
}

// handedBy returns the parameter that a variable is made for, since it is
// passed by value.
func handedBy(alloc *ssa.Alloc) *ssa.Parameter {
	if stored := values.StoredOnce(alloc); stored != nil {
		param, _ := stored[0].(*ssa.Parameter)
		return param
	}
	return nil
}

// copyOfElement recognises the variable of a loop over a list of objects.
func copyOfElement(alloc *ssa.Alloc) (ssa.Value, bool) {
	stored := values.StoredOnce(alloc)
	if stored == nil || kubeapi.KindOf(alloc.Type()) == nil {
		return nil, false
	}
	load, ok := stored[0].(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return nil, false
	}
	_, isElement := load.X.(*ssa.IndexAddr)
	return load, isElement
}

// returned is what a client or a lister returns.
func (c *checker) returned(result *ssa.Extract, path string) (string, bool) {
	call, ok := result.Tuple.(*ssa.Call)
	if !ok || result.Index != 0 {
		return "", false
	}
	common := c.Summaries.Calls.Through(call.Common())
	callee := kubeapi.Callee(common)
	if callee == nil || callee.Signature().Recv() == nil {
		return "", false
	}
	switch path {
	case "":
		if op, ok := c.Summaries.ClientOp(common); ok && op.Verb == kubeapi.Get && op.Result || kubeapi.IsListerGet(callee) {
			return "the object that Get returns", true
		}
	case ".[]":
		if kubeapi.IsListerList(callee) && c.onlyVisited(result) {
			return "a listed object", true
		}
	case paths.Listed:
		if kubeapi.IsTypedList(callee) && c.onlyVisited(result) {
			return "a listed object", true
		}
	}
	return "", false
}

// onlyVisited reports whether a list is left as it was read: it is read into,
// measured and ranged over, and not handed to anything that could filter it.
func (c *checker) onlyVisited(list ssa.Value) bool {
	of := values.Relation{Steps: values.Converted | values.Held, Onward: func(_ ssa.Value, use ssa.Instruction) []ssa.Value {
		switch use := use.(type) {
		case *ssa.UnOp:
			return []ssa.Value{use}
		case *ssa.FieldAddr:
			if field := calls.FieldAt(use); field != nil && field.Name() == "Items" {
				return []ssa.Value{use}
			}
		}
		return nil
	}}
	for v, use := range of.Uses(list) {
		switch use := use.(type) {
		case *ssa.Store:
			_, isVariable := use.Addr.(*ssa.Alloc)
			_, isItems := v.(*ssa.FieldAddr)
			if use.Addr == v && isItems || use.Val == v && !isVariable {
				return false
			}
		case *ssa.Slice, *ssa.Phi, *ssa.MakeClosure, *ssa.Defer, *ssa.Go, nil:
			return false
		case *ssa.Call:
			if op, ok := c.Summaries.ClientOp(use.Common()); !calls.IsBuiltin(use, "len") && (!ok || op.Verb != kubeapi.List) {
				return false
			}
		}
	}
	return true
}

// inTerminalPhase reports whether a read happens only if the object, or
// something else, says that it is terminating: controllers and namespaces say
// so in a status, too.
func (c *checker) inTerminalPhase(read finalizers.Read) bool {
	if read.Node.Instr.Block() == nil {
		return false
	}
	return c.Summaries.Calls.Everywhere(read.Node.Instr, func(at *calls.Site) bool {
		for branch := range blocks.Decided(at.Block()) {
			if saysTerminating(branch.Cond) {
				return true
			}
		}
		return false
	})
}

func saysTerminating(cond ssa.Value) bool {
	op, ok := cond.(*ssa.BinOp)
	if !ok || op.Op != token.EQL && op.Op != token.NEQ {
		return false
	}
	return slices.ContainsFunc([]ssa.Value{op.X, op.Y}, func(v ssa.Value) bool {
		text, _ := kubeapi.ConstString(v)
		word := strings.ToLower(text)
		return strings.Contains(word, "terminat") || strings.Contains(word, "delet")
	})
}
