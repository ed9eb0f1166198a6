// Package invariants tells what a value is made of: what is the same in each
// call of a function, or what the callers hand over.
//
// A client that a reconciler builds could be built once if its configuration
// comes from the reconciler's fields, from variables of the package and from
// the surroundings of the process. If it comes from the object, from what the
// API server was asked for, or from a map under a key, it could not. The
// answer is the list of parameters, with the fields of them, that a value needs,
// or that it cannot be told.
//
// Functions of other packages that return configurations or clients say in the
// fact [Returns] what these are made of.
package invariants

import (
	"go/types"
	"reflect"
	"slices"
	"sync"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/facts"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Analyzer answers what values are made of; its result is an *[Values].
var Analyzer = &analysis.Analyzer{
	Name:       "opvetinvariants",
	Doc:        "find what configurations and clients are made of",
	Requires:   []*analysis.Analyzer{calls.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[*Values](),
	FactTypes:  []analysis.Fact{new(Returns), new(Looked)},
}

// Need is a parameter, or a part of one, that a value is made of.
type Need struct {
	Param *ssa.Parameter
	Path  string // fields, as in "context.KubeConfig"
}

// Input is a [Need] in a fact: the receiver is parameter 0.
type Input struct {
	Param int
	Path  string
}

// Returns is the fact on a function of the user's modules that returns
// configurations or clients.
type Returns struct {
	// Results has those that are known.
	Results []Result
}

// Result is what one result is made of.
type Result struct {
	Index  int
	Inputs []Input
}

// AFact marks a fact on a function.
func (*Returns) AFact() {}

// IsZero reports whether nothing is known.
func (r *Returns) IsZero() bool { return len(r.Results) == 0 }

// Looked is a fact about a package: its functions were looked into, so that one
// without the fact [Returns] does not return what is the same each time.
type Looked struct{}

// AFact marks Looked as a fact.
func (*Looked) AFact() {}

// Values answers for one package.
type Values struct {
	graph  *calls.Graph
	pass   *analysis.Pass
	made   *facts.Table[Returns, *Returns]
	looked map[*types.Package]bool

	mu    sync.Mutex // several analyzers may ask at the same time
	steps int
}

func run(pass *analysis.Pass) (any, error) {
	i := &Values{
		graph: pass.ResultOf[calls.Analyzer].(*calls.Graph), pass: pass,
		looked: make(map[*types.Package]bool),
	}
	if i.graph.Pkg == nil {
		return i, nil
	}
	i.made = facts.New[Returns](pass, i.graph)
	for pkg := range facts.OfPackages[*Looked](pass) {
		i.looked[pkg] = true
	}
	pass.ExportPackageFact(new(Looked))
	i.made.Fill(1, i.returns)
	i.made.Export()
	return i, nil
}

// LookedInto reports whether the functions of a package have facts.
func (i *Values) LookedInto(pkg *types.Package) bool { return i.looked[pkg] }

// Needs returns the parameters that a value is made of; ok is false if it may be
// another one in each call, or cannot be told.
func (i *Values) Needs(v ssa.Value) (needs []Need, ok bool) { return i.Part(v, "") }

// Part is [Values.Needs] for a part of a value, told by its fields.
func (i *Values) Part(v ssa.Value, path string) (needs []Need, ok bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.steps = 0
	s := &search{info: i, seen: make(map[visit]bool)}
	ok = s.value(v, paths.Split(path), 0)
	return s.needs, ok
}

// returns summarises a function that returns configurations or clients.
func (i *Values) returns(fn *ssa.Function) *Returns {
	fact := new(Returns)
	results := fn.Signature.Results()
	for n := range results.Len() {
		t := results.At(n).Type()
		if !kubeapi.IsRESTConfig(t) && kubeapi.ClientKindOf(t) == kubeapi.NoClient {
			continue
		}
		i.steps = 0
		s := &search{info: i, seen: make(map[visit]bool)}
		if !s.results(fn, n, nil, 0) {
			continue
		}
		inputs, ok := Inputs(fn, s.needs)
		if ok {
			fact.Results = append(fact.Results, Result{n, inputs})
		}
	}
	return fact
}

// Inputs turns needs into what a fact says; ok is false if one is no parameter
// of the function, or there are too many.
func Inputs(fn *ssa.Function, needs []Need) (inputs []Input, ok bool) {
	for _, need := range needs {
		n := slices.Index(fn.Params, need.Param)
		if n < 0 || len(inputs) == maxInputs {
			return nil, false
		}
		inputs = append(inputs, Input{n, need.Path})
	}
	return inputs, true
}

const maxInputs = 8
