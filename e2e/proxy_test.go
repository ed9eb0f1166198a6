package e2e

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// published is a module proxy that serves this checkout as a release, so that
// the commands which users are told to run can be run as they are told.
var published = sync.OnceValues(func() (string, error) {
	proxy, err := os.MkdirTemp("", "opvet-proxy-")
	if err != nil {
		return "", err
	}
	main, err := tracked(root)
	if err != nil {
		return "", err
	}
	linter, err := tracked(filepath.Join(root, "cmd/golangci-lint-opvet"))
	if err != nil {
		return "", err
	}
	version, err := version(main)
	if err != nil {
		return "", err
	}
	if linter, err = requiring(linter, version); err != nil {
		return "", err
	}
	return proxy, errors.Join(
		publish(proxy, module.Version{Path: "github.com/opvet/opvet", Version: version}, main),
		publish(proxy, module.Version{Path: "github.com/opvet/opvet/cmd/golangci-lint-opvet", Version: version}, linter),
	)
})

// version makes up a version that no other content has, since the module cache
// keeps what it once had under a version.
func version(files []zip.File) (string, error) {
	hash := sha256.New()
	for _, f := range files {
		r, err := f.Open()
		if err != nil {
			return "", err
		}
		fmt.Fprintln(hash, f.Path())
		_, err = io.Copy(hash, r)
		if err := errors.Join(err, r.Close()); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("v0.1.0-test.%x", hash.Sum(nil)[:6]), nil
}

// publish adds a module to a proxy.
func publish(proxy string, m module.Version, files []zip.File) error {
	var content bytes.Buffer
	if err := zip.Create(&content, m, files); err != nil {
		return err
	}
	gomod, err := readGoMod(files)
	if err != nil {
		return err
	}
	versions := filepath.Join(proxy, filepath.FromSlash(m.Path), "@v")
	if err := os.MkdirAll(versions, 0o777); err != nil {
		return err
	}
	for name, content := range map[string][]byte{
		"list":              []byte(m.Version + "\n"),
		m.Version + ".info": []byte(`{"Version":"` + m.Version + `","Time":"2026-01-01T00:00:00Z"}`),
		m.Version + ".mod":  gomod,
		m.Version + ".zip":  content.Bytes(),
	} {
		if err := os.WriteFile(filepath.Join(versions, name), content, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// tracked returns the files below dir that are in git or about to be.
func tracked(dir string) ([]zip.File, error) {
	cmd := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	var files []zip.File
	for name := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil { // not removed
			files = append(files, file{filepath.ToSlash(name), filepath.Join(dir, name)})
		}
	}
	return files, nil
}

// requiring returns the files with a go.mod that requires opvet in that version,
// which is what a release does to it.
func requiring(files []zip.File, version string) ([]zip.File, error) {
	content, err := readGoMod(files)
	if err != nil {
		return nil, err
	}
	gomod, err := modfile.Parse("go.mod", content, nil)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(gomod.AddRequire("github.com/opvet/opvet", version), gomod.DropReplace("github.com/opvet/opvet", "")); err != nil {
		return nil, err
	}
	if content, err = gomod.Format(); err != nil {
		return nil, err
	}
	changed, err := os.CreateTemp("", "opvet-go.mod-")
	if err != nil {
		return nil, err
	}
	_, err = changed.Write(content)
	if err := errors.Join(err, changed.Close()); err != nil {
		return nil, err
	}
	files = slices.Clone(files)
	for i, f := range files {
		if f.Path() == "go.mod" {
			files[i] = file{"go.mod", changed.Name()}
		}
	}
	return files, nil
}

func readGoMod(files []zip.File) ([]byte, error) {
	for _, f := range files {
		if f.Path() == "go.mod" {
			return os.ReadFile(f.(file).name)
		}
	}
	return nil, errors.New("a module without a go.mod")
}

// file is a file of a module.
type file struct{ path, name string }

func (f file) Path() string                 { return f.path }
func (f file) Lstat() (os.FileInfo, error)  { return os.Lstat(f.name) }
func (f file) Open() (io.ReadCloser, error) { return os.Open(f.name) }

// user returns the environment of a user who has nothing of opvet yet: a
// module proxy that has it, a GOBIN that is empty and in the PATH.
func user(t *testing.T) []string {
	t.Helper()
	proxy, err := published()
	if err != nil {
		t.Fatal(err)
	}
	gobin := t.TempDir()
	goproxy := strings.TrimSpace(run(t, ".", "go", "env", "GOPROXY").want(t, 0).stdout)
	return []string{
		"GOBIN=" + gobin,
		"PATH=" + gobin + string(os.PathListSeparator) + os.Getenv("PATH"),
		"GOPROXY=file://" + filepath.ToSlash(proxy) + "," + goproxy,
		"GONOSUMDB=github.com/opvet",
		"GOWORK=off", "GOFLAGS=",
		"TMPDIR=" + t.TempDir(),
	}
}
