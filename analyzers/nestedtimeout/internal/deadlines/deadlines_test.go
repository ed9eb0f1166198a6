package deadlines_test

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/nestedtimeout/internal/deadlines"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
	"github.com/opvet/opvet/internal/testing/passtest"
)

// answers are what the pass says: how each function behaves that a function
// named "calls" calls, and of the contexts that are handed to "use".
type answers struct {
	behaviour map[string]string
	uses      []string
}

var asker = &analysis.Analyzer{
	Name:     "asker",
	Doc:      "asks the pass",
	Requires: []*analysis.Analyzer{calls.Analyzer, deadlines.Analyzer},
	Run: func(pass *analysis.Pass) (any, error) {
		info := pass.ResultOf[deadlines.Analyzer].(*deadlines.Deadlines)
		a := answers{behaviour: make(map[string]string)}
		for _, fn := range pass.ResultOf[calls.Analyzer].(*calls.Graph).Funcs {
			for instr := range blocks.Instrs(fn) {
				call, ok := instr.(ssa.CallInstruction)
				if !ok {
					continue
				}
				callee := kubeapi.Callee(call.Common())
				switch {
				case callee == nil:
				case callee.Name() == "use":
					a.uses = append(a.uses, describe(info, call.Common().Args[0]))
				case fn.Name() == "calls":
					if b := info.Of(call); b != nil {
						a.behaviour[callee.Name()] = b.String()
					}
				}
			}
		}
		return a, nil
	},
}

func describe(info *deadlines.Deadlines, ctx ssa.Value) string {
	var all []string
	for _, l := range info.Lineages(ctx) {
		s := l.Kind.String()
		for _, link := range l.Links {
			switch {
			case link.Known:
				s += "+" + link.After.String()
			case link.Kind == contexts.Timeout:
				s += "+timeout"
			case link.Kind == contexts.Cancel:
				s += "+cancel"
			}
		}
		all = append(all, s)
	}
	slices.Sort(all)
	return strings.Join(all, "|")
}

const declarations = `
import ("context"; "database/sql"; "errors"; "net/http"; "time")
var _ = errors.New
var _ http.Client
var _ sql.DB
func use(ctx context.Context) {}
func bounded(ctx context.Context) (context.Context, context.CancelFunc) { return context.WithTimeout(ctx, 5*time.Second) }
func detached(ctx context.Context) (context.Context, context.CancelFunc) { return context.WithTimeout(context.Background(), 5*time.Second) }
`

func TestBehaviour(t *testing.T) {
	cases := []struct{ name, signature, body, want string }{
		{"timeout", "(ctx context.Context)", `ctx, cancel := context.WithTimeout(ctx, time.Minute); defer cancel(); use(ctx)`, "gives 0 1m0s"},
		{"timeout by a helper", "(ctx context.Context)", `ctx, cancel := bounded(ctx); defer cancel(); use(ctx)`, "gives 0 5s"},
		{"timeout of another context", "(ctx context.Context)", `ctx, cancel := detached(ctx); defer cancel(); use(ctx)`, ""},
		{"waits", "(ctx context.Context)", `<-ctx.Done()`, "waits [0]"},
		{"waits in a loop", "(ctx context.Context, c chan int)", `for { select { case <-ctx.Done(): return; case <-c: } }`, "waits [0]"},
		{"waits on one way", "(ctx context.Context, c chan int)", `select { case <-ctx.Done(): case <-c: }`, ""},
		{"waits if all is well", "(ctx context.Context, n int) error", `if n > 0 { return errors.New("no") }; <-ctx.Done(); return nil`, "waits if ok [0]"},
		{"waits for a child", "(ctx context.Context)", `ctx, cancel := context.WithCancel(ctx); defer cancel(); <-ctx.Done()`, ""},
		{"cancels", "(cancel context.CancelFunc)", `cancel()`, "cancels [0]"},
		{"cancels at the end", "(cancel context.CancelFunc, n int)", `defer cancel(); if n > 0 { return }; use(nil)`, "cancels [0]"},
		{"cancels on one way", "(cancel context.CancelFunc, n int)", `if n > 0 { cancel() }`, ""},
		{"needs", "(ctx context.Context, db *sql.DB) error", `return db.PingContext(ctx)`, "needs 0 for PingContext"},
		{"asks before", "(ctx context.Context, db *sql.DB) error", `if ctx.Err() != nil { return nil }; return db.PingContext(ctx)`, ""},
		{"needs another", "(ctx context.Context, db *sql.DB) error", `return db.PingContext(context.WithoutCancel(ctx))`, ""},
		{"lends", "(ctx context.Context, db *sql.DB) (*sql.Rows, error)", `return db.QueryContext(ctx, "")`, "needs 0 for QueryContext, lends 0 as 0"},
		{"lends nothing", "(ctx context.Context, db *sql.DB) (*sql.Rows, error)", `rows, err := db.QueryContext(ctx, ""); if err != nil { return nil, err }; rows.Next(); return rows, nil`, "needs 0 for QueryContext"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			params, _, _ := strings.Cut(c.signature, ")")
			args := strings.Split(params, ",")
			for n, param := range args {
				args[n] = "nil"
				if strings.HasSuffix(param, " n int") {
					args[n] = "0"
				}
			}
			src := declarations + "func f" + c.signature + " {" + c.body + "}\nfunc calls() { f(" + strings.Join(args, ", ") + ") }"
			got := strings.TrimSuffix(strings.TrimPrefix(passtest.Source[answers](t, asker, src).behaviour["f"], "deadlines("), ")")
			if got != c.want {
				t.Errorf("%s: got %q, want %q", c.body, got, c.want)
			}
		})
	}
}

func TestLineages(t *testing.T) {
	cases := []struct{ name, body, want string }{
		{"parameter", `use(ctx)`, "parameter"},
		{"timeout", `ctx, _ = context.WithTimeout(ctx, time.Second); use(ctx)`, "parameter+1s"},
		{"one way", `if n > 0 { ctx, _ = context.WithTimeout(ctx, time.Second) }; use(ctx)`, "parameter|parameter+1s"},
		{"detached by a helper", `ctx, _ = detached(ctx); use(ctx)`, "detached+5s"},
		{"captured", `ctx, _ = context.WithTimeout(ctx, time.Second); go func() { use(ctx) }()`, "parameter+1s"},
		{"captured before it is assigned", `go func() { use(ctx) }(); ctx, _ = context.WithTimeout(ctx, time.Second)`, "parameter|parameter+1s"},
		{"before the assignment", `use(ctx); ctx, _ = context.WithTimeout(ctx, time.Second); go func() { _ = ctx }()`, "parameter"},
		{"argument of a literal", `ctx, _ = context.WithCancel(ctx); func(c context.Context) { use(c) }(ctx)`, "parameter+cancel"},
		{"loop", `for range n { ctx, _ = context.WithTimeout(ctx, time.Second) }; use(ctx)`, "parameter|parameter+1s"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := passtest.Source[answers](t, asker, declarations+"func f(ctx context.Context, n int) {"+c.body+"}").uses
			if len(got) != 1 || got[0] != c.want {
				t.Errorf("%s: got %q, want %q", c.body, got, c.want)
			}
		})
	}
}
