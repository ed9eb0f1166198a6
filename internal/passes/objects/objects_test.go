package objects

import (
	"fmt"
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/testing/passtest"
)

const (
	module = "github.com/opvet/opvet/testdata/"
	cases  = module + "passes/summary"
	lib    = cases + "/lib"
	events = module + "passes/events"
	api    = module + "api/v1"
)

func TestSummaries(t *testing.T) {
	results := passtest.Run[*Summaries](t, Analyzer, "../../../testdata", "./passes/summary/...", "./passes/events", "./api/v1")
	t.Run("functions", func(t *testing.T) {
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
	})
	t.Run("facts", func(t *testing.T) { testFacts(t, results[cases].Value) })
	t.Run("events", func(t *testing.T) { testEvents(t, results[events]) })
	t.Run("status writes", func(t *testing.T) {
		for _, test := range []struct {
			pkg, kind string
			want      bool
		}{
			{lib, "Cluster", true},
			{lib, "Backup", false}, // only generic code writes it
			{cases, "Backup", true},
			{cases, "Cluster", true}, // by lib
			{cases, "Schedule", false},
			{api, "Backup", false},
		} {
			kind := results[api].Package.Types.Scope().Lookup(test.kind).Type().(*types.Named)
			if got := results[test.pkg].Value.StatusWritten(kind); got != test.want {
				t.Errorf("%s: the status of %s is written: %v, want %v", test.pkg, test.kind, got, test.want)
			}
		}
	})
}

// describe writes a summary as the cases do.
func describe(fn *ssa.Function, sum *Summary) []string {
	var texts []string
	for i, p := range sum.Params {
		if isClient(fn.Params[i].Type()) {
			continue
		}
		var parts []string
		if len(p.Mutates) > 0 {
			parts = append(parts, "mutates "+strings.Join(p.Mutates, ", "))
		}
		parts = append(parts, pathList("refreshes", p.Refreshes)...)
		for _, w := range p.Writes {
			parts = append(parts, describeWrite(w))
		}
		parts = append(parts, pathList("hands off", p.Handoffs)...)
		if p.Calls {
			parts = append(parts, "calls")
		}
		if len(parts) > 0 {
			texts = append(texts, fn.Params[i].Name()+": "+strings.Join(parts, "; "))
		}
	}
	for i, of := range sum.Returns {
		if of >= 0 {
			texts = append(texts, fmt.Sprintf("result %d: %s", i, fn.Params[of].Name()))
		}
	}
	for i, changed := range sum.Fresh {
		if len(changed) > 0 {
			texts = append(texts, fmt.Sprintf("result %d: fresh %s", i, strings.Join(changed, ", ")))
		}
	}
	return texts
}

// isClient leaves out clients: what happens to them tells nothing.
func isClient(t types.Type) bool { return types.IsInterface(t) && kubeapi.IsClient(t) }

func pathList(what string, list []string) []string {
	var texts []string
	for _, path := range list {
		texts = append(texts, strings.TrimSpace(what+" "+path))
	}
	return texts
}

func describeWrite(w Write) string {
	text := string(w.Verb) + " " + endpoint(w.Endpoint)
	if w.InMemory {
		text += " in memory"
	}
	if w.Partial {
		text += " partly"
	}
	if w.Path != "" {
		text += " of " + w.Path
	}
	return text
}

func endpoint(e kubeapi.Endpoint) string {
	switch e {
	case kubeapi.MainEndpoint:
		return "main"
	case kubeapi.StatusEndpoint:
		return "status"
	case kubeapi.BothEndpoints:
		return "main|status"
	}
	return "other"
}

// testFacts checks what a package sees of one that it imports.
func testFacts(t *testing.T, s *Summaries) {
	got := make(map[string]bool)
	note := func(fn *types.Func) {
		if s.of(fn) != nil {
			got[fn.Name()] = true
		}
	}
	for _, pkg := range s.Calls.Pkg.Pkg.Imports() {
		if pkg.Path() != lib {
			continue
		}
		for _, name := range pkg.Scope().Names() {
			switch obj := pkg.Scope().Lookup(name).(type) {
			case *types.Func:
				note(obj)
			case *types.TypeName:
				for method := range types.NewMethodSet(types.NewPointer(obj.Type())).Methods() {
					note(method.Obj().(*types.Func))
				}
			}
		}
	}
	want := map[string]bool{"SetPhase": true, "Save": true, "SaveStatus": true, "Finalized": true, "Pending": true, "Store": true, "Leave": true, "Run": true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("facts wanted (-) and found (+):\n%s", diff)
	}
}
