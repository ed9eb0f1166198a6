// Package retained finds objects of an informer's cache that the program keeps:
// in a map or slice that lives as long as the process, with nothing in the
// package that ever takes them out.
//
// The maps, slices and keyed containers that matter are fields, package-level
// variables, and local variables that handlers capture. All that the package does to
// one is looked at; a container that gets out of sight, or that other packages
// may reach, counts as one from which things are removed. What a function of
// another package keeps of its parameters is known by facts.
//
// It reports nothing. Analyzers ask [Retentions.Kept] and [Retentions.Torn].
package retained

import (
	"go/types"
	"reflect"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/facts"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/passes/cacheobjects"
)

// Analyzer finds what is kept; its result is an *[Retentions].
var Analyzer = &analysis.Analyzer{
	Name:       "opvetretained",
	Doc:        "find cached objects that are kept forever",
	Requires:   []*analysis.Analyzer{cacheobjects.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[*Retentions](),
	FactTypes:  []analysis.Fact{new(Keeps)},
}

// Keeps is the fact on a function of the user's modules that keeps what it is
// handed.
type Keeps struct{ Params []KeptParam }

// KeptParam is a parameter that is kept; the receiver is parameter 0.
type KeptParam struct {
	Param int
	// Owner is the parameter by which the container is reached, or -1 if it
	// lives as long as the process anyway.
	Owner int
	Way
}

// Way is how something is kept.
type Way struct {
	// Container names the map or slice, Func the function that puts the object
	// in, Place the file and line.
	Container, Func, Place string
	Slice                  bool // it is a slice
	// Removed tells that something is taken out of the container somewhere, or
	// that this cannot be known.
	Removed bool
	// Single tells that it is a variable for one object.
	Single bool
}

// AFact marks a fact on a function.
func (*Keeps) AFact() {}

// IsZero reports whether nothing is known.
func (k *Keeps) IsZero() bool { return len(k.Params) == 0 }

// Kept is an object of a cache that is put where it stays.
type Kept struct {
	// Instr puts it there, or hands it to a function of another package which
	// does.
	Instr ssa.Instruction
	// Origin is where the object comes from; OriginFn the function that it came
	// to.
	Origin   cacheobjects.Origin
	OriginFn *ssa.Function
	Way
	// Helper is the function of another package that keeps it, or empty.
	Helper string
	// Copy tells that it is a deep copy of it.
	Copy bool
	// Calls lead from the function that has the object to Instr.
	Calls []ssa.CallInstruction
}

// Retentions is what is known of one package.
type Retentions struct {
	Kept []Kept
	Torn []Torn

	objects  *cacheobjects.Objects
	graph    *calls.Graph
	pass     *analysis.Pass
	holders  map[any]*holder
	order    []*holder
	replaced map[*types.Named]bool // structs that are overwritten as a whole
	keeps    *facts.Table[Keeps, *Keeps]
	found    map[ssa.Instruction]bool
	lasting  map[ssa.Value]bool // see isLasting
}

func run(pass *analysis.Pass) (any, error) {
	objects := pass.ResultOf[cacheobjects.Analyzer].(*cacheobjects.Objects)
	i := &Retentions{
		objects: objects, graph: objects.Calls, pass: pass,
		holders: make(map[any]*holder), replaced: make(map[*types.Named]bool),
		found: make(map[ssa.Instruction]bool), lasting: make(map[ssa.Value]bool),
	}
	if i.graph.Pkg == nil {
		return i, nil
	}
	i.keeps = facts.New[Keeps](pass, i.graph)
	i.collect()
	for _, h := range i.order {
		for n := range h.inserts {
			i.insert(h, &h.inserts[n])
		}
	}
	i.handedToOthers()
	i.findTorn()
	slices.SortStableFunc(i.Kept, func(a, b Kept) int { return syntax.ComparePos(pass.Fset, a.Instr.Pos(), b.Instr.Pos()) })
	i.keeps.Export()
	return i, nil
}
