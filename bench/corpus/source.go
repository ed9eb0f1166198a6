package main

import (
	"fmt"
	"os"
	"path/filepath"

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
	for name, value := range m.settings(dir) {
		old, had := os.LookupEnv(name)
		if err := os.Setenv(name, value); err != nil {
			return nil, err
		}
		defer func() {
			if had {
				os.Setenv(name, old)
			} else {
				os.Unsetenv(name)
			}
		}()
	}
	program, err := driver.Load(driver.LoadOptions{Dir: dir, FromSource: true})
	if err != nil {
		return nil, err
	}
	result, err := program.Analyze(analyzers.All())
	if err != nil {
		return nil, err
	}
	a := new(analysis)
	a.Failures = result.Problems[len(program.Problems):]
	for _, found := range result.Findings {
		at, err := relativePlace(found.Posn.Filename, found.Posn.Line, checkout)
		if err != nil {
			return nil, err
		}
		f := Finding{
			Analyzer: found.Analyzer.Name, Category: found.Diagnostic.Category,
			File: at.File, Line: at.Line, Message: found.Diagnostic.Message,
		}
		for _, related := range found.Diagnostic.Related {
			posn := found.Fset.Position(related.Pos)
			if at, err := relativePlace(posn.Filename, posn.Line, checkout); err == nil {
				f.Related = append(f.Related, at)
			}
		}
		a.Findings = append(a.Findings, f)
	}
	return a, nil
}

func relativePlace(file string, line int, checkout string) (place, error) {
	rel, err := filepath.Rel(checkout, file)
	if err != nil {
		return place{}, fmt.Errorf("%s:%d: %w", file, line, err)
	}
	return place{File: filepath.ToSlash(rel), Line: line}, nil
}
