package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/analyzers"
	"github.com/opvet/opvet/analyzers/unusedignore"
	"github.com/opvet/opvet/internal/driver"
	"github.com/opvet/opvet/internal/passes/processes"
)

// inProcess are the modes that do the work in this process: what "load only"
// measures, and profiles of the whole.
type inProcess struct {
	load       bool
	source     bool
	without    string
	cpuProfile string
	memProfile string
}

// errNotInProcess says that none of these modes was asked for.
var errNotInProcess = errors.New("not in process")

func (p *inProcess) define() {
	flag.BoolVar(&p.load, "load", false, "only load and type-check the packages, once, in this process")
	flag.BoolVar(&p.source, "source", false, "analyse once in this process, with all that is imported from source, and print what CPU time that took, as JSON")
	flag.StringVar(&p.without, "without", "", "with -source, leave these `analyzers` out, separated by commas, and unusedignore, which needs them all")
	flag.StringVar(&p.cpuProfile, "cpuprofile", "", "analyse once in this process, and write a CPU profile to `file`")
	flag.StringVar(&p.memProfile, "memprofile", "", "analyse once in this process, and write a profile of allocations to `file`")
}

func (p *inProcess) run(c config) error {
	if !p.load && !p.source && p.cpuProfile == "" && p.memProfile == "" {
		return errNotInProcess
	}
	if p.source {
		return p.analyseSource(c)
	}
	stop, err := p.profile()
	if err != nil {
		return err
	}
	defer stop()
	start := time.Now()
	program, err := driver.Load(driver.LoadOptions{Dir: c.dir, Patterns: c.patterns, Tags: c.tags, Analyzers: analyzers.All()})
	if err != nil || p.load {
		return err
	}
	fmt.Printf("loading\t%.2f s\n", time.Since(start).Seconds())

	start = time.Now()
	result, err := program.Analyze(analyzers.All())
	if err != nil {
		return err
	}
	fmt.Printf("analysing\t%.2f s\t%d findings\t%d problems\n", time.Since(start).Seconds(), len(result.Findings), len(result.Problems))
	printCosts(os.Stdout, result)
	return p.writeAllocs()
}

// writeAllocs writes the profile of allocations if one was asked for.
func (p *inProcess) writeAllocs() error {
	if p.memProfile == "" {
		return nil
	}
	f, err := os.Create(p.memProfile)
	if err != nil {
		return err
	}
	defer f.Close()
	runtime.GC() // a profile has what was allocated up to the last collection
	return pprof.Lookup("allocs").WriteTo(f, 0)
}

func printCosts(w io.Writer, result *driver.Result) {
	for _, cost := range result.Costs() {
		fmt.Fprintf(w, "\t%-20s %8.3f s\n", cost.Analyzer, cost.Time.Seconds())
	}
}

// profile starts the CPU profile if one was asked for; stop ends it.
func (p *inProcess) profile() (stop func(), err error) {
	if p.cpuProfile == "" {
		return func() {}, nil
	}
	f, err := os.Create(p.cpuProfile)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		f.Close()
		return nil, err
	}
	return func() {
		pprof.StopCPUProfile()
		f.Close()
	}, nil
}

// inSource is the CPU time that loading and analysing took.
type inSource struct {
	Loading, Analysis time.Duration
	// Settling is the share of settling what findings depend on, from the summaries of
	// packages to the last question, in the time that all passes took.
	Settling float64
	Findings int
}

// analyseSource analyses a module that is loaded from source, with garbage
// collected as by the command. The profile, if any, is of the analysis alone.
func (p *inProcess) analyseSource(c config) error {
	dir, err := filepath.Abs(c.dir)
	if err != nil {
		return err
	}
	program, err := driver.Load(driver.LoadOptions{
		Dir: dir, Patterns: c.patterns, Analyzers: analyzers.All(),
		FromSource: func(filename string) bool { return !strings.HasPrefix(filename, dir+string(filepath.Separator)) },
	})
	if err != nil {
		return err
	}
	runtime.GC() // what loading has left
	stop, err := p.profile()
	if err != nil {
		return err
	}
	defer stop()
	suite, err := p.suite()
	if err != nil {
		return err
	}
	loading := cpuTime()
	result, err := program.Analyze(suite)
	if err != nil {
		return err
	}
	if err := p.writeAllocs(); err != nil {
		return err
	}
	if len(result.Problems) > 0 {
		return fmt.Errorf("problems: %q", result.Problems)
	}
	if p.cpuProfile != "" {
		printCosts(os.Stderr, result)
	}
	return json.NewEncoder(os.Stdout).Encode(inSource{loading, cpuTime() - loading, settling(result), len(result.Findings)})
}

func settling(result *driver.Result) float64 {
	var all, settling time.Duration
	for _, cost := range result.Costs() {
		all += cost.Time
		if cost.Analyzer == driver.Settling || cost.Analyzer == processes.Analyzer.Name {
			settling += cost.Time
		}
	}
	return float64(settling) / float64(max(all, 1))
}

// suite returns the analyzers but for those that are left out.
func (p *inProcess) suite() ([]*analysis.Analyzer, error) {
	suite := analyzers.All()
	if p.without == "" {
		return suite, nil
	}
	for _, name := range append(strings.Split(p.without, ","), unusedignore.Analyzer.Name) {
		i := slices.IndexFunc(suite, func(a *analysis.Analyzer) bool { return a.Name == name })
		if i < 0 && name != unusedignore.Analyzer.Name {
			return nil, fmt.Errorf("-without: there is no analyzer %q", name)
		}
		if i >= 0 {
			suite = slices.Delete(suite, i, i+1)
		}
	}
	return suite, nil
}
