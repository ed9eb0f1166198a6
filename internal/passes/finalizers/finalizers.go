// Package finalizers tells which finalizers functions put on objects and take
// off them, by the helpers of libraries or by hand, themselves or in what they
// call, and what conditions say about whether an object is being deleted.
//
// Functions of the user's modules say in a fact what they do to the finalizers
// of their parameters, and what their results say about their deletion.
package finalizers

import (
	"go/types"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/facts"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// Analyzer finds changes of finalizers; its result is an *[Finalizers].
var Analyzer = &analysis.Analyzer{
	Name:       "opvetfinalizers",
	Doc:        "tell which finalizers functions add and remove",
	Requires:   []*analysis.Analyzer{objects.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[*Finalizers](),
	FactTypes:  []analysis.Fact{new(Summary)},
}

// Kind is a kind of change of a list of finalizers.
type Kind uint8

const (
	// Added puts a finalizer on the list.
	Added Kind = iota
	// Removed takes one off.
	Removed
	// Emptied takes all off.
	Emptied
	// Replaced stores a list that was not made from the object's own.
	Replaced
	// Ran runs controller-runtime's registry of finalizers, which adds and
	// removes what is registered.
	Ran
)

func (k Kind) String() string {
	return [...]string{"added", "removed", "emptied", "replaced", "ran"}[k]
}

// Name identifies a finalizer.
type Name struct {
	// Value is the name, if it is a constant.
	Value string
	// Key identifies what holds a name that is none: a variable or field.
	Key string
	// Param is 1 + the parameter (the receiver counted) that holds it, seen
	// from the function that changes the list.
	Param int
}

// Known reports whether two equal names are one finalizer.
func (n Name) Known() bool { return n != Name{} }

func (n Name) String() string {
	switch {
	case n.Value != "":
		return strconv.Quote(n.Value)
	case n.Key != "":
		return n.Key
	case n.Param > 0:
		return "parameter " + strconv.Itoa(n.Param-1)
	}
	return "unknown"
}

// ListOf is the place of an object's list of finalizers.
func ListOf(o paths.Object) paths.Place {
	return paths.Place{Object: o, Sub: []string{"ObjectMeta", "Finalizers"}}
}

// MaxChanges bounds the changes in one function that are looked at: where there
// are more, nobody wrote it by hand, and each change is compared with whatever
// else happens there.
const MaxChanges = 100

// Change is one change of an object's list of finalizers.
type Change struct {
	Kind   Kind
	Object paths.Object
	// Type is the kind of the object, or nil if it is not known.
	Type *types.Named
	Name Name
	// Via is the helper that makes the change, or nil if the instruction does.
	Via *types.Func
	// Arg is the value through which the instruction has the object.
	Arg ssa.Value
	// Persisted tells that the helper writes the object, too.
	Persisted bool
	// Guarded tells that the helper adds only after it has made sure that the
	// object is not being deleted.
	Guarded bool
}

// Summary is the fact on a function: what it does with the finalizers of its
// parameters.
type Summary struct {
	Changes    []ParamChange
	Lists      []ListEdit
	Predicates []Predicate
	// Stamps lists the parameters whose deletion timestamp it returns, and nothing
	// else.
	Stamps []int
	// Reads lists the parameters whose deletion timestamp it dereferences
	// without having looked whether there is one, Asks those for which it looks.
	Reads, Asks []int
	// Copies are the additions that it makes, and persists, to copies of its
	// parameters.
	Copies []ParamChange
	// Fetched lists the results that are objects read from the API server or
	// a cache.
	Fetched []int
	// Patches are the merge patches that it sends, unlocked, from one
	// parameter to another.
	Patches []ParamPatch
	// Diffs are the results that hold such a patch.
	Diffs []ParamDiff
	// Documents are the merge patches that it sends as it is given them.
	Documents []ParamDocument
}

// AFact marks Summary as a fact.
func (*Summary) AFact() {}

// ParamChange is a change that a function makes to what a parameter (the
// receiver counted) leads to.
type ParamChange struct {
	Param     int
	Path      string // from the parameter to the object; empty for itself
	Kind      Kind
	Name      Name
	Persisted bool
	Guarded   bool
}

// ListEdit is what a function that gets and returns a list of strings does to
// it.
type ListEdit struct {
	Result int
	List   int // the parameter
	Kind   Kind
	Name   Name
}

// Predicate is what a bool or error that a function returns says about whether
// one of its parameters, or what Path leads to from it, is being deleted.
type Predicate struct {
	Result, Param   int
	Path            string
	IfTrue, IfFalse Status
}

// Finalizers answers for one package.
type Finalizers struct {
	Summaries *objects.Summaries

	pass  *analysis.Pass
	known *facts.Table[Summary, *Summary]

	mu      sync.Mutex // several analyzers ask at the same time
	tests   map[*ssa.Function][]Test
	answers map[question]bool
}

// maxRounds bounds how often functions are summarised: a helper of a helper
// needs another round.
const maxRounds = 4

func run(pass *analysis.Pass) (any, error) {
	i := &Finalizers{
		Summaries: pass.ResultOf[objects.Analyzer].(*objects.Summaries),
		pass:      pass, tests: make(map[*ssa.Function][]Test), answers: make(map[question]bool),
	}
	graph := i.Summaries.Calls
	if graph.Pkg == nil {
		return i, nil
	}
	i.known = facts.New[Summary](pass, graph)
	i.known.Fill(maxRounds, func(fn *ssa.Function) *Summary {
		clear(i.tests) // what is known of others may have changed
		return i.summarise(fn)
	})
	clear(i.tests)
	i.known.Export()
	return i, nil
}

// IsZero reports whether nothing is known.
func (f *Summary) IsZero() bool {
	return len(f.Changes) == 0 && len(f.Lists) == 0 && len(f.Predicates) == 0 && len(f.Stamps) == 0 && len(f.Reads) == 0 && len(f.Asks) == 0 &&
		len(f.Copies) == 0 && len(f.Fetched) == 0 && len(f.Patches) == 0 && len(f.Diffs) == 0 && len(f.Documents) == 0
}

// Changes returns what an instruction does to objects' finalizers, itself or by
// the functions that it calls.
func (i *Finalizers) Changes(instr ssa.Instruction) []Change {
	switch instr := instr.(type) {
	case *ssa.Store:
		addr, ok := instr.Addr.(*ssa.FieldAddr)
		if !ok || !isFinalizersField(addr) {
			return nil
		}
		place := i.Place(addr)
		return i.assigned(instr.Parent(), place, nil, instr.Val)
	case *ssa.Go:
		return nil
	case ssa.CallInstruction:
		return i.called(instr)
	}
	return nil
}

// isFinalizersField reports whether addr is the address of the list in an
// ObjectMeta.
func isFinalizersField(addr *ssa.FieldAddr) bool { return kubeapi.IsMetaField(addr, "Finalizers") }

// called is what a call does.
func (i *Finalizers) called(call ssa.CallInstruction) []Change {
	common := call.Common()
	if f, ok := kubeapi.FinalizerCallOf(common); ok && len(i.Summaries.Calls.Callees(call).Funcs) == 0 {
		c := i.change(f.Object)
		c.Persisted, c.Guarded = f.Persists, f.Guarded
		switch f.Verb {
		case kubeapi.AddsFinalizer:
			c.Kind = Added
		case kubeapi.RemovesFinalizer:
			c.Kind = Removed
		case kubeapi.RunsFinalizers:
			c.Kind = Ran
		}
		if f.Name != nil {
			c.Name = i.NameOf(f.Name)
		}
		return []Change{c}
	}
	if callee := kubeapi.Callee(common); kubeapi.IsFinalizerSetter(callee) && len(i.Summaries.Calls.Callees(call).Funcs) == 0 {
		recv, args := kubeapi.Args(common)
		if recv == nil || len(args) != 1 {
			return nil
		}
		return i.assigned(call.Parent(), i.Place(recv), recv, args[0])
	}
	var changes []Change
	for _, f := range i.known.At(call) {
		for _, p := range f.Changes {
			changes = i.apply(changes, call, p)
		}
	}
	return changes
}

// apply appends what a function does to a parameter, seen from a call of it.
func (i *Finalizers) apply(changes []Change, call ssa.CallInstruction, p ParamChange) []Change {
	operands := kubeapi.Operands(call.Common())
	if p.Param >= len(operands) {
		return changes
	}
	c := i.change(operands[p.Param])
	if p.Path != "" {
		path := strings.Split(p.Path, ".")
		place := i.Summaries.Resolve.Descend(i.Place(operands[p.Param]), operands[p.Param].Type(), path)
		c.Object, c.Type = place.Object, place.Kind
		if c.Type == nil { // the object itself
			c.Type = kubeapi.KindOf(place.TypeFrom(operands[p.Param].Type(), path))
		}
	}
	c.Kind, c.Name, c.Persisted, c.Guarded = p.Kind, p.Name, p.Persisted, p.Guarded
	if p.Name.Param > 0 {
		c.Name = Name{}
		if p.Name.Param-1 < len(operands) {
			c.Name = i.NameOf(operands[p.Name.Param-1])
		}
	}
	c.Via = kubeapi.Callee(call.Common())
	return append(changes, c)
}

// change begins a change of the object v.
func (i *Finalizers) change(v ssa.Value) Change {
	place := i.Place(v)
	c := Change{Object: place.Object, Type: place.Kind, Arg: v}
	if c.Type == nil {
		c.Type = kubeapi.KindOfValue(v)
	}
	return c
}

// summarise finds what a function does with its parameters.
func (i *Finalizers) summarise(fn *ssa.Function) *Summary {
	f := &Summary{Predicates: i.predicates(fn), Stamps: i.stamps(fn), Lists: i.listEdits(fn)}
	u := i.Summaries.Unit(fn)
	f.Reads, f.Asks = i.readParams(u)
	for _, n := range u.Graph.Nodes {
		if skipped(n) {
			continue
		}
		for _, c := range i.Changes(n.Instr) {
			param, ok := c.Object.Root.(*ssa.Parameter)
			if !ok {
				continue
			}
			index := slices.Index(fn.Params, param)
			if index < 0 || len(f.Changes) >= maxChanges {
				continue
			}
			p := ParamChange{Param: index, Path: strings.TrimPrefix(c.Object.Path, "."), Kind: c.Kind, Name: c.Name, Persisted: c.Persisted, Guarded: c.Guarded}
			p.Persisted = p.Persisted || i.persisted(u, c.Object)
			p.Guarded = p.Guarded || c.Kind == Added && !i.MayBeDeleting(u, n, c.Object)
			if !slices.Contains(f.Changes, p) {
				f.Changes = append(f.Changes, p)
			}
		}
	}
	f.Copies = i.copies(u)
	f.Fetched = i.fetched(u)
	f.Patches, f.Diffs, f.Documents = i.sends(u), i.diffs(fn), i.documents(u)
	return f
}

// maxChanges bounds the fact on a function.
const maxChanges = 16

// persisted reports whether a unit writes an object's metadata.
func (i *Finalizers) persisted(u *objects.Unit, o paths.Object) bool {
	return slices.ContainsFunc(u.Sites, func(s objects.Site) bool {
		return s.WrittenTo(kubeapi.MainEndpoint) && s.Place.Object == o
	})
}

// NameOf identifies the finalizer that v, a string, is.
func (i *Finalizers) NameOf(v ssa.Value) Name {
	v = values.Relation{Calls: i.Summaries.Calls, Steps: values.Held}.End(v)
	if s, ok := kubeapi.ConstString(v); ok {
		return Name{Value: s}
	}
	switch x := v.(type) {
	case *ssa.Parameter:
		if n := slices.Index(x.Parent().Params, x); n >= 0 && x.Parent().Parent() == nil {
			return Name{Param: n + 1}
		}
	case *ssa.UnOp:
		switch addr := x.X.(type) {
		case *ssa.Global:
			if addr.Pkg != nil {
				return Name{Key: addr.Pkg.Pkg.Path() + "." + addr.Name()}
			}
		case *ssa.FieldAddr:
			if named := kubeapi.Named(addr.X.Type()); named != nil && named.Obj().Pkg() != nil {
				if s, ok := named.Underlying().(*types.Struct); ok {
					return Name{Key: named.Obj().Pkg().Path() + "." + named.Obj().Name() + "." + s.Field(addr.Field).Name()}
				}
			}
		}
	}
	return Name{}
}
