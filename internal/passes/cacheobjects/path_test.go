package cacheobjects

import (
	"go/token"
	"go/types"
	"testing"
)

func TestPathSteps(t *testing.T) {
	for _, test := range []struct {
		name string
		from path
		walk path
		want path
		ok   bool
	}{
		{"the object itself", "", "Spec.*.[]", "", true},
		{"an element of a fresh slice", "[].*", "[]", "*", true},
		{"what a fresh slice has", "[].*", "[].*", "", true},
		{"a field of a copy", "*", "ObjectMeta.Name", "*", true},
		{"a map of a copy", "*", "ObjectMeta.Labels.*", "", true},
		{"the field that has it", "node.*", "node.*.Spec", "", true},
		{"another field", "node.*", "other.*.Spec", "", false},
		{"the struct that has the field", "node.*", "*.node", "", true},
		{"too little", "a.*.b.*", "a.*", "b.*", true},
		{"a path that grew too long", "a.*", "…", "", false},
	} {
		o, ok := origin{src: new(source), put: test.from}.walk(test.walk)
		if ok != test.ok || ok && o.put != test.want {
			t.Errorf("%s: %q from %q is %q, %t; want %q, %t", test.name, test.walk, test.from, o.put, ok, test.want, test.ok)
		}
	}
}

func TestStored(t *testing.T) {
	pointer := types.NewPointer(types.Typ[types.Int])
	inner := types.NewStruct([]*types.Var{types.NewField(token.NoPos, nil, "p", pointer, false)}, nil)
	outer := types.NewStruct([]*types.Var{types.NewField(token.NoPos, nil, "in", inner, false)}, nil)
	for _, test := range []struct {
		name string
		t    types.Type
		path path
		want path
	}{
		{"a reference", pointer, "", "*"},
		{"a reference to what leads there", pointer, "x.*", "*.x.*"},
		{"a copy", outer, "", "*"},
		{"a struct with a reference", outer, "in.p", "in.p.*"},
		{"a struct with a reference that leads there", outer, "in.p.x.*", "in.p.*.x.*"},
	} {
		if got := stored(test.t, test.path); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestOverwritten(t *testing.T) {
	for _, test := range []struct {
		name         string
		put          path
		at           path
		left, except string // of put, if it is left
		ok           bool
	}{
		{"the variable", "*", "", "", "", false},
		{"the field", "node.*", "node", "", "", false},
		{"a struct around it", "a.b.*", "a", "", "", false},
		{"another field", "node.*", "other", "node.*", "", true},
		{"a field of a copy", "*", "ObjectMeta.Labels", "*", "ObjectMeta.Labels", true},
	} {
		o, ok := origin{put: test.put}.without(test.at)
		if ok != test.ok || ok && (string(o.put) != test.left || o.except != test.except) {
			t.Errorf("%s: %q without %q is %q, %q, %t", test.name, test.put, test.at, o.put, o.except, ok)
		}
	}
}

func TestLongPathsEnd(t *testing.T) {
	var p path
	for range 3 * maxSteps {
		p = p.add("x")
	}
	if p.steps() != maxSteps+1 {
		t.Errorf("%d steps: %s", p.steps(), p)
	}
}
