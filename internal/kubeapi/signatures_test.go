package kubeapi_test

import (
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/kubeapi"
)

func TestIsVariable(t *testing.T) {
	for _, test := range []struct {
		name, src string
		want      bool
	}{
		{"the variable", `import "os"; func f() { use(os.Stdin) }; func use(*os.File) {}`, true},
		{"another one", `import "os"; func f() { use(os.Stdout) }; func use(*os.File) {}`, false},
		{"of another package", `import "os"; var Stdin *os.File; func f() { use(Stdin) }; func use(*os.File) {}`, false},
		{"its address", `import "os"; func f() { use(&os.Stdin) }; func use(**os.File) {}`, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := kubeapi.IsVariable(lastCall(t, test.src).Args[0], "os", "Stdin"); got != test.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestAnyIs(t *testing.T) {
	for _, test := range []struct {
		name, src                string
		context, returnsAContext bool
	}{
		{"takes one", `import "context"; func g(int, context.Context) error { return nil }; func f() { g(0, nil) }`, true, false},
		{"returns one", `import "context"; func g() context.Context { return nil }; func f() { g() }`, false, true},
		{"neither", `func g(int) error { return nil }; func f() { g(0) }`, false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			sig := lastCall(t, test.src).Value.(*ssa.Function).Signature
			if got := kubeapi.TakesContext(sig); got != test.context {
				t.Errorf("takes a context: %v", got)
			}
			if got := kubeapi.AnyIs(sig.Results(), kubeapi.IsContext); got != test.returnsAContext {
				t.Errorf("returns a context: %v", got)
			}
		})
	}
}
