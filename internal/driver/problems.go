package driver

import (
	"errors"
	"fmt"
	goversion "go/version"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// loadError words the failure of the go command to list anything.
func loadError(err error) error {
	text := err.Error()
	// What the go command has said tells more than how it ended.
	if _, said, ok := strings.Cut(text, "stderr: "); ok && strings.TrimSpace(said) != "" {
		text = strings.TrimSpace(said)
	}
	return errors.New("loading packages: " + text)
}

// maxErrors bounds how many errors of one package are told.
const maxErrors = 10

// collectErrors records the errors of pkgs and of everything they import, each
// text once, since variants of a package repeat them.
func (p *Program) collectErrors(pkgs []*packages.Package) {
	told := make(map[string]bool)
	tooNew := ""
	packages.Visit(pkgs, nil, func(pkg *packages.Package) {
		n := 0
		for _, err := range tellingErrors(pkg) {
			if v, ok := newerVersion(err.Msg); ok {
				if tooNew == "" || goversion.Compare(v, tooNew) > 0 {
					tooNew = v
				}
				continue
			}
			for _, text := range errorTexts(pkg, err) {
				if told[text] {
					continue
				}
				told[text] = true
				if n++; n > maxErrors {
					p.Problems = append(p.Problems, fmt.Sprintf("%s: more errors are not shown", pkg.PkgPath))
					return
				}
				p.Problems = append(p.Problems, text)
			}
		}
	})
	if tooNew != "" {
		p.Problems = append(p.Problems, newerProblem(tooNew))
	}
}

// errorTexts words an error of a package, on one line or, if it is the output
// of a command about several things, on one for each.
func errorTexts(pkg *packages.Package, err packages.Error) []string {
	msg := strings.TrimSpace(err.Msg)
	if isOutput(err) {
		var texts []string
		for line := range strings.Lines(msg) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "# ") {
				texts = append(texts, line)
			}
		}
		return texts
	}
	if strings.HasPrefix(msg, "could not import C ") {
		msg = "could not import C: cgo has failed, which needs a C compiler (see CC in go env); with CGO_ENABLED=0 files that need cgo are left out"
	}
	lines := strings.Split(msg, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	text := strings.Join(lines, " ")
	switch {
	case err.Pos != "" && err.Pos != "-":
		text = relativePosn(err.Pos) + ": " + text
	case !isUnmatched(pkg):
		text = pkg.PkgPath + ": " + text
	default:
		text += patternHint(pkg.PkgPath)
	}
	return []string{text}
}

// tellingErrors returns the errors of a package that are no consequences of
// others: what the go command cannot find or put together does not parse, what
// does not parse does not type-check, and the compiler, whose output the go
// command hands on as one text, finds what the type checker does.
func tellingErrors(pkg *packages.Package) []packages.Error {
	for _, is := range []func(packages.Error) bool{
		func(err packages.Error) bool { return err.Kind == packages.ListError && !isOutput(err) },
		func(err packages.Error) bool { return err.Kind == packages.ParseError },
		func(err packages.Error) bool { return err.Kind == packages.TypeError },
	} {
		var telling []packages.Error
		for _, err := range pkg.Errors {
			if is(err) && !isConsequence(pkg, err) {
				telling = append(telling, err)
			}
		}
		if len(telling) > 0 {
			return telling
		}
	}
	return slices.DeleteFunc(slices.Clone(pkg.Errors), func(err packages.Error) bool { return isConsequence(pkg, err) })
}

// isConsequence reports whether an error says that something cannot be
// imported that has errors of its own.
func isConsequence(pkg *packages.Package, err packages.Error) bool {
	rest, ok := strings.CutPrefix(err.Msg, "could not import ")
	if !ok {
		return false
	}
	path, _, _ := strings.Cut(rest, " ")
	imported := pkg.Imports[path]
	return imported != nil && len(imported.Errors) > 0
}

func isOutput(err packages.Error) bool { return strings.HasPrefix(err.Msg, "# ") }

// newerVersion returns the version of Go that a package needs, if that is its
// type checker's complaint: opvet's is that of the Go that opvet was built
// with, whatever the go command's is.
func newerVersion(msg string) (string, bool) {
	rest, ok := strings.CutPrefix(msg, "package requires newer Go version ")
	if !ok {
		return "", false
	}
	v, _, _ := strings.Cut(rest, " ")
	return v, true
}

func newerProblem(v string) string {
	return fmt.Sprintf("packages need %s, and this opvet was built with %s: build it again with %s or newer, as in GOTOOLCHAIN=%s+auto go install github.com/opvet/opvet/cmd/opvet@latest",
		v, runtime.Version(), v, toolchain(v))
}

// toolchain is the name of a release for a version of the language.
func toolchain(v string) string {
	if goversion.Lang(v) == v {
		return v + ".0"
	}
	return v
}

// foreignProblem tells that packages of others were asked for.
func foreignProblem(paths []string) string {
	slices.Sort(paths)
	if len(paths) == 1 {
		return fmt.Sprintf("%s is not part of the main module or workspace: not analysed", paths[0])
	}
	return fmt.Sprintf("%d packages are not part of the main module or workspace: not analysed (%s)", len(paths), enumerate(paths))
}

// collectLeftOut records which files were asked for by name and are in no
// package.
func (p *Program) collectLeftOut(asked []*packages.Package) {
	has := make(map[string]bool)
	for _, pkg := range asked {
		for _, name := range pkg.GoFiles {
			has[name] = true
		}
	}
	var left []string
	for name := range p.files {
		if !has[name] {
			left = append(left, name)
		}
	}
	slices.Sort(left)
	for _, name := range left {
		if strings.HasSuffix(filepath.Base(name), "_test.go") {
			p.Problems = append(p.Problems, fmt.Sprintf("%s is a test file: not analysed without -test", relative(name)))
			continue
		}
		p.Problems = append(p.Problems, fmt.Sprintf("%s is left out by its build constraints: not analysed (see -tags)", relative(name)))
	}
}
