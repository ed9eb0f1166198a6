package cache

import (
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Tree returns a hash of the sources and manifests below a folder: of their names
// and contents, since times are others in each checkout. What cannot be read is left out.
func Tree(root string) string {
	h := sha256.New()
	buffer := make([]byte, 64<<10) // for all of them
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
			if file, err := os.Open(path); err == nil {
				content := sha256.New()
				_, _ = io.CopyBuffer(struct{ io.Writer }{content}, struct{ io.Reader }{file}, buffer)
				file.Close()
				fmt.Fprintf(h, "%q %x\n", path[len(root):], content.Sum(nil))
			}
		}
		return nil
	})
	return fmt.Sprintf("%x", h.Sum(nil))
}
