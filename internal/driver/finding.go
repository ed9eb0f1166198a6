package driver

import "github.com/opvet/opvet/internal/report/rule"

// The severities of findings, by the names that SARIF has for them.
const (
	levelError   = "error"
	levelWarning = "warning"
	levelNote    = "note"
)

// ruleID returns the analyzer and category, as at the end of the message.
func (f Finding) ruleID() string { return f.Analyzer.Name + "/" + f.Diagnostic.Category }

// severity is how the formats of others say what harm a finding does.
type severity struct {
	level   string  // of SARIF
	rank    float64 // of SARIF: from 0 to 100
	command string  // of GitHub's workflows
	problem string  // of GitHub's code scanning
}

func severityOf(h rule.Harm) severity {
	switch h {
	case rule.Crash:
		return severity{levelError, 100, "error", "error"}
	case rule.Loss:
		return severity{levelError, 80, "error", "error"}
	case rule.Stuck:
		return severity{levelError, 60, "error", "error"}
	case rule.Leak:
		return severity{levelWarning, 40, "warning", "warning"}
	case rule.Load:
		return severity{levelWarning, 20, "warning", "warning"}
	}
	return severity{levelNote, 0, "notice", "recommendation"}
}
