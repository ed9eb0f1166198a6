package cachewrite

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/cachewrite/internal/stores"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/rule"
)

type candidate struct {
	info *stores.Writes
	*stores.Write
}

// excuses say when a write to an informer's store is left alone.
var excuses = rule.Excuses[candidate]{{
	Reason: rule.Reason{
		Name: "of-project",
		Doc:  "an object of a kind of the project's own is taken out, and no client is called: the informer may be fed by something else than the API server",
	},
	Strict: true,
	Holds: func(c candidate) bool {
		return c.Change == kubeapi.StoreDeletes && c.isOfProject() && !callsClient(c.Instr.Parent())
	},
}}

// isOfProject reports whether what a call takes out of a store is of a kind that
// is not Kubernetes' own. The informer may then be fed by something else than the
// API server, of which no events of deletions come.
func (c candidate) isOfProject() bool {
	call, ok := c.Instr.(ssa.CallInstruction)
	if !ok {
		return false
	}
	_, args := kubeapi.Args(call.Common())
	at := slices.IndexFunc(args, func(v ssa.Value) bool { return types.IsInterface(v.Type()) })
	return at >= 0 && values.Always(c.info.Graph, args[at], func(v ssa.Value) bool {
		kind := kubeapi.KindOf(v.Type())
		return kind != nil && !strings.HasPrefix(kind.Obj().Pkg().Path(), "k8s.io/api/")
	})
}
