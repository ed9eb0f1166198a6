package statusupdate

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/analyzers/statusupdate/internal/subject"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/kinds"
	"github.com/opvet/opvet/internal/passes/objects"
	"github.com/opvet/opvet/internal/report/rule"
)

// subresource finds status writes of kinds that have no status subresource.
func (u *unit) subresource() {
	for _, write := range u.Sites {
		if write.Kind != objects.Written || write.ViaCopy || write.Write.Endpoint != kubeapi.StatusEndpoint {
			continue
		}
		kind := subject.KindOf(write.Event)
		if kind == nil || u.toldInside(write) || u.SubresourceOf(kind) != kinds.No && !u.definedWithout(kind) ||
			kubeapi.IsComposite(kind) || u.servedOtherwise(kind) {
			continue
		}
		if kubeapi.StatusField(kind) != nil && u.Summaries.Calls.SameModule(kind.Obj().Pkg()) && u.Manifests.Of(kind) == kinds.Unknown && u.SubresourceOf(kind) == kinds.No {
			u.reportMarker(write, kind)
			continue
		}
		pos, end := u.Span(write.Node)
		u.Report.Report(rule.Finding{
			Pos: pos, End: end, Category: subject.NoSubresource,
			Message: fmt.Sprintf("this write always fails with 404 NotFound: %s has no status subresource; use %s", subject.TypeName(kind), subject.MainCall(write)),
		})
	}
}

// definedWithout reports whether a kind of the module that has no markers is without
// the subresource in the project's CRDs.
func (u *unit) definedWithout(kind *types.Named) bool {
	return u.SubresourceOf(kind) == kinds.Unknown && u.Summaries.Calls.SameModule(kind.Obj().Pkg()) && u.Project().Of(kind) == kinds.No
}

// servedOtherwise reports whether the project has CRDs of other kinds of a kind's package, and none
// of it: a server of the project's own may have it, or nobody.
func (u *unit) servedOtherwise(kind *types.Named) bool {
	if u.Manifests.Of(kind) != kinds.Unknown || u.Project().Of(kind) != kinds.Unknown {
		return false
	}
	scope := kind.Obj().Pkg().Scope()
	return slices.ContainsFunc(scope.Names(), func(name string) bool {
		other, ok := scope.Lookup(name).Type().(*types.Named)
		return ok && kubeapi.KindOf(other) != nil && u.Project().Has(other)
	})
}

// toldInside reports whether the helper that writes knows the kind by itself,
// so that the finding stands there.
func (u *unit) toldInside(write objects.Site) bool {
	if write.Via == nil || write.Arg == nil || kubeapi.KindOf(write.Arg.Type()) == nil {
		return false
	}
	sig := write.Via.Signature()
	return sig.TypeParams() == nil && sig.RecvTypeParams() == nil
}

// reportMarker reports a kind of the user's own once: at its declaration if
// that is in this package, else where its status is written.
func (u *unit) reportMarker(write objects.Site, kind *types.Named) {
	if u.Marked[kind] {
		return
	}
	u.Marked[kind] = true
	name := kind.Obj().Name()
	f := rule.Finding{Category: subject.SubresourceMarker, StatusOf: kubeapi.KindID(kind)}
	if spec := u.declaration(kind); spec != nil {
		f.Pos, f.End = spec.Name.Pos(), spec.Name.End()
		f.Message = fmt.Sprintf("the status write of %s at %s always fails with 404 NotFound: the type lacks +kubebuilder:subresource:status; add the marker",
			name, u.Position(write.Node.Instr.Pos()))
		f.Related = []analysis.RelatedInformation{u.Related(write, "the status is written here")}
	} else if plain := u.plainWrite(kind); plain != nil {
		f.Pos, f.End = u.Span(write.Node)
		f.Message = fmt.Sprintf("this write always fails with 404 NotFound: %s (%s) has no status subresource; use Update, as %s does",
			subject.TypeName(kind), u.Position(kind.Obj().Pos()), u.Position(plain.Node.Instr.Pos()))
	} else {
		f.Pos, f.End = u.Span(write.Node)
		f.Message = fmt.Sprintf("this write always fails with 404 NotFound: %s (%s) lacks +kubebuilder:subresource:status; add the marker to the type",
			subject.TypeName(kind), u.Position(kind.Obj().Pos()))
	}
	u.Report.Report(f)
}

// plainWrite returns a write by which the package stores the status of a kind together with the rest, as
// can be done where there is no subresource; nil if there is none. With the marker it would drop the status.
func (u *unit) plainWrite(kind *types.Named) *objects.Site {
	for _, fn := range u.Summaries.Units() {
		sites := u.Summaries.Unit(fn).Sites
		for i, site := range sites {
			if site.Kind == objects.Written && site.Write.Verb == kubeapi.Update && site.Write.Endpoint == kubeapi.MainEndpoint && subject.KindOf(site.Event) == kind && u.setsStatus(sites[:i], site) {
				return &sites[i]
			}
		}
	}
	return nil
}

// setsStatus reports whether one of the events before a write changes the status of what is written.
func (u *unit) setsStatus(before []objects.Site, write objects.Site) bool {
	return slices.ContainsFunc(before, func(site objects.Site) bool {
		return site.Kind == objects.Mutated && site.Place.Object == write.Place.Object && site.Place.Aspect() == kubeapi.Status
	})
}

func (u *unit) declaration(kind *types.Named) *ast.TypeSpec {
	for _, file := range u.Pass.Files {
		for _, decl := range file.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range gen.Specs {
				if spec, ok := spec.(*ast.TypeSpec); ok && u.Pass.TypesInfo.Defs[spec.Name] == kind.Obj() {
					return spec
				}
			}
		}
	}
	return nil
}
