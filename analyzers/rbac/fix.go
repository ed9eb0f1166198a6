package rbac

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	known "github.com/opvet/opvet/internal/kubeapi/rbac"
	"github.com/opvet/opvet/internal/passes/permissions"
)

// fix adds the verbs to the marker of the resource, or a marker beside its
// neighbours; nil if there is no good place for that.
func (c *checker) fix(l *lack) *analysis.SuggestedFix {
	if roles != "" {
		return nil
	}
	if m := c.markerOf(func(m *permissions.Marker) bool {
		return slices.Equal(m.Groups, []string{l.Group}) && slices.Equal(m.Resources, []string{l.Target()})
	}); m != nil {
		return c.extend(m, l)
	}
	file, _, _ := strings.Cut(l.needs[0].Where, ":")
	near := func(m *permissions.Marker) bool { return strings.HasPrefix(m.Where, file+":") }
	for _, wanted := range []func(m *permissions.Marker) bool{
		func(m *permissions.Marker) bool { return m.Covers(l.Group, l.Resource) && near(m) },
		func(m *permissions.Marker) bool { return m.Covers(l.Group, l.Resource) },
		near,
		func(m *permissions.Marker) bool { return slices.Contains(m.Groups, l.Group) },
		func(m *permissions.Marker) bool { return true },
	} {
		if m := c.markerOf(wanted); m != nil {
			return c.beside(m, l)
		}
	}
	return nil
}

// markerOf returns the last marker that could be extended, of those that are wanted. It
// lies in a file of the package: a driver need not know others.
func (c *checker) markerOf(wanted func(m *permissions.Marker) bool) *permissions.Marker {
	for i := range slices.Backward(c.markers) {
		m := &c.markers[i]
		if m.Inert == "" && !m.Namespaced && len(m.Names) == 0 && m.Role == "" && len(m.URLs) == 0 && c.inPackage(m.Pos) && wanted(m) {
			return m
		}
	}
	return nil
}

// extend adds verbs to a marker, which is written anew.
func (c *checker) extend(m *permissions.Marker, l *lack) *analysis.SuggestedFix {
	r := m.Rule
	r.Verbs = slices.Clone(r.Verbs)
	for _, verb := range l.verbs {
		if !slices.Contains(r.Verbs, verb) {
			r.Verbs = append(r.Verbs, verb)
		}
	}
	return &analysis.SuggestedFix{
		Message:   fmt.Sprintf("Grant %s of %s", and(l.verbs), l.Qualified()),
		TextEdits: []analysis.TextEdit{{Pos: m.Pos, End: m.End, NewText: []byte(r.Marker())}},
	}
}

// beside adds a marker after another one.
func (c *checker) beside(m *permissions.Marker, l *lack) *analysis.SuggestedFix {
	verbs := slices.Clone(l.verbs)
	slices.SortFunc(verbs, known.CompareVerbs)
	r := known.Rule{Groups: []string{l.Group}, Resources: []string{l.Target()}, Verbs: verbs}
	return &analysis.SuggestedFix{
		Message:   fmt.Sprintf("Grant %s of %s", and(l.verbs), l.Qualified()),
		TextEdits: []analysis.TextEdit{{Pos: m.End, End: m.End, NewText: []byte("\n" + r.Marker())}},
	}
}

func (c *checker) inPackage(pos token.Pos) bool {
	return pos.IsValid() && slices.ContainsFunc(c.pass.Files, func(file *ast.File) bool { return file.FileStart <= pos && pos <= file.FileEnd })
}
