package stores

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
)

type kind uint8

const (
	unknown kind = iota
	nothing      // nil, or a way that leads back to where the search has been
	live
	own
	parameter
	field // of this package's, filled elsewhere
)

// origin is where a store comes from.
type origin struct {
	kind kind
	what string
	pos  token.Pos

	param *ssa.Parameter // of an exported function, or one that is called from elsewhere
	field *types.Var
}

const maxDepth = 10

// all is what several values have in common.
func (i *Writes) all(values []ssa.Value, depth int) origin {
	var common origin
	for n, v := range values {
		o := i.origin(v, depth+1)
		switch {
		case n == 0 || common.kind == nothing:
			common = o
		case o.kind == nothing:
		case o.kind != common.kind || o.kind == parameter && o.param != common.param:
			return origin{}
		}
	}
	return common
}

// origin follows a store back.
func (i *Writes) origin(v ssa.Value, depth int) origin {
	if v == nil || depth > maxDepth {
		return origin{}
	}
	local := values.Relation{Calls: i.Graph, Steps: values.Local}
	if from, _ := local.Sources(v); len(from) > 0 {
		return i.all(slices.DeleteFunc(slices.Clone(from), func(edge ssa.Value) bool { return edge == v }), depth+1)
	}
	if call, index := calls.CallOf(v); call != nil {
		return i.ofCall(call, index, depth)
	}
	if m := calls.ElementOf(v); m != nil {
		return i.inContainer(m, depth)
	}
	if holder, ok := calls.Loaded(v).(*types.Var); ok {
		return i.ofField(holder, depth)
	}
	switch v := v.(type) {
	case *ssa.Const:
		return origin{kind: nothing}
	case *ssa.Parameter:
		return i.ofParameter(v, depth)
	case *ssa.Alloc:
		return i.all(calls.StoredInto(v), depth)
	}
	return origin{}
}

// inContainer is what a map of stores holds.
func (i *Writes) inContainer(m ssa.Value, depth int) origin {
	if holder := holderOfContainer(m); holder != nil {
		return i.all(i.held[holder], depth)
	}
	var values []ssa.Value
	for update := range blocks.UsesOf[*ssa.MapUpdate](m) {
		values = append(values, update.Value)
	}
	return i.all(values, depth)
}

// ofField is what a field or package-level variable holds.
func (i *Writes) ofField(v *types.Var, depth int) origin {
	if !kubeapi.IsStore(v.Type()) {
		return origin{}
	}
	if values := i.held[v]; len(values) > 0 {
		return i.all(values, depth)
	}
	if v.Pkg() == i.pass.Pkg {
		if v.IsField() && v.Exported() {
			return origin{kind: field, field: v}
		}
		return origin{}
	}
	if fact := i.fields.Of(v); fact != nil && fact.Live != "" {
		return origin{kind: live, what: fact.Live}
	}
	return origin{}
}

// ofParameter is what the callers hand over, if all are known and agree, or
// the parameter itself.
func (i *Writes) ofParameter(p *ssa.Parameter, depth int) origin {
	if args, closed := i.Graph.Arguments(p); closed && len(args) > 0 {
		if o := i.all(calls.Values(args), depth); o.kind == live || o.kind == own {
			return o
		}
	}
	return origin{kind: parameter, param: p}
}

func (i *Writes) ofCall(call *ssa.Call, index, depth int) origin {
	common := call.Common()
	if fn := kubeapi.Callee(common); fn != nil {
		switch {
		case kubeapi.IsInformerStore(fn):
			recv, _ := kubeapi.Args(common)
			if i.filledByHand(recv) {
				return origin{kind: own}
			}
			return origin{kind: live, what: i.called(call), pos: call.Pos()}
		case index == 0 && kubeapi.NewsInformerStore(fn):
			return origin{kind: live, what: fn.Pkg().Name() + "." + fn.Name(), pos: call.Pos()}
		case kubeapi.NewsStore(fn):
			return origin{kind: own}
		}
		if fact := i.funcs.Elsewhere(call); fact != nil {
			for _, result := range fact.Live {
				if result.Result == index {
					return origin{kind: live, what: i.called(call) + ", " + result.What, pos: call.Pos()}
				}
			}
		}
	}
	targets := i.Graph.Callees(call).Funcs
	values, _ := i.Graph.Results(call, index)
	o := i.all(values, depth+1)
	if o.kind != parameter {
		return o
	}
	// A function that hands its argument back.
	ops, n := kubeapi.Operands(common), slices.Index(o.param.Parent().Params, o.param)
	if len(targets) == 1 && targets[0] == o.param.Parent() && n < len(ops) {
		return i.origin(ops[n], depth+1)
	}
	return origin{}
}

// called is the function that a call names, as the source has it:
// "c.informer.GetStore".
func (i *Writes) called(call ssa.CallInstruction) string {
	return entrypoints.CalleeText(i.pass.Files, call)
}

// argument is the n-th argument of a call, as the source has it, or empty if
// that is long.
func (i *Writes) argument(call ssa.CallInstruction, n int) string {
	if syntax := syntax.Call(i.pass.Files, call); syntax != nil && n < len(syntax.Args) {
		if text := types.ExprString(syntax.Args[n]); len(text) <= maxText && !strings.Contains(text, "{") {
			return text
		}
	}
	return ""
}

// maxText bounds expressions in messages.
const maxText = 60
