package ctxdone

import "github.com/opvet/opvet/analyzers/ctxdone/internal/subject"

type unit struct{ *subject.Unit }
