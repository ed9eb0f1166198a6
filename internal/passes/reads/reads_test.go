package reads_test

import (
	"strings"
	"testing"

	"github.com/opvet/opvet/internal/passes/reads"
	"github.com/opvet/opvet/internal/testing/passtest"
)

const prefix = "github.com/opvet/opvet/testdata/cachescope/"

// TestManager follows clients through fields, interfaces and helpers of other
// packages.
func TestManager(t *testing.T) {
	results := passtest.Run[*reads.Program](t, reads.Analyzer, "../../../testdata", "./cachescope/app/...")
	p := results[prefix+"app/cmd"].Value
	if len(p.Managers) != 1 || p.Full {
		t.Fatalf("managers: %v, full: %t; want one", p.Managers, p.Full)
	}
	want := map[string]string{ // whether the manager's client reads the kind, for certain
		"Secret": "yes", "ConfigMap": "no", "Node": "no", "Pod": "yes",
	}
	got := make(map[string]string)
	for _, u := range p.Uses {
		if !u.Op.Reads() {
			continue
		}
		answer := "no"
		if p.Manager(u.By) == p.Managers[0].ID {
			answer = "yes"
		}
		for _, k := range p.Kinds(u) {
			got[k.ID[strings.LastIndex(k.ID, ".")+1:]] = answer
		}
	}
	for kind, answer := range want {
		if got[kind] != answer {
			t.Errorf("read of %s through the manager's client: %q, want %q", kind, got[kind], answer)
		}
	}
	if lib := results[prefix+"app/helpers"].Value; len(lib.Managers) > 0 || lib.Manager("param:"+prefix+"app/helpers.Password#1") != "" {
		t.Error("a package that is imported knows of the manager")
	}
}

// TestLeft has a manager that is made in one package and used by another.
func TestLeft(t *testing.T) {
	results := passtest.Run[*reads.Program](t, reads.Analyzer, "../../../testdata", "./cachescope/setup/...")
	made, put := results[prefix+"setup/manager"], results[prefix+"setup/cmd"]
	if len(made.Value.Managers) == 0 {
		t.Fatal("no managers")
	}
	id := made.Value.Managers[0].ID // of New
	if made.Value.Decides(id) != nil {
		t.Error("the package that makes the manager decides, though it hands it on")
	}
	if put.Value.Decides(id) == nil {
		t.Error("the main package does not decide")
	}
}
