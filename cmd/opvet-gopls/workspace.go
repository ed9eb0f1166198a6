package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
)

// workspace is the temporary folder of the module that gopls is built in.
//
// The go command refuses to overlay files of the module cache. So the module
// replaces gopls by a directory that exists only in the overlay: each of its
// files stands for one of the module cache, and the registration is one more.
type workspace struct{ dir string }

const (
	moduleName  = "gopls-opvet"
	overlayName = "overlay.json"
)

func newWorkspace() (*workspace, error) {
	dir, err := os.MkdirTemp("", "opvet-gopls-")
	if err != nil {
		return nil, err
	}
	// The go command knows the files of an overlay by their real names only.
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	// The go command must not find a module around the folder.
	gomod := []byte("module " + moduleName + "\n")
	return &workspace{real}, os.WriteFile(filepath.Join(real, "go.mod"), gomod, 0o666)
}

func (w *workspace) remove() { os.RemoveAll(w.dir) }

// write writes all that the go command needs to build gopls with the suite.
func (w *workspace) write(goVersion string, s *suite, g *gopls, settings []setting) error {
	if err := checkRegistration(g.dir, g.version); err != nil {
		return err
	}
	gomod, err := goMod(goVersion, s, g)
	if err != nil {
		return fmt.Errorf("writing a go.mod: %w", err)
	}
	// The sums which both modules were released with need not be fetched.
	gosum, err := concat(filepath.Join(g.dir, "go.sum"), filepath.Join(s.dir, "go.sum"))
	if err != nil {
		return err
	}
	added := filepath.Join(w.dir, "opvet.go")
	overlay, err := overlayOf(g.dir, filepath.Join(w.dir, "gopls"), added)
	if err != nil {
		return fmt.Errorf("writing an overlay: %w", err)
	}
	for name, content := range map[string][]byte{
		"go.mod": gomod, "go.sum": gosum, overlayName: overlay, "opvet.go": []byte(source(settings)),
	} {
		if err := os.WriteFile(filepath.Join(w.dir, name), content, 0o666); err != nil {
			return err
		}
	}
	return nil
}

func goMod(goVersion string, s *suite, g *gopls) ([]byte, error) {
	mod := new(modfile.File)
	version := s.version
	if version == "" {
		version = "v0.0.0"
	}
	steps := []error{
		mod.AddModuleStmt(moduleName),
		mod.AddGoStmt(strings.TrimPrefix(goVersion, "go")),
		mod.AddRequire(opvetPath, version),
		mod.AddRequire(goplsPath, g.version),
		mod.AddReplace(toolsPath, "", g.tools.Path, g.tools.Version),
		mod.AddReplace(goplsPath, "", "./gopls", ""),
	}
	if s.version == "" {
		steps = append(steps, mod.AddReplace(opvetPath, "", s.dir, ""))
	}
	for _, err := range steps {
		if err != nil {
			return nil, err
		}
	}
	return mod.Format()
}

// overlayOf maps the files of a directory to another one, which need not
// exist, and the added file to its package settings.
func overlayOf(from, to, added string) ([]byte, error) {
	files := map[string]string{filepath.Join(to, filepath.Dir(registrationFile), "opvet.go"): added}
	err := filepath.WalkDir(from, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasSuffix(name, "_test.go") {
			return err
		}
		rel, err := filepath.Rel(from, name)
		files[filepath.Join(to, rel)] = name
		return err
	})
	if err != nil {
		return nil, err
	}
	return json.Marshal(map[string]any{"Replace": files})
}

func concat(names ...string) ([]byte, error) {
	var all []byte
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		all = append(all, data...)
	}
	return all, nil
}
