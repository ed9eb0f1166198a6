package updateunread

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// createdElse returns the creation of an object that is sent as an update where it
// exists already: because the creation has failed, or because another object was
// read. What is created has no resourceVersion, whoever has put it together, or the
// API server would refuse it.
//
// In a loop over a list of objects that is so of each element.
func (c *checker) createdElse(u *objects.Unit, w update) (ssa.Instruction, occasion) {
	if w.object.Path != "" && !strings.HasSuffix(w.object.Path, "[]") {
		return nil, always
	}
	for _, site := range creations(u, w) {
		if alsoWritten(u, site) {
			continue
		}
		create := site.Node
		if c.exists(u, w, create, paths.True) {
			return create.Instr, c.whenCreated(u, w)
		}
		for _, read := range c.missedBy(u, create, w.object) {
			if c.exists(u, w, read, paths.False) {
				return create.Instr, always
			}
		}
	}
	return nil, always
}

// An occasion tells when an update lacks a resourceVersion.
type occasion int

const (
	always       occasion = iota
	ifExists              // the object was not created, since it exists
	ifNotCreated          // it was not created, for whatever reason, and nobody asks for that
)

// whenCreated tells when an update lacks a resourceVersion that follows on a creation of the object:
// always, unless it follows as well where that has succeeded.
func (c *checker) whenCreated(u *objects.Unit, w update) occasion {
	when := always
	for _, site := range creations(u, w) {
		if created, _ := c.versions.At(u, site.Node, w.object); !created || !c.exists(u, w, site.Node, paths.False) {
			continue
		}
		asked := slices.ContainsFunc(paths.Results(site.Node, kubeapi.IsError), func(err ssa.Value) bool { return len(questions(err)) > 0 })
		if asked {
			return ifExists
		}
		when = ifNotCreated
	}
	return when
}

// creations returns where the object of an update is created.
func creations(u *objects.Unit, w update) []objects.Site {
	var found []objects.Site
	for _, site := range u.Sites {
		if site.Kind == objects.Written && site.Write.Verb == kubeapi.Create && site.Place.Object == w.object && site.Node != w.node {
			found = append(found, site)
		}
	}
	return found
}

// alsoWritten reports whether the function that creates an object at a site may as well
// write one that is there already: it finds out by the object.
func alsoWritten(u *objects.Unit, create objects.Site) bool {
	return slices.ContainsFunc(u.Sites, func(site objects.Site) bool {
		return site.Node == create.Node && site.Kind == objects.Written && site.Write.Verb != kubeapi.Create && site.Place.Object == create.Place.Object
	})
}

// nothingCreated returns the creation by a typed client whose result is sent as an update
// although the creation has failed: the client returns an object without a name or
// anything else then.
func (c *checker) nothingCreated(u *objects.Unit, w update) ssa.Instruction {
	create, index := calls.CallOf(w.object.Root)
	if create == nil || w.object.Path != "" || index != 0 {
		return nil
	}
	if op, ok := c.ClientOp(create.Common()); !ok || op.Verb != kubeapi.Create || !op.Result {
		return nil
	}
	for _, n := range u.Graph.At(create) {
		if c.exists(u, w, n, paths.True) {
			return create
		}
	}
	return nil
}

// readWhereItExists reports whether a function reads an object where its creation has
// said that it exists. All other failures have been dealt with by then: on the way to
// what follows, the object was created or read.
func (c *checker) readWhereItExists(u *objects.Unit, o paths.Object) bool {
	asked := c.failures(u)
	return slices.ContainsFunc(u.Sites, func(site objects.Site) bool {
		if site.Kind != objects.Refreshed || site.Place.Object != o {
			return false
		}
		for branch, held := range blocks.Decided(site.Node.Instr.Block()) {
			if _, isCall := branch.Cond.(*ssa.Call); isCall && held && slices.Contains(asked, branch.Cond) {
				return true
			}
		}
		return false
	})
}

// exists reports whether an update follows on a node whose error is known, and
// nothing gives the object a resourceVersion on the way.
func (c *checker) exists(u *objects.Unit, w update, from *paths.Node, failed paths.Truth) bool {
	assume := paths.ErrorIs(from, failed)
	if len(assume) == 0 {
		return false
	}
	_, found := u.Graph.Search(u.Graph.Answered(from), 0, assume, func(n *paths.Node, stage int, _ paths.Known) (int, paths.Step) {
		if n == w.node {
			return stage, paths.Found
		}
		if created, other := c.versions.At(u, n, w.object); created || other || n.Makes(w.object) {
			return stage, paths.Prune
		}
		return stage, paths.Continue
	})
	return found
}

// missedBy returns the reads of other objects that must have failed, or found
// nothing, for an object to be created.
func (c *checker) missedBy(u *objects.Unit, create *paths.Node, o paths.Object) []*paths.Node {
	var found []*paths.Node
	for branch, held := range blocks.Decided(create.Instr.Block()) {
		err := failedIf(branch.Cond, held)
		if err == nil {
			continue
		}
		call, _ := calls.CallOf(err)
		if call == nil {
			continue
		}
		op, ok := c.ClientOp(call.Common())
		if !ok || !op.Verb.Reads() {
			continue
		}
		if read := objectOf(op, call); read != nil && c.Resolve.MayBe(c.Resolve.Place(read).Object, o) {
			continue
		}
		found = append(found, u.Graph.At(call)...)
	}
	return found
}

// failedIf returns the error that a branch has shown to be one.
func failedIf(cond ssa.Value, held bool) ssa.Value {
	switch cond := cond.(type) {
	case *ssa.Call:
		if held && kubeapi.ErrorUseOf(kubeapi.Callee(cond.Common())) == kubeapi.TellsNotFound && len(cond.Call.Args) == 1 {
			return calls.Behind(cond.Call.Args[0])
		}
	case *ssa.BinOp:
		if err, failed := calls.Failure(cond, held); failed {
			return err
		}
	}
	return nil
}

// triedAgain reports whether, where an update has failed, an object of the kind is read and updated:
// that the first one may fail is known.
func (c *checker) triedAgain(u *objects.Unit, w update) bool {
	kind := kubeapi.KindBehind(w.value)
	errs := paths.Results(w.node, kubeapi.IsError)
	if kind == nil || len(errs) != 1 {
		return false
	}
	const read = 1
	_, again := u.Graph.Search(w.node, 0, map[ssa.Value]paths.Truth{errs[0]: paths.True}, func(n *paths.Node, stage int, _ paths.Known) (int, paths.Step) {
		call, ok := n.Instr.(*ssa.Call)
		if !ok || n.Joins != nil || n == w.node {
			return stage, paths.Continue
		}
		switch verb := c.verbFor(call, kind); {
		case verb == kubeapi.Get:
			stage = read
		case verb == kubeapi.Update && stage == read, slices.ContainsFunc(c.Calls.Callees(call).Funcs, func(fn *ssa.Function) bool { return c.readsAndUpdates(fn, kind) }):
			return stage, paths.Found
		}
		return stage, paths.Continue
	})
	return again
}

// verbFor is what a call asks the API server to do with an object of a kind, if anything.
func (c *checker) verbFor(call *ssa.Call, kind *types.Named) kubeapi.Verb {
	op, ok := c.ClientOp(call.Common())
	if !ok {
		return ""
	}
	object := objectOf(op, call)
	if object == nil || kubeapi.KindBehind(object) != kind {
		return ""
	}
	return op.Verb
}

// objectOf is the object that a call of a client is given or, of a typed one, returns.
func objectOf(op kubeapi.Op, call *ssa.Call) ssa.Value {
	if op.Object != nil {
		return op.Object
	}
	return calls.ResultOf(call, 0)
}

// readsAndUpdates reports whether a function reads an object of a kind, and updates one.
func (c *checker) readsAndUpdates(fn *ssa.Function, kind *types.Named) bool {
	does := func(verb kubeapi.Verb) bool {
		return blocks.Any(fn, func(call *ssa.Call) bool { return c.verbFor(call, kind) == verb })
	}
	return does(kubeapi.Get) && does(kubeapi.Update)
}
