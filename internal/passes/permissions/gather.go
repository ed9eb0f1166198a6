package permissions

import (
	"cmp"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/literals"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/kubeapi/rbac"
)

// gatherer notes what one package does by itself.
type gatherer struct {
	*Permissions
	pass    *analysis.Pass
	calls   *calls.Graph
	resolve *resolver
	read    *literals.Reader
	seen    map[types.Type]bool
	// mentioned are the functions that others of the package mention.
	mentioned map[Edge]bool
	operands  blocks.Operands
	flags     *switches // found on demand
}

func (g *gatherer) gather() {
	g.read = &literals.Reader{Calls: g.calls}
	g.calls.Each(func(instr ssa.Instruction) {
		for _, operand := range g.operands.Of(instr) {
			g.registering(*operand)
			fn, ok := (*operand).(*ssa.Function)
			if !ok {
				continue
			}
			g.mention(instr, fn)
			if kubeapi.IsMetricsFilter(fn) {
				first := len(g.Direct)
				g.need(instr, rbac.Permission{Group: "authentication.k8s.io", Resource: "tokenreviews"}, Metrics, "create")
				g.need(instr, rbac.Permission{Group: "authorization.k8s.io", Resource: "subjectaccessreviews"}, Metrics, "create")
				g.neededWith(g.switches().around(instr), first)
			}
		}
		g.Records = g.Records || g.records(instr)
		switch instr := instr.(type) {
		case *ssa.MakeInterface:
			g.kindIn(instr.X.Type())
			if t := instr.X.Type(); kubeapi.IsUnstructured(t) || kubeapi.IsUnstructuredList(t) || kubeapi.IsPartialMetadata(t) {
				g.Open = first(g.Open, syntax.Place(g.pass.Fset, instr.Pos()))
			}
		case *ssa.Alloc:
			g.kindIn(instr.Type())
			if kubeapi.IsNamed(instr.Type(), "k8s.io/client-go/tools/leaderelection/resourcelock", "LeaseLock") {
				g.leases(instr)
			}
		case *ssa.FieldAddr:
			g.role(instr)
			g.impersonation(instr)
		case ssa.CallInstruction:
			g.call(instr)
		}
	})
	g.keepEdges()
}

// records reports whether an instruction records an event, or hands on a recorder, or what
// embeds one: to a function, or to a library in a field.
func (g *gatherer) records(instr ssa.Instruction) bool {
	isRecorder := func(v ssa.Value) bool { return v != nil && kubeapi.HasMethod(v.Type(), "Eventf") }
	switch instr := instr.(type) {
	case ssa.CallInstruction:
		return slices.ContainsFunc(kubeapi.Operands(instr.Common()), isRecorder)
	case *ssa.MakeInterface:
		return isRecorder(instr.X)
	case *ssa.MakeClosure:
		return slices.ContainsFunc(instr.Bindings, isRecorder)
	case *ssa.Store:
		field := calls.FieldAt(instr.Addr)
		return field != nil && field.Pkg() != nil && !g.calls.SameModule(field.Pkg()) && isRecorder(instr.Val)
	}
	return false
}

// registering notes the repository of what registers types, if something of it does.
func (g *gatherer) registering(v ssa.Value) {
	var pkg *ssa.Package
	switch v := v.(type) {
	case *ssa.Function:
		pkg = v.Pkg
	case *ssa.Global:
		pkg = v.Pkg
	}
	if pkg == nil || g.calls.SameModule(pkg.Pkg) || !kubeapi.Registers(v.Type()) {
		return
	}
	if repository, _ := kubeapi.Repository(pkg.Pkg.Path()); !slices.Contains(g.Registered, repository) {
		g.Registered = append(g.Registered, repository)
	}
}

// kindIn notes the resource of a kind that objects of a type have.
func (g *gatherer) kindIn(t types.Type) {
	if g.seen[t] {
		return
	}
	g.seen[t] = true
	kind := cmp.Or(kubeapi.KindOf(t), kubeapi.ListElem(t))
	if kind == nil || kubeapi.IsPartialMetadata(t) || kubeapi.IsUnstructured(t) {
		return
	}
	g.Kinds = append(g.Kinds, g.resolve.of(kind))
}

// need notes that a place needs verbs.
func (g *gatherer) need(instr ssa.Instruction, p rbac.Permission, via Via, verbs ...string) {
	for _, verb := range verbs {
		p.Verb = verb
		g.Direct = append(g.Direct, Need{
			Permission: p, Via: via, What: g.text(instr), Where: syntax.Place(g.pass.Fset, instr.Pos()), Pos: instr.Pos(), Func: funcOf(instr.Parent()),
		})
	}
}

func (g *gatherer) text(instr ssa.Instruction) string {
	if _, ok := instr.(*ssa.FieldAddr); ok {
		return "impersonation"
	}
	if call, ok := instr.(ssa.CallInstruction); ok {
		if fn := kubeapi.Callee(call.Common()); fn != nil {
			return fn.Name()
		}
	}
	return ""
}

// isEntry reports whether a function is a literal in what a package declares, such as a table
// of how to read each kind: which of these are called, the program says where nobody sees it.
// Commands are.
func isEntry(fn *ssa.Function) bool {
	return fn.Parent() != nil && paths.Outermost(fn).Synthetic != "" && !kubeapi.IsCommand(fn.Signature)
}

func (g *gatherer) unknown(instr ssa.Instruction, verb string) {
	g.Unknown = append(g.Unknown, Unknown{
		What: g.text(instr), Where: syntax.Place(g.pass.Fset, instr.Pos()), Func: funcOf(instr.Parent()),
		Reads: verb == "get" || verb == "list" || verb == "watch",
	})
}

func (g *gatherer) call(call ssa.CallInstruction) {
	common := call.Common()
	g.subresources(common)
	if kubeapi.HandsClientOn(common, g.calls.SameModule) {
		g.Handed = first(g.Handed, syntax.Place(g.pass.Fset, call.Pos()))
	}
	if kubeapi.MakesAnyKind(common) {
		g.Open = first(g.Open, syntax.Place(g.pass.Fset, call.Pos()))
	}
	if g.Remote == "" && kubeapi.ReachesOtherClusters(common, g.calls.SameModule) {
		g.Remote = syntax.Place(g.pass.Fset, call.Pos())
	}
	if typed, ok := kubeapi.TypedCallOf(common); ok {
		switch {
		case g.wraps(common):
		case typed.Given != nil:
			g.forward(call, typed)
		case isEntry(call.Parent()):
			g.unknown(call, typed.Verb)
		case typed.Kind == nil:
			g.need(call, rbac.Permission{Resource: typed.Resource, Sub: typed.Sub}, Call, typed.Verb)
		default:
			g.typed(call, typed.Kind, typed.Verb, typed.Sub)
		}
		return
	}
	if kind := kubeapi.InformedKind(common); kind != nil {
		if g.calls.Everywhere(call, func(at *calls.Site) bool { return takesResource(at.Parent()) }) {
			// One case of a switch, as in generated ForResource: the caller chooses.
			if n := len(g.Unknown); n == 0 || g.Unknown[n-1].Func != funcOf(call.Parent()) {
				g.unknown(call, "list")
			}
			return
		}
		g.kindNeed(call, kind, Watch, "", "list", "watch")
		return
	}
	if dynamic, ok := kubeapi.DynamicCallOf(common); ok {
		g.dynamic(call, dynamic)
		return
	}
	if raw, ok := kubeapi.RawRequestOf(common); ok {
		if group, known := rbac.GroupOfPackage(raw.Client); known {
			g.need(call, rbac.Permission{Group: group, Resource: raw.Resource, Sub: raw.Sub}, Call, raw.Verb)
		}
		return
	}
	if group, ok := kubeapi.RecorderGroup(common); ok {
		g.need(call, rbac.Permission{Group: group, Resource: "events"}, Recorder, "create", "patch")
		return
	}
	if kubeapi.MakesManager(common) {
		g.manager(call)
		return
	}
	if owner, ok := kubeapi.OwnerCallOf(common); ok {
		if owner.Controller {
			g.owner(call, owner.Owner)
		}
		return
	}
	if owner, ok := kubeapi.NewControllerRefOwner(common); ok {
		g.owner(call, owner)
		return
	}
	for _, r := range kubeapi.LibraryRequestsOf(common) {
		via := Call
		if r.Election {
			via = Leader
		}
		g.need(call, rbac.Permission{Group: r.Group, Resource: r.Resource, Sub: r.Sub}, via, r.Verbs...)
	}
}

// takesResource reports whether a function is told at run time which resource it is
// about.
func takesResource(fn *ssa.Function) bool {
	return slices.ContainsFunc(fn.Params, func(p *ssa.Parameter) bool {
		return kubeapi.IsNamed(p.Type(), "k8s.io/apimachinery/pkg/runtime/schema", "GroupVersionResource")
	})
}

// wraps reports whether a function of the user's own is called that has a body
// which is looked into.
func (g *gatherer) wraps(common *ssa.CallCommon) bool {
	fn := common.StaticCallee()
	return fn != nil && slices.Contains(g.calls.Funcs, fn)
}

func (g *gatherer) typed(call ssa.CallInstruction, kind *types.Named, verb, sub string) {
	if sub == "?" {
		g.Kinds = append(g.Kinds, g.resolve.of(kind))
		g.unknown(call, verb)
		return
	}
	g.kindNeed(call, kind, Call, sub, verb)
	if fn := kubeapi.Callee(call.Common()); fn.Name() == "Apply" && sub == "" {
		g.kindNeed(call, kind, Call, "", "create")
	}
}

func (g *gatherer) kindNeed(call ssa.CallInstruction, kind *types.Named, via Via, sub string, verbs ...string) {
	k := g.resolve.of(kind)
	if k.Resource == "" {
		g.unknown(call, verbs[0])
		return
	}
	before := len(g.Direct)
	g.need(call, rbac.Permission{Group: k.Group, Resource: k.Resource, Sub: sub}, via, verbs...)
	for i := before; i < len(g.Direct); i++ {
		g.Direct[i].Guessed, g.Direct[i].Kind = k.Guessed, k.Name
		g.Direct[i].InNamespace = via == Call && kubeapi.AsksOneNamespace(call.Common())
	}
}

func (g *gatherer) dynamic(call ssa.CallInstruction, d kubeapi.DynamicCall) {
	if d.Resource == nil || d.Sub == "?" {
		g.unknown(call, d.Verb)
		return
	}
	s := g.read.Read(d.Resource)
	resource, known := stringField(s, "Resource")
	group, groupKnown := stringField(s, "Group")
	if s.Open || !known || !groupKnown || resource == "" {
		g.unknown(call, d.Verb)
		return
	}
	g.need(call, rbac.Permission{Group: group, Resource: resource, Sub: d.Sub}, Call, d.Verb)
	g.Direct[len(g.Direct)-1].InNamespace = kubeapi.AsksOneNamespace(call.Common())
}

// stringField returns the string that a field is always set to; a field that is never
// set is empty.
func stringField(s *literals.Struct, field string) (value string, known bool) {
	switch values := s.Values[field]; len(values) {
	case 0:
		return "", true
	case 1:
		return kubeapi.ConstString(values[0])
	}
	return "", false
}

// manager notes what a manager needs for itself.
func (g *gatherer) manager(call ssa.CallInstruction) {
	args := call.Common().Args
	if len(args) != 2 {
		return
	}
	s := g.read.Read(args[1])
	if !kubeapi.HasField(args[1].Type(), "LeaderElectionResourceLock") {
		return // a release that locks ConfigMaps, too, or nothing else
	}
	elects := slices.DeleteFunc(slices.Clone(s.Values["LeaderElection"]), literals.IsZero)
	if len(elects) == 0 || len(s.Values["LeaderElectionID"]) == 0 {
		return // without a name of the lease there is no manager, whatever is granted
	}
	first := len(g.Direct)
	g.leases(call)
	g.need(call, rbac.Permission{Resource: "events"}, Leader, "create", "patch")
	flag := ""
	if len(elects) == 1 {
		flag = g.switches().of(elects[0])
	}
	g.neededWith(flag, first)
	if flag == "" && !slices.ContainsFunc(elects, g.switches().isOn) {
		for i := range g.Direct[first:] {
			g.Direct[first+i].Optional = true
		}
	}
}

// neededWith notes that what is needed, from the first of the needs on, is so with a flag
// only.
func (g *gatherer) neededWith(flag string, first int) {
	for i := range g.Direct[first:] {
		g.Direct[first+i].Switch = flag
	}
}

// impersonation notes that the requests of a configuration are in another user's
// name. What these need is not the program's.
func (g *gatherer) impersonation(field *ssa.FieldAddr) {
	if !kubeapi.IsNamed(field.X.Type(), "k8s.io/client-go/rest", "ImpersonationConfig") {
		return
	}
	for _, v := range stored(field) {
		if literals.IsZero(v) {
			continue
		}
		if g.Remote == "" {
			g.Remote = syntax.Place(g.pass.Fset, field.Pos())
		}
		switch calls.FieldName(field) {
		case "UserName":
			g.user(field, v)
		case "Groups":
			g.need(field, rbac.Permission{Resource: "groups"}, As, "impersonate")
		case "UID":
			g.need(field, rbac.Permission{Group: "authentication.k8s.io", Resource: "uids"}, As, "impersonate")
		}
	}
}

// user notes whose name requests are in: service accounts are told by what theirs
// begin with.
func (g *gatherer) user(field *ssa.FieldAddr, name ssa.Value) {
	for {
		sum, ok := name.(*ssa.BinOp)
		if !ok {
			break
		}
		name = sum.X
	}
	prefix, known := kubeapi.ConstString(name)
	switch {
	case !known:
		g.unknown(field, "impersonate")
	case strings.HasPrefix(prefix, "system:serviceaccount:"):
		g.need(field, rbac.Permission{Resource: "serviceaccounts"}, As, "impersonate")
	default:
		g.need(field, rbac.Permission{Resource: "users"}, As, "impersonate")
	}
}

func (g *gatherer) leases(instr ssa.Instruction) {
	g.need(instr, rbac.Permission{Group: "coordination.k8s.io", Resource: "leases"}, Leader, "get", "create", "update")
}

// owner notes what an owner reference that blocks the owner's deletion needs.
func (g *gatherer) owner(call ssa.CallInstruction, owner ssa.Value) {
	if kind := kubeapi.KindOfValue(owner); kind != nil {
		g.kindNeed(call, kind, Owners, "finalizers", "update")
	}
}
