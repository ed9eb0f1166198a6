package main

import (
	"errors"
	"fmt"
	"go/version"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

const (
	goplsPath = "golang.org/x/tools/gopls"
	toolsPath = "golang.org/x/tools"
)

// gopls is a published version of gopls.
type gopls struct {
	version string
	dir     string         // in the module cache
	tools   module.Version // the golang.org/x/tools that it is built with
}

// findGopls downloads the wanted version of gopls, or the newest published one
// that the installed Go can build.
func findGopls(tool *goCommand, wanted string) (*gopls, error) {
	chosen, err := chooseGopls(tool, wanted)
	if err != nil {
		return nil, err
	}
	var download struct{ Dir, GoMod string }
	if err := tool.json(&download, "mod", "download", "-json", goplsPath+"@"+chosen); err != nil {
		return nil, err
	}
	mod, err := readGoMod(download.GoMod)
	if err != nil {
		return nil, err
	}
	tools, err := toolsOf(mod)
	if err != nil {
		return nil, fmt.Errorf("gopls %s: %w", chosen, err)
	}
	return &gopls{chosen, download.Dir, tools}, nil
}

func chooseGopls(tool *goCommand, wanted string) (string, error) {
	// needs tells which Go a version asks for; only its go.mod is fetched.
	needs := func(query string) (goplsVersion, goVersion string, err error) {
		var m struct{ Version, GoMod string }
		if err := tool.json(&m, "list", "-m", "-json", goplsPath+"@"+query); err != nil {
			return "", "", err
		}
		mod, err := readGoMod(m.GoMod)
		if err != nil || mod.Go == nil {
			return m.Version, "", err
		}
		return m.Version, "go" + mod.Go.Version, nil
	}
	if wanted != "" {
		chosen, needed, err := needs(wanted)
		if err == nil && !builds(tool.version, needed) {
			err = fmt.Errorf("gopls %s needs %s, and this is %s; without -gopls-version the newest that it can build is taken",
				chosen, needed, tool.version)
		}
		return chosen, err
	}
	var published struct{ Versions []string }
	if err := tool.json(&published, "list", "-m", "-versions", "-json", goplsPath); err != nil {
		return "", err
	}
	return newest(published.Versions, tool.version, func(v string) (string, error) {
		_, needed, err := needs(v)
		return needed, err
	})
}

// newest returns the newest release that this version of Go builds. It asks
// for what a version needs from the newest on, until one fits.
func newest(versions []string, goVersion string, needs func(version string) (string, error)) (string, error) {
	releases := slices.DeleteFunc(slices.Clone(versions), func(v string) bool { return semver.Prerelease(v) != "" })
	semver.Sort(releases)
	for _, v := range slices.Backward(releases) {
		needed, err := needs(v)
		if err != nil {
			return "", err
		}
		if builds(goVersion, needed) {
			return v, nil
		}
	}
	return "", fmt.Errorf("no published version of gopls can be built with %s; there are %v", goVersion, releases)
}

// builds reports whether a version of Go builds a module that needs another one.
func builds(have, need string) bool { return version.Compare(have, need) >= 0 }

// toolsOf returns the version of golang.org/x/tools that gopls is released
// with. It uses packages internal to that, so no other one will do.
func toolsOf(mod *modfile.File) (module.Version, error) {
	for _, r := range mod.Replace {
		if r.Old.Path == toolsPath {
			if r.New.Version == "" {
				return module.Version{}, fmt.Errorf("its go.mod replaces %s by the directory %s, which is not published", toolsPath, r.New.Path)
			}
			return r.New, nil
		}
	}
	for _, r := range mod.Require {
		if r.Mod.Path == toolsPath {
			return r.Mod, nil
		}
	}
	return module.Version{}, errors.New("its go.mod does not require " + toolsPath)
}

func readGoMod(name string) (*modfile.File, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	mod, err := modfile.Parse(filepath.Base(name), data, nil)
	if err != nil {
		// A newer Go may have directives of its own. ParseLax passes over
		// them, but over replacements as well.
		mod, err = modfile.ParseLax(filepath.Base(name), data, nil)
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	return mod, nil
}
