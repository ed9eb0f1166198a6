// Package config reads the file .opvet.yml. It is strict: what does not exist, or
// does not fit, is an error that names its place in the file and what there is.
package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/driver/settings"
	"github.com/opvet/opvet/internal/report/rule"
)

// Config is what a user has configured.
type Config struct {
	// Dir is the directory that paths begin at: that of the file.
	Dir string

	// What is for the command alone. They are empty if nothing is said about them.
	Formats  []string
	Sort     string
	Tags     []string
	Baseline string

	enable, disable []word
	harm            word
	tests           word
	flags           []flagValue
	exclusions      []*Exclusion
	at              func(*yaml.Node) string
}

// word is a value with its place.
type word struct {
	text string
	node *yaml.Node
}

// flagValue is the value of an analyzer's flag.
type flagValue struct {
	analyzer, flag string
	value          word
}

// Names are those of the file.
var Names = []string{".opvet.yml", ".opvet.yaml"}

// Find returns the file that holds for a directory: the nearest one from there
// upwards, not beyond the top of a git repository.
func Find(dir string) (string, bool) {
	for {
		for _, name := range Names {
			name = filepath.Join(dir, name)
			if info, err := os.Stat(name); err == nil && !info.IsDir() {
				return name, true
			}
		}
		parent := filepath.Dir(dir)
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil || parent == dir {
			return "", false
		}
		dir = parent
	}
}

// Load reads a file. What it names is looked up among the analyzers.
func Load(all []*analysis.Analyzer, name string) (*Config, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(filepath.Dir(name))
	if err != nil {
		return nil, err
	}
	return Parse(all, name, dir, data)
}

// Parse reads the text of a file, whose name is for errors.
func Parse(all []*analysis.Analyzer, name, dir string, data []byte) (*Config, error) {
	var document, second yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	if err := decoder.Decode(&document); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := decoder.Decode(&second); err == nil {
		return nil, fmt.Errorf("%s: want one document, not several", name)
	}
	c := &Config{Dir: dir, at: func(n *yaml.Node) string { return fmt.Sprintf("%s:%d:%d: ", name, n.Line, n.Column) }}
	if len(document.Content) == 0 { // nothing but comments
		return c, nil
	}
	return c, c.read(all, document.Content[0], fileKeys)
}

// OfSettings reads settings that a host hands over, as JSON has them: the keys that
// concern analysis. Paths begin at the current directory.
func OfSettings(all []*analysis.Analyzer, raw any) (*Config, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	c := &Config{Dir: dir, at: func(*yaml.Node) string { return "" }}
	return c, c.read(all, nodeOf(raw), slices.DeleteFunc(slices.Clone(fileKeys), func(k key) bool { return k.command }))
}

// Select returns the analyzers that are to run.
func (c *Config) Select(all []*analysis.Analyzer) ([]*analysis.Analyzer, error) {
	texts := func(words []word) []string {
		var texts []string
		for _, w := range words {
			texts = append(texts, w.text)
		}
		return texts
	}
	return settings.Select(all, texts(c.enable), texts(c.disable))
}

// Apply sets the flags of the analyzers, but for those, named "analyzer.flag",
// that were given otherwise.
func (c *Config) Apply(all []*analysis.Analyzer, given func(name string) bool) error {
	leftOut := func(flag string) func(*analysis.Analyzer) bool {
		return func(a *analysis.Analyzer) bool { return given(a.Name + "." + flag) }
	}
	if c.tests.node != nil {
		if err := settings.SetAll(all, "tests", c.tests.text, leftOut("tests")); err != nil {
			return fmt.Errorf("%s%w", c.at(c.tests.node), err)
		}
	}
	if c.harm.node != nil {
		if err := settings.SetHarm(all, c.harm.text, leftOut("harm")); err != nil {
			return fmt.Errorf("%s%w", c.at(c.harm.node), err)
		}
	}
	for _, f := range c.flags {
		name := f.analyzer + "." + f.flag
		if given(name) {
			continue
		}
		if err := settings.Set(all, name, f.value.text); err != nil {
			return fmt.Errorf("%ssettings.%w", c.at(f.value.node), err)
		}
	}
	return nil
}

// Tests reports whether findings in test files are wanted.
func (c *Config) Tests() bool {
	on, err := strconv.ParseBool(c.tests.text)
	return err == nil && on
}

// Path returns a path of the file as it is to be opened.
func (c *Config) Path(name string) string {
	if name == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(c.Dir, name)
}

// Excludes returns the exclusion, if any, that leaves out findings of an analyzer's
// category in a file.
func (c *Config) Excludes(a *analysis.Analyzer, category, filename string) *Exclusion {
	if c == nil {
		return nil
	}
	rel, err := filepath.Rel(c.Dir, filename)
	if err != nil {
		return nil
	}
	rel = filepath.ToSlash(rel)
	for _, e := range c.exclusions {
		if e.covers(rel) && e.concerns(a, category) {
			return e
		}
	}
	return nil
}

// Exclusion leaves out what is found below a path.
type Exclusion struct {
	Path   string
	Rules  []string // analyzers, groups and categories; none means all
	Reason string

	place   string
	pattern matcher
}

// String says where it stands.
func (e *Exclusion) String() string { return e.place + e.Path }

func (e *Exclusion) covers(rel string) bool { return e.pattern.MatchString(rel) }

func (e *Exclusion) concerns(a *analysis.Analyzer, category string) bool {
	return len(e.Rules) == 0 || slices.ContainsFunc(e.Rules, func(name string) bool {
		return name == a.Name || name == rule.Of(a).Group || name == a.Name+"/"+category
	})
}

// checkRule returns an error unless a name is that of an analyzer, a group or a
// category.
func checkRule(all []*analysis.Analyzer, name string) error {
	if len(settings.InGroup(all, name)) > 0 {
		return nil
	}
	analyzer, category, ofCategory := strings.Cut(name, "/")
	a, err := settings.Lookup(all, analyzer)
	switch {
	case err != nil && ofCategory:
		return err
	case err != nil:
		return settings.UnknownWord(all, name)
	case ofCategory && !slices.ContainsFunc(rule.Of(a).Categories, func(c rule.Category) bool { return c.Name == category }):
		return settings.UnknownCategory(a, category)
	}
	return nil
}
