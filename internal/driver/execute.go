package driver

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/opvet/opvet/internal/passes/processes"
	"github.com/opvet/opvet/internal/report/guard"
	"github.com/opvet/opvet/internal/report/rule"
)

// x/tools' checker keeps the results of every pass on every package until the
// end, and works on all packages at once: on a large operator, the SSA form of
// the whole program. The executor takes packages in dependency order, runs all
// passes over one and forgets their results before it takes the next; only
// facts and diagnostics remain.
type executor struct {
	roots      []*analysis.Analyzer // whose diagnostics are wanted
	order      []*analysis.Analyzer // all that may run, each after what it requires
	plans      map[need]*plan       // which of them run over a package
	needs      map[string]need      // of packages, by their IDs
	facts      *factStore
	checkFacts bool
	forgets    bool       // drops the syntax of packages that have been analysed
	done       func()     // called after each package
	memory     *memory    // nil for none
	unchecked  *unchecked // type-checks each package before it is analysed; nil if that has been done

	idle chan struct{} // a token for each CPU that has no package to work on
}

// unitResult is what remains of a package when it has been analysed.
type unitResult struct {
	pkg         *packages.Package
	diagnostics map[*analysis.Analyzer][]analysis.Diagnostic
	outcomes    map[*analysis.Analyzer]*rule.Outcome     // of the rules
	kept        map[*analysis.Analyzer][]rule.Diagnostic // of an earlier run, instead of these
	errors      map[*analysis.Analyzer]error
	costs       map[*analysis.Analyzer]time.Duration
	summary     *processes.Summary // for what only the whole module tells; nil if it is encoded
	encoded     []byte
}

// found returns what an analyzer has found, and whether findings of a harm are
// reported. An analyzer that is none of the suite's knows of no harm.
func (u *unitResult) found(a *analysis.Analyzer) ([]rule.Diagnostic, func(rule.Harm) bool) {
	if outcome := u.outcomes[a]; outcome != nil {
		return outcome.Found(), outcome.Reports
	}
	if kept, ok := u.kept[a]; ok {
		return kept, func(h rule.Harm) bool { return rule.Reports(a, h) }
	}
	var found []rule.Diagnostic
	for _, d := range u.diagnostics[a] {
		found = append(found, rule.Diagnostic{Diagnostic: d, Harm: rule.DefaultHarm})
	}
	return found, func(rule.Harm) bool { return true }
}

func newExecutor(analyzers []*analysis.Analyzer) *executor {
	plans := plans(analyzers)
	e := &executor{
		roots: analyzers, order: plans[forFindings].order, plans: plans,
		facts: newFactStore(), done: func() {}, idle: make(chan struct{}, runtime.GOMAXPROCS(0)),
	}
	for range cap(e.idle) {
		e.idle <- struct{}{}
	}
	return e
}

// run analyses the packages, whose Imports must have been trimmed to one
// another, and returns their results in the order of pkgs.
func (e *executor) run(pkgs []*packages.Package) []*unitResult {
	var (
		results = make(map[*packages.Package]*unitResult)
		waiting = make(map[*packages.Package]int) // for how many imports
		users   = make(map[*packages.Package][]*packages.Package)
		ready   = make(chan *packages.Package, len(pkgs))
		mu      sync.Mutex // guards results and waiting
		left    = len(pkgs)
	)
	for _, pkg := range pkgs {
		imports := make(map[*packages.Package]bool)
		for _, imported := range pkg.Imports {
			imports[imported] = true
		}
		for _, needed := range e.unchecked.before(pkg) {
			imports[needed] = true
		}
		waiting[pkg] = len(imports)
		for imported := range imports {
			users[imported] = append(users[imported], pkg)
		}
		if len(imports) == 0 {
			ready <- pkg
		}
	}
	if left == 0 {
		close(ready)
	}
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for pkg := range ready {
				<-e.idle
				mu.Lock()
				failed := e.failedImports(pkg, results)
				mu.Unlock()
				unit := e.recall(pkg)
				switch {
				case unit != nil:
				case e.unchecked != nil && !e.unchecked.complete(pkg):
					unit = &unitResult{pkg: pkg}
				default:
					unit = e.analyse(pkg, failed)
					if e.memory != nil {
						e.memory.keep(e, unit)
					}
				}
				if e.forgets {
					pkg.Syntax, pkg.TypesInfo = nil, nil
				}
				e.idle <- struct{}{}
				mu.Lock()
				results[pkg] = unit
				for _, user := range users[pkg] {
					if waiting[user]--; waiting[user] == 0 {
						ready <- user
					}
				}
				if left--; left == 0 {
					close(ready)
				}
				mu.Unlock()
				e.done()
			}
		})
	}
	workers.Wait()
	ordered := make([]*unitResult, 0, len(pkgs))
	for _, pkg := range pkgs {
		ordered = append(ordered, results[pkg])
	}
	return ordered
}

// failedImports returns, for each analyzer with facts, an import of pkg whose
// facts are missing.
func (e *executor) failedImports(pkg *packages.Package, results map[*packages.Package]*unitResult) map[*analysis.Analyzer]string {
	failed := make(map[*analysis.Analyzer]string)
	for _, imported := range pkg.Imports {
		for a := range results[imported].errors {
			if len(a.FactTypes) > 0 {
				failed[a] = max(failed[a], imported.ID)
			}
		}
	}
	return failed
}

// recall returns what is known of a package from an earlier run, or nil. If
// other packages are analysed that import it, the facts are there for them.
func (e *executor) recall(pkg *packages.Package) *unitResult {
	if e.memory == nil || e.memory.known[pkg.ID] == nil {
		return nil
	}
	known := e.memory.known[pkg.ID]
	if pkg.Types != nil {
		e.facts.visibleTo(pkg)
		e.facts.add(e.order, pkg.Types, known.facts)
	}
	return known.unit
}

// errPrerequisite marks the failure of a pass that could not run because
// another had failed.
var errPrerequisite = errors.New("failed prerequisites")

// analyse runs all passes over one package.
func (e *executor) analyse(pkg *packages.Package, failedImports map[*analysis.Analyzer]string) *unitResult {
	unit := &unitResult{
		pkg:         pkg,
		diagnostics: make(map[*analysis.Analyzer][]analysis.Diagnostic),
		outcomes:    make(map[*analysis.Analyzer]*rule.Outcome),
		errors:      make(map[*analysis.Analyzer]error),
		costs:       make(map[*analysis.Analyzer]time.Duration),
	}
	newSchedule(e, unit, failedImports).run()
	unit.tell()
	return unit
}

func prerequisites(a *analysis.Analyzer, unit *unitResult, failedImports map[*analysis.Analyzer]string) error {
	for _, required := range a.Requires {
		err := unit.errors[required]
		if errors.Is(err, errPrerequisite) {
			return err // the first cause is enough
		}
		if err != nil {
			text, _, _ := strings.Cut(err.Error(), "\n")
			return fmt.Errorf("%w: %s@%s: %s", errPrerequisite, required, unit.pkg.ID, text)
		}
	}
	if imported, ok := failedImports[a]; ok {
		return fmt.Errorf("%w: %s@%s", errPrerequisite, a, imported)
	}
	return nil
}

// pass runs one analyzer over one package. A panic becomes an error.
func (e *executor) pass(a *analysis.Analyzer, pkg *packages.Package, inputs map[*analysis.Analyzer]any, visible func(*types.Package) bool) (result any, found []analysis.Diagnostic, err error) {
	facts := &factView{store: e.facts, analyzer: a, pkg: pkg.Types, visible: visible, check: e.checkFacts}
	pass := &analysis.Pass{
		Analyzer:          a,
		Fset:              pkg.Fset,
		Files:             pkg.Syntax,
		OtherFiles:        pkg.OtherFiles,
		IgnoredFiles:      pkg.IgnoredFiles,
		Pkg:               pkg.Types,
		TypesInfo:         pkg.TypesInfo,
		TypesSizes:        pkg.TypesSizes,
		TypeErrors:        pkg.TypeErrors,
		Module:            moduleOf(pkg.Module),
		ResultOf:          inputs,
		ReadFile:          readFileOf(pkg),
		Report:            func(d analysis.Diagnostic) { found = append(found, d) },
		ImportObjectFact:  facts.importObject,
		ExportObjectFact:  facts.exportObject,
		ImportPackageFact: facts.importPackage,
		ExportPackageFact: facts.exportPackage,
		AllObjectFacts:    facts.allObjects,
		AllPackageFacts:   facts.allPackages,
	}
	if result, err = guard.Run(pass); err != nil {
		return nil, nil, err
	}
	if got := reflect.TypeOf(result); got != a.ResultType {
		return nil, nil, fmt.Errorf("result of type %v instead of %v", got, a.ResultType)
	}
	for _, d := range found {
		if err := validateFixes(pkg, d); err != nil {
			return nil, nil, err
		}
	}
	return result, found, nil
}

// readFileOf returns a function that reads the package's files and no others,
// which is what all drivers promise.
func readFileOf(pkg *packages.Package) func(string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		if !slices.Contains(pkg.OtherFiles, name) && !slices.Contains(pkg.IgnoredFiles, name) &&
			!slices.ContainsFunc(pkg.Syntax, func(file *ast.File) bool { return pkg.Fset.File(file.FileStart).Name() == name }) {
			return nil, fmt.Errorf("Pass.ReadFile: %s is not among OtherFiles, IgnoredFiles, or names of Files", name)
		}
		return os.ReadFile(name)
	}
}

// validateFixes checks that the edits of a diagnostic could be made.
func validateFixes(pkg *packages.Package, d analysis.Diagnostic) error {
	for _, fix := range d.SuggestedFixes {
		for _, edit := range fix.TextEdits {
			file := pkg.Fset.File(edit.Pos)
			if file == nil || (edit.End.IsValid() && (edit.End < edit.Pos || pkg.Fset.File(edit.End) != file)) {
				return fmt.Errorf("%s: the fix %q has an edit without a valid place", pkg.Fset.Position(d.Pos), fix.Message)
			}
		}
	}
	return nil
}

func moduleOf(m *packages.Module) *analysis.Module {
	if m == nil {
		return &analysis.Module{}
	}
	module := &analysis.Module{
		Path: m.Path, Version: m.Version, Time: m.Time, Main: m.Main, Indirect: m.Indirect,
		Dir: m.Dir, GoMod: m.GoMod, GoVersion: m.GoVersion,
	}
	if m.Replace != nil {
		module.Replace = moduleOf(m.Replace)
	}
	return module
}

// recode encodes a fact and decodes it, twice to see that it comes out the
// same.
func recode(fact analysis.Fact) (analysis.Fact, error) {
	first, err := encoded(fact)
	if err != nil {
		return nil, fmt.Errorf("encoding a %T fact: %w", fact, err)
	}
	if second, err := encoded(fact); err != nil || !bytes.Equal(first, second) {
		return nil, fmt.Errorf("the encoding of a %T fact is not deterministic", fact)
	}
	decoded := reflect.New(reflect.TypeOf(fact).Elem()).Interface().(analysis.Fact)
	if err := gob.NewDecoder(bytes.NewReader(first)).Decode(decoded); err != nil {
		return nil, fmt.Errorf("decoding a %T fact: %w", fact, err)
	}
	return decoded, nil
}
