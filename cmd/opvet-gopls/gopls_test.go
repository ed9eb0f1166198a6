package main

import (
	"errors"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

func TestNewest(t *testing.T) {
	needs := map[string]string{
		"v0.21.1": "go1.25", "v0.22.0": "go1.26.0", "v0.23.0-pre.2": "go1.26.0", "v0.23.0": "go1.26.0", "v0.24.0": "go1.27.0",
	}
	versions := []string{"v0.24.0", "v0.21.1", "v0.23.0", "v0.23.0-pre.2", "v0.22.0"}
	for _, test := range []struct{ have, want string }{
		{"go1.27.3", "v0.24.0"},
		{"go1.27.0", "v0.24.0"},
		{"go1.27rc1", "v0.23.0"},
		{"go1.26.8", "v0.23.0"},
		{"go1.25.0", "v0.21.1"},
		{"go1.24.5", ""},
	} {
		asked := 0
		got, err := newest(versions, test.have, func(v string) (string, error) {
			asked++
			if strings.Contains(v, "-") {
				t.Errorf("%s: asked for the pre-release %s", test.have, v)
			}
			return needs[v], nil
		})
		if got != test.want || (err != nil) != (test.want == "") {
			t.Errorf("%s: newest = %q, %v; want %q", test.have, got, err, test.want)
		}
		if test.want == "v0.24.0" && asked != 1 {
			t.Errorf("%s: asked %d times, want once", test.have, asked)
		}
	}
	broken := errors.New("no network")
	if _, err := newest(versions, "go1.26.8", func(string) (string, error) { return "", broken }); !errors.Is(err, broken) {
		t.Errorf("newest = %v, want %v", err, broken)
	}
}

func TestGoVersion(t *testing.T) {
	for version, want := range map[string]string{
		"go1.26.8":                         "go1.26.8",
		"go1.27rc2":                        "go1.27rc2",
		"go1.26.8 X:nodwarf5":              "go1.26.8",
		"go1.28-devel_0123abc Mon Nov 2":   "go1.28",
		"devel go1.28-0123abc Mon Nov 2 1": "go1.28",
	} {
		if got := languageOrRelease(version); got != want {
			t.Errorf("languageOrRelease(%q) = %q, want %q", version, got, want)
		}
	}
}

func TestToolsOf(t *testing.T) {
	for _, test := range []struct{ name, gomod, want, err string }{
		{"required", "require golang.org/x/tools v0.47.1-0.20260707181000-a299dadba899", "golang.org/x/tools@v0.47.1-0.20260707181000-a299dadba899", ""},
		{"replaced", "require golang.org/x/tools v0.1.0\nreplace golang.org/x/tools => golang.org/x/tools v0.2.0", "golang.org/x/tools@v0.2.0", ""},
		{"directory", "require golang.org/x/tools v0.1.0\nreplace golang.org/x/tools => ../", "", "directory ../"},
		{"missing", "require golang.org/x/mod v0.1.0", "", "does not require golang.org/x/tools"},
	} {
		t.Run(test.name, func(t *testing.T) {
			mod, err := modfile.Parse("go.mod", []byte("module golang.org/x/tools/gopls\n"+test.gomod), nil)
			if err != nil {
				t.Fatal(err)
			}
			got, err := toolsOf(mod)
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("toolsOf = %v, want an error with %q", err, test.err)
				}
			} else if err != nil || got.String() != test.want {
				t.Errorf("toolsOf = %v, %v; want %s", got, err, test.want)
			}
		})
	}
}
