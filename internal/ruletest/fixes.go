package ruletest

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	gocmp "github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/go/packages"

	"github.com/opvet/opvet/internal/driver"
)

// RunWithSuggestedFixes is [Run], and applies all suggested fixes: each file
// must become what its golden file (file.go.golden) has, formatted and without
// the imports that the fixes have made superfluous; and the packages must
// compile then.
func RunWithSuggestedFixes(t Testing, dir string, a *analysis.Analyzer, patterns ...string) {
	if h, ok := t.(interface{ Helper() }); ok {
		h.Helper()
	}
	edits := make(map[string][]edit)
	for _, f := range analyse(t, dir, a, patterns) {
		if n := len(f.Diagnostic.SuggestedFixes); n > 1 {
			t.Errorf("%s: %d fixes, where drivers apply one at most", f.Posn, n)
		}
		for _, fix := range f.Diagnostic.SuggestedFixes {
			if err := collect(edits, f, fix); err != nil {
				t.Errorf("%s: the fix %q: %v", f.Posn, fix.Message, err)
			}
		}
	}
	if len(edits) == 0 {
		t.Errorf("no fixes in %v", patterns)
		return
	}
	fixed := make(map[string][]byte)
	for file, list := range edits {
		content, err := apply(file, list)
		if err != nil {
			t.Errorf("applying the fixes to %s: %v", relative(file), err)
			continue
		}
		fixed[file] = content
	}
	if err := compile(dir, patterns, fixed); err != nil {
		t.Errorf("fixed packages do not compile: %v", err)
	}
	for _, file := range slices.Sorted(maps.Keys(fixed)) {
		if err := compare(file, fixed[file]); err != nil {
			t.Errorf("%v", err)
		}
	}
}

// edit replaces a part of a file.
type edit struct {
	start, end int
	text       string
}

// collect adds the edits of a fix by file.
func collect(edits map[string][]edit, f driver.Finding, fix analysis.SuggestedFix) error {
	var in string
	for _, e := range fix.TextEdits {
		file := f.Fset.File(e.Pos)
		if file == nil {
			return errors.New("an edit outside of all files")
		}
		if in != "" && in != file.Name() {
			return errors.New("edits in two files")
		}
		in = file.Name()
		end := e.End
		if !end.IsValid() {
			end = e.Pos
		}
		edits[in] = append(edits[in], edit{file.Offset(e.Pos), file.Offset(end), string(e.NewText)})
	}
	return nil
}

// apply makes the edits. The same edit twice, such as an import that two fixes
// add, is made once.
func apply(file string, edits []edit) ([]byte, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end)) })
	edits = slices.Compact(edits)
	var out bytes.Buffer
	last := 0
	for _, e := range edits {
		if e.start < last || e.end < e.start || e.end > len(content) {
			return nil, fmt.Errorf("the edit at offset %d is in the way of another", e.start)
		}
		out.Write(content[last:e.start])
		out.WriteString(e.text)
		last = e.end
	}
	out.Write(content[last:])
	return out.Bytes(), nil
}

// compile type-checks the packages with the fixed files, and takes imports out
// of these that are no longer used, as the tools that apply fixes do.
func compile(dir string, patterns []string, fixed map[string][]byte) error {
	overlay := make(map[string][]byte)
	for file, content := range fixed {
		name, err := filepath.Abs(file)
		if err != nil {
			return err
		}
		overlay[name] = content
	}
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax, Dir: dir, Overlay: overlay}, patterns...)
	if err != nil {
		return err
	}
	var problems []error
	for _, pkg := range pkgs {
		for _, e := range pkg.Errors {
			if path, ok := unusedImport(e.Msg); ok {
				file, _, _ := strings.Cut(e.Pos, ":")
				if content, ok := fixed[file]; ok {
					if fixed[file], err = withoutImport(content, path); err == nil {
						continue
					}
				}
			}
			if !strings.HasPrefix(e.Msg, "# ") { // the compiler's output repeats it
				problems = append(problems, e)
			}
		}
	}
	return errors.Join(problems...)
}

// unusedImport recognises the type checker's complaint.
func unusedImport(message string) (path string, ok bool) {
	quoted, found := strings.CutSuffix(message, " imported and not used")
	if !found {
		quoted, _, found = strings.Cut(message, " imported as ")
		if !found || !strings.HasSuffix(message, " and not used") {
			return "", false
		}
	}
	path, err := strconv.Unquote(quoted)
	return path, err == nil
}

func withoutImport(content []byte, path string) ([]byte, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", content, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	for _, spec := range file.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err != nil || p != path {
			continue
		}
		name := ""
		if spec.Name != nil {
			name = spec.Name.Name
		}
		astutil.DeleteNamedImport(fset, file, name, path)
		break
	}
	ast.SortImports(fset, file)
	var out bytes.Buffer
	err = format.Node(&out, fset, file)
	return out.Bytes(), err
}

// compare compares a fixed file with its golden file.
func compare(file string, fixed []byte) error {
	got, err := format.Source(fixed)
	if err != nil {
		return fmt.Errorf("formatting the fixed %s: %w", relative(file), err)
	}
	golden, err := os.ReadFile(file + ".golden")
	if err != nil {
		return err
	}
	want, err := format.Source(golden)
	if err != nil {
		return fmt.Errorf("formatting %s.golden: %w", relative(file), err)
	}
	if diff := gocmp.Diff(strings.Split(string(bytes.TrimSpace(want)), "\n"), strings.Split(string(bytes.TrimSpace(got)), "\n")); diff != "" {
		return fmt.Errorf("the fixed %s is not what its golden file has (-want +got):\n%s", relative(file), diff)
	}
	return nil
}
