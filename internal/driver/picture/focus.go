package picture

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Focus leaves only a kind and the controllers and webhooks that concern it, each
// with that kind and the one that it reconciles; or only a controller. Names count
// whatever their case: of a kind, with its group, or its ID; of a controller, of its
// reconciler's type, or its ID. A name that both have is the kind's.
func (m *Map) Focus(name string) error {
	kinds := make(map[string]bool)
	for _, k := range m.Kinds {
		if matches(name, k.Name, k.Name+"."+k.Group, k.ID, k.Resource) {
			kinds[k.ID] = true
		}
	}
	if len(kinds) > 0 {
		m.focusKinds(kinds)
	} else if !m.focusController(name) {
		return fmt.Errorf("-focus: no kind and no controller is named %q; there are %s", name, strings.Join(m.names(), ", "))
	}
	m.dropUnused()
	return nil
}

func matches(name string, names ...string) bool {
	return slices.ContainsFunc(names, func(other string) bool { return other != "" && strings.EqualFold(name, other) })
}

func (m *Map) focusKinds(kinds map[string]bool) {
	for i := range m.Programs {
		p := &m.Programs[i]
		p.Controllers = slices.DeleteFunc(p.Controllers, func(c Controller) bool {
			return !slices.ContainsFunc(c.Watches, func(w Watch) bool { return kinds[w.Kind] }) && !slices.ContainsFunc(c.Uses, func(u Use) bool { return kinds[u.Kind] })
		})
		for j := range p.Controllers {
			c := &p.Controllers[j]
			c.Watches = slices.DeleteFunc(c.Watches, func(w Watch) bool { return !kinds[w.Kind] && w.Role != "for" })
			c.Uses = slices.DeleteFunc(c.Uses, func(u Use) bool { return !kinds[u.Kind] })
		}
		p.Webhooks = slices.DeleteFunc(p.Webhooks, func(w Webhook) bool { return !kinds[w.Kind] })
	}
}

func (m *Map) focusController(name string) bool {
	found := false
	is := func(c Controller) bool {
		reconciler := strings.TrimPrefix(path.Ext(c.Reconciler), ".")
		return matches(name, c.Name, c.ID, reconciler, c.Reconciler)
	}
	for _, p := range m.Programs {
		found = found || slices.ContainsFunc(p.Controllers, is)
	}
	if !found {
		return false
	}
	for i := range m.Programs {
		p := &m.Programs[i]
		p.Controllers = slices.DeleteFunc(p.Controllers, func(c Controller) bool { return !is(c) })
		p.Webhooks = nil
	}
	return true
}

// names are what can be focused on.
func (m *Map) names() []string {
	var names []string
	for _, k := range m.Kinds {
		names = append(names, k.Name)
	}
	for _, p := range m.Programs {
		for _, c := range p.Controllers {
			names = append(names, c.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// dropUnused takes out programs without anything, and kinds that nothing concerns.
func (m *Map) dropUnused() {
	m.Programs = slices.DeleteFunc(m.Programs, func(p Program) bool { return len(p.Controllers)+len(p.Webhooks) == 0 })
	used := make(map[string]bool)
	for _, p := range m.Programs {
		for _, c := range p.Controllers {
			used[c.For] = true
			for _, w := range c.Watches {
				used[w.Kind], used[w.Owner] = true, true
			}
			for _, u := range c.Uses {
				used[u.Kind], used[u.Owner] = true, true
			}
		}
		for _, w := range p.Webhooks {
			used[w.Kind] = true
		}
	}
	m.Kinds = slices.DeleteFunc(m.Kinds, func(k Kind) bool { return !used[k.ID] })
}
