package permissions

import (
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/kubeapi/rbac"
)

// Grants are the permissions that a project gives its program.
type Grants struct {
	// Markers are those that controller-gen makes the roles of.
	Markers []rbac.Rule
	// Manifests are the roles in YAML.
	Manifests *rbac.Manifests
	// Programs is how many programs of the project may talk to the API server.
	Programs int
}

// Granted reads what a project grants: the markers of what the program is made of,
// those of the other packages of the project, and the roles in its manifests. project is
// its folder; nothing is read if it is empty.
func (p *Permissions) Granted(project string) *Grants {
	g := GrantedIn(project, p.fset)
	for _, m := range p.Markers {
		if m.Inert == "" {
			g.Markers = append(g.Markers, m.Rule)
		}
	}
	return g
}

// GrantedIn reads what a project grants: the markers of all its packages, and the roles in its
// manifests.
func GrantedIn(project string, fset *token.FileSet) *Grants {
	if project == "" {
		return &Grants{Manifests: new(rbac.Manifests)}
	}
	p := projectAt(project, fset)
	return &Grants{Markers: slices.Clip(p.markers), Programs: p.programs, Manifests: p.manifests}
}

// Keeps reports whether an informer of a kind of Kubernetes' own may be filled: whether something
// grants list and watch of it, or the roles are not all seen. Where there are markers, the operator's
// role is made of them: another one counts if it grants something on the project's own kinds, too, as a
// chart's does. everywhere tells that it is for all namespaces.
func (g *Grants) Keeps(kindID string, everywhere bool) bool {
	kind, ok := g.builtin(kindID)
	if !ok || !slices.ContainsFunc(g.Rules(), func(r rbac.Rule) bool { return slices.Contains(r.Verbs, "watch") }) {
		return true
	}
	n := Need{Permission: rbac.Permission{Group: kind.Group, Resource: kind.Resource}, Kind: kind.Name, Everywhere: everywhere && !kind.ClusterScoped}
	own := g.Manifests.OwnRoles()
	allows := func(verb string) bool {
		return g.each(n, func(r *rbac.Rule, target string) bool {
			return r.Grants(n.Group, target, verb) && (r.Role == "" || len(own) == 0 || len(g.Markers) == 0 || own[r.Role])
		})
	}
	return allows("list") && allows("watch")
}

// Refuses reports whether objects of a kind of Kubernetes' own may be created, and surely nobody grants a
// verb on them: the roles are all seen. Where nothing lets them be created, the roles may be those of
// another program.
func (g *Grants) Refuses(kindID, verb string) bool {
	kind, ok := g.builtin(kindID)
	if !ok || g.Manifests.ByKubeconfig {
		return false
	}
	n := Need{Permission: rbac.Permission{Group: kind.Group, Resource: kind.Resource}, Kind: kind.Name}
	return g.allows(n, "create") && !g.allows(n, verb)
}

// builtin returns a kind of Kubernetes' own, if it is one and the roles are all seen.
func (g *Grants) builtin(kindID string) (kind Kind, ok bool) {
	i := strings.LastIndex(kindID, ".")
	group, ok := rbac.GroupOfPackage(kindID[:max(i, 0)])
	if !ok || g.Manifests.Aggregated || g.Manifests.Unseen() {
		return Kind{}, false
	}
	return kindOf(kindID, group, kindID[i+1:], ""), true
}

// GrantedBy reads the roles in the files that match the patterns, and nothing else.
func GrantedBy(patterns []string) (*Grants, error) {
	g := &Grants{Manifests: &rbac.Manifests{Plurals: make(map[[2]string]string)}}
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		if err != nil {
			return nil, fmt.Errorf("the pattern %s: %w", pattern, err)
		}
		if len(files) == 0 {
			return nil, fmt.Errorf("no file matches %s", pattern)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				return nil, fmt.Errorf("reading roles: %w", err)
			}
			g.Manifests.Read(data)
		}
	}
	return g, nil
}

// ProjectOf returns the folder of the project that a folder is in: that of the
// repository, or else that of the module; empty if there is none. So what is in a
// repository's testdata is granted nothing by its neighbours, which are no part of the
// project, but is in a copy of testdata elsewhere, which is a project by itself.
func ProjectOf(dir string) string {
	module := ModuleOf(dir)
	if module == "" {
		return ""
	}
	if repository := above(module, ".git"); repository != "" {
		return repository
	}
	return module
}

// ModuleOf returns the folder of the module that a folder is in; empty if there is none.
func ModuleOf(dir string) string { return above(dir, "go.mod") }

// above returns the nearest folder from one upwards that has something; empty if there is none.
func above(dir, name string) string {
	for dir != "" && filepath.IsAbs(dir) {
		if exists(filepath.Join(dir, name)) {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			break
		}
		dir = parent
	}
	return ""
}

// ProjectOfPass returns the folder of the project of the package under analysis, likewise.
func ProjectOfPass(pass *analysis.Pass) string {
	return ProjectOf(filepath.Dir(pass.Fset.Position(pass.Files[0].FileStart).Filename))
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// Rules returns all rules.
func (g *Grants) Rules() []rbac.Rule { return slices.Concat(g.Markers, g.Manifests.Rules) }

// Allows reports whether a need is granted.
func (g *Grants) Allows(n Need) bool {
	if n.OrCached && g.allows(n, "list") && g.allows(n, "watch") {
		return true
	}
	if n.Via == MadeRole && g.escalates() {
		return true
	}
	return g.allows(n, n.Verb)
}

// WithVersion reports whether a rule on the resource of a need has a version in its group, as in
// apps/v1: such a rule grants nothing.
func (g *Grants) WithVersion(n Need) bool {
	return slices.ContainsFunc(g.Rules(), func(r rbac.Rule) bool {
		return slices.ContainsFunc(r.Groups, func(group string) bool {
			name, version, ok := strings.Cut(group, "/")
			return ok && version != "" && name == n.Group && r.Covers(group, n.Target())
		})
	})
}

// escalates reports whether the program may grant whatever it likes.
func (g *Grants) escalates() bool {
	return slices.ContainsFunc([]string{"roles", "clusterroles"}, func(resource string) bool {
		return g.allows(Need{Permission: rbac.Permission{Group: rbacGroup, Resource: resource}}, "escalate")
	})
}

// AllowsSomewhere reports whether a need is granted, if only in some namespaces.
func (g *Grants) AllowsSomewhere(n Need) bool {
	n.Everywhere = false
	return g.Allows(n)
}

// Covers reports whether any verb is granted on the resource.
func (g *Grants) Covers(n Need) bool {
	return g.each(n, func(r *rbac.Rule, target string) bool { return r.Covers(n.Group, target) })
}

// OnlyNamed reports whether what is granted on the resource is so for objects of certain names only,
// which no list or watch of an informer asks for.
func (g *Grants) OnlyNamed(n Need) bool {
	return g.Covers(n) && !g.each(n, func(r *rbac.Rule, target string) bool { return r.Covers(n.Group, target) && len(r.Names) == 0 })
}

func (g *Grants) allows(n Need, verb string) bool {
	return g.each(n, func(r *rbac.Rule, target string) bool { return r.Grants(n.Group, target, verb) })
}

func (g *Grants) each(n Need, holds func(r *rbac.Rule, target string) bool) bool {
	if plural := g.Manifests.Plurals[[2]string{n.Group, n.Kind}]; plural != "" {
		n.Resource, n.Guessed = plural, false
	}
	guessed := n.Guessed && !g.names(n)
	for _, rules := range [][]rbac.Rule{g.Markers, g.Manifests.Rules} {
		for i := range rules {
			if n.Everywhere && rules[i].Namespaced {
				continue
			}
			if holds(&rules[i], n.Target()) || guessed && resembles(&rules[i], n, holds) {
				return true
			}
		}
	}
	return false
}

// names reports whether a rule has the name that is guessed: then that is what the resource
// is called.
func (g *Grants) names(n Need) bool {
	return slices.ContainsFunc(g.Rules(), func(r rbac.Rule) bool {
		return slices.Contains(r.Groups, n.Group) && slices.ContainsFunc(r.Resources, func(target string) bool {
			name, _, _ := strings.Cut(target, "/")
			return name == n.Resource
		})
	})
}

// resembles asks for the resources whose names begin like one that is guessed.
func resembles(r *rbac.Rule, n Need, holds func(*rbac.Rule, string) bool) bool {
	for _, resource := range r.Resources {
		name, _, _ := strings.Cut(resource, "/")
		if rbac.Resembles(n.Resource, name) {
			n.Resource = name
			if holds(r, n.Target()) {
				return true
			}
		}
	}
	return false
}
