// Package manifests reads which kinds have the status as a subresource, from the manifests of their definitions.
package manifests

import (
	"bytes"
	"errors"
	"fmt"
	"go/types"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v4"
	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/facts"
	"github.com/opvet/opvet/internal/kubeapi/rbac"
	"github.com/opvet/opvet/internal/passes/kinds"
	"github.com/opvet/opvet/internal/passes/permissions"
	"github.com/opvet/opvet/internal/report/rule"
)

// Manifests tells, by "Kind/version", whether a CRD has the status
// subresource, or one of several.
type Manifests map[string]bool

// Of answers for a kind; the version of a Go kind is its package's name, as
// generated clientsets demand.
func (m Manifests) Of(kind *types.Named) kinds.Answer {
	name := kind.Obj().Name()
	has, ok := m[name+"/"+kind.Obj().Pkg().Name()]
	if !ok {
		has, ok = m[name]
	}
	switch {
	case !ok:
		return kinds.Unknown
	case has:
		return kinds.Yes
	}
	return kinds.No
}

// Has reports whether a kind is defined in just this version.
func (m Manifests) Has(kind *types.Named) bool {
	_, ok := m[kind.Obj().Name()+"/"+kind.Obj().Pkg().Name()]
	return ok
}

// Read reads the CRDs in a folder, which is given relative to the
// root of the module under analysis. All drivers set the module's directory
// or run below it, so the folder is looked for from the package upwards.
func Read(pass *analysis.Pass, report *rule.Reporter, folder string) (Manifests, error) {
	if folder == "" {
		return nil, nil
	}
	root := folder
	if !filepath.IsAbs(folder) && len(pass.Files) > 0 {
		dir, err := filepath.Abs(filepath.Dir(pass.Fset.Position(pass.Files[0].FileStart).Filename))
		if err != nil {
			return nil, fmt.Errorf("statusupdate.crds: %w", err)
		}
		for {
			root = filepath.Join(dir, folder)
			if info, err := os.Stat(root); err == nil && info.IsDir() {
				break
			}
			if parent := filepath.Dir(dir); parent != dir {
				dir = parent
				continue
			}
			return nil, fmt.Errorf("statusupdate.crds: no folder %s in or above the package's", folder)
		}
	}
	report.ReadsBelow(root, rule.AllFiles)
	found := make(Manifests)
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		switch filepath.Ext(path) {
		case ".yaml", ".yml", ".json":
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			return found.read(path, data)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("statusupdate.crds: %w", err)
	}
	return found, nil
}

// projects are those that have been read.
var projects facts.PerProgram[Manifests]

// OfProject reads the CRDs of the project that a package is of. Templates, which are no YAML
// before they are rendered, say nothing.
func OfProject(pass *analysis.Pass, report *rule.Reporter) Manifests {
	return of(pass, report, permissions.ProjectOfPass(pass))
}

// OfDeclaring reads those of the module that declares a kind: whoever imports its API finds there what is installed.
func OfDeclaring(pass *analysis.Pass, report *rule.Reporter, kind *types.Named) Manifests {
	return of(pass, report, permissions.ModuleOf(filepath.Dir(pass.Fset.Position(kind.Obj().Pos()).Filename)))
}

// of reads the CRDs below a folder; nil if there is none.
func of(pass *analysis.Pass, report *rule.Reporter, root string) Manifests {
	if root == "" {
		return nil
	}
	report.ReadsBelow(root, rule.Manifests)
	return projects.Of(pass.Fset, root, func() Manifests {
		found := make(Manifests)
		rbac.EachManifest(root, func(path string, data []byte) {
			if ext := filepath.Ext(path); ext == ".yaml" || ext == ".yml" {
				_ = found.read(path, data)
			}
		})
		return found
	})
}

// definition is what counts of a CustomResourceDefinition, v1 or v1beta1.
type definition struct {
	Kind string
	Spec struct {
		Names        struct{ Kind string }
		Version      string
		Subresources map[string]any
		Versions     []struct {
			Name         string
			Subresources map[string]any
		}
	}
}

func (m Manifests) read(path string, data []byte) error {
	if !strings.Contains(string(data), "CustomResourceDefinition") {
		return nil
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var crd definition
		switch err := decoder.Decode(&crd); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("%s: %w", path, err)
		}
		if crd.Kind != "CustomResourceDefinition" {
			continue
		}
		_, top := crd.Spec.Subresources["status"]
		m[crd.Spec.Names.Kind] = m[crd.Spec.Names.Kind] || top
		if name := crd.Spec.Names.Kind + "/" + crd.Spec.Version; crd.Spec.Version != "" {
			m[name] = m[name] || top
		}
		for _, v := range crd.Spec.Versions {
			_, has := v.Subresources["status"]
			has = has || top
			name := crd.Spec.Names.Kind + "/" + v.Name
			m[name] = m[name] || has
			m[crd.Spec.Names.Kind] = m[crd.Spec.Names.Kind] || has
		}
	}
}
