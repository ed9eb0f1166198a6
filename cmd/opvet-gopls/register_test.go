package main

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// registry is a made-up analysis.go of gopls.
const registry = `package settings

import (
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/gopls/internal/protocol"
)

var AllAnalyzers = initAnalyzers()

type Analyzer struct {
	analyzer   *analysis.Analyzer
	nonDefault bool
	severity   protocol.DiagnosticSeverity
	tags       []protocol.DiagnosticTag
}

func (a *Analyzer) Severity() protocol.DiagnosticSeverity {
	if a.severity == 0 {
		return protocol.SeverityWarning
	}
	return a.severity
}

func initAnalyzers() (res []*Analyzer) { return }
`

func TestRegistration(t *testing.T) {
	for _, test := range []struct {
		name, old, new string
		tags           bool
		err            string
	}{
		{"as in v0.23.0", "", "", true, ""},
		{"as in v0.22.0", "initAnalyzers()\n\n", "slices.Concat(DefaultAnalyzers, StaticcheckAnalyzers)\n\n", true, ""},
		{"a literal", "initAnalyzers()\n\n", "[]*Analyzer{{}}\n\n", true, ""},
		{"without tags", "\ttags       []protocol.DiagnosticTag\n", "", false, ""},
		{"other tags", "[]protocol.DiagnosticTag", "tagSet", false, ""},
		{"no list", "var AllAnalyzers", "var Analyzers", false, "there is no variable AllAnalyzers"},
		{"a function", "var AllAnalyzers = initAnalyzers()", "func AllAnalyzers() []*Analyzer { return nil }", false, "there is no variable AllAnalyzers"},
		{"a map", "(res []*Analyzer)", "(res map[string]*Analyzer)", false, "variable AllAnalyzers is of type map[string]*Analyzer, not []*Analyzer"},
		{"values", "AllAnalyzers =", "AllAnalyzers []Analyzer =", false, "variable AllAnalyzers is of type []Analyzer, not []*Analyzer"},
		{"no type", "type Analyzer struct", "type Check struct", false, "there is no type Analyzer"},
		{"an interface", "type Analyzer struct", "type Analyzer interface{}\ntype check struct", false, "type Analyzer is not a struct"},
		{"a renamed field", "\tanalyzer ", "\tcheck ", false, "type Analyzer has no field analyzer"},
		{"a field of another type", "severity   protocol.DiagnosticSeverity", "severity int", false, "field severity of type Analyzer is of type int"},
		{"no severity", "protocol.SeverityWarning", "protocol.Warning", false, "protocol.SeverityWarning is not used"},
		{"not Go", "package settings", "settings", false, "expected 'package'"},
	} {
		t.Run(test.name, func(t *testing.T) {
			src := strings.Replace(registry, test.old, test.new, 1)
			if test.old != "" && src == registry {
				t.Fatalf("there is no %q to replace", test.old)
			}
			reg, err := readRegistration("analysis.go", src)
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("error %v, want one with %q", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if reg.tags != test.tags {
				t.Errorf("tags = %t, want %t", reg.tags, test.tags)
			}
		})
	}
}

func TestMismatchIsExplained(t *testing.T) {
	_, err := checkRegistration(t.TempDir(), "v0.99.0")
	if err == nil {
		t.Fatal("no error without the file")
	}
	for _, want := range []string{"gopls v0.99.0", "analysis.go", "-gopls-version"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not have %q", err, want)
		}
	}
}

func TestSource(t *testing.T) {
	settings := []setting{{"statusupdate", "strict", "true"}, {"a", "b", "with \"quotes\"\n"}}
	for _, tags := range []bool{true, false} {
		src := (&registration{tags: tags}).source(settings)
		if _, err := parser.ParseFile(token.NewFileSet(), "opvet.go", src, 0); err != nil {
			t.Errorf("the generated file is not Go: %v\n%s", err, src)
		}
		if !strings.Contains(src, `{"statusupdate", "strict", "true"}`) {
			t.Errorf("the value of a flag is missing:\n%s", src)
		}
		if strings.Contains(src, "tags") != tags {
			t.Errorf("with tags = %t:\n%s", tags, src)
		}
	}
}
