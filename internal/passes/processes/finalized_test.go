package processes

import (
	"slices"
	"testing"

	"golang.org/x/tools/txtar"
)

func TestFinalizes(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/finalized.txtar")
	if err != nil {
		t.Fatal(err)
	}
	all := load(t, archive).summaries(t)
	known := slices.DeleteFunc(slices.Clone(all), func(s *Summary) bool { return s.Path == "m.example/other" })
	p := Link(known, Options{})
	for kind, want := range map[string]bool{"Added": true, "Set": true, "Assigned": true, "Inside": true, "Framework": true, "GrantOne": true, "Literal": true, "Held": true, "Built": true, "Free": false} {
		if got := p.Finalizes("m.example/api." + kind); got != want {
			t.Errorf("%s: %t, want %t", kind, got, want)
		}
	}
	// A patch may be of any kind.
	patched := Link(all, Options{})
	if !patched.Finalizes("m.example/api.Free") {
		t.Error("a patch is of no kind")
	}
	if patched.PutsFinalizers("m.example/api.Free") || !patched.PutsFinalizers("m.example/api.Added") {
		t.Error("it is not seen of which kinds there are finalizers")
	}
	for kind, want := range map[string]bool{"api.Added": true, "api.Set": true, "api.GrantOne": true, "api.Inside": false, "api.Free": false, "other.Added": true, "api/v2.Added": false} {
		if got := patched.AddsFinalizers("m.example/" + kind); got != want {
			t.Errorf("a finalizer is put on %s: %t, want %t", kind, got, want)
		}
	}
}
