package driver

import "github.com/opvet/opvet/internal/rule"

// The severities of findings, by the names that SARIF has for them.
const (
	levelWarning = "warning"
	levelNote    = "note"
)

// ruleID returns the analyzer and category, as at the end of the message.
func (f Finding) ruleID() string { return f.Analyzer.Name + "/" + f.Diagnostic.Category }

// level returns the severity: what only the strict flag turns on is a note.
func (f Finding) level() string {
	for _, c := range rule.Of(f.Analyzer).Categories {
		if c.Name == f.Diagnostic.Category {
			return categoryLevel(c)
		}
	}
	return levelWarning
}

func categoryLevel(c rule.Category) string {
	if c.Strict {
		return levelNote
	}
	return levelWarning
}
