package main

import (
	"runtime/debug"
	"testing"
)

func TestReleased(t *testing.T) {
	main := func(version, sum string) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Path: opvetPath, Version: version, Sum: sum}}
	}
	replaced := main("v0.1.0", "h1:x=")
	replaced.Main.Replace = &debug.Module{Path: "../opvet"}
	for _, test := range []struct {
		name string
		info *debug.BuildInfo
		want string
	}{
		{"installed", main("v0.1.0", "h1:x="), "v0.1.0"},
		{"built in a checkout", main("(devel)", ""), ""},
		{"built in a checkout of a tag", main("v0.1.0", ""), ""},
		{"replaced", replaced, ""},
		{"a fork", &debug.BuildInfo{Main: debug.Module{Path: "example.com/opvet", Version: "v0.1.0", Sum: "h1:x="}}, ""},
		{"no information", nil, ""},
	} {
		if got, ok := released(test.info); got != test.want || ok != (test.want != "") {
			t.Errorf("%s: released = %q, %t; want %q", test.name, got, ok, test.want)
		}
	}
}

func TestDescribe(t *testing.T) {
	for _, test := range []struct {
		suite   *suite
		options options
		want    string
	}{
		{&suite{version: "v0.1.0"}, options{}, "opvet v0.1.0"},
		{&suite{}, options{harm: "loss", settings: []setting{{"statusupdate", "strict", "true"}, {"a", "b", "1h"}}}, "opvet devel, harm=loss, statusupdate.strict=true, a.b=1h"},
		{&suite{}, options{settings: []setting{{"a", "b", "it's (so)\n"}}}, `opvet devel, a.b="it\x27s (so)\n"`},
	} {
		if got := describe(test.suite, test.options.described()); got != test.want {
			t.Errorf("describe = %s, want %s", got, test.want)
		}
	}
}
