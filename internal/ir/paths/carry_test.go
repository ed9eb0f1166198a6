package paths_test

import (
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/paths"
)

// Each case asks what the function returns on its paths: the error of other,
// which has the label 1, or anything else.
func TestCarrier(t *testing.T) {
	for _, test := range []struct {
		name, src    string
		other, clear bool // some path returns it; some path does not
	}{
		{"directly", `func f() error { return other() }`, true, false},
		{"another", `func f() error { _ = other(); return fail() }`, false, true},
		{"variable", `func f() error { err := other(); return err }`, true, false},
		{"assigned again", `func f() error { err := other(); err = fail(); return err }`, false, true},
		{"merged", `func f() error { err := other(); if cond() { err = fail() }; return err }`, true, true},
		{"captured", `func f() error { err := other(); func() { err = fail() }(); return err }`, false, true},
		{"captured and left", `func f() error { err := fail(); func() { err = other() }(); return err }`, true, false},
		{"named result", `func f() (err error) { defer a(); err = other(); return err }`, true, false},
		{"cleared when deferred calls run", `func f() (err error) { defer func() { err = nil }(); err = other(); return err }`, false, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := graphOf(t, test.src)
			carrier := &paths.Carrier{Label: func(instr ssa.Instruction, _ func(ssa.Value) paths.Label) (ssa.Value, paths.Label, bool) {
				call, ok := instr.(*ssa.Call)
				if !ok || call.Call.StaticCallee() == nil || call.Call.StaticCallee().Name() != "other" {
					return nil, 0, false
				}
				return call, 1, true
			}}
			var other, clear bool
			g.Search(nil, 0, nil, func(n *paths.Node, stage int, known paths.Known) (int, paths.Step) {
				held := carrier.Step(n, known, paths.Held(stage))
				if ret, ok := n.Instr.(*ssa.Return); ok && g.IsExit(n) {
					is := carrier.Of(held, ret.Results[0]) == 1
					other, clear = other || is, clear || !is
				}
				return int(held), paths.Continue
			})
			if other != test.other || clear != test.clear || carrier.Lost() {
				t.Errorf("returned %v, another %v, lost %v", other, clear, carrier.Lost())
			}
		})
	}
}
