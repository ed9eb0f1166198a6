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
	"syscall"
	"text/tabwriter"
	"time"
)

// program is something to measure.
type program struct {
	name    string
	args    []string
	highest int                      // exit status that is no failure
	first   bool                     // only its first run is of interest
	fresh   func() ([]string, error) // makes environment variables for each run
	runs    []measurement
}

type measurement struct {
	wall, cpu time.Duration
	rss       int64 // bytes
	status    int
	lines     int // of output: the findings, for most
}

// once runs the program in dir.
func (p *program) once(dir string) (measurement, error) {
	cmd := exec.Command(p.args[0], p.args[1:]...)
	cmd.Dir = dir
	cmd.Env = os.Environ()
	if p.fresh != nil {
		env, err := p.fresh()
		if err != nil {
			return measurement{}, err
		}
		cmd.Env = append(cmd.Env, env...)
	}
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
		status: cmd.ProcessState.ExitCode(),
		lines:  bytes.Count(out.Bytes(), []byte("\n")),
	}
	if m.status > p.highest {
		return measurement{}, fmt.Errorf("%s: exit status %d\n%s", p.name, m.status, out.Bytes())
	}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		m.rss = usage.Maxrss << 10 // Linux counts in KiB
	}
	return m, nil
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

// printTable prints the medians, and each as a multiple of the first
// program's.
func printTable(out io.Writer, programs []*program) {
	base := programs[0].median()
	w := tabwriter.NewWriter(out, 0, 0, 1, ' ', tabwriter.TabIndent)
	row := func(cells ...string) { fmt.Fprintln(w, "| "+strings.Join(cells, "\t| ")+"\t|") }
	row("program", "runs", "wall s", "×", "CPU s", "×", "max RSS MB", "×", "status", "lines")
	row("---", "---", "---", "---", "---", "---", "---", "---", "---", "---")
	for _, p := range programs {
		m := p.median()
		row(p.name, fmt.Sprint(len(p.runs)),
			fmt.Sprintf("%.2f", m.wall.Seconds()), fmt.Sprintf("%.2f", m.wall.Seconds()/base.wall.Seconds()),
			fmt.Sprintf("%.2f", m.cpu.Seconds()), fmt.Sprintf("%.2f", m.cpu.Seconds()/base.cpu.Seconds()),
			fmt.Sprint(m.rss>>20), fmt.Sprintf("%.2f", float64(m.rss)/float64(base.rss)),
			fmt.Sprint(m.status), fmt.Sprint(m.lines))
	}
	w.Flush()
}
