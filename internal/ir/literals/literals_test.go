package literals_test

import (
	"slices"
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/ir/literals"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/testing/passtest"
)

const src = `
import "flag"

type options struct {
	name  string
	inner inner
	ref   *inner
	list  []string
	table map[string]string
}

type inner struct{ value string }

func use(options) {}

func inLiteral() { use(options{name: "a", inner: inner{value: "b"}, ref: &inner{value: "c"}}) }

func inBranches(yes bool) {
	var o options
	if yes {
		o.name = "a"
	} else {
		o.name = "b"
	}
	o.inner.value = "c"
	use(o)
}

func byHelper()       { use(made()) }
func made() options   { return options{name: "a"} }
func byPointer()      { o := options{}; set(&o); use(o) }
func set(o *options)  { o.name = "a" }
func byFlag()         { var o options; flag.StringVar(&o.name, "n", "", ""); use(o) }
func given(o options) { use(o) }
func Given(o options) { use(o) }
func giving()         { given(options{name: "a"}) }
func empty()          { use(options{}) }

var known = options{name: "a"}

func ofVariable() { use(known) }

func lists(yes bool) {
	list := []string{"a"}
	if yes {
		list = append(list, "b")
	}
	use(options{list: list})
}

func maps(key string) {
	o := options{table: map[string]string{"a": "b"}}
	o.table["c"] = "d"
	use(o)
}

func captured(keys func(func(string) bool)) {
	table := map[string]string{"a": "b"}
	for range keys {
		table["c"] = "d"
	}
	use(options{table: table})
}
`

// read returns what is known of the argument of use in a function.
func read(t *testing.T, calls *calls.Graph, name string) (*literals.Reader, *literals.Struct) {
	t.Helper()
	r := &literals.Reader{Calls: calls}
	for instr := range blocks.Instrs(calls.Pkg.Func(name)) {
		call, ok := instr.(*ssa.Call)
		if ok && call.Call.StaticCallee() != nil && call.Call.StaticCallee().Name() == "use" {
			return r, r.Read(call.Call.Args[0])
		}
	}
	t.Fatalf("%s does not call use", name)
	return nil, nil
}

func strings(values []ssa.Value) []string {
	var found []string
	for _, v := range values {
		s, _ := kubeapi.ConstString(v)
		found = append(found, s)
	}
	slices.Sort(found)
	return found
}

func TestRead(t *testing.T) {
	calls := passtest.Source[*calls.Graph](t, calls.Analyzer, src)
	for _, test := range []struct {
		function string
		names    []string // what name may be
		open     bool
	}{
		{"inLiteral", []string{"a"}, false},
		{"inBranches", []string{"a", "b"}, false},
		{"byHelper", []string{"a"}, false},
		{"byPointer", []string{"a"}, false},
		{"given", []string{"a"}, false},
		{"Given", nil, true},
		{"empty", nil, false},
		{"ofVariable", []string{"a"}, false},
	} {
		_, s := read(t, calls, test.function)
		if got := strings(s.Values["name"]); !slices.Equal(got, test.names) || s.Open != test.open {
			t.Errorf("%s: name may be %q, open: %t; want %q, %t", test.function, got, s.Open, test.names, test.open)
		}
	}
	if _, s := read(t, calls, "byFlag"); !s.Set("name") {
		t.Error("byFlag: a field whose address is handed away counts as not set")
	}
	if _, s := read(t, calls, "empty"); s.Set("name") || s.Set("inner") {
		t.Error("empty: a field counts as set")
	}
}

func TestNested(t *testing.T) {
	calls := passtest.Source[*calls.Graph](t, calls.Analyzer, src)
	r, s := read(t, calls, "inLiteral")
	for field, want := range map[string]string{"inner": "b", "ref": "c"} {
		if nested, ok := r.Field(s, field); !ok || !slices.Equal(strings(nested.Values["value"]), []string{want}) {
			t.Errorf("%s: %v, want %q", field, nested, want)
		}
	}
	r, s = read(t, calls, "inBranches")
	if nested, ok := r.Field(s, "inner"); !ok || !slices.Equal(strings(nested.Values["value"]), []string{"c"}) {
		t.Errorf("inner.value: %v, want c", nested)
	}
}

func TestElements(t *testing.T) {
	calls := passtest.Source[*calls.Graph](t, calls.Analyzer, src)
	r, s := read(t, calls, "lists")
	if got, ok := r.Elements(s.Values["list"][0]); !ok || !slices.Equal(strings(got), []string{"a", "b"}) {
		t.Errorf("elements: %q, %t; want a and b", strings(got), ok)
	}
	for _, name := range []string{"maps", "captured"} {
		r, s = read(t, calls, name)
		entries, ok := r.Entries(append(s.Values["table"], s.Loads["table"]...)...)
		var keys []ssa.Value
		for _, e := range entries {
			keys = append(keys, e.Key)
		}
		if got := strings(keys); !ok || !slices.Equal(got, []string{"a", "c"}) {
			t.Errorf("%s: keys %q, %t; want a and c", name, got, ok)
		}
	}
}
