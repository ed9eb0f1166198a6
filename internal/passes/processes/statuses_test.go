package processes

import (
	"testing"

	"golang.org/x/tools/txtar"
)

func TestMentionsStatus(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/statuses.txtar")
	if err != nil {
		t.Fatal(err)
	}
	p := Link(load(t, archive).summaries(t), Options{})
	for kind, want := range map[string]bool{"Assigned": true, "Read": true, "Literal": true, "Pointed": true, "Copied": false, "Other": false} {
		if got := p.MentionsStatus("m.example/api." + kind); got != want {
			t.Errorf("%s: %t, want %t", kind, got, want)
		}
	}
}
