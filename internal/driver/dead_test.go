package driver

import (
	"go/token"
	"testing"
)

func TestDeadCodeIsSaidOnce(t *testing.T) {
	in := func(fn string, line int) Finding {
		return Finding{Dead: fn, Posn: token.Position{Filename: "/m/a.go", Line: line}}
	}
	for _, c := range []struct {
		harmless []Finding
		want     string
	}{
		{[]Finding{in("", 1)}, ""},
		{[]Finding{in("example.com/p/a.Old", 1)}, "nothing in the module runs a.Old, tests aside: 1 finding in dead code not shown"},
		{
			[]Finding{in("(*example.com/p/a.Worker[T]).run", 1), in("", 2), in("example.com/p/a@a.go:70", 7), in("example.com/p/a.Old", 9), in("example.com/p/a.Old", 10), in("b.F", 12)},
			"nothing in the module runs (*a.Worker[T]).run, a.Old, b.F and 1 more, tests aside: 5 findings in dead code not shown",
		},
		{[]Finding{in("example.com/p/a@a.go:70", 7)}, "nothing in the module runs the function around a.go:7, tests aside: 1 finding in dead code not shown"},
	} {
		r := &Result{Harmless: c.harmless}
		if got := r.dead(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
