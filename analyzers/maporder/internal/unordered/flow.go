package unordered

import (
	"go/token"
	"go/types"
	"iter"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Flow is where a list or text goes.
type Flow struct {
	Sorted bool            // it gets another order on the way, or none matters
	Hash   ssa.Instruction // that makes a hash of it, or nil
	Ends   []End

	graph    *calls.Graph
	places   *paths.Resolver
	seen     map[ssa.Value]bool
	steps    int
	returned []result
}

// End is a field of an object that gets what is in a map's order.
type End struct {
	Name    string
	Addr    ssa.Value // of the field, or of the object
	Applied bool      // it is part of a configuration that is applied, again and again
	Way     []string  // the fields that lead to it, if Addr is the object
}

// result is one that a function returns.
type result struct {
	fn    *ssa.Function
	index int
}

func newFlow(graph *calls.Graph) *Flow {
	return &Flow{graph: graph, places: paths.NewResolver(graph, nil), seen: make(map[ssa.Value]bool)}
}

const (
	maxDepth = 4     // calls and returns
	maxSteps = 2_000 // uses
)

func (f *Flow) follow(v ssa.Value, depth int) {
	if v == nil || f.seen[v] || depth > maxDepth || f.Sorted {
		return
	}
	f.seen[v] = true
	if field, ok := v.(*ssa.FieldAddr); ok {
		f.stored(field)
		f.whole(field, depth)
	}
	for ref := range blocks.Uses(v) {
		if f.steps++; f.steps > maxSteps {
			return
		}
		f.used(v, ref, depth)
	}
}

// used follows one use of a value in a map's order.
func (f *Flow) used(v ssa.Value, ref ssa.Instruction, depth int) {
	switch ref := ref.(type) {
	case *ssa.Phi, *ssa.ChangeType, *ssa.Convert, *ssa.MakeInterface, *ssa.Slice, *ssa.Extract, *ssa.UnOp:
		f.follow(ref.(ssa.Value), depth)
	case *ssa.BinOp:
		if kubeapi.IsString(ref.Type()) {
			f.follow(ref, depth)
		}
	case *ssa.Store:
		if ref.Val == v && !f.isComparedAsSet(v, ref) {
			f.store(ref.Addr, depth)
		}
	case *ssa.MapUpdate:
		if ref.Value == v {
			f.entry(ref, depth)
		}
	case *ssa.Return:
		f.goesBack(v, ref, depth)
	case *ssa.MakeClosure:
		for i, bound := range ref.Bindings {
			if fn, ok := ref.Fn.(*ssa.Function); ok && bound == v && i < len(fn.FreeVars) {
				f.follow(fn.FreeVars[i], depth)
			}
		}
	case ssa.CallInstruction:
		f.call(v, ref, depth)
	}
}

func (f *Flow) store(addr ssa.Value, depth int) {
	switch addr := addr.(type) {
	case *ssa.Alloc, *ssa.FreeVar, *ssa.Global:
		f.follow(addr, depth)
	case *ssa.FieldAddr:
		f.stored(addr)
		f.whole(addr, depth)
	case *ssa.IndexAddr:
		// An element of a list that is written out, or of variadic arguments.
		if array, ok := addr.X.(*ssa.Alloc); ok {
			f.follow(array, depth)
		}
	}
}

// whole follows a struct that is made here and is no part of an object, of which a field
// gets the value, to where all of it is encoded.
func (f *Flow) whole(addr *ssa.FieldAddr, depth int) {
	if made, ok := addr.X.(*ssa.Alloc); ok && isStruct(made.Type()) && !kubeapi.IsAPIStruct(made.Type()) {
		f.follow(made, depth)
	}
}

// stored notes that a field gets the value.
func (f *Flow) stored(addr *ssa.FieldAddr) {
	field := calls.FieldOf(addr.X.Type(), addr.Field)
	if field == nil || !kubeapi.IsAPIStruct(addr.X.Type()) || isNeverWritten(addr) || f.isElsewhere(addr) || isFilledAt(addr.Block(), addr) || isNew(addr) {
		return
	}
	name := field.Name()
	if named := kubeapi.Named(addr.X.Type()); named != nil {
		name = named.Obj().Name() + "." + name
	}
	f.Ends = append(f.Ends, End{Name: name, Addr: addr})
}

// isNeverWritten reports whether a field belongs to something that is not stored:
// options, events, lists of objects, answers.
func isNeverWritten(addr *ssa.FieldAddr) bool {
	t := addr.X.Type()
	return kubeapi.IsListOptions(t) || kubeapi.IsRecordedEvent(t) || kubeapi.ListElem(t) != nil || kubeapi.IsAnswer(t)
}

// isElsewhere reports whether a field belongs to a part of an object that is kept
// outside of any: what the program knows, and does not write back.
func (f *Flow) isElsewhere(addr *ssa.FieldAddr) bool {
	place := f.places.Place(addr.X)
	if alloc, ok := place.Object.Root.(*ssa.Alloc); ok && place.Object.Path == "" {
		return kubeapi.KindOf(alloc.Type()) == nil && !kubeapi.IsAPIStruct(alloc.Type())
	}
	return place.Kind == nil && place.Object.Path != ""
}

// isFilledAt reports whether a block is reached only where the list of a field is empty.
func isFilledAt(block *ssa.BasicBlock, addr *ssa.FieldAddr) bool {
	for branch := range blocks.Above(block) {
		// A loop over the list compares its length, too, but with no constant.
		op, ok := branch.Cond.(*ssa.BinOp)
		if !ok || !isLenOf(op.X, addr) {
			continue
		}
		if _, ok := op.Y.(*ssa.Const); ok {
			return true
		}
	}
	for empty := range NilAt(block) {
		if isSameField(empty, addr) {
			return true
		}
	}
	return false
}

// NilAt yields the addresses that are known to hold nil where a block is reached, with the
// block from which on that is known.
func NilAt(block *ssa.BasicBlock) iter.Seq2[ssa.Value, *ssa.BasicBlock] {
	return func(yield func(ssa.Value, *ssa.BasicBlock) bool) {
		for branch, held := range blocks.Decided(block) {
			compare, ok := branch.Cond.(*ssa.BinOp)
			if !ok || (compare.Op == token.EQL) != held || compare.Op != token.EQL && compare.Op != token.NEQ || !calls.IsNil(compare.Y) {
				continue
			}
			load, ok := compare.X.(*ssa.UnOp)
			if ok && load.Op == token.MUL && !yield(load.X, blocks.Side(branch, held)) {
				return
			}
		}
	}
}

// isNew reports whether a field is set only where the API server does not know the object
// yet: it has no time of creation, UID or resource version.
func isNew(addr *ssa.FieldAddr) bool {
	for branch, held := range blocks.Decided(addr.Block()) {
		switch cond := branch.Cond.(type) {
		case *ssa.Call:
			recv, _ := kubeapi.Args(cond.Common())
			if callee := kubeapi.Callee(cond.Common()); held && callee != nil && callee.Name() == "IsZero" && recv != nil && isGivenByServer(recv) {
				return true
			}
		case *ssa.BinOp:
			text, isText := kubeapi.ConstString(cond.Y)
			if isText && text == "" && (cond.Op == token.EQL) == held && (cond.Op == token.EQL || cond.Op == token.NEQ) && isGivenByServer(cond.X) {
				return true
			}
		}
	}
	return false
}

// isGivenByServer reports whether a value is, or points to, what the API server puts into
// the metadata of an object that it creates.
func isGivenByServer(v ssa.Value) bool {
	v = calls.Behind(v)
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		v = load.X
	}
	field, ok := v.(*ssa.FieldAddr)
	if !ok || !kubeapi.IsNamed(field.X.Type(), "k8s.io/apimachinery/pkg/apis/meta/v1", "ObjectMeta") {
		return false
	}
	switch f := calls.FieldOf(field.X.Type(), field.Field); f.Name() {
	case "CreationTimestamp", "UID", "ResourceVersion":
		return true
	}
	return false
}

// isLenOf reports whether v is the length of the field at an address.
func isLenOf(v ssa.Value, addr *ssa.FieldAddr) bool {
	load, ok := calls.LengthOf(v).(*ssa.UnOp)
	return ok && isSameField(load.X, addr)
}

// entry follows a map that gets the value: that of a ConfigMap's field, or one
// that will be, made here or by a function that is called.
func (f *Flow) entry(update *ssa.MapUpdate, depth int) {
	if load, ok := update.Map.(*ssa.UnOp); ok {
		if field, ok := load.X.(*ssa.FieldAddr); ok {
			f.stored(field)
			return
		}
	}
	if !kubeapi.IsString(update.Value.Type()) {
		return
	}
	switch update.Map.(type) {
	case *ssa.MakeMap, *ssa.Call, *ssa.Phi:
		f.follow(update.Map, depth)
	}
}

// goesBack goes on where the function is called.
func (f *Flow) goesBack(v ssa.Value, ret *ssa.Return, depth int) {
	f.returned = append(f.returned, result{ret.Parent(), slices.Index(ret.Results, v)})
	EachResult(f.graph, ret, v, func(result ssa.Value) bool {
		f.follow(result, depth+1)
		return false
	})
}

// EachResult calls yield with what the callers of a function get as the value that
// it returns, until one call says true, which is the answer then.
func EachResult(graph *calls.Graph, ret *ssa.Return, v ssa.Value, yield func(result ssa.Value) bool) bool {
	index := slices.Index(ret.Results, v)
	for _, site := range graph.Callers(ret.Parent()) {
		call, ok := site.(*ssa.Call)
		if !ok {
			continue
		}
		results := []ssa.Value{call}
		if len(ret.Results) > 1 {
			results = values.Extracted(call, index)
		}
		if slices.ContainsFunc(results, yield) {
			return true
		}
	}
	return false
}

func (f *Flow) call(v ssa.Value, call ssa.CallInstruction, depth int) {
	result, _ := call.(ssa.Value)
	fn := kubeapi.Callee(call.Common())
	if _, ok := call.Common().Value.(*ssa.Builtin); ok {
		if calls.IsBuiltin(call, "append") && result != nil {
			f.follow(result, depth)
		}
		return
	}
	if name, ok := setsMetadata(fn); ok {
		if receiver, _ := kubeapi.Args(call.Common()); receiver != v {
			f.Ends = append(f.Ends, End{Name: name, Addr: receiver})
		}
		return
	}
	if name, ok := kubeapi.SetsApplied(fn); ok {
		if receiver, _ := kubeapi.Args(call.Common()); receiver != v && isOrdered(v) {
			f.Ends = append(f.Ends, End{Name: name, Addr: receiver, Applied: !kubeapi.IsString(v.Type()) || !kubeapi.IsAppliedStatus(receiver.Type())})
		}
		return
	}
	switch use := kubeapi.OrderUseOf(fn); {
	case use == kubeapi.Sorts:
		f.Sorted = true
		return
	case use == kubeapi.Hashes, isWrittenToHash(v, call.Common()):
		f.Hash = call
		return
	case use == kubeapi.KeepsOrder:
		f.follow(result, depth)
		return
	}
	targets := f.graph.Callees(call)
	ops := kubeapi.Operands(call.Common())
	if len(targets.Funcs) == 0 && result != nil && isListLike(result, v) {
		f.follow(result, depth) // another package adds to the list, or takes something out
	}
	for _, target := range targets.Funcs {
		for i, op := range ops {
			if op == v && i < len(target.Params) && len(ops) == len(target.Params) {
				f.follow(target.Params[i], depth+1)
			}
		}
	}
}

// isOrdered reports whether a value is a list or a text.
func isOrdered(v ssa.Value) bool {
	_, list := v.Type().Underlying().(*types.Slice)
	return list || kubeapi.IsString(v.Type())
}

// isWrittenToHash reports whether a call writes a value to a hash: hash.Hash has its
// Write from io.Writer, so that the method does not tell.
func isWrittenToHash(v ssa.Value, common *ssa.CallCommon) bool {
	writer := kubeapi.WriterOf(common)
	return writer != nil && writer != v && kubeapi.IsHash(writer.Type())
}

// isListLike reports whether a result is a list of the type that went in.
func isListLike(result, v ssa.Value) bool {
	_, ok := v.Type().Underlying().(*types.Slice)
	return ok && types.Identical(result.Type(), v.Type())
}

// setsMetadata returns the name of the metadata that a method such as
// SetAnnotations sets.
func setsMetadata(fn *types.Func) (name string, ok bool) {
	if fn == nil {
		return "", false
	}
	aspect, ok := kubeapi.MetadataSetter(fn)
	if !ok {
		return "", false
	}
	path := kubeapi.PathOf(aspect)
	return path[0] + "." + path[1], true
}

// tellsChange reports whether the function that builds a list says as well
// whether anything has changed, so that the order alone writes nothing.
func tellsChange(s Source) bool {
	results := s.Instr.Parent().Signature.Results()
	return results.Len() > 1 && kubeapi.AnyIs(results, kubeapi.IsBool)
}

// sortsLike reports whether the function where a list is built, or one that
// calls it, sorts lists of that type: the same one, in all likelihood.
func (f *Flow) sortsLike(s Source) bool {
	t := kubeapi.Deref(s.Value.Type())
	if _, ok := t.Underlying().(*types.Slice); !ok {
		return false
	}
	fns := []*ssa.Function{s.Instr.Parent()}
	for range maxDepth {
		for _, fn := range fns {
			if sortsType(fn, t) || listName(t) != "" && f.handsToSorter(fn, t) {
				return true
			}
		}
		var outer []*ssa.Function
		for _, fn := range fns {
			for _, site := range f.graph.Callers(fn) {
				if !slices.Contains(fns, site.Parent()) && len(outer) < 20 {
					outer = append(outer, site.Parent())
				}
			}
		}
		fns = outer
	}
	return false
}

// handsToSorter reports whether a function, a literal in it, or one that it calls, hands a list of the type to
// another one, of the package, that sorts such lists: a list of structs, of which there are few.
func (f *Flow) handsToSorter(fn *ssa.Function, t types.Type) bool {
	for _, near := range append(f.graph.Around([]*ssa.Function{fn}, 0, 1), fn.AnonFuncs...) {
		for call := range blocks.InstrsOf[ssa.CallInstruction](near) {
			if has(call, t) && slices.ContainsFunc(f.graph.Around(f.graph.Callees(call).Funcs, 0, 1), func(callee *ssa.Function) bool { return sortsType(callee, t) }) {
				return true
			}
		}
	}
	return false
}

func sortsType(fn *ssa.Function, t types.Type) bool {
	return blocks.Any(fn, func(call ssa.CallInstruction) bool {
		return kubeapi.OrderUseOf(kubeapi.Callee(call.Common())) == kubeapi.Sorts && has(call, t)
	})
}

// has reports whether a call is handed a list of the type.
func has(call ssa.CallInstruction, t types.Type) bool {
	return slices.ContainsFunc(kubeapi.Operands(call.Common()), func(op ssa.Value) bool {
		return types.Identical(kubeapi.Unboxed(op).Type().Underlying(), t.Underlying())
	})
}
