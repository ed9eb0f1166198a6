package statusupdate

import "github.com/opvet/opvet/analyzers/statusupdate/internal/subject"

type unit struct{ *subject.Function }
