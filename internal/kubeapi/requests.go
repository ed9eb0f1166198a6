package kubeapi

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Request is a call that talks to somebody and gets no context, so that
// nothing can end it early.
type Request struct {
	Callee *types.Func
	// Instead is what to call with a context.
	Instead string
	// Bounded tells that it gives up after a timeout of its own, as far as the
	// function shows; that of Client, if there is one, may be set elsewhere.
	Bounded bool
	Client  ssa.Value
}

// requests are functions that talk over the network without a context, with
// what takes one.
var requests = map[string]string{
	"net/http.Get": "http.NewRequestWithContext", "net/http.Head": "http.NewRequestWithContext",
	"net/http.Post": "http.NewRequestWithContext", "net/http.PostForm": "http.NewRequestWithContext",
	"(*net/http.Client).Get": "http.NewRequestWithContext", "(*net/http.Client).Head": "http.NewRequestWithContext",
	"(*net/http.Client).Post": "http.NewRequestWithContext", "(*net/http.Client).PostForm": "http.NewRequestWithContext",
	"net.Dial": "net.Dialer.DialContext", "crypto/tls.Dial": "tls.Dialer.DialContext",
	"net.LookupHost": "net.Resolver.LookupHost", "net.LookupIP": "net.Resolver.LookupIPAddr", "net.LookupAddr": "net.Resolver.LookupAddr",
	"net.LookupSRV": "net.Resolver.LookupSRV", "net.LookupTXT": "net.Resolver.LookupTXT", "net.LookupCNAME": "net.Resolver.LookupCNAME",
}

// databaseCalls are methods that have a twin with a context.
var databaseCalls = map[string]bool{
	"Query": true, "QueryRow": true, "Exec": true, "Ping": true, "Prepare": true, "Begin": true, "Get": true, "Select": true,
}

// RequestWithoutContext recognises a call that talks to somebody without a
// context: requests made with http.Get and its like, or built with
// http.NewRequest and sent, connections, database queries.
func RequestWithoutContext(call *ssa.Call) (Request, bool) {
	callee := Callee(call.Common())
	if callee == nil || callee.Pkg() == nil {
		return Request{}, false
	}
	recv, _ := Args(call.Common())
	if instead, ok := requests[FullName(callee)]; ok {
		return Request{Callee: callee, Instead: instead, Client: recv, Bounded: recv != nil && HasTimeout(recv)}, !isLocal(call.Common())
	}
	if IsFunc(callee, "net/http", "NewRequest") {
		sent, bounded, client := isSent(call)
		return Request{Callee: callee, Instead: "http.NewRequestWithContext", Bounded: bounded, Client: client}, sent
	}
	if recv == nil || !databaseCalls[callee.Name()] || !HasMethod(recv.Type(), callee.Name()+"Context") || !HasMethod(recv.Type(), "QueryContext") {
		return Request{}, false
	}
	return Request{Callee: callee, Instead: callee.Name() + "Context"}, true
}

// isLocal reports whether a connection to the same machine is made.
func isLocal(common *ssa.CallCommon) bool {
	_, args := Args(common)
	if len(args) == 0 {
		return false
	}
	network, ok := ConstString(args[0])
	return ok && strings.HasPrefix(network, "unix")
}

// isSent reports whether the request that http.NewRequest makes is sent by the
// same function without a context being given to it, and by what client.
func isSent(made *ssa.Call) (sent, bounded bool, client ssa.Value) {
	if made.Referrers() == nil {
		return false, false, nil
	}
	for _, ref := range *made.Referrers() {
		request, ok := ref.(*ssa.Extract)
		if !ok || request.Index != 0 {
			continue
		}
		if uses, ok := usesOf(request, 0); ok {
			for _, use := range uses {
				callee := Callee(use.Common())
				if callee == nil {
					return false, false, nil
				}
				switch callee.Name() {
				case "WithContext", "Clone":
					return false, false, nil
				case "Do", "RoundTrip":
					client, _ = Args(use.Common())
					sent = true
					bounded = bounded || client != nil && HasTimeout(client)
				}
			}
		}
	}
	return sent, bounded, client
}

// usesOf returns the calls that a value is given to, through local variables;
// ok is false if it is put elsewhere.
func usesOf(v ssa.Value, depth int) (calls []ssa.CallInstruction, ok bool) {
	if v.Referrers() == nil || depth > 4 {
		return nil, false
	}
	for _, ref := range *v.Referrers() {
		var next ssa.Value
		switch ref := ref.(type) {
		case ssa.CallInstruction:
			calls = append(calls, ref)
		case *ssa.Phi, *ssa.UnOp:
			next = ref.(ssa.Value)
		case *ssa.Store:
			local, isLocal := ref.Addr.(*ssa.Alloc)
			if ref.Val != v {
				continue
			}
			if !isLocal {
				return nil, false
			}
			next = local
		}
		if next == nil {
			continue
		}
		more, ok := usesOf(next, depth+1)
		if !ok {
			return nil, false
		}
		calls = append(calls, more...)
	}
	return calls, true
}

// HasTimeout reports whether an HTTP client is seen to get a timeout where it
// is made.
func HasTimeout(client ssa.Value) bool {
	if global, ok := client.(*ssa.Global); ok {
		return hasTimeoutAtStart(global)
	}
	if load, ok := client.(*ssa.UnOp); ok && load.Op == token.MUL {
		if global, ok := load.X.(*ssa.Global); ok {
			return hasTimeoutAtStart(global)
		}
		if local, ok := load.X.(*ssa.Alloc); ok && slices.ContainsFunc(storedAt(local), func(v ssa.Value) bool { return v != client && HasTimeout(v) }) {
			return true
		}
	}
	return IsNamed(client.Type(), "net/http", "Client") && len(storedInField(client, "Timeout")) > 0
}

// hasTimeoutAtStart reports whether a package's variable is initialised with an HTTP
// client that has a timeout.
func hasTimeoutAtStart(global *ssa.Global) bool {
	if global.Pkg == nil || global.Pkg.Func("init") == nil {
		return false
	}
	for _, block := range global.Pkg.Func("init").Blocks {
		for _, instr := range block.Instrs {
			switch instr := instr.(type) {
			case *ssa.Store:
				client := instr.Val
				if load, ok := client.(*ssa.UnOp); ok && load.Op == token.MUL {
					client = load.X // a client by value
				}
				if instr.Addr == global && HasTimeout(client) {
					return true
				}
			case *ssa.FieldAddr:
				if instr.X == global && fieldName(instr.X.Type(), instr.Field) == "Timeout" && len(storedAt(instr)) > 0 {
					return true
				}
			}
		}
	}
	return false
}

// RequestField returns the field of a web framework's request, such as
// restful.Request or gin.Context, that holds the request of net/http, or nil.
func RequestField(t types.Type) *types.Var {
	named := Named(t)
	if named == nil || named.Obj().Pkg() == nil || named.Obj().Pkg().Path() == "net/http" || HasRequestContext(t) {
		return nil
	}
	s := structOf(t)
	if s == nil {
		return nil
	}
	for field := range s.Fields() {
		if field.Exported() && IsNamed(field.Type(), "net/http", "Request") {
			return field
		}
	}
	return nil
}
