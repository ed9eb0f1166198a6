package dropped

import (
	"github.com/opvet/opvet/analyzers/statusupdate/internal/subject"
	"github.com/opvet/opvet/internal/report/rule"
)

// unit is what this package asks about, with what it has found.
type unit struct {
	*subject.Function
	found []rule.Finding
}
