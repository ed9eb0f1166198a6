package cache

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"path/filepath"
)

// Tree returns a hash of the sources and manifests below a folder: of their names,
// sizes and times, as cheap as listing them. What cannot be listed is left out.
func Tree(root string) string {
	h := sha256.New()
	_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil
		case entry.IsDir():
			if name := entry.Name(); path != root && (name == ".git" || name == "node_modules") {
				return fs.SkipDir
			}
			return nil
		}
		switch filepath.Ext(path) {
		case ".go", ".yaml", ".yml", ".json", ".tpl", ".tmpl", ".jsonnet", ".libsonnet":
			if info, err := entry.Info(); err == nil {
				fmt.Fprintf(h, "%q %d %d\n", path, info.Size(), info.ModTime().UnixNano())
			}
		}
		return nil
	})
	return fmt.Sprintf("%x", h.Sum(nil))
}
