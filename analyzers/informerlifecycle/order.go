package informerlifecycle

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/informerlifecycle/internal/subject"
	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/informers"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/wording"
)

// checkOrder reports the informers that are requested from a factory after its
// last Start, and those of factories that are never started.
func (u *unit) checkOrder() {
	for _, made := range u.Info.Made {
		if made.Verb != kubeapi.NewFactory || made.Cache || u.IsFake(made) {
			continue
		}
		f := u.factoryUses(made)
		switch {
		case f == nil:
		case len(f.starts) == 0:
			u.checkNeverStarted(f)
		default:
			u.checkAfterStart(f)
		}
	}
}

// uses are those of a factory that a function makes, starts and asks for
// informers.
type uses struct {
	starts, requests, runs []informers.Use
	// reads are reads of a lister or store.
	reads []informers.Use
	// handed are the places where an accessor is handed to other code, which
	// requests the informer.
	handed []informers.Escape
	// opaque tells that the factory itself is handed to other code, which may
	// request informers and start it.
	opaque bool
	// waited tells that an informer is waited for.
	waited bool
	// shared tells that informers or listers get out of sight.
	shared bool
}

func (u *unit) factoryUses(made *informers.Made) *uses {
	f := new(uses)
	for _, use := range made.Uses {
		use.At = u.lifted(use.At, made.Instr.Parent())
		switch use.Verb {
		case kubeapi.StartFactory:
			f.starts = append(f.starts, use)
		case kubeapi.RequestInformer:
			f.requests = append(f.requests, use)
		case kubeapi.RunInformer:
			f.runs = append(f.runs, use)
		case kubeapi.HasSynced, kubeapi.WaitForSync:
			f.waited = true
		case kubeapi.NoInformerVerb:
			f.reads = append(f.reads, use)
		}
	}
	for _, escape := range made.Escapes {
		escape.At = u.lifted(escape.At, made.Instr.Parent())
		switch {
		case escape.Factory:
			f.opaque = true
		case escape.Accessor:
			f.handed = append(f.handed, escape)
		default:
			f.shared = true
		}
	}
	if f.opaque {
		return nil
	}
	return f
}

// lifted returns the call in a function by which alone an instruction of a helper is
// reached; or that itself, if there are others.
func (u *unit) lifted(at ssa.Instruction, home *ssa.Function) ssa.Instruction {
	for i, depth := at, 0; depth <= maxLifted; depth++ {
		if i.Parent() == home {
			return i
		}
		callers := u.Graph.OnlyCallers(i.Parent())
		if len(callers) != 1 {
			break
		}
		if _, waits := callers[0].(*ssa.Call); !waits {
			break
		}
		i = callers[0]
	}
	return at
}

// maxLifted bounds the calls that lead to an instruction.
const maxLifted = 4

// checkAfterStart reports the first request of each informer that comes after
// every Start.
func (u *unit) checkAfterStart(f *uses) {
	reported := make(map[string]bool)
	for _, request := range f.requests {
		if reported[request.Key] || u.ranByItself(f, request.Key) {
			continue
		}
		start := lastStart(f, request)
		if start == nil || u.requestedBefore(f, request, *start) {
			continue
		}
		reported[request.Key] = true
		u.reportAfterStart(request, *start)
	}
}

// lastStart returns a Start that surely comes before a request, if no Start can
// come after it; nil otherwise. All have to be in one function, since the
// order of functions is not known.
func lastStart(f *uses, request informers.Use) *informers.Use {
	var last *informers.Use
	for i := range f.starts {
		start := &f.starts[i]
		if start.At.Parent() != request.At.Parent() {
			return nil
		}
		if _, deferred := start.At.(*ssa.Defer); deferred || blocks.Follows(request.At, start.At) {
			return nil
		}
		if blocks.Precedes(start.At, request.At) {
			last = start
		}
	}
	return last
}

// requestedBefore reports whether the informer may have been requested before
// the factory was started: by the same accessor, or by code that was handed
// one.
func (u *unit) requestedBefore(f *uses, request, start informers.Use) bool {
	return slices.ContainsFunc(f.requests, func(other informers.Use) bool {
		return other.At != request.At && sameInformer(other.Key, request.Key) && u.mayPrecede(other.At, start.At)
	}) || slices.ContainsFunc(f.handed, func(escape informers.Escape) bool {
		return sameInformer(escape.Key, request.Key) && u.mayPrecede(escape.At, start.At)
	})
}

// mayPrecede reports whether an instruction may run before a Start. What stands in a literal
// runs after the literal is made.
func (u *unit) mayPrecede(at, start ssa.Instruction) bool {
	made := u.Graph.Within(start.Parent(), at)
	return made == nil || blocks.Follows(made, start)
}

// sameInformer reports whether two keys may be of one informer. What ForResource
// is given cannot always be compared, and a shorter key is a step on the way.
func sameInformer(a, b string) bool {
	return a == b || strings.Contains(a, "ForResource") && strings.Contains(b, "ForResource") ||
		strings.HasPrefix(b, a+".") || strings.Contains(a, "InformerFor") || strings.Contains(b, "InformerFor")
}

// ranByItself reports whether the informer is run on its own.
func (u *unit) ranByItself(f *uses, key string) bool {
	return slices.ContainsFunc(f.runs, func(run informers.Use) bool { return sameInformer(run.Key, key) })
}

func (u *unit) reportAfterStart(request, start informers.Use) {
	pos, end := syntax.Span(u.Pass.Files, request.Instr)
	line := u.Pass.Fset.Position(start.At.Pos()).Line
	u.Report.Report(rule.Finding{
		Pos: pos, End: end, Category: subject.AfterStart,
		Message: fmt.Sprintf("%s never runs and its cache stays empty: it is requested after the only Start (line %d); request it before, or call Start again",
			informerName(request.Key), line),
	})
}

// checkNeverStarted reports the first read of an informer of a factory that
// nothing starts. Who waits for one is cachesync's (not-started).
func (u *unit) checkNeverStarted(f *uses) {
	if f.shared || f.waited || len(f.handed) > 0 || len(f.runs) > 0 || len(f.reads) == 0 {
		return
	}
	read := f.reads[0]
	pos, end := syntax.Span(u.Pass.Files, read.Instr)
	u.Report.Report(rule.Finding{
		Pos: pos, End: end, Category: subject.NeverStarted,
		Message: fmt.Sprintf("%s never runs and nothing is found in its cache: its factory is never started; call Start and WaitForCacheSync before",
			informerName(read.Key)),
	})
}

// informerName names an informer by the last step of its accessor.
func informerName(key string) string {
	name := key[strings.LastIndexByte(key, '.')+1:]
	if name == "" || strings.ContainsAny(name, "()") {
		return "the informer"
	}
	return "the informer of " + wording.Tail(name, subject.MaxName)
}
