package cacheobjects

import (
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/literals"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// Impact is what a write does to those who read the cache, from the least to
// the worst.
type Impact uint8

// The impacts of writes.
const (
	// SetsType sets the kind and version, which objects of typed caches lack
	// and nobody reads there.
	SetsType Impact = iota
	// SetsDefault sets what was not set, to what it counts as anyway, sorts what
	// should be sorted and was found not to be, or sets what the API server has answered to
	// a write: what the watch is about to bring.
	SetsDefault
	// Changes is any other write.
	Changes
	// WritesMap writes to the entries of a map: the process ends if anybody
	// reads the map meanwhile.
	WritesMap
)

// impact is what a write of an instruction does.
func (w write) impact(instr ssa.Instruction) Impact {
	if w.via != nil {
		return w.via.Impact
	}
	switch instr := instr.(type) {
	case *ssa.MapUpdate:
		return WritesMap
	case *ssa.Store:
		return storeImpact(instr)
	case ssa.CallInstruction:
		return w.callImpact(instr)
	}
	return Changes
}

func storeImpact(store *ssa.Store) Impact {
	field, ok := store.Addr.(*ssa.FieldAddr)
	if ok && kubeapi.IsTypeMeta(field.X.Type()) {
		return SetsType
	}
	if isUnset(store) || isSaved(store.Val) {
		return SetsDefault
	}
	return Changes
}

// isSaved reports whether a value is a part of what a write of a client has returned.
func isSaved(v ssa.Value) bool {
	call, _ := calls.CallOf(values.Relation{Steps: values.Selected}.End(v))
	if call == nil {
		return false
	}
	op, ok := kubeapi.ClientOp(call.Common())
	return ok && !op.Verb.Reads()
}

func (w write) callImpact(call ssa.CallInstruction) Impact {
	if t := kubeapi.Unconverted(w.target).Type(); kubeapi.IsUnstructured(t) || kubeapi.IsMap(t) {
		return WritesMap
	}
	if _, last, ok := strings.Cut(string(w.path), "."); ok && last == follow {
		return WritesMap // meta's helpers for labels and annotations
	}
	fn := kubeapi.Callee(call.Common())
	switch {
	case fn == nil:
	case w.how == kubeapi.WriteSort && isUnsorted(call.Block()):
		return SetsDefault
	case kubeapi.SetsDefaults(fn):
		return SetsDefault
	case fn.Name() == "SetGroupVersionKind" && fn.Signature().Recv() != nil:
		return SetsType
	}
	return Changes
}

// isUnsorted reports whether a block runs only where a slice was found not to be
// sorted.
func isUnsorted(block *ssa.BasicBlock) bool {
	if len(block.Preds) != 1 {
		return false
	}
	from := block.Preds[0]
	branch, ok := blocks.Last(from).(*ssa.If)
	if !ok {
		return false
	}
	cond, when := values.Asked(branch.Cond, from.Succs[0] == block)
	call, ok := cond.(*ssa.Call)
	return ok && !when && kubeapi.TellsSorted(kubeapi.Callee(call.Common()))
}

// isNamed reports whether a store runs only where an object has no name or UID:
// those of a cache have both.
func isNamed(store *ssa.Store) bool {
	field, ok := store.Addr.(*ssa.FieldAddr)
	if !ok || !kubeapi.IsObjectMeta(field.X.Type()) {
		return false
	}
	switch fieldName(field.X.Type(), field.Field) {
	case "UID", "Name", "ResourceVersion":
		return isUnset(store)
	}
	return false
}

// isUnset reports whether a store runs only where what it overwrites was found
// to be nil, zero or empty.
func isUnset(store *ssa.Store) bool {
	block := store.Block()
	for range 4 {
		if len(block.Preds) != 1 {
			return false
		}
		from := block.Preds[0]
		if branch, ok := from.Instrs[len(from.Instrs)-1].(*ssa.If); ok {
			when, ok := emptyWhen(branch.Cond, store.Addr)
			if ok && (from.Succs[0] == block) == when && from.Succs[0] != from.Succs[1] {
				return true
			}
		}
		block = from
	}
	return false
}

// emptyWhen reports whether a condition is a test for what lies at an address
// being nil, zero or empty, and whether that is so if the condition holds.
func emptyWhen(cond, addr ssa.Value) (when, ok bool) {
	cmp, ok := cond.(*ssa.BinOp)
	if !ok || cmp.Op != token.EQL && cmp.Op != token.NEQ {
		return false, false
	}
	if !literals.IsZero(cmp.Y) {
		return false, false
	}
	tested := cmp.X
	if convert, ok := tested.(*ssa.Convert); ok {
		tested = convert.X
	}
	if convert, ok := tested.(*ssa.ChangeType); ok {
		tested = convert.X
	}
	if list := calls.LengthOf(tested); list != nil {
		tested = list
	}
	load, isLoad := tested.(*ssa.UnOp)
	if !isLoad || load.Op != token.MUL || !samePlace(load.X, addr) {
		return false, false
	}
	return cmp.Op == token.EQL, true
}

// samePlace reports whether two addresses are reached in the same way from one
// value.
func samePlace(a, b ssa.Value) bool {
	if a == b {
		return true
	}
	switch x := a.(type) {
	case *ssa.FieldAddr:
		y, ok := b.(*ssa.FieldAddr)
		return ok && x.Field == y.Field && samePlace(x.X, y.X)
	case *ssa.IndexAddr:
		y, ok := b.(*ssa.IndexAddr)
		return ok && x.Index == y.Index && samePlace(x.X, y.X)
	case *ssa.UnOp:
		y, ok := b.(*ssa.UnOp)
		return ok && x.Op == token.MUL && y.Op == token.MUL && samePlace(x.X, y.X)
	}
	return false
}

// sentBy tells how the function that makes a write sends the object to the API server
// afterwards: of several calls, by one that the object has to ask for.
func (u *unit) sentBy(e *event) Sending {
	if e.via != nil && e.via.Sent.By != "" {
		sent := e.via.Sent
		sent.Always = sent.Always && !u.isDecidedBy(e, e.instr)
		return sent
	}
	var always Sending
	for _, s := range u.allSends() {
		if s.instr.Parent() != e.instr.Parent() || !slices.Contains(s.of, e.from.src) || !blocks.Follows(e.instr, s.instr) {
			continue
		}
		if s.asks || u.isDecidedBy(e, s.instr) {
			return Sending{By: s.name}
		}
		always = Sending{By: s.name, Always: true}
	}
	return always
}

// send is a call that writes an object to the API server, itself or in a function of the module.
type send struct {
	instr ssa.Instruction
	name  string
	of    []*source // that the object may come from
	asks  bool      // whether a function is called, which may look at the object first
}

func (u *unit) allSends() []send {
	if u.sends != nil {
		return u.sends
	}
	u.sends = []send{}
	for _, fn := range u.fns {
		for instr := range blocks.Instrs(fn) {
			call, ok := instr.(ssa.CallInstruction)
			if !ok {
				continue
			}
			callee := kubeapi.Callee(call.Common())
			if callee == nil {
				continue
			}
			if op, ok := kubeapi.ClientOp(call.Common()); ok {
				if !op.Verb.Reads() && op.Object != nil {
					u.sends = append(u.sends, send{instr, callee.Name(), u.ownSources(op.Object), false})
				}
				continue
			}
			for _, e := range u.sums.Events(call) {
				if e.Kind == objects.Written && e.Arg != nil {
					u.sends = append(u.sends, send{instr, callee.Name(), u.ownSources(e.Arg), true})
				}
			}
		}
	}
	return u.sends
}

// ownSources are the sources whose memory a value is itself.
func (u *unit) ownSources(v ssa.Value) []*source {
	var found []*source
	for _, o := range u.get(v) {
		if o.put == "" {
			found = append(found, o.src)
		}
	}
	return found
}
