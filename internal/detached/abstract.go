package detached

import (
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/opvet/opvet/internal/kubeapi"
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
	if c.waitsInMethod(key) || slices.ContainsFunc(c.pass.Pkg.Imports(), func(p *types.Package) bool { return c.waitingMethods(p)[key] }) {
		return heeds
	}
	return mayHeed
}

// waitingMethods returns the methods of an imported package that wait.
func (c *computer) waitingMethods(pkg *types.Package) map[string]bool {
	known, ok := c.imported[pkg]
	if !ok {
		var fact Looked
		c.pass.ImportPackageFact(pkg, &fact)
		known = make(map[string]bool, len(fact.Waiting))
		for _, key := range fact.Waiting {
			known[key] = true
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
	for _, fn := range c.methods[key] {
		for _, level := range c.waits[fn] {
			if level == heeds {
				return true
			}
		}
	}
	return false
}

// exportLooked tells other packages that this one was looked into, and which of
// its methods wait.
func (c *computer) exportLooked() {
	fact := new(Looked)
	for _, key := range slices.Sorted(maps.Keys(c.methods)) {
		if c.waitsInMethod(key) {
			fact.Waiting = append(fact.Waiting, key)
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
