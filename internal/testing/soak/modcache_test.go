package soak

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
	"golang.org/x/tools/go/packages"

	"github.com/opvet/opvet/analyzers"
	"github.com/opvet/opvet/internal/driver"
)

// TestModuleCache runs the suite over each k8s.io, sigs.k8s.io and knative.dev
// module in the module cache, in its newest version there. Nothing is
// downloaded and nothing compiled: what a module imports is read from source.
// Modules that need others which are not in the cache are left out.
func TestModuleCache(t *testing.T) {
	if !*full {
		return
	}
	cached := cachedModules(t)
	var skipped []string
	for _, path := range slices.Sorted(maps.Keys(cached)) {
		t.Run(path, func(t *testing.T) {
			var failure error
			for _, version := range cached[path] {
				start := time.Now()
				pkgs, err := loadModule(t, module.Version{Path: path, Version: version})
				if err == nil {
					t.Logf("%s", version)
					asUserCode(pkgs)
					analyse(t, analyzers.All(), pkgs, time.Since(start))
					return
				}
				failure = fmt.Errorf("%s: %w", version, err)
			}
			t.Logf("left out: %v", failure)
			skipped = append(skipped, path)
		})
	}
	t.Logf("%d modules, of which %d cannot be loaded from the cache alone: %v", len(cached), len(skipped), skipped)
}

// cachedModules lists the versions of Kubernetes modules whose source is in the
// module cache, the newest first.
func cachedModules(t *testing.T) map[string][]string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	root := strings.TrimSpace(string(out))
	versions := make(map[string][]string)
	for _, pattern := range []string{"k8s.io/*@*", "k8s.io/*/*@*", "sigs.k8s.io/*@*", "sigs.k8s.io/*/*@*", "sigs.k8s.io/*/*/*@*", "knative.dev/*@*", "knative.dev/*/*@*"} {
		dirs, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, dir := range dirs {
			rel, err := filepath.Rel(root, dir)
			if err != nil {
				t.Fatal(err)
			}
			escaped, escapedVersion, _ := strings.Cut(filepath.ToSlash(rel), "@")
			path, err1 := module.UnescapePath(escaped)
			version, err2 := module.UnescapeVersion(escapedVersion)
			if err1 == nil && err2 == nil && module.Check(path, version) == nil { // not a file below a module
				versions[path] = append(versions[path], version)
			}
		}
	}
	for _, list := range versions {
		slices.SortFunc(list, func(a, b string) int { return semver.Compare(b, a) })
	}
	return versions
}

// loadModule loads the packages of a module as those of a program that
// requires it and nothing else.
func loadModule(t *testing.T, m module.Version) ([]*packages.Package, error) {
	t.Helper()
	dir := t.TempDir()
	env := append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOSUMDB=off", "GOWORK=off", "CGO_ENABLED=0", "GOTOOLCHAIN=local")
	source, err := writeModule(dir, env, m)
	if err != nil {
		return nil, err
	}
	pkgs, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps |
			packages.NeedModule | packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo,
		Dir: dir, Env: env,
		ParseFile: func(fset *token.FileSet, filename string, src []byte) (*ast.File, error) {
			file, err := parser.ParseFile(fset, filename, src, parser.ParseComments|parser.SkipObjectResolution)
			if file != nil && !strings.HasPrefix(filename, source+string(filepath.Separator)) {
				driver.EmptyBodies(file)
			}
			return file, err
		},
	}, m.Path+"/...")
	if err != nil {
		return nil, err
	}
	// What is not used, for want of bodies, is no error. Nor are missing modules
	// that only some packages need; what imports these is ill-typed.
	var sound []*packages.Package
	packages.Visit(pkgs, nil, func(pkg *packages.Package) {
		own := pkg.Module != nil && pkg.Module.Path == m.Path
		pkg.IllTyped = slices.ContainsFunc(pkg.Errors, func(err packages.Error) bool { return own || err.Kind != packages.TypeError })
		for _, imported := range pkg.Imports {
			pkg.IllTyped = pkg.IllTyped || imported.IllTyped
		}
		if own && !pkg.IllTyped && len(pkg.Syntax) > 0 {
			sound = append(sound, pkg)
		}
	})
	if len(sound) == 0 {
		return nil, fmt.Errorf("none of %d packages compiles: %v", len(pkgs), firstError(pkgs))
	}
	t.Logf("%d of %d packages compile", len(sound), len(pkgs))
	return sound, nil
}

func firstError(pkgs []*packages.Package) error {
	for _, pkg := range pkgs {
		for _, err := range pkg.Errors {
			return err
		}
	}
	return nil
}

// writeModule writes a go.mod file that requires m and returns where the source
// of m is. Kubernetes itself requires its parts in no version at all; those
// that were released with it take their place, as in any module that imports it.
func writeModule(dir string, env []string, m module.Version) (source string, err error) {
	info, err := cachedModule(dir, env, m)
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(info.GoMod)
	if err != nil {
		return "", err
	}
	required, err := modfile.ParseLax(info.GoMod, text, nil)
	if err != nil {
		return "", err
	}
	var f modfile.File
	if err := f.AddModuleStmt("example.com/soak"); err != nil {
		return "", err
	}
	if err := f.AddGoStmt("1.26"); err != nil {
		return "", err
	}
	if err := f.AddRequire(m.Path, m.Version); err != nil {
		return "", err
	}
	for _, r := range required.Require {
		if r.Mod.Version == "v0.0.0" {
			part := strings.Replace(m.Version, "v1.", "v0.", 1)
			if err := f.AddReplace(r.Mod.Path, "", r.Mod.Path, part); err != nil {
				return "", err
			}
		} else if err := f.AddRequire(r.Mod.Path, r.Mod.Version); err != nil {
			return "", err
		}
	}
	text, err = f.Format()
	if err != nil {
		return "", err
	}
	return info.Dir, os.WriteFile(filepath.Join(dir, "go.mod"), text, 0o666)
}

// moduleInfo says where a module is in the cache.
type moduleInfo struct{ Dir, GoMod string }

// cachedModule asks for it.
func cachedModule(dir string, env []string, m module.Version) (info moduleInfo, err error) {
	cmd := exec.Command("go", "mod", "download", "-json", m.String())
	cmd.Dir, cmd.Env = dir, env
	out, err := cmd.Output()
	if err != nil {
		return info, fmt.Errorf("%s: %w: %s", cmd, err, bytes.TrimSpace(out))
	}
	return info, json.Unmarshal(out, &info)
}
