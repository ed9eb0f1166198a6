package revision

import (
	"os"
	"path/filepath"
	"strings"
)

// Export writes the files of a commit into an empty directory. Neither the working tree
// nor git's index changes, and git does not remember the directory.
func (r *Repository) Export(commit, dir string) error {
	index, err := os.CreateTemp("", "opvet-index-")
	if err != nil {
		return err
	}
	// Git wants to make the file itself.
	index.Close()
	os.Remove(index.Name())
	defer os.Remove(index.Name())
	env := []string{"GIT_INDEX_FILE=" + index.Name(), "GIT_LFS_SKIP_SMUDGE=1"}
	if _, err := r.gitWith(env, "read-tree", commit); err != nil {
		return err
	}
	prefix := strings.TrimSuffix(filepath.ToSlash(dir), "/") + "/"
	_, err = r.gitWith(env, "checkout-index", "--all", "--force", "--quiet", "--prefix="+prefix)
	return err
}
