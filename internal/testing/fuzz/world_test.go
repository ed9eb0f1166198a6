package fuzz

import (
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/gcexportdata"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/txtar"
)

// world is one of the modules of cases: its packages as source, and all that
// they import as export data, which is read once per process.
type world struct {
	module  *packages.Module
	fset    *token.FileSet
	sources map[string]*pkgSource // by import path

	exports  map[string]string // import path -> export data
	imported map[string]*types.Package
}

// pkgSource is a package of a module of cases.
type pkgSource struct {
	path    string
	files   []fileSource
	imports []string // sorted
}

type fileSource struct{ name, text string }

// program is what one execution analyses: packages, each after those that it
// imports. The last one is what it is about.
type program struct {
	*world
	pkgs []*pkgSource
}

const testdata = "../../../testdata"

var (
	current = sync.OnceValues(func() (*world, error) { return newWorld(testdata) })
	legacy  = sync.OnceValues(func() (*world, error) { return newWorld(filepath.Join(testdata, "legacy")) })
)

// newWorld loads the module in dir. None of its own packages is compiled.
func newWorld(dir string) (*world, error) {
	const mode = packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedModule
	pkgs, err := packages.Load(&packages.Config{Mode: mode, Dir: dir}, "./...")
	if err != nil {
		return nil, fmt.Errorf("loading the cases: %w", err)
	}
	w := &world{fset: token.NewFileSet(), sources: make(map[string]*pkgSource), exports: make(map[string]string), imported: make(map[string]*types.Package)}
	for _, pkg := range pkgs {
		w.module = pkg.Module
		if w.sources[pkg.PkgPath], err = readSource(pkg); err != nil {
			return nil, err
		}
	}
	if w.module == nil {
		return nil, fmt.Errorf("no packages in %s", dir)
	}
	var others []string
	for _, pkg := range pkgs {
		for path := range pkg.Imports {
			if w.sources[path] == nil && path != "unsafe" && path != "C" {
				others = append(others, path)
			}
		}
	}
	slices.Sort(others)
	exported, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedExportFile, Dir: dir}, slices.Compact(others)...)
	if err != nil {
		return nil, fmt.Errorf("loading what the cases import: %w", err)
	}
	for _, pkg := range exported {
		w.exports[pkg.PkgPath] = pkg.ExportFile
	}
	return w, nil
}

func readSource(pkg *packages.Package) (*pkgSource, error) {
	source := &pkgSource{path: pkg.PkgPath}
	for _, name := range pkg.GoFiles {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		source.files = append(source.files, fileSource{name, string(text)})
	}
	source.imports = slices.Sorted(maps.Keys(pkg.Imports))
	return source, nil
}

// cases lists the packages of the module, sorted.
func (w *world) cases() []string {
	var paths []string
	for path, source := range w.sources {
		if len(source.files) > 0 {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

// program returns the package of that path with those of the module that it
// imports, directly or not.
func (w *world) program(path string) *program {
	return w.closure(nil, path)
}

func (w *world) closure(own map[string]*pkgSource, paths ...string) *program {
	p := &program{world: w}
	seen := make(map[string]bool)
	var visit func(path string)
	visit = func(path string) {
		if seen[path] {
			return
		}
		seen[path] = true
		source := own[path]
		if source == nil {
			source = w.sources[path]
		}
		if source == nil {
			return
		}
		for _, imported := range source.imports {
			visit(imported)
		}
		p.pkgs = append(p.pkgs, source)
	}
	for _, path := range paths {
		visit(path)
	}
	return p
}

// archived returns the program of an archive, with the packages of the module
// that it imports but does not contain.
func (w *world) archived(archive *txtar.Archive) *program {
	own := make(map[string]*pkgSource)
	var order []string
	for _, file := range archive.Files {
		path := w.module.Path + "/" + filepath.ToSlash(filepath.Dir(file.Name))
		source := own[path]
		if source == nil {
			source = &pkgSource{path: path}
			own[path] = source
			order = append(order, path)
		}
		text := string(file.Data)
		source.files = append(source.files, fileSource{filepath.Join(w.module.Dir, file.Name), text})
		for _, quoted := range strings.Split(text, `"`) {
			if strings.HasPrefix(quoted, w.module.Path+"/") {
				source.imports = append(source.imports, quoted)
			}
		}
	}
	return w.closure(own, order...)
}

// String is the program as an archive, without the packages that are as they
// are in the module.
func (p *program) String() string {
	archive := new(txtar.Archive)
	for _, pkg := range p.pkgs {
		if p.sources[pkg.path] == pkg {
			continue
		}
		for _, file := range pkg.files {
			name, err := filepath.Rel(p.module.Dir, file.name)
			if err != nil {
				name = file.name
			}
			archive.Files = append(archive.Files, txtar.File{Name: name, Data: []byte(file.text)})
		}
	}
	return string(txtar.Format(archive))
}

// importAll reads all that the cases of a module import.
func importAll(load func() (*world, error)) error {
	w, err := load()
	if err != nil {
		return err
	}
	for path := range w.exports {
		if _, err := w.Import(path); err != nil {
			return err
		}
	}
	return nil
}

// Import reads a package from its export data.
func (w *world) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if pkg := w.imported[path]; pkg != nil && pkg.Complete() {
		return pkg, nil
	}
	file, err := os.Open(w.exports[path])
	if err != nil {
		return nil, fmt.Errorf("no export data of %s: %w", path, err)
	}
	defer file.Close()
	r, err := gcexportdata.NewReader(file)
	if err != nil {
		return nil, err
	}
	return gcexportdata.Read(r, w.fset, w.imported, path)
}
