package deadlines

import (
	"fmt"
	"strings"
	"time"
)

// Behaviour is what a function does to the contexts that it is handed, and the
// fact on it. Parameters are counted with the receiver first.
type Behaviour struct {
	// Timeouts are given to a parameter, or to what derives from it.
	Timeouts []Given
	// Waits lists the parameters that have ended whenever the function
	// returns, WaitsOK those that have if it returns no error.
	Waits, WaitsOK []int
	// Cancels lists the parameters of type context.CancelFunc that have been
	// called whenever the function returns.
	Cancels []int
	// CancelsOwn tells that a function in a field of the receiver is called
	// that cancels a context.
	CancelsOwn bool
	// KeepsCancel tells that a parameter of type context.CancelFunc is stored
	// into a field.
	KeepsCancel bool
	// Needs are the parameters without which, once they have ended, the
	// function cannot do its work.
	Needs []Need
	// Lends are the results that need a parameter as long as they are used.
	Lends []Loan
}

// Given is a timeout that a function gives to a context.
type Given struct {
	Param int
	After time.Duration
	Where string // "status/update.go:41"
	// Only tells that the parameter has no other use.
	Only bool
}

// Need is an operation that fails if a parameter has ended.
type Need struct {
	Param int
	What  string // "Update"
	Where string
	// Shuts is that of Use.
	Shuts bool
}

// Loan is a result that still needs the context of a parameter.
type Loan struct {
	Param, Result int
	What          string // "the response's body"
}

// AFact marks Behaviour as a fact.
func (*Behaviour) AFact() {}

func (b *Behaviour) String() string {
	var parts []string
	for _, t := range b.Timeouts {
		parts = append(parts, fmt.Sprintf("gives %d %s", t.Param, t.After))
	}
	list := func(what string, params []int) {
		if len(params) > 0 {
			parts = append(parts, fmt.Sprint(what, " ", params))
		}
	}
	list("waits", b.Waits)
	list("waits if ok", b.WaitsOK)
	list("cancels", b.Cancels)
	for _, n := range b.Needs {
		parts = append(parts, fmt.Sprintf("needs %d for %s", n.Param, n.What))
	}
	for _, l := range b.Lends {
		parts = append(parts, fmt.Sprintf("lends %d as %d", l.Param, l.Result))
	}
	return "deadlines(" + strings.Join(parts, ", ") + ")"
}

// IsZero reports whether nothing is known.
func (b *Behaviour) IsZero() bool {
	return len(b.Timeouts)+len(b.Waits)+len(b.WaitsOK)+len(b.Cancels)+len(b.Needs)+len(b.Lends) == 0 && !b.CancelsOwn && !b.KeepsCancel
}
