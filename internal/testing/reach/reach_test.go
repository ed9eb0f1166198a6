package reach

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/opvet/opvet/analyzers"
)

const (
	testdata = "../../../testdata"
	page     = "../../../docs/reach.md"
)

var (
	full    = flag.Bool("full", false, "measure all rules")
	write   = flag.Bool("write", false, "write what was measured into the table of docs/reach.md")
	rules   = flag.String("rules", "unstructuredassert", "the rules to measure, separated by commas")
	only    = flag.String("forms", "", "the forms to measure, separated by commas; all if empty")
	dump    = flag.String("dump", "", "the directory to write the changed files to")
	verbose = flag.Bool("places", false, "log what is lost, and what is reported of right code")
)

func TestReach(t *testing.T) {
	forms := Forms
	if *only != "" {
		forms = nil
		for _, f := range Forms {
			if named(*only, f.Name) {
				forms = append(forms, f)
			}
		}
	}
	var rows []*Row
	for _, a := range analyzers.All() {
		if _, err := os.Stat(filepath.Join(testdata, a.Name)); err != nil || a.Name == "unusedignore" || !*full && !named(*rules, a.Name) {
			continue
		}
		row, err := Measure(testdata, a, forms)
		if err != nil {
			t.Errorf("%s: %v", a.Name, err)
			continue
		}
		rows = append(rows, row)
		if *dump != "" {
			for name, text := range row.Sources {
				name = filepath.Join(*dump, name)
				if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		}
		if *verbose {
			t.Logf("%s\nLOST %s\nTRAP %s", a.Name, strings.Join(row.Losses, "\nLOST "), strings.Join(row.Alarms, "\nTRAP "))
		}
	}
	t.Logf("\n%s", Table(forms, rows))
	if *write && *only == "" {
		if err := writePage(page, forms, rows); err != nil {
			t.Fatal(err)
		}
	}
	if !*full && !*write && *only == "" {
		compare(t, rows)
	}
}

func named(list, name string) bool {
	for _, n := range strings.Split(list, ",") {
		if n == name {
			return true
		}
	}
	return false
}

// compare fails if fewer are found than the page says.
func compare(t *testing.T, rows []*Row) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		was, ok := pageShare(string(text), row.Rule)
		if !ok {
			t.Errorf("docs/reach.md has no row of %s", row.Rule)
			continue
		}
		if now := row.share(); now < was {
			t.Errorf("%s: %d %% of what is hidden is found, and docs/reach.md says %d %%", row.Rule, now, was)
		}
	}
}
