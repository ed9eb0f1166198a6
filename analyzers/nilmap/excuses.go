package nilmap

import (
	"github.com/opvet/opvet/analyzers/nilmap/internal/entries"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/rule"
)

// candidate is a map that nothing on the way is seen to make.
type candidate struct {
	graph *calls.Graph
	entries.Store
	lacking  bool // the object surely lacks the map at times: a user sends it, or it is about to be created
	selected bool // it was listed by labels
}

// excuses say when such a map is not nil all the same.
var excuses = rule.Excuses[candidate]{
	{
		Reason: rule.Reason{Name: "always-filled", Doc: "Kubernetes itself fills the map in each object of the kind"},
		Holds:  func(c candidate) bool { return kubeapi.IsFilled(c.Kind, c.Path) },
	},
	{
		Reason: rule.Reason{Name: "selected", Doc: "the objects were listed by labels, so that they have some"},
		Holds:  func(c candidate) bool { return c.selected && c.Field() == "labels" },
	},
	{
		Reason: rule.Reason{Name: "was-read", Doc: "the object was read, and who has made it has filled the map as a rule"},
		Strict: true,
		Holds:  func(c candidate) bool { return !c.lacking },
	},
	{
		Reason: rule.Reason{Name: "seldom-nil", Doc: "in a cluster that is in use, practically all objects of the kind have something in the map"},
		Strict: true,
		Holds:  func(c candidate) bool { return kubeapi.IsSeldomNil(c.Kind, c.Path) },
	},
	{
		Reason: rule.Reason{Name: "unknown-kind", Doc: "of what kind the object is, only callers know, and it is no unstructured one, which may be of any"},
		Strict: true,
		Holds: func(c candidate) bool {
			return c.Kind == nil && !c.Unstructured || c.Kind != nil && kubeapi.IsPartialMetadata(c.Kind)
		},
	},
	{
		Reason: rule.Reason{Name: "kind-of-others", Doc: "the kind is another project's, whose webhooks and controllers may fill the map"},
		Strict: true,
		Holds: func(c candidate) bool {
			return c.Kind != nil && !kubeapi.IsBuiltin(kubeapi.KindID(c.Kind)) && !c.graph.SameModule(c.Kind.Obj().Pkg())
		},
	},
	{
		Reason: rule.Reason{Name: "copied-entries", Doc: "all entries of another map are stored, of which there may be none"},
		Strict: true,
		Holds:  func(c candidate) bool { return c.Copies() },
	},
}
