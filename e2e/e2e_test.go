package e2e

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// root is the top of the repository.
const root = ".."

// bin is where the programs under test are built. It survives the tests: the
// linker takes most of the time, and go build skips it for what is up to date.
var bin = sync.OnceValues(func() (string, error) {
	dir, err := filepath.Abs(filepath.Join(root, "bin"))
	if err != nil {
		return "", err
	}
	return dir, os.MkdirAll(dir, 0o777)
})

// opvet is the built command.
var opvet = program("opvet", ".", "./cmd/opvet")

// program returns a function that builds a program when it is first asked for,
// and returns its file. The package is built in dir, which is relative to the
// top of the repository.
func program(name, dir, pkg string, args ...string) func(t *testing.T) string {
	build := sync.OnceValues(func() (string, error) {
		dest, err := bin()
		if err != nil {
			return "", err
		}
		exe := filepath.Join(dest, name)
		cmd := exec.Command("go", append([]string{"build", "-o", exe}, append(args, pkg)...)...)
		cmd.Dir = filepath.Join(root, dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", errors.New("building " + name + ": " + err.Error() + "\n" + string(out))
		}
		return exe, nil
	})
	return func(t *testing.T) string {
		t.Helper()
		exe, err := build()
		if err != nil {
			t.Fatal(err)
		}
		return exe
	}
}

// copyModule copies the named folders of testdata, with its go.mod and go.sum,
// into a new folder, so that a test can change them, and returns that. Without
// names it copies all but the folder legacy, which is another module.
func copyModule(t *testing.T, folders ...string) string {
	t.Helper()
	from, to := filepath.Join(root, "testdata"), t.TempDir()
	// The go command and language servers print real names.
	to, err := filepath.EvalSymlinks(to)
	if err != nil {
		t.Fatal(err)
	}
	if len(folders) == 0 {
		entries, err := os.ReadDir(from)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			if entry.IsDir() && entry.Name() != "legacy" {
				folders = append(folders, entry.Name())
			}
		}
	}
	for _, folder := range folders {
		if err := os.CopyFS(filepath.Join(to, folder), os.DirFS(filepath.Join(from, folder))); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"go.mod", "go.sum", "tools.go"} {
		write(t, filepath.Join(to, name), read(t, filepath.Join(from, name)))
	}
	return to
}

// result is what a command did.
type result struct {
	status         int
	stdout, stderr string
}

// run runs a command in dir and returns what it did, whatever its exit status.
func run(t *testing.T, dir, name string, args ...string) result {
	t.Helper()
	return start(t, dir, nil, name, args...)
}

// start is run with additions to the environment.
func start(t *testing.T, dir string, env []string, name string, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(append(os.Environ(), "OPVET_CACHE=off"), env...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatalf("%s %s: %v", name, strings.Join(args, " "), err)
	}
	return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// want fails the test unless the command ended with the status.
func (r result) want(t *testing.T, status int) result {
	t.Helper()
	if r.status != status {
		t.Fatalf("exit status %d, want %d\nstdout:\n%s\nstderr:\n%s", r.status, status, r.stdout, r.stderr)
	}
	return r
}

func read(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

// replace changes a text in a file, where it must occur once.
func replace(t *testing.T, name, old, new string) {
	t.Helper()
	content := read(t, name)
	if n := strings.Count(content, old); n != 1 {
		t.Fatalf("%s has %q %d times, want once", name, old, n)
	}
	write(t, name, strings.Replace(content, old, new, 1))
}
