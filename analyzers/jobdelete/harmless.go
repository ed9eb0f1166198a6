package jobdelete

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/permissions"
	"github.com/opvet/opvet/internal/report/rule"
)

// isMissing reports whether a deletion is only reached where a read has just answered that
// there is no Job: it finds one in a race alone.
func (c *checker) isMissing(call ssa.CallInstruction) bool {
	return c.graph.Everywhere(call, func(at *calls.Site) bool { return c.isWhereNoJob(at.Block()) })
}

// isWhereNoJob reports whether a block is reached only if a read of a Job said that there is
// none, and nothing has said since then that there is one after all.
func (c *checker) isWhereNoJob(block *ssa.BasicBlock) bool {
	for branch, held := range blocks.Decided(block) {
		asked, holds := values.Asked(branch.Cond, held)
		call, ok := asked.(*ssa.Call)
		if !ok || !holds {
			continue
		}
		switch kubeapi.ErrorUseOf(kubeapi.Callee(call.Common())) {
		case kubeapi.TellsErrorKind:
			return false // such as AlreadyExists
		case kubeapi.TellsNotFound:
			if slices.ContainsFunc(kubeapi.Operands(call.Common()), c.isErrorOfRead) {
				return true
			}
		}
	}
	return false
}

// isStray reports whether a deletion is only reached for a Job with another name than one that is made of
// the names of other objects alone: the Jobs that the operator makes have that one.
//
//	if job.Name == backup.Name+"-job" { continue }
func (c *checker) isStray(call ssa.CallInstruction) bool {
	return c.graph.Everywhere(call, func(at *calls.Site) bool {
		for branch, held := range blocks.Decided(at.Block()) {
			asked, holds := values.Asked(branch.Cond, held)
			name, wanted := comparesNames(asked, holds)
			if name != nil && (isNameOf(name, kubeapi.OrphansByDefault) && isFixed(wanted) || isNameOf(wanted, kubeapi.OrphansByDefault) && isFixed(name)) {
				return true
			}
		}
		return false
	})
}

// comparesNames returns the two texts that a question finds to differ by its answer, the longer one
// first if one is asked to begin with the other.
func comparesNames(asked ssa.Value, holds bool) (name, wanted ssa.Value) {
	switch asked := asked.(type) {
	case *ssa.BinOp:
		if asked.Op == token.EQL && !holds || asked.Op == token.NEQ && holds {
			return asked.X, asked.Y
		}
	case *ssa.Call:
		if callee := kubeapi.Callee(asked.Common()); !holds && kubeapi.IsFunc(callee, "strings", "HasPrefix") {
			return asked.Call.Args[0], asked.Call.Args[1]
		}
	}
	return nil, nil
}

// isNameOf reports whether a value is the name of an object of some kind.
func isNameOf(v ssa.Value, is func(*types.Named) bool) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return false
	}
	addr, ok := load.X.(*ssa.FieldAddr)
	return ok && kubeapi.IsMetaField(addr, "Name") && is(kubeapi.KindOf(blocks.Base(addr).Type()))
}

// isFixed reports whether a text is put together of constants and names of objects that are no Jobs.
func isFixed(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Const:
		text, ok := kubeapi.ConstString(v)
		return ok && text != "" // an empty one asks whether there is a Job
	case *ssa.BinOp:
		return v.Op == token.ADD && isFixed(v.X) && isFixed(v.Y)
	}
	return isNameOf(v, func(kind *types.Named) bool { return kind != nil && !kubeapi.OrphansByDefault(kind) })
}

// isErrorOfRead reports whether an error is that of a call which reads a Job.
func (c *checker) isErrorOfRead(err ssa.Value) bool {
	return kubeapi.IsError(err.Type()) && values.Relation{Calls: c.graph, Steps: values.Local}.Any(err, func(v ssa.Value) bool {
		call, _ := calls.CallOf(v)
		if call == nil {
			return false
		}
		if op, ok := kubeapi.ClientOp(call.Common()); ok && op.Object != nil {
			return op.Verb == kubeapi.Get && kubeapi.OrphansByDefault(kubeapi.KindOfValue(op.Object))
		}
		return kubeapi.AnyIs(call.Call.Signature().Results(), func(t types.Type) bool { return kubeapi.OrphansByDefault(kubeapi.KindOf(t)) })
	})
}

// isRefused reports whether the project's roles let its program make Jobs, but not delete them:
// the request fails, and the pods stay with their Job. What is done in another cluster these
// roles do not say.
func (c *checker) isRefused() bool {
	project := permissions.ProjectOfPass(c.pass)
	if project == "" {
		return false
	}
	for _, fn := range c.graph.Funcs {
		if blocks.Any(fn, func(call ssa.CallInstruction) bool {
			return kubeapi.ReachesOtherClusters(call.Common(), c.graph.SameModule)
		}) {
			return false
		}
	}
	c.report.ReadsBelow(project, rule.Grants)
	return permissions.GrantedIn(project, c.pass.Fset).Refuses(kubeapi.JobID, "delete")
}
