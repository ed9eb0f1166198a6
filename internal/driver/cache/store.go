// Package cache keeps what an analysis has found on disk, and tells what a
// package's analysis depends on, so that a package which has not changed needs
// to be neither parsed nor type-checked.
package cache

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/cache"
)

// Key is a hash of all that a result depends on.
type Key = cache.ActionID

// Store is a directory with results, which several processes may use at once.
// Nothing that goes wrong with it is an error: what it does not have is made
// again, and what it cannot keep is lost. The nil store is empty.
type Store struct {
	dir   string
	cache *cache.Cache
}

// DefaultDir returns where results are kept unless the user says otherwise.
func DefaultDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "opvet"), nil
}

// Open returns the store in a directory, which is made if need be, or nil if
// there can be none.
func Open(dir string) *Store {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil
	}
	if err := describe(dir); err != nil && !isReadOnly(err) {
		return nil
	}
	c, err := cache.Open(dir)
	if err != nil {
		return nil
	}
	return &Store{dir, c}
}

// readme is the file by which Clean knows a directory that it may remove.
const readme = "README"

const readmeText = `Here opvet keeps what it has found, so that it need not look again.
Run "opvet cache -clean" to remove all of it.
`

func describe(dir string) error {
	name := filepath.Join(dir, readme)
	if _, err := os.Stat(name); err == nil {
		return nil
	}
	return os.WriteFile(name, []byte(readmeText), 0o666)
}

func isReadOnly(err error) bool {
	return errors.Is(err, fs.ErrPermission) || strings.Contains(err.Error(), "read-only")
}

// Get returns what was kept under a key. Data that is not what was written
// does not count.
func (s *Store) Get(key Key) ([]byte, bool) {
	if s == nil {
		return nil, false
	}
	data, _, err := s.cache.GetBytes(key)
	return data, err == nil
}

// Put keeps data under a key.
func (s *Store) Put(key Key, data []byte) {
	if s != nil {
		_, _, _ = s.cache.PutNoVerify(key, strings.NewReader(string(data)))
	}
}

// How much is kept: nothing that no run has asked for in five days, which is
// the limit of the Go command's own cache, and not more than this.
const maxBytes = 512 << 20

// trimInterval is how often the store is looked through.
const trimInterval = 24 * time.Hour

// Trim removes what has not been used for long, and of the rest what has not
// been used for longest until it is small enough. It does nothing if that was
// done a short while ago.
func (s *Store) Trim() {
	if s == nil {
		return
	}
	stamp := filepath.Join(s.dir, "trim-size")
	if info, err := os.Stat(stamp); err == nil && time.Since(info.ModTime()) < trimInterval {
		return
	}
	if err := os.WriteFile(stamp, nil, 0o666); err != nil {
		return
	}
	now := time.Now()
	if err := os.Chtimes(stamp, now, now); err != nil || s.cache.Trim() != nil {
		return
	}
	s.shrink(maxBytes)
}

// shrink removes the entries that were not used for longest.
func (s *Store) shrink(limit int64) {
	entries, size := s.entries()
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.used.UnixNano(), b.used.UnixNano()) })
	for _, e := range entries {
		if size <= limit {
			return
		}
		if os.Remove(e.name) == nil {
			size -= e.size
		}
	}
}

type entry struct {
	name string
	size int64
	used time.Time // about
}

// entries returns the files of the store and their size in all.
func (s *Store) entries() (entries []entry, size int64) {
	names, _ := filepath.Glob(filepath.Join(s.dir, "[0-9a-f][0-9a-f]", "*-[ad]"))
	for _, name := range names {
		if info, err := os.Stat(name); err == nil { // or another process has removed it
			entries = append(entries, entry{name, info.Size(), info.ModTime()})
			size += info.Size()
		}
	}
	return entries, size
}

// Size returns how many bytes the store in a directory has.
func Size(dir string) int64 {
	_, size := (&Store{dir: dir}).entries()
	return size
}

// Clean removes the store in a directory.
func Clean(dir string) error {
	names, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(names) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	if text, err := os.ReadFile(filepath.Join(dir, readme)); err != nil || string(text) != readmeText {
		return fmt.Errorf("%s is not a cache of opvet", dir)
	}
	return os.RemoveAll(dir)
}
