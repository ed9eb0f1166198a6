package config

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"
	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/report/rule"
)

func sample() []*analysis.Analyzer {
	var all []*analysis.Analyzer
	for name, group := range map[string]string{"one": "status", "two": "cache"} {
		all = append(all, rule.New(rule.Spec{
			Name: name, Group: group, Summary: "s", Strict: name == "one",
			DocSource:  "// Package " + name + " is for tests.\n//\n// Text.\npackage " + name + "\n",
			Categories: []rule.Category{{Name: "found", Summary: "f", Harm: rule.Loss}},
			Flags:      func(fs *flag.FlagSet) { fs.Int("depth", 1, "how `deep`") },
		}))
	}
	return all
}

const good = `# yaml-language-server: $schema=` + SchemaID + `
enable: [one, cache]
disable: []
harm: hygiene
tests: true
settings:
  one: {strict: true, depth: 3}
  two:
exclude:
  - path: internal/legacy
    rules: [one/found, cache]
    reason: nobody changes it any more
  - path: "**/zz_*.go"
    reason: generated
format: [text, sarif=opvet.sarif]
sort: path
tags: [e2e]
baseline: known.json
`

func TestParse(t *testing.T) {
	all := sample()
	c, err := Parse(all, ".opvet.yml", filepath.FromSlash("/repo"), []byte(good))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Join(c.Formats, " ") != "text sarif=opvet.sarif" || c.Sort != "path" || strings.Join(c.Tags, " ") != "e2e" || c.Baseline != "known.json" {
		t.Errorf("read %+v", c)
	}
	if enabled, err := c.Select(all); err != nil || len(enabled) != 2 {
		t.Errorf("selected %v, %v", enabled, err)
	}
	if err := c.Apply(all, func(name string) bool { return name == "two.harm" }); err != nil {
		t.Error(err)
	}
	for _, a := range all {
		want := map[string]string{"harm": "hygiene", "tests": "true", "depth": "3", "strict": "true"}
		if a.Name == "two" {
			want = map[string]string{"harm": "load", "tests": "true", "depth": "1"}
		}
		for name, value := range want {
			if got := a.Flags.Lookup(name).Value.String(); got != value {
				t.Errorf("%s.%s is %s, want %s", a.Name, name, got, value)
			}
		}
	}
	for _, test := range []struct {
		analyzer, file string
		want           string
	}{
		{"one", "/repo/internal/legacy/a/b.go", "nobody changes it any more"},
		{"two", "/repo/internal/legacy/b.go", "nobody changes it any more"},
		{"one", "/repo/internal/legacyish/b.go", ""},
		{"one", "/repo/api/zz_deepcopy.go", "generated"},
		{"one", "/repo/zz_deepcopy.go", "generated"},
		{"one", "/repo/api/zz.go", ""},
		{"one", "/other/internal/legacy/b.go", ""},
	} {
		for _, a := range all {
			if a.Name != test.analyzer {
				continue
			}
			got := ""
			if e := c.Excludes(a, "found", filepath.FromSlash(test.file)); e != nil {
				got = e.Reason
			}
			if got != test.want {
				t.Errorf("%s in %s: excluded for %q, want %q", test.analyzer, test.file, got, test.want)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"enabel: [one]":                       "f.yml:1:1: enabel: no such setting; did you mean enable?",
		"nosuch: 1":                           "f.yml:1:1: nosuch: no such setting; there are baseline, disable, enable, exclude, format, harm, settings, sort, tags, tests",
		"- one":                               "f.yml:1:1: want the keys baseline, disable,",
		"harm: load\nharm: loss":              "f.yml:2:1: harm: the key stands here a second time",
		"harm: awful":                         "f.yml:1:7: harm: bad value \"awful\": want one of crash,",
		"harm: [load]":                        "f.yml:1:7: harm: bad value [load]: want the name of a harm, such as load",
		"tests: 1":                            "f.yml:1:8: tests: bad value \"1\": want true or false",
		"enable:\n- one\n- tow":               "f.yml:3:3: enable[1]: no analyzer or group is named \"tow\"; did you mean two?",
		"settings:\n  one:\n    strikt: true": "f.yml:3:5: settings.one.strikt: analyzer one has no flag \"strikt\"; it has",
		"settings:\n  one:\n    depth: deep":  "f.yml:3:12: settings.one.depth: bad value \"deep\": want a whole number",
		"settings: {three: }":                 "f.yml:1:12: settings.three: no analyzer is named \"three\"; there are one, two",
		"exclude:\n- path: a":                 "f.yml:2:3: exclude[0]: it needs a reason",
		"exclude:\n- reason: a":               "f.yml:2:3: exclude[0]: it needs a path",
		"exclude: [{path: /a, reason: b}]":    "f.yml:1:18: exclude[0].path: bad value \"/a\": want a path with slashes",
		"exclude: [{path: a, reason: b, rules: [one/fond]}]": "f.yml:1:40: exclude[0].rules[0]: analyzer one has no category \"fond\"; did you mean found?",
		"exclude: [{paths: a}]":                              "f.yml:1:12: exclude[0].paths: no such key; there are path, reason, rules",
		"sort: name":                                         "f.yml:1:7: sort: bad value \"name\": want harm or path",
		"format: sarif":                                      "f.yml:1:9: format: bad value \"sarif\": want a list of texts",
		"harm: loss\n---\nharm: load":                        "f.yml: want one document, not several",
		"harm: [":                                            "f.yml: ",
	} {
		all := sample()
		c, err := Parse(all, "f.yml", ".", []byte(text))
		if err == nil {
			err = c.Apply(all, func(string) bool { return false })
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s:\ngot  %v\nwant %s", text, err, want)
		}
	}
	for _, text := range []string{"", "# nothing", "enable:\nsettings:\n", "x: &a"} {
		if _, err := Parse(sample(), "f.yml", ".", []byte(text)); (err == nil) != (text != "x: &a") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestFind(t *testing.T) {
	top := t.TempDir()
	deep := filepath.Join(top, "repo", "a", "b")
	if err := os.MkdirAll(deep, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct{ write, want string }{
		{".opvet.yml", ".opvet.yml"},
		{"repo/.opvet.yaml", "repo/.opvet.yaml"},
		{"repo/a/.opvet.yml", "repo/a/.opvet.yml"},
		{"repo/a/b/.git", ""}, // the top of a repository
	} {
		if err := os.WriteFile(filepath.Join(top, step.write), nil, 0o666); err != nil {
			t.Fatal(err)
		}
		got, ok := Find(deep)
		if want := filepath.Join(top, step.want); ok != (step.want != "") || ok && got != want {
			t.Errorf("after %s: found %q", step.write, got)
		}
	}
}

// TestSchema sees that the schema takes what Parse takes, and refuses what it
// refuses.
func TestSchema(t *testing.T) {
	data, err := Schema(sample())
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("schema.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	validate := func(text string) error {
		var value any
		if err := yaml.Unmarshal([]byte(text), &value); err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		value, err = jsonschema.UnmarshalJSON(strings.NewReader(string(data)))
		if err != nil {
			t.Fatal(err)
		}
		return schema.Validate(value)
	}
	for _, text := range []string{good, "", "enable:\nsettings:\n", "enable: [all]", "exclude: [{path: a, reason: b, rules: [one/found]}]"} {
		if err := validate(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{
		"enabel: [one]", "enable: [three]", "enable: one", "harm: awful", "tests: 1", "settings: {three: {}}", "settings: {one: {strikt: true}}",
		"settings: {one: {depth: deep}}", "settings: {two: {harm: awful}}", "exclude: [{path: a}]", "exclude: [{path: a, reason: b, rules: [one/nosuch]}]", "sort: name", "baseline: 1", "[one]",
	} {
		if err := validate(text); err == nil {
			t.Errorf("the schema takes %s", text)
		}
	}
}
