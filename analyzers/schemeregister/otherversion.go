package schemeregister

import (
	"fmt"
	"go/constant"
	"go/types"
	"path"
	"regexp"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/report/rule"
)

// home is where a version is declared: in a package of API types, or by its
// name.
type home struct {
	pkg     *types.Package // nil if only the name is known
	version string         // "v1beta1"
}

// otherVersion finds types of a version's package that are registered under
// another version of the same group.
func (c *checker) otherVersion(call ssa.CallInstruction) {
	known, ok := kubeapi.KnownTypesOf(call.Common())
	if !ok {
		return
	}
	at := c.homeOf(known)
	if at.version == "" {
		return
	}
	for _, object := range known.Objects {
		named := namedOf(object)
		if named == nil || named.Obj().Pkg() == nil || !c.isOtherVersion(at, named) {
			continue
		}
		c.reportVersion(call, at, named)
		return
	}
}

// isOtherVersion reports whether a type belongs to another version of the same
// group: its package lies beside the one that the version is of.
func (c *checker) isOtherVersion(at home, named *types.Named) bool {
	pkg := named.Obj().Pkg()
	version := path.Base(pkg.Path())
	if !isVersion(version) || version == at.version {
		return false
	}
	if at.pkg == nil {
		return c.graph.SameModule(pkg) && pkg.Scope().Lookup("AddToScheme") != nil
	}
	if at.pkg == pkg || path.Dir(pkg.Path()) != path.Dir(at.pkg.Path()) {
		return false
	}
	// A version that takes a type over under its own name says so.
	for _, name := range at.pkg.Scope().Names() {
		tn, ok := at.pkg.Scope().Lookup(name).(*types.TypeName)
		if ok && tn.IsAlias() && kubeapi.Named(tn.Type()) == named {
			return false
		}
	}
	return true
}

var versionName = regexp.MustCompile(`^v\d+((alpha|beta)\d+)?$`)

func isVersion(name string) bool { return versionName.MatchString(name) }

func (c *checker) homeOf(known kubeapi.KnownTypes) home {
	version := known.Version
	if known.Builder != nil {
		version = c.versionOf(known.Builder)
	}
	return c.declared(version, 0)
}

// versionOf returns the GroupVersion that a builder is made with, or, if that
// is not seen, the variable that has the builder.
func (c *checker) versionOf(builder ssa.Value) ssa.Value {
	made := builder
	if load, ok := builder.(*ssa.UnOp); ok {
		if global, ok := load.X.(*ssa.Global); ok {
			made = c.stored(global)
			if made == nil {
				return load
			}
		}
	}
	alloc, ok := made.(*ssa.Alloc)
	if !ok || alloc.Referrers() == nil {
		return made
	}
	field := kubeapi.VersionField(alloc.Type())
	for addr := range blocks.UsesOf[*ssa.FieldAddr](alloc) {
		if addr.Field != field || addr.Referrers() == nil {
			continue
		}
		for store := range blocks.Stores(addr) {
			return store.Val
		}
	}
	return made
}

// stored returns what a variable of the package is given, if that is one thing.
func (c *checker) stored(global *ssa.Global) ssa.Value {
	if stored := c.graph.Stored(global.Object()); global.Pkg == c.graph.Pkg && len(stored) == 1 {
		return stored[0]
	}
	return nil
}

// declared returns where a GroupVersion comes from: the package of the variable
// that has it, if that is a version's.
func (c *checker) declared(v ssa.Value, depth int) home {
	if v == nil || depth > 5 {
		return home{}
	}
	switch v := v.(type) {
	case *ssa.UnOp:
		switch addr := v.X.(type) {
		case *ssa.Global:
			if addr.Object() == nil || addr.Object().Pkg() == nil {
				return home{}
			}
			pkg := addr.Object().Pkg()
			if name := path.Base(pkg.Path()); isVersion(name) {
				return home{pkg, name}
			}
		case *ssa.Alloc:
			return home{version: literalVersion(addr)}
		}
	case *ssa.Call:
		if kubeapi.IsKindOfVersion(kubeapi.Callee(v.Common())) {
			recv, _ := kubeapi.Args(v.Common())
			return c.declared(recv, depth+1)
		}
	}
	return home{}
}

// literalVersion is the version in a literal of a GroupVersion.
func literalVersion(literal *ssa.Alloc) string {
	for addr := range blocks.UsesOf[*ssa.FieldAddr](literal) {
		if addr.Referrers() == nil || calls.FieldName(addr) != "Version" {
			continue
		}
		for store := range blocks.UsesOf[*ssa.Store](addr) {
			if value, ok := store.Val.(*ssa.Const); ok && value.Value != nil && value.Value.Kind() == constant.String {
				if name := constant.StringVal(value.Value); isVersion(name) {
					return name
				}
			}
		}
	}
	return ""
}

// namedOf is the type of an object that was put into an interface.
func namedOf(object ssa.Value) *types.Named {
	boxed, ok := object.(*ssa.MakeInterface)
	if !ok {
		return nil
	}
	return kubeapi.Named(boxed.X.Type())
}

func (c *checker) reportVersion(call ssa.CallInstruction, at home, named *types.Named) {
	name := "*" + path.Base(named.Obj().Pkg().Path()) + "." + named.Obj().Name()
	instead := "the type of " + at.version
	if at.pkg != nil {
		instead = "declare the type in " + at.version
		if own, ok := at.pkg.Scope().Lookup(named.Obj().Name()).(*types.TypeName); ok && !own.IsAlias() {
			instead = "register " + at.version + "." + own.Name()
		}
	} else {
		instead = "register " + instead
	}
	pos, end := c.span(call)
	c.report.Report(rule.Finding{
		Pos: pos, End: end, Category: otherVersion,
		Message: fmt.Sprintf("%s is registered as a kind of %s: its objects are decoded into the wrong struct and lose fields; %s", name, at.version, instead),
	})
}
