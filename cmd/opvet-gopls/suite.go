package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"golang.org/x/mod/modfile"
)

const opvetPath = "github.com/opvet/opvet"

// suite is the opvet module that gopls is built with.
type suite struct {
	version string // empty for a checkout
	dir     string
}

// findSuite returns the checkout that the user named, or the release that this
// command was installed from, or the checkout around the current directory.
func findSuite(tool *goCommand, named string, info *debug.BuildInfo) (*suite, error) {
	if named != "" {
		dir, err := filepath.Abs(named)
		if err != nil {
			return nil, err
		}
		path, err := modulePath(dir)
		if err != nil {
			return nil, fmt.Errorf("-opvet %s: %w", named, err)
		}
		if path != opvetPath {
			return nil, fmt.Errorf("-opvet %s: that is the module %s, not %s", named, path, opvetPath)
		}
		return &suite{dir: dir}, nil
	}
	if version, ok := released(info); ok {
		var download struct{ Dir string }
		if err := tool.json(&download, "mod", "download", "-json", opvetPath+"@"+version); err != nil {
			return nil, err
		}
		return &suite{version, download.Dir}, nil
	}
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	dir, ok := enclosing(here)
	if !ok {
		return nil, errors.New("this command was built from a checkout of opvet: run it there, or name the checkout with -opvet")
	}
	return &suite{dir: dir}, nil
}

// released returns the version that this command was installed from. A build in
// a checkout may have the version of a tag as well, but no checksum.
func released(info *debug.BuildInfo) (version string, ok bool) {
	if info == nil || info.Main.Path != opvetPath || info.Main.Replace != nil || info.Main.Sum == "" {
		return "", false
	}
	return info.Main.Version, true
}

// enclosing returns the folder of the opvet module around dir.
func enclosing(dir string) (string, bool) {
	for {
		path, err := modulePath(dir)
		if err == nil {
			return dir, path == opvetPath
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", false
		}
		dir = up
	}
}

func modulePath(dir string) (string, error) {
	data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", errors.New("there is no go.mod in this directory")
	}
	return modfile.ModulePath(data), err
}

// describe names the suite and the values that its flags are given.
func describe(s *suite, options []string) string {
	version := s.version
	if version == "" {
		version = "devel"
	}
	return strings.Join(append([]string{"opvet " + version}, options...), ", ")
}
