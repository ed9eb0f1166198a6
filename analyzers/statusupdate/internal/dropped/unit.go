package dropped

import "github.com/opvet/opvet/analyzers/statusupdate/internal/subject"

// unit is what this package asks about.
type unit struct{ *subject.Function }
