package nilmap

import (
	"github.com/opvet/opvet/analyzers/nilmap/internal/fills"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/rule"
)

// candidate is a map that nothing on the way is seen to make.
type candidate struct {
	filled fills.Maps
	slot
}

// excuses say when such a map is not nil all the same.
var excuses = rule.Excuses[candidate]{
	{
		Reason: rule.Reason{Name: "always-filled", Doc: "Kubernetes itself fills the map in each object of the kind"},
		Holds:  func(c candidate) bool { return kubeapi.IsFilled(c.kind, c.path) },
	},
	{
		Reason: rule.Reason{Name: "filled-here", Doc: "the module fills the map where it makes objects of the kind"},
		Strict: true,
		Holds:  func(c candidate) bool { return !kubeapi.IsWriteOnly(c.kind, c.path) && c.filled.Has(c.kind, c.path) },
	},
	{
		Reason: rule.Reason{Name: "unknown-kind", Doc: "of what kind the object is, only callers know"},
		Strict: true,
		Holds:  func(c candidate) bool { return c.kind == nil },
	},
}
