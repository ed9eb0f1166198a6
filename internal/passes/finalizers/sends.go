package finalizers

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// ParamPatch is a merge patch without a lock that a function sends: what has
// changed from what one parameter (the receiver counted) leads to, to what
// another one leads to. From may be a client.Patch: then the state that this was
// made of counts.
type ParamPatch struct {
	From, To         int
	FromPath, ToPath string // from the parameters to the objects; empty for themselves
	// Run is 1 + the parameter that is a function, called between the two states:
	// the function copies the object itself, and From and To are one parameter.
	// It is 0 for all others.
	Run int
}

// sends finds the patches that a function sends of what it is given.
func (i *Finalizers) sends(u *objects.Unit) []ParamPatch {
	var found []ParamPatch
	add := func(p ParamPatch) {
		if !slices.Contains(found, p) && len(found) < maxChanges {
			found = append(found, p)
		}
	}
	for _, n := range u.Graph.Nodes {
		if skipped(n) {
			continue
		}
		for _, p := range i.Patches(n.Instr) {
			if p.FromArg == nil || p.Run != nil {
				continue
			}
			from, fromPath := paramPath(u.Fn, p.From)
			to, toPath := paramPath(u.Fn, p.To)
			if from >= 0 && to >= 0 && p.From != p.To {
				add(ParamPatch{From: from, To: to, FromPath: fromPath, ToPath: toPath})
				continue
			}
			if object, run := i.runBetween(u, n, p); run > 0 {
				add(ParamPatch{From: object, To: object, Run: run})
			}
		}
	}
	return found
}

// ParamDocument is a merge patch that a function sends to the main endpoint: the bytes
// that one parameter is (the receiver counted), for the object that another one leads
// to.
type ParamDocument struct {
	Data, To int
	ToPath   string
}

// documents finds the patches that a function is given as bytes.
func (i *Finalizers) documents(u *objects.Unit) []ParamDocument {
	var found []ParamDocument
	for _, n := range u.Graph.Nodes {
		call := n.Call()
		if call == nil || skipped(n) {
			continue
		}
		var data, object ssa.Value
		if op, ok := i.Summaries.ClientOp(call.Common()); ok && op.Verb == kubeapi.Patch && op.Endpoint == kubeapi.MainEndpoint {
			if spec, _, ok := i.spec(call.Common()); ok && spec.Kind == kubeapi.MergePatch && !spec.Locked {
				data, object = spec.Data, op.Object
			}
		}
		if data == nil || object == nil {
			continue
		}
		param, ok := i.Summaries.Source(data).(*ssa.Parameter)
		to, path := paramPath(u.Fn, i.Place(object).Object)
		if !ok || to < 0 || len(found) >= maxChanges {
			continue
		}
		if d := (ParamDocument{slices.Index(u.Fn.Params, param), to, path}); d.Data >= 0 && !slices.Contains(found, d) {
			found = append(found, d)
		}
	}
	return found
}

// paramPath returns which parameter of fn leads to an object, and how, or -1.
func paramPath(fn *ssa.Function, o paths.Object) (index int, path string) {
	param, ok := o.Root.(*ssa.Parameter)
	if !ok || o.Index != nil || strings.Contains(o.Path, "[]") {
		return -1, ""
	}
	return slices.Index(fn.Params, param), strings.TrimPrefix(o.Path, ".")
}

// runBetween returns the parameter that a patch is of, whose earlier state the
// function copies itself, and 1 + the parameter that it calls after that.
func (i *Finalizers) runBetween(u *objects.Unit, at *paths.Node, p Patch) (object, run int) {
	base, copied, ok := i.CopyOf(p.From)
	object = paramOf(u.Fn, p.To)
	if !ok || object < 0 || base != p.To {
		// updated := obj.DeepCopy(); change(updated); Patch(updated, MergeFrom(obj))
		base, copied, ok = i.CopyOf(p.To)
		object = paramOf(u.Fn, p.From)
		if !ok || object < 0 || base != p.From {
			return -1, 0
		}
	}
	for _, n := range u.Graph.Nodes {
		call := n.Call()
		if call == nil || skipped(n) {
			continue
		}
		param, isParam := call.Common().Value.(*ssa.Parameter)
		fromCopy := func(start *paths.Node) bool { return u.Graph.Reaches(start, n) }
		if !isParam || !slices.ContainsFunc(u.Graph.At(copied), fromCopy) || !u.Graph.Reaches(n, at) {
			continue
		}
		if index := slices.Index(u.Fn.Params, param); index >= 0 {
			return object, index + 1
		}
	}
	return -1, 0
}

// sentBy returns the patches that the functions of the user's modules send
// which a call runs.
func (i *Finalizers) sentBy(call ssa.CallInstruction) []Patch {
	operands := kubeapi.Operands(call.Common())
	via := kubeapi.Callee(call.Common())
	var found []Patch
	for _, f := range i.known.At(call) {
		for _, p := range f.Patches {
			if p.From >= len(operands) || p.To >= len(operands) || p.Run > len(operands) {
				continue
			}
			sent := Patch{ToArg: operands[p.To], To: i.reached(operands[p.To], p.ToPath), Via: via}
			switch {
			case p.Run > 0:
				sent.Run = operands[p.Run-1]
				sent.FromArg, sent.From = sent.ToArg, sent.To
			case isPatch(operands[p.From].Type()):
				if !i.handed(&sent, operands[p.From]) {
					continue
				}
			default:
				sent.FromArg, sent.From = operands[p.From], i.reached(operands[p.From], p.FromPath)
			}
			found = append(found, sent)
		}
		for _, d := range f.Documents {
			if d.Data >= len(operands) || d.To >= len(operands) {
				continue
			}
			sent := Patch{ToArg: operands[d.To], To: i.reached(operands[d.To], d.ToPath), Via: via}
			if i.written(&sent, operands[d.Data]) {
				found = append(found, sent)
			}
		}
	}
	return found
}

// reached is the object that a path leads to from a value.
func (i *Finalizers) reached(v ssa.Value, path string) paths.Object {
	place := i.Place(v)
	if path != "" {
		place = i.Summaries.Resolve.Descend(place, v.Type(), strings.Split(path, "."))
	}
	return place.Object
}

// handed completes what is known of a patch that a helper is handed: it must be
// made here, without a lock, or have been handed in, too.
func (i *Finalizers) handed(sent *Patch, v ssa.Value) bool {
	if given := i.given(v); given != nil {
		sent.FromArg, sent.From, sent.Unmade = given, i.Place(given).Object, true
		return true
	}
	spec, made, ok := i.Summaries.PatchOf(v)
	if !ok || spec.Kind != kubeapi.MergePatch || spec.Locked || spec.From == nil {
		return false
	}
	sent.FromArg, sent.From, sent.Made = spec.From, i.Place(spec.From).Object, made
	return true
}

// given returns the parameter that a client.Patch is, or nil.
func (i *Finalizers) given(patch ssa.Value) ssa.Value {
	if patch == nil {
		return nil
	}
	if param, ok := i.Summaries.Source(patch).(*ssa.Parameter); ok && isPatch(param.Type()) {
		return param
	}
	return nil
}

// isPatch reports whether t is controller-runtime's client.Patch.
func isPatch(t types.Type) bool {
	return kubeapi.IsNamed(t, "sigs.k8s.io/controller-runtime/pkg/client", "Patch")
}
