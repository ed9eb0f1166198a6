package entrypoints

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Name is how users know the entry point: "AddFunc", "Reconcile", "sync
// function processItem".
func (e *Entry) Name() string {
	if e.Kind != kubeapi.Worker && e.Kind != kubeapi.Sync {
		return e.What
	}
	if e.Fn.Parent() != nil {
		return e.Kind.String()
	}
	return e.Kind.String() + " " + e.Fn.Name()
}

// ShortName is Name, or the mere name of a worker or sync function.
func (e *Entry) ShortName() string {
	if obj := e.Fn.Object(); obj != nil && (e.Kind == kubeapi.Worker || e.Kind == kubeapi.Sync) {
		return obj.Name()
	}
	return e.Name()
}

// Description is the name with the kind in front, unless that says it already.
func (e *Entry) Description() string {
	name := e.Name()
	if kind := e.Kind.String(); !strings.HasPrefix(name, kind) {
		return kind + " " + name
	}
	return name
}

// Place is where the entry was registered, as in "main.go:12".
func (e *Entry) Place(fset *token.FileSet) string {
	at := fset.Position(e.Registered)
	return fmt.Sprintf("%s:%d", filepath.Base(at.Filename), at.Line)
}

// Route words the way that leads from an entry point by a chain of calls.
func Route(fset *token.FileSet, entry *Entry, names []string) string {
	at := fmt.Sprintf("%s (%s)", entry.Name(), entry.Place(fset))
	if len(names) == 0 {
		return "it stands in " + at
	}
	return "reached by " + at + " → " + strings.Join(names, " → ")
}

// Route words the path, as in "reached by AddFunc (main.go:12) → process".
func (p *Path) Route(fset *token.FileSet) string {
	var names []string
	for _, edge := range p.Edges() {
		names = append(names, CalleeName(edge.Site))
	}
	return Route(fset, p.Entry, names)
}

// Related has the registration and each call of the path, for a diagnostic.
func (p *Path) Related() []analysis.RelatedInformation {
	info := []analysis.RelatedInformation{{Pos: p.Entry.Registered, Message: p.Entry.Description()}}
	for _, edge := range p.Edges() {
		info = append(info, analysis.RelatedInformation{Pos: edge.Site.Pos(), Message: "calls " + CalleeName(edge.Site)})
	}
	return info
}

// maxText bounds how the source has it in messages.
const maxText = 60

// CalleeText is what a call names, as the source has it: "c.informer.Run"; its name alone if
// that is long.
func CalleeText(files []*ast.File, call ssa.CallInstruction) string {
	if syntax := syntax.Call(files, call); syntax != nil {
		if text := types.ExprString(syntax.Fun); len(text) <= maxText {
			return text
		}
	}
	return CalleeName(call)
}

// CalleeName names what a call calls: the function, or the field or variable
// that holds it.
func CalleeName(call ssa.CallInstruction) string {
	common := call.Common()
	if callee := kubeapi.Callee(common); callee != nil {
		return callee.Name()
	}
	if load, ok := common.Value.(*ssa.UnOp); ok {
		switch addr := load.X.(type) {
		case *ssa.FieldAddr:
			if field := calls.FieldOf(addr.X.Type(), addr.Field); field != nil {
				return field.Name()
			}
		case *ssa.Alloc:
			if addr.Comment != "" {
				return addr.Comment
			}
		case *ssa.FreeVar:
			return addr.Name()
		}
	}
	if param, ok := common.Value.(*ssa.Parameter); ok {
		return param.Name()
	}
	return "func literal"
}
