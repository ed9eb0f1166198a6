package rule

import "go/token"

// Silenced reports whether a comment silences findings of a category at a
// position, and notes that the comment does so: for findings that have more
// places than one.
func (r *Reporter) Silenced(pos token.Pos, category string) bool {
	file := r.fileOf(pos)
	return file != nil && r.silenced(file, Finding{Pos: pos, Category: category})
}
