package rule

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/opvet/opvet/internal/ir/syntax"
)

// Condition is what a finding depends on and a package cannot know: who runs a function.
// The standalone driver settles it when it has analysed all packages of the module. All
// others go by the default.
type Condition struct {
	Kind ConditionKind
	Func string // see [syntax.FuncAt]
	// Program is the package of a program, and Places are what it may run: there is
	// harm only if it does, whatever the kind; see [RunsInProgram].
	Program string   `json:",omitempty"`
	Places  []string `json:",omitempty"`
	// Finalized is the kind whose objects must get finalizers for there to be harm; see
	// [GetsFinalizer].
	Finalized string `json:",omitempty"`
	// CleanedUp is the kind whose objects must get no finalizers for there to be harm; see
	// [LacksFinalizer].
	CleanedUp string `json:",omitempty"`
	// StatusOf is the kind whose status must be mentioned for there to be harm; see
	// [MentionsStatus].
	StatusOf string `json:",omitempty"`
	// Given is a function whose context must be one that ends; see [LiveCaller].
	Given string `json:",omitempty"`
	// Removed is a finalizer, RemovedOf the kind that has it, and Here the package that takes it
	// off, as no other may for there to be harm; see [NowhereElse]. If the finalizer's name is not
	// known, no other may take any off that kind.
	Removed   string `json:",omitempty"`
	RemovedOf string `json:",omitempty"`
	Here      string `json:",omitempty"`
	// Several are parameters, as of kubeapi.ParamID, of which one must be handed more than one for there to
	// be a finding; see [HandsSeveral].
	Several []string `json:",omitempty"`
	// Method is an interface's method, Property what all that the module has of it must be
	// told to have for there to be more harm, and Proven that harm; see [Implemented].
	Method   string `json:",omitempty"`
	Property string `json:",omitempty"`
	Proven   Harm   `json:",omitempty"`
	// OnlyProven tells that there is no finding if the condition does not hold.
	OnlyProven bool `json:",omitempty"`
	// Unlikely tells that the rule does not expect the condition to hold. The default
	// is then not to report.
	Unlikely bool `json:",omitempty"`
	// Served is the harm if a server runs it; zero if that makes no difference.
	Served Harm `json:",omitempty"`
}

// ConditionKind is one of a closed set.
type ConditionKind uint8

const (
	// RunsOutsideTests holds for a function that a program of the module may run, or
	// a module that imports it. All findings in functions have this condition at
	// least. Where nobody can settle it, it is taken to hold; a finding for which it
	// does not is hygiene.
	RunsOutsideTests ConditionKind = iota + 1
	// ReachedFromServer holds for a function that a process may run which goes on
	// until it is told to stop, and not only commands that end by themselves. Findings
	// of a [Category] whose harm ends with the process have it. The default is as
	// before, unless the rule guesses that the package is a part of a command (see
	// [Reporter.IfServed]).
	ReachedFromServer
	// RunsRepeatedly holds for a function that a server may run more than once: what it
	// hands to somebody who calls it, what stands in a loop, and all that these run.
	// Findings of a [Category] that says so have it, and those that do themselves. Where nobody can settle it, it is
	// taken to hold; a finding for which it does not is hygiene.
	RunsRepeatedly
	// RunsInProgram holds for places of which one program of the module may run at least
	// one. Findings about a whole program that rest on calls anywhere in what it imports,
	// such as a permission that it lacks or a kind that it caches, have it beside
	// what holds of their function ([Finding.RunAt]). Where nobody can settle it, it is taken
	// to hold; a finding for which it does not is hygiene.
	RunsInProgram
	// GetsFinalizer holds for a kind on whose objects something in the module, or a module of the
	// repository that requires it, is seen to put a finalizer. Findings about what keeps a finalizer from being
	// taken off have it beside what holds of their function ([Finding.Finalized]).
	// Where nobody can settle it, it is taken to hold; a finding for which it does not is
	// hygiene: what is left are the finalizers of the garbage collector and of users.
	GetsFinalizer
	// LacksFinalizer holds for a kind on whose objects nothing in the module is seen to put a
	// finalizer: with one it cleans up itself when they are deleted. Findings about what stays when an owner is
	// deleted have it beside what holds of their function ([Finding.CleanedUp]). Where nobody can
	// settle it, it is taken to hold; a finding for which it does not is hygiene.
	LacksFinalizer
	// LiveCaller holds for a function whose context somebody may end: not all that call it
	// make one up. Findings that somebody should heed that context have it beside what holds of
	// their function ([Finding.Given]). Where nobody can settle it, it is taken to hold; a
	// finding for which it does not is hygiene.
	LiveCaller
	// Implemented holds for an interface's method if all that the module puts behind
	// it are functions of which the rule has told the same property, in whatever
	// packages ([Reporter.Tell], [Finding.IfImplemented]). Where nobody can settle it, it is
	// taken not to hold; a finding for which it does has the harm that the rule says.
	Implemented
	// NowhereElse holds for a finalizer that no other package of the module's programs takes
	// off by its name, nor any finalizer off objects of the kind. Findings that it is not taken off here have it beside what holds of their function
	// ([Finding.NowhereElse]). Where nobody can settle it, it is taken to hold; a
	// finding for which it does not is hygiene.
	NowhereElse
	// MentionsStatus holds for a kind of whose objects something in the module, or a module that
	// imports it, sets or reads the status, generated code aside. Findings that a write of the status
	// fails have it beside what holds of their function ([Finding.StatusOf]). Where nobody can settle
	// it, it is taken to hold; a finding for which it does not is hygiene: a branch for objects that
	// nobody has.
	MentionsStatus
	// HandsSeveral holds for parameters to one of which a program of the module hands a number
	// above one, or one that somebody can choose. Findings that rest on such a number have it
	// beside what holds of their function ([Finding.Several]). Where nobody can settle it, or it does
	// not hold, there is no finding.
	HandsSeveral
)

// IfServed reports what check finds only if a server runs the functions that it is found
// in. It is for what a rule takes for a part of a command-line program: drivers that
// see one package at a time report nothing of it. They make the check all the same, for
// the comments that silence something.
func (r *Reporter) IfServed(check func()) {
	was := r.unlikely
	r.unlikely = true
	check()
	r.unlikely = was
}

// Tell says something of a function of the package that findings of other packages may depend
// on; see [Implemented].
func (r *Reporter) Tell(property string, fn *types.Func) {
	if !wholeProgram.Load() || fn == nil || fn.Pkg() != r.pass.Pkg {
		return
	}
	if r.outcome.told == nil {
		r.outcome.told = make(map[string][]string)
	}
	r.outcome.told[property] = append(r.outcome.told[property], fn.Origin().FullName())
}

// Told returns what the rule has said of functions, by what that is.
func (o *Outcome) Told() map[string][]string { return o.told }

// condition returns what a finding depends on; nil for one that is in no function of the
// package's and asks for no places.
func (r *Reporter) condition(file *ast.File, f Finding) *Condition {
	if !wholeProgram.Load() {
		return nil
	}
	c := r.ofFunction(file, f)
	if c == nil && r.unlikely {
		c = &Condition{Kind: ReachedFromServer, Unlikely: true}
	}
	// Without a condition on who runs the function, it is the only one.
	also := func(kind ConditionKind) *Condition {
		if c == nil {
			c = &Condition{Kind: kind}
		}
		return c
	}
	if len(f.RunAt) > 0 {
		also(RunsInProgram)
		c.Program, c.Places = r.pass.Pkg.Path(), f.RunAt
	}
	if f.Finalized != "" {
		also(GetsFinalizer).Finalized = f.Finalized
	}
	if f.CleanedUp != "" {
		also(LacksFinalizer).CleanedUp = f.CleanedUp
	}
	if f.StatusOf != "" {
		also(MentionsStatus).StatusOf = f.StatusOf
	}
	if len(f.Several) > 0 {
		also(HandsSeveral).Several = f.Several
	}
	if f.Given.IsValid() && !r.isForeign(file) {
		if given := syntax.FuncAt(r.pass.Pkg, r.pass.TypesInfo, r.pass.Fset, r.fileOf(f.Given), f.Given); given != "" {
			also(LiveCaller).Given = given
		}
	}
	if n := f.NowhereElse; n != (Removal{}) {
		also(NowhereElse)
		c.Removed, c.RemovedOf, c.Here = n.Finalizer, n.Kind, r.pass.Pkg.Path()
	}
	if i := f.IfImplemented; i != nil {
		also(Implemented)
		c.Method, c.Property, c.Proven, c.OnlyProven = i.Method, i.Property, i.Harm, i.Only && !r.opts.strict
	}
	return c
}

// ofFunction returns what depends on who runs the function of a finding.
func (r *Reporter) ofFunction(file *ast.File, f Finding) *Condition {
	if r.isForeign(file) || isTest(r.pass.Fset, file) {
		return nil
	}
	pos := f.Pos
	if f.RepeatsIn.IsValid() {
		pos, file = f.RepeatsIn, r.fileOf(f.RepeatsIn)
	}
	fn := syntax.FuncAt(r.pass.Pkg, r.pass.TypesInfo, r.pass.Fset, file, pos)
	if fn == "" {
		return nil
	}
	c := &Condition{Kind: RunsOutsideTests, Func: fn, Unlikely: r.unlikely, Served: f.HarmIfServed}
	switch category := r.category[f.Category]; {
	case (category.Repeats && !f.Once || f.Repeats) && !r.unlikely:
		c.Kind = RunsRepeatedly
	case category.EndsWithProcess || r.unlikely:
		c.Kind = ReachedFromServer
	}
	return c
}

func (r *Reporter) isForeign(file *ast.File) bool {
	return !slices.Contains(r.pass.Files, file)
}
