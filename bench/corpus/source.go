package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/opvet/opvet/analyzers"
	"github.com/opvet/opvet/internal/driver"
)

// linkedAnalyzers returns the names of the analyzers that the bench itself is
// linked with.
func linkedAnalyzers() map[string]bool {
	names := make(map[string]bool)
	for _, a := range analyzers.All() {
		names[a.Name] = true
	}
	return names
}

// fromSource analyses the module in dir in this process, and reads what it
// imports from source, so that no dependency has to be compiled.
func (b *bench) fromSource(m *module, checkout, dir string) (*analysis, error) {
	defer m.enter(dir)()
	isForeign, err := foreignFiles(dir)
	if err != nil {
		return nil, err
	}
	program, err := driver.Load(driver.LoadOptions{Dir: dir, FromSource: isForeign})
	if err != nil {
		return nil, err
	}
	analysed := make(map[string]bool)
	for _, file := range program.Files() {
		analysed[file] = true
	}
	result, err := program.Analyze(analyzers.All())
	if err != nil {
		return nil, err
	}
	a := new(analysis)
	for file, failure := range m.Files {
		if failure == "" && !analysed[filepath.Join(dir, filepath.FromSlash(file))] {
			a.Left = append(a.Left, file)
		}
	}
	slices.Sort(a.Left)
	a.Failures = result.Problems[len(program.Problems):]
	a.Excuses = countExcuses(result.Excused)
	a.Findings, err = relativeFindings(result, checkout)
	return a, err
}

// enter sets the environment that the module in dir is loaded in; what it
// returns sets it back.
func (m *module) enter(dir string) (leave func()) {
	old := os.Environ()
	for name, value := range m.settings(dir) {
		os.Setenv(name, value)
	}
	return func() {
		os.Clearenv()
		for _, setting := range old {
			name, value, _ := strings.Cut(setting, "=")
			os.Setenv(name, value)
		}
	}
}

// relativeFindings returns the findings, what is harmless included, with paths
// relative to the checkout.
func relativeFindings(result *driver.Result, checkout string) ([]Finding, error) {
	var findings []Finding
	for _, found := range append(result.Findings, result.Harmless...) {
		at, err := relativePlace(found.Posn.Filename, found.Posn.Line, checkout)
		if err != nil {
			return nil, err
		}
		f := Finding{
			Analyzer: found.Analyzer.Name, Category: found.Diagnostic.Category,
			File: at.File, Line: at.Line, Harm: found.Harm.String(), Message: found.Diagnostic.Message,
		}
		for _, related := range found.Diagnostic.Related {
			posn := found.Fset.Position(related.Pos)
			if at, err := relativePlace(posn.Filename, posn.Line, checkout); err == nil {
				f.Related = append(f.Related, at)
			}
		}
		findings = append(findings, f)
	}
	return findings, nil
}

// foreignFiles returns a test of file names: whether a file belongs to Go, to the
// module cache or to a vendor directory.
func foreignFiles(dir string) (func(name string) bool, error) {
	cmd := exec.Command("go", "env", "GOROOT", "GOMODCACHE")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", cmd, err)
	}
	roots := strings.Split(strings.TrimSpace(string(out)), "\n")
	vendor := string(filepath.Separator) + "vendor" + string(filepath.Separator)
	return func(name string) bool {
		for _, root := range roots {
			if strings.HasPrefix(name, root+string(filepath.Separator)) {
				return true
			}
		}
		return strings.Contains(name, vendor)
	}, nil
}

func relativePlace(file string, line int, checkout string) (place, error) {
	rel, err := filepath.Rel(checkout, file)
	if err != nil {
		return place{}, fmt.Errorf("%s:%d: %w", file, line, err)
	}
	return place{File: filepath.ToSlash(rel), Line: line}, nil
}
