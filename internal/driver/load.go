package driver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/opvet/opvet/internal/driver/cache"
	"github.com/opvet/opvet/internal/report/rule"
)

// LoadOptions says what to load.
type LoadOptions struct {
	Dir      string   // where the go command runs; empty for the current directory
	Patterns []string // package patterns, or Go files; none means ./...
	Tests    bool     // load test files too
	Tags     string   // build tags, separated by commas
	// Context ends the go command when it is cancelled; nil for none.
	Context context.Context

	// Closed tells that the patterns are expected to match what the packages import
	// from the user's modules as well, so that this need not be asked first.
	Closed bool

	// OneByOne lets packages be type-checked when they are analysed, and not before, so
	// that they need not all be in memory. An error in one of them is then told by
	// Analyze.
	OneByOne bool

	// FromSource, if not nil, tells of a file by its absolute name whether it
	// is others'. What the packages import is then read from source, without
	// the bodies of others' functions, and not from export data. That is
	// slower, and takes more memory, where export data is in the build cache,
	// and faster by far where it is not, since nothing is compiled. Packages
	// that use cgo should be left out, with CGO_ENABLED=0.
	FromSource func(filename string) bool

	// Analyzers, if any, are those that the program is for. Of packages in which none of them
	// reports anything, no more is analysed then than others need.
	Analyzers []*analysis.Analyzer

	// place tells which folder the packages are in a copy of, if any.
	place cache.Copy
	// memory, if not nil, sees the files that are parsed; bodiless tells of
	// files of which other packages need no more than declarations.
	memory   *memory
	bodiless func(filename string) bool
}

// Program is a set of packages of the user's modules, closed under imports
// within these modules: syntax and types for them, types alone for all that
// they import.
type Program struct {
	roots  []*packages.Package // what to analyse, without packages that have errors
	wanted map[string]bool     // IDs of the packages whose findings are wanted
	files  map[string]bool     // if not empty, only findings in these files are wanted

	// forgets makes Analyze drop the syntax of each package that it has
	// analysed, so that memory goes down meanwhile: it works once only.
	forgets bool
	memory  *memory // what is known of the roots; nil for nothing
	// needs are what roots are analysed for, by their IDs, if that is not for what is found.
	needs map[string]need
	// unchecked type-checks the roots; nil if that has been done. reload makes the program
	// anew, with all of them type-checked.
	unchecked *unchecked
	reload    func() (*Program, error)
	// whole tells that all packages of the user's module are roots: that nobody else in
	// it runs what they declare.
	whole bool
	// lacks tells that some of them do not compile. Scripts, tests and the like tell nothing
	// of who runs what, and do not count.
	lacks bool

	// Problems says what could not be loaded, one text for each.
	Problems []string
	// CheckFacts makes Analyze encode and decode each fact that crosses a
	// package boundary, as separate processes would have to.
	CheckFacts bool
	// Analysed, if not nil, is called after each package, from several
	// goroutines.
	Analysed func()
}

const (
	graphMode = packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule | packages.NeedForTest
	fullMode  = packages.LoadSyntax | packages.NeedModule | packages.NeedForTest
)

// Load loads the packages that match the patterns, and those packages of the
// user's modules that they import, since facts about these count as well.
// Packages with errors are left out and mentioned in the program's Problems.
// The program can be analysed once. It fails if nothing can be loaded at all.
func Load(opts LoadOptions) (*Program, error) {
	patterns, files, err := filePatterns(opts)
	if err != nil {
		return nil, err
	}
	opts.Patterns = patterns
	whole := isWhole(opts)

	program := func(pkgs, asked []*packages.Package, u *unchecked) (*Program, error) {
		p, err := newProgram(pkgs, asked, files, opts.memory)
		if err == nil {
			p.whole, p.unchecked = p.whole && whole, u
			p.leaveSilent(opts)
		}
		return p, err
	}
	eager := func(opts LoadOptions, asked []*packages.Package) (*Program, error) {
		pkgs, asked, err := loadAll(opts, asked)
		if err != nil {
			return nil, err
		}
		return program(pkgs, asked, nil)
	}
	if !opts.canList() {
		return eager(opts, nil)
	}
	asked, err := load(opts, listMode)
	if err != nil {
		return nil, err
	}
	pkgs := slices.Concat(asked, missingImports(asked))
	unchecked, err := newUnchecked(opts, pkgs)
	if err != nil {
		return eager(opts, asked)
	}
	p, err := program(pkgs, asked, unchecked)
	if err == nil {
		p.reload = func() (*Program, error) {
			if opts.Context != nil {
				opts.Context = context.WithoutCancel(opts.Context) // who has loaded wants no more of it
			}
			return eager(opts, asked)
		}
	}
	return p, err
}

// loadAll loads packages as a whole, and what they import from the user's modules. It
// returns what the patterns themselves match as well, which may be known already.
func loadAll(opts LoadOptions, asked []*packages.Package) (pkgs, matched []*packages.Package, err error) {
	if asked == nil && !opts.Closed && !coversModule(opts) {
		if asked, err = load(opts, graphMode); err != nil {
			return nil, nil, err
		}
	}
	opts.Patterns = slices.Concat(opts.Patterns, pathsOf(missingImports(asked)))
	if pkgs, err = load(opts, fullMode); err != nil || asked != nil {
		return pkgs, asked, err
	}
	asked = pkgs
	if missing := missingImports(pkgs); len(missing) > 0 {
		opts.Patterns = slices.Concat(opts.Patterns, pathsOf(missing))
		pkgs, err = load(opts, fullMode)
	}
	return pkgs, asked, err
}

// leaveSilent finds out which packages need not be looked into.
func (p *Program) leaveSilent(opts LoadOptions) {
	switch {
	case opts.memory != nil:
		p.needs = opts.memory.needs
	case len(opts.Analyzers) > 0 && leavesSilent(opts.Analyzers):
		var nodes []node
		for _, pkg := range p.roots {
			nodes = append(nodes, nodeOf(pkg))
		}
		p.needs = needsOf(nodes, opts.Analyzers)
	}
}

// NewProgram makes a program of packages that were loaded with syntax and
// types, for tests that choose packages as [Load] would not. It trims their
// Imports.
func NewProgram(pkgs []*packages.Package) (*Program, error) {
	p, err := newProgram(pkgs, pkgs, nil, nil)
	if err == nil {
		p.forgets, p.whole = false, false
	}
	return p, err
}

// Only makes a program of the packages whose findings are wanted and for which keep is
// true, and of what they import, for tests that make several of what is loaded once. The
// packages are the same; the program p itself must not be analysed.
func (p *Program) Only(keep func(*packages.Package) bool) *Program {
	only := &Program{wanted: make(map[string]bool), Problems: p.Problems}
	var asked []*packages.Package
	for _, pkg := range p.roots {
		if p.wanted[pkg.ID] && keep(pkg) {
			asked = append(asked, pkg)
			only.wanted[pkg.ID] = true
		}
	}
	packages.Visit(asked, nil, func(pkg *packages.Package) { only.roots = append(only.roots, pkg) })
	slices.SortFunc(only.roots, func(a, b *packages.Package) int { return strings.Compare(a.ID, b.ID) })
	return only
}

// Files returns the Go files of the packages whose findings are wanted, but for those of which
// nothing would be reported.
func (p *Program) Files() []string {
	var files []string
	for _, pkg := range p.roots {
		if p.wanted[pkg.ID] && p.needs[pkg.ID] == forFindings {
			files = append(files, pkg.GoFiles...)
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// Len returns the number of packages that will be analysed.
func (p *Program) Len() int { return len(p.roots) }

func load(opts LoadOptions, mode packages.LoadMode) ([]*packages.Package, error) {
	cfg := &packages.Config{
		Mode:      mode,
		Context:   opts.Context,
		Dir:       opts.Dir,
		Tests:     opts.Tests,
		ParseFile: opts.parseFile,
	}
	if opts.OneByOne {
		cfg.Env = cache.GoEnviron()
	}
	if opts.memory != nil {
		cfg.Mode |= packages.NeedExportFile
	}
	if opts.Tags != "" {
		cfg.BuildFlags = []string{"-tags=" + opts.Tags}
	}
	if opts.FromSource != nil {
		parse := cfg.ParseFile
		cfg.Mode |= packages.NeedDeps
		cfg.ParseFile = func(fset *token.FileSet, filename string, src []byte) (*ast.File, error) {
			file, err := parse(fset, filename, src)
			if file != nil && opts.FromSource(filename) {
				EmptyBodies(file)
			}
			return file, err
		}
	}
	pkgs, err := packages.Load(cfg, opts.Patterns...)
	if opts.Context != nil && opts.Context.Err() != nil {
		return nil, context.Cause(opts.Context)
	}
	if err != nil && !isOutside(err.Error()) {
		return nil, loadError(err)
	}
	if opts.FromSource != nil {
		likeExportData(pkgs)
	}
	if opts.memory != nil {
		opts.memory.keepExports(pkgs)
	}
	if areOutside(pkgs) && !slices.ContainsFunc(opts.Patterns, isFileQuery) { // newProgram tells of files
		return nil, nothingLoaded(opts)
	}
	return pkgs, nil
}

// parseFile parses a file as far as it is wanted.
func (opts LoadOptions) parseFile(fset *token.FileSet, filename string, src []byte) (*ast.File, error) {
	file, err := parser.ParseFile(fset, filename, src, parser.ParseComments|parser.SkipObjectResolution)
	if opts.memory != nil {
		opts.memory.sees(filename, src)
	}
	if opts.bodiless != nil && opts.bodiless(filename) && file != nil {
		EmptyBodies(file)
	}
	return file, err
}

// fileQuery before a file's name stands for the packages that it is in.
const fileQuery = "file="

func isFileQuery(pattern string) bool { return strings.HasPrefix(pattern, fileQuery) }

// filePatterns turns Go files among the patterns into patterns for their
// packages, and returns the files' absolute names.
func filePatterns(opts LoadOptions) (patterns []string, files map[string]bool, err error) {
	if len(opts.Patterns) == 0 {
		return []string{"./..."}, nil, nil
	}
	for _, pattern := range opts.Patterns {
		if !strings.HasSuffix(pattern, ".go") {
			patterns = append(patterns, pattern)
			continue
		}
		name, err := filepath.Abs(filepath.Join(opts.Dir, pattern))
		if filepath.IsAbs(pattern) {
			name, err = pattern, nil
		}
		if err != nil {
			return nil, nil, err
		}
		info, err := os.Stat(name)
		if err != nil {
			return nil, nil, err
		}
		if info.IsDir() {
			patterns = append(patterns, pattern)
			continue
		}
		if files == nil {
			files = make(map[string]bool)
		}
		files[name] = true
		patterns = append(patterns, fileQuery+name)
	}
	if len(files) > 0 && len(files) < len(opts.Patterns) {
		return nil, nil, errors.New("name either Go files or packages, not both")
	}
	return patterns, files, nil
}

// coversModule reports whether the patterns surely match all packages of the
// user's modules, so that nothing needs to be added to them. This saves the
// most common call the time of asking first.
func coversModule(opts LoadOptions) bool {
	if work := os.Getenv("GOWORK"); work != "" && work != "off" || !isWhole(opts) {
		return false
	}
	dir, err := filepath.Abs(cmp.Or(opts.Dir, "."))
	if err != nil {
		return false
	}
	_, inWorkspace := above(dir, "go.work")
	return !inWorkspace
}

// isWhole reports whether the patterns match all packages of the module in the
// directory.
func isWhole(opts LoadOptions) bool {
	if len(opts.Patterns) > 0 && !slices.Contains(opts.Patterns, "./...") {
		return false
	}
	_, err := os.Stat(filepath.Join(cmp.Or(opts.Dir, "."), "go.mod"))
	return err == nil
}

// missingImports returns the packages of the user's modules that pkgs import,
// directly or not, and that are not among pkgs.
func missingImports(pkgs []*packages.Package) []*packages.Package {
	have := make(map[string]bool)
	for _, pkg := range pkgs {
		have[pkg.PkgPath] = true
	}
	var missing []*packages.Package
	packages.Visit(pkgs, nil, func(pkg *packages.Package) {
		if !have[pkg.PkgPath] && pkg.Name != "" && isUserPackage(pkg) {
			have[pkg.PkgPath] = true
			missing = append(missing, pkg)
		}
	})
	return missing
}

func pathsOf(pkgs []*packages.Package) []string {
	var all []string
	for _, pkg := range pkgs {
		all = append(all, pkg.PkgPath)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func newProgram(pkgs, asked []*packages.Package, files map[string]bool, m *memory) (*Program, error) {
	p := &Program{wanted: wantedIDs(asked), files: files, forgets: true, memory: m}
	p.collectErrors(pkgs)
	p.collectLeftOut(asked)
	skipped, missing := 0, false
	var foreign []string
	mains := testMains(pkgs)
	for _, pkg := range pkgs {
		switch {
		case mains[pkg]:
		case isUnmatched(pkg):
			missing = missing || len(pkg.Errors) > 0
		case m != nil && m.known[pkg.ID] != nil:
			p.roots = append(p.roots, pkg)
		case !isUserPackage(pkg):
			if p.wanted[pkg.ID] {
				foreign = append(foreign, pkg.ID)
			}
		case pkg.Types == nil || pkg.TypesInfo == nil || pkg.IllTyped || len(pkg.Errors) > 0:
			skipped++
			missing = missing || !rule.IsAside(pkg.PkgPath)
			if p.wanted[pkg.ID] && pkg.ForTest == pkg.PkgPath {
				p.wanted[pkg.PkgPath] = true // only the test files may be broken
			}
		default:
			p.roots = append(p.roots, pkg)
		}
	}
	if len(foreign) > 0 {
		p.Problems = append(p.Problems, foreignProblem(foreign))
	}
	if skipped > 0 {
		p.Problems = append(p.Problems, fmt.Sprintf("%d of %d packages were not analysed, since they or what they import does not compile", skipped, skipped+len(p.roots)))
	}
	if len(p.roots) == 0 && len(p.Problems) == 0 {
		return nil, errors.New("the packages have no Go files to analyse")
	}
	// Of findings in two variants of a package, the first one's counts.
	slices.SortFunc(p.roots, func(a, b *packages.Package) int { return strings.Compare(a.ID, b.ID) })
	p.trimImports()
	p.whole, p.lacks = len(foreign) == 0, missing
	return p, nil
}

// wantedIDs returns the packages whose findings are to be printed. Of a
// package and the variant of it that includes its test files, it is the
// latter.
func wantedIDs(asked []*packages.Package) map[string]bool {
	augmented := make(map[string]bool)
	for _, pkg := range asked {
		if pkg.ForTest == pkg.PkgPath {
			augmented[pkg.PkgPath] = true
		}
	}
	mains := testMains(asked)
	wanted := make(map[string]bool)
	for _, pkg := range asked {
		if !mains[pkg] && (pkg.ForTest != "" || !augmented[pkg.PkgPath]) {
			wanted[pkg.ID] = true
		}
	}
	return wanted
}

// isUnmatched reports whether pkg is no package but holds the error about a
// pattern.
func isUnmatched(pkg *packages.Package) bool {
	return pkg.Name == "" && len(pkg.GoFiles) == 0
}

// testMains returns the programs that go test generates: those named after a
// package of which there is a variant with test files.
func testMains(pkgs []*packages.Package) map[*packages.Package]bool {
	tested := make(map[string]bool)
	for _, pkg := range pkgs {
		if pkg.ForTest != "" {
			tested[pkg.ForTest] = true
		}
	}
	mains := make(map[*packages.Package]bool)
	for _, pkg := range pkgs {
		if path, ok := strings.CutSuffix(pkg.PkgPath, ".test"); ok && pkg.Name == "main" && tested[path] {
			mains[pkg] = true
		}
	}
	return mains
}

// trimImports leaves of each root's imports the other roots: the checker would
// run analyzers that have facts on everything else as well, where there is no
// syntax and nothing to learn.
func (p *Program) trimImports() {
	isRoot := make(map[*packages.Package]bool)
	for _, pkg := range p.roots {
		isRoot[pkg] = true
	}
	for _, pkg := range p.roots {
		maps.DeleteFunc(pkg.Imports, func(_ string, imported *packages.Package) bool { return !isRoot[imported] })
	}
}
