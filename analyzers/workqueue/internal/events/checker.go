package events

import "github.com/opvet/opvet/analyzers/workqueue/internal/subject"

// checker is what this package asks about.
type checker struct{ *subject.Checker }
