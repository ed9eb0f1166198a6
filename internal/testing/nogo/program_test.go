package nogo

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/template"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/analyzers"
	"github.com/opvet/opvet/internal/report/guard"
)

// program is what rules_go generates of a list of analyzer packages, with
// another main function.
var program = template.Must(template.New("main.go").Parse(`package main

import (
	"fmt"
	"os"

	"golang.org/x/tools/go/analysis"
{{range $i, $path := .}}
	analyzer{{$i}} "{{$path}}"
{{- end}}
)

var analyzers = []*analysis.Analyzer{
{{- range $i, $path := .}}
	analyzer{{$i}}.Analyzer,
{{- end}}
}

func main() {
	if err := analysis.Validate(analyzers); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, a := range analyzers {
		fmt.Println(a.Name)
	}
}
`))

// TestProgram links all packages below analyzers as nogo is linked, by their
// import paths alone.
func TestProgram(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	sources, err := filepath.Glob(filepath.Join(root, "analyzers", "*", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var paths, names []string
	for _, source := range sources {
		if name := filepath.Base(filepath.Dir(source)); !slices.Contains(names, name) {
			paths = append(paths, "github.com/opvet/opvet/analyzers/"+name)
			names = append(names, name)
		}
	}

	dir := t.TempDir()
	var source strings.Builder
	if err := program.Execute(&source, paths); err != nil {
		t.Fatal(err)
	}
	main := filepath.Join(dir, "main.go")
	if err := os.WriteFile(main, []byte(source.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	const at = "internal/testing/nogo/program"
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(root, at, "main.go"): main}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "run", "-overlay="+filepath.Join(dir, "overlay.json"), "./"+at)
	cmd.Dir, cmd.Stderr = root, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("the program does not run: %v", err)
	}
	if got := strings.Fields(string(out)); !slices.Equal(got, names) {
		t.Errorf("the program has the analyzers %v, its packages are %v", got, names)
	}

	var suite []string
	for _, a := range analyzers.All() {
		suite = append(suite, a.Name)
	}
	if !slices.Equal(suite, names) {
		t.Errorf("the registry has %v, the packages are %v", suite, names)
	}
}

// TestOptionsAreFlagsOfAnalyzers sees to it that all options can be given in
// nogo's configuration: it sets the flags of analyzers, which it finds by
// name, and knows nothing else.
func TestOptionsAreFlagsOfAnalyzers(t *testing.T) {
	flag.VisitAll(func(f *flag.Flag) {
		if !strings.HasPrefix(f.Name, "test.") {
			t.Errorf("-%s is a flag of the whole program", f.Name)
		}
	})
	suite := analyzers.All()
	for _, a := range guard.Passes(suite) {
		if strings.Contains(a.Name, "-") {
			t.Errorf("analyzer %s: Bazel wants a name without '-'", a.Name)
		}
		a.Flags.VisitAll(func(f *flag.Flag) {
			if !slices.ContainsFunc(suite, func(root *analysis.Analyzer) bool { return root == a }) {
				t.Errorf("the shared pass %s has the flag %s", a.Name, f.Name)
			}
			if strings.HasPrefix(f.Name, "-") {
				t.Errorf("analyzer %s: nogo refuses the flag %q", a.Name, f.Name)
			}
		})
	}
}
