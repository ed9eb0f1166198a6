package cache

import (
	"path/filepath"
	"strings"
)

// Copy tells that a folder is a copy of another one, such as an earlier revision of it:
// what is known of a package there holds for the same package here. The zero Copy is
// of nothing.
type Copy struct{ Dir, Of string }

// Original returns where a file or folder of the copy lies in the original.
func (c Copy) Original(name string) string { return move(name, c.Dir, c.Of) }

// Copied returns where a file or folder of the original lies in the copy.
func (c Copy) Copied(name string) string { return move(name, c.Of, c.Dir) }

func move(name, from, to string) string {
	rest, ok := strings.CutPrefix(name, from)
	if from == "" || !ok || rest != "" && rest[0] != filepath.Separator {
		return name
	}
	return to + rest
}
