package cachesync

import "github.com/opvet/opvet/analyzers/cachesync/internal/subject"

type checker struct{ *subject.Checker }
