package reads

import (
	"cmp"
	"go/token"
	"slices"
	"strings"

	"github.com/opvet/opvet/internal/passes/managers"
)

// Op is how a kind is used.
type Op uint8

// The ways of using a kind.
const (
	// Get reads one object.
	Get Op = iota
	// ListSome reads those of a namespace, or with certain labels or fields.
	ListSome
	// ListAll reads all.
	ListAll
	// For, Owns and Watches are the watches of a controller.
	For
	Owns
	Watches
	// Informer asks for an informer, or registers an index.
	Informer
	// Handed is an object handed to a function of another module together with
	// a manager or cache: that may watch the kind.
	Handed
)

// Reads reports whether a use reads objects.
func (o Op) Reads() bool { return o <= ListAll }

// Form is in which form a kind is kept: each has a cache of its own.
type Form string

// The forms.
const (
	Typed        Form = "typed"
	Unstructured Form = "unstructured"
	Metadata     Form = "metadata"
)

// Use is one place that reads or watches a kind.
type Use struct {
	Op Op
	// By is the place of the client, cache or builder that is used; empty if it
	// is not known.
	By string
	// Object is the place of the object.
	Object string
	// Metadata tells that a watch keeps the metadata only, whatever the object.
	Metadata bool
	// What is the call as the code has it, such as "r.Get" or "Owns".
	What string
	// Filter is by what a predicate picks the objects of a watch: "name",
	// "namespace" or "labels"; empty if it does not.
	Filter string
	// Options are the fields of structs, "pkg.Type.Field", that are true, or hold something,
	// wherever it is reached, and "!pkg.Type.Field" those clients that are nil: see [Program.SwitchedOff].
	Options []string
	Where   string
	// Of is the type one of whose methods the place is in, as of [TypeOfMethod].
	Of string
	// InClient tells that the place is the same method of a client of the user's own, put
	// around another one: it may have methods that nobody calls.
	InClient bool
	// Mutates tells that the place is a CreateOrUpdate or CreateOrPatch, or a patch helper that sends
	// nothing where nothing has changed.
	Mutates bool
	// InCache tells that the cache itself is read, and no client that may leave it aside.
	InCache bool
	// Pos is the place, for uses in the package under analysis.
	Pos token.Pos `json:"-"`
	// Own tells that Pos is one in the package under analysis.
	Own bool `json:"-"`
}

// Flow tells that what is at From may get to To.
type Flow struct {
	To, From string
	// Where is the place of the call, if From is a kind.
	Where string
	// Sig tells the methods of one name apart that [Program.Given] does not take for each
	// other, by their signature; empty if it may be any.
	Sig string
}

// Fact is what a package and those that it imports do. It is the fact on the
// package.
type Fact struct {
	Flows    []Flow
	Uses     []Use
	Writes   []Write
	Managers []managers.Manager
	// Left are the managers that are handed on to the packages that import this
	// one, by their ID, so that these put the program together.
	Left []string
	// Switched are those of the options that may be true, or hold something.
	Switched []string
	// Full tells that something was left out, so that nothing is certain.
	Full bool
}

// AFact marks Fact as a fact.
func (*Fact) AFact() {}

// normalize sorts, and drops what is there twice, or what nothing can depend
// on: flows into places that lead to no use and that no other package can know.
func (p *Program) normalize() {
	slices.SortFunc(p.Flows, func(a, b Flow) int {
		return cmp.Or(strings.Compare(a.To, b.To), strings.Compare(a.From, b.From), strings.Compare(a.Where, b.Where), strings.Compare(a.Sig, b.Sig))
	})
	p.Flows = slices.Compact(p.Flows)
	slices.SortStableFunc(p.Uses, compareUses)
	p.Uses = slices.CompactFunc(p.Uses, func(a, b Use) bool { return compareUses(a, b) == 0 && a.Own == b.Own })
	slices.SortStableFunc(p.Writes, compareWrites)
	p.Writes = slices.CompactFunc(p.Writes, func(a, b Write) bool { return compareWrites(a, b) == 0 && a.Own == b.Own })
	slices.SortFunc(p.Managers, func(a, b managers.Manager) int { return strings.Compare(a.ID, b.ID) })
	p.Managers = slices.CompactFunc(p.Managers, func(a, b managers.Manager) bool { return a.ID == b.ID })
	slices.Sort(p.Left)
	p.Left = slices.Compact(p.Left)
	options := make(map[string]bool)
	note := func(u Use) {
		for _, option := range u.Options {
			options[strings.TrimPrefix(option, isWithout)] = true
		}
	}
	for _, u := range p.Uses {
		note(u)
	}
	for _, w := range p.Writes {
		note(w.Use)
	}
	// Who sets a field imports the package that declares it, which is the one with the use.
	p.Switched = slices.DeleteFunc(p.Switched, func(option string) bool { return !options[option] })
	slices.Sort(p.Switched)
	p.Switched = slices.Compact(p.Switched)

	p.index()
	needed := make(map[string]bool)
	var need func(place string)
	need = func(place string) {
		if needed[place] {
			return
		}
		needed[place] = true
		for _, f := range p.into[place] {
			need(f.From)
		}
	}
	for _, u := range p.Uses {
		need(u.By)
		need(u.Object)
	}
	for _, w := range p.Writes {
		need(w.By)
		need(w.Object)
	}
	for _, f := range p.Flows {
		switch prefix, _, _ := strings.Cut(f.To, ":"); prefix {
		case placeResult, placeField, placeVariable, placeMethodParam, placeMethodResult, placeFuncParam, placeFuncResult:
			need(f.To)
		}
	}
	p.Flows = slices.DeleteFunc(p.Flows, func(f Flow) bool { return !needed[f.To] })
	if len(p.Flows) > maxFlows || len(p.Uses) > maxUses {
		p.Flows, p.Uses, p.Full = p.Flows[:min(len(p.Flows), maxFlows)], p.Uses[:min(len(p.Uses), maxUses)], true
	}
	if len(p.Writes) > maxWrites {
		p.Writes, p.Full = p.Writes[:maxWrites], true
	}
	p.index()
}

func compareUses(a, b Use) int {
	return cmp.Or(ComparePlaces(a.Where, b.Where), strings.Compare(a.What, b.What), strings.Compare(a.By, b.By),
		strings.Compare(a.Object, b.Object), cmp.Compare(a.Op, b.Op))
}

func compareWrites(a, b Write) int {
	return cmp.Or(compareUses(a.Use, b.Use), strings.Compare(a.Verb, b.Verb), strings.Compare(a.Sub, b.Sub))
}

// ComparePlaces orders "dir/file.go:12" by file and line.
func ComparePlaces(a, b string) int {
	file, line, _ := strings.Cut(a, ":")
	other, otherLine, _ := strings.Cut(b, ":")
	return cmp.Or(strings.Compare(file, other), cmp.Compare(len(line), len(otherLine)), strings.Compare(line, otherLine))
}

func (p *Program) index() {
	p.into = make(map[string][]Flow)
	for _, f := range p.Flows {
		p.into[f.To] = append(p.into[f.To], f)
	}
}
