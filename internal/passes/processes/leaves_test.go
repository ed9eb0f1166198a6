package processes

import (
	"testing"

	"golang.org/x/tools/txtar"
)

// TestLeaves asks which places a program with commands runs.
func TestLeaves(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/leaves.txtar")
	if err != nil {
		t.Fatal(err)
	}
	p := Link(load(t, archive).summaries(t), Options{})
	for _, test := range []struct {
		program, place string
		want           bool
	}{
		{"m.example/operator", "need/need.go:3", false}, // the command that serves runs it
		{"m.example/operator", "need/need.go:5", true},  // a command for people
		{"m.example/operator", "need/need.go:7", false}, // both
		{"m.example/tool", "need/need.go:5", false},     // nothing of it goes on
	} {
		if got := p.Leaves(test.program, []string{test.place}); got != test.want {
			t.Errorf("%s leaves %s: %v", test.program, test.place, got)
		}
	}
}
