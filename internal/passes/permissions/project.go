package permissions

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/opvet/opvet/internal/facts"
	"github.com/opvet/opvet/internal/kubeapi/rbac"
)

// project is what the files below a folder grant.
type project struct {
	markers   []rbac.Rule
	programs  int // those that may talk to the API server
	manifests *rbac.Manifests
}

// projects are those that have been read: a repository may have many programs.
var projects facts.PerProgram[*project]

func projectAt(root string, fset *token.FileSet) *project {
	return projects.Of(fset, root, func() *project {
		p := &project{manifests: rbac.ReadProject(root)}
		p.readGo(root)
		return p
	})
}

// readGo reads the markers of all Go files below a folder, and counts the programs.
func (p *project) readGo(root string) {
	programs := make(map[string]bool)
	var content bytes.Buffer // of one file after the other
	_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil // what cannot be read grants nothing
		}
		if entry.IsDir() {
			if path != root && (rbac.SkipsDir(entry.Name()) || rbac.IsForTests(entry.Name()) || entry.Name() == "testdata" || entry.Name() == "hack") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		if err := readInto(&content, path); err != nil {
			return nil
		}
		data := content.Bytes()
		if bytes.Contains(data, []byte("package main")) && isProgram(path, data) {
			programs[filepath.Dir(path)] = true
		}
		if bytes.Contains(data, []byte("+kubebuilder:rbac")) {
			p.markers = append(p.markers, effective(path, data)...)
		}
		return nil
	})
	p.programs = len(programs)
}

func readInto(content *bytes.Buffer, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	content.Reset()
	_, err = content.ReadFrom(file)
	return err
}

// isProgram reports whether a file is of a program that may talk to the API server.
func isProgram(path string, data []byte) bool {
	file, err := parser.ParseFile(token.NewFileSet(), path, data, parser.ImportsOnly)
	return err == nil && file.Name.Name == "main" && slices.ContainsFunc(file.Imports, func(spec *ast.ImportSpec) bool {
		return strings.Contains(spec.Path.Value, "k8s.io/")
	})
}

// effective returns the markers of a file that controller-gen sees.
func effective(path string, data []byte) []rbac.Rule {
	file, err := parser.ParseFile(token.NewFileSet(), path, data, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	var rules []rbac.Rule
	for _, m := range rbac.MarkersOf(file) {
		if m.Inert == "" {
			rules = append(rules, m.Rule)
		}
	}
	return rules
}
