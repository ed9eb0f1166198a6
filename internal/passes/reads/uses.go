package reads

import (
	"cmp"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
)

// use notes what a call reads or watches.
func (g *gatherer) use(call ssa.CallInstruction) {
	g.writing(call)
	common := call.Common()
	if op, ok := kubeapi.ClientOp(common); ok && (op.Verb.Reads() || op.Mutate != nil) && op.Object != nil && op.Recv != nil && !op.Result {
		if kubeapi.IsReader(op.Recv.Type()) && !calls.IsNil(kubeapi.Unboxed(op.Object)) { // into nil it fails at once
			g.reading(call, op)
		}
		return
	}
	switch use, object, owner := kubeapi.CacheUseOf(common); use {
	case kubeapi.NoCacheUse:
		g.handed(call)
	default:
		g.watching(call, use, object, owner)
	}
}

func (g *gatherer) add(call ssa.Instruction, u Use, object ssa.Value) {
	g.settle(call, &u, object)
	g.Uses = append(g.Uses, u)
}

// settle notes where a use is, and of what.
func (g *gatherer) settle(call ssa.Instruction, u *Use, object ssa.Value) {
	u.Pos, u.Own, u.Where = call.Pos(), true, syntax.Place(g.pass.Fset, call.Pos())
	u.InClient, u.Options = g.isForwarded(call), g.options(call)
	u.Of = TypeOfMethod(paths.Outermost(call.Parent()).Signature)
	u.Object = cmp.Or(g.place(g.sources(object)), labelUnknown)
}

// TypeOfMethod names the type that a method with a signature is of, as in "example.com/controllers.Reconciler";
// empty if it is no method.
func TypeOfMethod(sig *types.Signature) string {
	if sig.Recv() == nil {
		return ""
	}
	if of := kubeapi.Named(kubeapi.Deref(sig.Recv().Type())); of != nil {
		return kubeapi.KindID(of)
	}
	return ""
}

// isForwarded reports whether a call is one of a client in the method of the same name of
// another client, or in what that alone runs.
func (g *gatherer) isForwarded(instr ssa.Instruction) bool {
	call, ok := instr.(ssa.CallInstruction)
	if !ok {
		return false
	}
	callee := kubeapi.Callee(call.Common())
	return callee != nil && g.calls.Everywhere(instr, func(at *calls.Site) bool {
		recv := at.Parent().Signature.Recv()
		return recv != nil && callee.Name() == at.Parent().Name() && kubeapi.IsReader(recv.Type()) && kubeapi.HasMethod(recv.Type(), "DeleteAllOf")
	})
}

func (g *gatherer) reading(call ssa.CallInstruction, op kubeapi.Op) {
	u := Use{Op: Get, By: g.place(g.sources(op.Recv)), What: g.text(call), Mutates: op.IfChanged, InCache: kubeapi.HasMethod(op.Recv.Type(), "GetInformer")}
	if u.By == "" {
		return
	}
	if op.Verb == kubeapi.List {
		u.Op = ListAll
		_, args := kubeapi.Args(call.Common())
		if options, known := kubeapi.VariadicArgs(args[len(args)-1]); !known || narrows(options) {
			u.Op = ListSome
		}
	}
	g.add(call, u, op.Object)
}

// narrows reports whether the options of a List pick some of the objects.
func narrows(options []ssa.Value) bool {
	for _, option := range options {
		if inner, ok := option.(*ssa.MakeInterface); ok {
			option = inner.X
		}
		if alloc, ok := option.(*ssa.Alloc); ok && kubeapi.IsNamed(alloc.Type(), "sigs.k8s.io/controller-runtime/pkg/client", "ListOptions") {
			if refs := alloc.Referrers(); refs != nil && len(*refs) <= 1 {
				continue // &client.ListOptions{}
			}
		}
		if named := kubeapi.Named(option.Type()); named != nil {
			if name := named.Obj().Name(); name == "Limit" || name == "Continue" || name == "UnsafeDisableDeepCopyOption" {
				continue
			}
		}
		return true
	}
	return false
}

var watchOps = map[kubeapi.CacheUse]Op{
	kubeapi.WatchFor: For, kubeapi.WatchOwns: Owns, kubeapi.WatchOther: Watches, kubeapi.WatchMetadata: Watches, kubeapi.InformerUse: Informer,
}

func (g *gatherer) watching(call ssa.CallInstruction, use kubeapi.CacheUse, object, owner int) {
	common := call.Common()
	operands := kubeapi.Operands(common)
	if object >= len(operands) {
		return
	}
	u := Use{Op: watchOps[use], What: g.text(call), Metadata: use == kubeapi.WatchMetadata}
	if owner >= 0 && owner < len(operands) && g.isFollowed(operands[owner].Type()) {
		u.By = g.place(g.sources(operands[owner]))
	} else if owner == 0 {
		u.By = g.indexer(operands[0])
	}
	if t := operands[object].Type(); !kubeapi.IsObject(t) && kubeapi.HasMethod(t, "Start") {
		return // a source: it says what is watched, where it is made
	}
	for _, option := range variadic(common, operands) {
		u.Metadata = u.Metadata || kubeapi.IsOnlyMetadata(option)
	}
	u.Filter = g.filterOf(call, operands)
	if u.Op == Watches && slices.ContainsFunc(operands, isOwnerHandler) {
		u.Op = Owns
	}
	g.add(call, u, operands[object])
}

// isOwnerHandler reports whether a handler enqueues the owners of objects.
func isOwnerHandler(v ssa.Value) bool {
	_, ok := kubeapi.OwnerHandlerOf(v)
	return ok
}

// indexer returns the place of the manager that a field indexer was got from.
func (g *gatherer) indexer(v ssa.Value) string {
	if call, ok := v.(*ssa.Call); ok {
		if fn := kubeapi.Callee(call.Common()); fn != nil && fn.Name() == "GetFieldIndexer" {
			if recv, _ := kubeapi.Args(call.Common()); recv != nil && kubeapi.IsManager(recv.Type()) {
				return g.place(g.sources(recv))
			}
		}
	}
	return ""
}

func variadic(common *ssa.CallCommon, operands []ssa.Value) []ssa.Value {
	if !common.Signature().Variadic() || len(operands) == 0 {
		return nil
	}
	options, _ := kubeapi.VariadicArgs(operands[len(operands)-1])
	return options
}

// olderSource notes the object of a &source.Kind{Type: …}, as releases before
// 0.15 have it.
func (g *gatherer) olderSource(store *ssa.Store) {
	addr, ok := store.Addr.(*ssa.FieldAddr)
	if !ok || !kubeapi.IsSourceKind(addr.X.Type()) {
		return
	}
	if field := calls.FieldOf(addr.X.Type(), addr.Field); field == nil || field.Name() != "Type" || !kubeapi.IsObjectInterface(field.Type()) {
		return
	}
	u := Use{Op: Watches, What: "source.Kind"}
	if alloc, isAlloc := addr.X.(*ssa.Alloc); isAlloc {
		g.olderWatch(alloc, &u)
	}
	g.add(store, u, store.Val)
}

// olderWatch looks for the call that watches a source, for its options and what
// it belongs to.
func (g *gatherer) olderWatch(alloc *ssa.Alloc, u *Use) {
	for inner := range blocks.UsesOf[*ssa.MakeInterface](alloc) {
		for call := range blocks.UsesOf[ssa.CallInstruction](inner) {
			operands := kubeapi.Operands(call.Common())
			for _, option := range variadic(call.Common(), operands) {
				u.Metadata = u.Metadata || kubeapi.IsOnlyMetadata(option)
			}
			u.What = g.text(call)
			u.Filter = g.filterOf(call, operands)
			if slices.ContainsFunc(operands, isOwnerHandler) {
				u.Op = Owns
			}
			if len(operands) > 0 && kubeapi.IsControllerBuilder(operands[0].Type()) {
				u.By = g.place(g.sources(operands[0]))
			}
		}
	}
}

// handed notes objects that are handed to another module together with a manager
// or cache.
func (g *gatherer) handed(call ssa.CallInstruction) {
	common := call.Common()
	fn := kubeapi.Callee(common)
	if fn == nil || fn.Pkg() == nil || g.isLookedInto(fn.Pkg()) || common.IsInvoke() ||
		strings.HasPrefix(fn.Pkg().Path(), "sigs.k8s.io/controller-runtime/") || strings.HasPrefix(fn.Pkg().Path(), "k8s.io/") {
		return
	}
	operands := kubeapi.Operands(common)
	with := false
	for _, v := range operands {
		with = with || kubeapi.IsManager(v.Type()) || kubeapi.IsControllerBuilder(v.Type()) || kubeapi.HasMethod(v.Type(), "GetInformer")
	}
	if !with {
		return
	}
	if g.sameRepository(fn.Pkg()) {
		g.add(call, Use{Op: Handed, What: g.text(call)}, nil) // it may watch whatever the program does
	}
	for _, v := range operands {
		if inner, ok := v.(*ssa.MakeInterface); ok && kubeapi.IsObjectInterface(inner.Type()) {
			g.add(call, Use{Op: Handed, What: g.text(call)}, v)
		}
	}
}

// isLookedInto reports whether a package has been analysed: one of another module has no facts,
// even if its path is below this one's. Drivers may have those of direct imports only.
func (g *gatherer) isLookedInto(pkg *types.Package) bool {
	return g.calls.SameModule(pkg) && (!slices.Contains(g.pass.Pkg.Imports(), pkg) || g.pass.ImportPackageFact(pkg, new(Fact)))
}

// sameRepository reports whether a package of another module seems to be of the repository of
// the one at hand: the project's own code, which is not looked into.
func (g *gatherer) sameRepository(pkg *types.Package) bool {
	own, _ := kubeapi.Repository(g.pass.Pkg.Path())
	other, _ := kubeapi.Repository(pkg.Path())
	return own == other
}

// text is what is called, as the code has it.
func (g *gatherer) text(call ssa.CallInstruction) string {
	syntax := syntax.Call(g.pass.Files, call)
	if syntax == nil {
		return "Get"
	}
	return calledName(syntax.Fun)
}

func calledName(fun ast.Expr) string {
	switch fun := ast.Unparen(fun).(type) {
	case *ast.Ident:
		return fun.Name
	case *ast.IndexExpr:
		return calledName(fun.X)
	case *ast.SelectorExpr:
		prefix := ""
		switch x := ast.Unparen(fun.X).(type) {
		case *ast.Ident:
			prefix = x.Name + "."
		case *ast.SelectorExpr:
			prefix = calledName(x) + "."
		}
		return prefix + fun.Sel.Name
	}
	return ""
}
