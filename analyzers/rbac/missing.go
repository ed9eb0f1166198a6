package rbac

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	known "github.com/opvet/opvet/internal/kubeapi/rbac"
	"github.com/opvet/opvet/internal/passes/permissions"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/wording"
)

// lack is a resource on which something is not granted.
type lack struct {
	known.Permission      // without a verb
	given            bool // see [permissions.Need.Given]
	several          bool // see [permissions.Need.Several]
	// elsewhere tells that the program may do it in the projects that it makes, and perhaps
	// does not do it elsewhere.
	elsewhere bool
	named     bool // it is for an informer, see [permissions.Grants.OnlyNamed]
	versioned bool // a rule has it under a group with a version, see [permissions.Grants.WithVersion]
	unseen    bool // roles are bound that no manifest has, or see [checker.unseen]
	verbs     []string
	needs     []permissions.Need
}

// missing finds what the program needs and nobody grants.
func (c *checker) missing() {
	var lacks []*lack
	admin := c.p.OwnProjects()
	for _, n := range c.p.Needs() {
		if !c.isLacking(n) || c.granted(n) {
			continue
		}
		on := n.Permission
		on.Verb = ""
		elsewhere := admin && n.InNamespace
		i := slices.IndexFunc(lacks, func(l *lack) bool {
			return l.Permission == on && l.given == n.Given && l.several == n.Several && l.elsewhere == elsewhere
		})
		if i < 0 {
			i = len(lacks)
			lacks = append(lacks, &lack{Permission: on, given: n.Given, several: n.Several, elsewhere: elsewhere})
		}
		l := lacks[i]
		l.needs = append(l.needs, n)
		if !slices.Contains(l.verbs, n.Verb) {
			l.verbs = append(l.verbs, n.Verb)
		}
	}
	unseen := c.grants.Manifests.Unseen() || c.unseen(lacks)
	for _, l := range lacks {
		l.unseen = unseen
		c.tell(l)
	}
}

// isLacking reports whether something certainly goes wrong because nothing grants a need.
func (c *checker) isLacking(n permissions.Need) bool {
	switch {
	case !n.Certain, n.Optional, n.Unregistered, n.IsEveryones(), n.Switch != "" && !c.grants.Manifests.Gives(n.Switch),
		isNotServed(n), n.Via == permissions.Owners, n.Via == permissions.Leader && n.Resource == "events":
		return false
	}
	return !c.grants.Allows(n)
}

// isNotServed reports whether the API server refuses a request whatever roles grant: there is no
// such verb, as metrics cannot be watched.
func isNotServed(n permissions.Need) bool {
	r, ok := known.Known(n.Group, n.Kind)
	return ok && n.Sub == "" && !slices.Contains(r.Verbs, n.Verb)
}

// unseen reports whether so much is lacking that the program must run with other roles than
// those that are seen: nothing is granted of most of the resources that it needs, and somebody
// would have noticed.
func (c *checker) unseen(lacks []*lack) bool {
	lacking, needed := make(map[known.Permission]bool), make(map[known.Permission]bool)
	resource := func(p known.Permission) known.Permission {
		p.Sub, p.Verb = "", ""
		return p
	}
	for _, l := range lacks {
		if !l.given && !l.several && !l.elsewhere && !c.grants.Covers(l.needs[0]) {
			lacking[resource(l.Permission)] = true
		}
	}
	for _, n := range c.p.Needs() {
		if n.Certain && !n.IsEveryones() {
			needed[resource(n.Permission)] = true
		}
	}
	return len(lacking) >= minUnseen && 3*len(lacking) >= 2*len(needed)
}

// minUnseen is how many resources a program lacks before its roles are thought to be elsewhere.
const minUnseen = 6

// granted reports whether a marker grants a need that controller-gen does not see:
// that is another finding.
func (c *checker) granted(n permissions.Need) bool {
	for i := range c.markers {
		if m := &c.markers[i]; m.Inert != "" && m.Grants(n.Group, n.Target(), n.Verb) {
			return true
		}
	}
	return false
}

func (c *checker) tell(l *lack) {
	first := l.needs[0]
	if i := slices.IndexFunc(l.needs, func(n permissions.Need) bool { return n.Via == permissions.Watch }); i >= 0 {
		first = l.needs[i] // without it no controller starts, and nothing else is reached
	}
	l.named = (first.Via == permissions.CachedRead || first.Via == permissions.Watch) && c.grants.OnlyNamed(first)
	l.versioned = c.grants.WithVersion(first)
	pos, end, here := c.place(first.Pos, first.Where)
	f := rule.Finding{Pos: pos, End: end, Category: missingVerb, Harm: harm(first.Via, l.verbs), About: l.Qualified()}
	switch {
	case l.Sub != "":
		f.Category = missingSubresource
		if isForPeople(l.Sub) {
			f.Harm = rule.Hygiene
		}
	case !c.grants.Covers(first):
		f.Category = missingResource
	}
	if l.given || l.several || l.elsewhere || l.unseen || f.Category == missingVerb && l.usual() {
		f.Harm = rule.Hygiene
	}
	f.Message = wording.Fit(func(short func(string) string) string {
		where := ""
		if here {
			where = " at " + short(first.Where)
		}
		role := "role"
		if c.grants.AllowsSomewhere(first) {
			role = "ClusterRole" // a Role does, and the informer is for all namespaces
		}
		return fmt.Sprintf("%s%s: no %s grants %s of %s; %s", effect(first, l, short), where, role, and(l.verbs), resource(l, short), l.remedy(f.Category, first.Via))
	})
	for _, n := range l.needs {
		if n.Pos.IsValid() && n.Pos != pos && len(f.Related) < 6 {
			f.Related = append(f.Related, analysis.RelatedInformation{Pos: n.Pos, Message: fmt.Sprintf("%s of %s is needed here", n.Verb, l.Qualified())})
		}
	}
	if first.Via == permissions.Metrics {
		f.Cause = "metrics at " + first.Where // two resources, and one role of the scaffold has both
	}
	for _, n := range l.needs {
		f.RunAt = append(f.RunAt, n.Where)
	}
	// A role should not grow by what may be for another cluster, or is allowed where it is done.
	if !l.given && !l.several && !l.elsewhere && !l.unseen && !l.named && !l.versioned {
		f.Fix = c.fix(l)
	}
	c.report.Report(f)
}

// usual reports whether all that lacks a verb are calls of CreateOrUpdate and the like for
// which the role has others: were it needed, the first reconcile of the first trial would have
// failed. The object is there, or the rest comes from a role that is in no manifest.
func (l *lack) usual() bool {
	return !slices.ContainsFunc(l.needs, func(n permissions.Need) bool { return !n.Mutates })
}

// isForPeople reports whether a subresource is mostly used outside of the role that the
// project hands out: users let an operator make tokens of the one account that they name, and ports are
// forwarded from a developer's machine.
func isForPeople(subresource string) bool {
	return subresource == "token" || subresource == "portforward"
}

// resource names the resource; if there is no room for both, it is the group that goes.
func resource(l *lack, short func(string) string) string {
	if name := l.Qualified(); short(name) == name {
		return name
	}
	return l.Target()
}

// harm tells what comes of it that a call is forbidden.
func harm(via permissions.Via, verbs []string) rule.Harm {
	switch {
	case via == permissions.Recorder:
		return rule.Loss
	case via == permissions.Metrics:
		return rule.Hygiene // six times at first contact, twice wanted: most installations serve none
	case listsAgain(via, verbs):
		return rule.Load
	}
	return rule.Stuck
}

// listsAgain reports whether what lacks the verbs is an informer that may list: it has all objects then,
// of the time when it listed them, and lists them again each time that its watch is refused.
func listsAgain(via permissions.Via, verbs []string) bool {
	return (via == permissions.Watch || via == permissions.CachedRead) && slices.Equal(verbs, []string{"watch"})
}

// effect says what becomes of what needs the permission.
func effect(n permissions.Need, l *lack, short func(string) string) string {
	if n.Given {
		return short(n.What) + " is forbidden if its client is the manager's"
	}
	if listsAgain(n.Via, l.verbs) {
		return "the informer cannot watch, and lists all objects again and again"
	}
	switch n.Via {
	case permissions.Watch:
		return "the informer never syncs, and its controller never starts"
	case permissions.CachedRead:
		return short(n.What) + " waits for an informer that never syncs"
	case permissions.Recorder:
		if len(l.verbs) == 1 && l.verbs[0] == "patch" {
			return "events that come again are dropped"
		}
		return "events are dropped"
	case permissions.Leader:
		return "no replica ever leads"
	case permissions.Metrics:
		return "requests for metrics are refused"
	}
	if l.elsewhere {
		return short(n.What) + " is forbidden outside of the projects that the program makes"
	}
	return short(n.What) + " is always forbidden"
}

func (l *lack) remedy(category string, via permissions.Via) string {
	remedy := "add a marker"
	switch {
	case l.named && via == permissions.CachedRead:
		remedy = "read it with mgr.GetAPIReader(), as resourceNames allow"
	case l.named:
		remedy = "add a marker without resourceNames"
	case l.versioned:
		remedy = "take the version off the marker's group"
	case category == missingVerb:
		remedy = "add it to the marker"
	}
	switch {
	case l.given:
		return "if so, " + remedy
	case l.elsewhere:
		return "if it is for others, " + remedy
	}
	return remedy
}

func and(verbs []string) string {
	verbs = slices.Clone(verbs)
	slices.SortFunc(verbs, known.CompareVerbs)
	last := len(verbs) - 1
	if last < 1 {
		return strings.Join(verbs, "")
	}
	return strings.Join(verbs[:last], ", ") + " and " + verbs[last]
}
