package calls

import (
	"reflect"
	"regexp"
	"testing"
)

// said is a fact, as passes make them.
type said struct {
	Where string
	What  []string
	By    map[string]int
	Next  *said

	pos int // known in its own package only
}

func TestAlike(t *testing.T) {
	base := func(typ string) *said {
		return &said{Where: "(*" + typ + ").Save writes at store/kube.go:12", What: []string{"Update"}, By: map[string]int{"a": 1}, Next: &said{Where: "kube.go:3"}, pos: 1}
	}
	for _, test := range []struct {
		name   string
		change func(s *said)
		want   bool
	}{
		{"the same", func(*said) {}, true},
		{"another place", func(s *said) { s.Where = "(*memory).Save writes at store/memory.go:70" }, true},
		{"another place within", func(s *said) { s.Next.Where = "memory.go:7" }, true},
		{"what is not exported", func(s *said) { s.pos = 2 }, true},
		{"another method", func(s *said) { s.Where = "(*memory).Load writes at store/memory.go:70" }, false},
		{"a third type", func(s *said) { s.Where = "(*disk).Save writes at store/kube.go:12" }, false},
		{"other words", func(s *said) { s.Where = "(*memory).Save reads at store/kube.go:12" }, false},
		{"more", func(s *said) { s.What = append(s.What, "Create") }, false},
		{"another entry", func(s *said) { s.What[0] = "Create" }, false},
		{"another key", func(s *said) { s.By = map[string]int{"b": 1} }, false},
		{"another value", func(s *said) { s.By["a"] = 2 }, false},
		{"nothing within", func(s *said) { s.Next = nil }, false},
	} {
		changed := base("memory")
		test.change(changed)
		if got := alike(reflect.ValueOf(base("kube")), reflect.ValueOf(changed), regexp.MustCompile(`\(?\*?\bkube\b\)?`), regexp.MustCompile(`\(?\*?\bmemory\b\)?`)); got != test.want {
			t.Errorf("%s: alike %t, want %t", test.name, got, test.want)
		}
	}
}
