package finalizeradd

import "github.com/opvet/opvet/internal/report/rule"

// nameExcuses say when the name of a finalizer is left alone although the API
// server warns about it.
var nameExcuses = rule.Excuses[string]{{
	Reason: rule.Reason{Name: "pathless", Doc: "the name has a domain and no path, which the API server accepts with a warning"},
	Strict: true,
	Holds:  func(problem string) bool { return problem == pathless },
}}
