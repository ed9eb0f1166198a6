package driver

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"
)

// subcommand is the command line of a command that has flags of its own, such as opvet map.
type subcommand struct {
	flags  *flag.FlagSet
	dir    string
	tags   string
	format string
}

func (c *subcommand) define(name string) {
	c.flags = flag.NewFlagSet("opvet "+name, flag.ContinueOnError)
	c.flags.SetOutput(io.Discard)
	c.flags.Usage = func() {}
	c.flags.StringVar(&c.dir, "C", "", "change to `dir` before doing anything else")
	c.flags.StringVar(&c.tags, "tags", "", "build with these comma-separated `tags`")
}

// parse reads the arguments; listed says which formats there are. done tells that help was all
// that was asked for.
func (c *subcommand) parse(args []string, usage string, formats []string, listed string, stdout io.Writer) (done bool, err error) {
	switch err := c.flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, usage)
		c.flags.VisitAll(func(f *flag.Flag) { printFlag(stdout, f.Name, f) })
		return true, nil
	case err != nil:
		return false, fmt.Errorf("%w; see %s -h", err, c.flags.Name())
	case !slices.Contains(formats, c.format):
		return false, fmt.Errorf("no format is named %q; there are %s", c.format, listed)
	}
	return false, changeDir(c.dir)
}

// changeDir does what the flag -C says.
func changeDir(dir string) error {
	if dir == "" {
		return nil
	}
	if err := os.Chdir(dir); err != nil {
		return fmt.Errorf("-C: %w", err)
	}
	return nil
}

// untilInterrupted loads packages. The go command runs in a process group of its own: who
// interrupts opvet does not reach it, and it would go on compiling.
func untilInterrupted(load func(LoadOptions) (*Program, error), opts LoadOptions) (*Program, error) {
	ctx, release := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer release()
	opts.Context = ctx
	return load(opts)
}

// tellProblems prints problems, and returns the exit status that they make.
func tellProblems(out io.Writer, problems []string) error {
	for _, problem := range problems {
		fmt.Fprintf(out, "opvet: %s\n", problem)
	}
	if len(problems) > 0 {
		return exitStatus(exitFailure)
	}
	return nil
}

// nothingFound says that a command has nothing to print, perhaps because of problems.
func nothingFound(text string, problems []string) error {
	errs := []error{errors.New(text)}
	for _, p := range problems {
		errs = append(errs, errors.New(p))
	}
	return errors.Join(errs...)
}
