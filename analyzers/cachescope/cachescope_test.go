package cachescope_test

import (
	"testing"

	"github.com/opvet/opvet/analyzers/cachescope"
	"github.com/opvet/opvet/internal/testing/ruletest"
)

func TestCurrent(t *testing.T) {
	ruletest.Run(t, "../../testdata", cachescope.Analyzer, "./cachescope/hidden", "./cachescope/watched", "./cachescope/forms", "./cachescope/app/...", "./cachescope/setup/...", "./cachescope/delegated/...", "./cachescope/agreeing/...", "./cachescope/optional/...", "./cachescope/e2e")
}

func TestStrict(t *testing.T) {
	f := cachescope.Analyzer.Flags.Lookup("strict")
	old := f.Value.String()
	if err := f.Value.Set("true"); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := f.Value.Set(old); err != nil {
			t.Fatal(err)
		}
	}()
	ruletest.Run(t, "../../testdata", cachescope.Analyzer, "./cachescope/strict")
}

func TestLegacy(t *testing.T) {
	ruletest.Run(t, "../../testdata/legacy", cachescope.Analyzer, "./cachescope/...")
}
