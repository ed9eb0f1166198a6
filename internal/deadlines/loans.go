package deadlines

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/callgraph"
	"github.com/opvet/opvet/internal/flow"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Lent is a value that needs a context as long as it is used.
type Lent struct {
	// At is where the value comes into being, Value the value itself.
	At    *flow.Node
	Value ssa.Value
	// Ctx is the context that it needs.
	Ctx ssa.Value
	// What needs it, in the words of a message: "the response's body".
	What string

	err ssa.Value // the error that came along with the value
}

// LentAt returns the values that a node makes and that need a context as long
// as they are used: responses, watches, streams, objects that keep it.
func (i *Info) LentAt(n *flow.Node) []Lent {
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
func (i *Info) keptAt(n *flow.Node, store *ssa.Store) []Lent {
	addr, ok := store.Addr.(*ssa.FieldAddr)
	if !ok || !kubeapi.IsContext(store.Val.Type()) {
		return nil
	}
	made, ok := addr.X.(*ssa.Alloc)
	if !ok {
		return nil
	}
	what := "the context that it keeps"
	if field := callgraph.FieldOf(made.Type(), addr.Field); field != nil {
		what = "the context in its field " + field.Name()
	}
	return []Lent{{At: n, Value: made, Ctx: store.Val, What: what}}
}

func (i *Info) resultsAt(n *flow.Node, call *ssa.Call) []Lent {
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
			if v := resultOf(call, loan.Result); v != nil && loan.Param < len(operands) {
				lent = append(lent, Lent{n, v, operands[loan.Param], loan.What, err})
			}
		}
		return lent
	}
	ctx := lenderOf(common)
	if request, ok := sentRequest(common); ok {
		ctx = kubeapi.RequestContext(i.base(request))
	}
	if ctx == nil {
		return nil
	}
	var lent []Lent
	results := common.Signature().Results()
	for r := range results.Len() {
		if what := kubeapi.Borrowed(results.At(r).Type()); what != "" {
			if v := resultOf(call, r); v != nil {
				lent = append(lent, Lent{n, v, ctx, what, err})
			}
		}
	}
	return lent
}

// lenderOf returns the context among the arguments of a call, or nil.
func lenderOf(common *ssa.CallCommon) ssa.Value {
	for _, arg := range kubeapi.Operands(common) {
		if kubeapi.IsContext(arg.Type()) {
			return arg
		}
	}
	return nil
}

// resultOf returns the value of a call's result, or nil if it is not used.
func resultOf(call *ssa.Call, index int) ssa.Value {
	if _, ok := call.Type().(*types.Tuple); !ok {
		if index == 0 {
			return call
		}
		return nil
	}
	if call.Referrers() == nil {
		return nil
	}
	for _, ref := range *call.Referrers() {
		if extract, ok := ref.(*ssa.Extract); ok && extract.Index == index {
			return extract
		}
	}
	return nil
}

func errorOf(call *ssa.Call) ssa.Value {
	results := call.Common().Signature().Results()
	if results.Len() == 0 || !kubeapi.IsError(results.At(results.Len()-1).Type()) {
		return nil
	}
	return resultOf(call, results.Len()-1)
}

// Outlives follows a value that needs a context to where it is used although
// the context has been cancelled: in this function, or by its callers, to whom
// it is returned as the result-th result (-1 if it is not).
func (i *Info) Outlives(g *flow.Graph, lent Lent, id ID) (use *flow.Node, end End, result int, ok bool) {
	result = -1
	ends := make(map[*flow.Node]End)
	use, result = i.follow(g, lent, id, true, ends)
	if use == nil {
		return nil, End{}, -1, false
	}
	for _, e := range ends {
		if e.Pos > end.Pos {
			end = e
		}
	}
	return use, end, result, true
}

// Bits of the stage of a path.
const (
	cancelled = 1 << iota // the context was cancelled
	inResult              // the result's variable holds the value
)

// follow searches the paths from where a value comes into being for one on
// which it is used, or returned, after the context id was cancelled, or, if
// wanted is not set, for one on which it is returned before that.
func (i *Info) follow(g *flow.Graph, lent Lent, id ID, wanted bool, ends map[*flow.Node]End) (*flow.Node, int) {
	same := i.aliases(lent.Value)
	start := lent.At
	var assume map[ssa.Value]flow.Truth
	if err, ok := lent.err.(ssa.Instruction); ok {
		// There is no value if there was an error.
		assume = map[ssa.Value]flow.Truth{lent.err: flow.False}
		for _, n := range g.At(err) {
			if n.Frame == start.Frame {
				start = n
			}
		}
	}
	variables := resultVariables(g.Fn)
	result := -1
	path, ok := g.Search(start, 0, assume, func(n *flow.Node, stage int, known flow.Known) (int, flow.Step) {
		if i.Renews(n, id) {
			return stage, flow.Prune
		}
		if g.IsExit(n) {
			index := slices.IndexFunc(n.Instr.(*ssa.Return).Results, func(v ssa.Value) bool {
				_, loaded := v.(*ssa.UnOp)
				return same[v] && (!loaded || stage&inResult != 0)
			})
			if index >= 0 && (stage&cancelled != 0) == wanted {
				result = index
				return stage, flow.Found
			}
			return stage, flow.Prune
		}
		if store, ok := n.Instr.(*ssa.Store); ok && slices.Contains(variables, store.Addr) {
			// Another variable's store, as of the error, changes nothing.
			if same[store.Val] {
				return stage | inResult, flow.Continue
			}
			if types.Identical(store.Val.Type(), lent.Value.Type()) {
				return stage &^ inResult, flow.Continue
			}
		}
		switch i.touches(n, same) {
		case consumed:
			if stage&cancelled != 0 && wanted {
				return stage, flow.Found
			}
			return stage, flow.Prune
		case lostSight:
			return stage, flow.Prune
		}
		for _, end := range i.EndsAt(g, n) {
			if end.ID == id && end.How != Waited {
				ends[n] = end
				return stage | cancelled, flow.Continue
			}
		}
		return stage, flow.Continue
	})
	if !ok {
		return nil, -1
	}
	return path[len(path)-1], result
}

// resultVariables returns the variables that hold the results of a function
// with deferred calls until it returns.
func resultVariables(fn *ssa.Function) []ssa.Value {
	var found []ssa.Value
	for _, block := range fn.Blocks {
		ret, ok := block.Instrs[len(block.Instrs)-1].(*ssa.Return)
		if !ok {
			continue
		}
		for _, v := range ret.Results {
			if load, ok := v.(*ssa.UnOp); ok && !slices.Contains(found, load.X) {
				found = append(found, load.X)
			}
		}
	}
	return found
}

// aliases returns the values that v is seen as in the function.
func (i *Info) aliases(v ssa.Value) map[ssa.Value]bool {
	same := make(map[ssa.Value]bool)
	var visit func(v ssa.Value)
	visit = func(v ssa.Value) {
		if same[v] || v.Referrers() == nil || len(same) > maxVisits {
			return
		}
		same[v] = true
		for _, ref := range *v.Referrers() {
			switch ref := ref.(type) {
			case *ssa.ChangeInterface:
				visit(ref)
			case *ssa.MakeInterface:
				visit(ref)
			case *ssa.Phi:
				visit(ref)
			case *ssa.Store:
				if local, ok := ref.Addr.(*ssa.Alloc); ok && ref.Val == v {
					i.loads(local, visit, 0)
				}
			}
		}
	}
	visit(v)
	return same
}

// loads visits the loads of a local variable, also in literals.
func (i *Info) loads(addr ssa.Value, visit func(ssa.Value), depth int) {
	if addr.Referrers() == nil || depth > maxTrace {
		return
	}
	for _, ref := range *addr.Referrers() {
		switch ref := ref.(type) {
		case *ssa.UnOp:
			visit(ref)
		case *ssa.MakeClosure:
			for n, binding := range ref.Bindings {
				if fn, ok := ref.Fn.(*ssa.Function); ok && binding == addr && n < len(fn.FreeVars) {
					i.loads(fn.FreeVars[n], visit, depth+1)
				}
			}
		}
	}
}

// touch is what a node does with a value that needs a context.
type touch uint8

const (
	nothing   touch = iota
	consumed        // it is used
	lostSight       // it goes where it cannot be followed
)

// releasing are the methods that need no context.
var releasing = map[string]bool{"Close": true, "Stop": true, "Err": true, "Header": true, "Trailer": true, "CloseSend": true, "Rollback": true, "String": true}

func (i *Info) touches(n *flow.Node, same map[ssa.Value]bool) touch {
	switch instr := n.Instr.(type) {
	case *ssa.FieldAddr:
		if !same[instr.X] {
			return nothing
		}
		if field := callgraph.FieldOf(instr.X.Type(), instr.Field); field != nil && field.Name() == "Body" && !onlyReleased(instr) {
			return consumed
		}
	case *ssa.Go, *ssa.Send, *ssa.MapUpdate:
		for _, operand := range n.Instr.Operands(nil) {
			if operand != nil && same[*operand] {
				return lostSight
			}
		}
	case *ssa.Store:
		if _, local := instr.Addr.(*ssa.Alloc); same[instr.Val] && !local {
			if _, captured := instr.Addr.(*ssa.FreeVar); !captured {
				return lostSight
			}
		}
	case *ssa.Range:
		if same[instr.X] {
			return consumed
		}
	case ssa.CallInstruction:
		call := runs(n)
		if call == nil {
			return nothing
		}
		common := call.Common()
		recv, args := kubeapi.Args(common)
		callee := kubeapi.Callee(common)
		if recv != nil && same[recv] {
			if callee != nil && releasing[callee.Name()] {
				return nothing
			}
			return consumed
		}
		for _, arg := range args {
			if same[arg] && !kubeapi.IsHarmless(callee) {
				return consumed
			}
		}
	}
	return nothing
}

// onlyReleased reports whether a field is only loaded to be closed.
func onlyReleased(field *ssa.FieldAddr) bool {
	if field.Referrers() == nil {
		return true
	}
	for _, ref := range *field.Referrers() {
		load, ok := ref.(*ssa.UnOp)
		if !ok || load.Referrers() == nil {
			return false
		}
		for _, use := range *load.Referrers() {
			call, ok := use.(ssa.CallInstruction)
			if !ok {
				return false
			}
			recv, _ := kubeapi.Args(call.Common())
			if callee := kubeapi.Callee(call.Common()); recv != load || callee == nil || !releasing[callee.Name()] {
				return false
			}
		}
	}
	return true
}

// lends finds the results of fn that need one of its parameters.
func (i *Info) lends(fn *ssa.Function, b *Behaviour) {
	if fn.Signature.Results().Len() == 0 {
		return
	}
	g := i.Graph(fn)
	for _, n := range g.Nodes {
		for _, lent := range i.LentAt(n) {
			for index, p := range fn.Params {
				if !kubeapi.IsContext(p.Type()) || len(b.Lends) >= maxKept || !i.Covers(lent.Ctx, p) {
					continue
				}
				id := i.IDOf(lent.Ctx)
				if id == nil {
					continue
				}
				_, result := i.follow(g, lent, id, false, make(map[*flow.Node]End))
				loan := Loan{Param: index, Result: result, What: lent.What}
				if result >= 0 && !slices.Contains(b.Lends, loan) {
					b.Lends = append(b.Lends, loan)
				}
			}
		}
	}
}
