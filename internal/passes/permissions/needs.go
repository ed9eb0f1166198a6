package permissions

import (
	"cmp"
	"slices"
	"strings"

	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/kubeapi/rbac"
	"github.com/opvet/opvet/internal/passes/managers"
	"github.com/opvet/opvet/internal/passes/reads"
)

// Needs returns what the program needs that this package and those that it imports
// are, sorted by permission and place.
func (p *Permissions) Needs() []Need {
	p.compose.Do(p.composeNeeds)
	return p.needs
}

// Unknowns returns the calls whose permission is not known.
func (p *Permissions) Unknowns() []Unknown {
	p.compose.Do(p.composeNeeds)
	return p.unknown
}

func (p *Permissions) composeNeeds() {
	own := p.Remote == "" && len(p.Program.Managers) <= 1
	reached := p.reached()
	p.unknown = slices.DeleteFunc(slices.Clone(p.Unknown), func(u Unknown) bool { return !reached(u.Func) })
	for _, n := range p.Direct {
		if reached(n.Func) {
			n.Certain = own && (n.Via != Recorder || p.Records) // a recorder that nobody records with asks for nothing
			p.needs = append(p.needs, n)
		}
	}
	for _, u := range p.Program.Uses {
		p.use(u)
	}
	for _, w := range p.Program.Writes {
		if w.Sub == reads.UnknownSub {
			p.unknown = append(p.unknown, Unknown{What: w.What, Where: w.Where})
			continue
		}
		for _, k := range p.kindsOf(w.Use) {
			p.add(w.Use, k, Call, false, w.Sub, w.Verb)
		}
	}
	p.composeForwards(reached)
	p.composeRoles()
	p.needs = slices.DeleteFunc(p.needs, func(n Need) bool { return n.IsQuestion() && n.Verb != "create" })
	slices.SortStableFunc(p.needs, func(a, b Need) int {
		if c := compareNeeds(a, b); c != 0 || a.Given == b.Given {
			return c
		}
		if b.Given {
			return -1 // the same place has another client, too, of which it is known whose it is
		}
		return 1
	})
	p.needs = slices.CompactFunc(p.needs, func(a, b Need) bool { return compareNeeds(a, b) == 0 })
	p.unknown = sortUnknown(p.unknown)
}

// OwnProjects reports whether the program makes OpenShift projects by requests: the API
// server binds whoever asks for one to the role of its admin, which takes on what OLM and
// others aggregate to it.
func (p *Permissions) OwnProjects() bool {
	return slices.ContainsFunc(p.Needs(), func(n Need) bool {
		return n.Permission == rbac.Permission{Group: "project.openshift.io", Resource: "projectrequests", Verb: "create"}
	})
}

func compareNeeds(a, b Need) int {
	return cmp.Or(a.Permission.Compare(b.Permission), reads.ComparePlaces(a.Where, b.Where), strings.Compare(string(a.Via), string(b.Via)), strings.Compare(a.What, b.What))
}

// use adds what a read or a watch needs.
func (p *Permissions) use(u reads.Use) {
	if u.Op == reads.Handed {
		return
	}
	for _, k := range p.kindsOf(u) {
		m := p.manager(u.By)
		before := len(p.needs)
		verb := "get"
		if u.Op != reads.Get {
			verb = "list"
		}
		switch {
		case !u.Op.Reads():
			p.add(u, k, Watch, false, "", "list", "watch")
			reach(p.needs[before:], m, k)
		case m != nil && (m.DisablesFor(k.use.ID) || k.use.Form == reads.Unstructured && !m.Unstructured), p.Program.Live(u.By):
			p.add(u, k, Call, false, "", verb)
		case m != nil && !m.ReadsUnknown:
			p.add(u, k, CachedRead, false, "", "list", "watch")
			reach(p.needs[before:], m, k)
		default:
			p.add(u, k, Call, true, "", verb)
		}
	}
}

// reach marks the needs of an informer that is certainly not limited to namespaces,
// and those of one that certainly is.
func reach(needs []Need, m *managers.Manager, k usedKind) {
	if m == nil || !m.Known || m.LimitsUnknown {
		return
	}
	confined := k.kind.InNamespaces && m.Confines(k.use.ID)
	everywhere := !m.Namespaced && !slices.Contains(m.Limited, k.use.ID)
	for i := range needs {
		needs[i].Everywhere = everywhere
		if confined {
			needs[i].Confined, needs[i].Cache = true, m.Where
		}
	}
}

// manager returns the manager that a client certainly belongs to, or nil.
func (p *Permissions) manager(place string) *managers.Manager {
	id := p.Program.Manager(place)
	i := slices.IndexFunc(p.Program.Managers, func(m managers.Manager) bool { return m.ID == id })
	if id == "" || i < 0 {
		return nil
	}
	return &p.Program.Managers[i]
}

// usedKind is a kind with its resource.
type usedKind struct {
	use  reads.Kind
	kind Kind
	// several tells that the object may be of other kinds, too.
	several bool
}

// kindsOf returns the kinds of the objects of a use, and notes what is not known.
func (p *Permissions) kindsOf(u reads.Use) []usedKind {
	var found []usedKind
	kinds := p.Program.Kinds(u)
	for _, k := range kinds {
		kind, ok := p.kind(k)
		if !ok {
			p.unknown = append(p.unknown, Unknown{What: u.What, Where: u.Where, Reads: u.Op.Reads()})
			continue
		}
		found = append(found, usedKind{k, kind, len(kinds) > 1})
	}
	return found
}

// kind returns the resource of a kind.
func (p *Permissions) kind(k reads.Kind) (Kind, bool) {
	if i, ok := slices.BinarySearchFunc(p.Kinds, k.ID, func(known Kind, id string) int { return strings.Compare(known.ID, id) }); ok {
		return p.Kinds[i], p.Kinds[i].Resource != ""
	}
	dot := strings.LastIndex(k.ID, ".")
	if dot < 0 || k.Form == reads.Typed {
		return Kind{}, false
	}
	path, name := k.ID[:dot], k.ID[dot+1:]
	group, ok := rbac.GroupOfPackage(path)
	if !ok {
		var version string
		if group, version, ok = strings.Cut(path, "/"); !ok || strings.Contains(version, "/") {
			return Kind{}, false
		}
	}
	return kindOf(k.ID, group, name, ""), true
}

func (p *Permissions) add(u reads.Use, k usedKind, via Via, orCached bool, sub string, verbs ...string) {
	where := u.Where
	pos := u.Pos
	if k.use.Where != "" {
		where, pos = k.use.Where, 0
	}
	one := len(p.Program.Managers) <= 1
	given := (via == Call || via == CachedRead) && p.Program.Given(u.By)
	// A helper that makes objects of many kinds what they should be deletes few of them.
	handed := via == Call && k.use.Where != "" && verbs[0] == "delete"
	for _, verb := range verbs {
		p.needs = append(p.needs, Need{
			Permission: rbac.Permission{Group: k.kind.Group, Resource: k.kind.Resource, Sub: sub, Verb: verb},
			Kind:       k.kind.Name, OrCached: orCached, What: u.What, Via: via, Where: where, Pos: pos, Guessed: k.kind.Guessed, Given: given, Several: k.several && ((verb == "update" || verb == "patch" || strings.HasPrefix(verb, "delete")) || k.use.Where == ""), Mutates: u.Mutates,
			InNamespace: via == Call && !k.kind.ClusterScoped && verb != "list",
			Optional:    p.Program.SwitchedOff(u),
			Switch:      p.switched[u.Of],
			// A scheme of the project's own kinds is taken to be complete.
			Unregistered: k.use.Form == reads.Typed && !p.registers(k.use.ID),
			Certain:      one && !handed && !u.InClient && (p.Remote == "" || p.Program.Manager(u.By) != ""),
		})
	}
}

// registers reports whether the program may register a type in a scheme: it is one of the project's or of
// Kubernetes' own, or something of its repository is mentioned that registers types.
func (p *Permissions) registers(kindID string) bool {
	repository, _ := kubeapi.Repository(kindID[:max(strings.LastIndexByte(kindID, '.'), 0)])
	return kubeapi.IsBuiltin(kindID) || repository == p.own || slices.Contains(p.Registered, repository)
}
