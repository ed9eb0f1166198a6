package objects

import (
	"go/types"
	"slices"

	"github.com/opvet/opvet/internal/kubeapi"
)

// Summary is the summary of a function, and the fact on it.
type Summary struct {
	// Params has an entry for each parameter, the receiver first.
	Params []Param
	// Returns tells for each result which parameter it is, or -1.
	Returns []int
	// Fresh lists for each result that is an object of the function's own
	// what has been changed in it and not persisted, as [Param.Mutates] does.
	Fresh [][]string
	// StatusOf lists the kinds whose status the function, or one that it
	// calls, writes through the status endpoint: what it leaves in such an
	// object's status it has taken care of.
	StatusOf []string
}

// AFact marks a fact on a function.
func (*Summary) AFact() {}

// Param is what a function does to one parameter.
type Param struct {
	// Mutates lists the paths (Go field names, joined by dots) that may have
	// been changed in memory and not persisted when the function returns.
	Mutates []string
	// Writes lists how it, or an object that it leads to, may have been
	// persisted.
	Writes []Write
	// Refreshes lists the paths to objects that may have been overwritten by
	// what the API server or another object has; "" is the parameter itself.
	Refreshes []string
	// Handoffs lists the paths to objects that may go where this analysis
	// cannot follow them.
	Handoffs []string
	// Calls tells that it is a function, called before this one returns.
	Calls bool
}

// Write is one way in which an object is persisted.
type Write struct {
	Path     string // from the parameter to the object; "" is itself
	Verb     kubeapi.Verb
	Endpoint kubeapi.Endpoint
	InMemory bool // the server's answer is stored into the object
	Partial  bool // a patch of which it is not known what it stores
	// IfChanged tells that nothing is sent if nothing has changed: see [kubeapi.Op].
	IfChanged bool
	// Rebased tells of a patch of the status that it starts from a copy which the
	// function makes itself, and Since what that changes between the copy and the
	// patch: paths inside the object, joined by commas. Nothing else is stored.
	Rebased bool
	Since   string
}

func (p Param) isZero() bool {
	return len(p.Mutates) == 0 && len(p.Writes) == 0 && len(p.Refreshes) == 0 && len(p.Handoffs) == 0 && !p.Calls
}

// persists returns the writes as a caller has to see them: a helper that may
// write either endpoint of an object chooses, as patch helpers do, what needs
// writing.
func (p Param) persists() []Write {
	all := make(map[string]kubeapi.Endpoint)
	always := make(map[string]bool) // sent by one of the writes, whether it has changed or not
	for _, w := range p.Writes {
		all[w.Path] |= w.Endpoint
		always[w.Path] = always[w.Path] || !w.IfChanged
	}
	var writes []Write
	for _, w := range p.Writes {
		if all[w.Path]&kubeapi.BothEndpoints == kubeapi.BothEndpoints {
			if slices.ContainsFunc(writes, func(seen Write) bool { return seen.Path == w.Path }) {
				continue
			}
			w.Endpoint = kubeapi.BothEndpoints
			w.IfChanged = !always[w.Path]
		}
		writes = append(writes, w)
	}
	return writes
}

// StatusWrites is the package fact of the kinds whose status is written by
// this package or one that it imports.
type StatusWrites struct {
	Kinds []string // sorted
}

// AFact marks a fact on a package.
func (*StatusWrites) AFact() {}

// takesObject reports whether a function has a parameter for an API object:
// that it leaves it alone is worth telling, too.
func takesObject(fn *types.Func) bool {
	recv := fn.Signature().Recv()
	return recv != nil && kubeapi.IsObject(recv.Type()) || kubeapi.AnyIs(fn.Signature().Params(), kubeapi.IsObject)
}

func (f *Summary) isZero() bool {
	return len(f.StatusOf) == 0 && !slices.ContainsFunc(f.Params, func(p Param) bool { return !p.isZero() }) &&
		!slices.ContainsFunc(f.Returns, func(i int) bool { return i >= 0 }) &&
		!slices.ContainsFunc(f.Fresh, func(paths []string) bool { return len(paths) > 0 })
}
