package invariants_test

import (
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/passes/invariants"
	"github.com/opvet/opvet/internal/testing/passtest"
)

// asked runs the pass and keeps the call graph, to ask about values.
var asked = &analysis.Analyzer{
	Name: "asked", Doc: "test", Requires: []*analysis.Analyzer{calls.Analyzer, invariants.Analyzer},
	ResultType: invariants.Analyzer.ResultType,
	Run: func(pass *analysis.Pass) (any, error) {
		graph = pass.ResultOf[calls.Analyzer].(*calls.Graph)
		return pass.ResultOf[invariants.Analyzer], nil
	},
}

var graph *calls.Graph

// TestNeeds asks what the functions return.
func TestNeeds(t *testing.T) {
	info := passtest.Source[*invariants.Values](t, asked, `
import "os"

type config struct{ host, token string }

type keeper struct {
	config *config
	byName map[string]*config
}

var global = &config{}

func constant() string                                { return "a" }
func env() string                                     { return os.Getenv("HOST") }
func variable() *config                               { return global }
func field(k *keeper) *config                         { return k.config }
func partOf(k *keeper) string                         { return k.config.host }
func literal(k *keeper) *config                       { return &config{host: k.config.host, token: "x"} }
func oneField(a, b string) string                     { c := config{host: a, token: b}; return c.host }
func under(k *keeper, name string) *config            { return k.byName[name] }
func file() string                                    { data, _ := os.ReadFile("token"); return string(data) }
func received(c chan string) string                   { return <-c }
func either(k *keeper, b bool) *config                { if b { return k.config }; return global }
func called(k *keeper) *config                        { return field(k) }
func changed(k *keeper, token string) *config         { c := *k.config; c.token = token; return &c }
`)
	want := map[string]string{
		"constant": "", "env": "", "variable": "", "field": "k.config", "partOf": "k.config.host", "literal": "k.config.host",
		"oneField": "a", "under": "k.byName name", "file": "?", "received": "?", "either": "k.config", "called": "k.config",
		"changed": "k.config token",
	}
	for _, fn := range graph.Funcs {
		text, ok := want[fn.Name()]
		if !ok {
			continue
		}
		var got []string
		for ret := range blocks.Returns(fn) {
			needs, known := info.Needs(ret.Results[0])
			if !known {
				got = append(got, "?")
			}
			for _, need := range needs {
				name := strings.TrimSuffix(need.Param.Name()+"."+need.Path, ".")
				if known {
					got = append(got, name)
				}
			}
		}
		if strings.Join(got, " ") != text {
			t.Errorf("%s: got %q, want %q", fn.Name(), got, text)
		}
	}
}
