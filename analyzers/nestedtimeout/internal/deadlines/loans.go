package deadlines

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Lent is a value that needs a context as long as it is used.
type Lent struct {
	// At is where the value comes into being, Value the value itself.
	At    *paths.Node
	Value ssa.Value
	// Ctx is the context that it needs.
	Ctx ssa.Value
	// What needs it, in the words of a message: "the response's body".
	What string

	err ssa.Value // the error that came along with the value
}

// LentAt returns the values that a node makes and that need a context as long
// as they are used: responses, watches, streams, objects that keep it.
func (i *Deadlines) LentAt(n *paths.Node) []Lent {
	switch instr := n.Instr.(type) {
	case *ssa.Store:
		return i.keptAt(n, instr)
	case *ssa.Call:
		if n.Joins != nil {
			return nil
		}
		return i.resultsAt(n, instr)
	}
	return nil
}

// keptAt handles a context that is stored into a struct which is made here.
func (i *Deadlines) keptAt(n *paths.Node, store *ssa.Store) []Lent {
	addr, ok := store.Addr.(*ssa.FieldAddr)
	if !ok || !kubeapi.IsContext(store.Val.Type()) {
		return nil
	}
	made, ok := addr.X.(*ssa.Alloc)
	if !ok {
		return nil
	}
	what := "the context that it keeps"
	if field := calls.FieldOf(made.Type(), addr.Field); field != nil {
		if i.isReplaced(field) {
			return nil
		}
		what = "the context in its field " + field.Name()
	}
	return []Lent{{At: n, Value: made, Ctx: store.Val, What: what}}
}

// isReplaced reports whether a method puts another context into a field of its receiver, as
// Start does with the one that it is given: what a constructor has set up is used up then.
func (i *Deadlines) isReplaced(field *types.Var) bool {
	return slices.ContainsFunc(i.calls.Stores(field), func(store *ssa.Store) bool {
		addr, ok := store.Addr.(*ssa.FieldAddr)
		if !ok {
			return false
		}
		fn := store.Parent()
		return fn.Signature.Recv() != nil && len(fn.Params) > 0 && addr.X == fn.Params[0]
	})
}

func (i *Deadlines) resultsAt(n *paths.Node, call *ssa.Call) []Lent {
	common := call.Common()
	err := errorOf(call)
	if len(i.calls.Callees(call).Funcs) > 0 || i.isOwn(kubeapi.Callee(common)) {
		b := i.Of(call)
		if b == nil {
			return nil
		}
		var lent []Lent
		operands := kubeapi.Operands(common)
		for _, loan := range b.Lends {
			if v := calls.ResultOf(call, loan.Result); v != nil && loan.Param < len(operands) {
				if ctx := i.contextOf(operands[loan.Param]); ctx != nil {
					lent = append(lent, Lent{n, v, ctx, loan.What, err})
				}
			}
		}
		return lent
	}
	var contexts []ssa.Value
	if request, ok := sentRequest(common); ok {
		contexts = i.contextsOf(request)
	} else if ctx := firstOf(common, kubeapi.IsContext); ctx != nil {
		contexts = []ssa.Value{ctx}
	}
	var lent []Lent
	results := common.Signature().Results()
	for r := range results.Len() {
		if what := kubeapi.Borrowed(results.At(r).Type()); what != "" {
			if v := calls.ResultOf(call, r); v != nil {
				for _, ctx := range contexts {
					lent = append(lent, Lent{n, v, ctx, what, err})
				}
			}
		}
	}
	return lent
}

// contextsOf returns the contexts of a request, which may be another one by the way that was
// taken.
func (i *Deadlines) contextsOf(request ssa.Value) []ssa.Value {
	if ctx := i.contextOf(request); ctx != nil {
		return []ssa.Value{ctx}
	}
	var contexts []ssa.Value
	for end := range (values.Relation{Calls: i.calls, Steps: values.Local}).Ends(request) {
		if ctx := i.contextOf(end); ctx != nil && !slices.Contains(contexts, ctx) {
			contexts = append(contexts, ctx)
		}
	}
	return contexts
}

// contextOf returns a context itself, or that of an HTTP request, for which a
// parameter stands; nil if that is not known.
func (i *Deadlines) contextOf(v ssa.Value) ssa.Value {
	if !isRequest(v.Type()) {
		return v
	}
	request := i.base(v)
	if ctx := kubeapi.RequestContext(request); ctx != nil {
		return ctx
	}
	if param, ok := request.(*ssa.Parameter); ok {
		return param
	}
	return nil
}

func isRequest(t types.Type) bool { return kubeapi.IsNamed(t, "net/http", "Request") }

func errorOf(call *ssa.Call) ssa.Value {
	sig := call.Common().Signature()
	if !kubeapi.CanFail(sig) {
		return nil
	}
	return calls.ResultOf(call, sig.Results().Len()-1)
}
