package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "corpus:", err)
		os.Exit(2)
	}
}

func run() error {
	var (
		casesFile  = flag.String("cases", "", "`file` of judged cases, one JSON object a line (required)")
		repos      = flag.String("repos", "", "`directory` of local clones: owner/name, owner/name.git, owner+name or owner+name/repo (required)")
		analyzers  = flag.String("analyzers", "", "comma-separated analyzers to judge (default all)")
		categories = flag.String("categories", "", "comma-separated categories of cases (default all)")
		operators  = flag.String("operators", "", "`file` of operators, one JSON object a line, to measure precision on")
		accuracy   = flag.String("accuracy", "", "write the document about accuracy to this `file`; wants all cases and -operators")
		peersFile  = flag.String("peers", "", "`file` of other tools' findings, for the document")
		contacts   = flag.String("contacts", "", "`file` of first contacts, for the document")
		fixesFile  = flag.String("fixes", "", "measure on this `file` of fixed mistakes, one JSON object a line, instead of on cases")
		measured   = flag.String("measured", "", "`file` of what was measured on fixed mistakes: -fixes adds to it, the document tells it")
		part       = flag.String("part", "", "with -fixes, measure those that are set aside, or the rest (default both)")
		alone      = flag.Bool("alone", false, "with -fixes, load only the packages of the places, with what they import")
		asJSON     = flag.Bool("json", false, "print the report as JSON")
		unjudged   = flag.Bool("unjudged", false, "list the findings that no case judges, too")
		work       = flag.String("work", "", "`directory` for checkouts and results (default opvet-corpus in the user's cache)")
		binary     = flag.String("opvet", "", "opvet `binary` to run (default: build it from this module)")
		kept       = flag.Bool("kept", false, "use the results that -work keeps of this opvet, and analyse nothing")
		source     = flag.Bool("source", false, "run the analyzers that the bench is linked with, and read dependencies from source: nothing is compiled")
		fixup      = flag.Bool("fixup", true, "raise golang.org/x modules that do not compile with today's toolchain, in the checkout")
	)
	flag.Parse()
	if *fixesFile != "" && *accuracy == "" {
		return runFixes(*fixesFile, *measured, *part, *repos, *work, *alone)
	}
	if *casesFile == "" || *repos == "" {
		return fmt.Errorf("-cases and -repos are required")
	}
	if flag.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flag.Arg(0))
	}
	if err := defaultWork(work); err != nil {
		return err
	}
	cases, err := readFile(*casesFile, parseCases)
	if err != nil {
		return err
	}
	var trees []Operator
	if *operators != "" {
		if trees, err = readFile(*operators, parseOperators); err != nil {
			return err
		}
	}
	if *accuracy != "" && (len(trees) == 0 || *analyzers != "" || *categories != "") {
		return fmt.Errorf("-accuracy is about all cases and operators: give -operators, and neither -analyzers nor -categories")
	}
	everything := cases
	var peers *Peers
	if *peersFile != "" {
		if peers, err = readFile(*peersFile, parsePeers); err != nil {
			return err
		}
	}
	var met []Contact
	if *contacts != "" {
		if met, err = readFile(*contacts, parseContacts); err != nil {
			return err
		}
	}
	var fixes []Fix
	var outcomes []Measured
	if *fixesFile != "" && *measured != "" {
		if fixes, err = readFile(*fixesFile, parseFixes); err != nil {
			return err
		}
		if outcomes, err = readFile(*measured, parseMeasured); err != nil {
			return err
		}
	}
	wanted := list(*analyzers)
	if cases, err = selectCases(cases, list(*categories), wanted); err != nil {
		return err
	}
	if *source {
		if *binary != "" {
			return fmt.Errorf("-source runs no other program: leave out -opvet")
		}
		if *binary, err = os.Executable(); err != nil {
			return err
		}
	}
	b, err := newBench(*repos, *work, *binary, *source, *fixup, func(format string, args ...any) {
		fmt.Fprintf(os.Stderr, format+"\n", args...)
	})
	if err != nil {
		return err
	}
	b.keptOnly = *kept
	report := b.run(cases, wanted)
	report.Operators = b.survey(trees, everything)
	report.Fixes, report.Measured = fixes, outcomes
	if *accuracy != "" {
		if err := os.WriteFile(*accuracy, report.accuracy(peers, met), 0o666); err != nil {
			return err
		}
	}
	if *asJSON {
		encoder := json.NewEncoder(os.Stdout)
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)
		return encoder.Encode(report)
	}
	report.print(os.Stdout, *unjudged)
	return nil
}

// defaultWork fills in the directory for checkouts.
func defaultWork(work *string) error {
	if *work != "" {
		return nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return fmt.Errorf("no place for checkouts, name one with -work: %w", err)
	}
	*work = filepath.Join(cache, "opvet-corpus")
	return nil
}

// readFile parses a file.
func readFile[T any](name string, parse func(io.Reader) (T, error)) (T, error) {
	var none T
	file, err := os.Open(name)
	if err != nil {
		return none, err
	}
	defer file.Close()
	value, err := parse(file)
	if err != nil {
		return none, fmt.Errorf("%s: %w", name, err)
	}
	return value, nil
}

// list splits a comma-separated flag.
func list(value string) []string {
	return strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' })
}
