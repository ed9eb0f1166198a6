// Package stores finds writes to the stores of live informers. A store is
// followed back to where it comes from: an informer's GetStore or GetIndexer, or
// cache.NewInformer and its like, through variables, fields, parameters, results
// and wrappers, in any package of the user's modules.
//
// A store that the program makes for itself is its own, also one that it hands
// to a reflector: who builds an informer fills its store. So are the stores of
// informers that nobody runs and those of a fake clientset, which are filled by
// hand. Where a store may be one or the other, it counts as the program's own.
//
// It reports nothing. Analyzers ask [Writes.Writes].
package stores

import (
	"go/token"
	"go/types"
	"reflect"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/facts"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Analyzer finds writes to informers' stores; its result is an *[Writes].
var Analyzer = &analysis.Analyzer{
	Name:       "opvetstores",
	Doc:        "find writes to the stores of informers",
	Requires:   []*analysis.Analyzer{calls.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[*Writes](),
	FactTypes:  []analysis.Fact{new(Summary), new(Field)},
}

// Summary is the fact on a function of the user's modules that hands out stores or
// writes to one that it is handed.
type Summary struct {
	// Live has the results that are the stores of live informers, with what
	// they were got from.
	Live []LiveResult
	// Writes are what the function, or what it leaves the store with, does to
	// stores that are its parameters; the receiver is parameter 0.
	Writes []ParamWrite
}

// LiveResult is a result that is a live store.
type LiveResult struct {
	Result int
	What   string
}

// ParamWrite is a write to a store that is a parameter.
type ParamWrite struct {
	Param int
	Inner
}

// Inner is a write to a store inside a function that was handed the store.
type Inner struct {
	Change kubeapi.StoreChange
	// What is the call as the source has it: "c.store.Update"; Func is the
	// function that it is in, Place the file and line.
	What, Func, Place string
}

// AFact marks a fact on a function.
func (*Summary) AFact() {}

// IsZero reports whether nothing is known.
func (f *Summary) IsZero() bool { return len(f.Live)+len(f.Writes) == 0 }

// Field is the fact on a field of store type.
type Field struct {
	// Live tells that the package puts live stores into it, and nothing else;
	// What is what they were got from.
	Live string
	// Writes are what the package does to the store.
	Writes []Inner
}

// AFact marks a fact on a field.
func (*Field) AFact() {}

// Write is a write to the store of a live informer.
type Write struct {
	// Instr is the call of the store's method, or, if a function does it that is
	// handed the store, the call or assignment that hands it over.
	Instr  ssa.Instruction
	Change kubeapi.StoreChange
	// What is the call as the source has it: "c.indexer.Update".
	What string
	// Store names what the store was got from: "c.informer.GetIndexer".
	Store string
	// StorePos is where that stands, if in this package.
	StorePos token.Pos
	// Object is what is put in or taken out, as the source has it; empty behind
	// a helper, and where it is long.
	Object string
	// Into names what the store is handed to, if the write is elsewhere, and
	// Inner is the write.
	Into  string
	Inner *Inner
}

// Writes is what is known of one package.
type Writes struct {
	Writes []Write // in source order

	Graph  *calls.Graph
	pass   *analysis.Pass
	held   map[types.Object][]ssa.Value // into fields and variables
	funcs  *facts.Table[Summary, *Summary]
	fields *facts.Imported[Field, *Field]
	own    map[*types.Var][]Inner
}

func run(pass *analysis.Pass) (any, error) {
	i := &Writes{
		Graph: pass.ResultOf[calls.Analyzer].(*calls.Graph), pass: pass,
		held: make(map[types.Object][]ssa.Value), fields: facts.NewImported[Field](pass), own: make(map[*types.Var][]Inner),
	}
	if i.Graph.Pkg == nil {
		return i, nil
	}
	i.funcs = facts.New[Summary](pass, i.Graph)
	i.collect()
	i.writesToParameters()
	i.find()
	i.export()
	return i, nil
}

// collect notes what the package puts into its fields, variables and maps of
// stores.
func (i *Writes) collect() {
	i.Graph.Each(func(instr ssa.Instruction) {
		switch instr := instr.(type) {
		case *ssa.Store:
			if holder := calls.HolderOf(instr.Addr); holder != nil && kubeapi.IsStore(instr.Val.Type()) {
				i.held[holder] = append(i.held[holder], instr.Val)
			}
		case *ssa.MapUpdate:
			if holder := holderOfContainer(instr.Map); holder != nil && kubeapi.IsStore(instr.Value.Type()) {
				i.held[holder] = append(i.held[holder], instr.Value)
			}
		}
	})
}

// holderOfContainer is the field or variable that has a map, or nil.
func holderOfContainer(m ssa.Value) types.Object {
	switch m := m.(type) {
	case *ssa.UnOp:
		return calls.HolderOf(m.X)
	case *ssa.Field:
		if field := calls.FieldOf(m.X.Type(), m.Field); field != nil {
			return field
		}
	case *ssa.MakeMap:
		// A literal that is stored afterwards.
		for store := range blocks.UsesOf[*ssa.Store](m) {
			if store.Val == m {
				return calls.HolderOf(store.Addr)
			}
		}
	}
	return nil
}

func (i *Writes) export() {
	i.funcs.Export()
	fields := make(map[*types.Var]*Field)
	of := func(field *types.Var) *Field {
		if fields[field] == nil {
			fields[field] = new(Field)
		}
		return fields[field]
	}
	for field, writes := range i.own {
		of(field).Writes = writes
	}
	for holder, values := range i.held {
		if field, ok := holder.(*types.Var); ok && field.IsField() {
			if o := i.all(values, 0); o.kind == live {
				of(field).Live = o.what
			}
		}
	}
	for field, fact := range fields {
		if field.Exported() && field.Pkg() == i.pass.Pkg {
			i.pass.ExportObjectFact(field, fact)
		}
	}
}
