package main

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"go/format"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"
)

// analyzer is what is known of the analyzer to be made.
type analyzer struct{ Name, Group, Summary, Category string }

const (
	registryName = "internal/report/registry/registry.go"
	packagesDir  = "analyzers"
	casesDir     = "testdata"
)

var (
	word  = regexp.MustCompile(`^[a-z]+$`)
	kebab = regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	group = regexp.MustCompile(`\bGroup:\s*"([a-z]+)"`)
)

// reserved are names that mean something else: to the go command as a package or
// directory, or to the suite where analyzers are named.
var reserved = map[string]string{
	"main": "a package of that name is a program", "internal": "Go restricts who imports such a package",
	"vendor": "Go takes such a directory for dependencies", "testdata": "Go ignores such a directory",
	"all": "it stands for all analyzers", "opvet": "it stands for the suite",
	"help": "it is a word of the command line", "version": "it is a word of the command line",
}

// validate checks that the analyzer can be made in the repository at root.
func (a *analyzer) validate(root string) error {
	if _, err := os.Stat(filepath.Join(root, registryName)); err != nil {
		return fmt.Errorf("run it at the root of the repository: %w", err)
	}
	if !word.MatchString(a.Name) {
		return fmt.Errorf("bad name %q: it must be one lower-case word, of the letters a to z", a.Name)
	}
	if token.IsKeyword(a.Name) {
		return fmt.Errorf("bad name %q: it is a keyword of Go", a.Name)
	}
	if why, ok := reserved[a.Name]; ok {
		return fmt.Errorf("bad name %q: %s", a.Name, why)
	}
	for _, dir := range []string{packagesDir, casesDir, filepath.Join(casesDir, "legacy")} {
		dir = filepath.Join(dir, a.Name)
		if _, err := os.Stat(filepath.Join(root, dir)); err == nil {
			return fmt.Errorf("bad name %q: it is taken, there is %s", a.Name, filepath.ToSlash(dir))
		} else if !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("looking whether the name is free: %w", err)
		}
	}
	groups, err := groupsOf(root)
	if err != nil {
		return fmt.Errorf("looking whether the name is free: %w", err)
	}
	if groups[a.Name] {
		return fmt.Errorf("bad name %q: it is taken, by a group of analyzers", a.Name)
	}
	if !word.MatchString(a.Group) {
		return fmt.Errorf("-group: bad group %q: it must be one lower-case word, of the letters a to z", a.Group)
	}
	if _, err := os.Stat(filepath.Join(root, packagesDir, a.Group)); err == nil || a.Group == a.Name {
		return fmt.Errorf("-group: bad group %q: it is the name of an analyzer", a.Group)
	}
	if !kebab.MatchString(a.Category) {
		return fmt.Errorf("-category: bad category %q: it must be lower-case words with hyphens between them", a.Category)
	}
	if a.Summary == "" || strings.ContainsAny(a.Summary, "\n`") {
		return fmt.Errorf("-summary: bad summary %q: it must be one line, without backquotes", a.Summary)
	}
	return nil
}

// groupsOf returns the groups of the analyzers that there are.
func groupsOf(root string) (map[string]bool, error) {
	files, err := filepath.Glob(filepath.Join(root, packagesDir, "*", "*.go"))
	if err != nil {
		return nil, err
	}
	groups := make(map[string]bool)
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		for _, match := range group.FindAllSubmatch(text, -1) {
			groups[string(match[1])] = true
		}
	}
	return groups, nil
}

//go:embed templates
var templates embed.FS

// files returns what to write, by the name from the root.
func (a *analyzer) files(root string) (map[string][]byte, error) {
	registry, err := os.ReadFile(filepath.Join(root, registryName))
	if err != nil {
		return nil, err
	}
	registered, err := register(registry, a.Name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", registryName, err)
	}
	files := map[string][]byte{registryName: registered}
	for from, to := range map[string]string{
		"doc.go.tmpl":   filepath.Join(packagesDir, a.Name, "doc.go"),
		"rule.go.tmpl":  filepath.Join(packagesDir, a.Name, a.Name+".go"),
		"test.go.tmpl":  filepath.Join(packagesDir, a.Name, a.Name+"_test.go"),
		"cases.go.tmpl": filepath.Join(casesDir, a.Name, "cases.go"),
	} {
		tmpl, err := template.ParseFS(templates, "templates/"+from)
		if err != nil {
			return nil, err
		}
		var text bytes.Buffer
		if err := tmpl.Execute(&text, a); err != nil {
			return nil, err
		}
		if files[to], err = format.Source(text.Bytes()); err != nil {
			return nil, fmt.Errorf("%s: %w", to, err)
		}
	}
	return files, nil
}

func write(root string, files map[string][]byte) error {
	for name, text := range files {
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (a *analyzer) nextSteps(out io.Writer) {
	fmt.Fprintf(out, `%[1]s is made, registered, and finds nothing yet. Next:

	testdata/%[1]s/cases.go      write the mistake as operators make it, and what looks like it and is right
	analyzers/%[1]s/%[1]s.go     write the rule, until go test ./analyzers/%[1]s passes
	analyzers/%[1]s/doc.go       say what goes wrong in production, and what to do instead
	testdata/legacy/%[1]s        the same cases with the libraries before generics, as far as they have them
	testdata/demo                the mistake once in a small operator, and a row in its README
	make docs                    writes the page and the tables

docs/new-analyzer.md has the rest.
`, a.Name)
}
