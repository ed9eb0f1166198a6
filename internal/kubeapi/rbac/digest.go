package rbac

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Digest returns a hash of all that [EachManifest] reads below a directory, and of what a
// project's Go files say about permissions, if sources count: their markers, and which programs
// there are.
func Digest(root string, sources bool) string {
	h := sha256.New()
	add := func(path string, data []byte) { fmt.Fprintf(h, "%q %x\n", path[len(root):], sha256.Sum256(data)) }
	EachManifest(root, add)
	if !sources {
		return fmt.Sprintf("%x", h.Sum(nil))
	}
	_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil
		case entry.IsDir():
			if path != root && SkipsDir(entry.Name()) {
				return fs.SkipDir
			}
		case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
			if data, err := os.ReadFile(path); err == nil {
				if said := saidOfPermissions(data); len(said) > 0 {
					add(path, said)
				}
			}
		}
		return nil
	})
	return fmt.Sprintf("%x", h.Sum(nil))
}

// saidOfPermissions returns what counts of a file: all of it if it has markers, and of a
// program what it imports.
func saidOfPermissions(data []byte) []byte {
	switch {
	case bytes.Contains(data, []byte("+kubebuilder:rbac")):
		return data
	case bytes.Contains(data, []byte("package main")):
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "", data, parser.ImportsOnly)
		if err != nil {
			return data
		}
		end := file.Name.End()
		for _, decl := range file.Decls {
			end = max(end, decl.End())
		}
		return data[:fset.PositionFor(end, false).Offset]
	}
	return nil
}
