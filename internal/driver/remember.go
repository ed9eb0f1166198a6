package driver

import (
	"flag"
	"fmt"
	"io"
	"path/filepath"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/driver/cache"
)

// noCache is the value of the flag -cache for none.
const noCache = "off"

// cacheName is the command about the cache.
const cacheName = "cache"

// load loads what has to be analysed, as far as the cache does not know what is
// found there.
func (c *command) load(opts LoadOptions) (*Program, error) {
	store, err := c.openCache()
	if err != nil {
		return nil, err
	}
	m := remember(opts, store, c.enabledAnalyzers(), c.salt("harm"))
	if m == nil {
		return Load(opts)
	}
	store.Trim()
	opts.memory = m
	if c.outputs.draw() {
		clear(m.known) // what is kept of a package has no part of the picture
	}
	if len(m.known) == 0 && !m.startsWithFirst(opts) {
		return Load(opts)
	}
	return m.load(opts)
}

// printing returns the analyzers if nothing is wanted of a package in which none of them reports
// anything.
func (c *command) printing() []*analysis.Analyzer {
	if c.outputs.draw() {
		return nil // a picture shows all packages
	}
	return c.enabledAnalyzers()
}

// openCache returns the cache, or nil if there is to be none or can be none.
func (c *command) openCache() (*cache.Store, error) {
	dir, err := c.cacheDir()
	if err != nil || dir == "" {
		return nil, err
	}
	return cache.Open(dir), nil
}

// cacheDir returns where results are kept, or nothing if they are not.
func (c *command) cacheDir() (string, error) {
	switch c.cache {
	case noCache:
		return "", nil
	case "":
		dir, err := cache.DefaultDir()
		if err != nil {
			return "", nil // there is no home, as in some containers
		}
		return dir, nil
	}
	dir, err := filepath.Abs(c.cache)
	if err != nil {
		return "", fmt.Errorf("-cache: %w", err)
	}
	return dir, nil
}

// salt returns what results depend on beside the packages: which analyzers run,
// and the flags of all but one, since those of one may concern the passes of all. Which
// harm is printed is decided afterwards, where what is not printed is kept as well.
func (c *command) salt(but string) []string {
	var salt []string
	for _, a := range c.enabledAnalyzers() {
		salt = append(salt, a.Name)
	}
	for _, a := range c.analyzers {
		a.Flags.VisitAll(func(f *flag.Flag) {
			if f.Name != but {
				salt = append(salt, a.Name+"."+f.Name+"="+f.Value.String())
			}
		})
	}
	return salt
}

// cacheCommand says where results are kept, or removes them.
func (c *command) cacheCommand(args []string, stdout io.Writer) error {
	dir, err := c.cacheDir()
	if err != nil {
		return err
	}
	switch {
	case dir == "":
		return fmt.Errorf("there is no cache")
	case len(args) == 0:
		_, err := fmt.Fprintf(stdout, "%s: %.1f MB\n", dir, float64(cache.Size(dir))/(1<<20))
		return err
	case len(args) == 1 && (args[0] == "-clean" || args[0] == "--clean"):
		if err := cache.Clean(dir); err != nil {
			return fmt.Errorf("cache: %w", err)
		}
		return nil
	}
	return fmt.Errorf("cache takes -clean or nothing")
}
