package driver

import (
	"path/filepath"
	"testing"
)

// Places in errors have the system's separators, and on Windows a colon after
// the drive.
func TestRelativePosn(t *testing.T) {
	dir := workingDir()
	for text, want := range map[string]string{
		filepath.Join(dir, "a", "b.go") + ":3:14": filepath.Join("a", "b.go") + ":3:14",
		filepath.Join(dir, "a.go") + ":3":         "a.go:3",
		`C:\elsewhere\b.go:3:14`:                  `C:\elsewhere\b.go:3:14`,
		"a.go:3:14":                               "a.go:3:14",
		"-":                                       "-",
	} {
		if got := relativePosn(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
