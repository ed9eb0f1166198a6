package objects

import (
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
)

// Decodes reports whether a node fills an object from a text: then it has what the text
// has.
func (s *Summaries) Decodes(n *paths.Node, o paths.Object) bool {
	call := n.Call()
	if call == nil || n.Joins != nil {
		return false
	}
	callee := kubeapi.Callee(call.Common())
	if callee == nil {
		return false
	}
	operands := kubeapi.Operands(call.Common())
	write, ok := kubeapi.MemoryWriteOf(callee)
	return ok && write.How == kubeapi.WriteDecode && write.Operand < len(operands) && s.MayBe(s.Resolve.Place(operands[write.Operand]).Object, o)
}
