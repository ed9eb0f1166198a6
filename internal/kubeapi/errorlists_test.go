package kubeapi

import (
	"go/types"
	"testing"
)

func TestIsErrors(t *testing.T) {
	text := types.Typ[types.String]
	entry := func(names ...string) types.Type {
		var fields []*types.Var
		for _, name := range names {
			fields = append(fields, types.NewField(0, nil, name, text, false))
		}
		return types.NewStruct(fields, nil)
	}
	for _, test := range []struct {
		about string
		field types.Type
		want  bool
	}{
		{"a text", text, false},
		{"names", types.NewSlice(text), false},
		{"errors", types.NewSlice(entry("Code", "Message")), true},
		{"pointers to errors", types.NewSlice(types.NewPointer(entry("Message"))), true},
		{"conditions", types.NewSlice(entry("Type", "Status", "Message")), false},
		{"volumes", types.NewSlice(entry("Name")), false},
	} {
		if got := IsErrors(test.field); got != test.want {
			t.Errorf("%s: %t, want %t", test.about, got, test.want)
		}
	}
}
