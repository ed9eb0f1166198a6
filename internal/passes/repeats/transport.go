package repeats

import (
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
)

// transport is an HTTP client's transport that a function makes: each has
// connections of its own, which stay open after the last request unless the
// transport says otherwise.
func (f *finder) transport(made *ssa.Alloc) []sum {
	if !made.Heap || !kubeapi.IsTransport(made.Type()) || made.Referrers() == nil {
		return nil
	}
	client := false
	for _, ref := range *made.Referrers() {
		switch ref := ref.(type) {
		case *ssa.FieldAddr:
			if field := calls.FieldOf(made.Type(), ref.Field); field != nil && kubeapi.EndsConnections(field.Name()) {
				return nil
			}
		case *ssa.MakeInterface:
			client = client || isClientTransport(ref, 0)
		case ssa.CallInstruction:
			if kubeapi.ClosesConnections(kubeapi.Callee(ref.Common())) {
				return nil
			}
		}
	}
	if !client || f.keeps(made, make(map[ssa.Value]bool)) {
		return nil
	}
	return []sum{{Build{Kind: kubeapi.Transport, What: "http.Transport", Func: syntax.FuncName(made.Parent()), Place: f.place(made.Pos()), Unshared: true, Unread: f.closesUnread(made), HTTP1: speaksHTTP1(made)}, made, nil}}
}

// isClientTransport reports whether a transport becomes that of an HTTP client
// which the function makes, or of a configuration that asks for one.
func isClientTransport(boxed ssa.Value, depth int) bool {
	if boxed.Referrers() == nil || depth > 4 {
		return false
	}
	for _, ref := range *boxed.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Phi:
			if isClientTransport(ref, depth+1) {
				return true
			}
		case *ssa.Store:
			field, ok := ref.Addr.(*ssa.FieldAddr)
			if !ok || ref.Val != boxed || !kubeapi.IsRoundTripper(boxed.Type()) {
				continue
			}
			if _, made := field.X.(*ssa.Alloc); made {
				return true
			}
		}
	}
	return false
}
