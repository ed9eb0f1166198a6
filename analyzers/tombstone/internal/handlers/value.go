package handlers

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// what is known of a value.
type what uint8

const (
	unknown what = iota
	// tomb is an interface that holds a tombstone.
	tomb
	// tombStruct is a tombstone as such, or a variable that has one.
	tombStruct
	// object is an ordinary object in an interface: anything but a tombstone.
	object
	// null is nil.
	null
	// typedNull is an interface that holds a nil pointer.
	typedNull
	// notNull is a reference that is not nil, such as an error.
	notNull
	yes
	no
	// noKey is the empty string that a key function returns with an error.
	noKey
	// other is another constant.
	other
	// function is a known function.
	function
	// record is a struct, or a pointer to one, of which some fields are known.
	record
	// tuple has several values.
	tuple
)

// val is what is known of a value at a point of a path.
type val struct {
	kind what
	// learned marks what a condition of the code tells, as opposed to what
	// the tombstone makes of it.
	learned bool
	c       constant.Value // other
	fn      ssa.Value      // function
	free    []val          // what a closure has captured
	rec     *fields        // record
	parts   []val          // tuple
}

// fields are the known fields of a struct.
type fields struct {
	t     types.Type
	known map[*types.Var]val
}

// with returns a record with one more known field; base may be anything.
func (v val) with(t types.Type, field *types.Var, to val) val {
	rec := &fields{t: t, known: make(map[*types.Var]val)}
	if v.kind == record {
		rec.t = v.rec.t
		maps.Copy(rec.known, v.rec.known)
	}
	if to.kind == unknown {
		delete(rec.known, field)
	} else {
		rec.known[field] = to
	}
	if len(rec.known) == 0 {
		return val{}
	}
	return val{kind: record, rec: rec}
}

// carries reports whether a value is a tombstone or has one in it.
func (v val) carries() bool {
	switch v.kind {
	case tomb, tombStruct:
		return true
	case record:
		for _, f := range v.rec.known {
			if f.carries() {
				return true
			}
		}
	}
	return false
}

// asObject is the value with the tombstone in it replaced by an ordinary
// object.
func (v val) asObject() val {
	switch v.kind {
	case tomb:
		return val{kind: object}
	case tombStruct:
		return val{}
	case record:
		rec := &fields{t: v.rec.t, known: make(map[*types.Var]val)}
		for field, f := range v.rec.known {
			rec.known[field] = f.asObject()
		}
		return val{kind: record, rec: rec}
	}
	return v
}

// matters reports whether a value is worth running a function with.
func (v val) matters() bool {
	switch v.kind {
	case unknown, notNull, other, yes, no, function:
		return false
	}
	return true
}

// told is what a fact says of a result.
func (v val) told() what {
	switch v.kind {
	case tomb, tombStruct, object, null, typedNull, notNull, yes, no, noKey:
		return v.kind
	}
	return unknown
}

func (v val) String() string {
	s := fmt.Sprint(v.kind)
	if v.learned {
		s += "l"
	}
	switch v.kind {
	case other:
		s += v.c.ExactString()
	case function:
		s += fmt.Sprintf("%p", v.fn)
		for _, f := range v.free {
			s += "," + f.String()
		}
	case record:
		var all []string
		for field, f := range v.rec.known {
			all = append(all, fmt.Sprintf("%p=%s", field, f))
		}
		slices.Sort(all)
		s += "{" + strings.Join(all, ",") + "}"
	case tuple:
		s += "("
		for _, p := range v.parts {
			s += p.String() + ","
		}
		s += ")"
	}
	return s
}

// truth is the boolean as a value.
func truth(b bool) val {
	if b {
		return val{kind: yes}
	}
	return val{kind: no}
}

// constantOf is the value of a constant.
func constantOf(c *ssa.Const) val {
	if c.Value == nil {
		v := zeroOf(c.Type())
		v.learned = true // it is what the code says
		return v
	}
	if c.Value.Kind() == constant.Bool {
		return truth(constant.BoolVal(c.Value))
	}
	return val{kind: other, c: c.Value}
}

// zeroOf is the zero value of a type.
func zeroOf(t types.Type) val {
	if _, generic := types.Unalias(t).(*types.TypeParam); generic {
		return val{}
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer, *types.Interface, *types.Map, *types.Slice, *types.Signature, *types.Chan:
		return val{kind: null}
	case *types.Basic:
		switch {
		case u.Info()&types.IsBoolean != 0:
			return truth(false)
		case u.Info()&types.IsString != 0:
			return val{kind: other, c: constant.MakeString("")}
		case u.Info()&types.IsInteger != 0:
			return val{kind: other, c: constant.MakeInt64(0)}
		}
	}
	return val{}
}

// isNull tells whether a reference is nil, if that is known.
func (v val) isNull() (null_, known bool) {
	switch v.kind {
	case null:
		return true, true
	case tomb, tombStruct, object, typedNull, notNull, function, record:
		return false, true
	}
	return false, false
}

// equal tells whether two values are equal, if that is known.
func equal(x, y val) (same, known bool) {
	if y.kind == null || x.kind == null {
		if x.kind == null {
			x, y = y, x
		}
		return x.isNull()
	}
	cx, cy := x.constant(), y.constant()
	if cx != nil && cy != nil && cx.Kind() == cy.Kind() {
		return constant.Compare(cx, token.EQL, cy), true
	}
	return false, false
}

func (v val) constant() constant.Value {
	switch v.kind {
	case yes, no:
		return constant.MakeBool(v.kind == yes)
	case noKey:
		return constant.MakeString("")
	case other:
		return v.c
	}
	return nil
}

// number is an integer as a value.
func number(n int) val { return val{kind: other, c: constant.MakeInt64(int64(n))} }
