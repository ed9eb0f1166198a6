// Package fills notes of which kinds a program makes objects with labels,
// annotations or data: these have them when they are read again.
package fills

import (
	"go/types"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/facts"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/literals"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// Analyzer finds what is filled; its result is a [Maps].
var Analyzer = &analysis.Analyzer{
	Name:       "opvetfills",
	Doc:        "note which maps of objects a program fills where it makes them",
	Requires:   []*analysis.Analyzer{objects.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[Maps](),
	FactTypes:  []analysis.Fact{new(Filled)},
}

// Filled is the package fact of the maps that this package or one that it
// imports fills, as "path.Kind Field.Field".
type Filled struct {
	Maps []string // sorted
}

// AFact marks a fact on a package.
func (*Filled) AFact() {}

// Maps are the maps that are known to be filled.
type Maps map[string]bool

// Has reports whether the map at a path of a kind is filled somewhere.
func (m Maps) Has(kind *types.Named, path []string) bool {
	return kind != nil && m[key(kind, path)]
}

func key(kind *types.Named, path []string) string {
	pkg := ""
	if kind.Obj().Pkg() != nil {
		pkg = kind.Obj().Pkg().Path()
	}
	return pkg + "." + kind.Obj().Name() + " " + strings.Join(path, ".")
}

func run(pass *analysis.Pass) (any, error) {
	known := make(Maps)
	for _, filled := range facts.OfPackages[*Filled](pass) {
		for _, name := range filled.Maps {
			known[name] = true
		}
	}
	sums := pass.ResultOf[objects.Analyzer].(*objects.Summaries)
	if sums.Calls.Pkg == nil {
		return known, nil
	}
	for _, fn := range sums.Calls.Funcs {
		if obj, ok := fn.Object().(*types.Func); ok && kubeapi.IsDeepCopy(obj) {
			continue // a copy has what the original has
		}
		for store := range blocks.InstrsOf[*ssa.Store](fn) {
			known.add(sums, store)
		}
	}
	if len(known) > 0 {
		fact := new(Filled)
		for name := range known {
			fact.Maps = append(fact.Maps, name)
		}
		slices.Sort(fact.Maps)
		pass.ExportPackageFact(fact)
	}
	return known, nil
}

// add notes a store that fills a map of an object, or all of its metadata by
// something that is not looked into.
func (m Maps) add(sums *objects.Summaries, store *ssa.Store) {
	field, ok := store.Addr.(*ssa.FieldAddr)
	if !ok {
		return
	}
	isMap := kubeapi.IsMetadataMap(field.X.Type(), field.Field) || kubeapi.IsDataMap(field.X.Type(), field.Field)
	isMeta := kubeapi.IsObjectMeta(store.Val.Type())
	if !isMap && !isMeta || isMap && isEmptyMap(store.Val) {
		return
	}
	place := sums.Resolve.Place(store.Addr)
	if place.Kind == nil {
		return
	}
	if isMap {
		m[key(place.Kind, place.Sub)] = true
		return
	}
	for _, name := range [...]string{"Labels", "Annotations"} {
		if literals.LeavesOut(store.Val, name) {
			continue
		}
		m[key(place.Kind, append(slices.Clone(place.Sub), name))] = true
	}
}

// isEmptyMap reports whether a map is nil or is made without entries, as it is
// before one is stored.
func isEmptyMap(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Const:
		return true
	case *ssa.MakeMap:
		return !slices.ContainsFunc(*v.Referrers(), func(ref ssa.Instruction) bool {
			_, sets := ref.(*ssa.MapUpdate)
			return sets
		})
	}
	return false
}
