package detachedctx

import (
	"fmt"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/contexts"
	"github.com/opvet/opvet/internal/detached"
	"github.com/opvet/opvet/internal/entrypoint"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/rule"
)

// finding words a cause.
func (c *checker) finding(at *cause) rule.Finding {
	site, worst := at.worst()
	f := rule.Finding{
		Pos: at.pos, Category: at.category, Harm: harmOf(site, worst),
		Message: c.effect(at, site, worst) + "; " + c.remedy(at, site, worst),
		Related: c.related(at),
	}
	if at.category != "helper" && !dropsError(worst.Call) {
		f.Fix = c.fixAll(at.sites)
	}
	if len(at.sites) == 1 && at.category == "ctx-blank" && site.Caller == nil {
		f.Pos = site.Pos()
	}
	return f
}

// effect says what happens because of the worst call.
func (c *checker) effect(at *cause, site *detached.Site, worst detached.Called) string {
	calls, many := c.subject(at, site, worst)
	runs, go_on := "runs", "goes on"
	if many {
		runs, go_on = "run", "go on"
	}
	ends := c.live(at, site)
	switch {
	case harmOf(site, worst) <= least:
		return fmt.Sprintf("%s %s under %s and %s when %s ends", calls, runs, rootOf(site), go_on, ends)
	case site.Waiter == detached.Timed:
		return fmt.Sprintf("the timeout of %s does not end %s under %s", ends, calls, rootOf(site))
	case site.Waiter == detached.Requester && worst.Work.Kind < kubeapi.Foreign:
		return fmt.Sprintf("%s %s under %s and %s when the request has timed out", calls, runs, rootOf(site), go_on)
	}
	verb := "hangs"
	if many {
		verb = "hang"
	}
	return fmt.Sprintf("if %s under %s %s, nothing ends it, not even shutdown", calls, rootOf(site), verb)
}

// subject names the worst call and how many there are besides.
func (c *checker) subject(at *cause, site *detached.Site, worst detached.Called) (text string, many bool) {
	text = detached.CallName(worst)
	if fact := site.Elsewhere; fact != nil {
		text = fmt.Sprintf("%s (%s)", fact.Call, fact.Where)
	} else if at.fn != outermost(worst.Call.Parent()) && at.fn != worst.Call.Parent() {
		text += " (" + c.place(worst.Call) + ")"
	}
	switch n := at.calls() - 1; n {
	case 0:
		return text, false
	case 1:
		return text + " and another call", true
	default:
		return fmt.Sprintf("%s and %d more calls", text, n), true
	}
}

// live names the context that the calls should end with.
func (c *checker) live(at *cause, site *detached.Site) string {
	switch {
	case site.Live.Blank:
		return "its context"
	case site.Live.Kind == contexts.FromRequest:
		return "the request"
	}
	return site.Live.Expr
}

func rootOf(site *detached.Site) string {
	if site.Elsewhere != nil {
		return site.Elsewhere.Root
	}
	return detached.RootName(site.Root)
}

// remedy says what to do: to pass the context on, or to take one.
func (c *checker) remedy(at *cause, site *detached.Site, worst detached.Called) string {
	var text string
	switch {
	case at.methods > 0:
		text = fmt.Sprintf("give %d methods of %s a context parameter", at.methods, at.name)
	case at.category == "helper":
		text = fmt.Sprintf("give %s a context parameter", at.name)
	case at.category == "ctx-blank":
		text = fmt.Sprintf("name the context parameter of %s and pass it", at.name)
	default:
		text = "pass " + site.Live.Expr
	}
	if site.Caller != nil && !site.Live.Blank {
		text += fmt.Sprintf(": %s has %s", ownName(site.Caller), site.Live.Expr)
	}
	if worst.Call != nil && site.Elsewhere == nil && dropsError(worst.Call) {
		text += ", and read its error"
	}
	return text
}

func (c *checker) place(call ssa.CallInstruction) string {
	at := c.pass.Fset.Position(call.Pos())
	return fmt.Sprintf("%s:%d", filepath.Base(at.Filename), at.Line)
}

// maxRelated is how many places a finding shows.
const maxRelated = 100

// related has the places of the calls, of the contexts that are made up for them, and
// of the calls that lead there.
func (c *checker) related(at *cause) []analysis.RelatedInformation {
	var info []analysis.RelatedInformation
	seen := make(map[string]bool)
	add := func(r analysis.RelatedInformation) {
		posn := c.pass.Fset.Position(r.Pos)
		key := fmt.Sprint(posn.Filename, posn.Line)
		if r.Pos.IsValid() && len(info) < maxRelated && !seen[key] {
			seen[key] = true
			info = append(info, r)
		}
	}
	for _, site := range at.sites {
		for _, called := range site.Calls {
			name := detached.CallName(called)
			if site.Elsewhere != nil {
				name = entrypoint.CalleeName(called.Call) + " takes no context"
			}
			if site.Root != nil && c.pass.Fset.Position(site.Pos()).Line != c.pass.Fset.Position(called.Call.Pos()).Line {
				add(analysis.RelatedInformation{Pos: site.Pos(), Message: rootOf(site)})
			}
			add(analysis.RelatedInformation{Pos: called.Call.Pos(), Message: name})
		}
	}
	for _, site := range at.sites {
		for _, call := range site.Chain {
			add(analysis.RelatedInformation{Pos: call.Pos(), Message: "calls " + entrypoint.CalleeName(call)})
		}
	}
	return info
}

// dropsError reports whether the error of a call is not read: with the live context
// it fails at shutdown, and nobody will know.
func dropsError(call ssa.CallInstruction) bool {
	value, ok := call.(*ssa.Call)
	if !ok || value.Referrers() == nil {
		return true
	}
	results := value.Common().Signature().Results()
	if results.Len() == 0 || !kubeapi.IsError(results.At(results.Len()-1).Type()) {
		return false
	}
	for _, ref := range *value.Referrers() {
		switch ref := ref.(type) {
		case *ssa.DebugRef:
		case *ssa.Extract:
			if ref.Index == results.Len()-1 {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// fileOfPlace is the file of a place such as "status/status.go:14".
func fileOfPlace(place string) string {
	file, _, _ := strings.Cut(place, ":")
	return file
}
