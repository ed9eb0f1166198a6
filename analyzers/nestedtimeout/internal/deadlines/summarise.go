package deadlines

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/kubeapi"
)

// maxKept bounds what is kept of each sort for one function.
const maxKept = 4

// rounds is how often functions are looked at: the second time sees to recursion.
const rounds = 2

// concerns reports whether a function is handed a context, alone or in a request,
// or what cancels one.
func concerns(fn *ssa.Function) bool {
	return slices.ContainsFunc(fn.Params, func(p *ssa.Parameter) bool {
		return kubeapi.IsContext(p.Type()) || kubeapi.IsCancel(p.Type()) || isRequest(p.Type())
	})
}

// behaviourOf summarises one function; nil if there is nothing to tell.
func (i *Deadlines) behaviourOf(fn *ssa.Function) *Behaviour {
	b := new(Behaviour)
	i.ownCancels(fn, b)
	if concerns(fn) {
		g := i.Graphs.Of(fn)
		delete(i.events, g) // of the round before
		i.waits(fn, g, b)
		i.needs(fn, g, b)
		i.timeouts(fn, b)
		i.lends(fn, b)
	}
	if b.IsZero() {
		return nil
	}
	return b
}

func calleeName(call ssa.CallInstruction) string {
	if callee := kubeapi.Callee(call.Common()); callee != nil {
		return callee.Name()
	}
	return "the call"
}

// Where names the place of an instruction for messages in other packages.
func (i *Deadlines) Where(instr ssa.Instruction) string {
	at := i.pass.Fset.Position(instr.Pos())
	return fmt.Sprintf("%s:%d", path.Join(path.Base(i.pass.Pkg.Path()), filepath.Base(at.Filename)), at.Line)
}
