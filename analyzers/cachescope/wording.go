package cachescope

import (
	"fmt"
	"go/token"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/report/rule"
	words "github.com/opvet/opvet/internal/report/wording"
)

// maxRelated bounds the related places, and maxPlaces those that a message names:
// other packages' cannot be related places.
const (
	maxRelated = 6
	maxPlaces  = 5
)

// wording names the places of sites in a message.
type wording func([]site) string

// naming names up to so many places, by their files only or with the folders.
func naming(most int, files bool) wording {
	return func(sites []site) string {
		if len(sites) == 0 {
			return "no place"
		}
		var names []string
		for _, s := range sites {
			name := s.at
			if files {
				name = words.File(name)
			}
			if !slices.Contains(names, name) { // one call may set up watches of several kinds
				names = append(names, name)
			}
		}
		more := max(0, len(names)-most)
		if names = names[:len(names)-more]; more > 0 {
			return fmt.Sprintf("%s and %d more", strings.Join(names, ", "), more)
		}
		last := len(names) - 1
		if last < 1 {
			return strings.Join(names, "")
		}
		return strings.Join(names[:last], ", ") + " and " + names[last]
	}
}

// fit words a message with as many places as it can hold.
func fit(word func(wording) string) string {
	var text string
	for most := maxPlaces; most > 0; most-- {
		for _, files := range []bool{false, true} {
			if text = word(naming(most, files)); utf8.RuneCountInString(text) <= words.Max {
				return text
			}
		}
	}
	return text
}

// node is the kind of which clusters have few objects in comparison, and most of which an
// operator that asks for one will need: maintainers keep them.
const node = "k8s.io/api/core/v1.Node"

// list names kinds: "v1.Pod and v1.Secret", "v1.Pod and 3 other kinds". Of several, a Secret is the one that is named.
func list(kinds []*kind) string {
	switch first := kinds[0].name(); len(kinds) {
	case 1:
		return first
	case 2:
		return first + " and " + kinds[1].name()
	default:
		if i := slices.IndexFunc(kinds, func(k *kind) bool { return k.short() == "Secret" }); i >= 0 {
			first = kinds[i].name()
		}
		return fmt.Sprintf("%s and %d other kinds", first, len(kinds)-1)
	}
}

// tell reports a finding about kinds that one change mends: at their own place, or where the
// manager is made. Of the ways to word it the first is taken that is short enough; only the first of all says
// that it is the whole cluster.
func (c *checker) tell(kinds []*kind, category string, at *token.Pos, sites []site, ways ...func(wording) string) {
	pos, end := syntax.Span(c.pass.Files, c.call)
	if at != nil {
		pos, end = *at, token.NoPos
	}
	var ids []string
	for _, k := range kinds {
		ids = append(ids, k.id)
	}
	all := "every " + list(kinds) + " "
	where := "of the cluster "
	if c.manager.InNamespaces(ids[0]) {
		all, where = "without namespaces, "+all, ""
	}
	message := ""
	for _, what := range ways {
		if message = fit(func(at wording) string { return all + where + what(at) }); utf8.RuneCountInString(message) <= words.Max {
			break
		}
		where = ""
	}
	f := rule.Finding{Pos: pos, End: end, Category: category, Message: message, About: strings.Join(ids, " ")}
	if ids[0] == node || category == unscopedCache && !c.manager.HasSelectors {
		f.Harm = rule.Hygiene // nothing limits the cache of a watch before controller-runtime 0.9: nobody upgrades for this
	}
	for _, s := range sites {
		f.RunAt = append(f.RunAt, s.Where)
		if s.Own && s.Pos.IsValid() && len(f.Related) < maxRelated {
			verb := "watched here"
			if s.Op.Reads() {
				verb = "read here"
			}
			f.Related = append(f.Related, analysis.RelatedInformation{Pos: s.Pos, Message: s.kind + " is " + verb})
		}
	}
	c.report.Report(f)
}

// disables says how to read a kind from the API server. A selector would hide what others
// read by the same client.
func (c *checker) disables() string {
	switch {
	case !c.manager.HasDisableFor:
		return "use mgr.GetAPIReader()"
	case c.manager.Older:
		return "use mgr.GetAPIReader() or ClientDisableCacheFor"
	}
	return "use mgr.GetAPIReader() or Client.Cache.DisableFor"
}

// limits names the option that the release in use has, and where that is.
func (c *checker) limits() string {
	if c.manager.Older {
		return c.selectors()
	}
	return "Cache." + c.selectors()
}

// selectors is limits in short.
func (c *checker) selectors() string {
	switch {
	case !c.manager.HasSelectors:
		return "SelectorsByObject of controller-runtime 0.9"
	case c.manager.Older:
		return "SelectorsByObject"
	}
	return "ByObject"
}
