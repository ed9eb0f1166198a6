package detachedctx

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
	"github.com/opvet/opvet/internal/passes/detachedcalls"
	"github.com/opvet/opvet/internal/passes/entrypoints"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/wording"
)

// finding words a cause.
func (c *checker) finding(at *cause) rule.Finding {
	site, worst := at.worst()
	f := rule.Finding{
		Pos: at.pos, Category: at.category, Harm: harmOf(site, worst),
		Message: c.message(at, site, worst), Related: c.related(at),
		IfImplemented: provenBy(site, worst),
	}
	if at.category == "helper" && site.Elsewhere != nil && f.Harm > least {
		// A context for the function of the other package makes all that call it here pass one.
		f.Cause = site.Elsewhere.Where + " in " + c.pass.Pkg.Path()
	}
	if site.Waiter == detachedcalls.Somebody && site.Live.Kind == contexts.FromParam && !site.Live.Stop {
		f.Given = paramPos(site.Live.Param)
	}
	if at.category != "helper" && !dropsError(worst.Call) {
		f.Fix = c.fixAll(at.sites)
	}
	if at.category == "ctx-ignored" || at.category == "field-ignored" || len(at.sites) == 1 && site.Caller == nil {
		f.Pos = site.Pos() // there is where to begin
	}
	return f
}

// message says what comes of it, and what to do. Where names are long, it leaves out
// first what the related places show as well.
func (c *checker) message(at *cause, site *detachedcalls.Site, worst detachedcalls.Called) string {
	remedy := c.remedy(at, site, worst)
	full := c.effect(at, site, c.subject(at, site, worst, true), worst)
	short := strings.Replace(full, notEven, "", 1)
	variants := []string{full + "; " + remedy, short + "; " + remedy}
	if site.Caller != nil && !site.Live.Blank {
		variants = slices.Insert(variants, 0, fmt.Sprintf("%s; %s: %s has %s", full, remedy, ownName(site.Caller), site.Live.Expr))
	}
	if site.Elsewhere == nil {
		noPlace := c.effect(at, site, c.subject(at, site, worst, false), worst)
		variants = append(variants, strings.Replace(noPlace, notEven, "", 1)+"; "+remedy)
	} else if before, _, ok := strings.Cut(full, " and "+goesOnWhen(at)); ok {
		variants = append(variants, before+"; "+remedy)
	}
	for _, text := range variants {
		if utf8.RuneCountInString(text) <= wording.Max {
			return text
		}
	}
	return variants[len(variants)-1]
}

// goesOnWhen is how the end of an effect begins.
func goesOnWhen(at *cause) string { return subject{n: at.calls()}.pick("goes on when", "go on when") }

// notEven is what a message can do without.
const notEven = ", not even shutdown"

// subject is what a message is about: the worst call, and how many there are.
type subject struct {
	calls string
	n     int
}

// pick returns the word for one call, or for several.
func (s subject) pick(one, several string) string {
	if s.n == 1 {
		return one
	}
	return several
}

// subject names the worst call, with its place if that is not where the finding
// is, and how many there are besides.
func (c *checker) subject(at *cause, site *detachedcalls.Site, worst detachedcalls.Called, places bool) subject {
	text, place := detachedcalls.CallName(worst), ""
	if fact := site.Elsewhere; fact != nil {
		text, place = fact.Call, fact.Where
	} else if in := worst.Call.Parent(); at.methods > 0 || at.callers > 0 || at.fn != in && at.fn != paths.Outermost(in) {
		place = c.place(worst.Call)
	}
	if places && place != "" {
		text += " (" + place + ")"
	}
	s := subject{text, at.calls()}
	switch s.n {
	case 1:
	case 2:
		s.calls += " and another call"
	default:
		s.calls += fmt.Sprintf(" and %d more calls", s.n-1)
	}
	return s
}

// effect says what happens because of the worst call.
func (c *checker) effect(at *cause, site *detachedcalls.Site, about subject, worst detachedcalls.Called) string {
	goesOn := fmt.Sprintf("%s %s under %s and %s", about.calls, about.pick("runs", "run"), rootOf(site), about.pick("goes on", "go on"))
	switch {
	case harmOf(site, worst) <= least:
		return fmt.Sprintf("%s when %s ends", goesOn, c.live(site))
	case site.Waiter == detachedcalls.Timed:
		return fmt.Sprintf("the timeout of %s does not end %s under %s", c.live(site), about.calls, rootOf(site))
	case worst.Work.Kind >= kubeapi.Foreign:
		return fmt.Sprintf("if %s under %s %s, nothing ends %s"+notEven, about.calls, rootOf(site), about.pick("hangs", "hang"), about.pick("it", "them"))
	case site.Waiter == detachedcalls.Visitor:
		return goesOn + " when the client has gone"
	}
	return goesOn + " when the request has timed out"
}

// live names the context that the calls should end with.
func (c *checker) live(site *detachedcalls.Site) string {
	switch {
	case site.Live.Blank:
		return "the caller's context"
	case site.Live.Kind == contexts.FromRequest:
		return "the request"
	}
	return site.Live.Expr
}

func rootOf(site *detachedcalls.Site) string {
	if site.Elsewhere != nil {
		return site.Elsewhere.Root
	}
	return detachedcalls.RootName(site.Root)
}

// remedy says what to do: to pass the context on, or to take one.
func (c *checker) remedy(at *cause, site *detachedcalls.Site, worst detachedcalls.Called) string {
	var text string
	switch {
	case at.callers > 0:
		text = fmt.Sprintf("give package %s and %d functions here a context", at.name, at.callers)
	case at.methods > 0:
		text = fmt.Sprintf("give %d methods of %s a context", at.methods, at.name)
	case at.category == "helper":
		text = fmt.Sprintf("give %s a context", at.name)
	case at.category == "ctx-blank":
		text = fmt.Sprintf("name the context of %s and pass it", at.name)
	default:
		text = "pass " + site.Live.Expr
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
			name := detachedcalls.CallName(called)
			if site.Elsewhere != nil {
				name = entrypoints.CalleeName(called.Call) + " takes no context"
			}
			if site.Root != nil && c.pass.Fset.Position(site.Pos()).Line != c.pass.Fset.Position(called.Call.Pos()).Line {
				add(analysis.RelatedInformation{Pos: site.Pos(), Message: rootOf(site)})
			}
			add(analysis.RelatedInformation{Pos: called.Call.Pos(), Message: name})
		}
	}
	for _, site := range at.sites {
		for _, call := range site.Chain {
			add(analysis.RelatedInformation{Pos: call.Pos(), Message: "calls " + entrypoints.CalleeName(call)})
		}
	}
	return info
}

// dropsError reports whether the error of a call is not read: with the live context
// it fails at shutdown, and nobody will know.
func dropsError(call ssa.CallInstruction) bool {
	value, ok := call.(*ssa.Call)
	if !ok {
		return true
	}
	last := value.Common().Signature().Results().Len() - 1
	return kubeapi.CanFail(value.Common().Signature()) && !blocks.AnyUse(value, func(ref ssa.Instruction) bool {
		_, debug := ref.(*ssa.DebugRef)
		extract, ok := ref.(*ssa.Extract)
		return !debug && (!ok || extract.Index == last)
	})
}

// fileOfPlace is the file of a place such as "status/status.go:14".
func fileOfPlace(place string) string {
	file, _, _ := strings.Cut(place, ":")
	return file
}
