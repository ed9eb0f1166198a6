package finalizerremoval

import (
	"fmt"

	"github.com/opvet/opvet/internal/finalizers"
	"github.com/opvet/opvet/internal/rule"
)

// never finds finalizers that are added and removed nowhere: here, if no other
// package can know the name, else where the program is put together.
func (c *checker) never(p *finalizers.Program) {
	told := make(map[string]bool)
	for _, a := range p.Own {
		if !a.Local || !a.Stored || told[a.Name] || p.Removes(a.Name) {
			continue
		}
		told[a.Name] = true
		pos, end := c.span(a.Node)
		c.report.Report(rule.Finding{
			Pos: pos, End: end, Category: neverRemoved,
			Message: fmt.Sprintf("the finalizer %s is added to %s here and removed nowhere: such objects stay Terminating for ever, and so does their namespace; remove it when the object is being deleted and has been cleaned up",
				quoted(a.Addition), kindOr(a.Kind)),
		})
	}
	if p.Manager == nil {
		return
	}
	for _, a := range p.All.Added {
		if a.Local || !a.Stored || told[a.Name] || p.Removes(a.Name) {
			continue
		}
		told[a.Name] = true
		c.report.Report(rule.Finding{
			Pos: p.Manager.Pos(), Category: neverRemoved,
			Message: fmt.Sprintf("the finalizer %s is added to %s at %s, and nothing in this program removes it: such objects stay Terminating for ever, and so does their namespace; remove it when the object is being deleted and has been cleaned up",
				quoted(a), kindOr(a.Kind), a.Where),
		})
	}
}

func quoted(a finalizers.Addition) string {
	if a.Variable {
		return shortKey(a.Name)
	}
	return fmt.Sprintf("%q", a.Name)
}

func kindOr(kind string) string {
	if kind == "" {
		return "objects"
	}
	return kind
}
