package driver

import (
	"errors"
	"fmt"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// format is a way to print what came out of an analysis.
type format interface {
	write(out io.Writer, r *report) error
}

// formats are the values of the flag -format.
var formats = []struct {
	name string
	format
}{
	{"text", autoFormat{}},
	{"plain", textFormat{}},
	{"pretty", prettyFormat{}},
	{"json", jsonFormat{}},
	{"sarif", sarifFormat{}},
	{"github", githubFormat{}},
	{"html", htmlFormat{}},
}

// report is what the formats print.
type report struct {
	*Result
	analyzers []*analysis.Analyzer // those that ran
	root      *sourceRoot
	sources   *sources
	most      int // findings that are printed as text; 0 for all
}

// printed returns the findings that are printed as text, and how many are not.
func (r *report) printed() ([]Finding, int) {
	if n := len(r.Findings); r.most > 0 && n > r.most {
		return r.Findings[:r.most], n - r.most
	}
	return r.Findings, 0
}

// rest says that there are findings that are not printed.
func rest(n int) string {
	return fmt.Sprintf("and %d more: -max=0 prints them all", n)
}

// place returns where a problem was met, as far as that is known.
func (r *report) place(problem int) (token.Position, bool) {
	if posn, ok := r.places[problem]; ok {
		return posn, true
	}
	match := placed.FindStringSubmatch(r.Problems[problem])
	if match == nil {
		return token.Position{}, false
	}
	name := match[1]
	if !filepath.IsAbs(name) {
		name = filepath.Join(workingDir(), name)
	}
	// The numbers are digits, and what does not fit is no line.
	line, _ := strconv.Atoi(match[2])
	return token.Position{Filename: name, Line: line}, line > 0
}

// placed is what begins with a place in a Go file, as compilers' errors do.
var placed = regexp.MustCompile(`^(\S[^:\n]*\.go):([0-9]+)(?::[0-9]+)?: `)

// output is a format with the file that it goes to.
type output struct {
	name string
	format
	file string // empty for the standard output
}

// outputs is the value of the flag -format.
type outputs []output

func (o *outputs) String() string { return "" }

// Set adds an output, FORMAT or FORMAT=FILE.
func (o *outputs) Set(value string) error {
	name, file, hasFile := strings.Cut(value, "=")
	if hasFile && file == "" {
		return fmt.Errorf("want a file after %s=", name)
	}
	var names []string
	for _, f := range formats {
		if f.name != name {
			names = append(names, f.name)
			continue
		}
		*o = append(*o, output{name, f.format, file})
		return nil
	}
	return fmt.Errorf("no format is named %q; there are %s", name, strings.Join(names, ", "))
}

// check refuses outputs that would go to one place.
func (o outputs) check() error {
	for i, output := range o {
		for _, other := range o[:i] {
			switch {
			case other.file != output.file:
			case output.file == "":
				return fmt.Errorf("%s and %s would both go to the standard output; write -format %s=FILE", other.name, output.name, output.name)
			default:
				return fmt.Errorf("%s and %s would both go to %s", other.name, output.name, output.file)
			}
		}
	}
	return nil
}

// toStdout returns the name of the format that goes to the standard output, if
// any.
func (o outputs) toStdout() string {
	for _, output := range o {
		if output.file == "" {
			return output.name
		}
	}
	return ""
}

// destination is an output that has been opened.
type destination struct {
	output
	io.Writer
	opened  *os.File // nil for the standard output
	created bool
}

// draw reports whether some output has the picture of opvet map.
func (o outputs) draw() bool {
	return slices.ContainsFunc(o, func(output output) bool { return output.format == htmlFormat{} })
}

// open opens the files, so that it is known before the analysis whether they
// can be written. What they hold is left until there is something to replace
// it.
func (o outputs) open(stdout io.Writer) (destinations, error) {
	var all destinations
	for _, output := range o {
		d, err := output.open(stdout)
		if err != nil {
			all.abandon()
			return nil, fmt.Errorf("-format %s: %w", output.name, err)
		}
		all = append(all, d)
	}
	return all, nil
}

func (o output) open(stdout io.Writer) (*destination, error) {
	if o.file == "" {
		return &destination{output: o, Writer: stdout}, nil
	}
	_, err := os.Lstat(o.file)
	isNew := errors.Is(err, os.ErrNotExist)
	file, err := os.OpenFile(o.file, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	return &destination{output: o, Writer: file, opened: file, created: isNew}, nil
}

type destinations []*destination

// write prints the report everywhere.
func (ds destinations) write(r *report) error {
	for _, d := range ds {
		if err := d.write(r); err != nil {
			return fmt.Errorf("writing the findings as %s: %w", d.name, err)
		}
	}
	return nil
}

func (d *destination) write(r *report) error {
	if d.opened == nil {
		return d.format.write(d.Writer, r)
	}
	info, err := d.opened.Stat()
	if err != nil {
		return err
	}
	if info.Mode().IsRegular() { // a pipe cannot be truncated
		if err := d.opened.Truncate(0); err != nil {
			return err
		}
	}
	if err := d.format.write(d.Writer, r); err != nil {
		return err
	}
	d.created = false
	file := d.opened
	d.opened = nil
	return file.Close()
}

// abandon closes what has not been written, and leaves no empty files.
func (ds destinations) abandon() {
	for _, d := range ds {
		if d.opened != nil {
			d.opened.Close()
		}
		if d.created {
			os.Remove(d.file)
		}
	}
}
