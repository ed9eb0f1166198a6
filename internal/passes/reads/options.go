package reads

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// SwitchedOff reports whether a watch is set up only if an option is on, and nothing in the
// program switches that on: another program with the same packages may.
func (p *Program) SwitchedOff(u Use) bool {
	return u.Option != "" && !slices.Contains(p.Switched, u.Option)
}

// option returns the option under which an instruction runs: a field of a struct of this
// package, so that who sets it depends on the package. What has a tag may be read from a file.
func (g *gatherer) option(instr ssa.Instruction) string {
	for branch, holds := range blocks.Decided(instr.Block()) {
		asked, on := values.Asked(branch.Cond, holds)
		if field := calls.LoadedField(asked); on && field != nil && kubeapi.IsBool(field.Type()) && field.Pkg() == g.pass.Pkg {
			if declared := calls.DeclaredIn(field.Pkg(), field.Origin()); declared != nil && !isTagged(declared, field) {
				return optionOf(declared, field)
			}
		}
	}
	return ""
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

// switching notes an option that is given a value, other than that it is off, or whose
// address is handed on, as to a flag.
func (g *gatherer) switching(addr *ssa.FieldAddr) {
	field := calls.FieldOf(addr.X.Type(), addr.Field)
	if field == nil || field.Pkg() == nil || !kubeapi.IsBool(field.Type()) || !g.calls.SameModule(field.Pkg()) {
		return
	}
	for use := range blocks.Uses(addr) {
		if store, ok := use.(*ssa.Store); ok && store.Addr == addr {
			if on, known := kubeapi.ConstBool(store.Val); known && !on {
				continue
			}
		} else if load, ok := use.(ssa.Value); ok && blocks.IsLoad(load) {
			continue
		}
		if declared := kubeapi.Named(kubeapi.Deref(addr.X.Type())); declared != nil {
			g.Switched = append(g.Switched, optionOf(declared, field))
		}
		return
	}
}

// filling notes the options of a struct that is handed to code which may set any of its
// fields, such as a decoder, and of those in it.
func (g *gatherer) filling(v *ssa.MakeInterface) {
	iface, ok := v.Type().Underlying().(*types.Interface)
	if _, pointer := v.X.Type().Underlying().(*types.Pointer); !ok || !pointer || iface.NumMethods() > 0 {
		return
	}
	var fill func(t types.Type)
	fill = func(t types.Type) {
		declared := kubeapi.Named(kubeapi.Deref(t))
		if declared == nil || g.filled[declared] || declared.Obj().Pkg() == nil || !g.calls.SameModule(declared.Obj().Pkg()) {
			return
		}
		g.filled[declared] = true
		st, ok := declared.Underlying().(*types.Struct)
		if !ok {
			return
		}
		for field := range st.Fields() {
			switch {
			case !field.Exported():
			case kubeapi.IsBool(field.Type()):
				g.Switched = append(g.Switched, optionOf(declared, field))
			default:
				fill(field.Type())
			}
		}
	}
	fill(v.X.Type())
}
