package cache

import (
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Salt is what all results depend on, beside the packages.
type Salt struct {
	Program string // the file of the program that runs
	Flags   []string
}

// Keys returns the key of each package: a hash of the salt, of the files of the
// package, and of the keys of what it imports. A dependency from the module
// cache stands for its version, since nobody changes files there; one from the
// standard library for Go's. A package with errors has no key, nor has one that
// imports it: what the go command and the compiler say about it is not known.
func (l *Listing) Keys(salt Salt) (map[string]Key, error) {
	var (
		group    errgroup.Group
		contents = make(map[string]Key) // of packages outside of the module cache
		mu       sync.Mutex
	)
	l.sums = make(map[string]Key)
	group.SetLimit(runtime.GOMAXPROCS(0) + 1)
	group.Go(func() (err error) {
		l.base, err = l.hash(salt)
		return err
	})
	for _, p := range l.Packages {
		if p.Standard || p.Incomplete || l.isVersioned(p) {
			continue
		}
		group.Go(func() error {
			content, sums, err := l.contentOf(p)
			if err != nil {
				return nil // it is an error for those who load the package
			}
			mu.Lock()
			defer mu.Unlock()
			contents[p.ImportPath] = content
			maps.Copy(l.sums, sums)
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}

	keys := make(map[string]Key)
	l.own = make(map[string]Key)
	for _, p := range l.Packages { // in the order of imports
		h := sha256.New()
		h.Write(l.base[:])
		fmt.Fprintf(h, "package %q %q %q\n", p.ImportPath, p.Name, p.ForTest)
		content, hasContent := contents[p.ImportPath]
		switch {
		case p.Standard:
		case p.Incomplete:
			continue
		case l.isVersioned(p):
			m := p.Module
			fmt.Fprintf(h, "module %q %q\n", m.Path, m.Version)
			if m.Replace != nil {
				fmt.Fprintf(h, "replaced %q %q\n", m.Replace.Path, m.Replace.Version)
			}
		case hasContent:
			h.Write(content[:])
		default:
			continue
		}
		if m := p.Module; m != nil {
			fmt.Fprintf(h, "go %q\n", m.GoVersion)
		}
		l.own[p.ImportPath] = Key(h.Sum(nil))
		if key, ok := l.KeyOf(p, func(imported string) (Key, bool) { key, ok := keys[imported]; return key, ok }); ok {
			keys[p.ImportPath] = key
		}
	}
	return keys, nil
}

// KeyOf returns the key of a package if of tells what is to stand for each package that it
// imports: the key of that, as in [Listing.Keys], or less, if less of it matters. It returns
// false if the package has no key, or one that it imports has none.
func (l *Listing) KeyOf(p *Package, of func(imported string) (Key, bool)) (Key, bool) {
	own, ok := l.own[p.ImportPath]
	if !ok {
		return Key{}, false
	}
	h := sha256.New()
	h.Write(own[:])
	for _, imported := range slices.Sorted(slices.Values(p.Imports)) {
		if imported == "C" || imported == "unsafe" {
			continue
		}
		key, ok := of(imported)
		if !ok {
			return Key{}, false
		}
		fmt.Fprintf(h, "import %q %x\n", imported, key)
	}
	return Key(h.Sum(nil)), true
}

// isVersioned reports whether a package lies in the module cache.
func (l *Listing) isVersioned(p *Package) bool {
	if p.Module == nil || p.Module.Version == "" || l.env.GOMODCACHE == "" {
		return false
	}
	return strings.HasPrefix(p.Dir, l.env.GOMODCACHE+string(filepath.Separator))
}

// ExportsKey is the key under which to keep where the export data of others' packages
// is, once [Listing.Keys] knows what all have in common.
func (l *Listing) ExportsKey() Key {
	return sha256.Sum256(fmt.Appendf(nil, "exports %x %q", l.base, l.place.Original(l.dir)))
}

// hash returns the hash of what all packages have in common.
func (l *Listing) hash(salt Salt) (Key, error) {
	h := sha256.New()
	file, err := os.Open(salt.Program)
	if err != nil {
		return Key{}, err
	}
	defer file.Close()
	if _, err := io.Copy(h, file); err != nil {
		return Key{}, err
	}
	fmt.Fprintf(h, "%q %q %q\n", salt.Flags, l.env, l.tags)
	return Key(h.Sum(nil)), nil
}

// contentOf returns the hash of a package's files, and of where they are, since
// results name them; and the hash of each.
func (l *Listing) contentOf(p *Package) (Key, map[string]Key, error) {
	h := sha256.New()
	sums := make(map[string]Key)
	fmt.Fprintf(h, "%q\n", l.place.Original(p.Dir))
	for _, name := range p.Absolute(p.files()) {
		data, err := os.ReadFile(name)
		if err != nil {
			return Key{}, nil, err
		}
		sums[name] = sha256.Sum256(data)
		fmt.Fprintf(h, "file %q %x\n", l.place.Original(name), sums[name])
	}
	return Key(h.Sum(nil)), sums, nil
}

// IsCurrent reports whether a file had this content when [Listing.Keys] read it.
func (l *Listing) IsCurrent(name string, content []byte) bool {
	sum, ok := l.sums[name]
	return ok && sum == sha256.Sum256(content)
}
