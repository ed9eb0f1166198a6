package invariants

import (
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
)

// search follows one value back.
type search struct {
	info  *Values
	needs []Need
	seen  map[visit]bool
}

type visit struct {
	v    ssa.Value
	path string
}

const (
	maxDepth = 24
	maxSteps = 3000
)

func (s *search) need(p *ssa.Parameter, path []string) {
	if n := (Need{p, strings.Join(path, ".")}); !slices.Contains(s.needs, n) {
		s.needs = append(s.needs, n)
	}
}

// value reports whether the part of v at path is made of parameters and what is
// the same in each call. Pointers are not told from what they point to.
func (s *search) value(v ssa.Value, path []string, depth int) bool {
	if s.info.steps++; v == nil || depth > maxDepth || s.info.steps > maxSteps {
		return false
	}
	at := visit{v, strings.Join(path, ".")}
	if s.seen[at] {
		return true // as far as the rest is
	}
	s.seen[at] = true
	// A switch of its own: all operands of each kind have to be the same, not only where the value comes from.
	switch v := v.(type) {
	case *ssa.Const, *ssa.Function, *ssa.Builtin, *ssa.Global:
		return true
	case *ssa.Parameter:
		s.need(v, path)
		return s.changes(v, path, depth)
	case *ssa.FreeVar:
		made := s.info.graph.Closures(v.Parent())
		n := slices.Index(v.Parent().FreeVars, v)
		return len(made) == 1 && n >= 0 && s.value(made[0].Bindings[n], path, depth+1)
	case *ssa.Alloc:
		return s.changes(v, path, depth)
	case *ssa.UnOp:
		if v.Op == token.ARROW {
			return false
		}
		return s.value(v.X, path, depth+1) && s.changes(v, path, depth)
	case *ssa.FieldAddr:
		return s.field(v.X, v.Field, path, depth)
	case *ssa.Field:
		return s.field(v.X, v.Field, path, depth)
	case *ssa.IndexAddr:
		return s.value(v.X, nil, depth+1) && s.value(v.Index, nil, depth+1)
	case *ssa.Index:
		return s.value(v.X, nil, depth+1) && s.value(v.Index, nil, depth+1)
	case *ssa.Lookup:
		return s.value(v.X, nil, depth+1) && s.value(v.Index, nil, depth+1)
	case *ssa.Phi:
		return s.all(v.Edges, path, depth) && s.changes(v, path, depth)
	case *ssa.BinOp:
		return s.value(v.X, nil, depth+1) && s.value(v.Y, nil, depth+1)
	case *ssa.MakeInterface:
		return s.value(v.X, path, depth+1)
	case *ssa.ChangeInterface:
		return s.value(v.X, path, depth+1)
	case *ssa.ChangeType:
		return s.value(v.X, path, depth+1)
	case *ssa.Convert:
		return s.value(v.X, path, depth+1)
	case *ssa.TypeAssert:
		return s.value(v.X, path, depth+1)
	case *ssa.Slice:
		return s.value(v.X, nil, depth+1)
	case *ssa.MakeMap:
		return s.changes(v, path, depth)
	case *ssa.MakeClosure:
		return s.all(v.Bindings, nil, depth)
	case *ssa.Call:
		return s.call(v, 0, path, depth) && s.changes(v, path, depth)
	case *ssa.Extract:
		switch tuple := v.Tuple.(type) {
		case *ssa.Call:
			return s.call(tuple, v.Index, path, depth) && s.changes(v, path, depth)
		case *ssa.TypeAssert, *ssa.Lookup:
			return s.value(tuple, path, depth+1)
		}
	}
	return false
}

// all is value for several values.
func (s *search) all(values []ssa.Value, path []string, depth int) bool {
	return !slices.ContainsFunc(values, func(v ssa.Value) bool { return !s.value(v, path, depth+1) })
}

func (s *search) field(base ssa.Value, index int, path []string, depth int) bool {
	field := calls.FieldOf(base.Type(), index)
	if field == nil {
		return false
	}
	return s.value(base, append([]string{field.Name()}, path...), depth+1)
}

// changes looks at what the function does to the part of a struct, variable or
// map: what is put into it counts, and what is handed over together with it.
func (s *search) changes(v ssa.Value, path []string, depth int) bool {
	for ref := range blocks.Uses(v) {
		ok := true
		// A switch of its own: what may change a part of a value, by its path.
		switch ref := ref.(type) {
		case *ssa.Store:
			if ref.Addr == v {
				ok = s.value(ref.Val, path, depth+1)
			} else if element, listed := ref.Addr.(*ssa.IndexAddr); listed {
				ok = s.elementChanges(element, path, depth)
			}
		case *ssa.UnOp:
			if blocks.IsVariable(v) && ref.Op == token.MUL {
				ok = s.changes(ref, path, depth+1)
			}
		case *ssa.MapUpdate:
			if ref.Map == v {
				ok = s.value(ref.Key, nil, depth+1) && s.value(ref.Value, nil, depth+1)
			}
		case *ssa.FieldAddr:
			ok = s.fieldChanges(ref, path, depth)
		case *ssa.IndexAddr:
			ok = s.changes(ref, nil, depth+1)
		case *ssa.MakeClosure:
			if !blocks.IsVariable(v) {
				continue
			}
			for n, binding := range ref.Bindings {
				if binding == v {
					ok = ok && s.changes(ref.Fn.(*ssa.Function).FreeVars[n], path, depth+1)
				}
			}
		case *ssa.MakeInterface:
			if blocks.IsVariable(v) {
				ok = s.handed(ref, depth)
			} else if kubeapi.IsObject(v.Type()) {
				ok = !isRead(ref)
			}
		case ssa.CallInstruction:
			if s.mayFill(v) {
				ok = s.handedTo(ref, v, depth)
			} else if kubeapi.IsObject(v.Type()) {
				ok = !takesContext(ref.Common())
			}
		}
		if !ok {
			return false
		}
	}
	return true
}

// elementChanges looks at what is done to an element of a slice that is put together in
// the function, where it is read from that.
func (s *search) elementChanges(stored *ssa.IndexAddr, path []string, depth int) bool {
	array, ok := stored.X.(*ssa.Alloc)
	if !ok || depth > maxDepth {
		return true
	}
	for slice := range blocks.UsesOf[*ssa.Slice](array) {
		for element := range blocks.UsesOf[*ssa.IndexAddr](slice) {
			for _, load := range *element.Referrers() {
				if load, ok := load.(*ssa.UnOp); ok && !s.changes(load, path, depth+1) {
					return false
				}
			}
		}
	}
	return true
}

// fieldChanges looks at what is put into a field, if the path leads through it
// or everything counts.
func (s *search) fieldChanges(addr *ssa.FieldAddr, path []string, depth int) bool {
	if depth > maxDepth {
		return false
	}
	field := calls.FieldOf(addr.X.Type(), addr.Field)
	if field == nil {
		return false
	}
	rest := path
	if len(path) > 0 {
		if path[0] != field.Name() {
			return true
		}
		rest = path[1:]
	}
	for ref := range blocks.Uses(addr) {
		ok := true
		switch ref := ref.(type) {
		case *ssa.Store:
			if ref.Addr == addr {
				ok = s.value(ref.Val, rest, depth+1)
			}
		case *ssa.FieldAddr:
			ok = s.fieldChanges(ref, rest, depth+1)
		case *ssa.IndexAddr:
			ok = s.changes(ref, nil, depth+1)
		}
		if !ok {
			return false
		}
	}
	return true
}

// mayFill reports whether a function that is handed v may put something into
// it: a variable, or a configuration of one's own.
func (s *search) mayFill(v ssa.Value) bool {
	switch v.(type) {
	case *ssa.Alloc, *ssa.FreeVar:
		return true
	case *ssa.Call, *ssa.Extract, *ssa.Phi, *ssa.Parameter, *ssa.UnOp:
		return kubeapi.IsRESTConfig(v.Type())
	}
	return false
}

// isRead reports whether an object that comes from elsewhere is handed to a call with
// a context, which may read it from the cluster.
func isRead(boxed *ssa.MakeInterface) bool {
	for call := range blocks.UsesOf[ssa.CallInstruction](boxed) {
		if takesContext(call.Common()) {
			return true
		}
	}
	return false
}

// handed looks at the calls that a variable goes to in an interface.
func (s *search) handed(boxed *ssa.MakeInterface, depth int) bool {
	for ref := range blocks.Uses(boxed) {
		if call, ok := ref.(ssa.CallInstruction); ok && !s.handedTo(call, boxed, depth) {
			return false
		}
	}
	return true
}

// handedTo reports whether a call that v is handed to puts nothing into it that
// differs from call to call: it knows no more than its other arguments.
func (s *search) handedTo(call ssa.CallInstruction, v ssa.Value, depth int) bool {
	common := call.Common()
	if _, ok := kubeapi.ClientBuildOf(common); ok {
		return true
	}
	callee := kubeapi.Callee(common)
	if kubeapi.ReadsConfig(callee) {
		return true
	}
	own := len(s.info.graph.Callees(call).Funcs) > 0
	if callee != nil && !own && kubeapi.AnswersDiffer(callee) {
		// A method of the struct itself may talk to somebody and leave it as
		// it is.
		recv, _ := kubeapi.Args(common)
		return recv == v && !kubeapi.IsRESTConfig(v.Type())
	}
	if takesContext(common) && kubeapi.IsObject(v.Type()) {
		return false
	}
	if !kubeapi.IsRESTConfig(v.Type()) && (own || callee == nil || s.info.graph.SameModule(callee.Pkg())) {
		// Code of the user's: structs are handed around a lot and seldom
		// changed, and what reads the cluster into them takes a context.
		return true
	}
	return !slices.ContainsFunc(kubeapi.Operands(common), func(arg ssa.Value) bool {
		return arg != v && arg != nil && !kubeapi.IsContext(arg.Type()) && !s.value(arg, nil, depth+1)
	})
}

func takesContext(common *ssa.CallCommon) bool {
	return slices.ContainsFunc(common.Args, func(arg ssa.Value) bool { return kubeapi.IsContext(arg.Type()) })
}

// call looks at the index-th result of a call.
func (s *search) call(call *ssa.Call, index int, path []string, depth int) bool {
	common := call.Common()
	targets := s.info.graph.Callees(call)
	if len(targets.Funcs) > 0 {
		return len(targets.Funcs) <= maxTargets &&
			!slices.ContainsFunc(targets.Funcs, func(fn *ssa.Function) bool { return !s.through(common, fn, index, path, depth) })
	}
	callee := kubeapi.Callee(common)
	if callee == nil {
		return s.operands(common, depth)
	}
	if fact := s.info.made.OfObject(callee); fact != nil {
		return s.imported(common, fact, index, depth)
	}
	if callee.Pkg() != nil && s.info.looked[callee.Pkg()] && len(path) == 0 {
		if t := call.Call.Signature().Results().At(index).Type(); kubeapi.IsRESTConfig(t) || kubeapi.ClientKindOf(t) != kubeapi.NoClient {
			// A generated clientset's constructor has no facts of its own.
			if _, build := kubeapi.ClientBuildOf(common); !build {
				// Methods without arguments pass, such as those of interfaces, whose
				// implementation is not known: they return what their receiver has.
				recv, args := kubeapi.Args(common)
				return recv != nil && len(args) == 0 && common.IsInvoke() && s.value(recv, nil, depth+1)
			}
		}
	}
	if kubeapi.AnswersDiffer(callee) && !kubeapi.CallsConfigSource(common) {
		return false
	}
	return s.operands(common, depth)
}

const maxTargets = 3

func (s *search) operands(common *ssa.CallCommon, depth int) bool {
	if !common.IsInvoke() && kubeapi.Callee(common) == nil && !s.value(common.Value, nil, depth+1) {
		return false
	}
	return !slices.ContainsFunc(kubeapi.Operands(common), func(arg ssa.Value) bool { return arg != nil && !s.value(arg, nil, depth+1) })
}

func (s *search) imported(common *ssa.CallCommon, fact *Returns, index, depth int) bool {
	ops := kubeapi.Operands(common)
	for _, result := range fact.Results {
		if result.Index != index {
			continue
		}
		return !slices.ContainsFunc(result.Inputs, func(input Input) bool {
			return input.Param >= len(ops) || !s.value(ops[input.Param], paths.Split(input.Path), depth+1)
		})
	}
	return false
}

// results looks at what a function of the package returns.
func (s *search) results(fn *ssa.Function, index int, path []string, depth int) bool {
	found := false
	for ret := range blocks.Returns(fn) {
		found = true
		if !s.value(ret.Results[index], path, depth+1) {
			return false
		}
	}
	return found
}

// through has another search look into a function that is called, and follows
// what that needs to the arguments.
func (s *search) through(common *ssa.CallCommon, fn *ssa.Function, index int, path []string, depth int) bool {
	inner := &search{info: s.info, seen: make(map[visit]bool)}
	if !inner.results(fn, index, path, depth+1) {
		return false
	}
	ops := kubeapi.Operands(common)
	for _, need := range inner.needs {
		n := slices.Index(fn.Params, need.Param)
		switch {
		case n < 0:
			s.need(need.Param, paths.Split(need.Path)) // of a function around a literal
		case n >= len(ops):
			return false
		default:
			if !s.value(ops[n], paths.Split(need.Path), depth+1) {
				return false
			}
		}
	}
	return true
}
