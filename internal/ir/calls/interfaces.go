package calls

import (
	"go/types"
	"reflect"
	"regexp"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/kubeapi"
)

// ExportInterfaces says of the methods of the package's interfaces what a pass
// has said of their implementations here, which must agree. It is called when all
// else is exported, and has calls in other packages find the facts that calls in
// this one need not.
func (g *Graph) ExportInterfaces(pass *analysis.Pass) {
	if g.Pkg == nil {
		return
	}
	g.eachAbstract(func(abstract *types.Func, implementations []*types.Func) {
		for _, fact := range pass.Analyzer.FactTypes {
			if agreed := agreement(pass, reflect.TypeOf(fact).Elem(), implementations); agreed != nil {
				pass.ExportObjectFact(abstract, agreed)
			}
		}
	})
}

// agreement returns the fact of that type that all functions have, or nil.
func agreement(pass *analysis.Pass, typ reflect.Type, fns []*types.Func) analysis.Fact {
	var agreed analysis.Fact
	for _, fn := range fns {
		fact := reflect.New(typ).Interface().(analysis.Fact)
		if !pass.ImportObjectFact(fn, fact) || agreed != nil && !alike(reflect.ValueOf(agreed), reflect.ValueOf(fact), own(fns[0]), own(fn)) {
			return nil
		}
		if agreed == nil {
			agreed = fact
		}
	}
	return agreed
}

// place matches what facts say of a position, as in "rollout/controller.go:494".
var place = regexp.MustCompile(`[^\s/:]+\.go:\d+`)

// own matches the name of the type that a method belongs to: facts name functions
// as "(*store).Save" for messages.
func own(fn *types.Func) *regexp.Regexp {
	named := kubeapi.Named(fn.Signature().Recv().Type())
	if named == nil {
		return place
	}
	return regexp.MustCompile(`\(?\*?\b` + regexp.QuoteMeta(named.Obj().Name()) + `\b\)?`)
}

// alike reports whether two values say the same of methods, places and the types
// that these belong to aside, and what only their own package knows.
func alike(a, b reflect.Value, ownA, ownB *regexp.Regexp) bool {
	in := func(a, b reflect.Value) bool { return alike(a, b, ownA, ownB) }
	switch a.Kind() {
	case reflect.Pointer, reflect.Interface:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		return in(a.Elem(), b.Elem())
	case reflect.Struct:
		for i := range a.NumField() {
			if a.Type().Field(i).IsExported() && !in(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Slice, reflect.Array:
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !in(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.String:
		bare := func(s string, own *regexp.Regexp) string {
			return own.ReplaceAllString(place.ReplaceAllString(s, ""), "")
		}
		return bare(a.String(), ownA) == bare(b.String(), ownB)
	case reflect.Map:
		if a.Len() != b.Len() {
			return false
		}
		for _, key := range a.MapKeys() {
			if other := b.MapIndex(key); !other.IsValid() || !in(a.MapIndex(key), other) {
				return false
			}
		}
		return true
	default:
		return a.Equal(b)
	}
}

// eachAbstract calls yield for each method of the package's interfaces that is
// implemented here, with the methods that implement it.
func (g *Graph) eachAbstract(yield func(abstract *types.Func, implementations []*types.Func)) {
	for named := range declared(g.Pkg.Pkg) {
		iface, ok := named.Underlying().(*types.Interface)
		if !ok || named.TypeParams().Len() > 0 {
			continue
		}
		implementors := g.implementations(iface)
		for m := range iface.ExplicitMethods() {
			// `type failure error` has the method of another package.
			if m.Pkg() != g.Pkg.Pkg {
				continue
			}
			if implementations := g.methods(implementors, m); len(implementations) > 0 {
				yield(m, implementations)
			}
		}
	}
}

// methods returns the methods of these types that implement m; nil if one of them
// is not declared in the package.
func (g *Graph) methods(implementors []types.Type, m *types.Func) []*types.Func {
	var found []*types.Func
	for _, t := range implementors {
		fn := g.method(t, m)
		if fn == nil {
			return nil
		}
		found = append(found, fn)
	}
	return found
}

// method returns the method of t that implements m, if it is declared here.
func (g *Graph) method(t types.Type, m *types.Func) *types.Func {
	sel := g.Pkg.Prog.MethodSets.MethodSet(t).Lookup(m.Pkg(), m.Name())
	if sel == nil {
		return nil
	}
	fn := g.Pkg.Prog.MethodValue(sel)
	if fn == nil {
		return nil
	}
	declared, abstract := Unwrap(fn)
	if abstract != nil || declared.Pkg != g.Pkg || declared.Blocks == nil {
		return nil
	}
	obj, _ := declared.Object().(*types.Func)
	return obj
}

// Implementations returns the methods of the package that an invocation of one of its own
// interfaces may run, of those types whose values are made into that interface in the package:
// a double that only tests use is none of them.
func (g *Graph) Implementations(call ssa.CallInstruction) []*ssa.Function {
	common := call.Common()
	if !common.IsInvoke() || g.Pkg == nil {
		return nil
	}
	named, _ := types.Unalias(common.Value.Type()).(*types.Named)
	iface, ok := common.Value.Type().Underlying().(*types.Interface)
	if !ok || named == nil || named.Obj().Pkg() != g.Pkg.Pkg {
		return nil
	}
	var found []*ssa.Function
	for _, t := range g.implementations(iface) {
		method := g.method(t, common.Method)
		if method == nil || !g.becomes(t, named) {
			continue
		}
		if fn := g.Pkg.Prog.FuncValue(method); fn != nil {
			found = append(found, fn)
		}
	}
	return found
}

// becomes reports whether a value of a type, or one that it points to, is made into an interface.
func (g *Graph) becomes(t types.Type, iface *types.Named) bool {
	pointed := t.(*types.Pointer).Elem()
	return slices.ContainsFunc(g.Funcs, func(fn *ssa.Function) bool {
		return blocks.Any(fn, func(made *ssa.MakeInterface) bool {
			// An assertion that it implements it is not used.
			return len(*made.Referrers()) > 0 && types.Identical(made.Type(), iface) && (types.Identical(made.X.Type(), t) || types.Identical(made.X.Type(), pointed))
		})
	})
}
