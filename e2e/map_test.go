package e2e

import (
	"encoding/json"
	"html"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestMap draws the demo operator in all forms.
func TestMap(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(root, "testdata")
	draw := func(t *testing.T, args ...string) string {
		t.Helper()
		return run(t, dir, opvet(t), append(append([]string{"map"}, args...), "./demo/...")...).want(t, 0).stdout
	}
	t.Run("page", func(t *testing.T) {
		t.Parallel()
		_, chart, _ := strings.Cut(read(t, filepath.Join(root, "docs", "map.md")), "```mermaid\n")
		chart, _, _ = strings.Cut(chart, "```")
		if diff := cmp.Diff(draw(t, "-focus", "CacheUser"), chart); diff != "" {
			t.Errorf("docs/map.md has another chart of the demo operator; want (-) and got (+):\n%s", diff)
		}
	})
	t.Run("json", func(t *testing.T) {
		t.Parallel()
		text := draw(t, "-format", "json", "-findings")
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		schema, err := jsonschema.NewCompiler().Compile(filepath.Join(root, "docs", "map.schema.json"))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			t.Error(err)
		}
		checkDemo(t, text)
	})
	t.Run("dot", func(t *testing.T) {
		t.Parallel()
		for _, want := range []string{`digraph "testdata" {`, `label="manager (elects a leader)"`, `[label="owns", color="#2f7d45"]`} {
			if out := draw(t, "-format", "dot"); !strings.Contains(out, want) {
				t.Errorf("%s is missing in\n%s", want, out)
			}
		}
	})
	t.Run("html", func(t *testing.T) {
		t.Parallel()
		page := draw(t, "-format", "html")
		if !strings.Contains(page, "<title>opvet map: testdata</title>") || !strings.Contains(page, `"rule":"eventfilter/no-generation"`) {
			t.Error("the page lacks its title or a finding")
		}
		if found := regexp.MustCompile(`<(script|img|link)[^>]*(src|href)=`).FindString(page); found != "" {
			t.Errorf("the page loads something: %s", found)
		}
	})
	t.Run("report", func(t *testing.T) {
		t.Parallel()
		file, again := filepath.Join(t.TempDir(), "opvet.html"), filepath.Join(t.TempDir(), "again.html")
		run(t, dir, opvet(t), "-format", "html="+file, "-format", "html="+again, "./demo/...").want(t, 1)
		page := read(t, file)
		if page != read(t, again) {
			t.Error("one run writes two different pages")
		}
		_, framed, _ := strings.Cut(page, ` srcdoc="`)
		framed, _, _ = strings.Cut(framed, `"`)
		framed = html.UnescapeString(framed)
		if !strings.Contains(framed, "<title>opvet map: testdata</title>") || !strings.HasSuffix(framed, "</html>\n") {
			t.Error("the page of findings has no map")
		}
		link := regexp.MustCompile(`"rule":"eventfilter/no-generation",[^}]*"url":"#(f[0-9]+)"`).FindStringSubmatch(framed)
		if link == nil || !regexp.MustCompile(`(?s)<article id="`+link[1]+`".*?>eventfilter/([a-z-]+)<`).MatchString(page) {
			t.Errorf("the map's finding leads nowhere: %q", link)
		}
	})
	t.Run("twice", func(t *testing.T) {
		t.Parallel()
		if first, second := draw(t, "-format", "json"), draw(t, "-format", "json"); first != second {
			t.Error("two runs differ")
		}
	})
}

// checkDemo compares some of the map with the set-up of the demo operator.
func checkDemo(t *testing.T, text string) {
	t.Helper()
	type watch struct{ Role, Kind, Handler, Func string }
	var m struct {
		Programs []struct {
			Package     string
			Managers    []struct{ LeaderElection string }
			Controllers []struct {
				Name, Framework string
				Watches         []watch
				Findings        []struct{ Rule string }
			}
		}
	}
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatal(err)
	}
	const demo = "github.com/opvet/opvet/testdata/demo/"
	var got []string
	found := make(map[string][]string)
	for _, p := range m.Programs {
		got = append(got, strings.TrimPrefix(p.Package, demo)+" "+p.Managers[0].LeaderElection)
		for _, c := range p.Controllers {
			if c.Name != "pins" && c.Name != "cache" && c.Name != "podwatch" {
				continue
			}
			for _, w := range c.Watches {
				kind := w.Kind[strings.LastIndex(w.Kind, ".")+1:]
				got = append(got, strings.TrimSpace(strings.Join([]string{c.Framework, c.Name, w.Role, kind, w.Handler, strings.TrimPrefix(w.Func, demo)}, " ")))
			}
			for _, f := range c.Findings {
				found[c.Name] = append(found[c.Name], f.Rule)
			}
		}
	}
	want := []string{
		"cmd/manager yes",
		"builder cache for Cache self", "builder cache owns StatefulSet owner", "builder cache owns ConfigMap owner",
		"builder pins for Cache self", "builder pins watches Namespace mapped (*" + demo + "internal/filters.Pins).cachesIn",
		"client-go podwatch watches Pod custom (*" + demo + "internal/podwatch.Controller).podAdded",
		"cmd/mirror no", "cmd/quotas no",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want (-) and got (+):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"eventfilter/no-generation"}, found["pins"]); diff != "" {
		t.Errorf("the findings in pins: want (-) and got (+):\n%s", diff)
	}
}
