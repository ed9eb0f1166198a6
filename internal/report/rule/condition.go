package rule

import (
	"go/ast"

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
	// Findings of a [Category] that says so have it. Where nobody can settle it, it is
	// taken to hold; a finding for which it does not is hygiene.
	RunsRepeatedly
	// RunsInProgram holds for places of which one program of the module may run at least
	// one. Findings about a whole program that rest on calls anywhere in what it imports,
	// such as a permission that it lacks or a kind that it caches, have it beside
	// what holds of their function ([Finding.RunAt]). Where nobody can settle it, it is taken
	// to hold; a finding for which it does not is hygiene.
	RunsInProgram
	// GetsFinalizer holds for a kind on whose objects something in the module, or a module
	// that imports it, may put a finalizer. Findings about what keeps a finalizer from being
	// taken off have it beside what holds of their function ([Finding.Finalized]).
	// Where nobody can settle it, it is taken to hold; a finding for which it does not is
	// hygiene: what is left are the finalizers of the garbage collector and of users.
	GetsFinalizer
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

// condition returns what a finding depends on; nil for one that is in no function of the
// package's and asks for no places.
func (r *Reporter) condition(file *ast.File, f Finding) *Condition {
	if !wholeProgram.Load() {
		return nil
	}
	c := r.ofFunction(file, f)
	if len(f.RunAt) > 0 {
		if c == nil {
			c = &Condition{Kind: RunsInProgram}
		}
		c.Program, c.Places = r.pass.Pkg.Path(), f.RunAt
	}
	if f.Finalized != "" {
		if c == nil {
			c = &Condition{Kind: GetsFinalizer}
		}
		c.Finalized = f.Finalized
	}
	return c
}

// ofFunction returns what depends on who runs the function of a finding.
func (r *Reporter) ofFunction(file *ast.File, f Finding) *Condition {
	if r.isForeign(file) || isTest(r.pass.Fset, file) {
		return nil
	}
	fn := syntax.FuncAt(r.pass.Pkg, r.pass.TypesInfo, r.pass.Fset, file, f.Pos)
	if fn == "" {
		return nil
	}
	c := &Condition{Kind: RunsOutsideTests, Func: fn, Unlikely: r.unlikely, Served: f.HarmIfServed}
	switch category := r.category[f.Category]; {
	case category.Repeats && !r.unlikely:
		c.Kind = RunsRepeatedly
	case category.EndsWithProcess || r.unlikely:
		c.Kind = ReachedFromServer
	}
	return c
}

func (r *Reporter) isForeign(file *ast.File) bool {
	for _, own := range r.pass.Files {
		if own == file {
			return false
		}
	}
	return true
}
