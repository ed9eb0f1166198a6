package emptykind

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/rule"
)

// usage is what becomes of a kind that was read, from the least to the worst.
type usage uint8

const (
	nothing   usage = iota // or it is asked whether it is empty
	printed                // in a log or an error
	inVain                 // compared with the name of another kind, which it would never be
	elsewhere              // out of sight
	stored                 // in a struct that describes an object
	compared               // with a constant
	owns                   // in an owner reference
)

type use struct {
	what  usage
	where string // the struct, or the constant
}

func (u use) harm() rule.Harm {
	if u.what == printed || u.what == inVain || u.what == elsewhere {
		return rule.Hygiene
	}
	return rule.Loss
}

// consequence says what happens since the field is empty.
func (u use) consequence() string {
	switch u.what {
	case owns:
		return "the API server rejects the owner reference"
	case compared, inVain:
		return "this is never " + u.where
	case stored:
		return u.where + " tells nobody what it is about"
	}
	return "this is empty"
}

// plain is the name of a field in a sentence.
func plain(field string) string {
	if field == "APIVersion" {
		return "apiVersion"
	}
	return "kind"
}

// worstUse follows a kind that was read through a function, and those that it hands it
// to or returns it to.
func worstUse(graph *calls.Graph, r read) use {
	f := follower{graph: graph, read: r, seen: make(map[ssa.Value]bool)}
	f.follow(r.value)
	if f.asked {
		return use{}
	}
	return f.worst
}

type follower struct {
	graph *calls.Graph
	read  read
	seen  map[ssa.Value]bool
	worst use
	asked bool // whether it is empty
}

func (f *follower) note(what usage, where string) {
	if what > f.worst.what {
		f.worst = use{what, where}
	}
}

func (f *follower) follow(v ssa.Value) {
	if v == nil || f.seen[v] { // a deferred call has no value
		return
	}
	f.seen[v] = true
	for ref := range blocks.Uses(v) {
		f.used(v, ref)
	}
}

func (f *follower) used(v ssa.Value, ref ssa.Instruction) {
	switch ref := ref.(type) {
	case *ssa.Field, *ssa.FieldAddr, *ssa.Phi, *ssa.Convert, *ssa.ChangeType, *ssa.MakeInterface, *ssa.Extract, *ssa.Slice, *ssa.UnOp:
		f.follow(ref.(ssa.Value))
	case *ssa.BinOp:
		f.compare(v, ref)
	case *ssa.Store:
		if ref.Val == v {
			f.store(ref.Addr)
		}
	case ssa.CallInstruction:
		f.call(v, ref)
	case *ssa.Return:
		f.returned(v, ref)
	case *ssa.DebugRef:
	default:
		f.note(elsewhere, "")
	}
}

// returned follows a result to the caller, if there is one only: what others hand over
// may have its kind.
func (f *follower) returned(v ssa.Value, ret *ssa.Return) {
	callers := f.graph.OnlyCallers(ret.Parent())
	if len(callers) == 1 {
		if call, ok := callers[0].(*ssa.Call); ok {
			f.follow(calls.ResultOf(call, slices.Index(ret.Results, v)))
			return
		}
	}
	f.note(elsewhere, "")
}

func (f *follower) compare(v ssa.Value, op *ssa.BinOp) {
	if op.Op != token.EQL && op.Op != token.NEQ {
		f.follow(op) // a part of a longer string
		return
	}
	other := op.X
	if other == v {
		other = op.Y
	}
	switch name, ok := kubeapi.ConstString(other); {
	case ok && name == "":
		f.asked = true
	case ok && op.Op == token.EQL && f.isOtherKind(name):
		f.note(inVain, `"`+name+`"`)
	case ok && op.Op == token.EQL:
		f.note(compared, `"`+name+`"`)
	default:
		f.note(elsewhere, "")
	}
}

// isOtherKind reports whether a name is that of another kind than the object's: with its kind, too, it
// would never be that.
func (f *follower) isOtherKind(name string) bool {
	kind := kubeapi.KindOfValue(f.read.object)
	return f.read.field != "APIVersion" && kind != nil && kind.Obj().Name() != name && !strings.ContainsAny(name, "/.")
}

func (f *follower) store(addr ssa.Value) {
	switch addr := addr.(type) {
	case *ssa.Alloc:
		f.follow(addr)
	case *ssa.FieldAddr:
		t := addr.X.Type()
		switch {
		case kubeapi.IsOwnerReference(t):
			f.note(owns, "")
		case kubeapi.IsTypeMeta(t), f.isOptional(addr):
			f.note(elsewhere, "")
		case f.isToldAnyway(addr), f.isOfAccount(addr), f.isWrittenOut(addr):
			f.note(printed, "")
		default:
			f.note(stored, structName(t, addr.Field))
		}
	case *ssa.IndexAddr:
		if array, ok := addr.X.(*ssa.Alloc); ok {
			f.follow(array) // variadic arguments
		} else {
			f.note(elsewhere, "")
		}
	default:
		f.note(elsewhere, "")
	}
}

// isToldAnyway reports whether a reference to an object of Kubernetes' own lacks no more
// than the version: its kind, name and UID say which it is.
func (f *follower) isToldAnyway(version *ssa.FieldAddr) bool {
	kind := kubeapi.KindOfValue(f.read.object)
	if f.read.field != "APIVersion" || kind == nil || !kubeapi.IsBuiltin(kubeapi.KindID(kind)) || !kubeapi.IsObjectReference(version.X.Type()) {
		return false
	}
	told := make(map[string]bool)
	for field := range blocks.UsesOf[*ssa.FieldAddr](version.X) {
		name := calls.FieldOf(field.X.Type(), field.Field).Name()
		for store := range blocks.Stores(field) {
			named, known := kubeapi.ConstString(store.Val)
			told[name] = name != "Kind" || known && named != ""
		}
	}
	return told["Kind"] && told["Name"] && told["UID"]
}

// isOptional reports whether a field of another project's struct may be left out: an empty kind may be taken
// there for one that it has by default, as the reference to the issuer of a certificate is.
func (f *follower) isOptional(in *ssa.FieldAddr) bool {
	named := kubeapi.Named(in.X.Type())
	if named == nil || named.Obj().Pkg() == nil || strings.HasPrefix(kubeapi.PackagePath(named.Obj().Pkg()), "k8s.io/") || f.graph.SameModule(named.Obj().Pkg()) {
		return false
	}
	of, ok := named.Underlying().(*types.Struct)
	return ok && !kubeapi.KeepsEmpty(of, in.Field)
}

// isOfAccount reports whether a reference to a Secret is one of those that a service account has: all
// are to Secrets of its namespace, and nothing reads their kind.
func (f *follower) isOfAccount(in *ssa.FieldAddr) bool {
	kind := kubeapi.KindOfValue(f.read.object)
	return kind != nil && kubeapi.IsNamed(kind, "k8s.io/api/core/v1", "Secret") && kubeapi.IsObjectReference(in.X.Type()) && blocks.Any(in.Parent(), func(store *ssa.Store) bool {
		list, ok := store.Addr.(*ssa.FieldAddr)
		return ok && kubeapi.IsSecretsOfAccount(list.X.Type(), list.Field)
	})
}

// isWrittenOut reports whether nothing is done with a reference but to write it out as a text among others, such
// as the annotations, that nothing in the package reads: it is for people, who know by its name what it is of.
func (f *follower) isWrittenOut(in *ssa.FieldAddr) bool {
	if !kubeapi.IsObjectReference(in.X.Type()) || slices.ContainsFunc(f.graph.Funcs, readsReference) {
		return false
	}
	writtenOut := false
	for _, use := range (values.Relation{Calls: f.graph, Steps: values.Held | values.Given | values.Converted}).Uses(in.X) {
		switch use := use.(type) {
		case *ssa.FieldAddr:
			if blocks.AnyUse(use, func(use ssa.Instruction) bool { _, sets := use.(*ssa.Store); return !sets }) {
				return false
			}
		case *ssa.DebugRef:
		case *ssa.Call:
			if !kubeapi.IsFunc(kubeapi.Callee(use.Common()), "encoding/json", "Marshal", "MarshalIndent") || !isEntry(calls.ResultOf(use, 0)) {
				return false
			}
			writtenOut = true
		default:
			return false
		}
	}
	return writtenOut
}

// isEntry reports whether a text only becomes an entry of a map.
func isEntry(text ssa.Value) bool {
	if text == nil {
		return false
	}
	for v, use := range (values.Relation{Steps: values.Converted}).Uses(text) {
		if update, ok := use.(*ssa.MapUpdate); !ok || update.Value != v {
			return false
		}
	}
	return true
}

// readsReference reports whether a function reads a reference from a text.
func readsReference(fn *ssa.Function) bool {
	return blocks.Any(fn, func(call *ssa.Call) bool {
		return kubeapi.IsFunc(kubeapi.Callee(call.Common()), "encoding/json", "Unmarshal") && kubeapi.IsObjectReference(kubeapi.Unboxed(call.Call.Args[1]).Type())
	})
}

// structName names a struct whose field is set.
func structName(t types.Type, field int) string {
	if named := kubeapi.Named(t); named != nil {
		return "the " + named.Obj().Name()
	}
	if f := calls.FieldOf(t, field); f != nil {
		return f.Name()
	}
	return "a struct"
}

func (f *follower) call(v ssa.Value, call ssa.CallInstruction) {
	fn := kubeapi.Callee(call.Common())
	path := ""
	if fn != nil && fn.Pkg() != nil {
		path = fn.Pkg().Path()
	}
	ofSchema := strings.HasSuffix(path, "k8s.io/apimachinery/pkg/runtime/schema")
	_, makesRef := kubeapi.NewControllerRefOwner(call.Common())
	switch {
	case calls.IsBuiltin(call, "len"), ofSchema && fn.Name() == "Empty":
		f.asked = true
	case fn == nil:
		f.note(elsewhere, "")
	case makesRef:
		f.note(owns, "")
	case ofSchema, path == "strings", strings.HasPrefix(kubeapi.FullName(fn), "fmt.Sprint"):
		result, _ := call.(ssa.Value)
		f.follow(result)
	case kubeapi.Logs(fn) || kubeapi.MakesError(fn) || kubeapi.IsEventRecorder(fn):
		f.note(printed, "")
	default:
		f.handed(v, call)
	}
}

// handed follows an argument into a function of the package.
func (f *follower) handed(v ssa.Value, call ssa.CallInstruction) {
	targets := f.graph.Callees(call)
	if len(targets.Funcs) != 1 || !targets.Closed || len(targets.Funcs[0].Blocks) == 0 {
		f.note(elsewhere, "")
		return
	}
	for i, operand := range kubeapi.Operands(call.Common()) {
		if params := targets.Funcs[0].Params; operand == v && i < len(params) {
			f.follow(params[i])
		}
	}
}
