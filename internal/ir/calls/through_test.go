package calls

import (
	"go/constant"
	"go/token"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/kubeapi"
)

// TestThrough checks which call a call comes down to, and with what.
func TestThrough(t *testing.T) {
	const source = `
func work(a, b int) error { return nil }
func pair(a int) (int, error) { return a, nil }
func errorf(string, ...any) error { return nil }
type doer interface{ do(a int) error }
type impl struct{}
func (impl) do(a int) error { return work(a, 7) }
type teller interface{ tell(a int) error }
type tells func(a int) error
func (t tells) tell(a int) error { return t(a) }

func wraps(x int) error { return work(x, 7) }
func swaps(x, y int) error { return work(y, x) }
func twice(x int) error { return wraps(x) }
func both(x int) (int, error) { return pair(x) }
func asks(x int) error { if err := work(x, 7); err != nil { return err }; return nil }
func run[T any](f func() T) T { return f() }

func forgets(x int) error { work(x, 7); return nil }
func more(x int) error { wraps(x); return work(x, 7) }
func sometimes(x int) error { if x > 0 { return work(x, 7) }; return nil }
func stores(p *int, x int) error { *p = x; return work(x, 7) }
func one(x int) error { _, err := pair(x); return err }
func inverts(x int) error { if err := work(x, 7); err == nil { return err }; return nil }
func loops(x int) error { return loops(x) }

func at(x, y int, d doer, p *int, t teller) {
	wraps(x)
	swaps(x, y)
	twice(x)
	both(x)
	asks(x)
	d.do(x)
	run(func() error { return work(1, 2) })
	func() error { return work(2, 1) }()
	forgets(x)
	more(x)
	sometimes(x)
	stores(p, x)
	one(x)
	inverts(x)
	t.tell(x)
}
`
	want := []string{
		"work(x,7)", "work(y,x)", "work(x,7)", "pair(x)", "work(x,7)", "work(x,7)", "work(1,2)", "work(2,1)",
		"forgets(x)", "more(x)", "sometimes(x)", "stores(p,x)", "one(x)", "inverts(x)", "?(x)",
	}

	g := graphOf(t, source)
	for _, instr := range g.Pkg.Func("at").Blocks[0].Instrs {
		call, ok := instr.(*ssa.Call)
		if !ok {
			continue
		}
		common := g.Through(call.Common())
		_ = common.Signature() // of whatever it comes down to
		got := "?"
		if callee := kubeapi.Callee(common); callee != nil {
			got = callee.Name()
		}
		var args []string
		for _, arg := range common.Args {
			name := arg.Name()
			if c, isConst := arg.(*ssa.Const); isConst {
				name = c.Value.String()
			}
			args = append(args, name)
		}
		if got += "(" + strings.Join(args, ",") + ")"; got != want[0] {
			t.Errorf("a call is %s, want %s", got, want[0])
		}
		want = want[1:]
	}
	if len(want) > 0 {
		t.Errorf("not seen: %q", want)
	}
}

// TestParsed reads constants of facts again.
func TestParsed(t *testing.T) {
	for _, want := range []constant.Value{
		constant.MakeString(""), constant.MakeString("a \"b\"\n`c`"), constant.MakeInt64(0), constant.MakeInt64(7), constant.MakeInt64(-30),
		constant.MakeUint64(1<<64 - 1),
	} {
		if got := parsed(want.ExactString()); got.Kind() != want.Kind() || !constant.Compare(got, token.EQL, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}
