package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/opvet/opvet/analyzers"
	"github.com/opvet/opvet/internal/driver"
)

// lookTimeout ends the go command of a commit whose modules cannot be had.
const lookTimeout = 5 * time.Minute

// maxPackages is how many packages a module may have to be looked at as a whole.
const maxPackages = 700

// A look is what the analyzers say of one module.
type look struct {
	Findings []Finding
	Excused  []driver.Excused
	problems string
	alone    bool // only the packages of the places were loaded, with what they import
	match    Finding
	checkout string
}

// look analyses the modules that the fixes of one commit lie in, each once, with
// what they import read from source, and returns what is said of each fix's module.
func (b *bench) look(checkout string, fixes []Fix) ([]*look, []error) {
	looks, errs := make([]*look, len(fixes)), make([]error, len(fixes))
	byModule := make(map[string][]int)
	for i, f := range fixes {
		if _, err := os.Stat(filepath.Join(checkout, filepath.FromSlash(f.File))); err != nil {
			errs[i] = err
			continue
		}
		mod, ok := moduleDir(checkout, f.File)
		if !ok {
			errs[i] = errors.New("no go.mod governs the file")
			continue
		}
		byModule[mod] = append(byModule[mod], i)
	}
	for mod, within := range byModule {
		var of []Fix
		for _, i := range within {
			of = append(of, fixes[i])
		}
		seen, files, err := b.lookAtModule(checkout, filepath.Join(checkout, mod), of)
		for _, i := range within {
			f := fixes[i]
			if looks[i], errs[i] = seen, err; err != nil {
				continue
			}
			if file := filepath.Join(checkout, filepath.FromSlash(f.File)); f.Func != "" && !slices.Contains(files, file) {
				looks[i], errs[i] = nil, fmt.Errorf("its package does not load: %s", seen.problems)
			} else {
				own := *seen
				looks[i] = &own
			}
		}
	}
	return looks, errs
}

// lookAtModule analyses a module with the rules that answer for the fixes, and returns
// the files that were looked at, too. A module of very many packages is not loaded as a
// whole.
func (b *bench) lookAtModule(checkout, dir string, fixes []Fix) (*look, []string, error) {
	m := &module{Mode: moduleMode(dir), Source: true}
	if err := m.redirect(dir); err != nil {
		return nil, nil, err
	}
	defer m.enter(dir)()
	isForeign, err := foreignFiles(dir)
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), lookTimeout)
	defer cancel()
	patterns, alone, err := b.patternsFor(ctx, m, checkout, dir, fixes)
	if err != nil {
		return nil, nil, err
	}
	program, err := driver.Load(driver.LoadOptions{Dir: dir, Patterns: patterns, Context: ctx, FromSource: isForeign})
	if err != nil {
		return nil, nil, err
	}
	files := program.Files()
	wanted := slices.Clone(analyzers.All())
	for i := len(wanted) - 1; i >= 0; i-- {
		if !slices.ContainsFunc(fixes, func(f Fix) bool { return slices.Contains(f.answering(), wanted[i].Name) }) {
			wanted = slices.Delete(wanted, i, i+1)
		}
	}
	problems := strings.ReplaceAll(strings.Join(program.Problems, "; "), checkout+string(filepath.Separator), "")
	result, err := program.Analyze(wanted)
	if err != nil {
		return nil, nil, err
	}
	findings, err := relativeFindings(result, checkout)
	return &look{Findings: findings, Excused: result.Excused, alone: alone, problems: problems, checkout: checkout}, files, err
}

// patternsFor returns what to load: the whole module, or the packages of the places
// alone if that is too much. Permissions are always about the whole.
func (b *bench) patternsFor(ctx context.Context, m *module, checkout, dir string, fixes []Fix) (patterns []string, alone bool, err error) {
	whole := []string{"./..."}
	var own []string
	for _, f := range fixes {
		if f.Rule == "rbac" {
			return whole, false, nil
		}
		rel, err := filepath.Rel(dir, filepath.Dir(filepath.Join(checkout, filepath.FromSlash(f.File))))
		if err != nil {
			return nil, false, err
		}
		own = append(own, "./"+filepath.ToSlash(rel))
	}
	slices.Sort(own)
	own = slices.Compact(own)
	if b.alone {
		return own, true, nil
	}
	n, err := m.count(ctx, dir)
	if err != nil {
		return nil, false, err
	}
	if n > maxPackages {
		return own, true, nil
	}
	return whole, false, nil
}

// excuseAt returns why the place was left out, if that was considered.
func (l *look) excuseAt(f Fix, extents func(Case) extent) string {
	within := extents(Case{File: f.File, Line: f.Line, Func: f.Func})
	reason, nearest := "", 0
	for _, x := range l.Excused {
		at, err := relativePlace(x.Posn.Filename, x.Posn.Line, l.checkout)
		if err != nil || at.File != f.File || x.Analyzer.Name != f.Rule {
			continue
		}
		distance := abs(at.Line - f.Line)
		if distance > bugSlack && !within.contains(at.Line) || reason != "" && distance >= nearest {
			continue
		}
		reason, nearest = fmt.Sprintf("excused as %s: %s", x.Category, x.Reason), distance
	}
	return reason
}
