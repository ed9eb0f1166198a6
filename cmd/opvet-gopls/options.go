package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/opvet/opvet/analyzers"
	"github.com/opvet/opvet/internal/driver/settings"
	"github.com/opvet/opvet/internal/report/rule"
)

// options is the command line.
type options struct {
	goplsVersion string
	output       string
	opvet        string
	harm         string // of all analyzers, empty for their own
	settings     []setting
}

// setting is the value that a flag of an analyzer is given.
type setting struct{ analyzer, flag, value string }

// String has neither single quotes nor line breaks, which a flag of the linker
// cannot have.
func (s setting) String() string {
	value := s.value
	if strings.ContainsFunc(value, func(r rune) bool { return !strconv.IsPrint(r) || strings.ContainsRune(` '",()`, r) }) {
		value = strings.ReplaceAll(strconv.Quote(value), "'", `\x27`)
	}
	return s.analyzer + "." + s.flag + "=" + value
}

func (o *options) flags() *flag.FlagSet {
	fs := flag.NewFlagSet("opvet-gopls", flag.ContinueOnError)
	fs.SetOutput(io.Discard) // errors are returned, help is our own
	fs.StringVar(&o.goplsVersion, "gopls-version", "", "build this `version` of gopls instead of the newest that the installed Go can build")
	fs.StringVar(&o.output, "o", "", "install as `file` instead of "+name+" in $GOBIN, or in $GOPATH/bin without one")
	fs.StringVar(&o.opvet, "opvet", "", "take the suite from this checkout of opvet, a `directory`, instead of this command's own version")
	fs.Func("harm", "report findings of this `harm` and worse: crash, loss, stuck, leak, load (the default) or hygiene", o.setHarm)
	fs.Func("set", "give a flag of an analyzer a value, as in `statusupdate.strict=true`; may be repeated", o.set)
	return fs
}

func (o *options) set(arg string) error {
	name, value, ok := strings.Cut(arg, "=")
	if !ok {
		return errors.New("want analyzer.flag=value, such as statusupdate.strict=true")
	}
	if err := settings.Set(analyzers.All(), name, value); err != nil {
		return err
	}
	analyzer, option, _ := strings.Cut(name, ".")
	o.settings = append(o.settings, setting{analyzer, option, value})
	return nil
}

func (o *options) setHarm(name string) error {
	o.harm = name
	return new(rule.Harm).Set(name)
}

// all returns the values of flags, those for all analyzers first.
func (o *options) all() []setting {
	var all []setting
	if o.harm != "" {
		for _, a := range analyzers.All() {
			all = append(all, setting{a.Name, "harm", o.harm})
		}
	}
	return append(all, o.settings...)
}

// described returns what tells how this gopls was built.
func (o *options) described() []string {
	var words []string
	if o.harm != "" {
		words = append(words, "harm="+o.harm)
	}
	for _, s := range o.settings {
		words = append(words, s.String())
	}
	return words
}

func parseOptions(args []string) (*options, error) {
	o := new(options)
	fs := o.flags()
	if err := fs.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil, err
	} else if err != nil {
		return nil, fmt.Errorf("%w; see opvet-gopls -h", err)
	}
	if fs.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q; see opvet-gopls -h", fs.Arg(0))
	}
	return o, nil
}

func usage() string {
	var text strings.Builder
	text.WriteString(`opvet-gopls builds a gopls with opvet's analyzers linked in, installs it, and
prints how editors are told to use it.

usage: opvet-gopls [flags]

`)
	fs := new(options).flags()
	fs.SetOutput(&text)
	fs.PrintDefaults()
	return text.String()
}
