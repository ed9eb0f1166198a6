package repetitions

import "github.com/opvet/opvet/analyzers/informerlifecycle/internal/lives"

// Unit is one package under analysis, and what is done in it again and again.
type Unit struct{ *lives.Unit }
