package driver

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"

	"golang.org/x/tools/go/analysis"
)

// The exit statuses of the command.
const (
	exitClean    = 0
	exitFindings = 1
	exitFailure  = 2 // bad usage, or something could not be analysed
)

// Main runs the command with its arguments, without the program's name, and
// returns its exit status. If the arguments are those by which go vet calls
// its tool, it does that tool's work and does not return.
func Main(args []string, analyzers []*analysis.Analyzer, stdout, stderr io.Writer) int {
	if isVetTool(args) {
		if args[0] == "-V=full" {
			return exitStatusOf(printVetVersion(stdout), stderr)
		}
		vetTool(analyzers)
	}
	return exitStatusOf(run(args, analyzers, stdout, stderr), stderr)
}

func exitStatusOf(err error, stderr io.Writer) int {
	var status exitStatus
	switch {
	case err == nil:
		return exitClean
	case errors.As(err, &status):
		return int(status)
	default:
		fmt.Fprintf(stderr, "opvet: %v\n", err)
		return exitFailure
	}
}

// exitStatus ends the command when everything has been said already.
type exitStatus int

func (s exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

func run(args []string, analyzers []*analysis.Analyzer, stdout, stderr io.Writer) error {
	if len(args) > 0 && args[0] == "rbac" {
		return runRBAC(args[1:], stdout, stderr)
	}
	if len(args) > 0 && args[0] == "map" {
		return runMap(args[1:], analyzers, stdout, stderr)
	}
	cmd := newCommand(analyzers)
	if err := cmd.parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return cmd.help(stdout, nil)
		}
		return err
	}
	if cmd.version {
		return printVersion(stdout)
	}
	if rest := cmd.flags.Args(); len(rest) > 0 {
		switch rest[0] {
		case "help":
			return cmd.help(stdout, rest[1:])
		case "why":
			return cmd.why(stdout, stderr, rest[1:])
		case "version":
			if len(rest) > 1 {
				return fmt.Errorf("version takes no arguments")
			}
			return printVersion(stdout)
		case cacheName:
			return cmd.cacheCommand(rest[1:], stdout)
		case "map":
			return runMap(slices.Concat([]string{"-C", cmd.dir, "-tags", cmd.tags}, rest[1:]), analyzers, stdout, stderr)
		}
		if right := mistypedCommand(rest); right != "" {
			return fmt.Errorf("%s is no package; did you mean opvet %s?", rest[0], right)
		}
	}
	if err := changeDir(cmd.dir); err != nil {
		return err
	}

	if err := cmd.configure(); err != nil {
		return err
	}
	destinations, err := cmd.outputs.open(stdout)
	if err != nil {
		return err
	}
	defer destinations.abandon()
	since, err := cmd.since()
	if err != nil {
		return err
	}
	known, err := cmd.readBaseline()
	if err != nil {
		return err
	}

	paceGC()
	progress := startProgress(stderr)
	defer progress.stop()
	result, err := cmd.analyse(progress, known, since)
	if err != nil {
		return err
	}
	var fixed applied
	if cmd.fix || cmd.diff {
		progress.stop()
		if fixed, err = cmd.applyFixes(result, stdout, stderr); err != nil {
			return err
		}
		if fixed.changed && !cmd.diff {
			// Lines have moved.
			progress = startProgress(stderr)
			defer progress.stop()
			if since, err = cmd.since(); err != nil {
				return err
			}
			if result, err = cmd.analyse(progress, known, since); err != nil {
				return err
			}
		}
	}
	progress.stop()
	if known != nil {
		if done, err := known.change(result, stderr); done || err != nil {
			return err
		}
	}

	result.Problems = append(result.Problems, fixed.problems...)
	sortFindings(result.Findings, cmd.order)
	err = destinations.write(&report{result, cmd.enabledAnalyzers(), newSourceRoot(workingDir()), newSources(), int(cmd.most)})
	if err != nil {
		return err
	}
	for _, note := range result.Notes {
		fmt.Fprintf(stderr, "opvet: %s\n", note)
	}
	if err := tellProblems(stderr, result.Problems); err != nil {
		return err
	}
	if cmd.diff && fixed.changed || len(result.Findings) > 0 && len(destinations) > 0 {
		return exitStatus(exitFindings)
	}
	return nil
}

// analyse loads the packages and runs the analyzers over them. The result has the
// findings that are wanted.
func (c *command) analyse(progress *progress, known *known, since *since) (*Result, error) {
	progress.phase(loadingPackages)
	program, err := untilInterrupted(c.load, LoadOptions{Patterns: c.flags.Args(), Tests: c.tests, Tags: c.tags, OneByOne: true, Analyzers: c.printing()})
	if err != nil {
		return nil, err
	}
	progress.analysing(program)
	analyzers := c.enabledAnalyzers()
	var model *mapModel
	if c.outputs.draw() {
		model = newMapModel(program)
		analyzers = append(analyzers, model.collector())
	}
	result, err := program.Analyze(analyzers)
	if err != nil {
		return nil, err
	}
	result.model = model
	c.exclude(result)
	if known != nil {
		known.apply(result, c.scopeOf(program))
	}
	c.leaveOld(result, since, progress)
	return result, nil
}
