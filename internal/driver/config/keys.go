package config

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/driver/settings"
)

// key is a key at the top of the file. The errors, the schema for editors and the
// reading follow from this one list.
type key struct {
	name    string
	doc     string
	command bool // for the command alone, not for the plugin of golangci-lint
	read    func(*reader, *yaml.Node) error
	schema  func([]*analysis.Analyzer) object
}

var fileKeys = []key{
	{"enable", "Analyzers and groups to run, or all. Without it, all run that are not disabled.", false,
		func(r *reader, n *yaml.Node) error { return r.names(n, &r.enable) }, namesSchema},
	{"disable", "Analyzers and groups not to run, or all. An analyzer's name counts more than its group, and that more than all.", false,
		func(r *reader, n *yaml.Node) error { return r.names(n, &r.disable) }, namesSchema},
	{"harm", "The least harm to report.", false, (*reader).harmOf, harmSchema},
	{"tests", "Whether to report findings in _test.go files too.", false, (*reader).testsOf, boolSchema},
	{"settings", "Flags of single analyzers.", false, (*reader).flagsOf, flagsSchema},
	{"exclude", "Paths in which findings are left out, each with the reason.", false, (*reader).exclusionsOf, exclusionsSchema},
	{"format", "How to print: text, json, sarif, github and others, each to the standard output or, as in sarif=opvet.sarif, to a file.", true,
		func(r *reader, n *yaml.Node) error { return r.texts(n, &r.Formats) }, textsSchema},
	{"sort", "The order of the findings.", true,
		func(r *reader, n *yaml.Node) error { return r.oneOf(n, &r.Sort, "harm", "path") },
		func([]*analysis.Analyzer) object { return object{"enum": []string{"harm", "path"}} }},
	{"tags", "Build tags.", true, func(r *reader, n *yaml.Node) error { return r.texts(n, &r.Tags) }, textsSchema},
	{"baseline", "The file of the findings that are known; see -write-baseline.", true,
		func(r *reader, n *yaml.Node) error { return r.text(n, &r.Baseline) }, textSchema},
}

// Keys returns the names of all keys, sorted.
func Keys() []string { return keyNames(fileKeys) }

func keyNames(keys []key) []string {
	var names []string
	for _, k := range keys {
		names = append(names, k.name)
	}
	slices.Sort(names)
	return names
}

// reader fills a Config.
type reader struct {
	*Config
	all  []*analysis.Analyzer
	path string // of keys, as in settings.statusupdate
}

func (c *Config) read(all []*analysis.Analyzer, n *yaml.Node, keys []key) error {
	known := keyNames(keys)
	r := &reader{Config: c, all: all}
	if !isNone(n) && n.Kind != yaml.MappingNode {
		return r.errorf(n, "want the keys %s, not %s", strings.Join(known, ", "), show(n))
	}
	return r.section(n, func(name string, keyNode, value *yaml.Node) error {
		i := slices.IndexFunc(keys, func(k key) bool { return k.name == name })
		switch {
		case i >= 0:
			return keys[i].read(r, value)
		case slices.ContainsFunc(fileKeys, func(k key) bool { return k.name == name }):
			return r.errorf(keyNode, "only the command has this setting; here there are %s", strings.Join(known, ", "))
		}
		if right := settings.Nearest(name, known); right != "" {
			return r.errorf(keyNode, "no such setting; did you mean %s?", right)
		}
		return r.errorf(keyNode, "no such setting; there are %s", strings.Join(known, ", "))
	})
}

// section hands over the keys and values of a mapping, which may be none.
func (r *reader) section(n *yaml.Node, entry func(name string, key, value *yaml.Node) error) error {
	if isNone(n) {
		return nil
	}
	seen := make(map[string]bool)
	before := r.path
	defer func() { r.path = before }()
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], resolved(n.Content[i+1])
		r.path = strings.TrimPrefix(before+"."+key.Value, ".")
		if seen[key.Value] {
			return r.errorf(key, "the key stands here a second time")
		}
		seen[key.Value] = true
		if err := entry(key.Value, key, value); err != nil {
			return err
		}
	}
	return nil
}

// list hands over the items of a list, which may be none.
func (r *reader) list(n *yaml.Node, want string, item func(*yaml.Node) error) error {
	if isNone(n) {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		return r.bad(n, want)
	}
	before := r.path
	defer func() { r.path = before }()
	for i, n := range n.Content {
		r.path = fmt.Sprintf("%s[%d]", before, i)
		if err := item(resolved(n)); err != nil {
			return err
		}
	}
	return nil
}

// names reads a list of analyzers and groups.
func (r *reader) names(n *yaml.Node, to *[]word) error {
	return r.list(n, "a list of analyzers and groups", func(n *yaml.Node) error {
		if !isText(n) {
			return r.bad(n, "the name of an analyzer or group")
		}
		if err := settings.CheckWord(r.all, n.Value); err != nil {
			return r.errorf(n, "%w", err)
		}
		*to = append(*to, word{n.Value, n})
		return nil
	})
}

func (r *reader) texts(n *yaml.Node, to *[]string) error {
	return r.list(n, "a list of texts", func(n *yaml.Node) error {
		var text string
		err := r.text(n, &text)
		*to = append(*to, text)
		return err
	})
}

func (r *reader) text(n *yaml.Node, to *string) error {
	if !isText(n) || n.Value == "" {
		return r.bad(n, "a text")
	}
	*to = n.Value
	return nil
}

func (r *reader) oneOf(n *yaml.Node, to *string, values ...string) error {
	if !isText(n) || !slices.Contains(values, n.Value) {
		return r.bad(n, strings.Join(values, " or "))
	}
	*to = n.Value
	return nil
}

func (r *reader) harmOf(n *yaml.Node) error {
	if !isText(n) {
		return r.bad(n, "the name of a harm, such as load")
	}
	r.harm = word{n.Value, n}
	return nil
}

func (r *reader) testsOf(n *yaml.Node) error {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" {
		return r.bad(n, "true or false")
	}
	r.tests = word{n.Value, n}
	return nil
}

// flagsOf reads the flags of single analyzers.
func (r *reader) flagsOf(n *yaml.Node) error {
	if !isNone(n) && n.Kind != yaml.MappingNode {
		return r.bad(n, "analyzers with their flags")
	}
	return r.section(n, func(analyzer string, key, flags *yaml.Node) error {
		a, err := settings.Lookup(r.all, analyzer)
		if err != nil {
			return r.errorf(key, "%w", err)
		}
		if !isNone(flags) && flags.Kind != yaml.MappingNode {
			return r.bad(flags, "flags with their values")
		}
		return r.section(flags, func(flag string, key, value *yaml.Node) error {
			switch {
			case a.Flags.Lookup(flag) == nil:
				return r.errorf(key, "%w", settings.UnknownFlag(a, flag))
			case value.Kind != yaml.ScalarNode || isNone(value):
				return r.bad(value, "a single value")
			}
			r.flags = append(r.flags, flagValue{analyzer, flag, word{value.Value, value}})
			return nil
		})
	})
}

func (r *reader) exclusionsOf(n *yaml.Node) error {
	return r.list(n, "a list of paths with reasons", func(n *yaml.Node) error {
		if n.Kind != yaml.MappingNode {
			return r.bad(n, "the keys path, rules and reason")
		}
		e := &Exclusion{place: r.at(n)}
		err := r.section(n, func(name string, key, value *yaml.Node) error {
			switch name {
			case "path":
				return r.pathOf(value, e)
			case "reason":
				return r.text(value, &e.Reason)
			case "rules":
				return r.rulesOf(value, e)
			}
			return r.errorf(key, "no such key; there are path, reason, rules")
		})
		switch {
		case err != nil:
			return err
		case e.Path == "":
			return r.errorf(n, "it needs a path")
		case e.Reason == "":
			return r.errorf(n, "it needs a reason")
		}
		r.exclusions = append(r.exclusions, e)
		return nil
	})
}

func (r *reader) pathOf(n *yaml.Node, e *Exclusion) error {
	if err := r.text(n, &e.Path); err != nil {
		return err
	}
	pattern, err := compile(e.Path)
	if err != nil {
		return r.errorf(n, "bad value %q: %w", e.Path, err)
	}
	e.pattern = pattern
	return nil
}

func (r *reader) rulesOf(n *yaml.Node, e *Exclusion) error {
	return r.list(n, "a list of analyzers, groups and categories", func(n *yaml.Node) error {
		if !isText(n) {
			return r.bad(n, "the name of an analyzer, group or category")
		}
		if err := checkRule(r.all, n.Value); err != nil {
			return r.errorf(n, "%w", err)
		}
		e.Rules = append(e.Rules, n.Value)
		return nil
	})
}

// bad is the error about a value that does not fit.
func (r *reader) bad(n *yaml.Node, want string) error {
	return r.errorf(n, "bad value %s: want %s", show(n), want)
}

// errorf makes an error with the place and the path of the keys.
func (r *reader) errorf(n *yaml.Node, format string, args ...any) error {
	path := r.path
	if path != "" {
		path += ": "
	}
	return fmt.Errorf("%s%s%w", r.at(n), path, fmt.Errorf(format, args...))
}
