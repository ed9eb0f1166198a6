package processes

import (
	"testing"

	"golang.org/x/tools/txtar"
)

func TestHandsSeveral(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/numbers.txtar")
	if err != nil {
		t.Fatal(err)
	}
	p := Link(load(t, archive).summaries(t), Options{})
	const pkg = "m.example/work."
	for param, want := range map[string]bool{
		pkg + "One#0": false, pkg + "Many#0": true, pkg + "ByFlag#0": false, pkg + "ByLargeFlag#0": true, pkg + "ByVariable#0": false,
		pkg + "ByLocal#0": false, pkg + "BySeveral#0": true, pkg + "ByConfig#0": true, pkg + "ByEnv#0": true, pkg + "ByOneMore#0": false,
		pkg + "ByMore#0": true, pkg + "ByLiteral#0": false, "(" + pkg + "Method).Run#0": true,
		pkg + "Aside#0": false, // no program is linked with who does
		pkg + "Unknown": false,
	} {
		if got := p.HandsSeveral([]string{param}); got != want {
			t.Errorf("%s: %t, want %t", param, got, want)
		}
	}
}
