package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A module is a Go module within a checkout, with what the go command says
// about its packages once dependencies are there.
type module struct {
	// Mode is the -mod flag to load it with: old commits have a vendor
	// directory that today's go command ignores by default, or a go.sum that
	// lacks lines that it wants by now.
	Mode string
	// Source tells that dependencies are read from source: nothing was compiled.
	Source bool
	// Fixups are the dependencies that were raised because the version in
	// go.mod does not compile with today's toolchain.
	Fixups []string
	// Files maps each Go file of the module's packages in this build
	// configuration (slash-separated, relative to the module) to the error
	// of its package; "" if that loads.
	Files map[string]string
}

// listed is what is read from go list's output.
type listed struct {
	ImportPath        string
	Dir               string
	DepOnly           bool
	GoFiles, CgoFiles []string
	Module            *struct {
		Path string
	}
	Error *struct{ Err string }
}

// prepareModule downloads and compiles what the packages of the module in dir
// need, and returns how they load. With fixup, golang.org/x modules that do
// not compile are raised to their latest version, in this checkout only: old
// ones lean on internals of the toolchain of their day, and their API, which
// is all that an analysis sees of them, is compatible.
func prepareModule(dir string, source, fixup bool) (*module, error) {
	m := &module{Mode: moduleMode(dir), Source: source}
	if err := m.redirect(dir); err != nil {
		return nil, err
	}
	packages, err := m.list(dir)
	if err != nil {
		return nil, err
	}
	if fixup && m.Mode == "-mod=mod" {
		broken := brokenToolModules(packages)
		for _, path := range broken {
			if _, err := m.goCommand(dir, "get", path+"@latest").Output(); err != nil {
				return nil, fmt.Errorf("raising %s: %w", path, withStderr(err))
			}
		}
		if m.Fixups = broken; len(broken) > 0 {
			if packages, err = m.list(dir); err != nil {
				return nil, err
			}
		}
	}
	m.Files = make(map[string]string)
	for _, p := range packages {
		if p.DepOnly || p.Dir == "" {
			continue
		}
		failure := ""
		if p.Error != nil {
			failure = oneLine(p.Error.Err)
		}
		rel, err := filepath.Rel(dir, p.Dir)
		if err != nil {
			return nil, err
		}
		for _, name := range slices.Concat(p.GoFiles, p.CgoFiles) {
			m.Files[filepath.ToSlash(filepath.Join(rel, name))] = failure
		}
	}
	return m, nil
}

// moduleMode returns the -mod flag to load the module in dir with.
func moduleMode(dir string) string {
	if _, err := os.Stat(filepath.Join(dir, "vendor", "modules.txt")); err == nil {
		return "-mod=vendor"
	}
	return "-mod=mod"
}

// leave notes files that could not be analysed although the go command lists
// their packages without an error: a dependency of a dependency is not there.
func (m *module) leave(files []string) {
	for _, file := range files {
		if m.Files[file] == "" {
			m.Files[file] = "it or what it imports does not compile"
		}
	}
}

// why says why a file (relative to the module) was not analysed, or "" if
// it was.
func (m *module) why(file string) string {
	failure, ok := m.Files[file]
	if !ok {
		return "the file belongs to no package in this build configuration"
	}
	if failure != "" {
		return "its package does not load: " + failure
	}
	return ""
}

// list runs go list over all packages of the module and their dependencies,
// and compiles them, since that is what loading their export data does.
func (m *module) list(dir string) ([]listed, error) {
	cmd := m.goCommand(dir, "list", "-e", fmt.Sprintf("-export=%t", !m.Source), "-deps",
		"-json=ImportPath,Dir,DepOnly,GoFiles,CgoFiles,Module,Error", "./...")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, runErr := cmd.Output()
	packages, err := decodeStream[listed](out)
	if err != nil {
		return nil, fmt.Errorf("reading go list's output in %s: %w", dir, err)
	}
	if len(packages) == 0 {
		return nil, fmt.Errorf("go list in %s found no package: %v: %s", dir, runErr, tail(stderr.String(), 600))
	}
	return packages, nil
}

// count returns the number of the module's packages.
func (m *module) count(ctx context.Context, dir string) (int, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-e", "-find", "./...")
	cmd.Dir, cmd.Env = dir, m.environ(dir)
	out, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("%s: %w", cmd, withStderr(err))
	}
	return bytes.Count(out, []byte("\n")), nil
}

// goCommand returns a go command for the module, in the environment in which
// opvet loads it, too.
func (m *module) goCommand(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = m.environ(dir)
	return cmd
}

func (m *module) environ(dir string) []string {
	env := os.Environ()
	for name, value := range m.settings(dir) {
		env = append(env, name+"="+value)
	}
	return env
}

// settings are the environment variables that make the go command load the
// module as it is here.
func (m *module) settings(dir string) map[string]string {
	settings := map[string]string{
		"GOFLAGS": strings.TrimSpace(os.Getenv("GOFLAGS") + " -buildvcs=false " + m.Mode),
		"GOWORK":  "off",
		"PWD":     dir,
	}
	if vendorsWorkspace(dir) {
		settings["GOWORK"] = "" // what is vendored fits the workspace only
	}
	if m.Source {
		settings["CGO_ENABLED"] = "0"
	}
	return settings
}

// vendorsWorkspace reports whether dir is a workspace that has its dependencies in
// a vendor directory.
func vendorsWorkspace(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, "vendor", "modules.txt"))
	return err == nil && bytes.HasPrefix(text, []byte("## workspace"))
}

// brokenToolModules returns the golang.org/x modules with packages that do
// not compile.
func brokenToolModules(packages []listed) []string {
	var paths []string
	for _, p := range packages {
		if p.DepOnly && p.Error != nil && p.Module != nil && strings.HasPrefix(p.Module.Path, "golang.org/x/") {
			paths = append(paths, p.Module.Path)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// decodeStream decodes JSON values that follow one another.
func decodeStream[T any](data []byte) ([]T, error) {
	var values []T
	decoder := json.NewDecoder(bytes.NewReader(data))
	for {
		var value T
		err := decoder.Decode(&value)
		if errors.Is(err, io.EOF) {
			return values, nil
		}
		if err != nil {
			return nil, err
		}
		values = append(values, value)
	}
}

func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 300 {
		s = s[:300] + "…"
	}
	return s
}
