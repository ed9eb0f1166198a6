package e2e

import (
	"cmp"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

var opvetGopls = program("opvet-gopls", ".", "./cmd/opvet-gopls")

// buildGopls has opvet-gopls build a gopls under this name, once.
func buildGopls(name string, args ...string) func(t *testing.T) string {
	var mu sync.Mutex
	var built string
	return func(t *testing.T) string {
		t.Helper()
		mu.Lock()
		defer mu.Unlock()
		if built == "" {
			dest, err := bin()
			if err != nil {
				t.Fatal(err)
			}
			exe := filepath.Join(dest, name)
			// What users have set for their own work must not matter.
			env := []string{"GOFLAGS=-mod=vendor", "GOWORK=" + filepath.Join(dest, "nosuch.work")}
			start(t, root, env, opvetGopls(t), append([]string{"-o", exe}, args...)...).want(t, 0)
			built = exe
		}
		return built
	}
}

var (
	gopls       = buildGopls("gopls-opvet")
	strictGopls = buildGopls("gopls-opvet-strict", "-set", "statusupdate.strict=true")
	allGopls    = buildGopls("gopls-opvet-all", "-harm", "hygiene")
)

// startGopls keeps what gopls remembers where it does not mix with the user's.
func startGopls(t *testing.T, exe, dir string) *session {
	t.Helper()
	cache, err := filepath.Abs(filepath.Join(root, ".cache", "gopls"))
	if err != nil {
		t.Fatal(err)
	}
	return startSession(t, exe, dir, "GOPLSCACHE="+cache)
}

// goplsFindings returns the findings of gopls in all Go files under dir, which
// is a module, sorted, as "file:line:col: message".
func goplsFindings(t *testing.T, exe, dir string) []string {
	t.Helper()
	s := startGopls(t, exe, dir)
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(name) != ".go" {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err == nil {
			s.open(rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var findings []string
	for name, diagnostics := range s.diagnoseAll() {
		text := s.files[s.uri(name)].text
		for _, d := range diagnostics {
			if isFinding(d) {
				start := d.Range.Start
				findings = append(findings, fmt.Sprintf("%s:%d:%d: %s", name, start.Line+1, column(text, start), d.Message))
			}
		}
	}
	s.close()
	slices.Sort(findings)
	return findings
}

var category = regexp.MustCompile(`\(([a-z]+)/([a-z-]+)\)$`)

// isFinding reports whether a diagnostic is the suite's and not one of gopls's
// own.
func isFinding(d lspDiagnostic) bool {
	match := category.FindStringSubmatch(d.Message)
	return match != nil && match[1] == d.Source
}

// of returns the diagnostics with the category, such as "ctxdone/sleep".
func of(diagnostics []lspDiagnostic, category string) []lspDiagnostic {
	return slices.DeleteFunc(slices.Clone(diagnostics), func(d lspDiagnostic) bool {
		return !strings.HasSuffix(d.Message, "("+category+")")
	})
}

func has(category string) func([]lspDiagnostic) bool {
	return func(all []lspDiagnostic) bool { return len(of(all, category)) > 0 }
}

func hasNot(category string) func([]lspDiagnostic) bool {
	return func(all []lspDiagnostic) bool { return len(of(all, category)) == 0 }
}

func both(a, b func([]lspDiagnostic) bool) func([]lspDiagnostic) bool {
	return func(all []lspDiagnostic) bool { return a(all) && b(all) }
}

func TestGoplsVersion(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ exe, want string }{
		{gopls(t), ` v\d+\.\d+\.\d+ \(opvet devel\)\n$`},
		{strictGopls(t), ` v\d+\.\d+\.\d+ \(opvet devel, statusupdate\.strict=true\)\n$`},
	} {
		got := run(t, root, test.exe, "version").want(t, 0).stdout
		if !regexp.MustCompile(`^golang\.org/x/tools/gopls` + test.want).MatchString(got) {
			t.Errorf("version is %q, want %s", got, test.want)
		}
	}
}

const (
	cacheController  = "demo/internal/controller/cache_controller.go"
	userController   = "demo/internal/controller/user_controller.go"
	backupController = "demo/internal/controller/backup_controller.go"
)

// A developer's session with the demo operator, and with what is on trial.
func TestGoplsSession(t *testing.T) {
	t.Parallel()
	s := startGopls(t, strictGopls(t), copyModule(t, "demo"))
	s.open(cacheController)
	s.open(userController)
	found := s.wait(cacheController, "findings", has("statusupdate/dropped-by-update"))

	s.run("finding", func(t *testing.T) {
		d := of(found, "statusupdate/dropped-by-update")[0]
		const page = "https://github.com/opvet/opvet/blob/main/docs/analyzers/statusupdate.md#dropped-by-update"
		if d.Source != "statusupdate" || d.Code != "dropped-by-update" || d.CodeDescription == nil || d.CodeDescription.Href != page || d.Severity != lspWarning {
			t.Errorf("source, code, link or severity are wrong:\n%s", showDiagnostics(found))
		}
		if len(d.Related) != 1 || s.name(d.Related[0].Location.URI) != cacheController || d.Related[0].Message != "the status is set here" {
			t.Errorf("no related information:\n%s", showDiagnostics(found))
		}
	})

	s.run("unused comment", func(t *testing.T) {
		found := s.wait(userController, "an unused comment", has("unusedignore/unused"))
		d := of(found, "unusedignore/unused")[0]
		if !slices.Equal(d.Tags, []int{lspUnnecessary}) {
			t.Errorf("not tagged as unnecessary:\n%s", showDiagnostics(found))
		}
	})

	s.run("unsaved edits", func(t *testing.T) {
		const (
			forgotten = "BackupSuperseded\n\treturn nil"
			right     = "BackupSuperseded\n\treturn r.Status().Update(ctx, &old)"
			wrong     = "BackupSuperseded\n\treturn r.Update(ctx, &old)"
		)
		s.open(backupController)
		s.wait(backupController, "findings", both(has("statusupdate/never-persisted"), has("statusupdate/copy-not-written")))
		s.edit(backupController, forgotten, right)
		// The other finding tells that the analysis was made.
		s.wait(backupController, "the end of a mistake", both(hasNot("statusupdate/never-persisted"), has("statusupdate/copy-not-written")))
		s.edit(backupController, right, wrong)
		s.wait(backupController, "a new mistake", has("statusupdate/dropped-by-update"))
		s.edit(backupController, wrong, right)
		s.wait(backupController, "the end of the new mistake", both(hasNot("statusupdate/dropped-by-update"), has("statusupdate/copy-not-written")))
	})

	s.run("switched off", func(t *testing.T) {
		s.configure(object{"analyses": object{"statusupdate": false}})
		s.wait(cacheController, "the end of an analyzer that is switched off", both(hasNot("statusupdate/dropped-by-update"), has("unusedignore/misplaced")))
		s.configure(object{"analyses": object{"statusupdate": true}})
		s.wait(cacheController, "an analyzer that is on again", has("statusupdate/dropped-by-update"))
	})
	s.close()
}

// All fixes of a file, applied one after the other, are its golden file.
func TestGoplsQuickFixes(t *testing.T) {
	t.Parallel()
	const name = "statusupdate/fix/fix.go"
	s := startGopls(t, gopls(t), copyModule(t, "api", "statusupdate"))
	s.open(name)
	found := s.wait(name, "findings", has("statusupdate/dropped-by-update"))
	var edits []lspTextEdit
	for _, d := range of(found, "statusupdate/dropped-by-update") {
		for _, action := range s.quickFixes(name, d) {
			if action.Kind != "quickfix" || len(action.Edit.DocumentChanges) != 1 {
				t.Fatalf("not a fix of one file: %+v", action)
			}
			edits = append(edits, action.Edit.DocumentChanges[0].Edits...)
		}
	}
	text := s.files[s.uri(name)].text
	s.close()
	// From the end, so that the places of the others stay as they are.
	slices.SortFunc(edits, func(a, b lspTextEdit) int {
		return cmp.Compare(offset(text, b.Range.Start), offset(text, a.Range.Start))
	})
	for _, e := range slices.Compact(edits) {
		text = text[:offset(text, e.Range.Start)] + e.NewText + text[offset(text, e.Range.End):]
	}
	if golden := read(t, filepath.Join(root, "testdata", name+".golden")); text != golden {
		t.Errorf("the fixed file is not the golden one:\n%s", text)
	}
}

func TestGoplsFlags(t *testing.T) {
	t.Parallel()
	const name, category = "statusupdate/strict/strict.go", "statusupdate/metadata-dropped"
	dir := copyModule(t, "api", "statusupdate")
	find := func(exe string) []lspDiagnostic {
		s := startGopls(t, exe, dir)
		defer s.close()
		s.open(name)
		return of(s.diagnoseAll()[name], category)
	}
	if found := find(gopls(t)); len(found) > 0 {
		t.Errorf("doubtful variants are reported without the flag:\n%s", showDiagnostics(found))
	}
	if found := find(strictGopls(t)); len(found) == 0 {
		t.Error("the flag's value has no effect")
	}
}
