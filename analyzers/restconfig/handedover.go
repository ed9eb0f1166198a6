package restconfig

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/restconfig/internal/configs"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
)

// handedOver finds changes of a function's own configuration after it was put
// into a field or variable, or given to a manager, and a client was built of it:
// what comes later was not meant for those who have it.
func (c *checker) handedOver(change *configs.Change) {
	if !kubeapi.SpecialField(change.Field) && !c.report.Strict() {
		return
	}
	switch o := c.configs.Origin(change.Config); o.Kind {
	case configs.Fresh, configs.Copy, configs.Param:
	default:
		if _, merged := change.Config.(*ssa.Phi); !merged {
			return
		}
	}
	config := variable(change.Config)
	fn := change.Instr.Parent()
	var given ssa.Instruction
	used, holder := false, ""
	for instr := range blocks.Instrs(fn) {
		if !blocks.Precedes(instr, change.Instr) {
			continue
		}
		switch instr := instr.(type) {
		case *ssa.Store:
			if variable(instr.Val) == config && c.isRead(instr.Addr) {
				given, holder = instr, holderName(instr.Addr)
			}
		case *ssa.Call:
			build, ok := kubeapi.ClientBuildOf(instr.Common())
			if !ok || variable(build.From) != config {
				continue
			}
			used = true
			if build.Kind == kubeapi.Manager || build.Kind == kubeapi.Cluster {
				given, holder = instr, "the manager or cluster"
			}
		}
	}
	if given != nil && used {
		c.reportHandedOver(change, given, holder)
	}
}

// variable is the variable that a configuration is read from, or the value
// itself.
func variable(v ssa.Value) ssa.Value {
	if load, ok := v.(*ssa.UnOp); ok {
		if local, ok := load.X.(*ssa.Alloc); ok {
			return local
		}
	}
	return v
}

// isRead reports whether an address is that of a field or variable which others
// may read: it is exported, or the package does.
func (c *checker) isRead(addr ssa.Value) bool {
	holder := calls.HolderOf(addr)
	return holder != nil && (holder.Exported() || slices.ContainsFunc(c.graph.Funcs, func(fn *ssa.Function) bool {
		return blocks.Any(fn, func(load *ssa.UnOp) bool { return calls.HolderOf(load.X) == holder })
	}))
}

func holderName(addr ssa.Value) string {
	switch addr := addr.(type) {
	case *ssa.FieldAddr:
		if holder, ok := calls.HolderOf(addr).(*types.Var); ok {
			return "the field " + holder.Name()
		}
	case *ssa.Global:
		return "the variable " + addr.Name()
	}
	return "others"
}
