package endlessloops

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/loops"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
)

// dead is the world after the contexts that come from outside a loop have
// ended: their Err is not nil, and calls that take one of them fail.
type dead struct {
	check *loopCheck
	loop  *loops.Loop
	ended map[ssa.Value]bool
}

// truth is the world's [loops.World].
func (d *dead) truth(v ssa.Value) paths.Truth {
	if t := d.check.always(v); t != paths.Unknown {
		return t
	}
	switch v := v.(type) {
	case *ssa.Extract:
		if call, ok := v.Tuple.(*ssa.Call); ok && kubeapi.IsError(v.Type()) && d.fails(call) {
			return paths.True
		}
	case *ssa.Call:
		ctx := loops.ErrOf(v)
		switch {
		case ctx != nil && d.over(ctx), ctx == nil && kubeapi.IsError(v.Type()) && d.fails(v):
			return paths.True
		case ctx == nil && d.givesUp(v):
			return paths.False
		case ctx == nil:
			return d.predicate(v)
		}
	}
	return paths.Unknown
}

// fails reports whether a call fails once its context has ended: it takes one
// from outside the loop, and returns an error. A function of the package that
// waits for its context by itself may return no error then.
func (d *dead) fails(call *ssa.Call) bool {
	common := call.Common()
	if _, _, ok := kubeapi.DerivedContext(common); ok {
		return false
	}
	_, args := kubeapi.Args(common)
	for _, arg := range args {
		if kubeapi.IsContext(arg.Type()) {
			return d.over(arg) && d.check.passesOn(call) && !d.check.listens(call)
		}
	}
	return false
}

// givesUp reports whether a call waits for something (that caches are filled,
// that a connection changes its state) and returns false once its context or
// stop channel has ended.
func (d *dead) givesUp(call *ssa.Call) bool {
	callee := kubeapi.Callee(call.Common())
	if callee == nil || callee.Pkg() == nil || d.check.Graph.SameModule(callee.Pkg()) || !strings.HasPrefix(callee.Name(), "WaitFor") || !kubeapi.IsBool(call.Type()) {
		return false
	}
	_, args := kubeapi.Args(call.Common())
	for _, arg := range args {
		if kubeapi.IsContext(arg.Type()) || kubeapi.IsStopChannel(arg.Type()) {
			return d.over(arg)
		}
	}
	return false
}

// predicate tells what the helpers of Kubernetes say about the error of a call
// that fails because of its context: it is none that the server sends.
func (d *dead) predicate(call *ssa.Call) paths.Truth {
	callee := kubeapi.Callee(call.Common())
	if !isServerError(callee) || len(call.Common().Args) != 1 {
		return paths.Unknown
	}
	if failed, _ := calls.CallOf(call.Common().Args[0]); failed != nil && d.fails(failed) {
		return paths.False
	}
	return paths.Unknown
}

// isServerError reports whether fn asks whether an error is a certain answer of
// the API server.
func isServerError(fn *types.Func) bool {
	if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != "k8s.io/apimachinery/pkg/api/errors" {
		return false
	}
	switch fn.Name() {
	case "IsNotFound", "IsAlreadyExists", "IsConflict", "IsInvalid", "IsGone", "IsForbidden", "IsUnauthorized", "IsResourceExpired",
		"IsBadRequest", "IsMethodNotSupported":
		return true
	}
	return false
}

// over reports whether a context comes from outside the loop and ends.
func (d *dead) over(ctx ssa.Value) bool {
	if known, ok := d.ended[ctx]; ok {
		return known
	}
	if d.ended == nil {
		d.ended = make(map[ssa.Value]bool)
	}
	d.ended[ctx] = true
	for _, origin := range d.check.Contexts.Origins(ctx) {
		if !d.overAt(origin) {
			d.ended[ctx] = false
		}
	}
	return d.ended[ctx]
}

func (d *dead) overAt(o contexts.Origin) bool {
	switch o.Kind {
	case contexts.Param:
		param, ok := o.Root.(*ssa.Parameter)
		return ok && !d.check.alwaysDetached(param, 0)
	case contexts.Field, contexts.Request:
		return true
	case contexts.Detached, contexts.Severed:
		// A deadline of its own that was set before the loop.
		for _, step := range o.Steps {
			if step.Kind == contexts.Timeout && step.Call != nil && !(step.Call.Parent() == d.loop.Head.Parent() && d.loop.Blocks[step.Call.Block()]) {
				return true
			}
		}
	}
	return false
}

// failing returns the first call in the loop that fails once its context has
// ended, or nil.
func (d *dead) failing() *ssa.Call {
	for call := range loops.InstrsOf[*ssa.Call](d.loop) {
		if kubeapi.CanFail(call.Common().Signature()) && d.fails(call) || d.givesUp(call) {
			return call
		}
	}
	return nil
}
