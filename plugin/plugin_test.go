package plugin

import (
	"flag"
	"strings"
	"testing"

	"github.com/golangci/plugin-module-register/register"
	"go.yaml.in/yaml/v4"
	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/analyzers"
	"github.com/opvet/opvet/internal/report/rule"
)

// sample makes a suite of two analyzers.
func sample() []*analysis.Analyzer {
	var all []*analysis.Analyzer
	for _, name := range []string{"one", "two"} {
		all = append(all, rule.New(rule.Spec{
			Name: name, Group: "status", Summary: "s", Strict: name == "one",
			DocSource: "// Package " + name + " is for tests.\n//\n// Text.\npackage " + name + "\n",
			Flags: func(fs *flag.FlagSet) {
				fs.Int("depth", 1, "")
				fs.String("file", "", "")
			},
		}))
	}
	return all
}

// decode reads settings as golangci-lint does.
func decode(t *testing.T, text string) any {
	t.Helper()
	var settings any
	if err := yaml.Unmarshal([]byte(text), &settings); err != nil {
		t.Fatal(err)
	}
	return settings
}

func TestConfigure(t *testing.T) {
	for _, test := range []struct{ name, settings, want string }{
		{"none", "", "one two"},
		{"empty", "{enable: [], disable: [], settings: {}}", "one two"},
		{"empty keys", "enable:\ndisable:\nsettings:\n  one:\n", "one two"},
		{"enable", "enable: [one]", "one"},
		{"disable", "disable: [one]", "two"},
		{"groups", "{enable: [status], disable: [all]}", "one two"},
		{"tests", "tests: true", "one(tests=true) two(tests=true)"},
		{"tests of one", "{tests: true, settings: {two: {tests: false}}}", "one(tests=true) two"},
		{"harm", "harm: hygiene", "one(harm=hygiene) two(harm=hygiene)"},
		{"harm of one", "{harm: crash, settings: {two: {harm: leak}}}", "one(harm=crash) two(harm=leak)"},
		{"flags", "{settings: {one: {strict: true, depth: 12, file: a.yaml}, two: {depth: '3'}}}",
			"one(depth=12 file=a.yaml strict=true) two(depth=3)"},
		{"flags of a disabled one", "{enable: [two], settings: {one: {strict: true}}}", "two"},
	} {
		t.Run(test.name, func(t *testing.T) {
			enabled, _, err := configure(sample(), decode(t, test.settings))
			if err != nil {
				t.Fatal(err)
			}
			if got := describe(enabled); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// describe lists analyzers with the flags that do not have their default.
func describe(all []*analysis.Analyzer) string {
	var words []string
	for _, a := range all {
		var set []string
		a.Flags.VisitAll(func(f *flag.Flag) {
			if f.Value.String() != f.DefValue {
				set = append(set, f.Name+"="+f.Value.String())
			}
		})
		word := a.Name
		if len(set) > 0 {
			word += "(" + strings.Join(set, " ") + ")"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

func TestBadSettings(t *testing.T) {
	const valid = `there are the analyzers one, two, the groups status, and "all"`
	for settings, want := range map[string]string{
		"harm: awful":                     `harm: bad value "awful": want one of crash, loss, stuck, leak, load, hygiene`,
		"harm: [load]":                    "harm: bad value [load]: want the name of a harm, such as load",
		"enabel: [one]":                   "enabel: no such setting; did you mean enable?",
		"Enable: [one]":                   "Enable: no such setting; did you mean enable?",
		"[one]":                           "want the keys disable, enable, exclude, harm, settings, tests, not [one]",
		"one":                             `want the keys disable, enable, exclude, harm, settings, tests, not "one"`,
		"enable: one":                     `enable: bad value "one": want a list of analyzers and groups`,
		"enable: [one, 2]":                `enable[1]: bad value "2": want the name of an analyzer or group`,
		"enable: [[one]]":                 "enable[0]: bad value [one]: want the name of an analyzer or group",
		"enable: [three]":                 `enable[0]: no analyzer or group is named "three"; ` + valid,
		"disable: [one, st]":              `disable[1]: no analyzer or group is named "st"; ` + valid,
		"disable: [all]":                  "enable and disable leave no analyzer; " + valid,
		"{enable: [one], disable: [one]}": `enable and disable both name "one"`,

		"format: [sarif]":        "format: only the command has this setting; here there are disable, enable, exclude, harm, settings, tests",
		"exclude: [{path: gen}]": "exclude[0]: it needs a reason",

		"tests: 1":     `tests: bad value "1": want true or false`,
		"tests: 'yes'": `tests: bad value "yes": want true or false`,
		"tests:":       "tests: bad value (none): want true or false",

		"settings: [one]":                      "settings: bad value [one]: want analyzers with their flags",
		"settings: {three: {strict: true}}":    `settings.three: no analyzer is named "three"; there are one, two`,
		"settings: {three: }":                  `settings.three: no analyzer is named "three"; there are one, two`,
		"settings: {one: true}":                `settings.one: bad value "true": want flags with their values`,
		"settings: {one: {strikt: true}}":      `settings.one.strikt: analyzer one has no flag "strikt"; it has depth, file, generated, harm, strict, tests`,
		"settings: {two: {strict: true}}":      `settings.two.strict: analyzer two has no flag "strict"; it has depth, file, generated, harm, tests`,
		"settings: {one: {strict: sometimes}}": `settings.one.strict: bad value "sometimes": want true or false`,
		"settings: {one: {depth: 1.5}}":        `settings.one.depth: bad value "1.5": want a whole number`,
		"settings: {one: {file: [a, b]}}":      `settings.one.file: bad value [a b]: want a single value`,
		"settings: {one: {file: }}":            "settings.one.file: bad value (none): want a single value",
	} {
		_, _, err := configure(sample(), decode(t, settings))
		if err == nil || err.Error() != want {
			t.Errorf("%s:\ngot  %v\nwant %s", settings, err, want)
		}
	}
}

func TestPlugin(t *testing.T) {
	made, err := register.GetPlugin(Name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := made(decode(t, "settings: {statusupdate: {strikt: true}}")); err == nil ||
		!strings.HasPrefix(err.Error(), `settings of linter opvet: settings.statusupdate.strikt: analyzer statusupdate has no flag "strikt"; it has `) {
		t.Errorf("bad settings: %v", err)
	}
	linter, err := made(decode(t, "disable: [unusedignore]"))
	if err != nil {
		t.Fatal(err)
	}
	if mode := linter.GetLoadMode(); mode != register.LoadModeTypesInfo {
		t.Errorf("load mode %q", mode)
	}
	hosted, err := linter.BuildAnalyzers()
	if err != nil {
		t.Fatal(err)
	}
	if err := analysis.Validate(hosted); err != nil {
		t.Error(err)
	}
	if len(hosted) != 1 || hosted[0].Name != Name || len(hosted[0].Requires) != len(analyzers.All())-1 {
		t.Errorf("built %v", hosted)
	}
}

func TestFlagNames(t *testing.T) {
	for _, a := range analyzers.All() {
		a.Flags.VisitAll(func(f *flag.Flag) {
			if f.Name != strings.ToLower(f.Name) {
				t.Errorf("flag %s of %s cannot be set, since golangci-lint turns the keys of its configuration into lower case", f.Name, a.Name)
			}
		})
	}
}
