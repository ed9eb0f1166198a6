package driver

import (
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/driver/picture"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
)

// codeIndex knows which function a line is in, and which functions a function leads
// to, in all packages. It says where a finding belongs in the picture, and for that
// it may know too many ways: a call of an interface's method leads to all types with
// methods of these names.
type codeIndex struct {
	funcs map[string][]codeFunc      // by file
	leads map[string]map[string]bool // by the full name of a function
	// abstract has, for each method of an interface, the names of all methods of it;
	// types the methods of each type, by name.
	abstract map[string][]string
	types    []map[string]string
}

type codeFunc struct {
	name       string
	start, end int // lines
}

func (x *codeIndex) add(pass *analysis.Pass, graph *calls.Graph) {
	if graph.Pkg == nil {
		return
	}
	if x.funcs == nil {
		x.funcs, x.leads, x.abstract = make(map[string][]codeFunc), make(map[string]map[string]bool), make(map[string][]string)
	}
	for _, fn := range graph.Funcs {
		root := paths.Outermost(fn)
		obj, ok := root.Object().(*types.Func)
		if !ok {
			continue
		}
		name := obj.Origin().FullName()
		if syntax := fn.Syntax(); fn == root && syntax != nil {
			start, end := pass.Fset.Position(syntax.Pos()), pass.Fset.Position(syntax.End())
			x.funcs[start.Filename] = append(x.funcs[start.Filename], codeFunc{name, start.Line, end.Line})
		}
		for instr := range blocks.Instrs(fn) {
			x.instruction(name, instr)
		}
	}
	scope := pass.Pkg.Scope()
	for _, name := range scope.Names() {
		if declared, ok := scope.Lookup(name).(*types.TypeName); ok && !types.IsInterface(declared.Type()) {
			x.addType(declared.Type())
		}
	}
}

func (x *codeIndex) addType(t types.Type) {
	set := types.NewMethodSet(types.NewPointer(t))
	if set.Len() == 0 {
		return
	}
	methods := make(map[string]string)
	for i := range set.Len() {
		if fn, ok := set.At(i).Obj().(*types.Func); ok {
			methods[fn.Name()] = fn.Origin().FullName()
		}
	}
	x.types = append(x.types, methods)
}

func (x *codeIndex) lead(from, to string) {
	if x.leads[from] == nil {
		x.leads[from] = make(map[string]bool)
	}
	x.leads[from][to] = true
}

func (x *codeIndex) instruction(from string, instr ssa.Instruction) {
	for _, operand := range instr.Operands(nil) {
		fn, ok := (*operand).(*ssa.Function)
		if !ok {
			continue
		}
		declared, abstract := calls.Unwrap(paths.Outermost(fn))
		if declared != nil {
			if obj, ok := declared.Object().(*types.Func); ok {
				abstract = obj
			}
		}
		if abstract != nil {
			x.lead(from, abstract.Origin().FullName())
		}
	}
	call, ok := instr.(ssa.CallInstruction)
	if !ok {
		return
	}
	fn := kubeapi.Callee(call.Common())
	if fn == nil {
		return
	}
	name := fn.Origin().FullName()
	x.lead(from, name)
	if !call.Common().IsInvoke() || x.abstract[name] != nil {
		return
	}
	if iface, ok := call.Common().Value.Type().Underlying().(*types.Interface); ok {
		for method := range iface.Methods() {
			x.abstract[name] = append(x.abstract[name], method.Name())
		}
	}
}

// reached returns the functions that some lead to, themselves among them.
func (x *codeIndex) reached(from ...string) map[string]bool {
	seen := make(map[string]bool)
	for len(from) > 0 {
		name := from[len(from)-1]
		from = from[:len(from)-1]
		if name == "" || seen[name] {
			continue
		}
		seen[name] = true
		for next := range x.leads[name] {
			from = append(from, next)
		}
		from = append(from, x.implementations(name)...)
	}
	return seen
}

func (x *codeIndex) implementations(abstract string) []string {
	wanted := x.abstract[abstract]
	if len(wanted) == 0 {
		return nil
	}
	method := filepath.Ext(abstract)[1:]
	var found []string
	for _, methods := range x.types {
		if !slices.ContainsFunc(wanted, func(name string) bool { return methods[name] == "" }) {
			found = append(found, methods[method])
		}
	}
	return found
}

// at names the function that a line is in; empty for none.
func (x *codeIndex) at(file string, line int) string {
	for _, fn := range x.funcs[file] {
		if fn.start <= line && line <= fn.end {
			return fn.name
		}
	}
	return ""
}

// addFindings puts findings where they belong: to the controllers that run the
// function in which they stand, or that it puts together, or to the webhooks that are
// set up there, or else to the controllers whose reconciler has the method; what
// concerns none of them belongs to the programs.
func (m *mapModel) addFindings(drawn *picture.Map, findings []Finding) {
	for _, f := range findings {
		fn := m.code.at(f.Posn.Filename, f.Posn.Line)
		file, _ := m.root.rel(f.Posn.Filename)
		message, _ := splitMessage(f)
		shown := picture.Finding{
			Rule: f.ruleID(), Harm: f.Harm.String(), Message: message, URL: f.Diagnostic.URL, At: &picture.Place{File: file, Line: f.Posn.Line},
		}
		for i := range drawn.Programs {
			p := &drawn.Programs[i]
			concerned := m.concerned(p, fn, file, f)
			for _, findings := range concerned {
				*findings = append(*findings, shown)
			}
			if len(concerned) == 0 {
				p.Findings = append(p.Findings, shown)
			}
		}
	}
}

// concerned returns the findings of the nodes that a finding in a function concerns.
func (m *mapModel) concerned(p *picture.Program, fn, file string, f Finding) []*[]picture.Finding {
	if fn == "" {
		return nil
	}
	var nodes []*[]picture.Finding
	for i := range p.Controllers {
		c := &p.Controllers[i]
		if m.reachedBy(c)[fn] || m.setUpBy(c.At, fn, f) && (len(m.madeBy(p, fn, f)) == 1 || standsIn(c, file, f.Posn.Line)) {
			nodes = append(nodes, &c.Findings)
		}
	}
	for i := range p.Webhooks {
		if w := &p.Webhooks[i]; m.setUpBy(w.At, fn, f) {
			nodes = append(nodes, &w.Findings)
		}
	}
	for i := range p.Controllers {
		if c := &p.Controllers[i]; len(nodes) == 0 && c.Reconciler != "" && receiver(fn) == c.Reconciler {
			return append(nodes, &c.Findings)
		}
	}
	return nodes
}

// reachedBy returns the functions that a controller's Reconcile and its map functions lead
// to.
func (m *mapModel) reachedBy(c *picture.Controller) map[string]bool {
	if m.reached[c.ID] == nil {
		from := []string{c.Reconcile}
		for _, w := range c.Watches {
			from = append(from, w.Func)
		}
		m.reached[c.ID] = m.code.reached(from...)
	}
	return m.reached[c.ID]
}

// receiver is the type that a method belongs to, as in "(*example.com/p.T).M"; empty for
// a function.
func receiver(fn string) string {
	if !strings.HasPrefix(fn, "(") {
		return ""
	}
	of, _, _ := strings.Cut(strings.TrimLeft(fn, "(*"), ")")
	return of
}

// setUpBy reports whether a place is in the function that a finding is in.
func (m *mapModel) setUpBy(at *picture.Place, fn string, f Finding) bool {
	if at == nil {
		return false
	}
	file, _ := m.root.rel(f.Posn.Filename)
	return at.File == file && m.code.at(f.Posn.Filename, at.Line) == fn
}

// madeBy returns the controllers that the function puts together that a finding is in.
func (m *mapModel) madeBy(p *picture.Program, fn string, f Finding) []string {
	var ids []string
	for _, c := range p.Controllers {
		if m.setUpBy(c.At, fn, f) {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// standsIn reports whether a line is one of those that put a controller together.
func standsIn(c *picture.Controller, file string, line int) bool {
	is := func(p picture.Place) bool { return p.File == file && p.Line == line }
	filtered := func(f *picture.Filter) bool { return f != nil && slices.ContainsFunc(f.At, is) }
	return c.At != nil && is(*c.At) || filtered(c.Filter) || slices.ContainsFunc(c.Watches, func(w picture.Watch) bool {
		return w.At != nil && is(*w.At) || filtered(w.Filter)
	})
}
