package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"sort"
	"strconv"
	"strings"

	"github.com/opvet/opvet/internal/report/rule"
)

// A Finding is a diagnostic of opvet, with paths relative to the checkout.
type Finding struct {
	Analyzer string  `json:"analyzer"`
	Category string  `json:"category,omitempty"`
	File     string  `json:"file"`
	Line     int     `json:"line"`
	Harm     string  `json:"harm"`
	Message  string  `json:"message"`
	Related  []place `json:"related,omitempty"`
}

// isPrinted reports whether opvet prints the finding without being asked for
// what is harmless.
func (f Finding) isPrinted() bool {
	var harm rule.Harm
	return harm.Set(f.Harm) == nil && harm >= rule.DefaultHarm
}

type place struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

// diagnostic is the part of a diagnostic in opvet -json that matters here.
type diagnostic struct {
	Category string `json:"category"`
	Posn     string `json:"posn"`
	Harm     string `json:"harm"`
	Message  string `json:"message"`
	Related  []struct {
		Posn string `json:"posn"`
	} `json:"related"`
}

// parseFindings reads the output of opvet -json, run in dir: objects that map
// package, then analyzer, to a list of diagnostics or to an error. A package
// with test variants reports twice; equal findings are merged. Errors of
// single analyzers are returned beside the findings.
func parseFindings(out []byte, checkout, dir string) (findings []Finding, failures []string, err error) {
	trees, err := decodeStream[map[string]map[string]json.RawMessage](out)
	if err != nil {
		return nil, nil, err
	}
	seen := make(map[string]bool)
	for _, tree := range trees {
		for pkg, results := range tree {
			for analyzer, raw := range results {
				var failure struct {
					Error string `json:"error"`
				}
				if json.Unmarshal(raw, &failure) == nil && failure.Error != "" {
					failures = append(failures, fmt.Sprintf("%s in %s: %s", analyzer, pkg, failure.Error))
					continue
				}
				var diagnostics []diagnostic
				if err := json.Unmarshal(raw, &diagnostics); err != nil {
					return nil, nil, fmt.Errorf("findings of %s in %s: %w", analyzer, pkg, err)
				}
				for _, d := range diagnostics {
					at, err := parsePlace(d.Posn, checkout, dir)
					if err != nil {
						return nil, nil, fmt.Errorf("a finding of %s in %s: %w", analyzer, pkg, err)
					}
					key := fmt.Sprint(analyzer, d.Posn, d.Message)
					if seen[key] {
						continue
					}
					seen[key] = true
					f := Finding{Analyzer: analyzer, Category: d.Category, File: at.File, Line: at.Line, Harm: d.Harm, Message: d.Message}
					for _, r := range d.Related {
						if at, err := parsePlace(r.Posn, checkout, dir); err == nil {
							f.Related = append(f.Related, at)
						}
					}
					findings = append(findings, f)
				}
			}
		}
	}
	sort.Strings(failures)
	sort.Slice(findings, func(i, j int) bool {
		a, b := findings[i], findings[j]
		if a.File != b.File {
			return a.File < b.File
		}
		if a.Line != b.Line {
			return a.Line < b.Line
		}
		return a.Analyzer+a.Message < b.Analyzer+b.Message
	})
	return findings, failures, nil
}

// parsePlace reads file:line:column, or file:line, where file may be relative
// to dir.
func parsePlace(posn, checkout, dir string) (place, error) {
	file, line := posn, 0
	for range 2 {
		i := strings.LastIndexByte(file, ':')
		if i < 0 {
			break
		}
		n, err := strconv.Atoi(file[i+1:])
		if err != nil {
			break
		}
		file, line = file[:i], n
	}
	if file == "" || line == 0 {
		return place{}, fmt.Errorf("position %q has no file and line", posn)
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(dir, file)
	}
	rel, err := filepath.Rel(checkout, file)
	if err != nil {
		return place{}, err
	}
	return place{File: filepath.ToSlash(rel), Line: line}, nil
}
