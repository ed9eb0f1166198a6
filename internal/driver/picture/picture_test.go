package picture

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// sample is an operator with one of each thing.
func sample() *Map {
	at := &Place{"controllers/app.go", 12}
	return &Map{
		Version: Version, Module: "example.com/m",
		Kinds: []Kind{
			{ID: "example.com/m/api/v1.App", Name: "App", Group: "example.com", Version: "v1", Resource: "apps", Own: true},
			{ID: "k8s.io/api/apps/v1.Deployment", Name: "Deployment", Group: "apps", Version: "v1", Resource: "deployments"},
			{ID: "k8s.io/api/core/v1.Secret", Name: "Secret", Version: "v1", Resource: "secrets"},
		},
		Programs: []Program{{
			Package:  "example.com/m/cmd/manager",
			Managers: []Manager{{LeaderElection: "configured", At: at}},
			Controllers: []Controller{
				{
					ID: "example.com/m/controllers.app", Name: "app", Package: "example.com/m/controllers", Framework: "builder", Reconciler: "example.com/m/controllers.AppReconciler",
					Reconcile: "(*example.com/m/controllers.AppReconciler).Reconcile", For: "example.com/m/api/v1.App", Workers: Workers{From: "flag"}, RateLimiter: true, LeaderElection: "no", At: at,
					Watches: []Watch{
						{Role: "for", Kind: "example.com/m/api/v1.App", Form: "typed", Handler: "self", At: at, Filter: &Filter{Names: []string{"GenerationChangedPredicate"}, Create: "always", Update: "generation changed", Delete: "always", Generic: "always"}},
						{Role: "owns", Kind: "k8s.io/api/apps/v1.Deployment", Form: "typed", Handler: "owner", At: at},
						{Role: "watches", Kind: "k8s.io/api/core/v1.Secret", Form: "metadata", Handler: "mapped", Func: "(*example.com/m/controllers.AppReconciler).appsOf", Conditional: true, At: at},
						{Role: "watches", Handler: "unknown", At: at},
						{Role: "raw", Handler: "custom", At: at},
					},
					Uses: []Use{
						{Act: "get", Kind: "example.com/m/api/v1.App", Source: "cache", At: at},
						{Act: "get", Kind: "k8s.io/api/core/v1.Secret", Source: "api", At: at},
						{Act: "update", Kind: "example.com/m/api/v1.App", Endpoint: "status", At: at},
						{Act: "addFinalizer", Kind: "example.com/m/api/v1.App", Finalizer: "example.com/app", At: at},
						{Act: "removeFinalizer", Kind: "example.com/m/api/v1.App", Finalizer: "example.com/app", At: at},
						{Act: "create", Kind: "k8s.io/api/apps/v1.Deployment", Endpoint: "main", At: at},
						{Act: "patch", At: at},
					},
					OpenSetup: true, OpenUses: true,
					Findings: []Finding{{Rule: "a/b", Harm: "loss", Message: "</script><b>\"", URL: "https://example.com", At: at}},
				},
				{
					ID: "example.com/m/other.\"odd\"", Name: `"odd" <name>`, Package: "example.com/m/other", Framework: "client-go", LeaderElection: "default",
					Workers: Workers{Number: 2}, Uses: []Use{{Act: "list", Kind: "k8s.io/api/core/v1.Secret", Source: "client"}},
				},
			},
			Webhooks: []Webhook{
				{Kind: "example.com/m/api/v1.App", Does: []string{"default", "validate"}, Package: "example.com/m/webhooks", At: at},
				{Path: "/mutate-pods", Does: []string{"handle"}, Package: "example.com/m/webhooks", At: at},
			},
			Findings: []Finding{{Rule: "c/d", Harm: "leak", Message: "elsewhere", At: at}},
		}},
	}
}

const sampleChart = `flowchart LR
  subgraph p0["manager (elects a leader if configured)"]
    subgraph g0["controllers"]
      n0["<b>app</b><br/>controllers.AppReconciler<br/>workers: from a flag<br/>own rate limiter<br/>without leadership<br/>finalizer example.com/app (put on, taken off)<br/>? set-up goes on out of sight<br/>? some calls not followed"]:::controller
      n4(("?<br/>kind not known")):::unknown
      n5>"channel or function"]:::source
    end
    subgraph g1["other"]
      n6["<b>#34;odd#34; #60;name#62;</b><br/>workers: 2"]:::controller
    end
    subgraph g2["webhooks"]
      n7{{"webhook"}}:::webhook
      n8{{"webhook<br/>/mutate-pods"}}:::webhook
    end
  end
  n1(["App<br/>example.com/v1"]):::own
  n2(["Deployment<br/>apps/v1"]):::kind
  n3(["Secret<br/>v1"]):::kind
  n1 <==>|"for, if GenerationChangedPredicate<br/>update status<br/>put finalizer on<br/>take finalizer off"| n0
  n0 <-->|"owns<br/>create"| n2
  n3 -.->|"watches, mapped by appsOf, sometimes<br/>get (API)"| n0
  n4 <-.->|"watches, handler: ?<br/>patch"| n0
  n5 -.->|"raw source, own handler"| n0
  n6 -.->|"list"| n3
  n7 --o|"default, validate"| n1
`

func TestMermaid(t *testing.T) {
	var out bytes.Buffer
	left, err := Mermaid(&out, sample())
	if err != nil || left != "" {
		t.Fatal(left, err)
	}
	chart, _, _ := strings.Cut(out.String(), "  classDef")
	if diff := cmp.Diff(sampleChart, chart); diff != "" {
		t.Errorf("want (-) and got (+):\n%s", diff)
	}
}

// TestLarge sees that a chart which Mermaid would refuse gets smaller.
func TestLarge(t *testing.T) {
	for _, test := range []struct {
		controllers, kinds int
		act, left          string
		edges              int
	}{
		{30, 30, "list", "reads are left out", 30},
		{20, 24, "create", "", 20 + 20*24},
		{40, 11, "create", "reads and labels are left out", 0},
		{30, 30, "create", "larger than Mermaid accepts", 30 + 900},
	} {
		m := &Map{Programs: []Program{{Package: "p"}}, Kinds: []Kind{{ID: "own", Name: "Own"}}}
		for i := range test.kinds {
			m.Kinds = append(m.Kinds, Kind{ID: fmt.Sprint("k", i), Name: fmt.Sprint("Kind", i)})
		}
		for i := range test.controllers {
			c := Controller{Name: fmt.Sprint("c", i), Package: fmt.Sprint("p", i), Watches: []Watch{{Role: "for", Kind: "own", Handler: "self"}}}
			if test.edges == 0 {
				c.Watches[0].Func, c.Watches[0].Handler = strings.Repeat("long", 300), "mapped"
			}
			for j := range test.kinds {
				c.Uses = append(c.Uses, Use{Act: test.act, Kind: fmt.Sprint("k", j)})
			}
			m.Programs[0].Controllers = append(m.Programs[0].Controllers, c)
		}
		var out bytes.Buffer
		left, err := Mermaid(&out, m)
		if err != nil || !strings.Contains(left, test.left) || test.left == "" && left != "" {
			t.Errorf("%+v: left %q, error %v", test, left, err)
		}
		if got := len(regexp.MustCompile(`(?m)^  n\d+ <?(==>|-->|-\.->)`).FindAllString(out.String(), -1)); test.edges > 0 && got != test.edges {
			t.Errorf("%+v: %d edges", test, got)
		}
	}
}

func TestDOT(t *testing.T) {
	var out bytes.Buffer
	if err := DOT(&out, sample()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`digraph "m" {`, `subgraph cluster_p0 {`, `label="controllers";`, `label="app\ncontrollers.AppReconciler\nworkers: from a flag\n`,
		`"k example.com/m/api/v1.App" -> "c 0 0" [label="for, if GenerationChangedPredicate\nupdate status\nput finalizer on\ntake finalizer off", penwidth=2.5, dir=both];`, `label="\"odd\" <name>\nworkers: 2"`,
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s is missing in\n%s", want, out.String())
		}
	}
	if strings.Count(out.String(), "{") != strings.Count(out.String(), "}") {
		t.Error("the braces do not match")
	}
}

// TestSchema holds maps against the schema, and finds what is not in it.
func TestSchema(t *testing.T) {
	data, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
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
	check := func(m *Map) error {
		var out bytes.Buffer
		if err := JSON(&out, m); err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(&out)
		if err != nil {
			t.Fatal(err)
		}
		return schema.Validate(value)
	}
	if err := check(sample()); err != nil {
		t.Error(err)
	}
	for _, spoil := range []func(*Map){
		func(m *Map) { m.Version++ },
		func(m *Map) { m.Programs[0].Controllers[0].Framework = "none" },
		func(m *Map) { m.Programs[0].Controllers[0].Uses[0].Act = "watch" },
		func(m *Map) { m.Programs = nil },
	} {
		m := sample()
		spoil(m)
		if check(m) == nil {
			t.Error("the schema takes a map that is wrong")
		}
	}
	if regexp.MustCompile(`"description": ""`).Match(data) {
		t.Error("a field has no description")
	}
}

func TestFocus(t *testing.T) {
	controllers := func(m *Map) (names []string) {
		for _, p := range m.Programs {
			for _, c := range p.Controllers {
				names = append(names, c.Name)
			}
		}
		return names
	}
	kinds := func(m *Map) (names []string) {
		for _, k := range m.Kinds {
			names = append(names, k.Name)
		}
		return names
	}
	for _, test := range []struct {
		focus              string
		controllers, kinds []string
	}{
		{"deployment", []string{"app"}, []string{"App", "Deployment"}},
		{"Deployment.apps", []string{"app"}, []string{"App", "Deployment"}},
		{"secrets", []string{"app", `"odd" <name>`}, []string{"App", "Secret"}},
		{"AppReconciler", []string{"app"}, []string{"App", "Deployment", "Secret"}},
	} {
		m := sample()
		if err := m.Focus(test.focus); err != nil {
			t.Error(err)
			continue
		}
		if got := controllers(m); !slices.Equal(got, test.controllers) {
			t.Errorf("%s: controllers %q, want %q", test.focus, got, test.controllers)
		}
		if got := kinds(m); !slices.Equal(got, test.kinds) {
			t.Errorf("%s: kinds %q, want %q", test.focus, got, test.kinds)
		}
	}
	if err := sample().Focus("Pod"); err == nil || !strings.Contains(err.Error(), `no kind and no controller is named "Pod"; there are "odd" <name>, App, Deployment, Secret, app`) {
		t.Error(err)
	}
}

// TestHTML sees that the page needs nothing else, has all of the picture, and that no
// text gets out of its script.
func TestHTML(t *testing.T) {
	var out bytes.Buffer
	if err := HTML(&out, sample(), "v1.2.3"); err != nil {
		t.Fatal(err)
	}
	page := out.String()
	if found := regexp.MustCompile(`<(script|link|img)[^>]*(src|href)=|@import|url\((?:"|')?http`).FindString(page); found != "" {
		t.Errorf("the page loads something: %s", found)
	}
	if n := strings.Count(page, "</script>"); n != 2 {
		t.Errorf("%d scripts end, want 2", n)
	}
	_, data, _ := strings.Cut(page, `<script type="application/json" id="graph">`)
	data, _, _ = strings.Cut(data, "</script>")
	var got struct {
		Nodes []node
		Edges []edge
		Rest  []Finding
	}
	if err := json.Unmarshal([]byte(data), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Nodes) != 9 || len(got.Edges) != 11 || len(got.Rest) != 1 {
		t.Errorf("%d nodes, %d edges, %d findings elsewhere", len(got.Nodes), len(got.Edges), len(got.Rest))
	}
	if f := got.Nodes[0].Findings; len(f) != 1 || f[0].Message != "</script><b>\"" {
		t.Errorf("the controller has the findings %v", f)
	}
}
