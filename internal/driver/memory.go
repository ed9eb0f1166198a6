package driver

import (
	"context"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/opvet/opvet/internal/driver/cache"
	"github.com/opvet/opvet/internal/kubeapi/rbac"
	"github.com/opvet/opvet/internal/report/guard"
	"github.com/opvet/opvet/internal/report/rule"
)

// memory is what earlier runs have found in packages that have not changed,
// and where to keep what this one finds in the others.
type memory struct {
	store *cache.Store
	list  *cache.Listing
	rules []*analysis.Analyzer
	keys  map[string]cache.Key // by the packages' IDs

	listed   map[string]*cache.Package    // by the packages' IDs
	through  map[string]bool              // packages that are the user's, or import one, directly or not
	packages map[string]*packages.Package // what would be analysed, without syntax and types
	asked    []*packages.Package          // what the patterns match
	imports  map[string][]string          // of the user's packages
	needs    map[string]need              // as of [needsOf]
	place    cache.Copy
	cgo      map[string]bool   // packages with places in files that cgo has made, which do not last
	known    map[string]*entry // does not change while anything else is going on

	mu      sync.Mutex             // guards:
	changed map[string]bool        // files that were not as they had been when they were hashed
	trees   map[rule.Folder]string // hashes of what is below folders
	seen    map[string]cache.Key   // hashes of what importers see of packages, as far as that is known
}

// remember looks for what is known of the packages. It returns nil if the cache
// cannot serve the command at all; then packages are loaded as if there were
// none.
func remember(opts LoadOptions, store *cache.Store, analyzers []*analysis.Analyzer, flags []string) *memory {
	if store == nil || slices.ContainsFunc(opts.Patterns, func(p string) bool { return strings.HasSuffix(p, ".go") || isFileQuery(p) }) {
		return nil
	}
	program, err := os.Executable()
	if err != nil {
		return nil
	}
	ctx := opts.Context
	if ctx == nil {
		ctx = context.Background()
	}
	patterns := opts.Patterns
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	list, err := cache.List(ctx, cache.Options{Dir: opts.Dir, Patterns: patterns, Tests: opts.Tests, Tags: opts.Tags, Copy: opts.place})
	if err != nil {
		return nil // loading says so, and better
	}
	m := &memory{
		store: store, list: list, rules: analyzers, place: opts.place, packages: make(map[string]*packages.Package), imports: make(map[string][]string),
		cgo: make(map[string]bool), known: make(map[string]*entry), changed: make(map[string]bool), trees: make(map[rule.Folder]string),
		listed: make(map[string]*cache.Package), through: make(map[string]bool), seen: make(map[string]cache.Key),
	}
	if !m.collect() {
		return nil
	}
	if m.keys, err = list.Keys(cache.Salt{Program: program, Flags: flags}); err != nil {
		return nil
	}
	registerFacts(analyzers)
	if leavesSilent(opts.Analyzers) && len(opts.Analyzers) > 0 {
		var nodes []node
		for id, pkg := range m.packages {
			nodes = append(nodes, node{id, pkg.PkgPath, pkg.GoFiles, m.imports[id]})
		}
		m.needs = needsOf(nodes, opts.Analyzers)
	}
	m.lookUp()
	return m
}

// collect sorts the packages that would be analysed out of the listing. It
// reports whether all that the patterns match are the user's, in modules.
func (m *memory) collect() bool {
	var all []*packages.Package
	for _, p := range m.list.Packages {
		pkg := describe(p)
		all = append(all, pkg)
		if !p.DepOnly {
			m.asked = append(m.asked, pkg)
		}
	}
	mains := testMains(m.asked)
	for i, p := range m.list.Packages {
		pkg := all[i]
		m.listed[pkg.ID] = p
		isUsers := p.Module != nil && isUserPackage(pkg) && !isUnmatched(pkg)
		switch {
		case mains[pkg]:
		case !isUsers && !p.DepOnly:
			return false // loading says what is wrong with it
		case isUsers:
			m.imports[pkg.ID] = p.Imports
			// Loading makes no use of variants that are only imported.
			if !p.DepOnly || p.ForTest == "" {
				m.packages[pkg.ID] = pkg
				m.cgo[pkg.ID] = len(p.CgoFiles) > 0
			}
		}
		m.through[pkg.ID] = isUsers || slices.ContainsFunc(p.Imports, func(imported string) bool { return m.through[imported] })
	}
	return len(m.packages) > 0
}

// describe makes a package without syntax and types.
func describe(p *cache.Package) *packages.Package {
	path, _, _ := strings.Cut(p.ImportPath, " [")
	return &packages.Package{ID: p.ImportPath, PkgPath: path, Name: p.Name, ForTest: p.ForTest, Module: p.Module, GoFiles: p.Absolute(p.GoFiles)}
}

// lookUp fills in what is known, and can be restored as it was. What is known of a package
// depends on what it sees of its imports, so each waits for those. Until all have been looked
// up, known is read only.
func (m *memory) lookUp() {
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0) + 1)
	asked := make(map[string]*question)
	for _, p := range m.list.Packages { // each after what it imports, so that the first one waits for nobody
		id := p.ImportPath
		if !m.through[id] || m.known[id] != nil {
			continue
		}
		q := &question{ready: make(chan struct{})}
		for _, imported := range p.Imports {
			if before := asked[imported]; before != nil {
				q.after = append(q.after, before)
			}
		}
		asked[id] = q
		group.Go(func() error {
			defer close(q.ready)
			for _, before := range q.after {
				<-before.ready
			}
			q.answer = m.find(id)
			return nil
		})
	}
	_ = group.Wait()
	for id, q := range asked {
		if q.answer != nil {
			m.known[id] = q.answer
		}
	}
}

// question asks what is known of a package.
type question struct {
	after  []*question // about its imports
	ready  chan struct{}
	answer *entry
}

// find returns what is known of a package, or nil.
func (m *memory) find(id string) *entry {
	key, ok := m.keyOf(id)
	if !ok {
		return nil
	}
	data, ok := m.store.Get(key)
	if !ok {
		return nil
	}
	e, err := decodeEntry(data)
	if err != nil {
		return nil
	}
	// What importers see follows from the key; what is found may depend on more.
	m.mu.Lock()
	m.seen[id] = e.Seen
	m.mu.Unlock()
	for _, folder := range e.Below {
		if m.tree(m.place.Copied(folder.Dir), folder.Of) != folder.Sum {
			return nil
		}
	}
	for name, sum := range e.Others {
		if m.sum(m.place.Copied(name)) != sum {
			return nil
		}
	}
	if e.unit, err = e.restore(m.packages[id], m.rules, m.place); err != nil {
		return nil
	}
	return e
}

// needed returns packages and what they import, directly or not, as far as it is the user's or
// imports that, with the facts of what is known.
func (m *memory) needed(ids []string) map[string]bool {
	needed := make(map[string]bool)
	var visit func(id string)
	visit = func(id string) {
		if needed[id] || !m.through[id] {
			return
		}
		needed[id] = true
		if e := m.known[id]; e != nil && e.decodeFacts() != nil {
			delete(m.known, id)
		}
		for _, imported := range m.listed[id].Imports {
			visit(imported)
		}
	}
	for _, id := range ids {
		visit(id)
	}
	return needed
}

// unknown returns the packages that must be analysed.
func (m *memory) unknown() []string {
	var unknown []string
	for id := range m.packages {
		if m.known[id] == nil {
			unknown = append(unknown, id)
		}
	}
	return unknown
}

// load loads what must be analysed, and of what that imports, as much as other
// packages see of it. It makes the program of that and of what is known.
func (m *memory) load(opts LoadOptions) (*Program, error) {
	m.analyseFirst(opts)
	var pkgs []*packages.Package
	loaded := make(map[string]bool)
	whole := isWhole(opts)
	if needed := m.needed(m.unknown()); len(needed) > 0 {
		opts.Patterns, opts.bodiless = m.patterns(needed), m.bodiless()
		var err error
		if pkgs, err = m.loadNearby(opts, needed); err != nil {
			if pkgs, err = load(opts, fullMode); err != nil {
				return nil, err
			}
		}
		m.complete(pkgs)
		pkgs = slices.DeleteFunc(pkgs, func(pkg *packages.Package) bool {
			return !needed[pkg.ID] && len(pkg.Errors) == 0 // tests of what is only imported
		})
		for _, pkg := range pkgs {
			loaded[pkg.ID] = true
		}
	}
	for id := range m.known {
		if !loaded[id] {
			pkgs = append(pkgs, m.packages[id])
		}
	}
	p, err := newProgram(pkgs, m.asked, nil, m)
	if err == nil {
		p.whole, p.needs = p.whole && whole, m.needs
	}
	return p, err
}

// maxAtOnce is how many packages may be in memory at once.
const maxAtOnce = 200

// startsWithFirst reports whether what is to be analysed can be loaded without the go command
// where nothing is known as it is: what all others import has changed, perhaps not for them.
func (m *memory) startsWithFirst(opts LoadOptions) bool {
	first := m.analyseFirst(opts)
	if first == 0 || len(m.known) <= first && len(m.packages) > maxAtOnce {
		clear(m.known)
		return false
	}
	return true
}

// analyseFirst analyses the packages that have changed if others wait for nothing but what comes
// out of them, which then are known, mostly. It returns how many it has analysed. What goes wrong
// is told when they are loaded again.
func (m *memory) analyseFirst(opts LoadOptions) int {
	var first []string
	unknown := m.unknown()
	for _, id := range unknown {
		if _, ok := m.keyOf(id); ok {
			first = append(first, id)
		}
	}
	if len(first) == 0 || len(unknown) < 2*len(first) {
		return 0
	}
	opts.bodiless = m.bodiless()
	needed := m.needed(first)
	pkgs, err := m.loadNearby(opts, needed)
	if err != nil {
		return 0
	}
	m.complete(pkgs)
	p, err := newProgram(pkgs, m.asked, nil, m)
	if err != nil || len(p.Problems) > 0 {
		return 0
	}
	p.needs = m.needs
	if _, err := p.Analyze(m.rules); err == nil {
		m.lookUp()
	}
	return len(first)
}

// patterns returns the import paths by which to load packages.
func (m *memory) patterns(needed map[string]bool) []string {
	var patterns []string
	for id := range needed {
		switch pkg := m.packages[id]; {
		case pkg == nil:
		case pkg.ForTest != "":
			patterns = append(patterns, pkg.ForTest)
		default:
			patterns = append(patterns, pkg.PkgPath)
		}
	}
	slices.Sort(patterns)
	return slices.Compact(patterns)
}

// bodiless tells of files of which only known packages are made, and others' that import them.
func (m *memory) bodiless() func(string) bool {
	only := make(map[string]bool)
	for id := range m.through {
		if _, isUsers := m.imports[id]; m.through[id] && !isUsers {
			for _, name := range m.listed[id].Absolute(m.listed[id].GoFiles) {
				only[name] = true
			}
		}
	}
	for id := range m.known {
		for _, name := range m.packages[id].GoFiles {
			only[name] = true
		}
	}
	for id, pkg := range m.packages {
		if m.known[id] == nil {
			for _, name := range pkg.GoFiles {
				delete(only, name)
			}
		}
	}
	return func(name string) bool { return only[name] }
}

// complete takes back the errors that known packages have because functions
// have no bodies, such as imports that only these use, and what has followed from
// them: for others' packages that import the user's as well.
func (m *memory) complete(pkgs []*packages.Package) {
	packages.Visit(pkgs, nil, func(pkg *packages.Package) {
		isUsers := m.packages[pkg.ID] != nil
		if isUsers && m.known[pkg.ID] != nil || !isUsers && m.through[pkg.ID] {
			pkg.Errors = slices.DeleteFunc(pkg.Errors, func(err packages.Error) bool { return err.Kind == packages.TypeError })
			pkg.TypeErrors = nil
		}
		illTyped := len(pkg.Errors) > 0
		for _, imported := range pkg.Imports {
			illTyped = illTyped || imported.IllTyped
		}
		pkg.IllTyped = illTyped && (isUsers || pkg.IllTyped)
	})
}

// sees notes the content of a file that is parsed: if it is another than what
// was hashed, nothing is kept of the packages that it is in.
func (m *memory) sees(name string, content []byte) {
	if m.list.IsCurrent(name, content) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.changed[name] = true
}

// keep keeps what was found in a package, and its facts.
func (m *memory) keep(e *executor, unit *unitResult) {
	id := unit.pkg.ID
	key, ok := m.keyOf(id)
	if !ok || len(unit.errors) > 0 || !m.isAsHashed(unit.pkg) {
		return
	}
	facts := e.facts.export(guard.Passes(m.rules), unit.pkg.Types)
	seen, err := m.see(unit, facts)
	if err != nil {
		return
	}
	m.mu.Lock()
	m.seen[id] = seen
	m.mu.Unlock()
	kept := entry{Seen: seen, Others: make(map[string]string)}
	for _, outcome := range unit.outcomes {
		for _, folder := range outcome.ReadBelow() {
			kept.Below = append(kept.Below, keptFolder{rule.Folder{Dir: m.place.Original(folder.Dir), Of: folder.Of}, m.tree(folder.Dir, folder.Of)})
		}
		for _, name := range outcome.ReadElsewhere() {
			kept.Others[m.place.Original(name)] = m.sum(name)
		}
	}
	if data, err := kept.encode(unit, m.rules, facts, m.place); err == nil {
		m.store.Put(key, data)
	}
}

// sum returns the hash of a file, or nothing if it cannot be read.
func (m *memory) sum(name string) string {
	content, err := os.ReadFile(name)
	if err != nil {
		return ""
	}
	return sumOf(content)
}

// tree returns the hash of what counts below a folder, as it was when it was first asked
// for.
func (m *memory) tree(dir string, of rule.Files) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	folder := rule.Folder{Dir: dir, Of: of}
	sum, ok := m.trees[folder]
	if !ok {
		if of == rule.AllFiles {
			sum = cache.Tree(dir)
		} else {
			sum = rbac.Digest(dir, of == rule.Grants)
		}
		m.trees[folder] = sum
	}
	return sum
}

// isAsHashed reports whether a package that was loaded has the files that were hashed, as they
// were then.
func (m *memory) isAsHashed(loaded *packages.Package) bool {
	pkg := m.packages[loaded.ID]
	if pkg == nil || m.cgo[loaded.ID] || !slices.Equal(loaded.GoFiles, pkg.GoFiles) {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return !slices.ContainsFunc(pkg.GoFiles, func(name string) bool { return m.changed[name] })
}
