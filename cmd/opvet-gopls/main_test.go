package main

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"opvet-gopls": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("GOPROXY", "off")
			env.Setenv("GOPATH", env.Getenv("WORK"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"status": status},
	})
}

// status N COMMAND… runs a command and checks its exit status.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N command…")
	}
	err := ts.Exec(args[1], args[2:]...)
	exit := (*exec.ExitError)(nil)
	if !errors.As(err, &exit) || strconv.Itoa(exit.ExitCode()) != args[0] {
		ts.Fatalf("%v; want exit status %s", err, args[0])
	}
}

func TestWithoutGo(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	var stdout, stderr strings.Builder
	if got := run(nil, &stdout, &stderr); got != 2 {
		t.Errorf("exit status %d, want 2", got)
	}
	const want = "opvet-gopls: gopls is built with the go command: exec: \"go\": executable file not found in $PATH\n"
	if stdout.String() != "" || stderr.String() != want {
		t.Errorf("printed %q and %q, want %q", stdout.String(), stderr.String(), want)
	}
}

func TestSetupNamesTheProgram(t *testing.T) {
	const exe = `C:\go\bin\gopls-opvet.exe`
	text := setup(exe)
	for _, e := range editors {
		if !strings.Contains(text, e.name) {
			t.Errorf("%s is missing", e.name)
		}
		if !strings.Contains(e.config(exe), `"C:\\go\\bin\\gopls-opvet.exe"`) {
			t.Errorf("%s is not told the program:\n%s", e.name, e.config(exe))
		}
	}
}

// The documentation shows what the command prints.
func TestDocumentation(t *testing.T) {
	page, err := os.ReadFile("../../docs/editors.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range editors {
		block := "```" + e.lang + "\n" + e.config("/home/me/go/bin/gopls-opvet") + "```\n"
		if !strings.Contains(string(page), block) {
			t.Errorf("docs/editors.md does not have what %s is told:\n%s", e.name, block)
		}
	}
}
