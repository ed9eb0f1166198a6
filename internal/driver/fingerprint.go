package driver

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/opvet/opvet/internal/driver/baseline"
)

// identify returns what findings are known by while the code around them, or their
// files, move: the fingerprint is made of the rule, the declaration and the line's
// text. Files get the name that rel gives them.
func identify(findings []Finding, s *sources, rel func(file string) string) []baseline.Entry {
	entries := make([]baseline.Entry, len(findings))
	for i, f := range findings {
		posn := f.Fset.PositionFor(f.Diagnostic.Pos, false)
		in := s.declaration(posn.Filename, posn.Offset)
		sum := sha256.Sum256([]byte(strings.Join([]string{
			f.ruleID(),
			in,
			strings.Join(strings.Fields(s.line(posn.Filename, posn.Line)), " "),
		}, "\x00")))
		entries[i] = baseline.Entry{Fingerprint: hex.EncodeToString(sum[:16]), Rule: f.ruleID(), File: rel(posn.Filename), In: in}
	}
	return entries
}

// fingerprints returns a text for each finding, with a number where several findings
// have the same fingerprint.
func (r *report) fingerprints() []string {
	prints := make([]string, len(r.Findings))
	seen := make(map[string]int)
	for i, e := range identify(r.Findings, r.sources, func(file string) string { return file }) {
		seen[e.Fingerprint]++
		prints[i] = fmt.Sprintf("%s:%d", e.Fingerprint, seen[e.Fingerprint])
	}
	return prints
}
