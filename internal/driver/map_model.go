package driver

import (
	"cmp"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/driver/picture"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/controllers"
	"github.com/opvet/opvet/internal/passes/kinds"
	"github.com/opvet/opvet/internal/passes/permissions"
)

// mapModel gathers what opvet map draws while packages are analysed.
type mapModel struct {
	module string            // the path of the main module
	dirs   map[string]string // the folder of each package that is analysed
	root   *sourceRoot
	wanted map[string]bool

	mu       sync.Mutex
	programs []*mapProgram
	packages []*mapProgram // those that are no programs
	code     codeIndex
	reached  map[string]map[string]bool // see reachedBy; by the controller's ID
}

// mapProgram is what a program makes, or a package.
type mapProgram struct {
	path    string
	made    controllers.Made
	kinds   map[string]permissions.Kind
	sources map[string]string // what answers the reads of a place, by [controllers.Place.String]
}

func newMapModel(p *Program) *mapModel {
	m := &mapModel{dirs: make(map[string]string), root: newSourceRoot(workingDir()), wanted: make(map[string]bool), reached: make(map[string]map[string]bool)}
	for _, pkg := range p.roots {
		if len(pkg.GoFiles) > 0 {
			m.dirs[pkg.PkgPath] = filepath.Dir(pkg.GoFiles[0])
		}
		if p.wanted[pkg.ID] {
			m.wanted[pkg.PkgPath] = true
		}
		if pkg.Module != nil && pkg.Module.Main && (m.module == "" || len(pkg.Module.Path) < len(m.module)) {
			m.module = pkg.Module.Path
		}
	}
	return m
}

// collector is the analyzer that gathers.
func (m *mapModel) collector() *analysis.Analyzer {
	return &analysis.Analyzer{
		Name: "opvetmap", Doc: "collect what programs are made of",
		Requires: []*analysis.Analyzer{calls.Analyzer, controllers.Analyzer, permissions.Analyzer},
		Run: func(pass *analysis.Pass) (any, error) {
			result := pass.ResultOf[controllers.Analyzer].(*controllers.Result)
			perms := pass.ResultOf[permissions.Analyzer].(*permissions.Permissions)
			m.mu.Lock()
			defer m.mu.Unlock()
			m.code.add(pass, result.Calls)
			if !m.wanted[pass.Pkg.Path()] || kubeapi.ServesTests(pass) {
				return nil, nil
			}
			m.wanted[pass.Pkg.Path()] = false // with tests, a package comes twice
			if pass.Pkg.Name() == "main" {
				p := &mapProgram{path: pass.Pkg.Path(), made: result.Program()}
				p.learn(perms)
				m.programs = append(m.programs, p)
			} else if made := result.Made(); !made.IsZero() {
				p := &mapProgram{made: made}
				p.learn(perms)
				m.packages = append(m.packages, p)
			}
			return nil, nil
		},
	}
}

// learn notes the kinds' groups and resources, and what answers reads.
func (p *mapProgram) learn(perms *permissions.Permissions) {
	p.kinds, p.sources = make(map[string]permissions.Kind), make(map[string]string)
	for _, k := range perms.Kinds {
		p.kinds[k.ID] = k
	}
	for _, need := range perms.Needs() {
		switch {
		case need.Verb != "get" && need.Verb != "list":
		case need.Via == permissions.CachedRead:
			p.sources[need.Where] = "cache"
		case need.Via == permissions.Call && !need.OrCached && p.sources[need.Where] == "":
			p.sources[need.Where] = "api"
		case need.OrCached:
			p.sources[need.Where] = "client"
		}
	}
}

// draw makes the map of what was gathered. If no package is a program, the
// packages themselves are drawn.
func (m *mapModel) draw() *picture.Map {
	drawn := &picture.Map{Version: picture.Version, Module: m.module, Programs: []picture.Program{}, Kinds: []picture.Kind{}}
	programs := slices.DeleteFunc(slices.Clone(m.programs), func(p *mapProgram) bool { return p.made.IsZero() })
	if len(programs) == 0 && len(m.packages) > 0 {
		all := &mapProgram{kinds: make(map[string]permissions.Kind), sources: make(map[string]string)}
		slices.SortFunc(m.packages, func(a, b *mapProgram) int { return cmp.Compare(packageOf(a.made), packageOf(b.made)) })
		for _, p := range m.packages {
			all.made.Add(p.made)
			maps.Copy(all.kinds, p.kinds)
			maps.Copy(all.sources, p.sources)
		}
		programs = []*mapProgram{all}
	}
	slices.SortFunc(programs, func(a, b *mapProgram) int { return cmp.Compare(a.path, b.path) })
	d := &drawer{mapModel: m, known: make(map[string]picture.Kind)}
	for _, p := range programs {
		drawn.Programs = append(drawn.Programs, d.program(p))
	}
	for _, k := range d.known {
		drawn.Kinds = append(drawn.Kinds, k)
	}
	slices.SortFunc(drawn.Kinds, func(a, b picture.Kind) int { return cmp.Compare(a.ID, b.ID) })
	return drawn
}

// packageOf is a package that makes something, to sort by.
func packageOf(made controllers.Made) string {
	switch {
	case len(made.Controllers) > 0:
		return made.Controllers[0].Package
	case len(made.Managers) > 0:
		return made.Managers[0].At.Package
	}
	return made.Webhooks[0].Package
}

// drawer turns what the passes say into a map.
type drawer struct {
	*mapModel
	known map[string]picture.Kind
	of    *mapProgram
	ids   map[string]bool
}

func (d *drawer) program(p *mapProgram) picture.Program {
	d.of, d.ids = p, make(map[string]bool)
	drawn := picture.Program{Package: p.path}
	for _, m := range p.made.Managers {
		drawn.Managers = append(drawn.Managers, picture.Manager{LeaderElection: string(m.Election), At: d.place(m.At)})
	}
	for _, c := range sortedBy(p.made.Controllers, func(c controllers.Controller) controllers.Place { return c.At }) {
		drawn.Controllers = append(drawn.Controllers, d.controller(c))
	}
	for _, w := range sortedBy(p.made.Webhooks, func(w controllers.Webhook) controllers.Place { return w.At }) {
		drawn.Webhooks = append(drawn.Webhooks, d.webhook(w))
	}
	return drawn
}

func sortedBy[T any](list []T, at func(T) controllers.Place) []T {
	return slices.SortedStableFunc(slices.Values(list), func(a, b T) int {
		x, y := at(a), at(b)
		return cmp.Or(cmp.Compare(x.Package, y.Package), cmp.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line))
	})
}

func (d *drawer) place(p controllers.Place) *picture.Place {
	if !p.IsValid() {
		return nil
	}
	name := path.Join(p.Package, p.File)
	if dir, ok := d.dirs[p.Package]; ok {
		name, _ = d.root.rel(filepath.Join(dir, p.File))
	}
	return &picture.Place{File: name, Line: p.Line}
}

var versionName = regexp.MustCompile(`^v\d+((alpha|beta)\d+)?$`)

// kind notes a kind, and returns its ID.
func (d *drawer) kind(k controllers.Kind) string {
	if !k.IsKnown() {
		return ""
	}
	if _, ok := d.known[k.ID]; !ok || d.known[k.ID].Resource == "" {
		drawn := picture.Kind{ID: k.ID, Name: k.Name(), Own: d.module != "" && strings.HasPrefix(k.ID, d.module+"/")}
		dir := strings.TrimSuffix(k.ID, "."+k.Name())
		if version := path.Base(dir); versionName.MatchString(version) {
			drawn.Version = version
		}
		if of, ok := d.of.kinds[k.ID]; ok && of.Resource != "" {
			drawn.Group, drawn.Resource = of.Group, of.Resource
		}
		d.known[k.ID] = drawn
	}
	return k.ID
}

var elections = map[kinds.Answer]string{kinds.Yes: "yes", kinds.No: "no", kinds.Unknown: "default"}

func (d *drawer) controller(c controllers.Controller) picture.Controller {
	drawn := picture.Controller{
		Name: d.name(c), NameUnknown: c.NameUnknown, Package: c.Package, Framework: string(c.Framework), Reconciler: c.Reconciler, Reconcile: c.Reconcile,
		For: d.kind(c.For), Filter: d.filter(c.Filter), Workers: picture.Workers{Number: c.Workers.Value, Default: c.Workers.Default, From: c.Workers.From},
		RateLimiter: c.RateLimiter, LeaderElection: elections[c.LeaderElection], Requeues: c.Does.Requeues,
		OpenSetup: c.Open, OpenUses: c.Does.Open || c.Does.Full || c.Reconcile == "", At: d.place(c.At),
	}
	drawn.ID = c.Package + "." + drawn.Name
	for n := 2; d.ids[drawn.ID]; n++ {
		drawn.ID = c.Package + "." + drawn.Name + "#" + string(rune('0'+min(n, 9)))
	}
	d.ids[drawn.ID] = true
	for _, w := range c.Watches {
		drawn.Watches = append(drawn.Watches, d.watch(c, w))
	}
	for _, a := range c.Does.Accesses {
		if a.Act != controllers.ReadPart && a.Act != controllers.ChangePart {
			if u := d.use(a); !slices.ContainsFunc(drawn.Uses, u.Same) {
				drawn.Uses = append(drawn.Uses, u)
			}
		}
	}
	return drawn
}

// name is what a controller is called: as the program names it, or as
// controller-runtime does, by its kind.
func (d *drawer) name(c controllers.Controller) string {
	switch {
	case c.Name != "":
		return c.Name
	case c.For.IsKnown() && !c.NameUnknown && c.Queue == "":
		return strings.ToLower(c.For.Name())
	case c.Reconciler != "":
		name := path.Ext(c.Reconciler)[1:]
		if c.Queue != "" {
			name += "." + c.Queue
		}
		return name
	case c.Queue != "":
		return c.Queue
	case c.For.IsKnown():
		return strings.ToLower(c.For.Name())
	}
	return "?"
}

func (d *drawer) watch(c controllers.Controller, w controllers.Watch) picture.Watch {
	drawn := picture.Watch{
		Role: string(w.Role), Kind: d.kind(w.Kind), Form: string(w.Kind.Form), Handler: cmp.Or(string(w.Handler.Class), "unknown"),
		Func: w.Handler.Func, FuncAt: d.place(w.Handler.At), Filter: d.filter(w.Filter), Conditional: w.Conditional, At: d.place(w.At),
	}
	if w.Handler.Class == controllers.Owner {
		drawn.EveryOwner = !w.Handler.OnlyController
		if w.Handler.Owner.ID != c.For.ID {
			drawn.Owner = d.kind(w.Handler.Owner)
		}
	}
	return drawn
}

func (d *drawer) filter(f controllers.Filter) *picture.Filter {
	if !f.IsSet() {
		return nil
	}
	drawn := &picture.Filter{Names: f.Names, Create: f.Create.String(), Update: f.Update.String(), Delete: f.Delete.String(), Generic: f.Generic.String()}
	for _, at := range f.At {
		if place := d.place(at); place != nil {
			drawn.At = append(drawn.At, *place)
		}
	}
	return drawn
}

var endpoints = map[kubeapi.Endpoint]string{
	kubeapi.MainEndpoint: "main", kubeapi.StatusEndpoint: "status", kubeapi.BothEndpoints: "both", kubeapi.OtherEndpoint: "other",
}

func (d *drawer) use(a controllers.Access) picture.Use {
	u := picture.Use{
		Act: string(a.Act), Kind: d.kind(a.Kind), Form: string(a.Kind.Form), Endpoint: endpoints[a.Endpoint], Source: string(a.Source),
		Owner: d.kind(a.Owner), Finalizer: a.Name, At: d.place(a.At),
	}
	if a.Source == controllers.FromClient {
		u.Source = cmp.Or(d.of.sources[a.At.String()], u.Source)
	}
	return u
}

func (d *drawer) webhook(w controllers.Webhook) picture.Webhook {
	drawn := picture.Webhook{Kind: d.kind(w.Kind), Path: w.Path, Package: w.Package, At: d.place(w.At), Does: []string{}}
	for _, role := range []struct {
		role kubeapi.WebhookRole
		name string
	}{{kubeapi.Defaults, "default"}, {kubeapi.Validates, "validate"}, {kubeapi.Converts, "convert"}} {
		if w.Roles&role.role != 0 {
			drawn.Does = append(drawn.Does, role.name)
		}
	}
	if w.Handles {
		drawn.Does = append(drawn.Does, "handle")
	}
	return drawn
}
