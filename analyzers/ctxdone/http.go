package ctxdone

import (
	"fmt"
	"go/ast"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/ctxdone/internal/subject"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/repeats"
	"github.com/opvet/opvet/internal/passes/waits"
	"github.com/opvet/opvet/internal/report/rule"
)

// checkRequests reports HTTP and admission handlers that talk to somebody else
// without the context of the request that they serve.
func checkRequests(in *subject.Unit) {
	u := &unit{in}
	info := u.Pass.ResultOf[waits.Analyzer].(*waits.Waits)
	for _, fn := range u.Graph.Funcs {
		for call := range blocks.InstrsOf[*ssa.Call](fn) {
			request, ok := kubeapi.RequestWithoutContext(call)
			if !ok || !u.Report.Strict() && !u.isEndless(request) {
				continue
			}
			if a := info.Answers(fn, call); servesRequest(a) {
				u.Report.Report(u.requestFinding(fn, call, request, a))
			}
		}
	}
}

// isEndless reports whether nothing ends a request whose other side is silent, as far as
// one can see. What a client that is made elsewhere does is not known.
func (u *unit) isEndless(request kubeapi.Request) bool {
	return !request.Bounded && (request.Client == nil || repeats.NeverTimesOut(u.Graph, request.Client))
}

// servesRequest reports whether a place is reached from a handler, and while
// somebody waits for its answer.
func servesRequest(a waits.Answers) bool {
	if a.Started {
		return false
	}
	if a.Path != nil {
		return a.Path.Entry.Kind == kubeapi.HTTPHandler || a.Path.Entry.Kind == kubeapi.Admission
	}
	return a.Source != nil && a.Caller == nil && subject.IsRequest(a.Source)
}

func (u *unit) requestFinding(fn *ssa.Function, call *ssa.Call, request kubeapi.Request, a waits.Answers) rule.Finding {
	f := rule.Finding{Pos: call.Pos(), Category: "http"}
	if request.Callee.Pkg().Path() != "net/http" {
		f.Harm = rule.Hygiene // the system gives up on a connection by itself, and a database has limits of its own
	}
	if a.Path != nil {
		f.Related = a.Path.Related()
	}
	context := "the request's context"
	if a.Source != nil && a.Source.Expr != "" && a.Caller == nil {
		context = a.Source.Expr
	}
	f.Message = fmt.Sprintf("requests pile up here if no response comes: %s waits for it without a context; use %s with %s", requestName(request), request.Instead, context)
	if kubeapi.IsFunc(request.Callee, "net/http", "NewRequest") {
		f.Fix = u.requestFix(fn, call)
	}
	return f
}

func requestName(request kubeapi.Request) string {
	if recv := request.Callee.Signature().Recv(); recv == nil {
		return request.Callee.Pkg().Name() + "." + request.Callee.Name()
	}
	return request.Callee.Name()
}

// requestFix writes NewRequestWithContext instead of NewRequest.
func (u *unit) requestFix(fn *ssa.Function, call *ssa.Call) *analysis.SuggestedFix {
	return u.contextFix(fn, call, "NewRequestWithContext", func(_ string, args []ast.Expr) bool { return len(args) == 3 })
}
