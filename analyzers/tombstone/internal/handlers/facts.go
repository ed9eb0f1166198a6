package handlers

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/wording"
)

// Takes is the fact on a function that takes something that may be a
// tombstone: what it does then.
type Takes struct{ Params []Param }

// Param is about one parameter (the receiver counted).
type Param struct {
	Index int
	// Exits are the ways in which the function ends when it is given a
	// tombstone.
	Exits []Exit
	// Works tells that it does something lasting when it is given an object, OnlyKey that this is no
	// more than to put the object's own key on queues.
	Works, OnlyKey bool
}

// Exit is one way in which a function ends.
type Exit struct {
	// Results has what is known of the results.
	Results []uint8
	// Kind, Where, In, Asserted and Func are those of the [Cause], if there
	// is one; the last two as text.
	Kind                      Kind
	Where, In, Asserted, Func string
	Unwrapped                 bool
	// Before and After tell that something lasting is done before and after
	// the cause.
	Before, After bool
	Recognised    bool
	Panicked      bool
	// Passed is the number of the function-typed parameter (from 1) that is
	// called with the tombstone, and PassedAs the argument's number.
	Passed, PassedAs int
}

// AFact marks Takes as a fact.
func (*Takes) AFact() {}

func (t *Takes) String() string {
	var params []string
	for _, p := range t.Params {
		s := fmt.Sprintf("%d:", p.Index)
		for _, e := range p.Exits {
			s += " " + e.String()
		}
		if p.OnlyKey {
			s += " for its key"
		}
		params = append(params, s)
	}
	return "takes(" + strings.Join(params, ", ") + ")"
}

func (e Exit) String() string {
	name := map[Kind]string{
		Refused: "refused", RawKey: "raw-key", Pointer: "pointer", Panics: "panics", Dereferenced: "dereferenced",
	}[e.Kind]
	switch {
	case name != "" && e.After:
		return name + "-but-works"
	case name != "":
		return name
	case e.Recognised:
		return "recognised"
	}
	return "ends"
}

// Idle is the fact on a function that does nothing lasting: what it does can
// be left out without anybody noticing.
type Idle struct{}

// AFact marks Idle as a fact.
func (*Idle) AFact() {}

func (*Idle) String() string { return "idle" }

// Reads is the fact on a function that reads objects by a key that it is given.
type Reads struct{ Objects []Read }

// Read is an object of a kind (see [kubeapi.KindID]), if that is known. Ignored tells that nothing
// lasting is done if there is none.
type Read struct {
	Kind    string
	Ignored bool
}

// AFact marks Reads as a fact.
func (*Reads) AFact() {}

func (r *Reads) String() string {
	var objects []string
	for _, read := range r.Objects {
		s := read.Kind
		if read.Ignored {
			s += " or nothing"
		}
		objects = append(objects, s)
	}
	return "reads(" + strings.Join(objects, ", ") + ")"
}

// Registers is the fact on a function that makes its function-typed
// parameters (the receiver not counted) delete handlers of an informer.
type Registers struct{ Params []int }

// AFact marks Registers as a fact.
func (*Registers) AFact() {}

func (r *Registers) String() string { return fmt.Sprintf("registers%v", r.Params) }

// Holds is the fact on a variable that holds one function of a library for
// good, such as a key function.
type Holds struct{ Path, Name string }

// AFact marks Holds as a fact.
func (*Holds) AFact() {}

func (h *Holds) String() string { return fmt.Sprintf("holds(%s.%s)", h.Path, h.Name) }

// maxExits bounds how many ways of ending are told of a function; one with
// more is not told of.
const maxExits = 16

// export tells other packages what the functions of this one do.
func (m *machine) export() {
	for _, fn := range m.graph.Funcs {
		obj, ok := fn.Object().(*types.Func)
		if !ok || obj.Pkg() != m.pass.Pkg || !obj.Exported() {
			continue
		}
		if !m.works(fn) {
			m.pass.ExportObjectFact(obj, new(Idle))
		}
		m.exportReads(fn, obj)
		var fact Takes
		for i, param := range fn.Params {
			if !mayHoldTombstone(param.Type()) || i == 0 && fn.Signature.Recv() != nil {
				continue
			}
			if p, ok := m.param(fn, i); ok {
				fact.Params = append(fact.Params, p)
			}
		}
		if len(fact.Params) > 0 {
			m.pass.ExportObjectFact(obj, &fact)
		}
	}
	m.graph.ExportInterfaces(m.pass)
	m.exportVariables()
}

// exportVariables tells which functions of libraries package-level variables
// hold.
func (m *machine) exportVariables() {
	for _, member := range m.graph.Pkg.Members {
		global, ok := member.(*ssa.Global)
		if !ok || global.Object() == nil || !global.Object().Exported() {
			continue
		}
		if fn := m.heldBy(global); fn != nil {
			if use, _ := kubeapi.TombstoneUseOf(fn); use != kubeapi.UnknownTombstoneUse {
				m.pass.ExportObjectFact(global.Object(), &Holds{Path: fn.Pkg().Path(), Name: fn.Name()})
			}
		}
	}
}

// mayHoldTombstone reports whether a value of type t can be a tombstone in an
// interface: it has no methods to ask for.
func mayHoldTombstone(t types.Type) bool {
	return takesAnything(t) && t.Underlying().(*types.Interface).IsMethodSet()
}

// param says what fn does with a tombstone as its index-th parameter.
func (m *machine) param(fn *ssa.Function, index int) (Param, bool) {
	args := make([]val, len(fn.Params))
	args[index] = val{kind: tomb}
	out := m.start(activation{fn: fn, args: args})
	if out.overflow || len(out.exits) == 0 {
		return Param{}, false
	}
	p := Param{Index: index}
	for _, e := range out.exits {
		if e.doubt {
			return Param{}, false // as good as nothing
		}
		exit := Exit{Before: e.worked, After: e.after, Recognised: e.recognised, Panicked: e.panicked}
		if e.given != nil {
			exit.Passed, exit.PassedAs = slices.Index(fn.Params, e.given)+1, e.givenAs
		}
		for _, r := range e.results {
			exit.Results = append(exit.Results, uint8(r.told()))
		}
		if c := e.cause; c != nil {
			exit.Kind, exit.Unwrapped = c.Kind, c.Unwrapped
			exit.Where, exit.In = c.Where, c.In
			if exit.Where == "" {
				exit.Where, exit.In = syntax.Place(m.pass.Fset, c.Instr.Pos()), c.Instr.Parent().Name()
			}
			if c.Asserted != nil {
				exit.Asserted = wording.TypeName(c.Asserted)
			} else {
				exit.Asserted = c.told.asserted
			}
			exit.Func = c.told.fn
			if c.Func != nil {
				exit.Func = FuncName(c.Func)
			}
		}
		p.Exits = append(p.Exits, exit)
	}
	args[index] = val{kind: object}
	p.Works = m.start(activation{fn: fn, args: args}).worked
	p.OnlyKey = p.Works && m.queuesKey(fn, m.ofObject(fn.Params[index]), 0)
	return p, true
}

// FuncName is a function's name for messages, with the name of its package.
func FuncName(fn *types.Func) string {
	if fn.Pkg() == nil {
		return fn.Name()
	}
	return fn.Pkg().Name() + "." + fn.Name()
}
