package finalizers

import (
	"encoding/json"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/kubeapi"
)

// Clears reports whether an instruction sends a JSON patch, written down as a
// constant, that takes all finalizers off an object, and returns the value
// through which it has the object, or nil if it is patched by its name.
func (i *Finalizers) Clears(instr ssa.Instruction) (object ssa.Value, ok bool) {
	call, isCall := instr.(ssa.CallInstruction)
	if !isCall || len(i.Summaries.Calls.Callees(call).Funcs) > 0 {
		return nil, false
	}
	op, isClient := i.Summaries.ClientOp(call.Common())
	spec, _, isKnown := i.spec(call.Common())
	if !isClient || op.Verb != kubeapi.Patch || !isKnown || spec.Data == nil {
		return nil, false
	}
	text, isConst := kubeapi.ConstString(i.Summaries.Source(spec.Data))
	if !isConst {
		return nil, false
	}
	var steps []struct {
		Op    string   `json:"op"`
		Path  string   `json:"path"`
		Value []string `json:"value"`
	}
	if json.Unmarshal([]byte(text), &steps) != nil {
		return nil, false
	}
	for _, step := range steps {
		if step.Path == "/metadata/finalizers" && (step.Op == "remove" || step.Op == "replace" && len(step.Value) == 0) {
			return op.Object, true
		}
	}
	return nil, false
}
