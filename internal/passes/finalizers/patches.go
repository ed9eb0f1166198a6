package finalizers

import (
	"encoding/json"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/literals"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// ParamDiff is a result that holds such a patch. Encoded tells that the
// parameters are the objects' JSON.
type ParamDiff struct {
	Result, From, To int
	Encoded          bool
}

// Patch is a merge patch without a lock that an instruction sends to the main
// endpoint.
type Patch struct {
	// From and To are the states whose difference is sent, and FromArg and
	// ToArg the values through which the instruction has them. FromArg is nil
	// if the patch is not computed.
	From, To       paths.Object
	FromArg, ToArg ssa.Value
	// Made is the call that makes the patch, if it stands in this function.
	Made *ssa.Call
	// Diff is the helper that computes it, or nil.
	Diff *types.Func
	// Via is the helper that sends it, or nil.
	Via *types.Func
	// Unmade tells that the patch itself was handed in, so that it is not known
	// here which state it starts from.
	Unmade bool
	// Run is a function that Via calls between the two states, which are those
	// of one object, or nil.
	Run ssa.Value
	// List is what the patch says about finalizers, if it is written down.
	List *PatchedList
}

// PatchedList is the list of finalizers in a patch that is written down.
type PatchedList struct {
	// Values are the elements of a literal list, Value the list otherwise.
	Values []ssa.Value
	Value  ssa.Value
	// Names is the number of elements, if the document is a constant.
	Names int
	// Locked tells that the document has a resourceVersion.
	Locked bool
}

// Empty reports whether the list is known to have no elements.
func (l *PatchedList) Empty() bool { return l.Value == nil && len(l.Values) == 0 && l.Names == 0 }

// Patches returns the merge patches without a lock that an instruction sends.
func (i *Finalizers) Patches(instr ssa.Instruction) []Patch {
	call, ok := instr.(ssa.CallInstruction)
	if !ok {
		return nil
	}
	sent := i.sentBy(call)
	if len(sent) > 0 || len(i.Summaries.Calls.Callees(call).Funcs) > 0 {
		return sent
	}
	common := i.Summaries.Calls.Through(call.Common())
	if op, ok := i.Summaries.ClientOp(common); ok {
		if op.Verb != kubeapi.Patch || op.Endpoint != kubeapi.MainEndpoint {
			return nil
		}
		return i.patch(common, op)
	}
	return nil
}

func (i *Finalizers) patch(common *ssa.CallCommon, op kubeapi.Op) []Patch {
	if given := i.given(kubeapi.PatchArgument(common)); given != nil {
		return []Patch{{From: i.Place(given).Object, FromArg: given, To: i.Place(op.Object).Object, ToArg: op.Object, Unmade: true}}
	}
	spec, made, ok := i.spec(common)
	if !ok || spec.Kind != kubeapi.MergePatch || spec.Locked {
		return nil
	}
	p := Patch{Made: made}
	switch {
	case spec.From != nil:
		p.From, p.FromArg = i.Place(spec.From).Object, spec.From
		p.To, p.ToArg = i.Place(op.Object).Object, op.Object
	case spec.Data != nil:
		if op.Object != nil {
			p.To, p.ToArg = i.Place(op.Object).Object, op.Object
		}
		if !i.written(&p, spec.Data) {
			return nil
		}
	default:
		return nil
	}
	return []Patch{p}
}

// written completes what is known of a patch of which the bytes are at hand: they are
// the difference of two states, or a document that says something about finalizers.
func (i *Finalizers) written(p *Patch, data ssa.Value) bool {
	if from, to, ok := i.diff(data); ok {
		p.From, p.FromArg = i.Place(from).Object, from
		p.To, p.ToArg = i.Place(to).Object, to
		p.Diff = i.differ(data)
		return true
	}
	p.List = i.document(data)
	return p.List != nil
}

// spec returns what a call of Patch sends, and the call that made it.
func (i *Finalizers) spec(common *ssa.CallCommon) (kubeapi.PatchSpec, *ssa.Call, bool) {
	if spec, ok := kubeapi.TypedPatch(common); ok {
		return spec, nil, true
	}
	arg := kubeapi.PatchArgument(common)
	if arg == nil {
		return kubeapi.PatchSpec{}, nil, false
	}
	return i.Summaries.PatchOf(arg)
}

// diff returns the states whose difference the bytes v hold.
func (i *Finalizers) diff(v ssa.Value) (from, to ssa.Value, ok bool) {
	from, to, encoded, ok := i.difference(v)
	if ok && encoded {
		from, to = i.encoded(from), i.encoded(to)
	}
	return from, to, ok && from != nil && to != nil
}

// difference returns the states whose difference the bytes v hold, or their
// JSON.
func (i *Finalizers) difference(v ssa.Value) (from, to ssa.Value, encoded, ok bool) {
	call, index := calls.CallOf(i.Summaries.Source(v))
	if call == nil {
		return nil, nil, false, false
	}
	if from, to, ok := kubeapi.DiffOf(call.Common()); ok {
		return from, to, true, index == 0
	}
	operands := kubeapi.Operands(call.Common())
	for _, f := range i.known.At(call) {
		for _, d := range f.Diffs {
			if d.Result == index && d.From < len(operands) && d.To < len(operands) {
				return operands[d.From], operands[d.To], d.Encoded, true
			}
		}
	}
	return nil, nil, false, false
}

// differ returns the helper of the user's modules that computes the bytes v, or
// nil.
func (i *Finalizers) differ(v ssa.Value) *types.Func {
	call, _ := calls.CallOf(i.Summaries.Source(v))
	if call == nil || len(i.known.At(call)) == 0 {
		return nil
	}
	return kubeapi.Callee(call.Common())
}

// encoded returns the value that the bytes v are the JSON of, or nil.
func (i *Finalizers) encoded(v ssa.Value) ssa.Value {
	call, index := calls.CallOf(i.Summaries.Source(v))
	if call == nil || index != 0 {
		return nil
	}
	return kubeapi.EncodedBy(call.Common())
}

// document returns the list of finalizers that the bytes of a patch set, or
// nil if it says nothing about them or is not written down.
func (i *Finalizers) document(data ssa.Value) *PatchedList {
	v := i.Summaries.Source(data)
	for range maxSame {
		same := i.Summaries.Calls.Same(v)
		if same == nil {
			break
		}
		v = i.Summaries.Source(same) // a function hands it back
	}
	if text, ok := kubeapi.ConstString(v); ok {
		return constantDocument(text)
	}
	if content := i.encoded(v); content != nil {
		return i.mapDocument(content)
	}
	return nil
}

// maxSame bounds the functions that hand a document back.
const maxSame = 4

func constantDocument(text string) *PatchedList {
	var doc struct {
		Metadata map[string]json.RawMessage `json:"metadata"`
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		return nil
	}
	list, ok := doc.Metadata["finalizers"]
	if !ok {
		return nil
	}
	var names []string
	if err := json.Unmarshal(list, &names); err != nil {
		return nil
	}
	_, locked := doc.Metadata["resourceVersion"]
	return &PatchedList{Names: len(names), Locked: locked}
}

// mapDocument is map[string]any{"metadata": map[string]any{"finalizers": …}}.
func (i *Finalizers) mapDocument(v ssa.Value) *PatchedList {
	metadata := entry(i.Summaries.Source(v), "metadata", i)
	if metadata == nil {
		return nil
	}
	list := entry(i.Summaries.Source(metadata), "finalizers", i)
	if list == nil {
		return nil
	}
	found := &PatchedList{Locked: entry(i.Summaries.Source(metadata), "resourceVersion", i) != nil}
	list = i.Summaries.Source(list)
	if calls.IsNil(list) || literals.IsEmptyList(list) {
		return found
	}
	if values, ok := kubeapi.VariadicArgs(list); ok {
		found.Values = values
		return found
	}
	found.Value = list
	return found
}

// entry returns what a map literal has under a key, or nil.
func entry(m ssa.Value, key string, i *Finalizers) ssa.Value {
	made, ok := m.(*ssa.MakeMap)
	if !ok {
		return nil
	}
	for update := range blocks.UsesOf[*ssa.MapUpdate](made) {
		if update.Map != made {
			continue
		}
		if s, ok := kubeapi.ConstString(i.Summaries.Source(update.Key)); ok && s == key {
			return update.Value
		}
	}
	return nil
}

// EditOf tells what was done to the list that v is, and to whose.
func (i *Finalizers) EditOf(v ssa.Value) (kind Kind, of paths.Object, ok bool) {
	e := i.editOf(v, 0)
	if !e.known || e.from == nil {
		return 0, of, false
	}
	of, ok = i.listOf(e.from)
	return e.kind, of, ok
}

// diffs finds the results of a function that hold a patch from one parameter
// to another.
func (i *Finalizers) diffs(fn *ssa.Function) []ParamDiff {
	var found []ParamDiff
	results := fn.Signature.Results()
	for index := range results.Len() {
		if !types.Identical(results.At(index).Type(), types.NewSlice(types.Typ[types.Byte])) {
			continue
		}
		for ret := range blocks.Returns(fn) {
			d := ParamDiff{Result: index}
			a, b, ok := i.diff(ret.Results[index])
			if !ok {
				if a, b, d.Encoded, ok = i.difference(ret.Results[index]); !ok {
					continue
				}
			}
			d.From, d.To = paramOf(fn, i.Place(a).Object), paramOf(fn, i.Place(b).Object)
			if d.From >= 0 && d.To >= 0 && !slices.Contains(found, d) {
				found = append(found, d)
			}
		}
	}
	return found
}

// paramOf returns which parameter of fn an object is, or -1.
func paramOf(fn *ssa.Function, o paths.Object) int {
	param, ok := o.Root.(*ssa.Parameter)
	if !ok || o.Path != "" {
		return -1
	}
	return slices.Index(fn.Params, param)
}

// PatchesByName reports whether a unit patches an object of the kind that it
// tells by its name alone, or of any kind if that is not known: what another
// object was changed to in memory may be what the patch says.
func (i *Finalizers) PatchesByName(u *objects.Unit, kind *types.Named) bool {
	return i.patchesByName(u, kind, 0)
}

// maxPatchers bounds the helpers that are looked into for a patch.
const maxPatchers = 2

func (i *Finalizers) patchesByName(u *objects.Unit, kind *types.Named, depth int) bool {
	for _, n := range u.Graph.Nodes {
		call := n.Call()
		if call == nil || n.Joins != nil {
			continue
		}
		if targets := i.Summaries.Calls.Callees(call).Funcs; depth < maxPatchers && len(targets) == 1 && i.patchesByName(i.Summaries.Unit(targets[0]), kind, depth+1) {
			return true
		}
		op, ok := i.Summaries.ClientOp(call.Common())
		if ok && op.Verb == kubeapi.Patch && op.Object == nil && op.Endpoint&kubeapi.MainEndpoint != 0 && (op.Kind == nil || kind == nil || op.Kind == kind) {
			return true
		}
	}
	return false
}
