// Package names tells which objects get another name each time that they are put
// together, also by functions of other packages of the user's modules.
package names

import (
	"fmt"
	"go/token"
	"iter"
	"path/filepath"
	"reflect"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/facts"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/objects"
)

// Analyzer has a *[Names] as its result.
var Analyzer = &analysis.Analyzer{
	Name:       "opvetnames",
	Doc:        "tell which objects get another name each time",
	Requires:   []*analysis.Analyzer{objects.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[*Names](),
	FactTypes:  []analysis.Fact{new(Made)},
}

// Made is what a function makes.
type Made struct {
	Anew   bool   // an object that is named anew, and by nothing else
	Named  bool   // an object whose name stays the same
	Random bool   // a string with something random in it
	Where  string // the place at which it is named, as in jobs/job.go:12, or empty
	// Given has an entry for each parameter, the receiver first, that gets a name; nil
	// if none does.
	Given []Naming
}

// Naming is what a function names an object that it is given: anew each time, or
// by something else.
type Naming struct{ Anew, Named bool }

// AFact marks a fact on a function.
func (*Made) AFact() {}

// IsZero reports whether there is nothing to tell.
func (m *Made) IsZero() bool { return !m.Anew && !m.Named && !m.Random && m.Given == nil }

// Names knows the names of a package's objects.
type Names struct {
	fset  *token.FileSet
	sums  *objects.Summaries
	table *facts.Table[Made, *Made]
}

const rounds = 3

func run(pass *analysis.Pass) (any, error) {
	sums := pass.ResultOf[objects.Analyzer].(*objects.Summaries)
	c := &Names{pass.Fset, sums, facts.New[Made, *Made](pass, sums.Calls)}
	if sums.Calls.Pkg == nil {
		return c, nil
	}
	c.table.Fill(rounds, c.made)
	c.table.Export()
	return c, nil
}

// made tells what a function returns, and how it names what it is given.
func (c *Names) made(fn *ssa.Function) *Made {
	m := Made{Given: c.given(fn)}
	named := false
	for ret := range blocks.Returns(fn) {
		for _, result := range ret.Results {
			switch {
			case kubeapi.IsString(result.Type()):
				m.Random = m.Random || c.isRandom(result, make(map[ssa.Value]bool))
			case kubeapi.KindOfValue(result) != nil:
				a, n := c.namesOf(fn, result)
				m.Anew, named = m.Anew || a, named || n
			}
		}
	}
	m.Named = named && !m.Anew
	m.Anew = m.Anew && !named
	if m.Anew {
		m.Where = c.place(fn)
	}
	return &m
}

// given tells how a function names what it is given.
func (c *Names) given(fn *ssa.Function) []Naming {
	var found []Naming
	for i, p := range fn.Params {
		if !kubeapi.IsObject(p.Type()) {
			continue
		}
		anew, named := c.naming(fn, c.sums.Resolve.Place(p).Object)
		if anew || named {
			if found == nil {
				found = make([]Naming, len(fn.Params))
			}
			found[i] = Naming{anew, named}
		}
	}
	return found
}

// place writes where a function of this package names what it makes.
func (c *Names) place(fn *ssa.Function) string {
	at := namedIn(fn)
	if !at.IsValid() {
		return ""
	}
	p := c.fset.Position(at)
	return fmt.Sprintf("%s/%s:%d", filepath.Base(filepath.Dir(p.Filename)), filepath.Base(p.Filename), p.Line)
}

// Elsewhere returns the place in another package at which an object is named that
// comes from there, or nothing.
func (c *Names) Elsewhere(object ssa.Value) string {
	o := c.sums.Resolve.Place(object).Object
	for _, root := range append(c.sums.Resolve.Roots(o), o) {
		if call, _ := calls.CallOf(root.Root); call != nil {
			if m := c.table.Elsewhere(call); m != nil {
				return m.Where
			}
		}
	}
	return ""
}

// Anew reports whether an object gets another name each time that it is
// created: the server generates it, or it has random letters.
func (c *Names) Anew(fn *ssa.Function, object ssa.Value) bool {
	anew, named := c.namesOf(fn, object)
	return anew && !named
}

// Stays reports whether an object surely has a name that stays the same.
func (c *Names) Stays(object ssa.Value) bool {
	fn := object.Parent()
	if fn == nil || fn.Pkg != c.sums.Calls.Pkg {
		return false
	}
	anew, named := c.namesOf(fn, object)
	if !anew && !named {
		call, _ := calls.CallOf(c.sums.Resolve.Place(object).Object.Root)
		return call != nil && slices.ContainsFunc(c.table.At(call), func(m *Made) bool { return m.Named })
	}
	return named && !anew
}

// Makes reports whether a call returns an object that is named anew.
func (c *Names) Makes(call *ssa.Call) bool {
	return slices.ContainsFunc(c.table.At(call), func(m *Made) bool { return m.Anew })
}

// Where returns the place in this package at which a function that a call runs
// names what it makes, or no place.
func (c *Names) Where(call *ssa.Call) token.Pos {
	for _, fn := range c.sums.Calls.Callees(call).Funcs {
		if at := namedIn(fn); at.IsValid() {
			return at
		}
	}
	return token.NoPos
}

func namedIn(fn *ssa.Function) token.Pos {
	for instr := range blocks.Instrs(fn) {
		switch instr := instr.(type) {
		case *ssa.Call:
			if kubeapi.MakesRandomName(kubeapi.Callee(instr.Common())) {
				return instr.Pos()
			}
		case *ssa.Store:
			if addr, ok := instr.Addr.(*ssa.FieldAddr); ok && calls.FieldOf(addr.X.Type(), addr.Field).Name() == "GenerateName" {
				return instr.Pos()
			}
		}
	}
	return token.NoPos
}

// Generated reports whether a function leaves an object's name to the API server, and
// where.
func (c *Names) Generated(fn *ssa.Function, o paths.Object) (generated bool, at token.Pos) {
	for store := range blocks.InstrsOf[*ssa.Store](fn) {
		place := c.sums.Resolve.Place(store.Addr)
		if place.Object != o || len(place.Sub) == 0 || place.Sub[0] != kubeapi.MetadataPath {
			continue
		}
		if len(place.Sub) == 2 && place.Sub[1] == "GenerateName" {
			return true, store.Pos()
		}
		if len(place.Sub) == 1 {
			fieldsOf(store.Val, func(field string, _ ssa.Value) { generated = generated || field == "GenerateName" })
			if generated {
				return true, store.Pos()
			}
		}
	}
	return false, token.NoPos
}

// namesOf tells whether an object has a name that is new each time, and whether
// it has one that is not.
func (c *Names) namesOf(fn *ssa.Function, object ssa.Value) (anew, named bool) {
	o := c.sums.Resolve.Place(object).Object
	anew, named = c.naming(fn, o)
	for _, root := range append(c.sums.Resolve.Roots(o), o) {
		if call, _ := calls.CallOf(root.Root); call != nil {
			anew = anew || c.Makes(call)
		}
	}
	if alloc, ok := o.Root.(*ssa.Alloc); ok { // a struct that a call returned
		for _, stored := range calls.StoredInto(alloc) {
			if call, _ := calls.CallOf(stored); call != nil {
				anew = anew || c.Makes(call)
			}
		}
	}
	return anew, named
}

// naming tells whether a function gives an object a name that is new each time,
// and whether one that is not.
func (c *Names) naming(fn *ssa.Function, o paths.Object) (anew, named bool) {
	note := func(field string, value ssa.Value) {
		switch {
		case field == "GenerateName", field == "Name" && c.isRandom(value, make(map[ssa.Value]bool)):
			anew = true
		case field == "Name":
			named = true
		}
	}
	for instr := range c.instrs(fn) {
		switch instr := instr.(type) {
		case *ssa.Store:
			place := c.sums.Resolve.Place(instr.Addr)
			switch {
			case place.Object != o || !place.IsInside() || place.Sub[0] != kubeapi.MetadataPath:
			case len(place.Sub) == 2:
				note(place.Sub[1], instr.Val)
			case len(place.Sub) == 1:
				fieldsOf(instr.Val, note)
			}
		case *ssa.Call:
			for i, operand := range kubeapi.Operands(instr.Common()) {
				for _, m := range c.table.At(instr) {
					if i < len(m.Given) && m.Given[i] != (Naming{}) && c.sums.Resolve.Place(operand).Object == o {
						anew, named = anew || m.Given[i].Anew, named || m.Given[i].Named
					}
				}
			}
		}
	}
	return anew, named
}

// instrs yields the instructions of a function, of those around it if it is a literal,
// and of the literals that are part of their path graphs.
func (c *Names) instrs(fn *ssa.Function) iter.Seq[ssa.Instruction] {
	return func(yield func(ssa.Instruction) bool) {
		for ; fn != nil; fn = fn.Parent() {
			for _, n := range c.sums.Unit(fn).Graph.Nodes {
				if n.Joins == nil && !yield(n.Instr) {
					return
				}
			}
		}
	}
}

// fieldsOf tells what is stored into the fields of a struct that is put together
// first and copied then, as literals are.
func fieldsOf(v ssa.Value, note func(field string, value ssa.Value)) {
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return
	}
	for addr := range blocks.UsesOf[*ssa.FieldAddr](load.X) {
		for store := range blocks.Stores(addr) {
			note(calls.FieldName(addr), store.Val)
		}
	}
}

// isRandom reports whether a string has something random in it.
func (c *Names) isRandom(v ssa.Value, seen map[ssa.Value]bool) bool {
	if v == nil || seen[v] || len(seen) > 100 {
		return false
	}
	seen[v] = true
	if call, ok := v.(*ssa.Call); ok {
		if kubeapi.MakesRandomName(kubeapi.Callee(call.Common())) || slices.ContainsFunc(c.table.At(call), func(m *Made) bool { return m.Random }) {
			return true
		}
	}
	isRandom := func(v ssa.Value) bool { return c.isRandom(v, seen) }
	if alloc, ok := v.(*ssa.Alloc); ok && blocks.AnyUse(alloc, func(index *ssa.IndexAddr) bool { // variadic arguments
		return blocks.AnyUse(index, func(store *ssa.Store) bool { return isRandom(store.Val) })
	}) {
		return true
	}
	return slices.ContainsFunc(values.Operands(v), isRandom)
}
