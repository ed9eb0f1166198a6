// Package processes tells which processes run a function: a server, commands that
// end by themselves, or none.
//
// A package cannot know who imports it, so the answer is put together when all
// packages of a module are done, of a [Summary] of each: [Link]. Drivers that see one
// package at a time do not run the pass.
package processes

import (
	"reflect"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/kubeapi"
)

// Analyzer summarises a package; its result is a *[Summary].
var Analyzer = &analysis.Analyzer{
	Name:       "opvetprocesses",
	Doc:        "summarise which functions a package's functions may run",
	Run:        run,
	ResultType: reflect.TypeFor[*Summary](),
}

// Summary is what a package adds to the call graph of its module. It can be encoded.
// Numbers stand for names in Names.
type Summary struct {
	Path    string
	Program bool     // package main
	Imports []string // of the same module
	Names   []string
	Funcs   []Func
	Types   []Type
	Ifaces  [][]int // the methods of interfaces
	// Flows are the conversions from one interface to another, Leaks the interfaces of
	// which values become those of other modules' interfaces, or of empty ones.
	Flows []Flow
	Leaks []int
	// Finalized are the kinds (see [kubeapi.KindID]) of the objects that the package may put
	// finalizers on, [AnyKind] if one is not known, and those that it takes all off ([ClearedOf]).
	Finalized []string
	// Unfinalized are the finalizers that the package may take off objects, by their
	// names, or by the kind ([AnyFinalizerOf]).
	Unfinalized []string
	// Numbers are the parameters of the module's functions that the package hands numbers.
	Numbers []Number
	// Statuses are the kinds, as in Finalized, of whose objects the package mentions the status.
	Statuses []string
	// Told are the functions of which rules say something; see [rule.Reporter.Tell].
	Told map[string][]string
	// Elsewhere has the names that files mention which this build leaves out: other
	// platforms may run functions called so.
	Elsewhere []string
}

// Func is a function or a literal, by its name in the whole program (see
// [syntax.FuncAt]).
type Func struct {
	Name int
	// File is the number of "dir/file.go", From and To are the function's lines there.
	File, From, To int
	Exported       bool  // importers may name it
	Runs           []int // functions that it calls, or takes as values; so are those below
	Again          []int // those of them that may run more than once each time it does
	Invokes        []Invoke
	// Commands are the functions it takes to be run by a library of commands, Bound the
	// interfaces' methods, and Use is what users call one of them.
	Commands []int
	Bound    []Invoke
	Use      string
	Converts []Convert
	// Hands are the contexts that it hands over, as far as nothing ends them but who runs
	// the function, if that. Context tells that it is given one.
	Hands   []Hand
	Context bool
	// Serves tells that it goes on until it is told to stop, or starts what does;
	// Operates, that it does what only an operator or another server of a cluster does.
	Serves, Operates bool
}

// Number is a parameter, as of [kubeapi.ParamID], that is handed a number above one or one that
// somebody can choose, or whatever another parameter is.
type Number struct {
	To   string
	From string // the other one; empty for a number
}

// Invoke is a call of an interface's method.
type Invoke struct {
	Iface  int // in Ifaces
	Method int
	Again  bool // more than once each time that the caller runs
}

// Flow is a value of one interface that becomes, or may turn out to be, one of another.
type Flow struct{ From, To int }

// Convert is a value of a named type that becomes an interface's.
type Convert struct {
	Type int
	To   Target
	// Iface is the number of the interface if it is the module's.
	Iface int
}

// Target is what an interface tells of who calls the methods.
type Target uint8

const (
	Module   Target = iota // the module, by its own interface
	Others                 // another module
	Anyone                 // whoever finds them, in the value or inside of it: the interface is empty
	Printers               // what prints the value, and calls no others than those that make a text of it
)

// Type is a named type with its method set.
type Type struct {
	Name    int
	Methods []Method
	Parts   []int // the named types that it has inside
}

// Method is a method by what interfaces ask for and by the function that it is.
type Method struct {
	Key  int
	Func int
	// Once tells that those who get a value run the method once.
	Once bool
	// Iface is one more than the number of the embedded interface that has the method;
	// 0 if a type has it.
	Iface int
}

func run(pass *analysis.Pass) (any, error) {
	s := &Summary{Path: pass.Pkg.Path(), Program: pass.Pkg.Name() == "main"}
	if !kubeapi.InUserModule(pass) {
		return s, nil
	}
	newGatherer(pass, s).gather()
	return s, nil
}
