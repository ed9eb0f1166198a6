package unusedignore

import (
	"testing"

	"github.com/opvet/opvet/internal/testing/ruletest"
)

const testdata = "../../testdata"

func TestCases(t *testing.T) {
	ruletest.Run(t, testdata, Analyzer, "./unusedignore/cases")
}

func TestFixes(t *testing.T) {
	ruletest.RunWithSuggestedFixes(t, testdata, Analyzer, "./unusedignore/fixes")
}

func TestFile(t *testing.T) {
	ruletest.Run(t, testdata, Analyzer, "./unusedignore/file", "./unusedignore/plain")
}

func TestTestFiles(t *testing.T) {
	ruletest.SetFlag(t, Analyzer, "tests", "true")
	ruletest.Run(t, testdata, Analyzer, "./unusedignore/tests")
}

func TestNear(t *testing.T) {
	for _, test := range []struct {
		a, b string
		near bool
	}{
		{"ownerref", "ownerref", true},
		{"ownerrefs", "ownerref", true},
		{"ownerre", "ownerref", true},
		{"wnerref", "ownerref", true},
		{"onwerref", "ownerref", true},
		{"owmerref", "ownerref", true},
		{"onwerrefs", "ownerref", false},
		{"owner", "ownerref", false},
		{"", "ownerref", false},
		{"fatcontext", "detachedctx", false},
	} {
		if near(test.a, test.b) != test.near || near(test.b, test.a) != test.near {
			t.Errorf("near(%q, %q) is not %t", test.a, test.b, test.near)
		}
	}
}

func TestMayReport(t *testing.T) {
	for text, want := range map[string]bool{
		"package p\n\nvar x = 1 //nolint:gocyclo // long\n":                        false,
		"package p\n\n//nolint\nvar x = 1\n":                                       false,
		"package p\n\n//nolint:all\nvar x = 1\n":                                   false,
		"package p\n\n// The linter statusupdate finds nothing.\nvar x = 1\n":      false,
		"package p\n\nvar x = 1 //nolint:gocyclo,statusupdate\n":                   true,
		"package p\n\nvar lint = 1 // nolint:statusupdates\n":                      true,
		"package p\n\nvar x = \"https://lint\" //lint:ignore ownerref/unset why\n": true,
		"package p\n\n//lint:file-ignore opvet it is generated\n\nvar x = 1":       true,
		"//lint:ignore ownerref":                                                   true,
	} {
		if got := mayReport([]byte(text)); got != want {
			t.Errorf("%q: %t, want %t", text, got, want)
		}
	}
}
