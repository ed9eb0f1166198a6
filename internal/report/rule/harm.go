package rule

import (
	"fmt"
	"slices"
	"strings"
)

// Harm says what a finding does in production if nobody mends it. It is no
// measure of doubt: what is doubtful is strict.
type Harm uint8

// The harms, from least to worst.
const (
	_       Harm = iota
	Hygiene      // true, and nothing happens today
	Load         // the API server, the queue or the CPU does needless work
	Leak         // memory, goroutines, watches or requests grow without bound
	Stuck        // an object, a worker or the shutdown waits forever
	Loss         // a write, an event or a deletion is lost, or the wrong object is written
	Crash        // the process dies, deadlocks, or races on memory
)

// DefaultHarm is the least harm that is printed unless the flag harm says
// otherwise.
const DefaultHarm = Load

// Harms lists the harms, the worst first.
func Harms() []Harm { return []Harm{Crash, Loss, Stuck, Leak, Load, Hygiene} }

var harms = map[Harm]struct{ name, meaning string }{
	Crash:   {"crash", "the process dies, deadlocks or races on memory"},
	Loss:    {"loss", "a write, event or deletion is lost, or the wrong object is written"},
	Stuck:   {"stuck", "an object, a worker or the shutdown waits forever"},
	Leak:    {"leak", "memory, goroutines, watches or requests grow without bound"},
	Load:    {"load", "the API server, the queue or the CPU does needless work"},
	Hygiene: {"hygiene", "true, and nothing happens today"},
}

// String returns the name of the harm, as the flag takes it.
func (h Harm) String() string { return harms[h].name }

// Meaning says in one line what the harm is.
func (h Harm) Meaning() string { return harms[h].meaning }

// Get makes *Harm a flag.Getter.
func (h *Harm) Get() any { return *h }

// Set makes *Harm a flag.Value. It takes the name of a harm.
func (h *Harm) Set(name string) error {
	i := slices.IndexFunc(Harms(), func(h Harm) bool { return h.String() == name })
	if i < 0 {
		var names []string
		for _, h := range Harms() {
			names = append(names, h.String())
		}
		return fmt.Errorf("want one of %s", strings.Join(names, ", "))
	}
	*h = Harms()[i]
	return nil
}

// OfPanic is what a panic leads to: where somebody recovers it the process goes on, and the
// object's requests fail again and again.
func OfPanic(recovered bool) Harm {
	if recovered {
		return Stuck
	}
	return Crash
}
