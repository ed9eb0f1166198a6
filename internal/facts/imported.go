package facts

import (
	"go/types"
	"sync"

	"golang.org/x/tools/go/analysis"
)

// Imported has what a pass has said of the objects of other packages, each asked for
// when it is wanted: of all that a package imports, it uses little.
type Imported[F any, P interface {
	*F
	analysis.Fact
}] struct {
	pass *analysis.Pass

	mu    sync.Mutex // several analyzers ask at the same time
	known map[types.Object]P
}

// NewImported returns the facts that a pass can see.
func NewImported[F any, P interface {
	*F
	analysis.Fact
}](pass *analysis.Pass) *Imported[F, P] {
	return &Imported[F, P]{pass: pass, known: make(map[types.Object]P)}
}

// Of returns the fact about an object, or nil; of one of this package there is none.
func (i *Imported[F, P]) Of(obj types.Object) P {
	if obj.Pkg() == nil || obj.Pkg() == i.pass.Pkg {
		return nil
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	fact, ok := i.known[obj]
	if !ok {
		if found := P(new(F)); i.pass.ImportObjectFact(obj, found) {
			fact = found
		}
		i.known[obj] = fact
	}
	return fact
}
