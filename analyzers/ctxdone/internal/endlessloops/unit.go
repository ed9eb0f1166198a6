package endlessloops

import "github.com/opvet/opvet/analyzers/ctxdone/internal/subject"

// unit is what this package asks about.
type unit struct{ *subject.Unit }
