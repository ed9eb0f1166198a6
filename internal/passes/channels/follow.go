package channels

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Bounds of following one channel.
const (
	maxDepth  = 16
	maxValues = 400
)

// fieldUses are the places where the package reads a field that holds a
// channel, or the elements of one that holds a map of channels.
type fieldUses struct {
	loads []ssa.Value
	// open tells that the field's address, or the map, goes elsewhere.
	open bool
}

// findFields notes where the package uses fields that hold channels.
func (i *Channels) findFields() {
	for _, fn := range i.graph.Funcs {
		for instr := range blocks.Instrs(fn) {
			switch instr := instr.(type) {
			case *ssa.FieldAddr:
				i.fieldAddr(instr)
			case *ssa.Field:
				if isChan(instr.Type()) {
					if uses := i.fieldUses(instr.X.Type(), instr.Field); uses != nil {
						uses.loads = append(uses.loads, instr)
					}
				}
			}
		}
	}
}

func (i *Channels) fieldUses(t types.Type, index int) *fieldUses {
	field := calls.FieldOf(t, index)
	if field == nil {
		return nil
	}
	if i.fields[field] == nil {
		i.fields[field] = new(fieldUses)
	}
	return i.fields[field]
}

func (i *Channels) fieldAddr(addr *ssa.FieldAddr) {
	ptr, ok := addr.Type().Underlying().(*types.Pointer)
	if !ok || addr.Referrers() == nil {
		return
	}
	byKey := isMapOfChans(ptr.Elem())
	if !byKey && !isChan(ptr.Elem()) {
		return
	}
	uses := i.fieldUses(addr.X.Type(), addr.Field)
	if uses == nil {
		return
	}
	for _, ref := range *addr.Referrers() {
		switch ref := ref.(type) {
		case *ssa.UnOp:
			switch {
			case ref.Op != token.MUL:
			case byKey:
				uses.elements(ref)
			default:
				uses.loads = append(uses.loads, ref)
			}
		case *ssa.Store, *ssa.DebugRef:
		default:
			uses.open = true
		}
	}
}

func isMapOfChans(t types.Type) bool {
	m, ok := t.Underlying().(*types.Map)
	return ok && isChan(m.Elem())
}

// elements notes where the elements of a map are read.
func (uses *fieldUses) elements(m ssa.Value) {
	if m.Referrers() == nil {
		uses.open = true
		return
	}
	for _, ref := range *m.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Lookup:
			if ref.CommaOk {
				uses.loads = append(uses.loads, values.Extracted(ref, 0)...)
			} else {
				uses.loads = append(uses.loads, ref)
			}
		case *ssa.Range:
			uses.loads = append(uses.loads, values.Elements(ref)...)
		case *ssa.MapUpdate, *ssa.BinOp, *ssa.DebugRef:
		case ssa.CallInstruction:
			if _, ok := ref.Common().Value.(*ssa.Builtin); !ok {
				uses.open = true
			}
		default:
			uses.open = true
		}
	}
}

// follow finds all that the package does with a channel that v is.
func (i *Channels) follow(ch *Channel, v ssa.Value) {
	i.Channels = append(i.Channels, ch)
	ch.values = make(map[ssa.Value]bool)
	f := &follower{info: i, ch: ch}
	f.value(v, 0)
}

type follower struct {
	info *Channels
	ch   *Channel
}

// value follows one value that is the channel.
func (f *follower) value(v ssa.Value, depth int) {
	if v == nil || f.ch.values[v] {
		return
	}
	f.ch.values[v] = true
	if depth > maxDepth || len(f.ch.values) > maxValues || v.Referrers() == nil {
		f.ch.Escapes = true
		return
	}
	f.alias(v)
	for _, ref := range *v.Referrers() {
		f.use(v, ref, depth)
	}
}

// alias records that v is the channel. A parameter is followed from its callers
// and for itself: what the package makes comes first.
func (f *follower) alias(v ssa.Value) {
	switch known := f.info.aliases[v]; {
	case known == nil || known == f.ch, known.Param != nil && f.ch.Made != nil:
		f.info.aliases[v] = f.ch
	case f.ch.Param != nil:
		if f.ch.Param == v && known.Param != nil {
			f.info.aliases[v] = f.ch
		}
	default:
		f.info.shared[v] = true
	}
}

func (f *follower) op(op Op) { f.ch.Ops = append(f.ch.Ops, op) }

// use follows what one instruction does with the channel v.
func (f *follower) use(v ssa.Value, ref ssa.Instruction, depth int) {
	// A switch of its own: it tells all that is done with a channel, also through fields and maps.
	switch ref := ref.(type) {
	case *ssa.Send:
		if ref.Chan == v {
			f.op(Op{Kind: Send, Instr: ref})
		}
		if ref.X == v {
			f.ch.Escapes = true
		}
	case *ssa.UnOp:
		if ref.Op == token.ARROW {
			f.op(Op{Kind: Receive, Instr: ref})
		}
	case *ssa.Select:
		for _, state := range ref.States {
			if state.Send == v {
				f.ch.Escapes = true
			}
			if state.Chan != v {
				continue
			}
			kind := Receive
			if state.Dir == types.SendOnly {
				kind = Send
			}
			f.op(Op{Kind: kind, Instr: ref, Select: ref, State: state})
		}
	case *ssa.ChangeType:
		f.value(ref, depth+1)
	case *ssa.Phi:
		f.value(ref, depth+1)
	case *ssa.Store:
		if ref.Val == v {
			f.store(ref.Addr, depth)
		}
	case *ssa.MapUpdate:
		load, _ := ref.Map.(*ssa.UnOp)
		if load == nil || ref.Value != v {
			f.ch.Escapes = true
			return
		}
		if addr, ok := load.X.(*ssa.FieldAddr); ok {
			f.field(addr, depth)
		} else {
			f.ch.Escapes = true
		}
	case *ssa.Return:
		f.returned(v, ref, depth)
	case ssa.CallInstruction:
		f.call(v, ref, depth)
	case *ssa.BinOp, *ssa.DebugRef, *ssa.If:
	default:
		f.ch.Escapes = true
	}
}

// store follows the channel into the variable or field at addr.
func (f *follower) store(addr ssa.Value, depth int) {
	switch addr := calls.Captured(addr).(type) {
	case *ssa.Alloc:
		f.cell(addr, depth)
	case *ssa.FieldAddr:
		f.field(addr, depth)
	default:
		f.ch.Escapes = true
	}
}

// field follows the channel into a field, or into the map that it holds.
func (f *follower) field(addr *ssa.FieldAddr, depth int) {
	field := calls.FieldOf(addr.X.Type(), addr.Field)
	if field == nil || field.Exported() && exportedType(addr.X.Type()) || field.Pkg() != f.info.graph.Pkg.Pkg {
		f.ch.Escapes = true
		return
	}
	uses := f.info.fields[field]
	if uses == nil || uses.open || f.ch.Field != nil && f.ch.Field != field {
		f.ch.Escapes = true
		return
	}
	f.ch.Field = field
	for _, load := range uses.loads {
		f.value(load, depth+1)
	}
}

// exportedType reports whether the named type that t is or points to can be
// used by other packages.
func exportedType(t types.Type) bool {
	named := kubeapi.Named(t)
	return named == nil || named.Obj().Exported()
}

// cell follows the channel through a local variable, also where it is
// captured.
func (f *follower) cell(addr ssa.Value, depth int) {
	if depth > maxDepth || addr.Referrers() == nil {
		f.ch.Escapes = true
		return
	}
	for _, ref := range *addr.Referrers() {
		switch ref := ref.(type) {
		case *ssa.UnOp:
			if ref.Op == token.MUL {
				f.value(ref, depth+1)
			}
		case *ssa.Store:
			if ref.Val == addr {
				f.ch.Escapes = true
			}
		case *ssa.MakeClosure:
			for n, binding := range ref.Bindings {
				if binding == addr {
					f.cell(ref.Fn.(*ssa.Function).FreeVars[n], depth+1)
				}
			}
		case *ssa.DebugRef:
		default:
			f.ch.Escapes = true
		}
	}
}

// returned follows the channel to the callers of the function that returns
// it.
func (f *follower) returned(v ssa.Value, ret *ssa.Return, depth int) {
	fn := ret.Parent()
	sites := f.info.graph.Callers(fn)
	switch {
	case callable(fn):
		f.ch.Public = append(f.ch.Public, fn)
	case len(sites) == 0:
		f.ch.Escapes = true
	}
	for _, site := range sites {
		call, ok := site.(*ssa.Call)
		if !ok {
			continue
		}
		f.ch.Results = append(f.ch.Results, call)
		for n, result := range ret.Results {
			if result != v {
				continue
			}
			if held := calls.ResultOf(call, n); held != nil {
				f.value(held, depth+1)
			}
		}
	}
}

// call follows the channel into the functions that a call may run.
func (f *follower) call(v ssa.Value, call ssa.CallInstruction, depth int) {
	common := call.Common()
	if builtin, ok := common.Value.(*ssa.Builtin); ok {
		if builtin.Name() == "close" {
			f.op(Op{Kind: Close, Instr: call})
		}
		return
	}
	targets := f.info.graph.Callees(call)
	if len(targets.Funcs) == 0 {
		f.elsewhere(v, call)
		return
	}
	// An interface of the package's with one implementation here is taken
	// for that.
	if !targets.Closed && !common.IsInvoke() {
		f.ch.Escapes = true
	}
	for _, target := range targets.Funcs {
		args := common.Args
		if common.IsInvoke() || len(target.Params) == len(args)+1 {
			args = append([]ssa.Value{nil}, args...)
		}
		if len(args) != len(target.Params) {
			f.ch.Escapes = true
			continue
		}
		for n, arg := range args {
			if arg == v {
				f.value(target.Params[n], depth+1)
			}
		}
	}
}

// elsewhere asks what a function of another package does with the channel.
func (f *follower) elsewhere(v ssa.Value, call ssa.CallInstruction) {
	fact := f.info.uses.Elsewhere(call)
	if fact == nil {
		f.ch.Escapes = true
		return
	}
	for n, operand := range kubeapi.Operands(call.Common()) {
		if operand != v {
			continue
		}
		known := false
		for p := range fact.Params {
			if use := &fact.Params[p]; use.Index == n {
				f.op(Op{Kind: HandOver, Instr: call, Use: use})
				known = true
			}
		}
		if !known {
			f.ch.Escapes = true
		}
	}
}
