package fuzz

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/analyzers"
	"github.com/opvet/opvet/internal/driver"
	"github.com/opvet/opvet/internal/report/guard"
)

// limit is how long one execution may take; it takes milliseconds, but seconds
// on a machine that is busy with other things.
const limit = 5 * time.Minute

// mode says how the suite is run.
type mode struct {
	strict bool // with the doubtful variants
	bare   bool // with what Bazel's nogo gives a pass, and no more
}

// test analyses a program twice and compares the answers.
func (p *program) test(t *testing.T, m mode) {
	t.Helper()
	done := make(chan struct{})
	var failure error
	go func() {
		defer close(done)
		failure = p.answersAgree(m)
	}()
	select {
	case <-done:
	case <-time.After(limit):
		stacks := make([]byte, 1<<20)
		failure = fmt.Errorf("not done in %v\n%s", limit, stacks[:runtime.Stack(stacks, true)])
	}
	if failure != nil {
		t.Fatalf("%v\nThe program, in %s, with %+v:\n%s", failure, p.module.Path, m, p)
	}
}

// answersAgree reports how two answers differ, the second one given of other
// syntax and types, the packages in another order, by several goroutines.
func (p *program) answersAgree(m mode) error {
	var answers [2]map[string]string
	for i, procs := range []int{1, 4} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		c, err := p.check(nil, 0)
		if err != nil {
			return fmt.Errorf("what compiled no longer does: %w", err)
		}
		if i > 0 {
			slices.Reverse(c.pkgs)
		}
		answers[i], err = c.analyse(m)
		c.forget(0)
		if err != nil {
			return err
		}
	}
	var differences []string
	for key := range maps.Keys(answers[0]) {
		if _, also := answers[1][key]; !also {
			differences = append(differences, key+": only in the first answer: "+answers[0][key])
		}
	}
	for key, second := range answers[1] {
		if first, also := answers[0][key]; !also {
			differences = append(differences, key+": only in the second answer: "+second)
		} else if first != second {
			differences = append(differences, fmt.Sprintf("%s: first\n\t%s\nand then\n\t%s", key, first, second))
		}
	}
	if len(differences) == 0 {
		return nil
	}
	slices.Sort(differences)
	return fmt.Errorf("two answers for one program:\n%s", strings.Join(differences, "\n"))
}

// analyse returns all diagnostics, in order, and all facts.
func (c *checked) analyse(m mode) (map[string]string, error) {
	suite := recordedSuite()
	for _, a := range suite {
		if f := a.Flags.Lookup("strict"); f != nil {
			if err := f.Value.Set(fmt.Sprint(m.strict)); err != nil {
				return nil, err
			}
		}
	}
	r := &recorder{mode: m, files: make(map[string]string), answer: make(map[string]string)}
	for i, pkg := range c.pkgs {
		for _, source := range c.program.pkgs {
			for _, file := range source.files {
				r.files[file.name] = file.text
			}
		}
		recorders.Store(c.pkgs[i].Types, r)
		defer recorders.Delete(pkg.Types)
	}
	prog, err := driver.NewProgram(slices.Clone(c.pkgs))
	if err != nil {
		return nil, err
	}
	if prog.Len() != len(c.pkgs) {
		return nil, fmt.Errorf("only %d of %d packages: %v", prog.Len(), len(c.pkgs), prog.Problems)
	}
	prog.CheckFacts = true
	result, err := prog.Analyze(suite)
	if err != nil {
		return nil, err
	}
	if len(result.Problems) > 0 {
		return nil, fmt.Errorf("%s", strings.Join(result.Problems, "\n"))
	}
	if err := c.fixesCompile(result.Findings); err != nil {
		return nil, err
	}
	for i, f := range result.Findings {
		r.answer[fmt.Sprintf("finding %03d", i)] = describe(c.program.fset, f)
	}
	return r.answer, nil
}

func describe(fset *token.FileSet, f driver.Finding) string {
	var b strings.Builder
	d := f.Diagnostic
	fmt.Fprintf(&b, "%s: %s-%s [%s] %s", f.Analyzer.Name, fset.Position(d.Pos), fset.Position(d.End), d.Category, d.Message)
	for _, related := range d.Related {
		fmt.Fprintf(&b, "\n\t%s-%s %s", fset.Position(related.Pos), fset.Position(related.End), related.Message)
	}
	for _, fix := range d.SuggestedFixes {
		fmt.Fprintf(&b, "\n\tfix %s", fix.Message)
		for _, edit := range fix.TextEdits {
			fmt.Fprintf(&b, "\n\t\t%s-%s %q", fset.Position(edit.Pos), fset.Position(edit.End), edit.NewText)
		}
	}
	return b.String()
}

// recorder notes the facts that an execution exports.
type recorder struct {
	mode   mode
	files  map[string]string // what is in the files, which do not exist
	mu     sync.Mutex
	answer map[string]string
}

var recorders sync.Map // *types.Package -> *recorder

// recordedSuite is the suite with analyzers, shared passes among them, whose
// passes tell the package's recorder what they export.
var recordedSuite = sync.OnceValue(func() []*analysis.Analyzer {
	suite := analyzers.All()
	for _, a := range guard.Passes(suite) {
		record(a)
	}
	return suite
})

func record(a *analysis.Analyzer) {
	run := a.Run
	a.Run = func(pass *analysis.Pass) (any, error) {
		if r, ok := recorders.Load(pass.Pkg); ok {
			r.(*recorder).prepare(pass)
		}
		return run(pass)
	}
}

func (r *recorder) prepare(pass *analysis.Pass) {
	pass.ReadFile = func(name string) ([]byte, error) {
		text, ok := r.files[name]
		if !ok {
			return nil, os.ErrNotExist
		}
		return []byte(text), nil
	}
	if r.mode.bare {
		pass.Module, pass.ReadFile, pass.OtherFiles, pass.IgnoredFiles, pass.TypeErrors = nil, nil, nil, nil, nil
		info := *pass.TypesInfo
		info.FileVersions = nil
		pass.TypesInfo = &info
	}
	exportObject, exportPackage := pass.ExportObjectFact, pass.ExportPackageFact
	pass.ExportObjectFact = func(obj types.Object, fact analysis.Fact) {
		exportObject(obj, fact)
		r.note(fmt.Sprintf("fact %s of %s: %s at %s", pass.Analyzer.Name, pass.Pkg.Path(), obj, pass.Fset.Position(obj.Pos())), fact)
	}
	pass.ExportPackageFact = func(fact analysis.Fact) {
		exportPackage(fact)
		r.note(fmt.Sprintf("fact %s of %s", pass.Analyzer.Name, pass.Pkg.Path()), fact)
	}
}

func (r *recorder) note(key string, fact analysis.Fact) {
	var encoded bytes.Buffer
	if err := gob.NewEncoder(&encoded).Encode(fact); err != nil {
		panic(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer[fmt.Sprintf("%s: %T", key, fact)] = fmt.Sprintf("%v %x", fact, encoded.Bytes())
}
