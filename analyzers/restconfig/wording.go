package restconfig

import (
	"fmt"
	"go/ast"
	"path/filepath"
	"strconv"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/configs"
	"github.com/opvet/opvet/internal/entrypoint"
	"github.com/opvet/opvet/internal/rule"
	"github.com/opvet/opvet/internal/source"
)

// reportShared words a change of what others have; at is nil if it happens while
// the program is set up.
func (c *checker) reportShared(change *configs.Change, o configs.Origin, at *entrypoint.Path) {
	var key any = o.Root
	if o.Holder != nil {
		key = o.Holder
	}
	if c.reported[change.Instr] || !c.first(change, key) {
		return
	}
	what := "the configuration " + o.What
	switch o.Kind {
	case configs.Manager:
		what = "the configuration that " + o.What + " gives to everybody"
	case configs.Global, configs.Field:
		what = "the configuration in " + o.What
	}
	route, race := "", ""
	var related []analysis.RelatedInformation
	if at != nil {
		route = fmt.Sprintf(" each time that %s runs (%s)", at.Entry.Name(), at.Route(c.pass.Fset))
		race = "whoever reads it at the same time finds it half changed, and "
		related = at.Related()
	}
	act, category := fmt.Sprintf("%s of %s is changed%s", change.Field, what, route), shared
	if change.Field == "" {
		act = what + " is changed" + route
	}
	if change.By != nil {
		category = helper
		act = fmt.Sprintf("%s changes %s (%s%s)%s", c.callee(change), what, fieldOf(change), change.By.Place, route)
	}
	pos, end := source.Span(c.pass.Files, change.Instr)
	c.report.Report(rule.Finding{
		Pos: pos, End: end, Category: category,
		Message: fmt.Sprintf("%s: %sclients that are built of it afterwards %s; change a copy: rest.CopyConfig(%s)", act, race, consequence(change.Field), o.What),
		Related: related,
		Fix:     c.copyFix(change, o),
	})
}

func fieldOf(change *configs.Change) string {
	if change.Field == "" {
		return ""
	}
	return change.Field + ", "
}

func (c *checker) callee(change *configs.Change) string {
	if call, ok := change.Instr.(ssa.CallInstruction); ok {
		return c.configs.Called(call)
	}
	return change.By.Func
}

func (c *checker) reportHandedOver(change *configs.Change, given ssa.Instruction, holder string) {
	if !c.first(change, variable(change.Config)) {
		return
	}
	at := c.pass.Fset.Position(given.Pos())
	place := fmt.Sprintf("%s:%d", filepath.Base(at.Filename), at.Line)
	act := change.Field + " is changed"
	category := handedOver
	if change.By != nil {
		act, category = fmt.Sprintf("%s changes the configuration (%s%s)", c.callee(change), fieldOf(change), change.By.Place), helper
	}
	pos, end := source.Span(c.pass.Files, change.Instr)
	c.report.Report(rule.Finding{
		Pos: pos, End: end, Category: category,
		Message: fmt.Sprintf("%s after %s has got the configuration (%s) and a client was built of it: clients that are built of it afterwards %s; change a copy (rest.CopyConfig)",
			act, holder, place, consequence(change.Field)),
		Related: []analysis.RelatedInformation{{Pos: given.Pos(), Message: holder + " gets the configuration here"}},
	})
}

// copyFix has a variable hold a copy of what the manager gives to everybody.
func (c *checker) copyFix(change *configs.Change, o configs.Origin) *analysis.SuggestedFix {
	call, ok := o.Root.(*ssa.Call)
	if !ok || o.Kind != configs.Manager || change.By != nil || call.Parent() != change.Instr.Parent() {
		return nil
	}
	syntax := source.Call(c.pass.Files, call)
	if syntax == nil {
		return nil
	}
	path := source.Path(c.pass.Files, syntax.Lparen)
	for n, node := range path {
		assign, ok := node.(*ast.AssignStmt)
		if !ok {
			continue
		}
		file, isFile := path[len(path)-1].(*ast.File)
		if len(assign.Rhs) != 1 || assign.Rhs[0] != syntax || !isFile || n == 0 {
			return nil
		}
		name := importName(file)
		if name == "" {
			return nil
		}
		return &analysis.SuggestedFix{
			Message: "Change a copy",
			TextEdits: []analysis.TextEdit{
				{Pos: syntax.Pos(), End: syntax.Pos(), NewText: []byte(name + ".CopyConfig(")},
				{Pos: syntax.End(), End: syntax.End(), NewText: []byte(")")},
			},
		}
	}
	return nil
}

// importName is the name by which a file has client-go's package rest, or empty.
func importName(file *ast.File) string {
	for _, spec := range file.Imports {
		if path, err := strconv.Unquote(spec.Path.Value); err != nil || path != "k8s.io/client-go/rest" {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name
		}
		return "rest"
	}
	return ""
}
