package finalizeradd

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/finalizers"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/wording"
)

// afterCreate reports an addition that follows the creation of something
// outside the cluster.
func (c *checker) afterCreate(a addition) {
	if !c.isOwn(a) {
		return
	}
	create := c.createdBefore(a)
	if create == nil {
		return
	}
	call := create.Call()
	pos, end := syntax.Span(c.pass.Files, a.node.Instr)
	c.report.Report(rule.Finding{
		Pos: pos, End: end, Category: afterCreate,
		Message: fmt.Sprintf("what %s creates on line %d leaks if the operator dies before this finalizer is stored; add and store the finalizer first",
			wording.Tail(kubeapi.Callee(call.Common()).Name(), maxName), c.pass.Fset.Position(call.Pos()).Line),
		Related: []analysis.RelatedInformation{{Pos: call.Pos(), Message: "created here"}},
	})
}

// createdBefore returns a call that creates something outside the cluster and
// from which a path leads to the addition, or nil.
func (c *checker) createdBefore(a addition) *paths.Node {
	for _, n := range a.unit.Graph.Nodes {
		call, ok := n.Instr.(*ssa.Call)
		if !ok || n.Joins != nil || !c.createsOutside(call) {
			continue
		}
		_, found := a.unit.Graph.Search(n, 0, nil, func(at *paths.Node, stage int, _ paths.Known) (int, paths.Step) {
			switch {
			case at == a.node:
				return stage, paths.Found
			case at == n, c.adds(at, a):
				return stage, paths.Prune
			}
			return stage, paths.Continue
		})
		if found && !c.addedBefore(a, n) {
			return n
		}
	}
	return nil
}

// adds reports whether another node adds the same finalizer.
func (c *checker) adds(n *paths.Node, a addition) bool {
	if n == a.node || n.Joins != nil {
		return false
	}
	return slices.ContainsFunc(c.Changes(n.Instr), func(change finalizers.Change) bool {
		return change.Kind == finalizers.Added && change.Name == a.Name
	})
}

// addedBefore reports whether a path to the creation adds the finalizer first.
func (c *checker) addedBefore(a addition, create *paths.Node) bool {
	return slices.ContainsFunc(a.unit.Graph.Nodes, func(n *paths.Node) bool {
		return (n == a.node || c.adds(n, a)) && a.unit.Graph.Reaches(n, create)
	})
}

// createsOutside reports whether a call surely creates something that
// Kubernetes does not know: a method Create… of a client of something else,
// of which the package also calls a method Delete….
func (c *checker) createsOutside(call *ssa.Call) bool {
	fn := kubeapi.Callee(call.Common())
	if fn == nil || !strings.HasPrefix(fn.Name(), "Create") || fn.Signature().Recv() == nil {
		return false
	}
	if _, ok := c.Summaries.ClientOp(call.Common()); ok {
		return false
	}
	recv, _ := kubeapi.Args(call.Common())
	if recv == nil {
		return false
	}
	return c.isOutside(recv.Type()) && c.deletes(recv.Type())
}

// isOutside reports whether a type is a client of something outside the
// cluster: it reaches an HTTP, gRPC or SQL client, and no Kubernetes client.
// With the strict flag any type without a Kubernetes client counts.
func (c *checker) isOutside(t types.Type) bool {
	if kubeapi.IsObject(t) || kubeapi.IsClient(t) {
		return false
	}
	named := kubeapi.Named(t)
	if named == nil || named.Obj().Pkg() == nil || kubeapi.HasClient(named) || strings.Contains(named.Obj().Pkg().Path(), "k8s.io/") {
		return false
	}
	return reachesNetwork(named, 0) || c.report.Strict()
}

var networkClients = map[string]bool{
	"net/http.Client": true, "net/http.RoundTripper": true, "database/sql.DB": true, "net/rpc.Client": true,
	"google.golang.org/grpc.ClientConn": true, "google.golang.org/grpc.ClientConnInterface": true,
}

// reachesNetwork reports whether the fields of a struct lead to a client of a
// network protocol.
func reachesNetwork(named *types.Named, depth int) bool {
	s, ok := named.Underlying().(*types.Struct)
	if !ok || depth > 3 {
		return false
	}
	for field := range s.Fields() {
		inner := kubeapi.Named(field.Type())
		if inner == nil || inner.Obj().Pkg() == nil {
			continue
		}
		if networkClients[inner.Obj().Pkg().Path()+"."+inner.Obj().Name()] || reachesNetwork(inner, depth+1) {
			return true
		}
	}
	return false
}

// deletes reports whether the package calls a method Delete… of the type.
func (c *checker) deletes(t types.Type) bool {
	named := kubeapi.Named(t)
	if c.deleted == nil {
		c.deleted = make(map[*types.Named]bool)
		for _, fn := range c.Summaries.Calls.Funcs {
			for call := range blocks.InstrsOf[ssa.CallInstruction](fn) {
				callee := kubeapi.Callee(call.Common())
				recv, _ := kubeapi.Args(call.Common())
				if callee != nil && recv != nil && strings.HasPrefix(callee.Name(), "Delete") {
					if of := kubeapi.Named(recv.Type()); of != nil {
						c.deleted[of] = true
					}
				}
			}
		}
	}
	return c.deleted[named]
}
