package reads

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/literals"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// SwitchedOff reports whether a use is reached only if a field of a struct is true, or holds
// something, and nothing in the program sees to that: another program with the same packages may.
// One that is reached only without another client is so if the program sets that: it is for tests.
func (p *Program) SwitchedOff(u Use) bool {
	return slices.ContainsFunc(u.Options, func(option string) bool {
		field, without := strings.CutPrefix(option, isWithout)
		return slices.Contains(p.Switched, field) == without
	})
}

// isWithout marks an option that must not hold anything.
const isWithout = "!"

// options returns the options under which an instruction runs, itself or by the calls through
// which alone it is reached.
func (g *gatherer) options(instr ssa.Instruction) []string {
	var options []string
	g.calls.Everywhere(instr, func(at *calls.Site) bool {
		options = append(options, g.optionsAt(at)...)
		return false
	})
	slices.Sort(options)
	return slices.DeleteFunc(slices.Compact(options), func(option string) bool {
		return !g.calls.Everywhere(instr, func(at *calls.Site) bool { return slices.Contains(g.optionsAt(at), option) })
	})
}

// optionsAt returns those of the function of an instruction: fields of structs of this package,
// so that who sets them depends on the package. What has a tag may be read from a file.
func (g *gatherer) optionsAt(at *calls.Site) []string {
	var options []string
	for branch, holds := range blocks.Decided(at.Block()) {
		if declared, field := g.fieldOf(values.Filled(branch.Cond, holds)); declared != nil && !isTagged(declared, field) {
			options = append(options, optionOf(declared, field))
		}
		if declared, field := g.fieldOf(values.Filled(branch.Cond, !holds)); declared != nil && types.IsInterface(field.Type()) && kubeapi.IsReader(field.Type()) {
			options = append(options, isWithout+optionOf(declared, field))
		}
	}
	return options
}

// fieldOf returns the field of a struct of this package that a value is read from.
func (g *gatherer) fieldOf(v ssa.Value) (declared *types.Named, field *types.Var) {
	field = calls.LoadedField(v)
	if field == nil || field.Pkg() != g.pass.Pkg {
		return nil, nil
	}
	return calls.DeclaredIn(field.Pkg(), field.Origin()), field
}

func optionOf(declared *types.Named, field *types.Var) string {
	return declared.Obj().Pkg().Path() + "." + declared.Obj().Name() + "." + field.Name()
}

func isTagged(declared *types.Named, field *types.Var) bool {
	st := declared.Underlying().(*types.Struct)
	for i := range st.NumFields() {
		if st.Field(i).Origin() == field.Origin() {
			return st.Tag(i) != ""
		}
	}
	return false
}

// switching notes an option that is given a value, other than the one that it has anyhow, or
// whose address is handed on, as to a flag.
func (g *gatherer) switching(addr *ssa.FieldAddr) {
	field := calls.FieldOf(addr.X.Type(), addr.Field)
	if field == nil || g.switched[field] || field.Pkg() == nil || !g.calls.SameModule(field.Pkg()) {
		return
	}
	for use := range blocks.Uses(addr) {
		if store, ok := use.(*ssa.Store); ok && store.Addr == addr {
			if literals.IsZero(store.Val) {
				continue
			}
		} else if load, ok := use.(ssa.Value); ok && blocks.IsLoad(load) {
			continue
		}
		if declared := kubeapi.Named(kubeapi.Deref(addr.X.Type())); declared != nil {
			g.switched[field] = true
			g.Switched = append(g.Switched, optionOf(declared, field))
		}
		return
	}
}

// filling notes the options of a struct that is handed to code which may set any of its
// fields, such as a decoder, and of those in it.
func (g *gatherer) filling(v *ssa.MakeInterface) {
	iface, ok := v.Type().Underlying().(*types.Interface)
	if _, pointer := v.X.Type().Underlying().(*types.Pointer); ok && pointer && iface.NumMethods() == 0 {
		g.fill(v.X.Type(), false)
	}
}

// making notes the options of the structs that a generic function of another module is told to make.
func (g *gatherer) making(call ssa.CallInstruction) {
	callee, fn := call.Common().StaticCallee(), kubeapi.Callee(call.Common())
	if callee == nil || fn == nil || g.calls.SameModule(fn.Pkg()) {
		return
	}
	for _, arg := range callee.TypeArgs() {
		g.fill(arg, false)
	}
}

// fillKey is what was filled: types may be made of themselves, lists and maps too.
type fillKey struct {
	types.Type
	all bool
}

// fill notes the options of a struct, the hidden ones too if all is set.
func (g *gatherer) fill(t types.Type, all bool) {
	key := fillKey{t, all}
	if g.filled[key] {
		return
	}
	g.filled[key] = true
	switch under := t.Underlying().(type) {
	case interface{ Elem() types.Type }: // a pointer, a list, a map
		g.fill(under.Elem(), all)
	case *types.Struct:
		declared := kubeapi.Named(t)
		if declared == nil || declared.Obj().Pkg() == nil || !g.calls.SameModule(declared.Obj().Pkg()) {
			return
		}
		for field := range under.Fields() {
			if field.Exported() || field.Embedded() || all {
				g.Switched = append(g.Switched, optionOf(declared, field))
				g.fill(field.Type(), all)
			}
		}
	}
}
