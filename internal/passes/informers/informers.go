// Package informers finds what a package does with informers: each call that
// concerns one, and for each factory and informer that the package makes, all
// that becomes of it.
//
// What is made is followed from the call that makes it through local and
// captured variables, results and parameters of functions of the package, and
// the accessors of a factory, up to where it gets out of sight: into a field, a
// global variable, a map, or code that is not known. No facts are made: what
// another package makes is not followed; of its functions, those are seen through
// that do nothing but one such call.
package informers

import (
	"reflect"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Analyzer finds what a package does with informers; its result is an *[Uses].
var Analyzer = &analysis.Analyzer{
	Name:       "opvetinformers",
	Doc:        "find what a package does with informers",
	Requires:   []*analysis.Analyzer{calls.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[*Uses](),
}

// Op is a call that concerns informers.
type Op struct {
	kubeapi.InformerOp
	Instr ssa.CallInstruction
}

// Uses answers for one package.
type Uses struct {
	// Ops are all calls that concern informers, in source order of their
	// functions.
	Ops []Op
	// Made are the factories and informers that the package makes.
	Made []*Made
}

// Made is a factory or informer that the package makes.
type Made struct {
	Op
	// Uses are what is done with it.
	Uses []Use
	// Escapes are where it gets out of sight.
	Escapes []Escape
}

// Use is something that is done with what was made.
type Use struct {
	// Op is the call; its verb is NoInformerVerb for a read of a store or
	// lister.
	Op
	// Key tells the informers of a factory apart: "Core.V1.Pods". It is empty
	// for the factory itself.
	Key string
	// From is the call in the same function that what was made comes from:
	// the one that makes it, or one that returns it; nil if the function is
	// handed it.
	From *ssa.Call
	// At is the instruction of the use: the call, or a method value that is
	// taken.
	At ssa.Instruction
}

// Escape is a place where something that was made, or an informer or lister of
// a factory, gets out of sight.
type Escape struct {
	At ssa.Instruction
	// Kept tells that it is stored into a field, a global variable, a map, or
	// a channel; Returned, that it is returned to callers that are not known;
	// otherwise it is handed to code that is not known.
	Kept, Returned bool
	// Key is that of a [Use]; Factory tells that the factory itself escapes,
	// and Accessor that what has an informer in it does, without the informer
	// having been requested.
	Key               string
	Factory, Accessor bool
}

func run(pass *analysis.Pass) (any, error) {
	info := new(Uses)
	graph := pass.ResultOf[calls.Analyzer].(*calls.Graph)
	for _, fn := range graph.Funcs {
		for call := range blocks.InstrsOf[ssa.CallInstruction](fn) {
			if op, _, ok := opOf(graph, call); ok {
				info.Ops = append(info.Ops, Op{op, call})
			}
		}
	}
	for _, op := range info.Ops {
		call, ok := op.Instr.(*ssa.Call)
		if !ok || op.Verb != kubeapi.NewFactory && op.Verb != kubeapi.NewInformer || len(graph.Callees(call).Funcs) > 0 {
			continue // a helper of the package's own is looked into
		}
		made := &Made{Op: op}
		f := &follower{graph: graph, made: made, seen: make(map[ssa.Value]bool), returned: make(map[*ssa.Function]bool)}
		f.start(call)
		info.Made = append(info.Made, made)
	}
	return info, nil
}

// opOf returns what a call does with an informer, itself or through a function of
// another package that does nothing else, and the call that does it, with what is
// handed over in its place.
func opOf(graph *calls.Graph, call ssa.CallInstruction) (kubeapi.InformerOp, *ssa.CallCommon, bool) {
	if op, ok := kubeapi.InformerOpOf(call); ok {
		return op, call.Common(), true
	}
	if len(graph.Callees(call).Funcs) > 0 {
		return kubeapi.InformerOp{}, nil, false // what a function of the package does counts there
	}
	inner := graph.Does(call.Common())
	op, ok := kubeapi.InformerOpIn(inner)
	return op, inner, ok
}

// Runs returns the uses that start it.
func (m *Made) Runs() []Use {
	var runs []Use
	for _, use := range m.Uses {
		if use.Verb == kubeapi.StartFactory || use.Verb == kubeapi.RunInformer {
			runs = append(runs, use)
		}
	}
	return runs
}
