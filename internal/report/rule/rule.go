// Package rule makes an analyzer out of its metadata and its run function, so
// that all analyzers have the same flags, documentation, links, wording of
// categories, and treatment of test files, generated files and suppressions.
package rule

import (
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/token"
	"reflect"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/guard"
	"github.com/opvet/opvet/internal/report/relevant"
)

// Spec is the metadata of an analyzer. The registry, the command's help and
// the documentation pages are made from it.
type Spec struct {
	// Name is the analyzer's name: one lower-case word.
	Name string
	// Summary says in one line what it finds.
	Summary string
	// DocSource is the text of the analyzer's doc.go, whose package comment
	// is the user documentation.
	DocSource string
	// Group is the theme that the analyzer belongs to, such as "status".
	Group string
	// Categories are the sub-checks.
	Categories []Category
	// Strict tells that some categories have doubtful variants, reported only
	// if the analyzer's strict flag is set; see [Reporter.Strict].
	Strict bool
	// ProductOnly leaves out packages that seem to be there for tests (see
	// [kubeapi.ServesTests]), but for what the whole module tells that a server runs.
	ProductOnly bool
	// Excuses are the reasons that the analyzer has not to report what looks like a
	// mistake; see [Excuses].
	Excuses []Reason
	// Since is the release that introduced it.
	Since string
	// Prints is the least harm that it prints without the flag harm, by default
	// [DefaultHarm].
	Prints Harm
	// Elsewhere tells that findings may stand in other packages than the one under
	// analysis, see [Reporter.Elsewhere], so that nobody knows which comments silence
	// nothing.
	Elsewhere bool
	// Requires lists the shared passes that Run asks.
	Requires []*analysis.Analyzer
	// FactTypes lists the facts it uses, normally none.
	FactTypes []analysis.Fact
	// Anywhere tells that it also reports in packages that import nothing of
	// Kubernetes.
	Anywhere bool
	// Concerns, if not nil, tells by the text of a file whether there may be something to report
	// in it.
	Concerns func(src []byte) bool
	// Flags defines the analyzer's own flags, if any.
	Flags func(fs *flag.FlagSet)
	// Run finds the mistakes and reports them through the Reporter.
	Run func(pass *analysis.Pass, report *Reporter) error
}

// Category is one sub-check of an analyzer.
type Category struct {
	Name    string // kebab-case
	Summary string // what it finds, one line
	Harm    Harm   // what the mistake does, unless a finding says otherwise
	Fix     bool   // whether it offers a suggested fix
	Strict  bool   // whether only the analyzer's strict flag turns it on
	// Trial tells that operators which no rule was made with have not shown yet that what
	// it finds is right, and wanted, often enough to be printed by default: it is hygiene
	// without the analyzer's strict flag. The record decides, not taste: a test of
	// bench/corpus says which categories are to be on trial.
	Trial bool
	// EndsWithProcess tells that nothing is left of the harm when the process ends:
	// in a command that does one thing, it is hygiene. See [ReachedFromServer].
	EndsWithProcess bool
	// Repeats tells, beside that, that only what happens again and again does harm: where
	// each process runs the function once, it is hygiene. See [RunsRepeatedly].
	Repeats bool
}

const pages = "https://github.com/opvet/opvet/blob/main/docs/analyzers/"

var made sync.Map // *analysis.Analyzer -> rule

// rule is an analyzer's metadata with the values of its flags.
type rule struct {
	spec Spec
	opts *options
}

// New makes the analyzer that spec describes. It panics if the documentation
// cannot be extracted or a category has no harm, which are mistakes in the analyzer.
func New(spec Spec) *analysis.Analyzer {
	for _, c := range spec.Categories {
		if c.Harm.String() == "" {
			panic(fmt.Sprintf("rule %s: the category %s has no harm", spec.Name, c.Name))
		}
	}
	opts := &options{harm: cmp.Or(spec.Prints, DefaultHarm)}
	categories := make(map[string]Category, len(spec.Categories))
	for _, c := range spec.Categories {
		categories[c.Name] = c
	}
	a := &analysis.Analyzer{
		Name:       spec.Name,
		Doc:        mustExtractDoc(spec),
		URL:        pages + spec.Name + ".md",
		Requires:   append(slices.Clip(spec.Requires), relevant.Analyzer),
		FactTypes:  spec.FactTypes,
		ResultType: reflect.TypeFor[*Outcome](),
		Run: func(pass *analysis.Pass) (any, error) {
			reporter := newReporter(pass, opts, spec, categories)
			found := pass.ResultOf[relevant.Analyzer].(*relevant.Result)
			if !spec.Anywhere && !found.Kubernetes {
				return reporter.outcome, nil
			}
			if spec.ProductOnly && found.ServesTests {
				reporter.outcome.skipped = true
				if !wholeProgram.Load() {
					return reporter.outcome, nil
				}
				reporter.unlikely = true // as in IfServed: who runs it tells what it is for
			}
			if err := spec.Run(pass, reporter); err != nil {
				return nil, err
			}
			for _, d := range reporter.outcome.Reported() {
				pass.Report(d)
			}
			return reporter.outcome, nil
		},
	}
	guard.Analyzer(a)
	a.Flags.Init(spec.Name, flag.ContinueOnError)
	a.Flags.BoolVar(&opts.tests, "tests", false, "report findings in _test.go files too")
	a.Flags.BoolVar(&opts.generated, "generated", false, "report findings in generated files too")
	a.Flags.Var(&opts.harm, "harm", "the least `harm` to report: crash, loss, stuck, leak, load or hygiene")
	if spec.Strict || slices.ContainsFunc(spec.Categories, func(c Category) bool { return c.Strict || c.Trial }) {
		a.Flags.BoolVar(&opts.strict, "strict", false, "report doubtful variants too")
	}
	if spec.Flags != nil {
		spec.Flags(&a.Flags)
	}
	made.Store(a, rule{spec, opts})
	return a
}

// Of returns the metadata that a was made from; a must come from [New].
func Of(a *analysis.Analyzer) Spec { return of(a).spec }

// Reports tells whether an analyzer reports findings of a harm; see
// [Outcome.Reports]. One that was not made by [New] knows of no harm.
func Reports(a *analysis.Analyzer, h Harm) bool {
	r, ok := made.Load(a)
	return !ok || h >= r.(rule).opts.harm
}

// PrintsHygiene tells whether an analyzer may report something in a file of a package in which
// all that it finds is hygiene; without a text, whether it may whatever the file is.
func PrintsHygiene(a *analysis.Analyzer, src []byte) bool {
	made, ok := made.Load(a)
	if !ok || !Reports(a, Hygiene) {
		return !ok
	}
	concerns := made.(rule).spec.Concerns
	return concerns == nil || concerns(src)
}

// Wants reports whether an analyzer made by [New] reports findings in a file;
// see [Reporter.Wants].
func Wants(a *analysis.Analyzer, fset *token.FileSet, file *ast.File) bool {
	return of(a).opts.want(fset, file)
}

func of(a *analysis.Analyzer) rule {
	r, ok := made.Load(a)
	if !ok {
		panic(fmt.Sprintf("analyzer %s was not made by rule.New", a.Name))
	}
	return r.(rule)
}

// Wanted reports whether the shared passes look into a file. They do not look
// into test files unless a flag of some analyzer asks for these, so that it
// makes no difference whether a driver hands them over: go vet and golangci-lint
// do.
func Wanted(fset *token.FileSet, file *ast.File) bool {
	return !isTest(fset, file) || anyOption(func(o *options) bool { return o.tests })
}

// WantedPackage reports whether the shared passes look into a package of these
// files. They do not if all of it is generated, such as a clientset, unless a
// flag of some analyzer asks for generated code.
func WantedPackage(fset *token.FileSet, files []*ast.File) bool {
	return slices.ContainsFunc(files, func(file *ast.File) bool { return !IsGenerated(fset, file) }) ||
		anyOption(func(o *options) bool { return o.generated })
}

// anyOption reports whether an option is set for any analyzer.
func anyOption(set func(*options) bool) bool {
	found := false
	made.Range(func(_, r any) bool {
		found = set(r.(rule).opts)
		return !found
	})
	return found
}

func isTest(fset *token.FileSet, file *ast.File) bool {
	return strings.HasSuffix(fset.Position(file.FileStart).Filename, "_test.go")
}

type options struct {
	tests, generated, strict bool
	harm                     Harm
}

func (o *options) want(fset *token.FileSet, file *ast.File) bool {
	return (o.tests || !isTest(fset, file) && !kubeapi.ImportsTestLibrary(file)) && (o.generated || !IsGenerated(fset, file))
}
