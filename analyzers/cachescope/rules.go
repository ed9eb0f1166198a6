package cachescope

import (
	"fmt"
	"slices"

	"github.com/opvet/opvet/internal/passes/reads"
)

// twice finds kinds that are cached in two forms.
func (c *checker) twice(k *kind) bool {
	in := func(form reads.Form) []site {
		of := func(s site) bool { return s.form == form }
		return append(k.sites(k.watches, of), k.sites(k.reads, of)...)
	}
	full, form := in(reads.Typed), "typed"
	other, otherForm := in(reads.Metadata), "as metadata"
	if more := in(reads.Unstructured); len(more) > 0 {
		if len(full) == 0 {
			full, form = more, "unstructured"
		} else {
			other, otherForm = more, "unstructured"
		}
	}
	if len(full) == 0 || len(other) == 0 || c.doubtful(k.isBulky()) {
		return false
	}
	remedy := "use one form, or mgr.GetAPIReader()"
	if otherForm == "as metadata" && len(k.sites(k.watches, func(s site) bool { return s.form != reads.Metadata })) == 0 {
		remedy = "read metadata there, too, or use mgr.GetAPIReader()"
	}
	c.tell([]*kind{k}, twoCaches, nil, append(full, other...), func(at wording) string {
		return fmt.Sprintf("is in memory twice, %s (%s) and %s (%s); %s", form, at(full), otherForm, at(other), remedy)
	})
	return true
}

// disabled finds kinds that are watched, but not read from the cache.
func (c *checker) disabled(k *kind) bool {
	if !c.manager.DisablesFor(k.id) {
		return false
	}
	watches := k.sites(k.watches, keepsAll)
	if len(watches) == 0 || c.doubtful(k.isBulky()) {
		return false
	}
	if c.doubtful(!c.manager.DisabledSometimes) {
		return true // what decides that reads skip the cache may decide that nothing is watched, too
	}
	c.tell([]*kind{k}, disabledWatched, nil, watches, func(at wording) string {
		return fmt.Sprintf("is in memory for the watch at %s, although reads skip the cache; use builder.OnlyMetadata or %s", at(watches), c.limits())
	})
	return true
}

// keepsAll reports whether a watch keeps whole objects.
func keepsAll(s site) bool { return s.form != reads.Metadata }

// filtered finds watches of which a predicate drops most objects.
func (c *checker) filtered(k *kind) bool {
	watches := k.sites(k.watches, keepsAll)
	if len(watches) == 0 || c.doubtful(k.isBulky()) {
		return false
	}
	if slices.ContainsFunc(watches, func(w site) bool { return w.Filter == "" }) {
		return false // this watch wants all
	}
	remedy := "give " + c.limits() + " a selector"
	if len(k.sites(k.reads, keepsAll)) > 0 {
		remedy = "use " + c.limits() + " and mgr.GetAPIReader" // what a selector leaves out is NotFound
	}
	c.tell([]*kind{k}, predicateFilter, nil, append(watches, k.reads...), func(at wording) string {
		return fmt.Sprintf("is kept in memory, although the watch at %s picks by %s; %s", at(watches), watches[0].Filter, remedy)
	})
	return true
}

// empty finds entries of ByObject that limit nothing.
func (c *checker) empty(k *kind) bool {
	for _, e := range c.manager.Empty {
		if e.Kind != k.id || len(k.reads)+len(k.watches) == 0 || c.doubtful(k.isBulky()) {
			continue
		}
		pos := &e.Pos
		if !e.Pos.IsValid() {
			pos = nil
		}
		used := append(k.sites(k.watches, keepsAll), k.sites(k.reads, keepsAll)...)
		c.tell([]*kind{k}, emptyEntry, pos, used, func(at wording) string {
			return fmt.Sprintf("is kept in memory for %s, since this entry limits nothing; give it namespaces or a selector", at(used))
		})
		return true
	}
	return false
}

// hidden finds kinds that are read and nowhere watched.
func (c *checker) hidden(k *kind) bool {
	if k.watched || c.open || c.manager.FailsOnMissing {
		return false
	}
	sites := k.sites(k.reads, keepsAll)
	all := slices.ContainsFunc(sites, func(s site) bool { return s.Op == reads.ListAll }) // the cache is needed
	if len(sites) == 0 || c.doubtful(k.isBulky() && !all) {
		return false
	}
	c.read = append(c.read, k)
	return true
}

// together tells of kinds that one change to the options of the manager mends: those that matter alike
// are one finding.
func (c *checker) together(all []*kind, tell func([]*kind)) {
	for len(all) > 0 {
		first := all[0]
		alike := func(k *kind) bool {
			return (k.id == node) == (first.id == node) && c.manager.InNamespaces(k.id) == c.manager.InNamespaces(first.id)
		}
		tell(slices.DeleteFunc(slices.Clone(all), func(k *kind) bool { return !alike(k) }))
		all = slices.DeleteFunc(slices.Clone(all), alike)
	}
}

// sitesOf are the places of several kinds.
func sitesOf(kinds []*kind, of func(*kind) []site) []site {
	var sites []site
	for _, k := range kinds {
		sites = append(sites, of(k)...)
	}
	return sites
}

func (c *checker) tellHidden(kinds []*kind) {
	sites := sitesOf(kinds, func(k *kind) []site { return k.sites(k.reads, keepsAll) })
	remedy := c.disables()
	if !slices.ContainsFunc(kinds, func(k *kind) bool { return k.short() != "Pod" }) {
		remedy = "limit " + c.selectors() + ", or use mgr.GetAPIReader()" // pods are read often, as a rule, and labelled
	}
	if slices.ContainsFunc(sites, func(s site) bool { return s.InCache }) {
		remedy = "use mgr.GetAPIReader()" // what is left out of a client's cache is not left out of the cache
	}
	c.tell(kinds, hiddenInformer, nil, sites, func(at wording) string {
		return "is kept in memory for reads at " + at(sites) + "; " + remedy
	})
}

// unscoped finds watches of kinds that a cluster has too many of.
func (c *checker) unscoped(k *kind) bool {
	watches := wholeWatches(k)
	if len(watches) == 0 || !k.isBulky() {
		return false
	}
	owned := slices.ContainsFunc(watches, func(w site) bool { return w.Op == reads.Owns })
	if c.doubtful(owned && (k.short() == "Secret" || k.short() == "ConfigMap")) {
		return false
	}
	c.watched = append(c.watched, k)
	return true
}

// wholeWatches are the watches of a kind that keep whole objects.
func wholeWatches(k *kind) []site {
	return k.sites(k.watches, func(s site) bool { return keepsAll(s) && s.Op != reads.Informer })
}

func (c *checker) tellUnscoped(kinds []*kind) {
	watches := sitesOf(kinds, wholeWatches)
	reads := sitesOf(kinds, func(k *kind) []site { return k.reads })
	remedy := "or use OnlyMetadata"
	if len(reads) > 0 {
		remedy = "and read others with GetAPIReader" // those are NotFound in the cache then, and metadata is not enough
	}
	by := func(where string) func(wording) string {
		return func(at wording) string {
			return fmt.Sprintf("is kept in memory %s %s; label yours, limit %s to them, %s", where, at(watches), c.selectors(), remedy)
		}
	}
	// Metadata alone saves nothing where the objects are read from the cache, or indexed, and not all
	// reads are seen.
	c.tell(kinds, unscopedCache, nil, append(watches, reads...),
		by("by the watch at"), by("by the watch at"), by("for")) // the second does not say that it is the whole cluster
}
