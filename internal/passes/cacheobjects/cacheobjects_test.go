package cacheobjects

import (
	"fmt"
	"go/types"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/testing/passtest"
)

const (
	cases = "github.com/opvet/opvet/testdata/passes/cached"
	lib   = cases + "/lib"
)

func TestSummaries(t *testing.T) {
	results := passtest.Run[*Objects](t, Analyzer, "../../../testdata", "./passes/cached/...")
	for _, path := range []string{cases, lib} {
		got := make(passtest.Expectations)
		for fn, sum := range results[path].Value.local {
			if obj, ok := fn.Object().(*types.Func); ok {
				got.Add(passtest.FuncName(obj), describe(fn, sum)...)
			}
		}
		want := passtest.Wants(results[path].Package)
		for _, found := range []passtest.Expectations{want, got} {
			for _, texts := range found {
				slices.Sort(texts)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: what the comments want (-) and what was found (+):\n%s", path, diff)
		}
	}
}

// describe writes a summary as the cases do.
func describe(fn *ssa.Function, sum *Summary) []string {
	var texts []string
	for i, p := range sum.Params {
		text := ""
		add := func(format string, args ...any) {
			if text != "" {
				text += "; "
			}
			text += fmt.Sprintf(format, args...)
		}
		for _, w := range p.Writes {
			if w.Path == "" {
				add("writes")
			} else {
				add("writes %s", w.Path)
			}
		}
		for _, f := range p.Gets {
			add("gets %s", describeFlow(fn, f))
		}
		for _, c := range p.Calls {
			add("called with %s", describeFlow(fn, c.With))
		}
		if text != "" {
			texts = append(texts, fn.Params[i].Name()+": "+text)
		}
	}
	for i, flows := range sum.Results {
		for _, f := range flows {
			texts = append(texts, fmt.Sprintf("result %d: %s", i, describeFlow(fn, f)))
		}
	}
	return texts
}

func describeFlow(fn *ssa.Function, f Flow) string {
	text := "cached"
	if f.Source == kubeapi.NoCacheSource {
		text = fn.Params[f.Param].Name()
		if f.Called {
			text = "what " + text + " returns"
		}
		if f.Take != "" {
			text += " at " + f.Take
		}
	}
	if f.Put != "" {
		text += " behind " + f.Put
	}
	return text
}
