package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// name is what the result is called where the user does not say: not gopls,
// which others install and update.
const name = "gopls-opvet"

// build builds gopls and returns its file.
func (w *workspace) build(tool *goCommand, version string) (string, error) {
	exe := executable(filepath.Join(w.dir, name))
	err := tool.show("build", "-o", exe,
		"-overlay", filepath.Join(w.dir, overlayName),
		"-trimpath", // the cache would know nothing again in the next temporary folder
		"-buildvcs=false",
		"-ldflags", "-s -w -X 'main.version="+version+"'",
		goplsPath)
	if err != nil {
		return "", fmt.Errorf("%w; what is wrong is said above", err)
	}
	// Registration happens when the program starts.
	if out, err := exec.CommandContext(tool.ctx, exe, "version").CombinedOutput(); err != nil {
		return "", fmt.Errorf("it does not start: %w: %s", err, strings.TrimSpace(string(out)))
	} else if !strings.Contains(string(out), version) {
		return "", fmt.Errorf("it calls itself %q and not %s; look for a newer opvet, or choose an older gopls with -gopls-version",
			strings.TrimSpace(string(out)), version)
	}
	return exe, nil
}

// destination returns the absolute name of the file to install.
func destination(tool *goCommand, output string) (string, error) {
	if output == "" {
		dir := tool.gobin
		if dir == "" {
			dir = filepath.Join(filepath.SplitList(tool.gopath)[0], "bin")
		}
		return executable(filepath.Join(dir, name)), nil
	}
	dest, err := filepath.Abs(output)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(dest); err == nil && info.IsDir() {
		return "", fmt.Errorf("-o %s: that is a directory; name the file to install", output)
	}
	return dest, nil
}

func executable(name string) string {
	if runtime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}

// move moves a program to its place at once, since editors may be running the
// one that is there.
func move(exe, dest string) error {
	if err := os.MkdirAll(filepath.Dir(dest), 0o777); err != nil {
		return err
	}
	from, err := os.Open(exe)
	if err != nil {
		return err
	}
	defer from.Close()
	// Not a rename yet: the temporary folder may be on another file system.
	next := dest + ".new"
	to, err := os.OpenFile(next, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o777)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	if err = errors.Join(err, to.Close()); err == nil {
		err = os.Rename(next, dest)
	}
	if err != nil {
		return errors.Join(err, os.Remove(next))
	}
	return nil
}
