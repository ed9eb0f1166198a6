package lives

import "github.com/opvet/opvet/analyzers/informerlifecycle/internal/subject"

// Unit is one package under analysis, and how long what runs in it lives.
type Unit struct{ *subject.Unit }
