package nogo

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/opvet/opvet/analyzers"
)

// TestDocumentedConfiguration reads the examples of the page as nogo would.
func TestDocumentedConfiguration(t *testing.T) {
	page, err := os.ReadFile("../../../docs/bazel.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "\n```json\n")
	text, _, _ := strings.Cut(rest, "\n```\n")
	var config map[string]struct {
		OnlyFiles     map[string]string `json:"only_files"`
		ExcludeFiles  map[string]string `json:"exclude_files"`
		AnalyzerFlags map[string]string `json:"analyzer_flags"`
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&config); err != nil {
		t.Fatalf("the example of nogo.json: %v", err)
	}
	for name, c := range config {
		for _, files := range []map[string]string{c.OnlyFiles, c.ExcludeFiles} {
			for pattern := range files {
				if _, err := regexp.Compile(pattern); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
		if name == "_base" {
			continue
		}
		a := analyzers.ByName(name)
		if a == nil {
			t.Errorf("there is no analyzer %s", name)
			continue
		}
		for key, value := range c.AnalyzerFlags {
			f := a.Flags.Lookup(key)
			if f == nil {
				t.Errorf("%s has no flag %s", name, key)
				continue
			}
			if err := f.Value.Set(value); err != nil {
				t.Errorf("%s.%s=%s: %v", name, key, value, err)
			}
			if err := f.Value.Set(f.DefValue); err != nil {
				t.Error(err)
			}
		}
	}

	labels := regexp.MustCompile(`@com_github_opvet_opvet//analyzers/([a-z]+)`).FindAllStringSubmatch(string(page), -1)
	if len(labels) == 0 {
		t.Error("the page has no labels")
	}
	for _, label := range labels {
		if analyzers.ByName(label[1]) == nil {
			t.Errorf("%s: there is no such analyzer", label[0])
		}
	}
}
