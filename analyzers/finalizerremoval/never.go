package finalizerremoval

import (
	"fmt"
	"strings"

	"github.com/opvet/opvet/analyzers/finalizerremoval/internal/subject"
	"github.com/opvet/opvet/internal/passes/finalizers"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/wording"
)

// never finds finalizers that are added and removed nowhere: here, if no other
// package can know the name, else where the program is put together.
func never(c *subject.Checker, p *finalizers.Program) {
	told := make(map[string]bool)
	for _, a := range p.Own {
		if !a.Local || !a.Stored || told[a.Name] || p.Removes(a.Name) {
			continue
		}
		told[a.Name] = true
		c.Tell(a.Node, rule.Finding{
			Category: subject.NeverRemoved,
			Message: fmt.Sprintf("%s stays Terminating: finalizer %s is added here and never removed; remove it after the clean-up",
				anyOf(a.Kind), quoted(a.Addition)),
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
		c.Report.Report(rule.Finding{
			Pos: p.Manager.Pos(), Category: subject.NeverRemoved,
			Message: fmt.Sprintf("%s stays Terminating: finalizer %s is added at %s and never removed; remove it after the clean-up",
				anyOf(a.Kind), quoted(a), a.Where),
			NowhereElse: rule.Removal{Finalizer: a.Name}, // another program may
		})
	}
}

func quoted(a finalizers.Addition) string {
	if a.Variable {
		return wording.Tail(subject.ShortKey(a.Name), subject.MaxName)
	}
	return fmt.Sprintf("%q", wording.Tail(a.Name, subject.MaxName))
}

// anyOf names an object of a kind, "*v1.Backup".
func anyOf(kind string) string {
	if kind == "" {
		return "each object"
	}
	return "each " + wording.Tail(kind[strings.LastIndexByte(kind, '.')+1:], subject.MaxName)
}
