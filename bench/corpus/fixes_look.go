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

// A look is what the analyzers of one rule's kind say of one package.
type look struct {
	Findings []Finding
	Excused  []driver.Excused
	match    Finding
	checkout string
}

// look analyses the package of the fix, with what it imports, read from
// source. Packages that import it are left out: they would cost most of the
// time. Permissions alone are about the whole program.
func (b *bench) look(checkout string, f Fix) (*look, error) {
	file := filepath.Join(checkout, filepath.FromSlash(f.File))
	if _, err := os.Stat(file); err != nil {
		return nil, err
	}
	mod, ok := moduleDir(checkout, f.File)
	if !ok {
		return nil, errors.New("no go.mod governs the file")
	}
	dir := filepath.Join(checkout, mod)
	m := &module{Mode: moduleMode(dir), Source: true}
	defer m.enter(dir)()
	isForeign, err := foreignFiles(dir)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), lookTimeout)
	defer cancel()
	pattern := "./..."
	if f.Rule != "rbac" {
		rel, err := filepath.Rel(dir, filepath.Dir(file))
		if err != nil {
			return nil, err
		}
		pattern = "./" + filepath.ToSlash(rel)
	}
	program, err := driver.Load(driver.LoadOptions{Dir: dir, Patterns: []string{pattern}, Context: ctx, FromSource: isForeign})
	if err != nil {
		return nil, err
	}
	if f.Func != "" && !slices.Contains(program.Files(), file) {
		problems := strings.ReplaceAll(strings.Join(program.Problems, "; "), checkout+string(filepath.Separator), "")
		return nil, fmt.Errorf("its package does not load: %s", problems)
	}
	wanted := slices.Clone(analyzers.All())
	for i := len(wanted) - 1; i >= 0; i-- {
		if !slices.Contains(f.answering(), wanted[i].Name) {
			wanted = slices.Delete(wanted, i, i+1)
		}
	}
	result, err := program.Analyze(wanted)
	if err != nil {
		return nil, err
	}
	findings, err := relativeFindings(result, checkout)
	return &look{Findings: findings, Excused: result.Excused, checkout: checkout}, err
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
