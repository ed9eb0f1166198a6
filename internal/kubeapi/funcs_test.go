package kubeapi_test

import (
	"fmt"
	"go/types"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/build"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/testing/passtest"
)

// lastCall builds a package and returns the last call in its function f.
func lastCall(t *testing.T, src string) *ssa.CallCommon {
	t.Helper()
	var last *ssa.CallCommon
	fn := passtest.Source[*build.SSA](t, build.Analyzer, src).Pkg.Func("f")
	for _, block := range fn.Blocks {
		for _, instr := range block.Instrs {
			if call, ok := instr.(ssa.CallInstruction); ok {
				last = call.Common()
			}
		}
	}
	if last == nil {
		t.Fatalf("no call in\n%s", src)
	}
	return last
}

func TestCalleeAndArgs(t *testing.T) {
	const decls = `
type T struct{ hook func(int) }
func (t *T) m(x int) {}
type outer struct{ *T }
type i interface{ m(x int) }
type embeds struct{ i }
type box[E any] struct{}
func (b *box[E]) put(e E) {}
func plain(x int) {}
func generic[E any](e E) {}
`
	for _, test := range []struct{ name, src, want string }{
		{"function", `func f(x int) { plain(x) }`, "p.plain(x)"},
		{"method", `func f(t *T, x int) { t.m(x) }`, "(*p.T).m of t (x)"},
		{"promoted method", `func f(o outer, x int) { o.m(x) }`, "(*p.T).m of o.T (x)"},
		{"interface method", `func f(v i, x int) { v.m(x) }`, "(p.i).m of v (x)"},
		{"embedded interface", `func f(e embeds, x int) { e.m(x) }`, "(p.i).m of e.i (x)"},
		{"method value", `func f(t *T, x int) { g := t.m; g(x) }`, "(*p.T).m of t (x)"},
		{"interface method value", `func f(v i, x int) { g := v.m; g(x) }`, "(p.i).m of v (x)"},
		{"method expression", `func f(t *T, x int) { (*T).m(t, x) }`, "(*p.T).m of t (x)"},
		{"interface method expression", `func f(v i, x int) { i.m(v, x) }`, "(p.i).m of v (x)"},
		{"generic function", `func f(x int) { generic(x) }`, "p.generic(x)"},
		{"method of a generic type", `func f(b *box[int], x int) { b.put(x) }`, "(*p.box[E]).put of b (x)"},
		{"method value of a generic type", `func f(b *box[int], x int) { g := b.put; g(x) }`, "(*p.box[E]).put of b (x)"},
		{"deferred", `func f(t *T, x int) { defer t.m(x) }`, "(*p.T).m of t (x)"},
		{"go", `func f(t *T, x int) { go t.m(x) }`, "(*p.T).m of t (x)"},
		{"literal", `func f(x int) { func(y int) { _ = x }(x) }`, "nil(x)"},
		{"parameter", `func f(g func(int), x int) { g(x) }`, "nil(x)"},
		{"field", `func f(t *T, x int) { t.hook(x) }`, "nil(x)"},
		{"builtin", `func f(x []int) { println(len(x)); copy(x, x) }`, "nil(x, x)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			call := lastCall(t, decls+test.src)
			recv, args := kubeapi.Args(call)
			var got strings.Builder
			if fn := kubeapi.Callee(call); fn != nil {
				got.WriteString(strings.ReplaceAll(fn.FullName(), "example.com/", ""))
			} else {
				got.WriteString("nil")
			}
			if recv != nil {
				got.WriteString(" of " + source(recv) + " ")
			}
			got.WriteString("(" + sources(args) + ")")
			if got.String() != test.want {
				t.Errorf("%s\nis %s, want %s", test.src, got.String(), test.want)
			}
			if recv != nil {
				args = append([]ssa.Value{recv}, args...)
			}
			if operands := kubeapi.Operands(call); sources(operands) != sources(args) {
				t.Errorf("operands %s, want %s", sources(operands), sources(args))
			}
		})
	}
}

func sources(vs []ssa.Value) string {
	var texts []string
	for _, v := range vs {
		texts = append(texts, source(v))
	}
	return strings.Join(texts, ", ")
}

func TestVariadicArgs(t *testing.T) {
	for _, test := range []struct{ name, src, want string }{
		{"none", `func f() { v() }`, "true"},
		{"some", `func f(a, b string) { v(a, b) }`, "true a, b"},
		{"constants", `func f() { v("x", "y") }`, `true "x", "y"`},
		{"a slice", `func f(s []string) { v(s...) }`, "false"},
		{"nil", `func f() { v(nil...) }`, "true"},
		{"grown", `func f(s []string) { t := append(s, "x"); v(t...) }`, "false"},
	} {
		t.Run(test.name, func(t *testing.T) {
			call := lastCall(t, "func v(s ...string) {}\n"+test.src)
			args, ok := kubeapi.VariadicArgs(call.Args[0])
			got := strings.TrimSpace(fmt.Sprint(ok, " ", sources(args)))
			if got != test.want {
				t.Errorf("%s\nis %s, want %s", test.src, got, test.want)
			}
		})
	}
}

func TestConstString(t *testing.T) {
	for _, test := range []struct{ src, want string }{
		{`func f() { v("status") }`, "status"},
		{`const c = "sta" + "tus"; func f() { v(c) }`, "status"},
		{`type named string; const c named = "status"; func f() { v(string(c)) }`, "status"},
		{`func f(s string) { v(s) }`, ""},
		{`func f(s string) { v("status" + s) }`, ""},
	} {
		got, ok := kubeapi.ConstString(lastCall(t, "func v(s string) {}\n"+test.src).Args[0])
		if got != test.want || ok != (test.want != "") {
			t.Errorf("%s\nis %q, %v", test.src, got, ok)
		}
	}
	if _, ok := kubeapi.ConstString(lastCall(t, `func v(n int) {}; func f() { v(1) }`).Args[0]); ok {
		t.Error("a number is a string")
	}
}

func TestIsFunc(t *testing.T) {
	fn := func(path, name string, recv *types.Var) *types.Func {
		return types.NewFunc(0, types.NewPackage(path, "p"), name, types.NewSignatureType(recv, nil, nil, nil, nil, false))
	}
	recv := types.NewVar(0, nil, "", types.Typ[types.Int])
	for _, test := range []struct {
		name string
		fn   *types.Func
		want bool
	}{
		{"itself", fn("k8s.io/x", "Do", nil), true},
		{"vendored", fn("example.com/vendor/k8s.io/x", "Do", nil), true},
		{"method", fn("k8s.io/x", "Do", recv), false},
		{"other name", fn("k8s.io/x", "Don", nil), false},
		{"other package", fn("example.com/k8s.io/x", "Do", nil), false},
		{"nil", nil, false},
		{"predeclared", types.NewFunc(0, nil, "Do", types.NewSignatureType(nil, nil, nil, nil, nil, false)), false},
	} {
		if got := kubeapi.IsFunc(test.fn, "k8s.io/x", "Do"); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}
