package emptykind

import (
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// readLive returns the call by which a client of controller-runtime that has no cache fills
// an object, or the list that it is an element of; nil if there is none, or if another
// client fills it as well, since caches set the kind.
func (c *checker) readLive(alloc *ssa.Alloc, path string) ssa.Value {
	verb := kubeapi.Get
	if path == paths.Listed {
		verb = kubeapi.List
	} else if path != "" {
		return nil
	}
	var found ssa.Value
	for call := range blocks.InstrsOf[*ssa.Call](alloc.Parent()) {
		op, ok := c.sums.ClientOp(call.Common())
		if !ok || !op.Verb.Reads() || op.Object == nil || c.sums.Resolve.Place(op.Object).Object != (objectID{Root: alloc}) {
			continue
		}
		if op.Verb != verb || !op.InMemory || !c.isLive(op.Recv, 0) {
			return nil
		}
		found = call
	}
	return found
}

// isLive reports whether a client surely asks the API server each time: whatever it may be
// was made by client.New, or is the reader that a manager has for that.
func (c *checker) isLive(client ssa.Value, depth int) bool {
	if client == nil || depth > maxDepth {
		return false
	}
	if known, ok := c.live[client]; ok {
		return known
	}
	c.live[client] = false // what is made of itself tells nothing
	from, closed := c.clientsOf(client)
	live := closed && kubeapi.MakesLiveClient(client)
	for _, v := range from {
		if constant, ok := v.(*ssa.Const); ok && constant.IsNil() {
			continue
		}
		if live = closed && c.isLive(v, depth+1); !live {
			break
		}
	}
	c.live[client] = live
	return live
}

// clientsOf returns what a client may be, and whether that is all.
func (c *checker) clientsOf(client ssa.Value) (from []ssa.Value, closed bool) {
	if kubeapi.MakesLiveClient(client) {
		return nil, true
	}
	if field := calls.LoadedField(client); field != nil {
		return c.sums.Calls.Stored(field), !field.Exported()
	}
	return values.Relation{Calls: c.sums.Calls, Steps: values.Package}.Sources(client)
}
