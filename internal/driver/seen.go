package driver

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"

	"github.com/opvet/opvet/internal/driver/cache"
)

// What importers see of a package is less than all that is in it: its surface, and the facts
// about it. A package that has changed is analysed; if what others see of it is as it was,
// nothing else is.

// keyOf returns the key under which what is found in a package is kept: of its files and of
// what it sees of its imports. It returns false if nothing is kept, or not yet known which.
func (m *memory) keyOf(id string) (cache.Key, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.isKept(id) {
		return cache.Key{}, false
	}
	key, ok := m.list.KeyOf(m.listed[id], m.seenOf)
	if need := m.needs[id]; ok && need != forFindings {
		// What is known of it does not answer for what would be found.
		key = cache.Key(sha256.Sum256(fmt.Appendf(nil, "%x needed %d", key, need)))
	}
	return key, ok
}

// isKept reports whether what is found in a package is kept, if nothing is wrong with it.
func (m *memory) isKept(id string) bool { return m.packages[id] != nil && !m.cgo[id] }

// seenOf returns a hash of what importers see of a package. Of what is not kept, that is all
// that it is made of. The mutex must be held.
func (m *memory) seenOf(id string) (cache.Key, bool) {
	if key, ok := m.seen[id]; ok {
		return key, true
	}
	if m.isKept(id) {
		return cache.Key{}, false // it has to be analysed first
	}
	if !m.through[id] {
		key, ok := m.keys[id]
		return key, ok
	}
	key, ok := m.list.KeyOf(m.listed[id], m.seenOf)
	if ok {
		m.seen[id] = key
	}
	return key, ok
}

// see returns the hash for a package that has been analysed, with these facts.
func (m *memory) see(unit *unitResult, facts []keptFact) (cache.Key, error) {
	var said bytes.Buffer
	for _, f := range facts {
		fmt.Fprintf(&said, "%q %q %T ", f.Analyzer, f.Object, f.Fact)
		writeValue(&said, reflect.ValueOf(f.Fact))
	}
	h := sha256.New()
	fmt.Fprintf(h, "seen %d\n%s\n", said.Len(), said.Bytes())

	var files []surfaceFile
	for i, name := range unit.pkg.GoFiles {
		content, err := os.ReadFile(name)
		if err != nil {
			return cache.Key{}, err
		}
		if !m.list.IsCurrent(name, content) {
			return cache.Key{}, errNotKept
		}
		files = append(files, surfaceFile{m.place.Original(name), unit.pkg.Syntax[i], content})
	}
	// The group of an API may stand in a file that the build leaves out.
	for _, name := range m.listed[unit.pkg.ID].Absolute(m.listed[unit.pkg.ID].IgnoredGoFiles) {
		fmt.Fprintf(h, "left out %q %q\n", m.place.Original(name), m.sum(name))
	}
	writeSurface(h, unit.pkg.Fset, files, func(name string) bool { return bytes.Contains(said.Bytes(), []byte(name)) })

	m.mu.Lock()
	defer m.mu.Unlock()
	for _, imported := range slices.Sorted(slices.Values(m.listed[unit.pkg.ID].Imports)) {
		key, _ := m.seenOf(imported)
		fmt.Fprintf(h, "import %q %x\n", imported, key)
	}
	return cache.Key(h.Sum(nil)), nil
}

// writeValue writes a fact, always in the same way: what gob writes depends on what it has been
// given before.
func writeValue(w io.Writer, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			fmt.Fprint(w, "nil ")
			return
		}
		if v.Kind() == reflect.Interface {
			fmt.Fprintf(w, "%v ", v.Elem().Type())
		}
		writeValue(w, v.Elem())
	case reflect.Struct:
		fmt.Fprint(w, "{")
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() { // as gob does
				writeValue(w, v.Field(i))
			}
		}
		fmt.Fprint(w, "}")
	case reflect.Slice, reflect.Array:
		fmt.Fprintf(w, "[%d ", v.Len())
		for i := range v.Len() {
			writeValue(w, v.Index(i))
		}
		fmt.Fprint(w, "]")
	case reflect.Map:
		var entries []string
		for key, value := range v.Seq2() {
			var entry bytes.Buffer
			writeValue(&entry, key)
			writeValue(&entry, value)
			entries = append(entries, entry.String())
		}
		slices.SortFunc(entries, cmp.Compare[string])
		fmt.Fprintf(w, "map%q", entries)
	case reflect.String:
		fmt.Fprintf(w, "%q ", v.String())
	default:
		fmt.Fprintf(w, "%v ", v)
	}
}
