package driver

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/opvet/opvet/internal/driver/baseline"
)

// baselineName is where -write-baseline writes unless a file is named.
const baselineName = ".opvet-baseline.json"

// known are the findings that a baseline knows.
type known struct {
	file    string // absolute
	entries []baseline.Entry
	write   bool // what is found, instead of leaving out what is known
	prune   bool // take out what is stale

	scope scope // what was looked at
	stale []int // entries of which nothing is found any more
}

// readBaseline reads the baseline that the command line or the settings name. It
// returns nil if there is none.
func (c *command) readBaseline() (*known, error) {
	name := c.baseline
	if name == "" && c.config != nil {
		name = c.config.Path(c.config.Baseline)
	}
	changes := c.writeBaseline || c.pruneBaseline
	if name == "" && changes {
		name = baselineName
		if c.config != nil {
			name = c.config.Path(name)
		}
	}
	switch {
	case name == noConfig && changes:
		return nil, fmt.Errorf("-baseline=%s names no file to write", noConfig)
	case name == "" || name == noConfig:
		return nil, nil
	case c.writeBaseline && c.pruneBaseline:
		return nil, fmt.Errorf("-write-baseline leaves nothing for -prune-baseline to do")
	case changes && (c.fix || c.diff || c.isSet("new-from-rev")):
		return nil, fmt.Errorf("a baseline is written of all findings, without -fix, -diff and -new-from-rev")
	}
	name, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	k := &known{file: name, write: c.writeBaseline, prune: c.pruneBaseline}
	if k.entries, err = baseline.Read(name); err != nil && !(k.write && os.IsNotExist(err)) {
		return nil, fmt.Errorf("-baseline: %w", err)
	}
	return k, nil
}

// rel names a file from the directory of the baseline.
func (k *known) rel(file string) string {
	return filepath.ToSlash(relativeTo(filepath.Dir(k.file), file))
}

// apply takes the known findings out of the result, unless they are to be written
// anew, and finds out which entries are stale.
func (k *known) apply(r *Result, s scope) {
	k.scope, k.stale = s, nil
	if k.write {
		return
	}
	is, needed := baseline.Match(k.entries, identify(r.all(), newSources(), k.rel))
	before := len(r.Findings)
	r.drop(is)
	r.Known = before - len(r.Findings)
	for i, e := range k.entries {
		if !needed[i] && k.judges(e) {
			k.stale = append(k.stale, i)
		}
	}
}

// scope is what was analysed.
type scope struct {
	files map[string]bool
	rules map[string]bool // analyzers
	whole string          // a module that was analysed as a whole, or ""
}

func (c *command) scopeOf(p *Program) scope {
	s := scope{files: make(map[string]bool), rules: make(map[string]bool)}
	for _, name := range p.Files() {
		if len(p.files) == 0 || p.files[name] {
			s.files[name] = true
		}
	}
	for _, a := range c.enabledAnalyzers() {
		s.rules[a.Name] = true
	}
	if _, err := os.Stat("go.mod"); err == nil && (c.flags.NArg() == 0 || slices.Contains(c.flags.Args(), "./...")) {
		s.whole = workingDir()
	}
	return s
}

// judges reports whether the run would have found what an entry stands for. Of a file
// that is gone, only a run over its module can tell.
func (k *known) judges(e baseline.Entry) bool {
	analyzer, _, _ := strings.Cut(e.Rule, "/")
	if !k.scope.rules[analyzer] {
		return false
	}
	name := filepath.Join(filepath.Dir(k.file), filepath.FromSlash(e.File))
	if k.scope.files[name] {
		return true
	}
	_, err := os.Stat(name)
	return os.IsNotExist(err) && k.scope.whole != "" && filepath.IsLocal(relativeTo(k.scope.whole, name))
}

// change does with the file what the command line asks for, and says so. It reports
// whether that was all there is to do.
func (k *known) change(r *Result, out io.Writer) (done bool, err error) {
	switch {
	case k.write && len(r.Problems) > 0:
		return true, fmt.Errorf("the baseline is not written, since not everything can be analysed: %s", strings.Join(r.Problems, "; "))
	case k.write:
		return true, k.save(r, out)
	case len(k.stale) == 0:
		return false, nil
	case k.prune:
		return false, k.removeStale(out)
	}
	k.tellStale(out)
	return false, nil
}

// save writes the findings as the new baseline. Entries that this run cannot judge
// stay.
func (k *known) save(r *Result, out io.Writer) error {
	entries := slices.DeleteFunc(slices.Clone(k.entries), k.judges)
	kept := len(entries)
	entries = append(entries, identify(r.Findings, newSources(), k.rel)...)
	if err := baseline.Write(k.file, entries); err != nil {
		return fmt.Errorf("-write-baseline: %w", err)
	}
	fmt.Fprintf(out, "opvet: %s now knows %s", relative(k.file), count(len(entries), "finding"))
	if kept > 0 {
		fmt.Fprintf(out, ", %d of them from before, where this run has not looked", kept)
	}
	fmt.Fprintf(out, "; opvet -baseline %s leaves them out\n", relative(k.file))
	return nil
}

func (k *known) removeStale(out io.Writer) error {
	var left []baseline.Entry
	for i, e := range k.entries {
		if !slices.Contains(k.stale, i) {
			left = append(left, e)
		}
	}
	if err := baseline.Write(k.file, left); err != nil {
		return fmt.Errorf("-prune-baseline: %w", err)
	}
	fmt.Fprintf(out, "opvet: %s: %s taken out, %d left\n", relative(k.file), plural(len(k.stale), "entry is", "entries are"), len(left))
	return nil
}

func (k *known) tellStale(out io.Writer) {
	fmt.Fprintf(out, "opvet: %s: %s stale, nothing is found there any more; -prune-baseline takes them out\n", relative(k.file), plural(len(k.stale), "entry is", "entries are"))
	const some = 10
	for _, i := range k.stale[:min(some, len(k.stale))] {
		fmt.Fprintf(out, "\t%s\n", k.entries[i])
	}
	if more := len(k.stale) - some; more > 0 {
		fmt.Fprintf(out, "\tand %d more\n", more)
	}
}
