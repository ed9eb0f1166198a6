package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"opvet": main})
}

// The scripts run the command with all its analyzers in a module that has the
// requirements of testdata. What the driver does with its arguments is tested
// in internal/driver.
func TestScripts(t *testing.T) {
	gosum, err := os.ReadFile("../../testdata/go.sum")
	if err != nil {
		t.Fatal(err)
	}
	gomod, err := os.ReadFile("../../testdata/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	_, requirements, ok := strings.Cut(string(gomod), "\n")
	if !ok {
		t.Fatal("testdata/go.mod has no requirements")
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			exe, err := exec.LookPath("opvet")
			if err != nil {
				return err
			}
			env.Setenv("OPVET", exe)
			env.Setenv("GOPROXY", "off")
			env.Setenv("GOFLAGS", "-mod=mod")
			for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOROOT"} {
				out, err := exec.Command("go", "env", name).Output()
				if err != nil {
					return err
				}
				env.Setenv(name, strings.TrimSpace(string(out)))
			}
			if err := os.WriteFile(filepath.Join(env.WorkDir, "go.sum"), gosum, 0o644); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(env.WorkDir, "go.mod"), []byte("module example.com/operator\n"+requirements), 0o644)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status":       status,
			"samefindings": sameFindings,
		},
	})
}

// status N COMMAND… runs a command and checks its exit status.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N command…")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit status %d, want %s", got, args[0])
	}
}

// samefindings FILE FILE compares what opvet printed with what go vet did,
// which adds lines about packages, tells no harm and does not sort.
func sameFindings(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: samefindings file file")
	}
	one, other := findings(ts.ReadFile(args[0])), findings(ts.ReadFile(args[1]))
	if len(one) == 0 || !slices.Equal(one, other) {
		ts.Fatalf("findings differ, or there are none:\n%s\n\n%s", strings.Join(one, "\n"), strings.Join(other, "\n"))
	}
}

// finding matches the line of a finding; go vet prints lines about packages,
// and places that explain a finding, in between.
var finding = regexp.MustCompile(`^\S+\.go:\d+:\d+: \S.*\([a-z]+/[a-z-]+\)\n$`)

var harm = regexp.MustCompile(`^(\S+: )(?:crash|loss|stuck|leak|load|hygiene): `)

func findings(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		if finding.MatchString(line) {
			line = strings.TrimPrefix(strings.TrimSpace(line), "./")
			lines = append(lines, harm.ReplaceAllString(line, "$1"))
		}
	}
	slices.Sort(lines)
	return lines
}
