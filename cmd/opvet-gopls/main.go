// Opvet-gopls builds a gopls with the suite linked in, since gopls has no
// plug-ins. Run "opvet-gopls -h" for its use.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func run(args []string, stdout, stderr io.Writer) int {
	err := install(args, stdout, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, usage())
		return 0
	case err != nil:
		fmt.Fprintf(stderr, "opvet-gopls: %v\n", err)
		return 2
	}
	return 0
}

func install(args []string, stdout, stderr io.Writer) error {
	opts, err := parseOptions(args)
	if err != nil {
		return err
	}
	// An interrupted build must not leave its folder behind.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	work, err := newWorkspace()
	if err != nil {
		return err
	}
	defer work.remove()
	tool, err := newGoCommand(ctx, work.dir, stderr)
	if err != nil {
		return err
	}
	dest, err := destination(tool, opts.output)
	if err != nil {
		return err
	}
	info, _ := debug.ReadBuildInfo()
	suite, err := findSuite(tool, opts.opvet, info)
	if err != nil {
		return err
	}
	release, err := findGopls(tool, opts.goplsVersion)
	if err != nil {
		return err
	}
	version := release.version + " (" + describe(suite, opts.described()) + ")"
	fmt.Fprintf(stderr, "opvet-gopls: building gopls %s with %s; the first time takes a minute or two\n", version, tool.version)
	if err := work.write(tool.version, suite, release, opts.all()); err != nil {
		return err
	}
	exe, err := work.build(tool, version)
	if err != nil {
		return fmt.Errorf("building gopls %s: %w", release.version, err)
	}
	if err := move(exe, dest); err != nil {
		return fmt.Errorf("installing gopls: %w", err)
	}
	_, err = fmt.Fprintf(stdout, "installed %s\n\n%s", dest, setup(dest))
	return err
}
