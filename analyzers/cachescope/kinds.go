package cachescope

import (
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/managers"
	"github.com/opvet/opvet/internal/passes/permissions"
	"github.com/opvet/opvet/internal/passes/reads"
	"github.com/opvet/opvet/internal/report/rule"
)

// checker looks at one manager.
type checker struct {
	program *reads.Program
	manager *managers.Manager
	call    ssa.CallInstruction // where findings about the manager stand
	pass    *analysis.Pass
	report  *rule.Reporter
	grants  *permissions.Grants

	// open tells that a kind is watched that is not known.
	open bool
	// read are the kinds that are only read, watched those that are watched without a limit: one
	// option of the manager mends all of the one, or of the other.
	read, watched []*kind
}

// site is a place that uses a kind through the manager's cache.
type site struct {
	reads.Use
	form reads.Form
	at   string // "dir/file.go:12"
	kind string // as [kind.name]
}

// kind is what the program does with a kind.
type kind struct {
	id      string
	reads   []site // through the manager's client, for certain
	watches []site // by the manager's cache, for certain
	// watched tells that the kind is watched in some form, or may be, by this
	// manager or another.
	watched bool
}

func (k *kind) isBulky() bool { return kubeapi.IsBulky(k.id) }

// name is the kind as code writes it, such as v1.Secret; short is Secret.
func (k *kind) name() string  { return k.id[strings.LastIndex(k.id, "/")+1:] }
func (k *kind) short() string { return k.id[strings.LastIndex(k.id, ".")+1:] }

// kinds gathers the uses of each kind, in the order of their names.
func (c *checker) kinds() []*kind {
	byID := make(map[string]*kind)
	for _, u := range c.program.Uses {
		sure := c.program.Manager(u.By) == c.manager.ID
		if u.By == "" && !u.Op.Reads() {
			sure = len(c.program.Managers) == 1
		}
		if !sure && (u.Op.Reads() || !c.program.MayBelong(u.By, c.manager.ID)) {
			continue
		}
		kinds := c.program.Kinds(u)
		c.open = c.open || len(kinds) == 0 && !u.Op.Reads()
		for _, of := range kinds {
			if of.ID == "" {
				c.open = c.open || !u.Op.Reads() && of.Form != reads.Unstructured && of.Form != reads.Metadata
				continue
			}
			k := byID[of.ID]
			if k == nil {
				k = &kind{id: of.ID}
				byID[of.ID] = k
			}
			s := site{u, of.Form, u.Where, k.name()}
			if of.Where != "" {
				s.at, s.Own = of.Where, false
			}
			switch {
			case !u.Op.Reads():
				k.watched = true
				if sure && u.Op != reads.Handed && !c.program.SwitchedOff(u) {
					k.watches = append(k.watches, s)
				}
			case !c.program.SwitchedOff(u) && !c.manager.Disables(of.ID) && (of.Form != reads.Unstructured || c.manager.Unstructured):
				k.reads = append(k.reads, s)
			}
		}
	}
	return slices.SortedFunc(maps.Values(byID), func(a, b *kind) int { return strings.Compare(a.id, b.id) })
}

// check finds what is wrong with one kind, and reports the worst of it.
func (c *checker) check(k *kind) {
	optional := c.manager.Optional && !c.grants.Manifests.Confined()
	if c.manager.Selects(k.id) || c.manager.InNamespaces(k.id) && !optional && !c.report.Strict() {
		return
	}
	if !c.grants.Keeps(k.id, !c.manager.InNamespaces(k.id)) {
		return // its informer may not list them: that is rbac's to tell
	}
	_ = c.twice(k) || c.disabled(k) || c.filtered(k) || c.empty(k) || c.hidden(k) || c.unscoped(k)
}

// doubtful reports whether a finding about a kind is for the strict flag, and
// that is not set.
func (c *checker) doubtful(sure bool) bool { return !sure && !c.report.Strict() }

func (k *kind) sites(list []site, wanted func(site) bool) []site {
	var found []site
	for _, s := range list {
		if wanted(s) && !slices.ContainsFunc(found, func(known site) bool { return known.at == s.at }) {
			found = append(found, s)
		}
	}
	return found
}
