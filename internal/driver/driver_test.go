package driver

import (
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/opvet/opvet/internal/report/rule"
)

// The scripts drive the command with analyzers of their own, so that they need
// no Kubernetes packages.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"opvet": func() {
			os.Exit(Main(os.Args[1:], []*analysis.Analyzer{badcall, noise, leak}, os.Stdout, os.Stderr))
		},
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			// status N COMMAND… runs a command and checks its exit status.
			"status": func(ts *testscript.TestScript, neg bool, args []string) {
				if neg || len(args) < 2 {
					ts.Fatalf("usage: status N command…")
				}
				err := ts.Exec(args[1], args[2:]...)
				var exit *exec.ExitError
				got := 0
				if errors.As(err, &exit) {
					got = exit.ExitCode()
				} else {
					ts.Check(err)
				}
				if strconv.Itoa(got) != args[0] {
					ts.Fatalf("exit status %d, want %s", got, args[0])
				}
			},
			// tree DIR lists what is in a folder, with sizes and times of change.
			"tree": func(ts *testscript.TestScript, neg bool, args []string) {
				if neg || len(args) != 1 {
					ts.Fatalf("usage: tree dir")
				}
				ts.Check(filepath.WalkDir(ts.MkAbs(args[0]), func(name string, entry fs.DirEntry, err error) error {
					if err != nil {
						return err
					}
					info, err := entry.Info()
					if err == nil {
						fmt.Fprintln(ts.Stdout(), name, info.Mode(), info.Size(), info.ModTime().UnixNano())
					}
					return err
				}))
			},
			// write FILE TEXT writes a text with Go's escapes, for what an
			// archive cannot hold.
			"write": func(ts *testscript.TestScript, neg bool, args []string) {
				if neg || len(args) != 2 {
					ts.Fatalf("usage: write file text")
				}
				text, err := strconv.Unquote(`"` + args[1] + `"`)
				ts.Check(err)
				name := ts.MkAbs(args[0])
				ts.Check(os.MkdirAll(filepath.Dir(name), 0o755))
				ts.Check(os.WriteFile(name, []byte(text), 0o644))
			},
		},
		Setup: func(env *testscript.Env) error {
			exe, err := exec.LookPath("opvet")
			if err != nil {
				return err
			}
			env.Setenv("OPVET", exe)
			env.Setenv("OPVET_CACHE", "off") // the test's analyzers change, and its binary may not
			env.Setenv("GOPROXY", "off")
			env.Setenv("GOWORK", "")
			for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOROOT"} {
				out, err := exec.Command("go", "env", name).Output()
				if err != nil {
					return err
				}
				env.Setenv(name, strings.TrimSpace(string(out)))
			}
			return nil
		},
	})
}

// isBad is the fact that a function's comment says "bad".
type isBad struct{}

func (*isBad) AFact()         {}
func (*isBad) String() string { return "bad" }

// badcall reports calls of functions whose comment says "bad", in whichever
// package of the user's modules they are.
var badcall = rule.New(rule.Spec{
	Name: "badcall", Summary: "calls of bad functions", Group: "samples", Since: "v0", Anywhere: true,
	DocSource:  "// Package badcall is for tests.\n//\n// It finds calls of functions whose comment says so.\npackage badcall\n",
	Categories: []rule.Category{{Name: "direct", Summary: "a direct call", Harm: rule.Loss, Fix: true}},
	Requires:   []*analysis.Analyzer{fragile},
	FactTypes:  []analysis.Fact{new(isBad)},
	Run: func(pass *analysis.Pass, report *rule.Reporter) error {
		for _, file := range pass.Files {
			for _, decl := range file.Decls {
				fn, ok := decl.(*ast.FuncDecl)
				if ok && strings.Contains(fn.Doc.Text(), "bad") {
					pass.ExportObjectFact(pass.TypesInfo.Defs[fn.Name], new(isBad))
				}
			}
		}
		for _, file := range pass.Files {
			ast.Inspect(file, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				callee, ok := typeutil.Callee(pass.TypesInfo, call).(*types.Func)
				if !ok || !pass.ImportObjectFact(callee, new(isBad)) {
					return true
				}
				report.Report(rule.Finding{
					Pos: call.Pos(), End: call.End(), Category: "direct",
					Message: "call of bad function " + callee.Name(),
					Related: []analysis.RelatedInformation{{Pos: file.Name.Pos(), Message: "in this package"}},
					Fix: &analysis.SuggestedFix{Message: "call good", TextEdits: []analysis.TextEdit{
						{Pos: call.Fun.Pos(), End: call.Fun.End(), NewText: []byte("good")},
					}},
				})
				return true
			})
		}
		return nil
	},
})

// fragile panics when it looks at a function named boom.
var fragile = &analysis.Analyzer{
	Name: "fragile", Doc: "panic on functions named boom",
	Run: func(pass *analysis.Pass) (any, error) {
		for _, file := range pass.Files {
			for _, decl := range file.Decls {
				if fn, ok := decl.(*ast.FuncDecl); ok {
					touch(fn)
				}
			}
		}
		return nil, nil
	},
}

// touch and check are not inlined, as functions of real size are not, so that
// the stack shows the argument of touch, which is used after the call.
//
//go:noinline
func touch(fn *ast.FuncDecl) {
	check(fn.Name.Name)
	for _, param := range fn.Type.Params.List {
		ast.Inspect(param, func(ast.Node) bool { return false })
	}
}

//go:noinline
func check(name string) {
	if name == "boom" {
		panic(name + " it is")
	}
}

// noise reports each variable declared in a package named noisy.
var noise = rule.New(rule.Spec{
	Name: "noise", Summary: "noisy packages", Group: "samples", Since: "v0", Anywhere: true,
	DocSource:  "// Package noise is for tests.\n//\n// It reports package clauses.\npackage noise\n",
	Categories: []rule.Category{{Name: "package", Summary: "a noisy package", Harm: rule.Loss}, {Name: "doubtful", Summary: "perhaps", Harm: rule.Load, Strict: true}},
	Run: func(pass *analysis.Pass, report *rule.Reporter) error {
		if pass.Pkg.Name() == "noisy" {
			for _, file := range pass.Files {
				report.Report(rule.Finding{Pos: file.Name.Pos(), Category: "package", Message: "noise"})
				report.Report(rule.Finding{Pos: file.Name.Pos(), Category: "doubtful", Message: "murmur"})
			}
		}
		return nil
	},
})

// leak reports calls of functions named leak, what a variable lacks says that a program
// needs at which places, a variable keeps, which kind's finalizer it keeps, a variable leaves, which kind has no finalizer to clean up, a variable shows, which kind's status it does not write, and a variable hands, which parameter gets more than one: what is lost is free again when the process
// ends. Of a package named tool it guesses that it is a part of a command.
var leak = rule.New(rule.Spec{
	Name: "leak", Summary: "leaks", Group: "samples", Since: "v0", Anywhere: true, ProductOnly: true,
	DocSource:  "// Package leak is for tests.\n//\n// It finds calls of leak and of crash.\npackage leak\n",
	Categories: []rule.Category{{Name: "leak", Summary: "a leak", Harm: rule.Leak, EndsWithProcess: true}, {Name: "crash", Summary: "a crash", Harm: rule.Crash}, {Name: "lack", Summary: "a lack", Harm: rule.Stuck}},
	Run: func(pass *analysis.Pass, report *rule.Reporter) error {
		check := func() {
			for _, file := range pass.Files {
				ast.Inspect(file, func(n ast.Node) bool {
					if spec, ok := n.(*ast.ValueSpec); ok && spec.Names[0].Name == "lacks" {
						places, _ := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
						report.Report(rule.Finding{Pos: spec.Pos(), Category: "lack", Message: "it is needed", RunAt: strings.Fields(places)})
					}
					if spec, ok := n.(*ast.ValueSpec); ok && spec.Names[0].Name == "keeps" {
						kind, _ := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
						report.Report(rule.Finding{Pos: spec.Pos(), Category: "lack", Message: "it is kept", Finalized: kind})
					}
					if spec, ok := n.(*ast.ValueSpec); ok && spec.Names[0].Name == "leaves" {
						kind, _ := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
						report.Report(rule.Finding{Pos: spec.Pos(), Category: "leak", Message: "it stays", CleanedUp: kind})
					}
					if spec, ok := n.(*ast.ValueSpec); ok && spec.Names[0].Name == "shows" {
						kind, _ := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
						report.Report(rule.Finding{Pos: spec.Pos(), Category: "lack", Message: "it is not shown", StatusOf: kind})
					}
					if spec, ok := n.(*ast.ValueSpec); ok && spec.Names[0].Name == "hands" {
						params, _ := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
						report.Report(rule.Finding{Pos: spec.Pos(), Category: "crash", Message: "there are several", Several: strings.Fields(params)})
					}
					if call, ok := n.(*ast.CallExpr); ok {
						if callee, ok := typeutil.Callee(pass.TypesInfo, call).(*types.Func); ok && (callee.Name() == "leak" || callee.Name() == "crash") {
							report.Report(rule.Finding{Pos: call.Pos(), Category: callee.Name(), Message: "it happens"})
						}
					}
					return true
				})
			}
		}
		if pass.Pkg.Name() == "tool" {
			report.IfServed(check)
		} else {
			check()
		}
		return nil
	},
})
