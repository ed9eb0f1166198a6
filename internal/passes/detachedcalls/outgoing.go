package detachedcalls

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/entrypoints"
)

// isOutgoing reports whether a request that a function gets is one that the
// program sends: the function, or one that it hands the request to, gives it to an
// HTTP client or transport, or is a transport itself, or a caller has made it.
func (c *computer) isOutgoing(p *ssa.Parameter, depth int) bool {
	if depth > maxDepth/2 || !kubeapi.IsNamed(p.Type(), "net/http", "Request") {
		return false
	}
	fn := p.Parent()
	return isRoundTrip(fn) || c.isSent(p, depth) || c.isMade(p, depth)
}

// isRoundTrip reports whether fn is the method of an http.RoundTripper, or of an
// HTTP client that takes the place of net/http's.
func isRoundTrip(fn *ssa.Function) bool {
	results := fn.Signature.Results()
	return results.Len() == 2 && kubeapi.IsNamed(results.At(0).Type(), "net/http", "Response") && kubeapi.IsError(results.At(1).Type())
}

// isSent reports whether a request goes to what sends it.
func (c *computer) isSent(p *ssa.Parameter, depth int) bool {
	for call := range blocks.UsesOf[ssa.CallInstruction](p) {
		common := call.Common()
		index := slices.Index(kubeapi.Operands(common), ssa.Value(p))
		if sends, ok := kubeapi.SendsRequest(common); ok && sends.Request == p {
			return true
		}
		if sig := common.Signature(); index >= 0 && sig.Results().Len() == 2 && kubeapi.IsNamed(sig.Results().At(0).Type(), "net/http", "Response") {
			return true
		}
		for _, target := range c.graph.Callees(call).Funcs {
			if index >= 0 && index < len(target.Params) && len(target.Params) == len(kubeapi.Operands(common)) && c.isOutgoing(target.Params[index], depth+1) {
				return true
			}
		}
	}
	return false
}

// isMade reports whether a caller hands a request in that it has made, or sends.
func (c *computer) isMade(p *ssa.Parameter, depth int) bool {
	fn := p.Parent()
	index := slices.Index(fn.Params, p)
	for _, edge := range c.into[fn] {
		operands := kubeapi.Operands(edge.Site.Common())
		if index < 0 || index >= len(operands) || len(operands) != len(fn.Params) {
			continue
		}
		if handed, ok := operands[index].(*ssa.Parameter); ok && edge.How == entrypoints.Called && c.isOutgoing(handed, depth+1) {
			return true
		}
		if call, _ := calls.CallOf(operands[index]); call != nil {
			if callee := kubeapi.Callee(call.Common()); kubeapi.IsFunc(callee, "net/http", "NewRequest") || kubeapi.IsFunc(callee, "net/http", "NewRequestWithContext") {
				return true
			}
		}
	}
	return false
}
