// Package subject has what all questions of the rule are about: the functions of a package with what they do to
// objects, and where an object gets from there.
package subject

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/analyzers/statusupdate/internal/manifests"
	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/finalizers"
	"github.com/opvet/opvet/internal/passes/kinds"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/report/rule"
)

// The categories.
const (
	DroppedByUpdate   = "dropped-by-update"
	LostOnUpdate      = "lost-on-update"
	MetadataDropped   = "metadata-dropped"
	NoSubresource     = "no-subresource"
	SubresourceMarker = "subresource-marker"
	CopyNotWritten    = "copy-not-written"
	NeverPersisted    = "never-persisted"
	NotInPatch        = "not-in-patch"
)

// Checker looks at one package.
type Checker struct {
	*objects.Summaries
	Pass       *analysis.Pass
	Report     *rule.Reporter
	Kinds      *kinds.Kinds
	Finalizers *finalizers.Finalizers
	Manifests  manifests.Manifests
	// Project has the CRDs of the project, which are read where nothing else tells.
	Project func() manifests.Manifests
	// Declaring has those of the module that declares a kind.
	Declaring func(kind *types.Named) manifests.Manifests
	Marked    map[*types.Named]bool // kinds reported by subresource-marker
}

// Function is one function with the literals that are part of its path graph.
type Function struct {
	*Checker
	*objects.Unit
	Copied map[paths.Object]bool // copies that copy-not-written reports
}

// Of returns a function of the package.
func (c *Checker) Of(fn *ssa.Function) *Function {
	return &Function{Checker: c, Unit: c.Unit(fn), Copied: make(map[paths.Object]bool)}
}

// HasSubresource reports whether the status of a kind is known to be a
// subresource: from manifests, its marker, the built-in kinds, or because the
// module writes it as one, and no CRD of the project has it otherwise.
func (c *Checker) HasSubresource(kind *types.Named) bool {
	if kind == nil || kubeapi.StatusField(kind) == nil {
		return false
	}
	switch c.SubresourceOf(kind) {
	case kinds.Yes:
		return true
	case kinds.No:
		return false
	}
	return c.StatusWritten(kind) && c.Project().Of(kind) != kinds.No
}

// SubresourceOf tells whether the status of a kind is a subresource, by the manifests first.
func (c *Checker) SubresourceOf(kind *types.Named) kinds.Answer {
	if answer := c.Manifests.Of(kind); answer != kinds.Unknown {
		return answer
	}
	return c.Kinds.Of(kind).StatusSubresource
}

// IsStatus reports whether an event sets the status of its object for good.
func IsStatus(e objects.Event) bool {
	return e.Kind == objects.Mutated && !e.Empty && !e.Settled && !e.Converted && e.Place.Aspect() == kubeapi.Status
}

// KindOf returns the kind of an event's object.
func KindOf(e objects.Event) *types.Named {
	if e.Place.Kind != nil {
		return e.Place.Kind
	}
	return e.Type
}

// IsOthers reports whether the kind of an event's object is that of another module, whose
// controller sets its status.
func (u *Function) IsOthers(e objects.Event) bool {
	kind := KindOf(e)
	return kind != nil && !u.Calls.SameModule(kind.Obj().Pkg())
}

// TypeName is how messages name a kind.
func TypeName(kind *types.Named) string {
	return kind.Obj().Name()
}

// Line is the line of a place.
func (c *Checker) Line(pos token.Pos) int { return c.Pass.Fset.Position(pos).Line }

// Where says where an event happens.
func (c *Checker) Where(s objects.Site) string {
	return fmt.Sprintf("on line %d", c.Line(s.Node.Instr.Pos()))
}

// place says where an instruction is, with its file if that is another one.
func (c *Checker) Position(pos token.Pos) string {
	p := c.Pass.Fset.Position(pos)
	return fmt.Sprintf("%s:%d", filepath.Base(p.Filename), p.Line)
}

// Syntax returns the syntax of the call that a node stands for, or nil.
func (c *Checker) Syntax(n *paths.Node) *ast.CallExpr { return syntax.Call(c.Pass.Files, n.Call()) }

// Span returns where a finding about a node stands: for a call, the name of
// what is called.
func (c *Checker) Span(n *paths.Node) (pos, end token.Pos) {
	if call := n.Call(); call != nil {
		return syntax.Span(c.Pass.Files, call)
	}
	return n.Instr.Pos(), token.NoPos
}

// Related is a site as a related place.
func (c *Checker) Related(s objects.Site, message string) analysis.RelatedInformation {
	return analysis.RelatedInformation{Pos: s.Node.Instr.Pos(), Message: message}
}
