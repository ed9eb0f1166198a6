package rule

import (
	"fmt"
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/analysis"
)

// Finding is a diagnostic before it is dressed for the drivers.
type Finding struct {
	Pos, End token.Pos // End may be NoPos
	Category string    // one of the analyzer's categories
	// Message is one sentence without the category: what happens in
	// production, and what to do instead.
	Message string
	Related []analysis.RelatedInformation
	Fix     *analysis.SuggestedFix // nil for none
}

// Reporter hands findings to the driver: it appends the category to the
// message, links the page, and drops what lies in test files, generated files
// or under a suppression comment.
type Reporter struct {
	pass     *analysis.Pass
	opts     *options
	spec     Spec
	category map[string]Category
	ignores  map[*ast.File]*ignores // filled on demand
	seen     map[string]bool
}

func newReporter(pass *analysis.Pass, opts *options, spec Spec) *Reporter {
	categories := make(map[string]Category, len(spec.Categories))
	for _, c := range spec.Categories {
		categories[c.Name] = c
	}
	return &Reporter{
		pass: pass, opts: opts, spec: spec, category: categories,
		ignores: make(map[*ast.File]*ignores), seen: make(map[string]bool),
	}
}

// Strict reports whether doubtful variants were asked for.
func (r *Reporter) Strict() bool { return r.opts.strict }

// Report hands f to the driver unless it is to be dropped. A second finding
// of the same category at the same place is dropped, too.
func (r *Reporter) Report(f Finding) {
	category, ok := r.category[f.Category]
	if !ok {
		panic(fmt.Sprintf("analyzer %s reports the undeclared category %q", r.spec.Name, f.Category))
	}
	if category.Strict && !r.opts.strict {
		return
	}
	file := r.fileOf(f.Pos)
	if file == nil || !r.wanted(file) || r.ignored(file, f.Pos) {
		return
	}
	key := fmt.Sprint(f.Pos, f.Category)
	if r.seen[key] {
		return
	}
	r.seen[key] = true
	d := analysis.Diagnostic{
		Pos:      f.Pos,
		End:      f.End,
		Category: f.Category,
		Message:  fmt.Sprintf("%s (%s/%s)", f.Message, r.spec.Name, f.Category),
		URL:      pages + r.spec.Name + ".md#" + f.Category,
		Related:  f.Related,
	}
	if f.Fix != nil {
		d.SuggestedFixes = []analysis.SuggestedFix{*f.Fix}
	}
	r.pass.Report(d)
}

func (r *Reporter) fileOf(pos token.Pos) *ast.File {
	for _, file := range r.pass.Files {
		if file.FileStart <= pos && pos <= file.FileEnd {
			return file
		}
	}
	return nil
}

func (r *Reporter) wanted(file *ast.File) bool {
	return (r.opts.tests || !isTest(r.pass.Fset, file)) && (r.opts.generated || !ast.IsGenerated(file))
}

func (r *Reporter) ignored(file *ast.File, pos token.Pos) bool {
	known, ok := r.ignores[file]
	if !ok {
		known = parseIgnores(r.pass.Fset, file)
		r.ignores[file] = known
	}
	return known.match(r.spec.Name, r.pass.Fset.Position(pos).Line)
}
