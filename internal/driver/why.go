package driver

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/opvet/opvet/internal/driver/settings"
	"github.com/opvet/opvet/internal/report/rule"
)

// why answers "opvet why FILE:LINE": what the analyzers found on a line, what
// they would find with other flags, and what looked like a mistake there and
// was excused.
func (c *command) why(stdout, stderr io.Writer, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("usage: opvet why FILE:LINE")
	}
	if c.dir != "" {
		if err := os.Chdir(c.dir); err != nil {
			return fmt.Errorf("-C: %w", err)
		}
	}
	if err := c.configure(); err != nil {
		return err
	}
	at, err := parsePlace(args[0])
	if err != nil {
		return err
	}
	paceGC()
	progress := startProgress(stderr)
	defer progress.stop()
	usual, err := c.consider(at)
	if err != nil {
		return err
	}
	if len(usual.open) > 0 {
		progress.phase("asking the whole module, on which it depends")
		if err := c.settle(at, usual); err != nil {
			return err
		}
	}
	if err := settings.SetAll(c.analyzers, "harm", rule.Hygiene.String(), settings.None); err != nil {
		return err
	}
	if err := settings.SetAll(c.analyzers, "strict", "true", settings.None); err != nil {
		return err
	}
	strict, err := c.consider(at)
	if err != nil {
		return err
	}
	progress.stop()
	for _, problem := range usual.Problems {
		fmt.Fprintf(stderr, "opvet: %s\n", problem)
	}
	return explain(stdout, at, usual, strict)
}

// place is a line of a file, by its absolute name.
type place struct {
	file string
	line int
}

func parsePlace(text string) (place, error) {
	name, line, found := strings.Cut(text, ".go:")
	line, _, _ = strings.Cut(line, ":") // a column, as findings have it
	n, err := strconv.Atoi(line)
	if !found || err != nil || n < 1 {
		return place{}, fmt.Errorf("why: %q is no FILE:LINE, such as controllers/job.go:94", text)
	}
	file, err := filepath.Abs(name + ".go")
	if err != nil {
		return place{}, err
	}
	if _, err := os.Stat(file); err != nil {
		return place{}, fmt.Errorf("why: %w", err)
	}
	return place{file, n}, nil
}

// consider analyses the package of a place. The result has what concerns its line.
func (c *command) consider(at place) (*Result, error) {
	ctx, release := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer release()
	program, err := Load(LoadOptions{
		Dir: filepath.Dir(at.file), Patterns: []string{"."}, Tags: c.tags, Context: ctx,
		Tests: c.tests || strings.HasSuffix(at.file, "_test.go"),
	})
	if err != nil {
		return nil, err
	}
	result, err := program.Analyze(c.enabledAnalyzers())
	if err != nil {
		return nil, err
	}
	result.keepAt(at)
	return result, nil
}

// keepAt leaves of the result what concerns a line.
func (r *Result) keepAt(at place) {
	elsewhere := func(f Finding) bool { return f.Posn.Filename != at.file || f.Posn.Line != at.line }
	r.Findings = slices.DeleteFunc(r.Findings, elsewhere)
	r.Harmless = slices.DeleteFunc(r.Harmless, elsewhere)
	r.open = slices.DeleteFunc(r.open, elsewhere)
	r.Excused = slices.DeleteFunc(r.Excused, func(x Excused) bool {
		return x.Posn.Filename != at.file || x.Posn.Line != at.line
	})
}

// settle lets the whole module of a place tell what the findings there depend on.
func (c *command) settle(at place, usual *Result) error {
	dir, inModule := above(filepath.Dir(at.file), "go.mod")
	if !inModule {
		return nil
	}
	ctx, release := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer release()
	program, err := c.load(LoadOptions{Dir: dir, Patterns: []string{"./..."}, Tests: c.tests, Tags: c.tags, Context: ctx})
	if err != nil {
		return err
	}
	whole, err := program.Analyze(c.enabledAnalyzers())
	if err != nil {
		return err
	}
	whole.keepAt(at)
	usual.Findings, usual.Harmless = whole.Findings, whole.Harmless
	return nil
}

// explain prints what is known of a line: usual is the result with the flags
// that were given, strict the one with all findings there are.
func explain(out io.Writer, at place, usual, strict *Result) error {
	var lines []string
	told := make(map[string]bool)
	add := func(rule, format string, args ...any) {
		text := rule + ": " + fmt.Sprintf(format, args...)
		if !told[text] {
			lines = append(lines, text)
		}
		told[text] = true
	}
	for _, f := range usual.Findings {
		told[f.ruleID()] = true
		add(f.ruleID(), "reported: %s", f.Diagnostic.Message)
		if runs := f.runsIn(); runs != "" {
			add(f.ruleID(), "%s", runs)
		}
	}
	for _, f := range usual.Harmless {
		told[f.ruleID()] = true
		why := ""
		if f.Settled != "" {
			why = ", since " + f.Settled
		} else if f.OnTrial {
			why = ", since its category is on trial"
		}
		add(f.ruleID(), "not reported: its harm is %s%s; -harm=%s reports it", f.Harm, why, f.Harm)
	}
	for _, x := range usual.Excused {
		add(x.Analyzer.Name+"/"+x.Category, "not reported: %s (%s)", x.Reason.Doc, x.Reason.Name)
	}
	for _, f := range append(strict.Findings, strict.Harmless...) {
		if !told[f.ruleID()] {
			add(f.ruleID(), "not reported: a doubtful variant; -%s.strict reports it: %s", f.Analyzer.Name, f.Diagnostic.Message)
		}
	}
	if len(usual.Skipped) > 0 {
		add(strings.Join(usual.Skipped, ", "), "not reported of what no server runs: the package serves tests")
	}
	if len(lines) == 0 {
		lines = []string{"nothing here looked like a mistake to any analyzer"}
	}
	for _, line := range lines {
		if _, err := fmt.Fprintf(out, "%s:%d: %s\n", relative(at.file), at.line, line); err != nil {
			return err
		}
	}
	return nil
}
