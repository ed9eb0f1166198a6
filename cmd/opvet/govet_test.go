package main

import (
	"errors"
	"os/exec"
	"slices"
	"testing"
)

// TestGoVetAgrees runs the suite over all cases of testdata, once by itself and
// once by go vet: the findings must be the same.
func TestGoVetAgrees(t *testing.T) {
	const dir = "../../testdata"
	alone, err := exec.Command("opvet", "-C", dir, "./...").Output()
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Fatalf("opvet: %v; want findings\n%s", err, alone)
	}
	exe, err := exec.LookPath("opvet")
	if err != nil {
		t.Fatal(err)
	}
	vet := exec.Command("go", "vet", "-vettool="+exe, "./...")
	vet.Dir = dir
	// Findings make go vet fail, which is as it should be.
	vetted, err := vet.CombinedOutput()
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) {
		t.Fatalf("go vet: %v; want findings\n%s", err, vetted)
	}
	one, other := findings(string(alone)), findings(string(vetted))
	for _, line := range one {
		if !slices.Contains(other, line) {
			t.Errorf("go vet does not find\n%s", line)
		}
	}
	for _, line := range other {
		if !slices.Contains(one, line) {
			t.Errorf("opvet alone does not find\n%s", line)
		}
	}
	if len(one) < 50 {
		t.Errorf("only %d findings in all of testdata", len(one))
	}
}
