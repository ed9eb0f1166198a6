package cachescope

import (
	"fmt"
	"slices"

	"github.com/opvet/opvet/internal/cachereads"
)

// twice finds kinds that are cached in two forms.
func (c *checker) twice(k *kind) bool {
	in := func(form cachereads.Form) []site {
		of := func(s site) bool { return s.form == form }
		return append(k.sites(k.watches, of), k.sites(k.reads, of)...)
	}
	full, form := in(cachereads.Typed), "typed"
	other, otherForm := in(cachereads.Metadata), "as metadata"
	if more := in(cachereads.Unstructured); len(more) > 0 {
		if len(full) == 0 {
			full, form = more, "unstructured"
		} else {
			other, otherForm = more, "unstructured"
		}
	}
	if len(full) == 0 || len(other) == 0 || c.doubtful(k.isBulky()) {
		return false
	}
	remedy := "use one form for both, or read through mgr.GetAPIReader()"
	if otherForm == "as metadata" && len(k.sites(k.watches, func(s site) bool { return s.form != cachereads.Metadata })) == 0 {
		remedy = "read the metadata there, too, or the whole object through mgr.GetAPIReader()"
	}
	c.tell(k, twoCaches, nil, append(full, other...), fmt.Sprintf(
		"%s is used %s %s and %s %s: each form has an informer of its own, which keeps every %s of the cluster in memory; %s",
		k.name(), form, places(full), otherForm, places(other), k.short(), remedy))
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
	c.tell(k, disabledWatched, nil, watches, fmt.Sprintf(
		"the client does not read %s from the cache, but the watch %s keeps every %s of the cluster in memory all the same; watch the metadata only (builder.OnlyMetadata), or limit the kind in %s",
		k.name(), places(watches), k.short(), c.limits()))
	return true
}

// keepsAll reports whether a watch keeps whole objects.
func keepsAll(s site) bool { return s.form != cachereads.Metadata }

// filtered finds watches of which a predicate drops most objects.
func (c *checker) filtered(k *kind) bool {
	watches := k.sites(k.watches, keepsAll)
	if len(watches) == 0 || c.doubtful(k.isBulky()) {
		return false
	}
	for _, w := range watches {
		if w.Filter == "" {
			return false // this watch wants all
		}
	}
	also := ""
	if reads := k.sites(k.reads, keepsAll); len(reads) > 0 {
		also = fmt.Sprintf(" (read %s)", places(reads))
	}
	c.tell(k, predicateFilter, nil, append(watches, k.reads...), fmt.Sprintf(
		"the predicate of the watch %s picks %s by %s only after the cache has taken every %s of the cluster into memory%s; give %s a selector for it",
		places(watches), k.name(), watches[0].Filter, k.short(), also, c.limits()))
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
		c.tell(k, emptyEntry, pos, used, fmt.Sprintf(
			"the entry for %s limits nothing: every %s of the cluster is kept in memory (used %s); give it namespaces, a label or a field selector",
			k.name(), k.short(), places(used)))
		return true
	}
	return false
}

// hidden finds kinds that are read and nowhere watched.
func (c *checker) hidden(k *kind) bool {
	if k.watched || c.open || c.manager.FailsOnMissing {
		return false
	}
	reads := k.sites(k.reads, keepsAll)
	all := slices.ContainsFunc(reads, func(s site) bool { return s.Op == cachereads.ListAll }) // the cache is needed
	if len(reads) == 0 || c.doubtful(k.isBulky() && !all) {
		return false
	}
	c.tell(k, hiddenInformer, nil, reads, fmt.Sprintf(
		"reading %s from the manager's cache, as %s, starts an informer that keeps every %s of the cluster in memory; read it through mgr.GetAPIReader(), list it in %s, or limit it in %s",
		k.name(), places(reads), k.short(), c.disables(), c.limits()))
	return true
}

// unscoped finds watches of kinds that a cluster has too many of.
func (c *checker) unscoped(k *kind) bool {
	watches := k.sites(k.watches, func(s site) bool { return keepsAll(s) && s.Op != cachereads.Informer })
	if len(watches) == 0 || !k.isBulky() {
		return false
	}
	sure := false
	for _, w := range watches {
		sure = sure || w.Op == cachereads.Owns && (k.short() == "Secret" || k.short() == "ConfigMap")
	}
	if c.doubtful(sure) {
		return false
	}
	also := ""
	if reads := k.sites(k.reads, keepsAll); len(reads) > 0 {
		also = fmt.Sprintf(" (read %s)", places(reads))
	}
	c.tell(k, unscopedCache, nil, append(watches, k.reads...), fmt.Sprintf(
		"the watch of %s %s keeps every %s of the cluster in memory%s, since nothing limits the manager's cache; give %s a selector for those that are needed, or watch the metadata only",
		k.name(), places(watches), k.short(), also, c.limits()))
	return true
}
