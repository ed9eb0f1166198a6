package handlers

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// delivery is a tombstone that is put on a queue or channel.
type delivery struct {
	at        ssa.Instruction
	container any // see container
	value     val
	// recognised tells that the code had seen it for what it is by then.
	recognised bool
}

func (r *runner) deliver(d delivery) {
	if d.container == nil {
		return
	}
	for n, known := range r.out.sent {
		if known.at == d.at && known.container == d.container && known.value.String() == d.value.String() {
			r.out.sent[n].recognised = known.recognised || d.recognised
			return
		}
	}
	r.out.sent = append(r.out.sent, d)
}

// send runs what puts a value on a channel.
func (r *runner) send(st *state, at ssa.Instruction, ch, x ssa.Value) {
	if v := st.of(x); v.carries() {
		r.deliver(delivery{at: at, container: r.container(ch), value: v, recognised: st.recognised})
	}
}

// deliveredBy hands on what a called function has delivered: to a queue that it
// was handed, perhaps.
func (r *runner) deliveredBy(st *state, call ssa.CallInstruction, d delivery) {
	d.recognised = d.recognised || st.recognised
	if param, ok := d.container.(*ssa.Parameter); ok {
		d.container = r.container(calls.ArgumentOf(call, param))
	}
	r.deliver(d)
}

// takesFrom reports whether v may be a container: itself, or a parameter that a
// caller in the package hands it over as.
func (m *machine) takesFrom(v ssa.Value, container any, depth int) bool {
	at := m.container(v)
	if at == container {
		return at != nil
	}
	param, ok := at.(*ssa.Parameter)
	return ok && depth < maxHandovers && slices.ContainsFunc(m.graph.Callers(param.Parent()), func(call ssa.CallInstruction) bool {
		return m.takesFrom(calls.ArgumentOf(call, param), container, depth+1)
	})
}

// maxHandovers bounds how often a container is handed on to its worker.
const maxHandovers = 4

// container is what tells one queue or channel from others: the field or
// variable that it is kept in, the parameter that it is, or where it is made. It
// is nil if that is not known.
func (m *machine) container(v ssa.Value) any {
	v = values.Relation{Steps: values.Converted}.End(v)
	if field := calls.LoadedField(v); field != nil {
		return field
	}
	switch v := v.(type) {
	case *ssa.MakeChan, *ssa.Parameter:
		return v
	case *ssa.UnOp:
		if v.Op != token.MUL {
			return nil
		}
		if global, ok := v.X.(*ssa.Global); ok {
			return global
		}
		if local, ok := calls.Captured(v.X).(*ssa.Alloc); ok {
			return local
		}
	}
	return nil
}

// containerName is how users know a container.
func containerName(container any) string {
	switch c := container.(type) {
	case *types.Var:
		return c.Name()
	case *ssa.Global:
		return c.Name()
	case *ssa.Alloc:
		return c.Comment
	case *ssa.Parameter:
		return c.Name()
	}
	return "the channel"
}

// consumer is an instruction that takes something off a container, with the
// result that it has then.
type consumer struct {
	at    ssa.Instruction
	value val
}

// consumers returns where the package takes the value off the container.
func (m *machine) consumers(d delivery) []consumer {
	var found []consumer
	for _, fn := range m.graph.Funcs {
		for instr := range blocks.Instrs(fn) {
			if v, ok := m.takes(instr, d); ok {
				found = append(found, consumer{instr, v})
			}
		}
	}
	return found
}

func (m *machine) takes(instr ssa.Instruction, d delivery) (val, bool) {
	switch instr := instr.(type) {
	case *ssa.UnOp:
		if instr.Op != token.ARROW || !m.takesFrom(instr.X, d.container, 0) {
			return val{}, false
		}
		if instr.CommaOk {
			return val{kind: tuple, parts: []val{d.value, truth(true)}}, true
		}
		return d.value, true
	case *ssa.Select:
		received := 0
		for i, s := range instr.States {
			if s.Dir != types.RecvOnly {
				continue
			}
			if m.takesFrom(s.Chan, d.container, 0) {
				parts := make([]val, instr.Type().(*types.Tuple).Len())
				parts[0], parts[1] = number(i), truth(true)
				parts[2+received] = d.value
				return val{kind: tuple, parts: parts}, true
			}
			received++
		}
	case *ssa.Call:
		callee := kubeapi.Callee(instr.Common())
		if !kubeapi.IsQueueGet(callee) {
			return val{}, false
		}
		recv, _ := kubeapi.Args(instr.Common())
		if recv == nil || !m.takesFrom(recv, d.container, 0) {
			return val{}, false
		}
		parts := make([]val, callee.Signature().Results().Len())
		parts[0], parts[len(parts)-1] = d.value, truth(false)
		return val{kind: tuple, parts: parts}, true
	}
	return val{}, false
}
