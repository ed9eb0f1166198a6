// Package baseline tells findings that are known from new ones. It knows a finding by
// its fingerprint, which stays the same while lines and files move.
package baseline

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"slices"
)

// Entry is a finding as it is remembered.
type Entry struct {
	Fingerprint string `json:"fingerprint"`
	Rule        string `json:"rule"`
	File        string `json:"file"` // with slashes, from the directory of the baseline
	In          string `json:"in,omitempty"`
}

// String names the entry for people.
func (e Entry) String() string {
	text := e.File + ": " + e.Rule
	if e.In != "" {
		text += " in " + e.In
	}
	return text
}

// document is what the file holds.
type document struct {
	Version  int     `json:"version"`
	Findings []Entry `json:"findings"`
}

// version is that of the fingerprints: those made in another way do not match.
const version = 1

// Read reads a baseline.
func Read(name string) ([]Entry, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var d document
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&d); err != nil {
		return nil, fmt.Errorf("%s is no baseline: %w", name, err)
	}
	if d.Version != version {
		return nil, fmt.Errorf("%s is a baseline of version %d; this opvet reads version %d: write it again with -write-baseline", name, d.Version, version)
	}
	return d.Findings, nil
}

// Write writes a baseline, one finding a line and sorted, so that it merges well.
func Write(name string, entries []Entry) error {
	entries = slices.SortedFunc(slices.Values(entries), func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.In, b.In), cmp.Compare(a.Fingerprint, b.Fingerprint))
	})
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\n  \"version\": %d,\n  \"findings\": [", version)
	for i, e := range entries {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n    ")
		encoder := json.NewEncoder(&b)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(e); err != nil {
			return err
		}
		b.Truncate(b.Len() - 1) // the end of the line
	}
	b.WriteString("\n  ]\n}\n")
	return os.WriteFile(name, b.Bytes(), 0o666)
}

// Match pairs findings with entries of the same fingerprint, first those in the same
// file, then those that have moved. It reports which findings are known, and
// which entries were needed for that.
func Match(entries, findings []Entry) (known, needed []bool) {
	known, needed = make([]bool, len(findings)), make([]bool, len(entries))
	pair := func(key func(Entry) Entry) {
		free := make(map[Entry][]int)
		for i, e := range entries {
			if !needed[i] {
				free[key(e)] = append(free[key(e)], i)
			}
		}
		for i, f := range findings {
			if left := free[key(f)]; !known[i] && len(left) > 0 {
				known[i], needed[left[0]] = true, true
				free[key(f)] = left[1:]
			}
		}
	}
	pair(func(e Entry) Entry { return Entry{Fingerprint: e.Fingerprint, File: e.File} })
	pair(func(e Entry) Entry { return Entry{Fingerprint: e.Fingerprint} })
	return known, needed
}
