package repeats

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// maxHanded is how often a client may be handed on.
const maxHanded = 5

// NeverTimesOut reports whether an HTTP client is seen to have no timeout: the
// default one, or one that the package makes without.
func NeverTimesOut(graph *calls.Graph, client ssa.Value) bool {
	return neverTimesOut(graph, client, 0)
}

func neverTimesOut(graph *calls.Graph, client ssa.Value, depth int) bool {
	if depth > maxHanded {
		return false
	}
	if made, ok := client.(*ssa.Alloc); ok {
		return noTimeoutIn(made, depth)
	}
	if kubeapi.IsVariable(client, "net/http", "DefaultClient") {
		return true
	}
	from, closed := clientsOf(graph).Sources(client)
	return closed && len(from) > 0 && !slices.ContainsFunc(from, func(v ssa.Value) bool { return !neverTimesOut(graph, v, depth+1) })
}

// clientsOf leads from a client to those that it may be.
func clientsOf(graph *calls.Graph) values.Relation {
	return values.Relation{Calls: graph, Steps: values.Merged | values.Held | values.Given, More: func(v ssa.Value) []ssa.Value {
		// A client, or one by value: what is stored is a copy of a literal.
		holder := calls.Loaded(v)
		if addr, ok := v.(*ssa.FieldAddr); ok {
			holder = calls.HolderOf(addr)
		}
		if field, ok := holder.(*types.Var); ok && field.IsField() && field.Exported() {
			return nil
		}
		return graph.Stored(holder)
	}}
}

// madeAlone returns the only client that one may be, if that is made in the package; or nil.
func madeAlone(graph *calls.Graph, client ssa.Value) *ssa.Alloc {
	for range maxHanded {
		if made, ok := client.(*ssa.Alloc); ok {
			return made
		}
		from, closed := clientsOf(graph).Sources(client)
		if !closed || len(from) != 1 || from[0] == client {
			return nil
		}
		client = from[0]
	}
	return nil
}

// noTimeoutIn reports whether a client that is made here gets neither a timeout
// nor a transport, which may have some, and is not handed to who may set one.
func noTimeoutIn(made ssa.Value, depth int) bool {
	if depth > maxHanded || kubeapi.ClientKindOf(made.Type()) != kubeapi.HTTPClient || made.Referrers() == nil {
		return false
	}
	for _, ref := range *made.Referrers() {
		switch ref := ref.(type) {
		case *ssa.FieldAddr:
			field := calls.FieldOf(made.Type(), ref.Field)
			if field == nil || field.Name() == "Timeout" {
				return false
			}
			if field.Name() == "Transport" && !plainTransport(ref) {
				return false
			}
		case ssa.CallInstruction:
			if recv, _ := kubeapi.Args(ref.Common()); recv == made {
				continue
			}
			fn, index := ref.Common().StaticCallee(), slices.Index(ref.Common().Args, made)
			if fn == nil || index < 0 || index >= len(fn.Params) || len(fn.Blocks) == 0 || !noTimeoutIn(fn.Params[index], depth+1) {
				return false
			}
		case *ssa.MakeInterface, *ssa.MakeClosure:
			return false
		case *ssa.Store:
			if ref.Addr == made {
				if c, ok := ref.Val.(*ssa.Const); !ok || c.Value != nil {
					return false
				}
			}
		}
	}
	return true
}

// plainTransport reports whether what is stored into the field is a transport
// that waits for the header of an answer without limit.
func plainTransport(field *ssa.FieldAddr) bool {
	for store := range blocks.UsesOf[*ssa.Store](field) {
		boxed, ok := store.Val.(*ssa.MakeInterface)
		if !ok {
			return false
		}
		made, ok := boxed.X.(*ssa.Alloc)
		if !ok || !kubeapi.IsTransport(made.Type()) || made.Referrers() == nil {
			return false
		}
		for addr := range blocks.UsesOf[*ssa.FieldAddr](made) {
			if f := calls.FieldOf(made.Type(), addr.Field); f == nil || f.Name() == "ResponseHeaderTimeout" || f.Name() == "Dial" || f.Name() == "DialContext" {
				return false
			}
		}
	}
	return true
}
