package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime/pprof"
	"time"

	"github.com/opvet/opvet/analyzers"
	"github.com/opvet/opvet/internal/driver"
)

// inProcess are the modes that do the work in this process: what "load only"
// measures, and profiles of the whole.
type inProcess struct {
	load       bool
	cpuProfile string
	memProfile string
}

// errNotInProcess says that none of these modes was asked for.
var errNotInProcess = errors.New("not in process")

func (p *inProcess) define() {
	flag.BoolVar(&p.load, "load", false, "only load and type-check the packages, once, in this process")
	flag.StringVar(&p.cpuProfile, "cpuprofile", "", "analyse once in this process, and write a CPU profile to `file`")
	flag.StringVar(&p.memProfile, "memprofile", "", "analyse once in this process, and write a profile of allocations to `file`")
}

func (p *inProcess) run(c config) error {
	if !p.load && p.cpuProfile == "" && p.memProfile == "" {
		return errNotInProcess
	}
	if p.cpuProfile != "" {
		f, err := os.Create(p.cpuProfile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	start := time.Now()
	program, err := driver.Load(driver.LoadOptions{Dir: c.dir, Patterns: c.patterns, Tags: c.tags})
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
	for _, cost := range result.Costs() {
		fmt.Printf("\t%-20s %6.2f s\n", cost.Analyzer, cost.Time.Seconds())
	}
	if p.memProfile != "" {
		f, err := os.Create(p.memProfile)
		if err != nil {
			return err
		}
		defer f.Close()
		return pprof.Lookup("allocs").WriteTo(f, 0)
	}
	return nil
}
