package repeats

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// closesUnread reports whether nothing is done with the answers that come through a
// transport but to look at their status and to close them. Over HTTP/1, net/http closes the
// connection of a body that was not read to its end, and keeps none then.
func (f *finder) closesUnread(transport *ssa.Alloc) bool {
	if !speaksHTTP1(transport) {
		return false
	}
	sent := false
	of := values.Relation{Calls: f.graph, Steps: values.Package}
	for v, use := range of.Uses(transport) {
		switch use := use.(type) {
		case *ssa.FieldAddr:
			if use.X != v {
				return false
			}
		case *ssa.Store:
			field, ok := use.Addr.(*ssa.FieldAddr)
			if !ok || use.Val != v || kubeapi.ClientKindOf(field.X.Type()) != kubeapi.HTTPClient || !f.closesAnswers(field.X) {
				return false
			}
			sent = true
		default:
			return false
		}
	}
	return sent
}

// closesReturned reports whether a call gives an HTTP client, all of whose answers are closed unread.
func (f *finder) closesReturned(call ssa.CallInstruction) bool {
	v, ok := call.(*ssa.Call)
	if !ok {
		return false
	}
	client := calls.ResultOf(v, 0)
	return client != nil && kubeapi.ClientKindOf(client.Type()) == kubeapi.HTTPClient && f.closesAnswers(client)
}

// speaksHTTP1 reports whether a transport does not offer HTTP/2: who sets how connections are
// made has to ask for that.
func speaksHTTP1(transport *ssa.Alloc) bool {
	var set []string
	for field := range blocks.UsesOf[*ssa.FieldAddr](transport) {
		set = append(set, calls.FieldOf(transport.Type(), field.Field).Name())
	}
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(set, name) })
	}
	return has("TLSClientConfig", "Dial", "DialContext", "DialTLS", "DialTLSContext") && !has("ForceAttemptHTTP2", "HTTP2", "Protocols", "TLSNextProto")
}

// closesAnswers reports whether a client sends requests, and all answers are closed unread.
func (f *finder) closesAnswers(client ssa.Value) bool {
	sent := false
	for v, use := range (values.Relation{Calls: f.graph, Steps: values.Package}).Uses(client) {
		switch use := use.(type) {
		case *ssa.FieldAddr: // a setting
			if use.X != v {
				return false
			}
		case *ssa.Call:
			request, ok := kubeapi.SendsRequest(use.Common())
			if !ok || request.Client != v || f.asksForHead(use, request) {
				return false
			}
			answer := calls.ResultOf(use, 0)
			if answer == nil || !f.closedUnread(answer) {
				return false
			}
			sent = true
		default:
			return false
		}
	}
	return sent
}

// asksForHead reports whether an answer has no body, so that there is nothing to read.
func (f *finder) asksForHead(call *ssa.Call, request kubeapi.HTTPRequest) bool {
	if kubeapi.Callee(call.Common()).Name() == "Head" {
		return true
	}
	made := f.graph.Made(request.Request)
	return made != nil && slices.ContainsFunc(made.Args, func(arg ssa.Value) bool {
		method, ok := kubeapi.ConstString(arg)
		return ok && method == "HEAD"
	})
}

// closedUnread reports whether the body of an answer is closed, and nothing else.
func (f *finder) closedUnread(answer ssa.Value) bool {
	closed := false
	of := values.Relation{Calls: f.graph, Steps: values.Package}
	for v, use := range of.Uses(answer) {
		field, ok := use.(*ssa.FieldAddr)
		if !ok {
			if _, compared := use.(*ssa.BinOp); compared {
				continue
			}
			return false
		}
		if field.X != v {
			return false
		}
		switch calls.FieldOf(answer.Type(), field.Field).Name() {
		case "StatusCode", "Status":
			continue
		case "Body":
		default:
			return false
		}
		for load := range blocks.UsesOf[*ssa.UnOp](field) {
			for _, use := range of.Uses(load) {
				call, ok := use.(ssa.CallInstruction)
				if !ok || kubeapi.Callee(call.Common()) == nil || kubeapi.Callee(call.Common()).Name() != "Close" {
					return false
				}
				closed = true
			}
		}
	}
	return closed
}
