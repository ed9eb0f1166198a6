// Package ruletest tests analyzers against the cases under testdata: the lines
// "// want" say what is found there, and golden files what becomes of a file
// when all fixes are applied.
//
// It understands what x/tools' analysistest does, of which it takes the place.
// That one type-checks all dependencies from source, which takes ten seconds for
// a package that imports controller-runtime; this one loads and runs as the
// standalone driver does, so that it is also the driver which is tested.
package ruletest

import (
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/scanner"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/driver"
	"github.com/opvet/opvet/internal/report/rule"
)

// Testing is what is needed of a *testing.T.
type Testing interface {
	Errorf(format string, args ...any)
}

// Run analyses the packages that match the patterns in the module at dir, and
// compares the findings with what the packages want: after "// want" at the
// end of a line stands a regular expression, as a Go string, for each finding of
// that line; "// want +2 …" is about the second line below.
//
// What cannot be loaded or analysed is an error of the test.
func Run(t Testing, dir string, a *analysis.Analyzer, patterns ...string) {
	if h, ok := t.(interface{ Helper() }); ok {
		h.Helper()
	}
	analyse(t, dir, a, patterns)
}

func analyse(t Testing, dir string, a *analysis.Analyzer, patterns []string) []driver.Finding {
	program, _, err := load(dir, patterns)
	if err != nil {
		t.Errorf("loading %v in %s: %v", patterns, dir, err)
		return nil
	}
	program.CheckFacts = true
	rule.WithoutTrials()
	// What is harmless is tested as well.
	if f := a.Flags.Lookup("harm"); f != nil {
		if err := f.Value.Set(rule.Hygiene.String()); err != nil {
			t.Errorf("%v", err)
		}
	}
	result, err := program.Analyze([]*analysis.Analyzer{a})
	if err != nil {
		t.Errorf("analysing %v in %s: %v", patterns, dir, err)
		return nil
	}
	for _, problem := range result.Problems {
		t.Errorf("%s", problem)
	}
	wants := make(map[line][]*regexp.Regexp)
	for _, file := range program.Files() {
		if err := readWants(wants, file); err != nil {
			t.Errorf("reading what is wanted: %v", err)
		}
	}
	for _, f := range result.Findings {
		at := line{f.Posn.Filename, f.Posn.Line}
		if n := rule.MessageLength(f.Diagnostic.Message); n > rule.MaxMessage {
			t.Errorf("%s: the message has %d characters, %d at most: %s", at, n, rule.MaxMessage, f.Diagnostic.Message)
		}
		if !take(wants, at, f.Harm.String()+": "+f.Diagnostic.Message) {
			t.Errorf("%s: unexpected finding: %s [%s]", at, f.Diagnostic.Message, f.Harm)
		}
	}
	for at, left := range wants {
		for _, want := range left {
			t.Errorf("%s: no finding matches %#q", at, want)
		}
	}
	return result.Findings
}

// line is a line of a file.
type line struct {
	file string
	line int
}

func (l line) String() string { return fmt.Sprintf("%s:%d", relative(l.file), l.line) }

func relative(file string) string {
	if wd, err := filepath.Abs("."); err == nil {
		if rel, err := filepath.Rel(wd, file); err == nil {
			return rel
		}
	}
	return file
}

// take removes the expectation that a message meets.
func take(wants map[line][]*regexp.Regexp, at line, message string) bool {
	for i, want := range wants[at] {
		if want.MatchString(message) {
			wants[at] = append(wants[at][:i:i], wants[at][i+1:]...)
			return true
		}
	}
	return false
}

// readWants adds what the comments of a file want.
func readWants(wants map[line][]*regexp.Regexp, filename string) error {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, filename, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, group := range file.Comments {
		for _, comment := range group.List {
			text := strings.TrimSuffix(strings.TrimPrefix(comment.Text, "/*"), "*/")
			// A want may follow in another comment, such as a suppression.
			_, text, ok := strings.Cut(strings.Replace(text, "/*", "//", 1), "// want ")
			if !ok {
				continue
			}
			at := line{filename, fset.Position(comment.Pos()).Line}
			delta, patterns, err := parseWant(text)
			if err != nil {
				return fmt.Errorf("%s: %w", at, err)
			}
			at.line += delta
			wants[at] = append(wants[at], patterns...)
		}
	}
	return nil
}

// parseWant reads the strings after want.
func parseWant(text string) (delta int, patterns []*regexp.Regexp, err error) {
	var failure string
	s := new(scanner.Scanner).Init(strings.NewReader(text))
	s.Mode = scanner.ScanStrings | scanner.ScanRawStrings | scanner.ScanInts
	s.Error = func(_ *scanner.Scanner, message string) { failure = message }
	for {
		switch tok := s.Scan(); tok {
		case scanner.EOF:
			if failure != "" {
				return 0, nil, fmt.Errorf("in what is wanted: %s", failure)
			}
			return delta, patterns, nil
		case '+':
			if s.Scan() != scanner.Int {
				return 0, nil, fmt.Errorf("want + and a number of lines")
			}
			delta, err = strconv.Atoi(s.TokenText())
		case scanner.String, scanner.RawString:
			var text string
			if text, err = strconv.Unquote(s.TokenText()); err != nil {
				return 0, nil, err
			}
			var pattern *regexp.Regexp
			if pattern, err = regexp.Compile(text); err == nil {
				patterns = append(patterns, pattern)
			}
		default:
			return 0, nil, fmt.Errorf("unexpected %s after want", s.TokenText())
		}
		if err != nil {
			return 0, nil, err
		}
	}
}

// SetFlag sets a flag of an analyzer for the time of a test.
func SetFlag(t *testing.T, a *analysis.Analyzer, name, value string) {
	t.Helper()
	f := a.Flags.Lookup(name)
	if f == nil {
		t.Fatalf("%s has no flag %s", a.Name, name)
	}
	old := f.Value.String()
	if err := f.Value.Set(value); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Value.Set(old); err != nil {
			t.Fatal(err)
		}
	})
}

// Folders returns the patterns of an analyzer's folders of cases in the module
// at dir, all but those named, which have tests of their own.
func Folders(t *testing.T, dir, analyzer string, except ...string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, analyzer))
	if err != nil {
		t.Fatal(err)
	}
	var patterns []string
	for _, entry := range entries {
		if entry.IsDir() && !slices.Contains(except, entry.Name()) {
			patterns = append(patterns, "./"+analyzer+"/"+entry.Name()+"/...")
		}
	}
	return patterns
}
