// Scaffold makes a new analyzer: a package that compiles, its line in the
// registry, a case and a trap, and a test that fails until the rule is written.
//
//	go run ./internal/tools/scaffold -group status -summary "find …" -category dropped NAME
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

// The exit statuses of the command.
const (
	exitDone    = 0
	exitFailure = 2 // bad usage, or the files could not be written
)

func main() {
	os.Exit(run(".", os.Args[1:], os.Stdout, os.Stderr))
}

// run makes the analyzer in the repository at root.
func run(root string, args []string, stdout, stderr io.Writer) int {
	fail := func(err error) int {
		fmt.Fprintf(stderr, "scaffold: %v\n", err)
		return exitFailure
	}
	a, err := parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(stdout, usage)
		return exitDone
	}
	if err != nil {
		return fail(err)
	}
	if err := a.validate(root); err != nil {
		return fail(err)
	}
	files, err := a.files(root)
	if err != nil {
		return fail(err)
	}
	if err := write(root, files); err != nil {
		return fail(err)
	}
	a.nextSteps(stdout)
	return exitDone
}

const usage = "usage: scaffold [-group GROUP] [-summary SUMMARY] [-category CATEGORY] NAME"

// parse reads the command line; flags may stand before and after the name.
func parse(args []string) (*analyzer, error) {
	a := new(analyzer)
	fs := flag.NewFlagSet("scaffold", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&a.Group, "group", "draft", "the theme that the analyzer belongs to")
	fs.StringVar(&a.Summary, "summary", "find a mistake that has to be described", "what it finds, in one line that begins with find")
	fs.StringVar(&a.Category, "category", "mistake", "its first category, in kebab-case")
	for len(args) > 0 {
		if err := fs.Parse(args); err != nil {
			return nil, fmt.Errorf("%w; %s", err, usage)
		}
		if args = fs.Args(); len(args) == 0 {
			break
		}
		if a.Name != "" {
			return nil, fmt.Errorf("two names, %q and %q: one analyzer at a time", a.Name, args[0])
		}
		a.Name, args = args[0], args[1:]
	}
	if a.Name == "" {
		return nil, errors.New("which analyzer? " + usage)
	}
	return a, nil
}
