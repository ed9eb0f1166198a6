package informerlifecycle

import "github.com/opvet/opvet/analyzers/informerlifecycle/internal/repetitions"

type unit struct{ *repetitions.Unit }
