package settings

import (
	"errors"
	"flag"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/report/rule"
)

// suiteOf makes analyzers, each given as "group/name".
func suiteOf(t *testing.T, flags func(*flag.FlagSet), list ...string) []*analysis.Analyzer {
	t.Helper()
	var all []*analysis.Analyzer
	for _, item := range list {
		group, name, _ := strings.Cut(item, "/")
		all = append(all, rule.New(rule.Spec{
			Name: name, Group: group, Summary: "s", Flags: flags,
			DocSource: "// Package " + name + " is for tests.\n//\n// Text.\npackage " + name + "\n",
		}))
	}
	return all
}

func TestSelect(t *testing.T) {
	all := suiteOf(t, nil, "status/one", "status/two", "context/three")
	const (
		valid = `there are the analyzers one, three, two, the groups context, status, and "all"`
		every = "one two three"
	)
	for _, test := range []struct {
		enable, disable string
		want            string
		err             string
	}{
		{"", "", every, ""},
		{"all", "", every, ""},
		{"one", "", "one", ""},
		{"three one", "", "one three", ""},
		{"status", "", "one two", ""},
		{"status one", "", "one two", ""},
		{"one one", "", "one", ""},
		{"", "one", "two three", ""},
		{"", "status", "three", ""},
		{"one", "three", "one", ""},

		{"status", "one", "two", ""},
		{"one", "status", "one", ""},
		{"all", "status", "three", ""},
		{"one", "all", "one", ""},
		{"status", "all", "one two", ""},
		{"all one", "status", "one three", ""},
		{"all", "context one", "two", ""},

		{"four", "", "", `enable[0]: no analyzer or group is named "four"; ` + valid},
		{"one", "two stat", "", `disable[1]: no analyzer or group is named "stat"; did you mean status?`},
		{"One", "", "", `enable[0]: no analyzer or group is named "One"; did you mean one?`},
		{"one", "one", "", `enable and disable both name "one"`},
		{"status", "status one", "", `enable and disable both name "status"`},
		{"all", "all", "", `enable and disable both name "all"`},
		{"", "all", "", "enable and disable leave no analyzer; " + valid},
		{"context", "three", "", "enable and disable leave no analyzer; " + valid},
	} {
		left, err := Select(all, strings.Fields(test.enable), strings.Fields(test.disable))
		var got []string
		for _, a := range left {
			got = append(got, a.Name)
		}
		if message := errorText(err); strings.Join(got, " ") != test.want || message != test.err {
			t.Errorf("enable %q, disable %q:\ngot  %q, error %s\nwant %q, error %s",
				test.enable, test.disable, got, message, test.want, test.err)
		}
	}
}

func TestSet(t *testing.T) {
	var (
		depth int
		wait  time.Duration
		file  string
		share float64
	)
	all := suiteOf(t, func(fs *flag.FlagSet) {
		fs.IntVar(&depth, "depth", 1, "")
		fs.DurationVar(&wait, "wait", 0, "")
		fs.StringVar(&file, "file", "", "")
		fs.Float64Var(&share, "share", 0, "")
		fs.Func("odd", "", func(string) error { return errOdd })
	}, "status/one")

	for name, value := range map[string]string{
		"one.depth": "7", "one.wait": "2s", "one.file": "x.yaml", "one.share": "0.5", "one.tests": "true",
	} {
		if err := Set(all, name, value); err != nil {
			t.Error(err)
		}
	}
	if tests := all[0].Flags.Lookup("tests").Value.String(); depth != 7 || wait != 2*time.Second || file != "x.yaml" || share != 0.5 || tests != "true" {
		t.Errorf("got depth %d, wait %s, file %q, share %g, tests %s", depth, wait, file, share, tests)
	}

	for name, test := range map[string]struct{ value, want string }{
		"one":       {"", "one: want analyzer.flag, such as statusupdate.strict"},
		"two.depth": {"1", `two.depth: no analyzer is named "two"; there are one`},
		"one.dept":  {"1", `one.dept: analyzer one has no flag "dept"; it has depth, file, generated, harm, odd, share, tests, wait`},
		"one.depth": {"deep", `one.depth: bad value "deep": want a whole number`},
		"one.wait":  {"2", `one.wait: bad value "2": want a duration, such as 30s`},
		"one.share": {"half", `one.share: bad value "half": want a number`},
		"one.tests": {"yes", `one.tests: bad value "yes": want true or false`},
		"one.odd":   {"x", `one.odd: bad value "x": ` + errOdd.Error()},
	} {
		if got := errorText(Set(all, name, test.value)); got != test.want {
			t.Errorf("%s=%s:\ngot  %s\nwant %s", name, test.value, got, test.want)
		}
	}
}

var errOdd = errors.New("want something odd")

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
