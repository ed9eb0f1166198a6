package cacheobjects

import (
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// write is something that an instruction, or what it calls, writes to.
type write struct {
	// target is the value in whose memory it is, behind the path.
	target ssa.Value
	path   path
	// list has its origins, for a function that is called back.
	list []origin
	// to is the helper, of whose parameter param the path is.
	to    callee
	param int
	how   string
	// via is the helper's write, by the helper named fn.
	via *Write
	fn  string
	// short tells that only a slice that was cut off is overwritten.
	short bool
	// doubtful tells that it depends on what the memory is like.
	doubtful bool
}

// writes lists what an instruction writes to.
func (u *unit) writes(instr ssa.Instruction, get lookup) []write {
	switch instr := instr.(type) {
	case *ssa.Store:
		if isNamed(instr) {
			return nil
		}
		return []write{{target: instr.Addr, how: kubeapi.WriteSet}}
	case *ssa.MapUpdate:
		return []write{{target: instr.Map, how: kubeapi.WriteSet}}
	case ssa.CallInstruction:
		return u.callWrites(instr, get)
	}
	return nil
}

func (u *unit) callWrites(call ssa.CallInstruction, get lookup) []write {
	common := call.Common()
	if builtin, ok := common.Value.(*ssa.Builtin); ok {
		return builtinWrites(builtin.Name(), common)
	}
	ops := kubeapi.Operands(common)
	fn := kubeapi.Callee(common)
	if fn != nil && kubeapi.IsDeepCopy(fn) {
		if len(ops) == 2 {
			return []write{{target: ops[1], how: kubeapi.WriteOverlap}}
		}
		return nil
	}
	var found []write
	called := u.callees(call)
	for _, c := range called {
		if c.sum == nil || c.fn != nil && u.has(c.fn) && c.fn != u.outer {
			continue // a literal: what it writes is seen there
		}
		ops := operands(common, c)
		for i, v := range ops {
			if v == nil || i >= len(c.sum.Params) {
				continue
			}
			for j := range c.sum.Params[i].Writes {
				w := &c.sum.Params[i].Writes[j]
				if w.Asked.off(ops) {
					continue
				}
				found = append(found, write{target: v, path: path(w.Path), how: w.How, via: w, fn: c.name(), to: c, param: i})
			}
		}
	}
	for _, back := range u.callbacks(call, get) {
		var sum *Summary
		var name string
		switch {
		case back.fn == nil:
			sum, name = u.of(back.obj), back.obj.Name()
		case u.has(back.fn) && back.fn != u.outer:
			continue
		default:
			sum, name = u.summary(back.fn), back.fn.Name()
		}
		if sum == nil || back.param >= len(sum.Params) {
			continue
		}
		for j := range sum.Params[back.param].Writes {
			w := &sum.Params[back.param].Writes[j]
			found = append(found, write{list: back.list, path: path(w.Path), how: w.How, via: w, fn: name})
		}
	}
	if len(called) > 0 || fn == nil || fn.Pkg() != nil && u.Calls.SameModule(fn.Pkg()) {
		return found
	}
	if w, ok := kubeapi.MemoryWriteOf(fn); ok && w.Operand < len(ops) {
		found = append(found, write{target: ops[w.Operand], how: w.How})
		if w.Deep != "" {
			found = append(found, write{target: ops[w.Operand], path: path(w.Deep), how: w.How})
		}
	}
	return found
}

func (c callee) name() string {
	if c.obj != nil {
		return c.obj.Name()
	}
	return "a function literal"
}

func builtinWrites(name string, common *ssa.CallCommon) []write {
	switch name {
	case "delete", "clear":
		return []write{{target: common.Args[0], how: kubeapi.WriteDelete}}
	case "copy":
		return []write{{target: common.Args[0], how: kubeapi.WriteOverlap}}
	case "append":
		if calls.IsNil(common.Args[1]) {
			return nil
		}
		return []write{
			{target: common.Args[0], how: kubeapi.WriteOverlap, short: true},
			{target: common.Args[0], how: kubeapi.WriteOverlap, doubtful: true},
		}
	}
	return nil
}

// origins is the origins of what is written that are shared memory.
func (w write) origins(get lookup) []origin {
	list := w.list
	if w.target != nil {
		list = w.to.receives(w.param, get(w.target))
	}
	if w.short || w.doubtful {
		list = each(list, func(o origin) (origin, bool) { return o, o.short == w.short })
	}
	return each(list, func(o origin) (origin, bool) {
		o, ok := o.walk(w.path)
		return o, ok && o.put == "" && o.except == ""
	})
}

// event is a write to memory that came from a source.
type event struct {
	write
	instr ssa.Instruction
	from  origin

	confirmed, refuted bool
}

// allEvents lists the writes of the unit to memory that came from outside, as far
// as it matters: those that a merge leaves open only if a path leads there. It is
// computed once, when the unit is solved.
func (u *unit) allEvents() []*event {
	if u.listed {
		return u.found
	}
	u.listed = true
	for _, fn := range u.fns {
		for instr := range blocks.Instrs(fn) {
			for _, w := range u.writes(instr, u.get) {
				for _, from := range w.origins(u.get) {
					u.found = append(u.found, &event{write: w, instr: instr, from: from})
				}
			}
		}
	}
	return u.found
}
