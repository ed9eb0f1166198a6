// Package owners tells which objects are made owners of which, by the helpers
// of libraries or by hand, themselves or through functions that they call, and
// where the namespaces of objects come from.
//
// Functions of the user's modules say in a fact what references their results
// carry, which of their parameters they make an owner of which, and from where
// the namespaces come that they return or look objects up in.
package owners

import (
	"go/token"
	"go/types"
	"reflect"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/facts"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// Analyzer finds owner references; its result is an *[References].
var Analyzer = &analysis.Analyzer{
	Name:       "opvetowners",
	Doc:        "tell which objects are made owners of which",
	Requires:   []*analysis.Analyzer{objects.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[*References](),
	FactTypes:  []analysis.Fact{new(Summary)},
}

// Party is one of the two objects of an owner reference.
type Party struct {
	Value  ssa.Value // what the code has it in
	Object paths.Object
	Kind   *types.Named // nil if it is not known
}

// Link is a place where one object is made an owner of another.
type Link struct {
	Instr        ssa.Instruction
	Owner, Child Party
	// Controller tells that the owner becomes the child's controller, as far
	// as is known.
	Controller bool
	// Checked is the library's function that refuses references which are not
	// allowed; empty for references made by hand.
	Checked string
	// Pos is where the reference stands that is made by hand.
	Pos token.Pos
	// Via is the function that does it with its parameters.
	Via *types.Func
	// Dropped tells that nobody reads the error of Checked.
	Dropped bool
}

// Summary is the fact on a function.
type Summary struct {
	// Carries has the results that are references, or metadata with
	// references, to what a parameter is.
	Carries []Carried
	// Links has the pairs of parameters that it makes owner and child.
	Links []ParamLink
	// Namespaces has where the strings come from that it returns.
	Namespaces []ParamPath
	// Lookups has the results that are read from the namespace which a
	// parameter holds.
	Lookups []Carried
	// Places has the namespaces that it puts the objects in which it makes.
	Places []ResultPlace
}

// AFact marks Summary as a fact.
func (*Summary) AFact() {}

// IsZero reports whether nothing is known.
func (f *Summary) IsZero() bool {
	return len(f.Carries) == 0 && len(f.Links) == 0 && len(f.Namespaces) == 0 && len(f.Lookups) == 0 && len(f.Places) == 0
}

// Carried pairs a result with a parameter (the receiver counted).
type Carried struct{ Result, Param int }

// ParamLink pairs the parameters that are made owner and child.
type ParamLink struct {
	Owner, Child int
	Controller   bool
	Checked      string
}

// ParamPath is a string that a function returns: the parameter itself, or the
// field that a path leads to from it.
type ParamPath struct {
	Result, Param int
	Path          string
}

// ResultPlace is where the namespace of an object comes from that a function
// returns.
type ResultPlace struct {
	Result int
	Kind   OriginKind
	Text   string
	Param  int // whose namespace or spec, or which string it is
}

// References answers for one package.
type References struct {
	Summaries *objects.Summaries

	sums *facts.Table[Summary, *Summary]
}

// maxRounds bounds how often functions are summarised: a helper of a helper
// needs another round.
const maxRounds = 3

// maxTrace bounds how far values are followed.
const maxTrace = 10

func run(pass *analysis.Pass) (any, error) {
	i := &References{
		Summaries: pass.ResultOf[objects.Analyzer].(*objects.Summaries),
	}
	if i.Summaries.Calls.Pkg == nil {
		return i, nil
	}
	i.sums = facts.New[Summary](pass, i.Summaries.Calls)
	i.sums.Fill(maxRounds, i.summarise)
	i.sums.Export()
	return i, nil
}

// Links returns the places of a function where an object is made an owner.
func (i *References) Links(fn *ssa.Function) []Link {
	var found []Link
	for instr := range blocks.Instrs(fn) {
		found = append(found, i.linksAt(instr)...)
	}
	return found
}

func (i *References) linksAt(instr ssa.Instruction) []Link {
	switch instr := instr.(type) {
	case *ssa.Store:
		return i.stored(instr)
	case ssa.CallInstruction:
		return i.called(instr)
	}
	return nil
}

// stored is an assignment of references, or of metadata that has some.
func (i *References) stored(store *ssa.Store) []Link {
	addr, ok := store.Addr.(*ssa.FieldAddr)
	if !ok {
		return nil
	}
	var child Party
	pos := store.Pos()
	switch {
	case kubeapi.IsOwnerReferences(store.Val.Type()) && kubeapi.IsObjectMeta(addr.X.Type()):
		child = i.partyOf(addr.X)
	case kubeapi.IsObjectMeta(store.Val.Type()) && kubeapi.KindOf(addr.X.Type()) != nil:
		child = i.partyOf(addr.X)
		if at := referencesIn(store.Val); at.IsValid() {
			pos = at
		}
	default:
		return nil
	}
	if child.Kind == nil {
		return nil
	}
	var found []Link
	for _, owner := range i.ownersOf(store.Val, 0) {
		found = append(found, Link{Instr: store, Owner: owner, Child: child, Pos: pos})
	}
	return found
}

// referencesIn returns where a composite literal of metadata has its owner
// references.
func referencesIn(meta ssa.Value) token.Pos {
	load, ok := meta.(*ssa.UnOp)
	if !ok {
		return token.NoPos
	}
	alloc, ok := load.X.(*ssa.Alloc)
	if !ok {
		return token.NoPos
	}
	for field := range blocks.UsesOf[*ssa.FieldAddr](alloc) {
		for store := range blocks.UsesOf[*ssa.Store](field) {
			if kubeapi.IsOwnerReferences(store.Val.Type()) {
				return store.Pos()
			}
		}
	}
	return token.NoPos
}

// called is what a call links.
func (i *References) called(call ssa.CallInstruction) []Link {
	common := call.Common()
	if c, ok := kubeapi.OwnerCallOf(common); ok {
		if i.asksWhy(call) {
			return nil
		}
		return []Link{{Instr: call, Owner: i.partyOf(c.Owner), Child: i.partyOf(c.Object), Controller: c.Controller, Checked: c.Name, Dropped: isDropped(call)}}
	}
	if callee := kubeapi.Callee(common); kubeapi.IsMetaSetter(callee, "SetOwnerReferences") {
		recv, args := kubeapi.Args(common)
		if recv == nil || len(args) != 1 {
			return nil
		}
		var found []Link
		for _, owner := range i.ownersOf(args[0], 0) {
			found = append(found, Link{Instr: call, Owner: owner, Child: i.partyOf(recv)})
		}
		return found
	}
	operands := kubeapi.Operands(common)
	var found []Link
	summaries := i.sums.At(call)
	if len(summaries) > 0 && i.asksWhy(call) {
		return nil
	}
	for _, f := range summaries {
		for _, l := range f.Links {
			if l.Owner < len(operands) && l.Child < len(operands) {
				found = append(found, Link{
					Instr: call, Owner: i.partyOf(operands[l.Owner]), Child: i.partyOf(operands[l.Child]),
					Controller: l.Controller, Checked: l.Checked, Via: kubeapi.Callee(common),
				})
			}
		}
	}
	return found
}

// isDropped reports whether nothing is done with a call's error.
func isDropped(call ssa.CallInstruction) bool {
	value, ok := call.(*ssa.Call)
	return ok && calls.Unused(value)
}

// asksWhy reports whether the text of a call's error is looked into, here or by callers: whoever does
// so knows what is refused, and goes on without the reference.
func (i *References) asksWhy(call ssa.CallInstruction) bool {
	value, ok := call.(*ssa.Call)
	if !ok {
		return false
	}
	for err, use := range (values.Relation{Calls: i.Summaries.Calls, Steps: values.Package}).Uses(value) {
		text, ok := use.(*ssa.Call)
		if !ok || !text.Call.IsInvoke() || text.Call.Value != err || text.Call.Method.Name() != "Error" {
			continue
		}
		for test := range blocks.UsesOf[*ssa.Call](text) {
			if callee := kubeapi.Callee(test.Common()); callee != nil && callee.Pkg() != nil && callee.Pkg().Path() == "strings" {
				return true
			}
		}
	}
	return false
}

// partyOf is the object that v is, or that v is the metadata of.
func (i *References) partyOf(v ssa.Value) Party {
	if call, index := calls.CallOf(v); call != nil && index == 0 {
		if arg, ok := kubeapi.AccessorArgument(call.Common()); ok {
			return i.partyOf(arg)
		}
	}
	place := i.Summaries.Resolve.Place(v)
	p := Party{Value: v, Object: place.Object, Kind: place.Kind}
	if len(place.Sub) > 0 && place.Sub[0] != kubeapi.MetadataPath {
		p.Kind = nil // a part of an object, such as a template's metadata
		p.Object = paths.Object{Root: v}
		return p
	}
	if p.Kind == nil {
		p.Kind = kubeapi.KindOfValue(v)
	}
	if p.Kind == nil && p.Object.Path == "" && p.Object.Root != nil {
		p.Kind = kubeapi.KindOf(p.Object.Root.Type())
	}
	return p
}

// summarise finds what a function does.
func (i *References) summarise(fn *ssa.Function) *Summary {
	f := new(Summary)
	param := func(o paths.Object) int {
		p, ok := o.Root.(*ssa.Parameter)
		if !ok || o.Path != "" {
			return -1
		}
		return slices.Index(fn.Params, p)
	}
	for _, l := range i.Links(fn) {
		owner, child := param(l.Owner.Object), param(l.Child.Object)
		if owner < 0 || child < 0 || owner == child || i.ComparesNamespaces(fn) {
			continue
		}
		note(&f.Links, ParamLink{Owner: owner, Child: child, Controller: l.Controller, Checked: l.Checked})
	}
	for ret := range blocks.Returns(fn) {
		for n, v := range ret.Results {
			i.summariseResult(f, fn, n, v, param)
		}
	}
	return f
}

// maxPairs bounds each list of the fact on a function.
const maxPairs = 8

// note adds to one of them what is new.
func note[T comparable](list *[]T, one T) {
	if len(*list) < maxPairs && !slices.Contains(*list, one) {
		*list = append(*list, one)
	}
}

func (i *References) summariseResult(f *Summary, fn *ssa.Function, n int, v ssa.Value, param func(paths.Object) int) {
	t := v.Type()
	switch {
	case kubeapi.IsOwnerReference(t), kubeapi.IsOwnerReferences(t), kubeapi.IsObjectMeta(t):
		for _, owner := range i.ownersOf(v, 0) {
			if index := param(owner.Object); index >= 0 {
				note(&f.Carries, Carried{n, index})
			}
		}
	case kubeapi.IsString(t):
		for _, origin := range i.namespacesOf(v, 0) {
			if origin.Kind == FromParameter && origin.Param.Parent() == fn {
				note(&f.Namespaces, ParamPath{Result: n, Param: slices.Index(fn.Params, origin.Param), Path: origin.Path})
			}
		}
	case kubeapi.KindOf(t) != nil:
		i.summarisePlaces(f, fn, n, v, param)
		for _, origin := range i.readFrom(fn, i.partyOf(v)) {
			if origin.Kind == FromParameter && origin.Path == "" && origin.Param.Parent() == fn {
				note(&f.Lookups, Carried{n, slices.Index(fn.Params, origin.Param)})
			}
		}
	}
}

// summarisePlaces finds the namespace that a function gives to an object which
// it makes and returns.
func (i *References) summarisePlaces(f *Summary, fn *ssa.Function, n int, v ssa.Value, param func(paths.Object) int) {
	made := i.partyOf(v)
	if made.Object.Path != "" || param(made.Object) >= 0 {
		return
	}
	origins := i.assigned(fn, Link{Child: made})
	if len(origins) == 0 {
		origins = i.made(made)
	}
	for _, origin := range origins {
		p := ResultPlace{Result: n, Kind: origin.Kind, Text: origin.Text}
		switch origin.Kind {
		case Own, Spec:
			p.Param = param(origin.Object)
		case FromParameter:
			p.Param = slices.Index(fn.Params, origin.Param)
			if origin.Path != "" {
				p.Param = -1
			}
		}
		if p.Param < 0 {
			p = ResultPlace{Result: n}
		}
		note(&f.Places, p)
	}
}
