package rbac

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"

	known "github.com/opvet/opvet/internal/kubeapi/rbac"
	"github.com/opvet/opvet/internal/passes/permissions"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/wording"
)

// inert finds markers that controller-gen does not see. Those of one comment are one
// finding.
func (c *checker) inert() {
	for _, group := range c.inertGroups() {
		m := group[0]
		pos, end, here := c.place(m.Pos, m.Where)
		if !here {
			end = m.End
		}
		f := rule.Finding{Pos: pos, End: end, Category: inertMarker, About: m.Where}
		if c.grants.Manifests.Unseen() || !slices.ContainsFunc(group, c.isNeeded) {
			f.Harm = rule.Hygiene
		}
		f.Message = wording.Fit(func(short func(string) string) string {
			what := "this marker grants"
			switch {
			case len(group) > 1 && here:
				what = fmt.Sprintf("%d markers, from %s on, grant", len(group), short(m.Where))
			case len(group) > 1:
				what = fmt.Sprintf("%d markers, from this one on, grant", len(group))
			case here:
				what = "the marker at " + short(m.Where) + " grants"
			}
			remedy := "put an empty line after it"
			if strings.HasPrefix(m.Inert, "a comment behind") {
				remedy = "give it a line of its own"
			} else if len(group) > 1 {
				remedy = "put an empty line after them"
			}
			return fmt.Sprintf("%s nothing: controller-gen v0.23 skips what is in %s; %s", what, short(m.Inert), remedy)
		})
		for _, m := range group[1:] {
			f.Related = append(f.Related, analysis.RelatedInformation{Pos: m.Pos, Message: "and this one"})
		}
		c.report.Report(f)
	}
}

// inertGroups are the markers that controller-gen does not see, those on lines that
// follow each other together.
func (c *checker) inertGroups() [][]*permissions.Marker {
	var groups [][]*permissions.Marker
	file, line := "", 0
	for i := range c.markers {
		m := &c.markers[i]
		if m.Inert == "" {
			continue
		}
		at, number, _ := strings.Cut(m.Where, ":")
		n, _ := strconv.Atoi(number)
		if last := len(groups) - 1; last >= 0 && at == file && n == line+1 && groups[last][0].Inert == m.Inert {
			groups[last] = append(groups[last], m)
		} else {
			groups = append(groups, []*permissions.Marker{m})
		}
		file, line = at, n
	}
	return groups
}

// isNeeded reports whether the program certainly needs what a marker would grant, and no
// other rule grants: without that, the marker is a leftover, or the roles are kept by hand.
func (c *checker) isNeeded(m *permissions.Marker) bool {
	return slices.ContainsFunc(c.p.Needs(), func(n permissions.Need) bool {
		return m.Grants(n.Group, n.Target(), n.Verb) && c.isLacking(n) && !n.Given && !n.Several && !(n.Mutates && c.grants.Covers(n))
	})
}

// wildcards finds markers that grant whatever there is, and says what would do.
func (c *checker) wildcards() {
	for i := range c.markers {
		m := &c.markers[i]
		if m.Inert != "" || !m.Wildcard() || len(c.p.Unknowns()) > 0 {
			continue
		}
		var verbs, resources []string
		for _, n := range c.p.Needs() {
			if !m.Covers(n.Group, n.Target()) {
				continue
			}
			if !slices.Contains(verbs, n.Verb) {
				verbs = append(verbs, n.Verb)
			}
			if !slices.Contains(resources, n.Target()) {
				resources = append(resources, n.Target())
			}
		}
		if len(verbs) == 0 {
			continue // unused, or used by another program
		}
		pos, end, here := c.place(m.Pos, m.Where)
		if here {
			continue
		}
		do := and(verbs)
		if slices.Contains(m.Resources, "*") {
			do = fmt.Sprintf("%s of %s", do, strings.Join(resources, ", "))
		}
		c.report.Report(rule.Finding{
			Pos: pos, End: end, Category: wildcard, About: m.Where,
			Message: wording.Fit(func(short func(string) string) string {
				return fmt.Sprintf("a stolen token can do more than the program: the marker grants *, and %s would do", short(do))
			}),
		})
	}
}

// misspelt finds markers for resources that Kubernetes does not have.
func (c *checker) misspelt() {
	for i := range c.markers {
		m := &c.markers[i]
		if m.Inert != "" {
			continue
		}
		for _, target := range m.Resources {
			resource, _, _ := strings.Cut(target, "/")
			group, name, ok := known.Meant(m.Groups, resource)
			pos, end, here := c.place(m.Pos, m.Where)
			if !ok || here {
				continue
			}
			meant := known.Permission{Group: group, Resource: name}
			c.report.Report(rule.Finding{
				Pos: pos, End: end, Category: misspelling, About: m.Where + resource,
				Message: fmt.Sprintf("the marker grants nothing on %s, which Kubernetes does not have in the group; it has %s", resource, meant.Qualified()),
			})
		}
	}
}

// sees reports whether all calls for which the markers may be are seen; unknown tells
// that the kinds of some are not.
func (c *checker) sees() (all, unknown bool) {
	unknown = len(c.p.Unknowns()) > 0
	return !(unknown && c.p.Open != "" || c.p.Remote != "" || c.p.Handed != "" || c.grants.Programs > 1 || c.makesRoles()), unknown
}

// unneeded finds markers that grant resources which the program does not use.
func (c *checker) unneeded() {
	all, unknown := c.sees()
	if !all {
		return
	}
	for i := range c.markers {
		m := &c.markers[i]
		if m.Inert != "" || m.Wildcard() || len(m.Resources) == 0 || !isPlain(m.Verbs) {
			continue
		}
		var idle []string
		for _, resource := range m.Resources {
			if _, _, wrong := known.Meant(m.Groups, resource); wrong {
				continue // see misspelt
			}
			if !strings.Contains(resource, "/") && !c.uses(m.Groups, resource) && !(unknown && c.knows(m.Groups, resource)) {
				idle = append(idle, resource)
			}
		}
		pos, end, here := c.place(m.Pos, m.Where)
		if len(idle) == 0 || here {
			continue
		}
		c.report.Report(rule.Finding{
			Pos: pos, End: end, Category: unused, About: m.Where,
			Message: wording.Fit(func(short func(string) string) string {
				return fmt.Sprintf("a stolen token can do more than the program, which never uses %s; remove it from the marker", short(strings.Join(idle, ", ")))
			}),
		})
	}
}

// tooWide finds markers that let the program read objects of all namespaces where its
// cache holds those of some, and nothing else reads them. Where it writes is not asked: a
// marker can be split.
func (c *checker) tooWide() {
	all, unknown := c.sees()
	if !all {
		return
	}
	for i := range c.markers {
		m := &c.markers[i]
		if m.Inert != "" || m.Namespaced || len(m.Names) > 0 || m.Wildcard() {
			continue
		}
		var wide []string
		cache := ""
		for _, resource := range m.Resources {
			if unknown && c.knows(m.Groups, resource) {
				continue
			}
			if at := c.confined(m, resource); at != "" {
				wide, cache = append(wide, resource), at
			}
		}
		pos, end, here := c.place(m.Pos, m.Where)
		if len(wide) == 0 || here {
			continue
		}
		f := rule.Finding{
			Pos: pos, End: end, Category: clusterWide, About: m.Where,
			Message: wording.Fit(func(short func(string) string) string {
				return fmt.Sprintf("a stolen token can read %s in all namespaces, and the cache holds some (%s); grant reading by namespace=", short(strings.Join(wide, ", ")), short(cache))
			}),
		}
		c.report.Report(f)
	}
}

// confined returns where the cache is made that alone reads a resource, if it is limited
// to namespaces and the marker lets it read; else nothing.
func (c *checker) confined(m *permissions.Marker, resource string) string {
	cache := ""
	for _, n := range c.p.Needs() {
		if n.Sub != "" || n.Resource != resource || !slices.Contains(m.Groups, n.Group) || n.Verb != "get" && n.Verb != "list" && n.Verb != "watch" {
			continue
		}
		if !n.Confined {
			return ""
		}
		if slices.Contains(m.Verbs, n.Verb) {
			cache = n.Cache
		}
	}
	return cache
}

// isPlain reports whether all verbs are those of requests, which calls tell.
func isPlain(verbs []string) bool {
	for _, verb := range verbs {
		switch verb {
		case "get", "list", "watch", "create", "update", "patch", "delete", "deletecollection":
		default:
			return false
		}
	}
	return true
}

// uses reports whether the program uses a resource, or one of its subresources.
func (c *checker) uses(groups []string, resource string) bool {
	for _, n := range c.p.Needs() {
		same := n.Resource == resource || n.Guessed && known.Resembles(n.Resource, resource)
		if same && slices.Contains(groups, n.Group) {
			return true
		}
	}
	return false
}

// knows reports whether the program has objects of a resource, which may be those of calls
// whose kind is not known.
func (c *checker) knows(groups []string, resource string) bool {
	return slices.ContainsFunc(c.p.Kinds, func(k permissions.Kind) bool {
		return k.Resource == "" || slices.Contains(groups, k.Group) && (k.Resource == resource || k.Guessed && known.Resembles(k.Resource, resource))
	})
}

// makesRoles reports whether the program makes roles of which it is not known what they
// grant: it must hold that.
func (c *checker) makesRoles() bool {
	makes := slices.ContainsFunc(c.p.Needs(), func(n permissions.Need) bool {
		return n.Group == "rbac.authorization.k8s.io" && (n.Verb == "create" || n.Verb == "update" || n.Verb == "patch")
	})
	return makes && (c.p.Made.Open != "" || len(c.p.Made.Grants) == 0)
}
