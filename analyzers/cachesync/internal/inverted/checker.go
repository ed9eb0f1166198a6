package inverted

import "github.com/opvet/opvet/analyzers/cachesync/internal/subject"

// checker is what this package asks about.
type checker struct{ *subject.Checker }
