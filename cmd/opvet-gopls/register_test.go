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
		err            string
	}{
		{"as in v0.23.0", "", "", ""},
		{"as in v0.22.0", "initAnalyzers()\n\n", "slices.Concat(DefaultAnalyzers, StaticcheckAnalyzers)\n\n", ""},
		{"a literal", "initAnalyzers()\n\n", "[]*Analyzer{{}}\n\n", ""},
		{"no list", "var AllAnalyzers", "var Analyzers", "there is no variable AllAnalyzers"},
		{"a function", "var AllAnalyzers = initAnalyzers()", "func AllAnalyzers() []*Analyzer { return nil }", "there is no variable AllAnalyzers"},
		{"a map", "(res []*Analyzer)", "(res map[string]*Analyzer)", "variable AllAnalyzers is of type map[string]*Analyzer, not []*Analyzer"},
		{"values", "AllAnalyzers =", "AllAnalyzers []Analyzer =", "variable AllAnalyzers is of type []Analyzer, not []*Analyzer"},
		{"no type", "type Analyzer struct", "type Check struct", "there is no type Analyzer"},
		{"an interface", "type Analyzer struct", "type Analyzer interface{}\ntype check struct", "type Analyzer is not a struct"},
		{"a renamed field", "\tanalyzer ", "\tcheck ", "type Analyzer has no field analyzer"},
		{"a field of another type", "severity   protocol.DiagnosticSeverity", "severity int", "field severity of type Analyzer is of type int"},
		{"no severity", "protocol.SeverityWarning", "protocol.Warning", "protocol.SeverityWarning is not used"},
		{"not Go", "package settings", "settings", "expected 'package'"},
	} {
		t.Run(test.name, func(t *testing.T) {
			src := strings.Replace(registry, test.old, test.new, 1)
			if test.old != "" && src == registry {
				t.Fatalf("there is no %q to replace", test.old)
			}
			err := readRegistration("analysis.go", src)
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("error %v, want one with %q", err, test.err)
				}
			} else if err != nil {
				t.Error(err)
			}
		})
	}
}

func TestMismatchIsExplained(t *testing.T) {
	err := checkRegistration(t.TempDir(), "v0.99.0")
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
	src := source([]setting{{"statusupdate", "strict", "true"}, {"a", "b", "with \"quotes\"\n"}})
	if _, err := parser.ParseFile(token.NewFileSet(), "opvet.go", src, 0); err != nil {
		t.Errorf("the generated file is not Go: %v\n%s", err, src)
	}
	if !strings.Contains(src, `{"statusupdate", "strict", "true"}`) {
		t.Errorf("the value of a flag is missing:\n%s", src)
	}
}
