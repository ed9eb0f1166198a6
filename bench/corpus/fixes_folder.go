package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// A folder holds the files of one commit after another: moving it costs what
// differs between them, where a checkout costs everything.
type folder struct {
	clone, root, dir string
}

func newFolder(clone, work string) (*folder, error) {
	root, err := os.MkdirTemp(work, ".folder-")
	if err != nil {
		return nil, err
	}
	// The tool compares paths that the go command has resolved.
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, err
	}
	f := &folder{clone: clone, root: root, dir: filepath.Join(root, "tree")}
	return f, os.Mkdir(f.dir, 0o777)
}

// moveTo lays the commit's files out. Files whose content the clone lacks are
// left out, as checkout does.
func (f *folder) moveTo(commit string) error {
	env := []string{"GIT_INDEX_FILE=" + filepath.Join(f.root, "index"), "GIT_WORK_TREE=" + f.dir, "GIT_NO_LAZY_FETCH=1"}
	if _, err := git(f.clone, env, "cat-file", "-e", commit+"^{commit}"); err != nil {
		return fmt.Errorf("the clone lacks commit %.10s", commit)
	}
	if _, err := git(f.clone, env, "read-tree", "--reset", "-u", commit); err == nil {
		return nil
	}
	if err := os.RemoveAll(f.dir); err != nil {
		return err
	}
	if err := os.Mkdir(f.dir, 0o777); err != nil {
		return err
	}
	if _, err := git(f.clone, env, "read-tree", commit); err != nil {
		return err
	}
	_, err := git(f.clone, env, "checkout-index", "--all", "--force", "--quiet")
	if entries, readErr := os.ReadDir(f.dir); readErr == nil && len(entries) > 0 {
		return nil
	}
	return err
}

func (f *folder) remove() { os.RemoveAll(f.root) }
