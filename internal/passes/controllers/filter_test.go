package controllers

import (
	"testing"

	"github.com/opvet/opvet/internal/passes/kinds"
)

func TestPasses(t *testing.T) {
	generation := Cond{Op: Changed, Parts: GenerationPart}
	labels := Cond{Op: Changed, Parts: LabelsPart}
	someSpec := Cond{Op: Changed, Parts: SpecPart, Partly: true}
	maybe := Cond{Op: Maybe}
	spec := Event{Changed: SpecPart | ResourceVersionPart}
	for _, test := range []struct {
		name string
		cond Cond
		of   Event
		want kinds.Answer
	}{
		{"nothing filters", Cond{}, spec, kinds.Yes},
		{"generation without one", generation, spec, kinds.No},
		{"generation or labels", or(generation, labels), spec, kinds.No},
		{"generation or what is not known", or(generation, maybe), spec, kinds.Unknown},
		{"generation and what is not known", and(generation, maybe), spec, kinds.No},
		{"some fields of the spec", someSpec, spec, kinds.Unknown},
		{"some fields of the spec, which is the same", someSpec, Event{Changed: StatusPart}, kinds.No},
		{"not generation", not(generation), spec, kinds.Yes},
		{"being deleted", Cond{Op: Deleting}, Event{Deleting: kinds.Yes}, kinds.Yes},
		{"perhaps being deleted", not(Cond{Op: Deleting}), spec, kinds.Unknown},
		{"of the kind", Cond{Op: IsKind, Kind: "a"}, Event{Kind: "a"}, kinds.Yes},
		{"of another kind", Cond{Op: IsKind, Kind: "a"}, Event{Kind: "b"}, kinds.No},
		{"of a kind that is not known", Cond{Op: IsKind, Kind: "a"}, Event{}, kinds.Unknown},
	} {
		if got := test.cond.Passes(test.of); got != test.want {
			t.Errorf("%s: %s answers %v, want %v", test.name, test.cond, got, test.want)
		}
	}
}

func TestCombine(t *testing.T) {
	changed := Cond{Op: Changed, Parts: SpecPart}
	for _, test := range []struct {
		got  Cond
		want string
	}{
		{and(), "always"},
		{or(), "never"},
		{and(Cond{Op: True}, changed), "spec changed"},
		{and(Cond{Op: False}, changed), "never"},
		{or(Cond{Op: True}, changed), "always"},
		{not(not(changed)), "spec changed"},
		{and(or(changed, Cond{Op: Maybe}), Cond{Op: Deleting}), "(spec changed or ?) and deleting"},
	} {
		if test.got.String() != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}
