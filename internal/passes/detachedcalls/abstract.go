package detachedcalls

import (
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/opvet/opvet/internal/kubeapi"
	"golang.org/x/tools/go/ssa"
)

// heed is how a call minds the end of a context that it gets.
type heed uint8

const (
	ignores heed = iota
	// mayHeed is what the form of an interface's method says, of which no
	// implementation that waits can be seen: the one in use may well ignore its
	// context.
	mayHeed
	heeds
)

// heedOfAbstract is [computer.heed] for a method of an interface of the user's
// modules: it heeds its context for sure if it is a client's, or if an
// implementation does that is in this package or one that it imports.
func (c *computer) heedOfAbstract(callee *types.Func) heed {
	if !kubeapi.HeedsContext(callee) {
		return ignores
	}
	if kubeapi.IsOfClient(callee) {
		return heeds
	}
	key := methodKey(callee)
	if c.waitsInMethod(key) {
		return heeds
	}
	for _, imported := range c.pass.Pkg.Imports() {
		if _, ok := c.waitingMethods(imported)[key]; ok {
			return heeds
		}
	}
	return mayHeed
}

// workOfAbstract tells what a method of an interface of the user's modules does:
// what the one implementation does that can be seen.
func (c *computer) workOfAbstract(callee *types.Func) Work {
	key, found, n := methodKey(callee), Work{}, 0
	if len(c.methods[key]) > 0 {
		found, n = c.workInMethod(key), 1
	}
	for _, imported := range c.pass.Pkg.Imports() {
		if work, ok := c.waitingMethods(imported)[key]; ok {
			found, n = work, n+1
		}
	}
	if n != 1 {
		return Work{}
	}
	return found
}

// waitingMethods returns the methods of an imported package that wait.
func (c *computer) waitingMethods(pkg *types.Package) map[string]Work {
	known, ok := c.imported[pkg]
	if !ok {
		var fact Looked
		c.pass.ImportPackageFact(pkg, &fact)
		known = make(map[string]Work, len(fact.Waiting))
		for i, key := range fact.Waiting {
			known[key] = fact.Works[i]
		}
		c.imported[pkg] = known
	}
	return known
}

// findMethods collects the methods of this package that may implement an
// interface's and wait.
func (c *computer) findMethods() {
	for _, fn := range c.graph.Funcs {
		obj, ok := fn.Object().(*types.Func)
		if ok && obj.Pkg() == c.pass.Pkg && obj.Signature().Recv() != nil && kubeapi.HeedsContext(obj) {
			key := methodKey(obj)
			c.methods[key] = append(c.methods[key], fn)
		}
	}
}

// waitsInMethod reports whether a method of this package waits.
func (c *computer) waitsInMethod(key string) bool {
	return slices.ContainsFunc(c.methods[key], func(fn *ssa.Function) bool {
		return slices.Contains(slices.Collect(maps.Values(c.waits[fn])), heeds)
	})
}

// workInMethod tells what the methods of this package do that have a key, if
// they agree.
func (c *computer) workInMethod(key string) Work {
	var found []Work
	for _, fn := range c.methods[key] {
		for index := range c.waits[fn] {
			found = append(found, c.works[fn][index])
		}
	}
	if len(found) != 1 {
		return Work{}
	}
	return found[0]
}

// exportLooked tells other packages that this one was looked into, and which of
// its methods wait.
func (c *computer) exportLooked() {
	fact := new(Looked)
	for _, key := range slices.Sorted(maps.Keys(c.methods)) {
		if c.waitsInMethod(key) {
			fact.Waiting = append(fact.Waiting, key)
			fact.Works = append(fact.Works, c.workInMethod(key))
		}
	}
	c.pass.ExportPackageFact(fact)
}

// methodKey is equal for a method of an interface and those that implement it.
func methodKey(fn *types.Func) string {
	var key strings.Builder
	key.WriteString(fn.Name())
	for _, tuple := range []*types.Tuple{fn.Signature().Params(), fn.Signature().Results()} {
		key.WriteByte('(')
		for v := range tuple.Variables() {
			fmt.Fprintf(&key, "%s,", types.TypeString(types.Unalias(v.Type()), nil))
		}
		key.WriteByte(')')
	}
	return key.String()
}

// isAbstract reports whether fn is a method of an interface.
func isAbstract(fn *types.Func) bool {
	recv := fn.Signature().Recv()
	return recv != nil && types.IsInterface(recv.Type())
}
