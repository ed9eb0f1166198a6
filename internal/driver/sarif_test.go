package driver

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"go/ast"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/report/rule"
)

// sarifLog is what the tests look at in a report.
type sarifLog struct {
	Runs []struct {
		Tool struct {
			Driver struct {
				Name, Version, InformationURI string
				Rules                         []sarifRule
			}
		}
		ColumnKind         string
		OriginalURIBaseIDs map[string]sarifArtifact
		Results            []sarifResult
		Invocations        []struct {
			ExecutionSuccessful        bool
			ToolExecutionNotifications []struct {
				Level   string
				Message sarifText
			}
		}
	}
}

type (
	sarifText struct{ Text, Markdown string }
	sarifRule struct {
		ID                                      string
		ShortDescription, FullDescription, Help sarifText
		HelpURI                                 string
		DefaultConfiguration                    struct{ Level string }
		Properties                              struct{ Tags []string }
	}
	sarifArtifact struct{ URI, URIBaseID string }
	sarifRegion   struct{ StartLine, StartColumn, EndLine, EndColumn int }
	sarifPlace    struct {
		Message          sarifText
		PhysicalLocation struct {
			ArtifactLocation sarifArtifact
			Region           sarifRegion
		}
	}
	sarifResult struct {
		RuleID              string
		RuleIndex           int
		Level               string
		Message             sarifText
		Locations           []sarifPlace
		RelatedLocations    []sarifPlace
		PartialFingerprints map[string]string
		CodeFlows           []struct {
			ThreadFlows []struct {
				Locations []struct{ Location sarifPlace }
			}
		}
		Fixes []struct {
			Description     sarifText
			ArtifactChanges []struct {
				ArtifactLocation sarifArtifact
				Replacements     []struct {
					DeletedRegion   sarifRegion
					InsertedContent sarifText
				}
			}
		}
	}
)

func (p sarifPlace) String() string {
	r, a := p.PhysicalLocation.Region, p.PhysicalLocation.ArtifactLocation
	return fmt.Sprintf("%s/%s:%d:%d-%d:%d", a.URIBaseID, a.URI, r.StartLine, r.StartColumn, r.EndLine, r.EndColumn)
}

const gomod = "module example.com/m\n\ngo 1.26\n"

// writeModule writes files, with a go.mod if there is none among them, and makes
// their folder the current directory.
func writeModule(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	if !slices.ContainsFunc(slices.Collect(maps.Keys(files)), func(name string) bool { return strings.HasSuffix(name, "go.mod") }) {
		files["go.mod"] = gomod
	}
	for name, content := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	return dir
}

// sarifOf runs the command, validates its report, and returns that.
func sarifOf(t *testing.T, wantStatus int, args ...string) sarifLog {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status := Main(append([]string{"-format=sarif"}, args...), []*analysis.Analyzer{badcall, noise, brackets}, &stdout, &stderr)
	if status != wantStatus {
		t.Fatalf("exit status %d, want %d\n%s", status, wantStatus, stderr.String())
	}
	validate(t, stdout.Bytes())
	var log sarifLog
	if err := json.Unmarshal(stdout.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	if len(log.Runs) != 1 || len(log.Runs[0].Invocations) != 1 {
		t.Fatalf("want one run with one invocation\n%s", stdout.String())
	}
	return log
}

//go:embed testdata/sarif/sarif-schema-2.1.0.json
var schemaText []byte

// schema is the schema of SARIF.
var schema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	text, err := jsonschema.UnmarshalJSON(bytes.NewReader(schemaText))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("sarif.json", text); err != nil {
		return nil, err
	}
	return compiler.Compile("sarif.json")
})

func validate(t *testing.T, report []byte) {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(report))
	if err != nil {
		t.Fatal(err)
	}
	schema, err := schema()
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(value); err != nil {
		t.Errorf("the report does not meet the schema: %v\n%s", err, report)
	}
}

// brackets reports functions named brackets, with a message that looks like a
// link.
var brackets = rule.New(rule.Spec{
	Name: "brackets", Summary: "brackets", Group: "samples", Since: "v0", Anywhere: true,
	DocSource:  "// Package brackets is for tests.\n//\n// It reports functions.\n//\n// # link\n//\n// A message that looks like a link.\n//\n//\tcode()\npackage brackets\n",
	Categories: []rule.Category{{Name: "link", Summary: "a message that looks like a link", Harm: rule.Leak}},
	Run: func(pass *analysis.Pass, report *rule.Reporter) error {
		for _, file := range pass.Files {
			for _, decl := range file.Decls {
				if fn, ok := decl.(*ast.FuncDecl); ok && fn.Name.Name == "brackets" {
					report.Report(rule.Finding{Pos: fn.Pos(), Category: "link", Message: "call New[T](x)"})
				}
			}
		}
		return nil
	},
})

func TestSarif(t *testing.T) {
	dir := writeModule(t, map[string]string{
		".git/HEAD":               "ref: refs/heads/main\n",
		"näh & so/go.mod":         gomod,
		"näh & so/lib/lib.go":     "package lib\n\n// Danger is bad.\nfunc Danger() int { return 1 }\n",
		"näh & so/m 1.go":         "package m\n\nimport \"example.com/m/lib\"\n\nvar s, i = \"ä😀\", lib.Danger()\n",
		"näh & so/noisy/noisy.go": "package noisy\n\nfunc brackets() {}\n",
	})
	t.Chdir("näh & so")
	t.Cleanup(func() { _ = noise.Flags.Set("strict", "false") })
	run := sarifOf(t, exitFindings, "-noise.strict", "-noise", "-badcall", "-brackets").Runs[0]

	driver := run.Tool.Driver
	if driver.Name != "opvet" || driver.Version == "" || driver.InformationURI != homepage {
		t.Errorf("tool %+v", driver)
	}
	if run.ColumnKind != "utf16CodeUnits" {
		t.Errorf("columnKind %q", run.ColumnKind)
	}
	if base, want := run.OriginalURIBaseIDs[srcRoot].URI, "file://"+filepath.ToSlash(dir)+"/"; base != want {
		t.Errorf("source root %q, want %q", base, want)
	}
	if inv := run.Invocations[0]; !inv.ExecutionSuccessful || len(inv.ToolExecutionNotifications) > 0 {
		t.Errorf("invocation %+v", inv)
	}

	var ids []string
	for _, rule := range driver.Rules {
		ids = append(ids, rule.ID+" "+rule.DefaultConfiguration.Level)
	}
	if want := []string{"badcall/direct error", "brackets/link warning", "noise/package error", "noise/doubtful warning"}; !slices.Equal(ids, want) {
		t.Errorf("rules %q, want %q", ids, want)
	}
	link := driver.Rules[1]
	want := sarifRule{
		ID:               "brackets/link",
		ShortDescription: sarifText{Text: "A message that looks like a link."},
		FullDescription:  sarifText{Text: "A message that looks like a link."},
		Help:             sarifText{"A message that looks like a link.\n\n\tcode()", "A message that looks like a link.\n\n```go\ncode()\n```"},
		HelpURI:          "https://github.com/opvet/opvet/blob/main/docs/analyzers/brackets.md#link",
	}
	want.DefaultConfiguration.Level = "warning"
	want.Properties.Tags = []string{"samples"}
	if diff := cmp.Diff(want, link); diff != "" {
		t.Errorf("rule (-want +got):\n%s", diff)
	}
	if help := driver.Rules[0].Help.Text; help != "A direct call." {
		t.Errorf("help of a category without a section: %q", help)
	}

	var got []string
	for _, result := range run.Results {
		if driver.Rules[result.RuleIndex].ID != result.RuleID {
			t.Errorf("rule %s has the index of %s", result.RuleID, driver.Rules[result.RuleIndex].ID)
		}
		got = append(got, fmt.Sprintf("%s %s %s", result.Locations[0], result.Level, result.Message.Text))
	}
	wantResults := []string{
		// Columns count two for 😀 and one for ä.
		"%SRCROOT%/n%C3%A4h%20&%20so/m%201.go:5:19-5:31 error call of bad function Danger (badcall/direct)",
		"%SRCROOT%/n%C3%A4h%20&%20so/noisy/noisy.go:1:9-0:0 error noise (noise/package)",
		`%SRCROOT%/n%C3%A4h%20&%20so/noisy/noisy.go:3:1-0:0 warning call New\[T\](x) (brackets/link)`,
		"%SRCROOT%/n%C3%A4h%20&%20so/noisy/noisy.go:1:9-0:0 warning murmur (noise/doubtful)",
	}
	if diff := cmp.Diff(wantResults, got); diff != "" {
		t.Fatalf("results (-want +got):\n%s", diff)
	}

	call := run.Results[0]
	uri := call.Locations[0].PhysicalLocation.ArtifactLocation.URI
	if name, err := url.PathUnescape(uri); err != nil || name != "näh & so/m 1.go" {
		t.Errorf("%s names %q, %v", uri, name, err)
	}
	if len(call.RelatedLocations) != 1 || call.RelatedLocations[0].Message.Text != "in this package" || call.RelatedLocations[0].PhysicalLocation.Region.StartLine != 1 {
		t.Errorf("related %+v", call.RelatedLocations)
	}
	var steps []string
	for _, step := range call.CodeFlows[0].ThreadFlows[0].Locations {
		steps = append(steps, step.Location.Message.Text)
	}
	if want := []string{"in this package", call.Message.Text}; !slices.Equal(steps, want) {
		t.Errorf("code flow %q, want %q", steps, want)
	}
	fix := call.Fixes[0]
	change := fix.ArtifactChanges[0]
	edit := change.Replacements[0]
	if fix.Description.Text != "call good" || change.ArtifactLocation.URI != uri ||
		edit.InsertedContent.Text != "good" || edit.DeletedRegion != (sarifRegion{5, 19, 5, 29}) {
		t.Errorf("fix %+v", fix)
	}
}

func TestSarifProblems(t *testing.T) {
	writeModule(t, map[string]string{"typo/typo.go": "package typo\n\nvar _ = nothing\n"})
	run := sarifOf(t, exitFailure).Runs[0]
	inv := run.Invocations[0]
	if inv.ExecutionSuccessful || len(inv.ToolExecutionNotifications) != 2 || len(run.Results) > 0 {
		t.Fatalf("run %+v", run)
	}
	if n := inv.ToolExecutionNotifications[0]; n.Level != "error" || n.Message.Text != "typo/typo.go:3:9: undefined: nothing" {
		t.Errorf("notification %+v", n)
	}
}

// TestSarifRoot checks that files are named from the top of the repository,
// and those outside of it by their whole name.
func TestSarifRoot(t *testing.T) {
	dir := writeModule(t, map[string]string{
		"repo/.git/HEAD":      "ref: refs/heads/main\n",
		"repo/noisy/noisy.go": "package noisy\n",
		"noisy/noisy.go":      "package noisy\n",
	})
	t.Chdir("repo/noisy")
	run := sarifOf(t, exitFindings, "example.com/m/...").Runs[0]
	base := "file://" + filepath.ToSlash(dir)
	if got := run.OriginalURIBaseIDs[srcRoot].URI; got != base+"/repo/" {
		t.Errorf("source root %q", got)
	}
	var got []sarifArtifact
	for _, result := range run.Results {
		got = append(got, result.Locations[0].PhysicalLocation.ArtifactLocation)
	}
	if want := []sarifArtifact{{base + "/noisy/noisy.go", ""}, {"noisy/noisy.go", srcRoot}}; !slices.Equal(got, want) {
		t.Errorf("artifacts %v, want %v", got, want)
	}
}

// TestFingerprints checks that moving code does not make a finding new.
func TestFingerprints(t *testing.T) {
	const bad = "package m\n\n// f is bad.\nfunc f() {}\n"
	prints := func(code string) []string {
		t.Helper()
		writeModule(t, map[string]string{"m.go": bad + code})
		var prints []string
		for _, result := range sarifOf(t, exitFindings, "-badcall").Runs[0].Results {
			prints = append(prints, result.PartialFingerprints[fingerprintKey])
		}
		return prints
	}
	old := prints("type T[P any] struct{}\n\nfunc g() {\n\tf()\n\tf()\n}\n\nfunc (t *T[P]) g() {\n\tf() // here\n}\n\nvar _ = func() { f() }\n")
	if len(old) != 4 || len(slices.Compact(slices.Sorted(slices.Values(old)))) != 4 {
		t.Fatalf("fingerprints %q are not four", old)
	}
	if !strings.HasSuffix(old[0], ":1") || old[1] != strings.TrimSuffix(old[0], "1")+"2" {
		t.Errorf("equal findings have %q and %q", old[0], old[1])
	}
	moved := prints("\n// More.\nfunc more() {}\n\nvar  _  =  func() { f() }\n\nfunc (t *T[P]) g() {\n\tif true {\n\t\tf()   // here\n\t}\n}\n\ntype T[P any] struct{}\n\nfunc g() {\n\tprint()\n\tf()\n\tf()\n}\n")
	if want := []string{old[3], old[2], old[0], old[1]}; !slices.Equal(moved, want) {
		t.Errorf("moved code has %q, want %q", moved, want)
	}
	other := prints("func h() {\n\tf()\n}\n")
	if slices.Contains(old, other[0]) {
		t.Error("a finding in another function has a known fingerprint")
	}
}

func TestSuiteRules(t *testing.T) {
	long := rule.New(rule.Spec{
		Name: "linked", Summary: "links", Group: "samples", Since: "v0", Anywhere: true,
		DocSource:  "// Package linked is for tests.\n//\n// # one\n//\n// See [page].\n//\n// [page]: https://example.com/\npackage linked\n",
		Categories: []rule.Category{{Name: "one", Summary: "one", Harm: rule.Loss}},
	})
	if got := *sarifRules(long)[0].Help.Markdown; got != "See [page](https://example.com/)." {
		t.Errorf("markdown %q", got)
	}
}
