package main

import (
	"reflect"
	"testing"
)

func TestParseFindings(t *testing.T) {
	// Two objects, as the unit checker prints them, a test variant that
	// repeats a finding, and an analyzer that failed.
	out := `{
	"example.com/m/b": {"statusupdate": [
		{"category":"dropped-by-update","posn":"/src/repo/mod/b/b.go:20:3","end":"/src/repo/mod/b/b.go:20:9","message":"dropped",
		 "related":[{"posn":"/src/repo/mod/a/a.go:5:1","message":"set here"}, {"posn":"-","message":"nowhere"}]}
	]},
	"example.com/m/b [example.com/m/b.test]": {"statusupdate": [
		{"posn":"/src/repo/mod/b/b.go:20:3","message":"dropped"}
	]}
}
{
	"example.com/m/a": {
		"handlergoroutine": [{"posn":"a/a.go:9","message":"leaks"}],
		"ctxdone": {"error":"no result"}
	}
}`
	got, failures, err := parseFindings([]byte(out), "/src/repo", "/src/repo/mod")
	if err != nil {
		t.Fatal(err)
	}
	// Either variant may come first, and only one has the category.
	if len(got) == 2 {
		got[1].Category, got[1].Related = "", nil
	}
	want := []Finding{
		{Analyzer: "handlergoroutine", File: "mod/a/a.go", Line: 9, Message: "leaks"},
		{Analyzer: "statusupdate", File: "mod/b/b.go", Line: 20, Message: "dropped"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if want := []string{"ctxdone in example.com/m/a: no result"}; !reflect.DeepEqual(failures, want) {
		t.Errorf("failures: got %q, want %q", failures, want)
	}
	for _, bad := range []string{`{`, `{"p":{"a":[{"posn":"nowhere","message":"m"}]}}`, `{"p":{"a":7}}`} {
		if _, _, err := parseFindings([]byte(bad), "/src", "/src"); err == nil {
			t.Errorf("no error for %s", bad)
		}
	}
}

func TestParsePlace(t *testing.T) {
	for posn, want := range map[string]place{
		"/c/d/x.go:3:4":  {"d/x.go", 3},
		"/c/d/x.go:3":    {"d/x.go", 3},
		"x.go:3:4":       {"d/x.go", 3},
		"/c/d:8/x.go:12": {"d:8/x.go", 12},
	} {
		if got, err := parsePlace(posn, "/c", "/c/d"); err != nil || got != want {
			t.Errorf("%s: got %v, %v", posn, got, err)
		}
	}
}
