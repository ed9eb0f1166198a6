package facts

import (
	"go/token"
	"sync"

	"github.com/opvet/opvet/internal/report/rule"
)

// PerProgram keeps what is read from folders for all packages of a program, if the
// driver has the whole of it in hand. Others live longer than what the files say.
type PerProgram[V any] struct {
	mu   sync.Mutex
	fset *token.FileSet // the program's
	read map[string]func() V
}

// Of returns what is read of a folder, and reads it the first time.
func (p *PerProgram[V]) Of(fset *token.FileSet, dir string, read func() V) V {
	if !rule.KnowsWholeProgram() {
		return read()
	}
	p.mu.Lock()
	if p.fset != fset {
		p.fset, p.read = fset, make(map[string]func() V)
	}
	once := p.read[dir]
	if once == nil {
		once = sync.OnceValue(read)
		p.read[dir] = once
	}
	p.mu.Unlock()
	return once()
}
