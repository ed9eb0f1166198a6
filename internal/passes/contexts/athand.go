package contexts

import (
	"cmp"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// SourceKind tells by which way a context is at hand.
type SourceKind uint8

const (
	// FromParam is a parameter of the function or of one around it.
	FromParam SourceKind = iota
	// FromRequest is the context of a request that is a parameter.
	FromRequest
	// FromCapture is a variable of the function around a literal, captured by
	// the literal.
	FromCapture
	// FromField is a field of the receiver or of a parameter.
	FromField
)

// Source is a context, or a stop channel, that is at hand in a function.
type Source struct {
	Kind SourceKind
	// Stop tells that it is a stop channel.
	Stop bool
	// Param is the parameter that it is, or hangs on: of the function or of
	// one around it. It is nil for the kind FromCapture.
	Param *ssa.Parameter
	// Captured is the captured variable, for the kind FromCapture.
	Captured *ssa.FreeVar
	// Blank tells that the parameter has no name by which it could be used.
	Blank bool
	// Expr is how code writes it: "ctx", "r.Context()", "c.stopCh"; empty if
	// Blank.
	Expr string
	// Fields lead from the parameter to it, for the kind FromField.
	Fields []*types.Var
}

// AtHand returns the contexts and stop channels that the code of fn can reach,
// best first: those with a name before those without, contexts before stop
// channels, the function's own before those of functions around it, and what
// lies in fields last.
func (i *Sources) AtHand(fn *ssa.Function) []Source {
	if i.stores == nil {
		return nil
	}
	type ranked struct {
		Source
		rank int
	}
	var found []ranked
	level := 0
	for at := fn; at != nil && level < maxTrace; at, level = at.Parent(), level+1 {
		for _, s := range i.ofFunc(at) {
			rank := int(s.Kind)*100 + level
			if s.Stop {
				rank += 50
			}
			if s.Blank {
				rank += 1000
			}
			found = append(found, ranked{s, rank})
		}
	}
	for _, captured := range fn.FreeVars {
		if ptr, ok := captured.Type().Underlying().(*types.Pointer); ok && kubeapi.IsContext(ptr.Elem()) {
			found = append(found, ranked{Source{Kind: FromCapture, Captured: captured, Expr: captured.Name()}, int(FromCapture) * 100})
		}
	}
	slices.SortStableFunc(found, func(a, b ranked) int { return cmp.Compare(a.rank, b.rank) })
	sources := make([]Source, len(found))
	for n, f := range found {
		sources[n] = f.Source
	}
	return sources
}

// ofFunc returns what the parameters of one function give.
func (i *Sources) ofFunc(fn *ssa.Function) []Source {
	var sources []Source
	for _, p := range fn.Params {
		t := p.Type()
		blank := isBlank(p)
		switch {
		case kubeapi.IsContext(t):
			sources = append(sources, Source{Kind: FromParam, Param: p, Blank: blank, Expr: exprOf(p, "")})
		case kubeapi.IsStopChannel(t):
			if i.isStopParam(p) {
				sources = append(sources, Source{Kind: FromParam, Stop: true, Param: p, Blank: blank, Expr: exprOf(p, "")})
			}
		case blank:
		case kubeapi.IsCommandType(t):
			// Its context ends only if the program hands it one that does.
		case kubeapi.HasRequestContext(t):
			sources = append(sources, Source{Kind: FromRequest, Param: p, Expr: exprOf(p, ".Context()")})
		default:
			sources = append(sources, i.ofFields(p, t, nil)...)
		}
	}
	return sources
}

// isBlank reports whether a parameter has no name. SSA makes names up.
func isBlank(p *ssa.Parameter) bool {
	return p.Object() == nil || p.Object().Name() == "" || p.Object().Name() == "_"
}

func exprOf(p *ssa.Parameter, rest string) string {
	if isBlank(p) {
		return ""
	}
	return p.Name() + rest
}

// isStopParam reports whether a channel that is a parameter tells the function
// to stop: it does not send to it or close it itself, nor take it for a trigger.
func (i *Sources) isStopParam(p *ssa.Parameter) bool {
	if p.Referrers() == nil {
		return p.Type().Underlying().(*types.Chan).Dir() == types.RecvOnly
	}
	return !i.signals(p)
}

// signals reports whether a channel is sent to or closed, or makes a loop work
// and go on.
func (i *Sources) signals(ch ssa.Value) bool {
	of := values.Relation{Calls: i.graph, Steps: values.Held | values.Given, Onward: i.givenBack}
	for ch, use := range of.Uses(ch) {
		switch use := use.(type) {
		case *ssa.Send:
			if use.Chan == ch {
				return true
			}
		case *ssa.Select:
			for _, state := range use.States {
				if state.Chan == ch && (state.Dir == types.SendOnly || acts(use, ch)) {
					return true
				}
			}
		case *ssa.UnOp:
			if use.Op == token.ARROW && acts(use, ch) {
				return true
			}
		case ssa.CallInstruction:
			if builtin, ok := use.Common().Value.(*ssa.Builtin); ok && builtin.Name() == "close" {
				return true
			}
		}
	}
	return false
}

// givenBack returns what a function of the package that gets a channel gives back of it.
func (i *Sources) givenBack(ch ssa.Value, use ssa.Instruction) []ssa.Value {
	call, ok := use.(*ssa.Call)
	if !ok {
		return nil
	}
	var same []ssa.Value
	if i.graph.Same(call) == ch {
		same = append(same, call)
	}
	for _, ref := range *call.Referrers() {
		if part, ok := ref.(*ssa.Extract); ok && i.graph.Same(part) == ch {
			same = append(same, part)
		}
	}
	return same
}

// maxFields is how deep in structs contexts are looked for.
const maxFields = 2

// ofFields returns the contexts and stop channels in the struct that t, the
// type of the parameter p or of a field below it, is or points to.
func (i *Sources) ofFields(p *ssa.Parameter, t types.Type, path []*types.Var) []Source {
	named := kubeapi.Named(t)
	if named == nil || named.Obj().Pkg() == nil || !i.graph.SameModule(named.Obj().Pkg()) || kubeapi.IsObject(t) {
		return nil
	}
	s, ok := named.Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	var sources []Source
	for field := range s.Fields() {
		if !field.Exported() && field.Pkg() != i.pass.Pkg {
			continue
		}
		fields := append(slices.Clone(path), field)
		switch {
		case kubeapi.IsContext(field.Type()):
			if i.neverEnds(field) {
				continue
			}
			sources = append(sources, Source{Kind: FromField, Param: p, Fields: fields, Expr: selector(p, fields)})
		case kubeapi.IsStopChannel(field.Type()):
			if i.stores.isStopField(field) {
				sources = append(sources, Source{Kind: FromField, Stop: true, Param: p, Fields: fields, Expr: selector(p, fields)})
			}
		case len(fields) < maxFields:
			sources = append(sources, i.ofFields(p, field.Type(), fields)...)
		}
	}
	return sources
}

// neverEnds reports whether all contexts that the package puts into a field are ones
// that nothing can cancel, and nobody says otherwise.
func (i *Sources) neverEnds(field *types.Var) bool {
	if field.Pkg() != i.pass.Pkg {
		return false
	}
	origins, _ := i.FieldOrigins(field)
	return len(origins) > 0 && !slices.ContainsFunc(origins, func(o Origin) bool { return o.Kind != Detached || len(o.Steps) > 0 })
}

// selector writes how code reaches a field; embedded fields are left out.
func selector(p *ssa.Parameter, fields []*types.Var) string {
	expr := p.Name()
	for n, field := range fields {
		if field.Embedded() && n < len(fields)-1 {
			continue
		}
		expr += "." + field.Name()
	}
	return expr
}

// FieldOrigins returns where the contexts come from that the package stores
// into a field; all tells that nobody else can store into it.
func (i *Sources) FieldOrigins(field *types.Var) (origins []Origin, all bool) {
	if i.stores == nil || field == nil {
		return nil, false
	}
	field = field.Origin()
	for _, v := range i.graph.Stored(field) {
		origins = append(origins, i.Origins(v)...)
	}
	return origins, len(origins) > 0 && len(i.stores.only(field)) > 0
}
