package driver

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// fingerprints returns a text for each finding that stays the same while code
// around it moves: it is made of the rule, the file, the declaration and the
// line's text, and a number where several findings have all of these in common.
func (r *report) fingerprints() []string {
	prints := make([]string, len(r.Findings))
	seen := make(map[string]int)
	for i, f := range r.Findings {
		posn := f.Fset.PositionFor(f.Diagnostic.Pos, false)
		file, _ := r.root.rel(posn.Filename)
		sum := sha256.Sum256([]byte(strings.Join([]string{
			f.ruleID(),
			file,
			r.sources.declaration(posn.Filename, posn.Offset),
			strings.Join(strings.Fields(r.sources.line(posn.Filename, posn.Line)), " "),
		}, "\x00")))
		text := hex.EncodeToString(sum[:16])
		seen[text]++
		prints[i] = fmt.Sprintf("%s:%d", text, seen[text])
	}
	return prints
}
