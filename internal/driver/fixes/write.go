package fixes

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Write writes a changed file so that nobody ever sees half of it.
func (c Change) Write() error {
	// A link stays a link.
	name, err := filepath.EvalSymlinks(c.File)
	if err != nil {
		return err
	}
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o222 == 0 {
		// A rename would not mind.
		return fmt.Errorf("writing %s: %w: the file is read-only", name, fs.ErrPermission)
	}
	temp, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name()) // fails when it has been renamed
	_, err = temp.Write(c.New)
	if closeErr := temp.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Chmod(temp.Name(), info.Mode().Perm())
	}
	if err == nil {
		err = os.Rename(temp.Name(), name)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return nil
}
