package driver

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/types"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/tools/go/packages"

	"github.com/opvet/opvet/internal/driver/cache"
)

// Of a package that has changed, go list -export compiles all that import it, and looks
// at each of a thousand others to see that they have not. Both are of no use here: the
// user's packages are read from source, and what others' packages are made of follows
// from their keys. So it is kept where the go command has put the export data of those,
// and as long as that is there, what must be analysed is loaded without it.

// exports are the files with the export data of others' packages, by the hash of all
// that these are made of.
type exports map[string]string

func exportName(key cache.Key) string { return fmt.Sprintf("%x", key) }

func (m *memory) readExports() exports {
	known := make(exports)
	if data, ok := m.store.Get(m.list.ExportsKey()); ok && json.Unmarshal(data, &known) != nil {
		return make(exports)
	}
	return known
}

// keepExports keeps where the export data is that packages were loaded with.
func (m *memory) keepExports(pkgs []*packages.Package) {
	current := make(map[string]bool)
	for _, key := range m.keys {
		current[exportName(key)] = true
	}
	kept, changed := make(exports), false
	for name, file := range m.readExports() {
		if current[name] {
			kept[name] = file
		}
	}
	packages.Visit(pkgs, nil, func(pkg *packages.Package) {
		key, ok := m.keys[pkg.ID]
		if _, isUsers := m.imports[pkg.ID]; ok && !isUsers && pkg.ExportFile != "" && kept[exportName(key)] != pkg.ExportFile {
			kept[exportName(key)], changed = pkg.ExportFile, true
		}
	})
	if !changed {
		return
	}
	if data, err := json.Marshal(kept); err == nil {
		m.store.Put(m.list.ExportsKey(), data)
	}
}

// errNotNearby says that only the go command can tell what packages are made of.
var errNotNearby = errors.New("the go command is needed")

// nearby loads packages of the user's from source and what they import from export
// data that is known.
type nearby struct {
	*memory
	*source
	sizes   types.Sizes
	exports exports
	loaded  map[string]*packages.Package
	ready   map[string]chan struct{} // closed when a package has been type-checked
}

// loadNearby loads the needed packages, if that can be done without the go command and
// none has an error.
func (m *memory) loadNearby(opts LoadOptions, needed map[string]bool) ([]*packages.Package, error) {
	n := &nearby{
		memory: m, source: newSource(opts), sizes: types.SizesFor("gc", m.list.GOARCH()), exports: m.readExports(),
		loaded: make(map[string]*packages.Package), ready: make(map[string]chan struct{}),
	}
	if n.sizes == nil || len(n.exports) == 0 {
		return nil, errNotNearby
	}
	var listed []*cache.Package
	for _, p := range m.list.Packages {
		if needed[p.ImportPath] {
			listed = append(listed, p)
		}
	}
	for _, p := range listed {
		if err := n.declare(p); err != nil {
			return nil, err
		}
	}
	if err := n.parse(slices.Collect(maps.Values(n.loaded))); err != nil {
		return nil, err
	}
	var group errgroup.Group
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for _, p := range listed {
		pkg := n.loaded[p.ImportPath]
		group.Go(func() error {
			defer close(n.ready[pkg.ID])
			for _, imported := range pkg.Imports {
				<-n.ready[imported.ID]
			}
			slots <- struct{}{}
			defer func() { <-slots }()
			return n.check(pkg)
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	var pkgs []*packages.Package
	for _, p := range listed {
		if n.packages[p.ImportPath] != nil {
			pkgs = append(pkgs, n.loaded[p.ImportPath])
		}
	}
	return pkgs, nil
}

// declare makes a package without syntax and types, and reads the export data of what
// it imports. All of that is read before anything is type-checked, since it completes
// packages that others have told of.
func (n *nearby) declare(p *cache.Package) error {
	described := n.packages[p.ImportPath]
	if _, isUsers := n.memory.imports[p.ImportPath]; described == nil && !isUsers {
		// A package of others that imports the user's has no export data that tells of these as
		// they are now. So it is read from source.
		described = describe(p)
	}
	if _, hasKey := n.keys[p.ImportPath]; !hasKey || described == nil || len(p.CgoFiles) > 0 || len(p.SwigFiles)+len(p.SwigCXXFiles) > 0 {
		return errNotNearby
	}
	pkg := *described
	pkg.Dir, pkg.CompiledGoFiles = p.Dir, pkg.GoFiles
	pkg.OtherFiles, pkg.IgnoredFiles = p.Absolute(p.OtherFiles()), p.Absolute(slices.Concat(p.IgnoredGoFiles, p.IgnoredOtherFiles))
	pkg.TypesSizes = n.sizes
	n.source.declare(&pkg)
	pkg.Imports = make(map[string]*packages.Package)
	for _, imported := range p.Imports {
		path, _, _ := strings.Cut(imported, " [")
		if n.through[imported] {
			if n.loaded[imported] == nil {
				return errNotNearby
			}
			pkg.Imports[path] = n.loaded[imported]
			continue
		}
		if imported == "unsafe" {
			continue
		}
		if path != imported {
			return errNotNearby
		}
		if err := n.read(imported); err != nil {
			return err
		}
	}
	n.loaded[pkg.ID], n.ready[pkg.ID] = &pkg, make(chan struct{})
	return nil
}

// read reads the export data of a package.
func (n *nearby) read(path string) error {
	if n.isRead(path) {
		return nil
	}
	key, ok := n.keys[path]
	if !ok {
		return errNotNearby
	}
	file := n.exports[exportName(key)]
	if _, err := os.Stat(file); err != nil {
		return errNotNearby // the go command has removed it
	}
	use(file)
	return n.source.read(path, file, n.foreign)
}

// use keeps the go command from removing a file of its cache, as if it had used that
// itself: it looks at the time of the last change, which counts by the hour.
func use(file string) {
	if info, err := os.Stat(file); err == nil && time.Since(info.ModTime()) > time.Hour {
		now := time.Now()
		_ = os.Chtimes(file, now, now)
	}
}

// check type-checks a package. Of one that is known, or others', functions have no bodies, so
// that what only these import is not used; see [memory.complete].
func (n *nearby) check(pkg *packages.Package) error {
	err := n.source.check(pkg, pkg.Imports)
	if n.known[pkg.ID] != nil || n.packages[pkg.ID] == nil {
		return nil
	}
	return err
}
