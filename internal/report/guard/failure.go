package guard

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/report/suppress"
)

const issues = "https://github.com/opvet/opvet/issues"

// Category is that of the diagnostics about failures.
const Category = "internal-error"

// Failure says why a pass has no result for a package.
type Failure struct {
	Pass    string // that failed first
	Package string
	Reason  string
	// Posn is what the pass was looking at, as far as that is known, and In
	// the function around it.
	Posn token.Position
	In   string

	panicked bool // instead of returning an error, which may be the user's
	pos      token.Pos
	calls    []runtime.Frame // from the panic outwards
	reported bool            // by an analyzer whose failure it is
}

func newFailure(pass *analysis.Pass, reason string) *Failure {
	failure := &Failure{Pass: pass.Analyzer.Name, Reason: reason}
	if pass.Pkg != nil {
		failure.Package = pass.Pkg.Path()
	}
	return failure
}

// panicFailure is called by a deferred function while the panicking calls are
// still on the stack.
func panicFailure(pass *analysis.Pass, value any, stack []byte) *Failure {
	failure := newFailure(pass, fmt.Sprintf("panic: %v", value))
	failure.panicked, failure.calls = true, panickingCalls()
	if pos := placeOf(pass, stack); pos.IsValid() {
		failure.pos = pos
		failure.Posn = pass.Fset.Position(pos)
		failure.In = functionAt(pass.Files, pos)
	}
	return failure
}

// Error tells all, on several lines.
func (f *Failure) Error() string {
	if !f.panicked {
		return f.Reason
	}
	var b strings.Builder
	fmt.Fprintf(&b, "internal error%s, please report it at %s: %s", f.where(f.Posn.String()), issues, f.Reason)
	for _, call := range f.calls {
		fmt.Fprintf(&b, "\n\t%s\n\t\t%s:%d", call.Function, call.File, call.Line)
	}
	return b.String()
}

// where tells what the pass was looking at.
func (f *Failure) where(posn string) string {
	switch {
	case !f.Posn.IsValid():
		return ""
	case f.In == "":
		return " at " + posn
	}
	return fmt.Sprintf(" at %s, in %s", posn, f.In)
}

// Diagnostic makes the failure a diagnostic of an analyzer, which need not be
// the pass that failed. All is on one line.
func (f *Failure) Diagnostic(pass *analysis.Pass) analysis.Diagnostic {
	posn := fmt.Sprintf("%s:%d:%d", filepath.Base(f.Posn.Filename), f.Posn.Line, f.Posn.Column)
	message := fmt.Sprintf("package %s is not analysed in full because %s failed%s: %s",
		f.Package, f.Pass, f.where(posn), strings.Join(strings.Fields(f.Reason), " "))
	if f.panicked {
		message += "; please report this internal error at " + issues
	}
	const maxCalls = 6
	var calls []string
	for _, call := range f.calls[:min(len(f.calls), maxCalls)] {
		calls = append(calls, fmt.Sprintf("%s:%d", shortName(call.File), call.Line))
	}
	if len(calls) > 0 {
		message += " with these calls: " + strings.Join(calls, ", ")
	}
	return analysis.Diagnostic{
		Pos: f.visible(pass), Category: Category, URL: issues,
		Message: fmt.Sprintf("%s (%s/%s)", message, pass.Analyzer.Name, Category),
	}
}

// shortName is the name of a source file with its folder.
func shortName(file string) string {
	dir, name := filepath.Split(file)
	return path.Join(filepath.Base(dir), name)
}

// visible returns a place where nothing hides the error: hosts drop what lies in
// generated files and under comments. It is the place of the error or a package
// clause.
func (f *Failure) visible(pass *analysis.Pass) token.Pos {
	best, fallback := token.NoPos, f.pos
	for _, file := range pass.Files {
		if !fallback.IsValid() {
			fallback = file.Package
		}
		if ast.IsGenerated(file) || strings.HasSuffix(pass.Fset.Position(file.FileStart).Filename, "_test.go") {
			continue
		}
		own := file.FileStart <= f.pos && f.pos <= file.FileEnd
		switch {
		case own && !covered(pass.Fset, file, f.pos):
			return f.pos
		case (own || !best.IsValid()) && !covered(pass.Fset, file, file.Package):
			best = file.Package
		}
	}
	if best.IsValid() {
		return best
	}
	return fallback
}

// covered reports whether a suppression comment, whatever it names, covers pos.
func covered(fset *token.FileSet, file *ast.File, pos token.Pos) bool {
	line := fset.Position(pos).Line
	return slices.ContainsFunc(suppress.Parse(fset, file), func(directive *suppress.Directive) bool { return directive.Covers(line) })
}

// panickingCalls returns the calls from the one that panicked up to the guard.
func panickingCalls() []runtime.Frame {
	counters := make([]uintptr, 100)
	frames := runtime.CallersFrames(counters[:runtime.Callers(1, counters)])
	var calls []runtime.Frame
	inPanic := false
	for {
		frame, more := frames.Next()
		switch {
		case frame.Function == "runtime.gopanic":
			inPanic, calls = true, nil
		case strings.HasPrefix(frame.Function, "runtime."):
		case strings.HasSuffix(frame.Function, "/internal/report/guard.attempt"):
			more = false
		case inPanic:
			calls = append(calls, frame)
		}
		if !more {
			return calls
		}
	}
}
