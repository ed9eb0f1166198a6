package baseline

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestWriteAndRead(t *testing.T) {
	name := filepath.Join(t.TempDir(), "b.json")
	for _, entries := range [][]Entry{
		nil,
		{{"2", "a/b", "x.go", "(*T).M"}, {"1", "a/b", "x.go", "(*T).M"}, {"3", "a/b", "a <b>.go", ""}},
	} {
		if err := Write(name, entries); err != nil {
			t.Fatal(err)
		}
		got, err := Read(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(entries) > 0 {
			entries = []Entry{entries[2], entries[1], entries[0]}
		}
		if !slices.Equal(got, entries) {
			t.Errorf("read %v, want %v", got, entries)
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(data), "\n"); n != len(entries)+5 {
			t.Errorf("%d lines:\n%s", n, data)
		}
	}
	for text, want := range map[string]string{
		"{":                               "is no baseline",
		`{"version": 1, "found": []}`:     "is no baseline",
		`{"version": 99, "findings": []}`: "version 99",
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", text, err, want)
		}
	}
}

func TestMatch(t *testing.T) {
	entry := func(text string) Entry {
		print, file, _ := strings.Cut(text, "@")
		return Entry{Fingerprint: print, File: file}
	}
	entries := func(text string) (all []Entry) {
		for _, word := range strings.Fields(text) {
			all = append(all, entry(word))
		}
		return all
	}
	for _, test := range []struct{ entries, findings, known, needed string }{
		{"", "", "", ""},
		{"1@a", "1@a 2@a", "1@a", "1@a"},
		{"1@a 2@a", "2@b", "2@b", "2@a"},
		{"1@a", "1@a 1@a", "1@a", "1@a"},             // a second one is new
		{"1@a 1@b", "1@b", "1@b", "1@b"},             // the one that has gone is a's
		{"1@b 1@a", "1@c 1@b", "1@c 1@b", "1@b 1@a"}, // a was moved to c
		{"1@a", "1@b 1@a", "1@a", "1@a"},             // b is a copy
	} {
		all, found := entries(test.entries), entries(test.findings)
		known, needed := Match(all, found)
		chosen := func(all []Entry, is []bool) string {
			var words []string
			for i, e := range all {
				if is[i] {
					words = append(words, e.Fingerprint+"@"+e.File)
				}
			}
			return strings.Join(words, " ")
		}
		if chosen(found, known) != test.known || chosen(all, needed) != test.needed {
			t.Errorf("%s against %s: known %s, needed %s", test.findings, test.entries, chosen(found, known), chosen(all, needed))
		}
	}
}
