package channels

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Question says what a receiver must do to be taken for one that stays.
type Question struct {
	// Many tells that the channel is sent to any number of times: the
	// receiver has to go on until it is closed. Otherwise one value is
	// enough.
	Many bool
	// Several tells that this is so because there is any number of senders,
	// so that no value can be the last.
	Several bool
	// Enough are other channels: who receives from one of them is done.
	Enough []*Channel
}

// Leave is a way by which a receiver stops receiving while others may still
// send.
type Leave struct {
	// At is where the receiver goes away: the case that it takes instead,
	// the condition on which it leaves, or the return.
	At token.Pos
	// Chan is the channel that it listens to instead, nil for none.
	Chan ssa.Value
	// Default tells that it takes the default of a select.
	Default bool
	// Failed tells that it leaves since something that it called failed.
	Failed bool
	// Within tells that Chan is made by the same package: it is not a word
	// from elsewhere.
	Within bool
	// Elsewhere is the reason that a function of another package gives.
	Elsewhere string
}

// ToldToStop is the reason of a receiver that leaves since its stop channel is closed.
const ToldToStop = "it is told to stop"

// Reason words why the receiver goes away, as in "ctx is done"; it is empty
// if it merely returns.
func (l *Leave) Reason() string {
	switch {
	case l.Elsewhere != "":
		return l.Elsewhere
	case l.Chan != nil && kubeapi.DoneOf(l.Chan) != nil:
		return "its context is done"
	case l.Chan != nil && loops.IsTimer(l.Chan):
		return "its time is up"
	case l.Chan != nil && !l.Within && kubeapi.IsStopChannel(l.Chan.Type()):
		return ToldToStop
	case l.Chan != nil:
		return "another channel is ready"
	case l.Default:
		return "nothing is there yet"
	case l.Failed:
		return "it fails"
	}
	return "it returns"
}

// Leaves asks whether fn, from start on (from its beginning if start is nil),
// may go away while others may still send to the channel. It returns how, or
// nil if it stays or cannot be told.
func (i *Channels) Leaves(ch *Channel, fn *ssa.Function, start ssa.Instruction, q Question) *Leave {
	return i.leaves(ch, fn, start, q, 0)
}

func (i *Channels) leaves(ch *Channel, fn *ssa.Function, start ssa.Instruction, q Question, depth int) *Leave {
	if fn == nil || len(fn.Blocks) == 0 || depth > 4 {
		return nil
	}
	r := &receiver{info: i, ch: ch, fn: fn, q: q, depth: depth, graph: paths.NewGraph(fn, i.graph, nil)}
	r.gather()
	// That it is told to go says more than that something has failed, and
	// that more than a mere return.
	all, several := r.gone, r.q.Several
	r.gone = slices.DeleteFunc(slices.Clone(all), func(e edge) bool { return e.leave.Failed })
	r.q.Several = false
	leave := r.search(start)
	if leave == nil && len(r.gone) < len(all) {
		r.gone = all
		leave = r.search(start)
	}
	if leave == nil && several {
		r.q.Several = true
		leave = r.search(start)
	}
	return leave
}

// NameOf is how code writes a channel or context, for messages: "ctx.Done()",
// "stopCh"; empty if it has no name.
func NameOf(v ssa.Value) string {
	if ctx := kubeapi.DoneOf(v); ctx != nil {
		if name := NameOf(ctx); name != "" {
			return name + ".Done()"
		}
		return "ctx.Done()"
	}
	base, fields := values.Selection(v)
	call, ok := base.(*ssa.Call)
	if !ok {
		return values.Join(values.NameOf(base), fields)
	}
	callee := kubeapi.Callee(call.Common())
	if callee == nil {
		return values.Join("", fields)
	}
	name := callee.Name() + "()"
	if recv, _ := kubeapi.Args(call.Common()); recv != nil {
		name = join(NameOf(recv), name)
	} else if callee.Pkg() != nil {
		name = callee.Pkg().Name() + "." + name
	}
	return values.Join(name, fields)
}

func join(prefix, name string) string {
	if prefix == "" {
		return name
	}
	return prefix + "." + name
}
