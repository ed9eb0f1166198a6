package processes

import (
	"go/types"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestAll asks for what rules have told of all that is behind an interface's method.
func TestAll(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/given.txtar")
	if err != nil {
		t.Fatal(err)
	}
	m := load(t, archive)
	ask := func(iface, method string, told ...string) bool {
		t.Helper()
		all := m.summaries(t)
		all[0].Told = map[string][]string{"waits": told}
		for _, pkg := range m {
			if obj := pkg.Types.Scope().Lookup(iface); obj != nil {
				abstract := obj.Type().Underlying().(*types.Interface)
				for fn := range abstract.Methods() {
					if fn.Name() == method {
						return Link(all, Options{}).All(AbstractName(abstract, fn), "waits")
					}
				}
			}
		}
		t.Fatalf("no interface %s with %s", iface, method)
		return false
	}
	const pkg = "m.example/work."
	if !ask("Doer", "Do", "(*"+pkg+"Poller).Do", "("+pkg+"Asker).Do") {
		t.Error("what is told of both implementations does not hold of the method")
	}
	if ask("Doer", "Do", "(*"+pkg+"Poller).Do") {
		t.Error("what is told of one of two implementations holds of the method")
	}
	if ask("Unused", "Never", "(*"+pkg+"Poller).Do") {
		t.Error("something holds of a method that nothing implements")
	}
}

// TestTakenOff asks who else takes a finalizer off.
func TestTakenOff(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/takenoff.txtar")
	if err != nil {
		t.Fatal(err)
	}
	p := Link(load(t, archive).summaries(t), Options{})
	for _, c := range []struct {
		name, kind, pkg string
		want            bool
	}{
		{"m.example/known", "", "m.example/one", true},    // another package does, by a constant
		{"m.example/known", "", "m.example/taker", false}, // that one itself
		{"m.example/apart", "", "m.example/one", false},   // no program is linked with who does
		{"m.example/other", "", "m.example/one", false},   // helpers take off what callers name
		{"m.example/other", "m.example/emptier.Emptied", "m.example/one", true},
		{"m.example/other", "m.example/emptier.Emptied", "m.example/emptier", false},
		{"m.example/other", "m.example/emptier.Grown", "m.example/one", false}, // what is appended is not taken off
		{"", "m.example/emptier.Grown", "m.example/one", true},                 // whatever its name
		{"", "m.example/emptier.Grown", "m.example/taker", false},
	} {
		if got := p.TakenOffElsewhere(c.name, c.kind, c.pkg); got != c.want {
			t.Errorf("%s of %q, beside %s: %t, want %t", c.name, c.kind, c.pkg, got, c.want)
		}
	}
}
