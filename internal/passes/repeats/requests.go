package repeats

import (
	"cmp"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
)

// Sends is the fact on a function that sends an HTTP request without a timeout of
// its own: how long it waits is for the caller's context to say, or nobody's.
type Sends struct {
	// Ctx is the parameter that is the request's context, or -1 if there is
	// none; the receiver is parameter 0.
	Ctx int
	// What is the call that sends, Place where, and Client where its client is made, if that is one
	// place.
	What, Place, Client string
	// If are the types that parameters must have for it to be sent.
	If []IfType
}

// AFact marks a fact on a function.
func (*Sends) AFact() {}

// Endless is a call that waits for the response to an HTTP request, by a client
// without a timeout.
type Endless struct {
	// What sends the request; Place is where, if that is in another package. Client is where its client
	// is made, if that is one place: what has to be mended.
	What, Place, Client string
	// Request is what is sent, or nil if the call makes it.
	Request ssa.Value
	// Ctx is the context that limits it, if the request is made elsewhere; nil
	// for none.
	Ctx ssa.Value
	// If are the types that the call's operands must have, which they may.
	If []IfType
}

// Endless tells of a call whether it sends a request by a client without a
// timeout, itself or in another package.
func (i *Built) Endless(call *ssa.Call) (Endless, bool) {
	if i.finder == nil {
		return Endless{}, false
	}
	return i.finder.endless(call)
}

func (f *finder) endless(call *ssa.Call) (Endless, bool) {
	if request, ok := kubeapi.SendsRequest(call.Common()); ok {
		if request.Client != nil && !NeverTimesOut(f.graph, request.Client) {
			return Endless{}, false
		}
		found := Endless{What: f.called(call), Request: request.Request}
		if request.Client != nil {
			if made := madeAlone(f.graph, request.Client); made != nil {
				found.Client = f.place(made.Pos())
			}
		}
		return found, true
	}
	if len(f.graph.Callees(call).Funcs) > 0 {
		return Endless{}, false // what that one calls counts
	}
	fact := f.sent(call)
	if fact == nil {
		return Endless{}, false
	}
	conditions, may := operandsMayBe(call, fact.If)
	if !may {
		return Endless{}, false
	}
	found := Endless{What: fact.What, Place: fact.Place, Client: fact.Client, If: conditions}
	if fact.Ctx >= 0 {
		ops := kubeapi.Operands(call.Common())
		if fact.Ctx >= len(ops) {
			return Endless{}, false
		}
		found.Ctx = ops[fact.Ctx]
	}
	return found, true
}

// sent is the fact on the function of another package that a call runs; of an
// interface's method of the module, on that of the one type which implements it, as far as the
// imports tell.
func (f *finder) sent(call *ssa.Call) *Sends {
	callee := kubeapi.Callee(call.Common())
	if callee == nil || callee.Pkg() == nil {
		return nil
	}
	if fact := f.sends[callee.Origin()]; fact != nil || !call.Call.IsInvoke() {
		return fact
	}
	iface, ok := call.Call.Value.Type().Underlying().(*types.Interface)
	if !ok || iface.NumMethods() == 0 || !f.sendNames[callee.Name()] || !f.graph.SameModule(callee.Pkg()) {
		return nil // of another module's interface there are others
	}
	var method *types.Func
	for _, pkg := range f.pass.Pkg.Imports() {
		if !f.graph.SameModule(pkg) {
			continue
		}
		for _, t := range calls.Implementing(pkg, iface) {
			if method != nil {
				return nil // one of several
			}
			obj, _, _ := types.LookupFieldOrMethod(t, true, callee.Pkg(), callee.Name())
			if method, ok = obj.(*types.Func); !ok {
				return nil
			}
		}
	}
	return f.sends[method]
}

// exportSends says of functions that they send requests without a timeout.
func (f *finder) exportSends() {
	known := make(map[*ssa.Function]*Sends)
	for _, fn := range f.graph.Funcs {
		if obj, ok := fn.Object().(*types.Func); ok {
			if fact := f.summarised(fn, known, 0); fact != nil {
				f.pass.ExportObjectFact(obj, fact)
			}
		}
	}
	f.graph.ExportInterfaces(f.pass)
}

// summarised finds the request that a function sends, itself or by the functions
// of the package that it calls.
func (f *finder) summarised(fn *ssa.Function, known map[*ssa.Function]*Sends, depth int) *Sends {
	if fact, ok := known[fn]; ok || depth > maxCalls {
		return fact
	}
	known[fn] = nil // while it is asked
	var found *Sends
	for call := range blocks.InstrsOf[*ssa.Call](fn) {
		if fact := f.sending(call, known, depth); fact != nil && (found == nil || len(fact.If) == 0) {
			if found = fact; len(fact.If) == 0 {
				break
			}
		}
	}
	known[fn] = found
	return found
}

const maxCalls = 5

func (f *finder) sending(call *ssa.Call, known map[*ssa.Function]*Sends, depth int) *Sends {
	if e, ok := f.endless(call); ok {
		ctx, limited := e.Ctx, e.Ctx != nil
		if e.Request != nil {
			made := MadeRequest(e.Request)
			if made == nil {
				return nil
			}
			ctx = kubeapi.RequestContext(made)
			limited = !kubeapi.IsFunc(kubeapi.Callee(made.Common()), "net/http", "NewRequest")
		}
		place := cmp.Or(e.Place, f.place(call.Pos()))
		return f.limitedBy(call.Parent(), ctx, limited, Sends{What: e.What, Place: place, Client: e.Client, If: f.ifTypes(call, e.If)})
	}
	for _, target := range f.graph.Callees(call).Funcs {
		fact, ops := f.summarised(target, known, depth+1), kubeapi.Operands(call.Common())
		if fact == nil || fact.Ctx >= len(ops) {
			continue
		}
		conditions, may := operandsMayBe(call, fact.If)
		if !may {
			continue
		}
		here := *fact
		here.If = f.ifTypes(call, conditions)
		if fact.Ctx < 0 {
			return &here
		}
		return f.limitedBy(call.Parent(), ops[fact.Ctx], true, here)
	}
	return nil
}

// limitedBy is the fact on a function whose request is under a context, if that
// is a parameter of the function.
func (f *finder) limitedBy(fn *ssa.Function, ctx ssa.Value, limited bool, request Sends) *Sends {
	if request.Ctx = -1; !limited {
		return &request
	}
	if ctx == nil {
		return nil
	}
	for _, o := range f.contexts.Origins(ctx) {
		param, ok := o.Root.(*ssa.Parameter)
		if !ok || o.Kind != contexts.Param || o.Derived(contexts.Timeout) || param.Parent() != fn {
			return nil
		}
		request.Ctx = slices.Index(fn.Params, param)
	}
	if request.Ctx < 0 {
		return nil
	}
	return &request
}

// MadeRequest is the call that makes a request, if it is in the same function.
func MadeRequest(request ssa.Value) *ssa.Call {
	for range 5 {
		switch v := request.(type) {
		case *ssa.Extract:
			request = v.Tuple
		case *ssa.UnOp:
			local, ok := v.X.(*ssa.Alloc)
			if !ok {
				return nil
			}
			values := calls.StoredInto(local)
			if len(values) != 1 {
				return nil
			}
			request = values[0]
		case *ssa.Call:
			return v
		default:
			return nil
		}
	}
	return nil
}
