package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// program is something to measure.
type program struct {
	name    string
	args    []string
	env     []string
	highest int                  // exit status that is no failure
	cold    bool                 // each run is one without a cache of its own
	fresh   func(*program) error // makes what each run needs, before the clock starts
	warm    *program             // a cold one, whose last run has filled the cache of this one
	edited  string               // a Go file that gets ten lines before each run, and loses them afterwards
	runs    []measurement
}

type measurement struct {
	wall, cpu time.Duration
	rss       int64 // bytes, of the largest process
	status    int
	lines     int // of output: the findings, for most
}

// once runs the program in dir.
func (p *program) once(dir string) (measurement, error) {
	if p.fresh != nil {
		if err := p.fresh(p); err != nil {
			return measurement{}, fmt.Errorf("%s: %w", p.name, err)
		}
	}
	if p.warm != nil {
		p.args, p.env = p.warm.args, p.warm.env
	}
	if p.edited != "" {
		restore, err := edit(p.edited)
		if err != nil {
			return measurement{}, fmt.Errorf("%s: %w", p.name, err)
		}
		defer restore()
	}
	cmd := exec.Command(p.args[0], p.args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), p.env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	start := time.Now()
	err := cmd.Run()
	wall := time.Since(start)
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return measurement{}, fmt.Errorf("%s: %w", p.name, err)
	}
	m := measurement{
		wall:   wall,
		cpu:    cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(),
		rss:    residentSet(cmd.ProcessState),
		status: cmd.ProcessState.ExitCode(),
		lines:  bytes.Count(out.Bytes(), []byte("\n")),
	}
	if m.status > p.highest {
		return measurement{}, fmt.Errorf("%s: exit status %d\n%s", p.name, m.status, out.Bytes())
	}
	return m, nil
}

// edit appends ten lines to a Go file that it has not had before, and returns
// a function that takes them back.
func edit(name string) (restore func(), err error) {
	content, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	lines := fmt.Sprintf("\nconst measuredAt = %d\n\nfunc measured() int {\n\tsum := 0\n\tfor range measuredAt {\n\t\tsum++\n\t}\n\treturn sum\n}\n", time.Now().UnixNano())
	if err := os.WriteFile(name, slices.Concat(content, []byte(lines)), 0o666); err != nil {
		return nil, err
	}
	return func() { _ = os.WriteFile(name, content, 0o666) }, nil
}

func (p *program) median() measurement {
	pick := func(value func(measurement) int64) int64 {
		var values []int64
		for _, m := range p.runs {
			values = append(values, value(m))
		}
		slices.Sort(values)
		return values[len(values)/2]
	}
	last := p.runs[len(p.runs)-1]
	return measurement{
		wall:   time.Duration(pick(func(m measurement) int64 { return int64(m.wall) })),
		cpu:    time.Duration(pick(func(m measurement) int64 { return int64(m.cpu) })),
		rss:    pick(func(m measurement) int64 { return m.rss }),
		status: last.status,
		lines:  last.lines,
	}
}

// table prints rows for Markdown, with columns in line.
type table struct{ w *tabwriter.Writer }

func newTable(out io.Writer, heads ...string) *table {
	t := &table{tabwriter.NewWriter(out, 0, 0, 1, ' ', tabwriter.TabIndent)}
	t.row(heads...)
	t.row(slices.Repeat([]string{"---"}, len(heads))...)
	return t
}

func (t *table) row(cells ...string) { fmt.Fprintln(t.w, "| "+strings.Join(cells, "\t| ")+"\t|") }

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f", d.Seconds()) }

// printTable prints the medians, and each as a multiple of the first
// program's.
func printTable(out io.Writer, programs []*program) {
	base := programs[0].median()
	t := newTable(out, "program", "runs", "wall s", "×", "CPU s", "×", "max RSS MB", "×", "status", "lines")
	for _, p := range programs {
		if len(p.runs) == 0 {
			continue
		}
		m := p.median()
		t.row(p.name, fmt.Sprint(len(p.runs)),
			seconds(m.wall), ratio(m.wall, base.wall), seconds(m.cpu), ratio(m.cpu, base.cpu),
			fmt.Sprint(m.rss>>20), ratio(m.rss, base.rss), fmt.Sprint(m.status), fmt.Sprint(m.lines))
	}
	t.w.Flush()
}

func ratio[T time.Duration | int64](a, b T) string { return fmt.Sprintf("%.2f", float64(a)/float64(b)) }

// printTargets prints the ratios that are limited.
func printTargets(out io.Writer, programs []*program) {
	medians := make(map[string]measurement)
	for _, p := range programs {
		if len(p.runs) > 0 {
			medians[p.name] = p.median()
		}
	}
	fmt.Fprintln(out)
	t := newTable(out, "target", "wall", "CPU", "max RSS")
	for _, target := range []struct{ text, of, to string }{
		{"opvet without a cache ≤ 1.2 × load only", standalone, loadOnly},
		{"opvet, nothing changed ≤ 0.5 × load only", unchanged, loadOnly},
		{"opvet, nothing changed ≤ staticcheck, cached", unchanged, staticcheckWarm},
		{"opvet, a leaf changed ≤ 0.7 × load only", leafChanged, loadOnly},
		{"opvet, a package changed that many import ≤ 1.0 × load only", baseChanged, loadOnly},
		{"opvet -new-from-rev, a leaf changed ≤ 0.7 × load only", leafSince, loadOnly},
		{"opvet -new-from-rev, a package changed that many import ≤ 0.7 × load only", baseSince, loadOnly},
		{"staticcheck, cold ≥ 2 × opvet", staticcheckCold, standalone},
		{"vettool, cold ≤ 1.05 × go vet, cold", vettoolCold, vetCold},
		{"vettool, cached ≤ 1.1 × go vet, cached", vettoolCached, vetCached},
	} {
		of, known := medians[target.of]
		to, base := medians[target.to]
		if known && base {
			t.row(target.text, ratio(of.wall, to.wall), ratio(of.cpu, to.cpu), ratio(of.rss, to.rss))
		}
	}
	t.w.Flush()
}
