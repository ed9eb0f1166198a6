package processes

import (
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestTool asks who runs what a program of many commands does.
func TestTool(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/tool.txtar")
	if err != nil {
		t.Fatal(err)
	}
	p := Link(load(t, archive).summaries(t), Options{Aside: func(pkg string) bool { return strings.HasPrefix(pkg, "m.example/test/") }})
	for fn, want := range map[string]Runner{
		"m.example/need.Typed":     Command,
		"m.example/need.Forwarded": Command,
		"m.example/need.Served":    Lasting,
	} {
		if got := p.Of(fn); got != want {
			t.Errorf("%s is run by %v, want %v", fn, got, want)
		}
	}
	if place := "need/need.go:3"; !p.Leaves("m.example/tool", []string{place}) {
		t.Errorf("what people run at %s needs the rights of the program", place)
	}
}
