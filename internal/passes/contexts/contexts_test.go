package contexts_test

import (
	"fmt"
	"go/types"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
	"github.com/opvet/opvet/internal/testing/passtest"
)

// answers are what the pass says of each function of a snippet: of the
// arguments of the calls of use, and of what is at hand.
type answers struct {
	uses   map[string][]string
	atHand map[string]string
}

var asker = &analysis.Analyzer{
	Name:     "asker",
	Doc:      "asks the pass",
	Requires: []*analysis.Analyzer{calls.Analyzer, contexts.Analyzer},
	Run: func(pass *analysis.Pass) (any, error) {
		info := pass.ResultOf[contexts.Analyzer].(*contexts.Sources)
		a := answers{make(map[string][]string), make(map[string]string)}
		for _, fn := range pass.ResultOf[calls.Analyzer].(*calls.Graph).Funcs {
			name := fn.Name()
			var hand []string
			for _, s := range info.AtHand(fn) {
				expr := s.Expr
				if s.Blank {
					expr = "_"
				}
				hand = append(hand, expr)
			}
			a.atHand[name] = strings.Join(hand, " ")
			outer := fn
			for outer.Parent() != nil {
				outer = outer.Parent()
			}
			for instr := range blocks.Instrs(fn) {
				call, ok := instr.(ssa.CallInstruction)
				if !ok || !strings.HasPrefix(calleeName(call), "use") {
					continue
				}
				a.uses[outer.Name()] = append(a.uses[outer.Name()], describe(info, call.Common().Args[0]))
			}
		}
		return a, nil
	},
}

func calleeName(call ssa.CallInstruction) string {
	if callee := kubeapi.Callee(call.Common()); callee != nil {
		return callee.Name()
	}
	return ""
}

func describe(info *contexts.Sources, v ssa.Value) string {
	if basic, ok := v.Type().Underlying().(*types.Basic); ok && basic.Info()&types.IsInteger != 0 {
		if d, ok := info.Duration(v); ok {
			return d.String()
		}
		return "unknown"
	}
	var all []string
	for _, o := range info.Origins(v) {
		s := o.Kind.String()
		if o.Field != nil {
			s += " " + o.Field.Name()
		}
		for _, step := range o.Steps {
			switch step.Kind {
			case contexts.Cancel:
				s += "+cancel"
			case contexts.Timeout:
				s += "+timeout"
				if step.Known {
					s += " " + step.After.String()
				}
			case contexts.Value:
				s += "+value"
			}
		}
		all = append(all, s)
	}
	slices.Sort(all)
	return strings.Join(all, "|")
}

const declarations = `
import ("context"; "log"; "time"; "net/http")
var _ = log.Print
var _ http.Handler
func use(ctx context.Context) {}
func useDuration(d time.Duration) {}
func useChannel(ch <-chan struct{}) {}
func launder(ctx context.Context) context.Context { return context.Background() }
func same(ctx context.Context) context.Context { return context.WithValue(ctx, 1, 2) }
func bridge(stop <-chan struct{}) context.Context { c, cancel := context.WithCancel(context.Background()); go func() { <-stop; cancel() }(); return c }
func short(ctx context.Context) (context.Context, context.CancelFunc) { return context.WithTimeout(ctx, 5*time.Second) }
func bounded(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) { return context.WithTimeout(ctx, d) }
func again(n int, ctx context.Context) context.Context { if n == 0 { return ctx }; return again(n-1, ctx) }
type server struct { ctx context.Context; stop chan struct{}; wake chan struct{}; timeout time.Duration; Timeout time.Duration; sub *sub }
type sub struct { Ctx context.Context }
func (s *server) Stop() { close(s.stop) }
func (s *server) Wake() { s.wake <- struct{}{} }
func newServer() *server { return &server{timeout: time.Minute, Timeout: time.Minute} }
var background = context.Background()
const second = time.Second
var limit = 3 * second
var flagged = 3 * second
func parse(d *time.Duration) {}
func init() { parse(&flagged) }
`

func TestOrigins(t *testing.T) {
	cases := []struct{ name, body, want string }{
		{"root", `use(context.Background())`, "detached"},
		{"param", `use(ctx)`, "parameter"},
		{"derived", `c, cancel := context.WithTimeout(ctx, limit); defer cancel(); use(context.WithValue(c, 1, 2))`, "parameter+value+timeout 3s"},
		{"deadline", `c, cancel := context.WithDeadline(ctx, time.Now().Add(2*limit)); defer cancel(); use(c)`, "parameter+timeout 6s"},
		{"laundered", `use(launder(ctx))`, "detached+value"},
		{"passed through", `use(same(ctx))`, "parameter+value"},
		{"helper with a timeout", `c, cancel := short(ctx); defer cancel(); use(c)`, "parameter+timeout 5s"},
		{"helper with a timeout of the caller's", `c, cancel := bounded(ctx, time.Hour); defer cancel(); use(c)`, "parameter+timeout 1h0m0s"},
		{"recursion", `use(again(3, ctx))`, "parameter+value"},
		{"severed", `use(context.WithoutCancel(ctx))`, "severed"},
		{"merge", `c := ctx; if n > 0 { c = context.TODO() }; use(c)`, "detached|parameter"},
		{"merge of a context and one derived from it", `c := ctx; if n > 0 { c = context.WithValue(ctx, 1, 2) }; use(c)`, "parameter|parameter+value"},
		{"captured", `c := ctx; f := func() { use(c) }; f()`, "parameter"},
		{"captured and set again", `c := ctx; f := func() { use(c) }; c = context.TODO(); f()`, "detached|parameter"},
		{"literal's parameter", `go func(c context.Context) { use(c) }(context.Background())`, "detached"},
		{"callback's parameter", `f := func(c context.Context) { use(c) }; again2(f)`, "parameter"},
		{"field", `use(s.ctx)`, "field ctx"},
		{"literal's field", `local := server{ctx: ctx}; use(local.ctx)`, "parameter"},
		{"global", `use(background)`, "detached"},
		{"request", `use(r.Context())`, "request"},
		{"loop", `for range n { var cancel func(); ctx, cancel = context.WithTimeout(ctx, limit); defer cancel() }; use(ctx)`, "parameter|parameter+timeout 3s"},
		{"done", `useChannel(ctx.Done())`, "parameter"},
		{"bridge from a channel", `use(bridge(s.stop))`, "field stop+cancel"},
		{"nil", `use(nil)`, "unknown"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			src := declarations + "func again2(f func(context.Context)) { f(nil); f(background) }\nfunc f(ctx context.Context, n int, s *server, r *http.Request) {" + c.body + "}"
			got := passtest.Source[answers](t, asker, src).uses["f"]
			if len(got) != 1 || got[0] != c.want {
				t.Errorf("%s: got %q, want %q", c.body, got, c.want)
			}
		})
	}
}

var pairs = &analysis.Analyzer{
	Name:     "pairs",
	Doc:      "asks whether the first context ends with the second",
	Requires: []*analysis.Analyzer{calls.Analyzer, contexts.Analyzer},
	Run: func(pass *analysis.Pass) (any, error) {
		info := pass.ResultOf[contexts.Analyzer].(*contexts.Sources)
		var found []bool
		for _, fn := range pass.ResultOf[calls.Analyzer].(*calls.Graph).Funcs {
			for call := range blocks.InstrsOf[*ssa.Call](fn) {
				if calleeName(call) == "both" {
					found = append(found, info.EndsWith(call.Call.Args[0], call.Call.Args[1]))
				}
			}
		}
		return found, nil
	},
}

func TestEndsWith(t *testing.T) {
	for _, c := range []struct {
		body string
		want bool
	}{
		{"both(ctx, ctx)", true},
		{"both(same(ctx), ctx)", true},
		{"both(ctx, same(ctx))", true},
		{"c, cancel := context.WithCancel(ctx); defer cancel(); both(c, ctx)", true},
		{"c, cancel := context.WithCancel(ctx); defer cancel(); both(ctx, c)", false},
		{"c, cancel := context.WithCancel(ctx); defer cancel(); d, stop := context.WithCancel(ctx); defer stop(); both(c, d)", false},
		{"c, cancel := short(ctx); defer cancel(); both(same(c), c)", true},
		{"g := group{}; _, c := g.WithContext(ctx); both(c, ctx)", true},
		{"g := group{}; _, c := g.WithContext(ctx); both(ctx, c)", false},
		{"both(s.ctx, s.ctx)", true},
		{"both(s.ctx, ctx)", false},
		{"both(ctx, other)", false},
		{"c := ctx; if s == nil { c = other }; both(c, ctx)", true}, // in one of the ways
		{"c := ctx; if s == nil { c = other }; both(ctx, c)", false},
	} {
		src := declarations + "func both(a, b context.Context) {}\ntype group struct{}; func (group) Go(func() error) {}; func (group) Wait() error { return nil }; func (g group) WithContext(ctx context.Context) (group, context.Context)\nfunc f(ctx, other context.Context, s *server) { " + c.body + " }"
		if got := passtest.Source[[]bool](t, pairs, src); !slices.Equal(got, []bool{c.want}) {
			t.Errorf("%s: %v, want %v", c.body, got, c.want)
		}
	}
}

func TestDurations(t *testing.T) {
	cases := []struct{ expr, want string }{
		{"5 * time.Second", "5s"},
		{"second * 2", "2s"},
		{"limit", "3s"},
		{"limit + 2*second", "5s"},
		{"limit / 3", "1s"},
		{"flagged", "unknown"},
		{"s.timeout", "1m0s"},
		{"s.Timeout", "unknown"},
		{"d", "unknown"},
		{"time.Duration(n) * time.Second", "unknown"},
		{"min(limit, time.Second)", "1s"},
		{"time.Until(time.Now().Add(limit))", "3s"},
		{"unexported(second)", "unknown"},
		{"time.Duration(1<<62) * limit", "unknown"},
	}
	for _, c := range cases {
		t.Run(c.expr, func(t *testing.T) {
			src := declarations + fmt.Sprintf("func unexported(x time.Duration) time.Duration { return x }\nfunc f(s *server, n int, d time.Duration) { useDuration(%s) }", c.expr)
			got := passtest.Source[answers](t, asker, src).uses["f"]
			if len(got) != 1 || got[0] != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	t.Run("callers agree", func(t *testing.T) {
		src := declarations + "func f(d time.Duration) { useDuration(d) }\nfunc g() { f(limit) }\nfunc h() { f(3*time.Second) }"
		if got := passtest.Source[answers](t, asker, src).uses["f"]; len(got) != 1 || got[0] != "3s" {
			t.Errorf("got %q", got)
		}
	})
	t.Run("callers differ", func(t *testing.T) {
		src := declarations + "func f(d time.Duration) { useDuration(d) }\nfunc g() { f(limit) }\nfunc h() { f(2*time.Second) }"
		if got := passtest.Source[answers](t, asker, src).uses["f"]; len(got) != 1 || got[0] != "unknown" {
			t.Errorf("got %q", got)
		}
	})
}

func TestAtHand(t *testing.T) {
	cases := []struct{ signature, want string }{
		{"func f(ctx context.Context)", "ctx"},
		{"func f(_ context.Context)", "_"},
		{"func f(context.Context, int)", "_"},
		{"func f(stop <-chan struct{}, ctx context.Context)", "ctx stop"},
		{"func f(w http.ResponseWriter, r *http.Request)", "r.Context()"},
		{"func (s *server) f()", "s.ctx s.sub.Ctx s.stop"},
		{"func (s *server) f(ctx context.Context)", "ctx s.ctx s.sub.Ctx s.stop"},
		{"func f(s sub)", "s.Ctx"},
		{"func f(n int)", ""},
	}
	for _, c := range cases {
		t.Run(c.signature, func(t *testing.T) {
			if got := passtest.Source[answers](t, asker, declarations+c.signature+" {}").atHand["f"]; got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	t.Run("literal", func(t *testing.T) {
		src := declarations + "func f(ctx context.Context, r *http.Request) { go func() { _ = ctx }() }"
		if got := passtest.Source[answers](t, asker, src).atHand["f$1"]; got != "ctx r.Context() ctx" {
			t.Errorf("got %q", got)
		}
	})
	for _, c := range []struct{ name, src, want string }{
		{"trigger", "func f(ch <-chan struct{}) { for { <-ch; work() } }", ""},
		{"trigger that is ranged over", "func f(ch <-chan struct{}) { for range ch { work() } }", ""},
		{"trigger in a select", "func f(ctx context.Context, ch <-chan struct{}) { for { select { case <-ctx.Done(): return; case <-ch: work() } } }", "ctx"},
		{"trigger before the work", "func f(t *time.Ticker, ch chan struct{}) { for { select { case <-t.C: case <-ch: }; work() } }", ""},
		{"trigger in a field", "type q struct { ch chan struct{} }; func (p *q) f() { for { <-p.ch; work() } }; func (p *q) done() { close(p.ch) }", ""},
		{"stop in a loop", "func f(stop <-chan struct{}) { for { select { case <-stop: work(); return; default: work() } } }", "stop"},
		{"stop that only logs and goes on", "func f(stop <-chan struct{}) { for { select { case <-stop: log.Print(1); case <-time.After(1): return } } }", "stop"},
		{"stop without a loop", "func f(stop <-chan struct{}) { <-stop; work() }", "stop"},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := declarations + "func work() { time.Sleep(1) }\n" + c.src
			if got := passtest.Source[answers](t, asker, src).atHand["f"]; got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	t.Run("channel that is closed here", func(t *testing.T) {
		src := declarations + "func f(done chan struct{}) { defer close(done) }"
		if got := passtest.Source[answers](t, asker, src).atHand["f"]; got != "" {
			t.Errorf("got %q", got)
		}
	})
}
