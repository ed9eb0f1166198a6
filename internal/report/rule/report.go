package rule

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/report/suppress"
	"github.com/opvet/opvet/internal/report/wording"
)

// Finding is a diagnostic before it is dressed for the drivers.
type Finding struct {
	Pos, End token.Pos // End may be NoPos
	Category string    // one of the analyzer's categories
	Harm     Harm      // where the situation decides; normally the category's
	// HarmIfServed is the harm where it turns out that a server runs the function, if
	// Harm rests on the guess that none does.
	HarmIfServed Harm
	// Message is one sentence without the category: what happens in
	// production, and what to do instead.
	Message string
	Related []analysis.RelatedInformation
	Fix     *analysis.SuggestedFix // nil for none
	// About tells findings of one category at one place apart, such as those
	// about the kinds that a manager caches; normally empty.
	About string
	// Cause is the place, as of [syntax.Place], of what has to be mended, if that is not at
	// Pos but in a function that several call; normally empty. Findings of one category
	// that have one cause are one, at the first place, with the others as related places. In
	// other packages they are hygiene for the driver that sees the whole module.
	Cause string
	// Repeats tells what [Category.Repeats] does, of this finding alone.
	Repeats bool
	// Once tells that it does harm if the function runs but once, whatever [Category.Repeats] says.
	Once bool
	// RepeatsIn is a place in the function that has to run more than once for that, if it is not
	// the one that the finding is in.
	RepeatsIn token.Pos
	// RunAt are the places, as of [syntax.Place], of which the program of this package
	// runs one if there is harm at all; see [RunsInProgram]. Normally none.
	RunAt []string
	// Finalized is the kind, as of kubeapi.KindID, of which objects must get finalizers for
	// there to be harm: a condition (see [GetsFinalizer]).
	Finalized string
	// CleanedUp is the kind, as of kubeapi.KindID, of which objects must get no finalizers for there
	// to be harm: a condition (see [LacksFinalizer]).
	CleanedUp string
	// StatusOf is the kind, as of kubeapi.KindID, whose status something must mention for there to be
	// harm: a condition (see [MentionsStatus]).
	StatusOf string
	// Given is a place in the head or the body of the function whose context must be one that somebody
	// may end: a condition (see [LiveCaller]).
	Given token.Pos
	// Several are the parameters, as of kubeapi.ParamID, of which one must be handed more than one
	// for there to be a finding: a condition (see [HandsSeveral]).
	Several []string
	// NowhereElse is the finalizer, and the kind as of kubeapi.KindID, that no other package
	// may take off for there to be harm: a condition (see [NowhereElse]).
	NowhereElse Removal
	// IfImplemented says of what more harm depends; nil for nothing.
	IfImplemented *IfImplemented
}

// Removal is the finalizer of a kind that is taken off.
type Removal struct{ Finalizer, Kind string }

// IfImplemented is a condition on what is behind an interface's method; see [Implemented].
type IfImplemented struct {
	Method   string // as of processes.AbstractName
	Property string // as told of by [Reporter.Tell]
	Harm     Harm   // if all have it
	Only     bool   // there is no finding otherwise
}

// MaxMessage is how long a message may be in the cases, without the category.
const MaxMessage = wording.Max

// MessageLength counts the characters of a diagnostic's message, without the category
// at its end.
func MessageLength(message string) int {
	if i := strings.LastIndex(message, " ("); i >= 0 {
		message = message[:i]
	}
	return utf8.RuneCountInString(message)
}

// Reporter takes the findings for the driver, which gets them when the analyzer has
// ended well: it appends the category to the message, links the page, and
// drops what lies in test files, generated files or under a suppression comment.
type Reporter struct {
	pass     *analysis.Pass
	opts     *options
	spec     Spec
	category map[string]Category
	comments map[*ast.File][]*suppress.Directive // filled on demand
	outcome  *Outcome
	seen     map[string]bool
	others   map[string]*ast.File     // of other packages, by name
	files    map[string][]*token.File // of the whole program, see filesNamed
	unlikely bool                     // see IfServed
}

// Outcome is the result of an analyzer made by [New]: what it has reported, and
// which suppression comments have silenced something.
type Outcome struct {
	found     []Diagnostic
	least     Harm               // that is reported
	silencing map[token.Pos]bool // the names in comments
	excused   []Excused
	skipped   bool
	below     []Folder
	elsewhere []string
	told      map[string][]string // functions, by what is said of them
}

// Diagnostic is a finding as drivers get it, with the harm that it does.
type Diagnostic struct {
	analysis.Diagnostic
	Harm Harm
	// Cause is [Finding.Cause].
	Cause string
	// If is what it depends on, for the driver that can settle it; nil for nothing.
	If *Condition
}

// IsReported tells whether the finding is one where nobody settles what it depends on.
func (d Diagnostic) IsReported() bool {
	return d.If == nil || !d.If.Unlikely && !d.If.OnlyProven && len(d.If.Several) == 0
}

// Reported returns what the analyzer hands to the driver. The plugin for
// golangci-lint asks for it, to hand it over under its own name.
func (o *Outcome) Reported() []analysis.Diagnostic {
	var reported []analysis.Diagnostic
	for _, d := range o.found {
		if o.Reports(d.Harm) && d.IsReported() {
			if golangciLint {
				d.Related = nil // of which it would make findings
			}
			reported = append(reported, d.Diagnostic)
		}
	}
	return reported
}

// Found returns what is reported, what does too little harm for that, and what only
// is if a condition is settled.
func (o *Outcome) Found() []Diagnostic { return o.found }

// Folder is a folder whose files findings depend on.
type Folder struct {
	Dir string
	Of  Files
}

// Files are those that count below a folder.
type Files int

const (
	AllFiles  Files = iota // manifests and Go files
	Manifests              // that [rbac.EachManifest] reads
	Grants                 // these, and Go files as far as they say who may do what
)

// ReadBelow returns the folders of [Reporter.ReadsBelow].
func (o *Outcome) ReadBelow() []Folder { return o.below }

// ReadElsewhere returns the files of other packages that have been read, whose comments may
// silence findings.
func (o *Outcome) ReadElsewhere() []string { return o.elsewhere }

// Reports says whether findings of that harm are reported.
func (o *Outcome) Reports(h Harm) bool { return h >= o.least }

// Silences reports whether the name in a suppression comment has silenced a
// finding. The analyzer unusedignore asks for it.
func (o *Outcome) Silences(n suppress.Name) bool { return o.silencing[n.Pos] }

func newReporter(pass *analysis.Pass, opts *options, spec Spec, categories map[string]Category) *Reporter {
	return &Reporter{
		pass: pass, opts: opts, spec: spec, category: categories,
		comments: make(map[*ast.File][]*suppress.Directive),
		outcome:  &Outcome{least: opts.harm, silencing: make(map[token.Pos]bool)}, seen: make(map[string]bool),
		others: make(map[string]*ast.File),
	}
}

// Outcome returns what has been reported and silenced until now.
func (r *Reporter) Outcome() *Outcome { return r.outcome }

// ReadsBelow tells that findings depend on files below a folder that are not of the
// package or of what it imports. What was found is not taken for what is there once
// one of them has changed. Facts must not depend on them.
func (r *Reporter) ReadsBelow(dir string, of Files) {
	r.outcome.below = append(r.outcome.below, Folder{dir, of})
}

// Strict reports whether doubtful variants were asked for.
func (r *Reporter) Strict() bool { return r.opts.strict }

// Report takes f unless it is to be dropped. A second finding
// of the same category at the same place, about the same, is dropped, too.
func (r *Reporter) Report(f Finding) {
	category, ok := r.category[f.Category]
	if !ok {
		panic(fmt.Sprintf("analyzer %s reports the undeclared category %q", r.spec.Name, f.Category))
	}
	file := r.fileOf(f.Pos)
	if category.Strict && !r.opts.strict || file == nil {
		return
	}
	if !r.Wants(file) {
		r.excused(f.Pos, f.Category, becauseFile)
		return
	}
	if _, silenced := r.silenced(file, f.Pos, f.Category); silenced {
		r.excused(f.Pos, f.Category, becauseComment)
		return
	}
	key := fmt.Sprint(f.Pos, f.Category, f.About)
	if r.seen[key] || (r.unlikely || len(f.Several) > 0 || f.IfImplemented != nil && f.IfImplemented.Only && !r.opts.strict) && !wholeProgram.Load() {
		return
	}
	r.seen[key] = true
	if r.joins(f) {
		return
	}
	d := analysis.Diagnostic{
		Pos:      f.Pos,
		End:      f.End,
		Category: f.Category,
		Message:  fmt.Sprintf("%s (%s/%s)", f.Message, r.spec.Name, f.Category),
		URL:      pages + r.spec.Name + ".md#" + f.Category,
		// Not all instructions have a position, and gopls panics without.
		Related: slices.DeleteFunc(slices.Clone(f.Related), func(r analysis.RelatedInformation) bool { return !r.Pos.IsValid() }),
	}
	if f.Fix != nil && applicable(r.pass.Fset, f.Fix) {
		d.SuggestedFixes = []analysis.SuggestedFix{*f.Fix}
	}
	f.Harm = cmp.Or(f.Harm, category.Harm)
	if r.opts.tries(category) {
		f = onTrial(f)
	}
	if IsAside(r.pass.Pkg.Path()) {
		f.Harm = Hygiene
	}
	r.outcome.found = append(r.outcome.found, Diagnostic{d, f.Harm, f.Cause, r.condition(file, f)})
}

func (r *Reporter) fileOf(pos token.Pos) *ast.File {
	if file := syntax.FileOf(r.pass.Files, pos); file != nil {
		return file
	}
	return r.foreign(pos)
}

// Wants reports whether findings in the file are reported; those in test files
// and generated files are not unless asked for.
func (r *Reporter) Wants(file *ast.File) bool { return r.opts.want(r.pass.Fset, file) }

// Comments returns the suppression comments of a file.
func (r *Reporter) Comments(file *ast.File) []*suppress.Directive {
	known, ok := r.comments[file]
	if !ok {
		known = suppress.Parse(r.pass.Fset, file)
		r.comments[file] = known
	}
	return known
}

// Silenced reports whether a comment silences what is at pos, one of several places
// that a finding of the category is about; the comment has done its work then.
func (r *Reporter) Silenced(pos token.Pos, category string) bool {
	file := r.fileOf(pos)
	if file == nil {
		return false
	}
	silenced, _ := r.silenced(file, pos, category)
	return silenced
}

// silenced reports whether a comment silences what is found at a place, and whether one does
// that is not for the host to judge; it notes which names in comments would. A finding about a
// comment is not silenced by that.
func (r *Reporter) silenced(file *ast.File, pos token.Pos, category string) (byAny, byOurs bool) {
	line := r.pass.Fset.PositionFor(pos, false).Line
	for _, d := range r.Comments(file) {
		if !d.Covers(line) || d.Comment.Pos() <= pos && pos < d.Comment.End() {
			continue
		}
		if len(d.Names) == 0 {
			byAny, byOurs = true, byOurs || !LeftToHost(d, nil)
		}
		for _, name := range d.Names {
			if name.Matches(r.spec.Group, r.spec.Name, category) {
				r.outcome.silencing[name.Pos] = true
				byAny, byOurs = true, byOurs || !LeftToHost(d, &name)
			}
		}
	}
	return byAny, byOurs
}
