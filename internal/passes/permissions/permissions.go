// Package permissions derives what a program must be allowed by Kubernetes' RBAC: for
// each call of its clients the group, resource, subresource and verb, and which
// permissions its markers grant.
//
// Calls of typed clients, informers and recorders tell that where they stand. What goes
// through clients of controller-runtime is known where the program is put together,
// since only there it is known which objects get to a helper, and which client
// reads from a cache; see [reads]. What is chosen at run time is listed as unknown.
package permissions

import (
	"cmp"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/kubeapi/rbac"
	"github.com/opvet/opvet/internal/passes/kinds"
	"github.com/opvet/opvet/internal/passes/reads"
)

// Analyzer gathers what a package and those that it imports need; its result is a
// *[Permissions].
var Analyzer = &analysis.Analyzer{
	Name:       "opvetpermissions",
	Doc:        "derive the permissions that a program needs",
	Requires:   []*analysis.Analyzer{calls.Analyzer, kinds.Analyzer, reads.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[*Permissions](),
	FactTypes:  []analysis.Fact{new(Fact)},
}

// Fact is what a package and those that it imports need and grant. It is the fact
// on the package.
type Fact struct {
	Kinds   []Kind
	Direct  []Need
	Unknown []Unknown
	Markers []Marker
	// Forwards and Subresources are put together where the program is.
	Forwards     []Forward
	Subresources []Subresource
	// Open is where the program may have objects of kinds that it has no Go type of: in
	// unstructured form, or made by a scheme or decoder; empty if nowhere.
	Open string
	// Handed is where a library gets a client, which may ask for anything with it; empty
	// if nowhere.
	Handed string
	// Records tells that something records events, or hands a recorder to who may.
	Records bool
	// Edges lead to the functions that need something.
	Edges []Edge
	// Registered are the repositories (see [kubeapi.Repository]) of packages of which something is
	// mentioned that registers types in a scheme.
	Registered []string
	// Made is what the program grants to others.
	Made Made
	// Remote is where a client of another cluster, or of another user, is or may be
	// made; empty if nowhere.
	Remote string
}

// AFact marks Fact as a fact.
func (*Fact) AFact() {}

// Need is one permission that one place needs.
type Need struct {
	rbac.Permission
	Kind string // such as "Deployment", or empty
	// OrCached tells that list and watch would do as well, since the client may
	// read from a cache.
	OrCached bool
	// What is the call as the code has it, such as "r.Get".
	What  string
	Via   Via
	Where string // "dir/file.go:12"
	// Certain tells that the client is the program's own one, and not one of another
	// cluster.
	Certain bool
	// Given tells that the client is given to who calls it, and that nothing shows whose it
	// is: perhaps that of another cluster.
	Given bool
	// Several tells that the call may be about objects of several kinds, and that its place does not
	// tell which, or that it changes or deletes them, as in a helper that makes so whatever it
	// is handed: with some of them it may never do all that it can.
	Several bool
	// Mutates tells that the call asks for several permissions, not all of which it needs each
	// time: a CreateOrUpdate or CreateOrPatch, or a patch helper.
	Mutates bool
	// Everywhere tells that a Role in a namespace is not enough: the informer is for all
	// namespaces.
	Everywhere bool
	// Confined tells that the informer is certainly for some namespaces only, those
	// of the manager that is made at Cache.
	Confined bool
	Cache    string
	// InNamespace tells that the request is certainly about objects of one namespace, whichever
	// that is.
	InNamespace bool
	// Guessed tells that the name of the resource is what the API machinery would
	// guess.
	Guessed bool
	// Switch is the flag of the command line without which it is not needed, and which is
	// off unless it is given; empty for none.
	Switch string
	// Optional tells that a setting which is no such flag decides whether it is needed, and
	// nothing says that it is on.
	Optional bool
	// Unregistered tells that nothing in the program seems to register the type in a scheme, so that
	// the client refuses it before it asks.
	Unregistered bool
	// Func is the function that the place is in, as [Edge] has it; empty if it counts as
	// run.
	Func string
	// Pos is the place if it is one in the package under analysis.
	Pos token.Pos `json:"-"`
}

// Via is why a permission is needed.
type Via string

// The reasons.
const (
	Call       Via = "call"            // the API server is asked directly
	CachedRead Via = "cached read"     // the first read starts an informer
	Watch      Via = "watch"           // an informer of a controller or a factory
	Recorder   Via = "event recorder"  // events are dropped without
	Leader     Via = "leader election" // no replica ever leads without
	Metrics    Via = "metrics filter"  // no request for metrics is served without
	Owners     Via = "owner reference" // where OwnerReferencesPermissionEnforcement is on
	MadeRole   Via = "made role"       // whoever makes a role must hold what it grants, or may escalate
	As         Via = "impersonation"   // requests in another user's name
)

// Unknown is a call of which the kind or the subresource is not known.
type Unknown struct {
	What, Where string
	Func        string // as in [Need]
	// Reads tells that nothing is written.
	Reads bool
}

// Marker is a +kubebuilder:rbac marker.
type Marker struct {
	rbac.Rule
	Inert string
	Where string
	Pos   token.Pos `json:"-"`
	End   token.Pos `json:"-"`
}

// Permissions is what is known in one package.
type Permissions struct {
	Fact
	// Program is what the program does through clients of controller-runtime.
	Program *reads.Program
	// Known is false if the package was not looked into.
	Known bool

	fset *token.FileSet
	own  string // the repository of the package, see [kubeapi.Repository]
	// switched are the types of controllers that are set up on demand, see [switches.types].
	switched map[string]string
	compose  sync.Once
	needs    []Need
	unknown  []Unknown
}

// The bounds of the fact.
const (
	maxDirect  = 8000
	maxUnknown = 1000
)

func run(pass *analysis.Pass) (any, error) {
	p := &Permissions{Program: pass.ResultOf[reads.Analyzer].(*reads.Program), fset: pass.Fset}
	p.own, _ = kubeapi.Repository(pass.Pkg.Path())
	for _, imported := range kubeapi.Imports(pass) {
		var fact Fact
		if pass.ImportPackageFact(imported, &fact) {
			p.merge(&fact)
		}
	}
	if graph := pass.ResultOf[calls.Analyzer].(*calls.Graph); graph.Pkg != nil {
		p.Known = true
		g := &gatherer{
			Permissions: p, pass: pass, calls: graph,
			resolve: &resolver{fset: pass.Fset, kinds: pass.ResultOf[kinds.Analyzer].(*kinds.Kinds)},
			seen:    make(map[types.Type]bool), mentioned: make(map[Edge]bool),
		}
		g.gather()
		if pass.Pkg.Name() == "main" {
			p.switched = g.switches().types()
		}
	}
	if kubeapi.InUserModule(pass) {
		p.readMarkers(pass)
	}
	p.normalize()
	if !p.isZero() && kubeapi.InUserModule(pass) {
		pass.ExportPackageFact(p.exported())
	}
	return p, nil
}

func (p *Permissions) merge(fact *Fact) {
	p.Kinds = append(p.Kinds, fact.Kinds...)
	p.Direct = append(p.Direct, fact.Direct...)
	p.Unknown = append(p.Unknown, fact.Unknown...)
	p.Markers = append(p.Markers, fact.Markers...)
	p.Made.merge(&fact.Made)
	p.Edges = append(p.Edges, fact.Edges...)
	p.Registered = append(p.Registered, fact.Registered...)
	p.Forwards = append(p.Forwards, fact.Forwards...)
	p.Subresources = append(p.Subresources, fact.Subresources...)
	p.Remote, p.Open = first(p.Remote, fact.Remote), first(p.Open, fact.Open)
	p.Handed = first(p.Handed, fact.Handed)
	p.Records = p.Records || fact.Records
}

// first returns the first of two places of which there may be none.
func first(a, b string) string {
	if a == "" || b != "" && b < a {
		return b
	}
	return a
}

// exported is the fact without what has a meaning in this package only.
func (p *Permissions) exported() *Fact {
	fact := p.Fact
	fact.Direct = slices.Clone(p.Direct)
	for i := range fact.Direct {
		fact.Direct[i].Pos = token.NoPos
	}
	fact.Forwards = slices.Clone(p.Forwards)
	for i := range fact.Forwards {
		fact.Forwards[i].Pos = token.NoPos
	}
	fact.Markers = slices.Clone(p.Markers)
	for i := range fact.Markers {
		fact.Markers[i].Pos, fact.Markers[i].End = token.NoPos, token.NoPos
	}
	return &fact
}

func (p *Permissions) readMarkers(pass *analysis.Pass) {
	for _, file := range pass.Files {
		if strings.HasSuffix(pass.Fset.Position(file.FileStart).Filename, "_test.go") {
			continue
		}
		for _, m := range rbac.MarkersOf(file) {
			p.Markers = append(p.Markers, Marker{Rule: m.Rule, Inert: m.Inert, Where: syntax.Place(pass.Fset, m.Pos), Pos: m.Pos, End: m.End})
		}
	}
}

func (p *Permissions) isZero() bool {
	return len(p.Kinds) == 0 && len(p.Direct) == 0 && len(p.Unknown) == 0 && len(p.Markers) == 0 && p.Remote == "" && p.Open == "" && p.Handed == "" && !p.Records && p.Made.isZero() && len(p.Forwards) == 0 && len(p.Subresources) == 0 && len(p.Edges) == 0 && len(p.Registered) == 0
}

// normalize sorts, and drops what is there twice: packages are imported in more
// than one way.
func (p *Permissions) normalize() {
	// Of two answers, the one that knows the resource.
	slices.SortStableFunc(p.Kinds, func(a, b Kind) int {
		return cmp.Or(strings.Compare(a.ID, b.ID), strings.Compare(b.Resource, a.Resource))
	})
	p.Kinds = slices.CompactFunc(p.Kinds, func(a, b Kind) bool { return a.ID == b.ID })
	slices.SortStableFunc(p.Direct, compareNeeds)
	p.Direct = slices.CompactFunc(p.Direct, func(a, b Need) bool { return compareNeeds(a, b) == 0 })
	p.Direct = p.Direct[:min(len(p.Direct), maxDirect)]
	slices.Sort(p.Registered)
	p.Registered = slices.Compact(p.Registered)
	p.Made.normalize()
	p.Forwards, p.Subresources = normalizeForwards(p.Forwards, p.Subresources)
	slices.SortFunc(p.Edges, func(a, b Edge) int { return cmp.Or(strings.Compare(a.From, b.From), strings.Compare(a.To, b.To)) })
	p.Edges = slices.Compact(p.Edges)
	p.Unknown = sortUnknown(p.Unknown)
	p.Unknown = p.Unknown[:min(len(p.Unknown), maxUnknown)]
	slices.SortStableFunc(p.Markers, func(a, b Marker) int { return reads.ComparePlaces(a.Where, b.Where) })
	p.Markers = slices.CompactFunc(p.Markers, func(a, b Marker) bool { return a.Where == b.Where })
}

func sortUnknown(list []Unknown) []Unknown {
	slices.SortFunc(list, func(a, b Unknown) int {
		return cmp.Or(reads.ComparePlaces(a.Where, b.Where), strings.Compare(a.What, b.What))
	})
	return slices.CompactFunc(list, func(a, b Unknown) bool { return a.Where == b.Where && a.What == b.What })
}
