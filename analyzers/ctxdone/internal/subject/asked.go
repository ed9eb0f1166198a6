package subject

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/passes/waits"
)

// NameOf names a function in a message.
func NameOf(fn *ssa.Function) string {
	if fn.Parent() != nil {
		return "the function literal"
	}
	return fn.Name()
}

// HoldsUp reports whether a path begins where a worker, a handler or a request
// waits for what is called.
func HoldsUp(path *entrypoints.Path) bool {
	if path == nil {
		return false
	}
	kind := path.Entry.Kind
	if kind != kubeapi.Admission && kind != kubeapi.EventHandler && !kind.PerItem() {
		return false
	}
	return !slices.ContainsFunc(path.Edges(), func(edge *entrypoints.Edge) bool { return edge.How == entrypoints.Started })
}

// Private reports whether a context is that of another component: it is kept in
// an unexported field of something that a parameter refers to.
func Private(source *contexts.Source) bool {
	n := len(source.Fields)
	return source.Kind == contexts.FromField && n > 1 && !source.Fields[n-1].Exported()
}

// ContextName is how the code calls the context or stop channel at hand.
func (u *Unit) ContextName(a waits.Answers) string {
	name := a.Source.Expr
	if name == "" {
		name = "its context parameter"
	}
	if a.Caller != nil {
		name += " of " + a.Caller.Name()
	}
	return name
}

// Held reports whether a pause keeps a worker, an informer or a request
// waiting, and not only the end of something.
func Held(a waits.Answers) bool {
	if a.Path == nil {
		return false
	}
	switch kind := a.Path.Entry.Kind; kind {
	case kubeapi.Admission, kubeapi.HTTPHandler, kubeapi.Transform:
		return true
	default:
		return kind.PerItem() || kind.PerEvent()
	}
}

// IsRequest reports whether a context is that of a request or stream, and not
// of a command.
func IsRequest(source *contexts.Source) bool {
	return source.Kind == contexts.FromRequest && !kubeapi.IsNamed(source.Param.Type(), "github.com/spf13/cobra", "Command")
}

// Usable returns the best context or stop channel that fn can name at pos.
func (u *Unit) Usable(fn *ssa.Function, pos token.Pos) *contexts.Source {
	for _, source := range u.Contexts.AtHand(fn) {
		if source.Blank || source.Param == nil || source.Kind == contexts.FromField && source.Stop {
			continue
		}
		scope := u.Pass.Pkg.Scope().Innermost(pos)
		if scope == nil || source.Param.Object() == nil {
			continue
		}
		if _, found := scope.LookupParent(source.Param.Name(), pos); found == source.Param.Object() {
			return &source
		}
	}
	return nil
}
