package unordered

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Source is something that is put together in the order of a map.
type Source struct {
	Value ssa.Value       // the list or string, or what holds it
	Instr ssa.Instruction // that adds to it
	Over  ssa.Instruction // that goes through the map
	Hash  bool            // it is a hash
	Where string          // the place, if it is in another package
	// Object is the field that is in a map's order, if the value is an object that a function
	// of another package has put together.
	Object string
	Way    []string // the fields that lead there
}

// sourcesOf finds what a function puts together in loops over maps, and the
// keys of maps as lists.
func sourcesOf(graph *calls.Graph, fn *ssa.Function) []Source {
	var found []Source
	var all []*loops.Loop
	for instr := range blocks.Instrs(fn) {
		switch instr := instr.(type) {
		case *ssa.Next:
			over, ok := instr.Iter.(*ssa.Range)
			if !ok || !kubeapi.IsMap(over.X.Type()) {
				continue
			}
			if all == nil {
				all = loops.Of(fn)
			}
			for _, loop := range all {
				if loop.Head == instr.Block() {
					found = append(found, accumulated(graph, loop, instr, over)...)
				}
			}
		case *ssa.Call:
			if kubeapi.UnsortedList(instr.Common()) {
				found = append(found, Source{Value: instr, Instr: instr, Over: instr})
			}
		}
	}
	return found
}

// accumulated finds what a loop over a map adds to, round by round: in the
// order in which the blocks stand.
func accumulated(graph *calls.Graph, loop *loops.Loop, next *ssa.Next, over *ssa.Range) []Source {
	if endsEarly(loop) || losesEntries(over.X) || mayHoldOne(graph, over.X) {
		return nil
	}
	var found []Source
	for _, block := range next.Parent().Blocks {
		if !loop.Blocks[block] {
			continue
		}
		for _, instr := range block.Instrs {
			s := Source{Instr: instr, Over: over}
			switch instr := instr.(type) {
			case *ssa.BinOp:
				if instr.Op == token.ADD && kubeapi.IsString(instr.Type()) {
					s.Value = carried(loop, instr)
				}
			case *ssa.Store:
				s.Value = filled(loop, instr.Addr)
			case *ssa.Call:
				if Appends(instr) {
					s.Value = carried(loop, instr)
				} else if writer := kubeapi.WriterOf(instr.Common()); writer != nil && isOutside(loop, writer) && !isReset(loop, writer) {
					s.Value, s.Hash = writer, kubeapi.IsHash(writer.Type())
				} else {
					s.Value, s.Hash = addedBy(graph, loop, instr)
				}
			}
			known := slices.ContainsFunc(found, func(other Source) bool { return other.Value == s.Value })
			if s.Value != nil && !known && dependsOn(instr, next) && !searches(loop, s.Value) && !addsNew(loop, instr, next, s.Value) {
				found = append(found, s)
			}
		}
	}
	return found
}

// isReset reports whether each round of a loop begins anew with a builder, buffer or hash.
func isReset(loop *loops.Loop, writer ssa.Value) bool {
	for call := range blocks.UsesOf[*ssa.Call](writer) {
		recv, _ := kubeapi.Args(call.Common())
		if callee := kubeapi.Callee(call.Common()); loop.Blocks[call.Block()] && recv == writer && callee != nil && callee.Name() == "Reset" {
			return true
		}
	}
	return false
}

// filled returns the list into which an address leads, if a loop counts its
// rounds and stores one element in each.
func filled(loop *loops.Loop, addr ssa.Value) ssa.Value {
	for field, ok := addr.(*ssa.FieldAddr); ok; field, ok = addr.(*ssa.FieldAddr) {
		addr = field.X
	}
	at, ok := addr.(*ssa.IndexAddr)
	if !ok {
		return nil
	}
	counter, counts := at.Index.(*ssa.Phi)
	made, isMade := at.X.(*ssa.MakeSlice)
	if isMade && counts && counter.Block() == loop.Head && isOutside(loop, made) && !isByte(made.Type().Underlying().(*types.Slice).Elem()) {
		return made
	}
	return nil
}

// searches reports whether a loop looks through the field that it adds to: what is
// there keeps its place.
func searches(loop *loops.Loop, addr ssa.Value) bool {
	field, ok := addr.(*ssa.FieldAddr)
	if !ok {
		return false
	}
	for block := range loop.Blocks {
		for _, instr := range block.Instrs {
			if index, ok := instr.(*ssa.IndexAddr); ok {
				if load, ok := index.X.(*ssa.UnOp); ok && isSameField(load.X, field) {
					return true
				}
			}
		}
	}
	return false
}

// addsNew reports whether a list begins with what is there already, and a loop adds only the keys
// that another map does not have: what is there keeps its place.
//
//	next := append([]string(nil), obj.Status.Rooms...)
//	for name := range wanted {
//		if !known[name] {
//			next = append(next, name)
func addsNew(loop *loops.Loop, add ssa.Instruction, next *ssa.Next, list ssa.Value) bool {
	begun, ok := list.(*ssa.Phi)
	if !ok {
		return false
	}
	for i, pred := range begun.Block().Preds {
		if call, ok := begun.Edges[i].(*ssa.Call); !loop.Blocks[pred] && (!ok || !Appends(call)) {
			return false
		}
	}
	for branch, held := range blocks.Decided(add.Block()) {
		asked, holds := values.Asked(branch.Cond, held)
		if extract, ok := asked.(*ssa.Extract); ok {
			asked = extract.Tuple
		}
		lookup, ok := asked.(*ssa.Lookup)
		if !ok || holds {
			continue
		}
		if key, ok := lookup.Index.(*ssa.Extract); ok && key.Tuple == ssa.Value(next) {
			return true
		}
	}
	return false
}

// losesEntries reports whether entries are deleted from a map before it is gone
// through: those that a list has already, so that only new ones are added to it.
func losesEntries(m ssa.Value) bool {
	for call := range blocks.UsesOf[*ssa.Call](m) {
		if calls.IsBuiltin(call, "delete") {
			return true
		}
	}
	return false
}

// mayHoldOne reports whether a map has one entry, or entries of a few variable keys, one after the
// other: it serves to find out whether they are the same. Helpers may add them, and make the map.
func mayHoldOne(graph *calls.Graph, m ssa.Value) bool {
	made := emptyMap(graph, m, 0)
	if made == nil {
		return false
	}
	filled := false
	var only *ssa.Const // the one constant key
	around := values.Relation{Calls: graph, Steps: values.Package}
	for v, use := range around.Uses(made) {
		switch use := use.(type) {
		case *ssa.MapUpdate:
			key, constant := use.Key.(*ssa.Const)
			switch {
			case use.Map != v, constant && only != nil, !constant && inLoop(graph, use, made):
				return false
			case constant:
				only = key
			default:
				filled = true
			}
		case *ssa.Call:
			// Others may fill it: with what they are given beside it.
			if !addsKey(use, v) || inLoop(graph, use, made) {
				return false
			}
			filled = true
		case *ssa.Range, *ssa.Lookup:
		case *ssa.Store:
			if !blocks.IsVariable(use.Addr) {
				return false
			}
		default:
			return false // others may fill it
		}
	}
	return filled != (only != nil)
}

// emptyMap returns what makes the map that a value is: an instruction, or a call of a function
// that does nothing else.
func emptyMap(graph *calls.Graph, m ssa.Value, depth int) ssa.Value {
	m = graph.Origin(m)
	if _, ok := m.(*ssa.MakeMap); ok {
		return m
	}
	call, index := calls.CallOf(m)
	if call == nil || depth == maxRounds {
		return nil
	}
	results, closed := graph.Results(call, index)
	if !closed || len(results) == 0 || slices.ContainsFunc(results, func(v ssa.Value) bool {
		made := emptyMap(graph, v, depth+1)
		return made == nil || slices.ContainsFunc(*made.Referrers(), func(use ssa.Instruction) bool {
			_, fills := use.(*ssa.MapUpdate)
			return fills
		})
	}) {
		return nil
	}
	return m
}

// addsKey reports whether a call of another package is given a map and one key for it.
func addsKey(call *ssa.Call, m ssa.Value) bool {
	t, ok := m.Type().Underlying().(*types.Map)
	callee := kubeapi.Callee(call.Common())
	return ok && callee != nil && call.Call.Signature().Results().Len() == 0 && slices.ContainsFunc(call.Call.Args, func(arg ssa.Value) bool {
		_, constant := arg.(*ssa.Const)
		return !constant && types.Identical(arg.Type(), t.Key())
	})
}

// inLoop reports whether an instruction may run several times for what is made once.
func inLoop(graph *calls.Graph, at ssa.Instruction, made ssa.Value) bool {
	looped, leads := repeats(graph, at, made.Parent(), 0)
	return looped || !leads
}

// repeats reports whether a function leads to an instruction, and may do so in a loop.
func repeats(graph *calls.Graph, at ssa.Instruction, from *ssa.Function, depth int) (looped, leads bool) {
	fn := at.Parent()
	here := blocks.Repeats(at.Block())
	if fn == from {
		return here, true
	}
	if depth == maxRounds {
		return true, true
	}
	for _, caller := range graph.Callers(fn) {
		if again, comes := repeats(graph, caller, from, depth+1); comes {
			looped, leads = looped || here || again, true
		}
	}
	return looped, leads
}

// maxRounds bounds the functions between a map and what fills it.
const maxRounds = 4

// endsEarly reports whether a loop takes some entries of a map, whichever: it is
// left by a break.
func endsEarly(loop *loops.Loop) bool {
	for block := range loop.Blocks {
		if block == loop.Head {
			continue
		}
		for _, next := range block.Succs {
			if _, returns := blocks.Last(next).(*ssa.Return); !loop.Blocks[next] && len(next.Succs) > 0 && !returns {
				return true
			}
		}
	}
	return false
}

// Appends reports whether a call adds elements to a list.
func Appends(call *ssa.Call) bool {
	slice, ok := call.Type().Underlying().(*types.Slice)
	return ok && calls.IsBuiltin(call, "append") && !isByte(slice.Elem())
}

func isByte(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.Byte
}

// carried returns what holds a value that each round of a loop adds to: the
// merge at the loop's head, or a variable or field of outside. It is nil for
// what begins anew in each round.
func carried(loop *loops.Loop, v ssa.Value) ssa.Value {
	seen := make(map[ssa.Value]bool)
	var visit func(v ssa.Value) ssa.Value
	visit = func(v ssa.Value) ssa.Value {
		if seen[v] {
			return nil
		}
		seen[v] = true
		for ref := range blocks.Uses(v) {
			var found ssa.Value
			switch ref := ref.(type) {
			case *ssa.Phi:
				if ref.Block() == loop.Head {
					return ref
				}
				if loop.Blocks[ref.Block()] {
					found = visit(ref)
				}
			case *ssa.Store:
				if ref.Val == v && isOutside(loop, ref.Addr) {
					return ref.Addr
				}
			case *ssa.Call:
				if Appends(ref) && len(ref.Call.Args) > 0 && ref.Call.Args[0] == v {
					found = visit(ref)
				}
			case *ssa.BinOp:
				if loop.Blocks[ref.Block()] && ref.Op == token.ADD {
					found = visit(ref)
				}
			}
			if found != nil {
				return found
			}
		}
		return nil
	}
	return visit(v)
}

// isOutside reports whether what an address or reference leads to is there
// before a loop begins.
func isOutside(loop *loops.Loop, v ssa.Value) bool {
	within := values.Relation{Steps: values.Converted | values.Address | values.Selected, More: func(v ssa.Value) []ssa.Value {
		element, ok := v.(*ssa.IndexAddr)
		if !ok {
			return nil
		}
		if _, constant := element.Index.(*ssa.Const); !constant && loop.Blocks[element.Block()] {
			return nil
		}
		return []ssa.Value{element.X}
	}}
	made, ok := within.End(v).(ssa.Instruction)
	return !ok || !loop.Blocks[made.Block()]
}

// dependsOn reports whether what an instruction adds is made of a map's entry,
// or at least no constant.
func dependsOn(instr ssa.Instruction, next *ssa.Next) bool {
	seen := make(map[ssa.Value]bool)
	var visit func(v ssa.Value) bool
	visit = func(v ssa.Value) bool {
		if v == ssa.Value(next) {
			return true
		}
		if seen[v] || len(seen) > 200 {
			return false
		}
		seen[v] = true
		if alloc, ok := v.(*ssa.Alloc); ok {
			return storedInto(alloc, visit)
		}
		of, ok := v.(ssa.Instruction)
		if !ok {
			return false
		}
		if _, merge := v.(*ssa.Phi); merge && of.Block() == next.Block() {
			return false
		}
		return slices.ContainsFunc(of.Operands(nil), func(operand *ssa.Value) bool { return *operand != nil && visit(*operand) })
	}
	return slices.ContainsFunc(instr.Operands(nil), func(operand *ssa.Value) bool { return *operand != nil && visit(*operand) })
}

// storedInto visits what is stored into a variable or its parts.
func storedInto(addr ssa.Value, visit func(ssa.Value) bool) bool {
	for ref := range blocks.Uses(addr) {
		switch ref := ref.(type) {
		case *ssa.Store:
			if ref.Addr == addr && visit(ref.Val) {
				return true
			}
		case *ssa.FieldAddr, *ssa.IndexAddr:
			if storedInto(ref.(ssa.Value), visit) {
				return true
			}
		}
	}
	return false
}
