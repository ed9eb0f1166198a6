package e2e

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/format"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// golangciLint is golangci-lint with the plugin.
var golangciLint = program("golangci-lint-opvet", "cmd/golangci-lint-opvet", ".")

// The exit statuses of golangci-lint.
const (
	golangciFindings = 1
	golangciFailure  = 3
)

// located is a finding as every driver can tell it. The file is relative to the module.
type located struct {
	File         string
	Line, Column int
	Message      string
}

func (l located) String() string {
	return fmt.Sprintf("%s:%d:%d: %s", l.File, l.Line, l.Column, l.Message)
}

// linted is what golangci-lint says about a module, findings by linter.
type linted struct {
	findings map[string][]located
	text     string   // its output for people
	sarif    []byte   // its output as SARIF
	warnings string   // its standard error
	analysed []string // packages whose findings were not in the cache
}

// linter runs golangci-lint with a cache of the test's own, which copies of a module
// share.
type linter struct {
	exe   string
	cache string
}

func newLinter(t *testing.T) *linter {
	return &linter{exe: golangciLint(t), cache: t.TempDir()}
}

// configured returns a copy of the demo operator and the named folders with the
// example as its configuration.
func configured(t *testing.T, folders ...string) string {
	t.Helper()
	dir := copyModule(t, append(folders, "demo")...)
	write(t, filepath.Join(dir, ".golangci.yml"), read(t, filepath.Join(root, ".golangci.example.yml")))
	return dir
}

func (l *linter) start(t *testing.T, dir string, args ...string) result {
	t.Helper()
	// Its lock, which keeps it from running twice, is among the temporary files.
	return start(t, dir, []string{"GOLANGCI_LINT_CACHE=" + l.cache, "TMPDIR=" + l.cache, "GL_DEBUG=goanalysis/issues/cache"}, l.exe, args...)
}

// run runs the linter in dir, which must have findings, with every kind of output.
func (l *linter) run(t *testing.T, dir string, args ...string) *linted {
	t.Helper()
	out := t.TempDir()
	args = append([]string{
		"run", "--allow-parallel-runners", "--enable-only=opvet", "--show-stats=false", "--output.text.path=stdout",
		"--output.json.path=" + filepath.Join(out, "json"), "--output.sarif.path=" + filepath.Join(out, "sarif"),
	}, args...)
	r := l.start(t, dir, args...).want(t, golangciFindings)

	var report struct {
		Issues []struct {
			FromLinter, Text string
			Pos              struct {
				Filename     string
				Line, Column int
			}
		}
	}
	if err := json.Unmarshal([]byte(read(t, filepath.Join(out, "json"))), &report); err != nil {
		t.Fatal(err)
	}
	result := &linted{
		findings: make(map[string][]located), text: r.stdout, sarif: []byte(read(t, filepath.Join(out, "sarif"))),
		warnings: r.stderr, analysed: analysed(r.stderr),
	}
	for _, issue := range report.Issues {
		result.findings[issue.FromLinter] = append(result.findings[issue.FromLinter],
			located{issue.Pos.Filename, issue.Pos.Line, issue.Pos.Column, issue.Text})
	}
	for _, findings := range result.findings {
		sortLocated(findings)
	}
	return result
}

var notCached = regexp.MustCompile(`Didn't load package (\S+) issues from cache`)

// analysed reads what golangci-lint says of its cache.
func analysed(stderr string) []string {
	var packages []string
	for _, match := range notCached.FindAllStringSubmatch(stderr, -1) {
		packages = append(packages, strings.TrimPrefix(match[1], "github.com/opvet/opvet/testdata/"))
	}
	slices.Sort(packages)
	return packages
}

// standalone returns what opvet itself finds.
func standalone(t *testing.T, dir string, args ...string) []located {
	t.Helper()
	var findings []located
	for _, d := range diagnostics(t, dir, args...) {
		findings = append(findings, d.located(t, dir))
	}
	sortLocated(findings)
	if len(findings) == 0 {
		t.Fatal("opvet finds nothing, so that there is nothing to compare")
	}
	return findings
}

// located returns the finding as it is compared.
func (d diagnostic) located(t *testing.T, dir string) located {
	t.Helper()
	file, rest, _ := strings.Cut(strings.TrimPrefix(d.Posn, dir+string(filepath.Separator)), ":")
	line, column, _ := strings.Cut(rest, ":")
	return located{filepath.ToSlash(file), number(t, line), number(t, column), d.Message}
}

// diagnostic is a finding in the output of opvet -json.
type diagnostic struct {
	Posn, Message  string
	Harm, Settled  string
	SuggestedFixes []struct {
		Edits []struct {
			Filename, New string
			Start, End    int
		}
	} `json:"suggested_fixes"`
}

func diagnostics(t *testing.T, dir string, args ...string) []diagnostic {
	t.Helper()
	r := run(t, dir, opvet(t), append([]string{"-json"}, args...)...)
	if r.status > 1 {
		// What it has found may be the same; if not, this tells why.
		t.Logf("exit status %d: opvet has not analysed all\n%s", r.status, r.stderr)
	}
	var tree map[string]map[string][]diagnostic
	if err := json.Unmarshal([]byte(r.stdout), &tree); err != nil {
		t.Fatalf("%v\n%s", err, r.stderr)
	}
	var all []diagnostic
	for _, byAnalyzer := range tree {
		for _, found := range byAnalyzer {
			all = append(all, found...)
		}
	}
	return all
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func sortLocated(findings []located) {
	slices.SortFunc(findings, func(a, b located) int {
		return cmp.Or(cmp.Compare(a.File, b.File), a.Line-b.Line, a.Column-b.Column, cmp.Compare(a.Message, b.Message))
	})
}

// same fails the test unless two lists of findings are equal.
func same(t *testing.T, what string, got, want []located) {
	t.Helper()
	if diff := gocmp.Diff(lines(want), lines(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func lines(findings []located) []string {
	var result []string
	for _, f := range findings {
		result = append(result, f.String())
	}
	return result
}

// without returns the findings that match none of the patterns, each of which must match one.
func without(t *testing.T, findings []located, patterns ...string) []located {
	t.Helper()
	left := slices.Clone(findings)
	for _, pattern := range patterns {
		before := len(left)
		left = slices.DeleteFunc(left, func(f located) bool { return regexp.MustCompile(pattern).MatchString(f.String()) })
		if len(left) == before {
			t.Fatalf("no finding matches %q", pattern)
		}
	}
	return left
}

// TestGolangciLint runs the linter as its users do. The parts share a cache, since filling
// it takes most of the time: what is known of Kubernetes' packages is in it.
func TestGolangciLint(t *testing.T) {
	t.Parallel()
	linter := newLinter(t)
	dir := configured(t, "handlergoroutine/crosspkg")
	const packages = "./..."

	t.Run("first", func(t *testing.T) {
		want := standalone(t, dir, packages)
		got := linter.run(t, dir, packages)
		if len(got.analysed) == 0 {
			t.Errorf("nothing was analysed: is the cache another one, or does it say so otherwise?\n%s", got.warnings)
		}
		same(t, "JSON", got.findings["opvet"], want)
		same(t, "SARIF", sarifFindings(t, got.sarif), want)
		same(t, "text", textFindings(t, got.text), want)
	})

	t.Run("second, from the cache", func(t *testing.T) {
		got := linter.run(t, dir, packages)
		same(t, "findings", got.findings["opvet"], standalone(t, dir, packages))
		if len(got.analysed) > 0 {
			t.Errorf("analysed again: %q", got.analysed)
		}
	})

	t.Run("configuration is valid", func(t *testing.T) {
		linter.start(t, dir, "config", "verify").want(t, 0)
	})

	t.Run("a helper in another package has changed", func(t *testing.T) {
		dir := configured(t, "handlergoroutine/crosspkg")
		replace(t, filepath.Join(dir, "handlergoroutine/crosspkg/lib/lib.go"),
			"func configure(name string) { go slow(name) }", "func configure(name string) { slow(name) }")
		got := linter.run(t, dir, packages)
		same(t, "findings", got.findings["opvet"], standalone(t, dir, packages))
		if want := []string{"handlergoroutine/crosspkg", "handlergoroutine/crosspkg/lib"}; !slices.Equal(got.analysed, want) {
			t.Errorf("analysed %q, want %q", got.analysed, want)
		}
		for _, finding := range got.findings["opvet"] {
			if strings.Contains(finding.Message, "Reconcile → Configure → configure") {
				t.Errorf("stale finding: %s", finding)
			}
		}
	})

	t.Run("fix", func(t *testing.T) {
		dir := configured(t)
		want := fixed(t, dir, "./demo/...")
		r := linter.start(t, dir, "run", "--allow-parallel-runners", "--enable-only=opvet", "--fix", "./demo/...").want(t, golangciFindings)
		if strings.Contains(r.stderr, "are skipped") {
			t.Error(r.stderr)
		}
		for file, content := range want {
			if diff := gocmp.Diff(content, read(t, file)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", file, diff)
			}
		}
		run(t, dir, "go", "build", "./demo/...").want(t, 0)
	})

	t.Run("silenced", func(t *testing.T) { testGolangciSilenced(t, linter) })
	t.Run("settings", func(t *testing.T) { testGolangciSettings(t, linter) })
	t.Run("bad settings", func(t *testing.T) { testGolangciBadSettings(t, linter) })
	t.Run("another build", func(t *testing.T) { testGolangciRebuilt(t, linter) })
}

// sarifFindings reads the linter's SARIF.
func sarifFindings(t *testing.T, content []byte) []located {
	t.Helper()
	var report struct {
		Version string
		Runs    []struct {
			Results []struct {
				RuleID    string
				Message   struct{ Text string }
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine, StartColumn int }
					}
				}
			}
		}
	}
	if err := json.Unmarshal(content, &report); err != nil {
		t.Fatal(err)
	}
	if report.Version != "2.1.0" || len(report.Runs) != 1 {
		t.Fatalf("SARIF %s with %d runs", report.Version, len(report.Runs))
	}
	var findings []located
	for _, r := range report.Runs[0].Results {
		if r.RuleID != "opvet" || len(r.Locations) != 1 {
			t.Errorf("result of rule %q with %d locations", r.RuleID, len(r.Locations))
			continue
		}
		at := r.Locations[0].PhysicalLocation
		findings = append(findings, located{at.ArtifactLocation.URI, at.Region.StartLine, at.Region.StartColumn, r.Message.Text})
	}
	sortLocated(findings)
	return findings
}

var textFinding = regexp.MustCompile(`(?m)^(\S+\.go):(\d+):(\d+): (.*) \(opvet\)$`)

// textFindings reads the linter's output for people.
func textFindings(t *testing.T, text string) []located {
	t.Helper()
	var findings []located
	for _, match := range textFinding.FindAllStringSubmatch(text, -1) {
		findings = append(findings, located{match[1], number(t, match[2]), number(t, match[3]), match[4]})
	}
	sortLocated(findings)
	return findings
}

// fixed returns what the fixes that opvet offers make of files.
func fixed(t *testing.T, dir string, packages ...string) map[string]string {
	t.Helper()
	type edit struct {
		start, end int
		text       string
	}
	edits := make(map[string][]edit)
	for _, d := range diagnostics(t, dir, packages...) {
		for _, fix := range d.SuggestedFixes {
			for _, e := range fix.Edits {
				edits[e.Filename] = append(edits[e.Filename], edit{e.Start, e.End, e.New})
			}
		}
	}
	if len(edits) == 0 {
		t.Fatal("no finding has a fix")
	}
	files := make(map[string]string)
	for file, edits := range edits {
		slices.SortFunc(edits, func(a, b edit) int {
			return cmp.Or(a.start-b.start, a.end-b.end, cmp.Compare(a.text, b.text))
		})
		content := read(t, file)
		for _, e := range slices.Backward(slices.Compact(edits)) { // an import that two fixes add is one edit
			content = content[:e.start] + e.text + content[e.end:]
		}
		formatted, err := format.Source([]byte(content)) // as golangci-lint does
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		files[file] = string(formatted)
	}
	return files
}

func testGolangciSilenced(t *testing.T, linter *linter) {
	dir := configured(t)
	cache := filepath.Join(dir, "demo/internal/controller/cache_controller.go")
	teardown := filepath.Join(dir, "demo/internal/teardown/copies.go")
	const packages = "./demo/..."

	before := standalone(t, dir, "-harm=hygiene", packages)
	replace(t, filepath.Join(dir, ".golangci.yml"), "harm: load", "harm: hygiene")
	replace(t, filepath.Join(dir, ".golangci.yml"), "\nlinters:\n", `
linters:
  exclusions:
    rules:
      - linters: [opvet]
        text: \(detachedctx/
`)
	// One for each way to silence, on lines of their own where that does not
	// move others.
	replace(t, cache, "go r.warmUp(address(&cache))\n", "go r.warmUp(address(&cache)) //nolint:opvet // a test\n")
	replace(t, teardown, "return r.Patch(ctx, backup, patch)\n", "return r.Patch(ctx, backup, patch) //nolint:finalizerpatch // a test\n")
	replace(t, teardown, "runtime.SetFinalizer(lease, func(l *Lease) {\n", "runtime.SetFinalizer(lease, func(l *Lease) { //nolint // a test\n")
	replace(t, teardown, "runtime.AddCleanup(backup, r.Store.forget, bucket)\n", "runtime.AddCleanup(backup, r.Store.forget, bucket) //nolint:all // a test\n")
	replace(t, teardown, "\n\nimport (\n", "\n\nimport ( //nolint:opvet // silences nothing\n")

	got := linter.run(t, dir, "--enable-only=opvet,nolintlint", packages)
	same(t, "findings", got.findings["opvet"], without(t, before, `\(detachedctx/`,
		`handlergoroutine/per-reconcile`, `finalizerpatch/raw-list`, `gcfinalizer/cluster-resource`, `gcfinalizer/api-object`))
	if unused := got.findings["nolintlint"]; len(unused) != 1 || !strings.HasSuffix(unused[0].File, "copies.go") ||
		!strings.Contains(unused[0].Message, "is unused for linter \"opvet\"") {
		t.Errorf("nolintlint finds %v", unused)
	}
	if !strings.Contains(got.warnings, "Found unknown linters in //nolint directives: ") {
		t.Errorf("no warning of names that golangci-lint does not know; docs/golangci-lint.md says there is one:\n%s", got.warnings)
	}
}

func testGolangciSettings(t *testing.T, linter *linter) {
	dir := configured(t, "api", "statusupdate")
	config := filepath.Join(dir, ".golangci.yml")
	replace(t, config, "enable: [all]", "enable: [finalizers, statusupdate]")
	replace(t, config, "disable: []", "disable: [gcfinalizer]")
	replace(t, config, "tests: false", "tests: true")
	replace(t, config, "strict: false", "strict: true")
	packages := []string{"./demo/...", "./statusupdate/strict", "./statusupdate/suppressed"}

	got := linter.run(t, dir, packages...).findings["opvet"]
	same(t, "findings", got, standalone(t, dir, append([]string{
		"-deletiontimestamp", "-finalizeradd", "-finalizerpatch", "-finalizerremoval", "-jobdelete", "-ownerref", "-statusupdate", "-webhookdelete",
		"-test", "-statusupdate.strict"}, packages...)...))
	// Each setting has had its effect: without it there would be less, or more.
	without(t, got, `finalizerremoval/`, `statusupdate/strict/strict\.go.*metadata-dropped`, `_test\.go`)
	for _, finding := range got {
		if regexp.MustCompile(`gcfinalizer/|handlergoroutine/`).MatchString(finding.Message) {
			t.Errorf("an analyzer that is not enabled reports %s", finding)
		}
	}
}

func testGolangciBadSettings(t *testing.T, linter *linter) {
	for _, test := range []struct{ old, new, want string }{
		{"enable: [all]", "enabel: [all]", "enabel: no such setting; did you mean enable?"},
		{"enable: [all]", "enable: [statusupdates]", `enable[0]: no analyzer or group is named "statusupdates"; did you mean statusupdate?`},
		{"statusupdate:\n", "statusupdates:\n", `settings.statusupdates: no analyzer is named "statusupdates"; did you mean statusupdate?`},
		{"strict: false", "strikt: true", `settings.statusupdate.strikt: analyzer statusupdate has no flag "strikt"; it has crds, generated, harm, strict, tests`},
		{"strict: false", "strict: sometimes", `settings.statusupdate.strict: bad value "sometimes": want true or false`},
	} {
		t.Run(test.new, func(t *testing.T) {
			dir := configured(t)
			replace(t, filepath.Join(dir, ".golangci.yml"), test.old, test.new)
			r := linter.start(t, dir, "run", "--allow-parallel-runners", "--enable-only=opvet", "./demo/...").want(t, golangciFailure)
			if !strings.Contains(r.stderr, "settings of linter opvet: "+test.want) {
				t.Errorf("the error does not say %q:\n%s", test.want, r.stderr)
			}
		})
	}
}

// testGolangciRebuilt runs a build of another opvet with the cache of this one.
func testGolangciRebuilt(t *testing.T, before *linter) {
	const changed = " (from another build)"
	after := &linter{exe: rebuilt(t, "plugin/plugin.go", "pass.Report(d)", "d.Message += \""+changed+"\"\n\t\t\tpass.Report(d)"), cache: before.cache}
	dir := configured(t)
	const packages = "./demo/internal/probe"

	want := standalone(t, dir, packages)
	for i := range want {
		want[i].Message += changed
	}
	same(t, "the other build", after.run(t, dir, packages).findings["opvet"], want)
	got := before.run(t, dir, packages)
	same(t, "this build", got.findings["opvet"], standalone(t, dir, packages))
	if len(got.analysed) > 0 {
		t.Errorf("this build has lost its cache: it analysed %q", got.analysed)
	}
}

// rebuilt builds golangci-lint with a change in a file of opvet's.
func rebuilt(t *testing.T, name, old, new string) string {
	t.Helper()
	dir, err := bin()
	if err != nil {
		t.Fatal(err)
	}
	from, err := filepath.Abs(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	to, overlay := filepath.Join(dir, "golangci-lint-changed.txt"), filepath.Join(dir, "golangci-lint-changed.json")
	write(t, to, read(t, from))
	replace(t, to, old, new)
	content, err := json.Marshal(map[string]map[string]string{"Replace": {from: to}})
	if err != nil {
		t.Fatal(err)
	}
	write(t, overlay, string(content))
	return program("golangci-lint-changed", "cmd/golangci-lint-opvet", ".", "-overlay="+overlay)(t)
}
