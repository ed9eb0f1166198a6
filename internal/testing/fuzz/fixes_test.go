package fuzz

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/opvet/opvet/internal/driver"
)

// fixesCompile makes each fix by itself: what compiled compiles then, but for
// imports, which whoever applies fixes takes out.
func (c *checked) fixesCompile(findings []driver.Finding) error {
	for _, f := range findings {
		for _, fix := range f.Diagnostic.SuggestedFixes {
			if err := c.compiles(f, fix); err != nil {
				return fmt.Errorf("%s: %s: %s\nthe fix %q: %w", f.Analyzer.Name, f.Posn, f.Diagnostic.Message, fix.Message, err)
			}
		}
	}
	return nil
}

func (c *checked) compiles(f driver.Finding, fix analysis.SuggestedFix) error {
	done := make(map[string]*packages.Package)
	for _, pkg := range c.pkgs {
		done[pkg.PkgPath] = pkg
	}
	before := done[f.Pkg.Path()]
	i := slices.IndexFunc(c.program.pkgs, func(s *pkgSource) bool { return s.path == before.PkgPath })
	source := c.program.pkgs[i]
	var edits []edit
	for _, e := range fix.TextEdits {
		in := f.Fset.File(e.Pos)
		end := max(e.Pos, e.End)
		edits = append(edits, edit{
			file:  slices.IndexFunc(source.files, func(s fileSource) bool { return s.name == in.Name() }),
			start: in.Offset(e.Pos), end: in.Offset(end), text: string(e.NewText),
		})
	}
	fixed := source.edited(edits)
	if fixed == nil {
		return fmt.Errorf("it changes nothing, or the same twice: %v", edits)
	}
	after, err := c.program.checkPackage(fixed, done)
	if err != nil {
		return err
	}
	defer forgetFiles(after.Fset, after.Syntax)
	if had, has := unusedVariables(before), unusedVariables(after); len(has) > len(had) {
		return fmt.Errorf("it leaves a variable that is not used: %v", has)
	}
	return nil
}

func unusedVariables(pkg *packages.Package) (messages []string) {
	for _, e := range pkg.TypeErrors {
		if strings.HasPrefix(e.Msg, "declared and not used") {
			messages = append(messages, e.Error())
		}
	}
	return messages
}
