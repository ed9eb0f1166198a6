package driver

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestDependencyThatGoes checks that opvet says so whenever it finds less because what the
// packages import goes, as a whole or in part, before or while they are loaded.
func TestDependencyThatGoes(t *testing.T) {
	long(t)
	if runtime.GOOS == "windows" {
		t.Skip("a shell script stands for the go command")
	}
	real, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	// It removes files when it has listed packages.
	script := fmt.Sprintf("#!/bin/sh\n%q \"$@\" || exit\ncase \"$*\" in *-deps*) rm -rf \"$GOES\";; esac\n", real)
	if err := os.WriteFile(filepath.Join(bin, "go"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	for _, goes := range []string{"vendor/others.example/x", "vendor/others.example/x/y.go"} {
		for _, before := range []bool{true, false} {
			for _, flag := range []string{"-cache=off", "-cache=new", "-harm=loss"} { // the last with what is known
				t.Run(fmt.Sprintf("%s, %t, %s", filepath.Base(goes), before, flag), func(t *testing.T) {
					w := newWorkshop(t)
					t.Setenv("GOES", "")
					w.write(t, "go.mod", "module m.example\n\ngo 1.26\n\nrequire others.example v1.0.0\n")
					w.write(t, "vendor/modules.txt", "# others.example v1.0.0\n## explicit; go 1.26\nothers.example/x\n")
					w.write(t, "vendor/others.example/x/x.go", "package x\n\nfunc X() {}\n")
					w.write(t, "vendor/others.example/x/y.go", "package x\n\nfunc Y() {}\n")
					w.write(t, "b/own.go", "package b\n\nimport \"others.example/x\"\n\nfunc own() { x.Y() }\n")
					w.want(t, both, "a b c d")
					w.write(t, "b/own.go", "package b\n\nimport \"others.example/x\"\n\nfunc own() { x.X(); x.Y() }\n")
					t.Setenv("GOES", filepath.Join(w.dir, goes))
					if before {
						if err := os.RemoveAll(os.Getenv("GOES")); err != nil {
							t.Fatal(err)
						}
					}
					got, _ := w.run(t, flag)
					if told := strings.Contains(got, "were not analysed"); before && !told || got != both && !told {
						t.Errorf("found %q", got)
					}
				})
			}
		}
	}
}
