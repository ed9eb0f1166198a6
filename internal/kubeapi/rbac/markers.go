package rbac

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// Marker is a +kubebuilder:rbac comment.
type Marker struct {
	Rule
	// Inert says why controller-gen does not see it; empty if it does.
	Inert string
	Pos   token.Pos
	End   token.Pos
}

const markerName = "+kubebuilder:rbac:"

// MarkersOf reads the markers of a file. What is no marker that controller-gen can
// parse is left out: controller-gen says so itself.
func MarkersOf(file *ast.File) []Marker {
	var markers []Marker
	var places *places
	for i, group := range file.Comments {
		for _, c := range group.List {
			text, ok := markerText(c.Text)
			if !ok {
				continue
			}
			rule, err := ParseMarker(text)
			if err != nil {
				continue
			}
			if places == nil {
				places = placesOf(file)
			}
			markers = append(markers, Marker{Rule: rule, Inert: places.inert(file, i), Pos: c.Pos(), End: c.End()})
		}
	}
	return markers
}

// markerText returns the arguments of a marker; only comments of one line count.
func markerText(comment string) (string, bool) {
	line, ok := strings.CutPrefix(comment, "//")
	if !ok {
		return "", false
	}
	return strings.CutPrefix(strings.TrimSpace(line), markerName)
}

// ParseMarker parses the arguments of a marker, such as groups=apps,resources=deployments,verbs=get;list.
func ParseMarker(text string) (Rule, error) {
	var r Rule
	p := &argumentParser{rest: text}
	seen := false
	for {
		name, err := p.name()
		if err != nil {
			return Rule{}, err
		}
		var values []string
		switch name {
		case "groups", "resources", "resourceNames", "verbs", "urls":
			values, err = p.list()
		case "namespace", "roleName":
			var value string
			value, err = p.value()
			values = []string{value}
		default:
			return Rule{}, fmt.Errorf("unknown argument %q", name)
		}
		if err != nil {
			return Rule{}, err
		}
		switch name {
		case "groups":
			r.Groups = values
		case "resources":
			r.Resources = values
		case "resourceNames":
			r.Names = values
		case "verbs":
			r.Verbs, seen = values, true
		case "urls":
			r.URLs = values
		case "namespace":
			r.Namespace, r.Namespaced = values[0], values[0] != ""
		case "roleName":
			r.Role = values[0]
		}
		p.space()
		if p.rest == "" {
			break
		}
		if p.rest[0] != ',' {
			return Rule{}, fmt.Errorf("want a comma before %q", p.rest)
		}
		p.rest = p.rest[1:]
	}
	if !seen {
		return Rule{}, fmt.Errorf("missing argument \"verbs\"")
	}
	for i, group := range r.Groups {
		if group == "core" {
			r.Groups[i] = ""
		}
	}
	return r, nil
}

type argumentParser struct{ rest string }

func (p *argumentParser) space() { p.rest = strings.TrimLeft(p.rest, " \t") }

func (p *argumentParser) name() (string, error) {
	name, rest, ok := strings.Cut(p.rest, "=")
	if !ok {
		return "", fmt.Errorf("want name=value, got %q", p.rest)
	}
	p.rest = rest
	return strings.TrimSpace(name), nil
}

// list parses a;b or {a,b}.
func (p *argumentParser) list() ([]string, error) {
	p.space()
	end, separator := "", byte(';')
	if strings.HasPrefix(p.rest, "{") {
		p.rest, end, separator = p.rest[1:], "}", ','
	}
	var values []string
	for {
		p.space()
		if p.rest == "" || p.rest[0] == '}' || end == "" && p.rest[0] == ',' {
			break
		}
		value, err := p.value()
		if err != nil {
			return nil, err
		}
		values = append(values, value)
		p.space()
		if p.rest == "" || p.rest[0] != separator {
			break
		}
		p.rest = p.rest[1:]
	}
	if end != "" {
		if !strings.HasPrefix(p.rest, end) {
			return nil, fmt.Errorf("want } before %q", p.rest)
		}
		p.rest = p.rest[1:]
	}
	return values, nil
}

// value parses a quoted string, or what stands before the next separator.
func (p *argumentParser) value() (string, error) {
	p.space()
	if p.rest != "" && (p.rest[0] == '"' || p.rest[0] == '`') {
		quoted, err := strconv.QuotedPrefix(p.rest)
		if err != nil {
			return "", fmt.Errorf("the string %s: %w", p.rest, err)
		}
		p.rest = p.rest[len(quoted):]
		return strconv.Unquote(quoted)
	}
	i := strings.IndexAny(p.rest, ",;}")
	if i < 0 {
		i = len(p.rest)
	}
	value := strings.TrimSpace(p.rest[:i])
	p.rest = p.rest[i:]
	return value, nil
}

// places are the comments of a file that belong to something.
type places struct {
	docs map[*ast.CommentGroup]string // what it documents, or stands behind
	// heads are the comments that come last before a type among others in
	// parentheses, which count as the package's.
	heads map[*ast.CommentGroup]bool
	decls []ast.Decl
}

func placesOf(file *ast.File) *places {
	p := &places{docs: make(map[*ast.CommentGroup]string), heads: make(map[*ast.CommentGroup]bool), decls: file.Decls}
	note := func(group *ast.CommentGroup, what string) {
		if group != nil {
			p.docs[group] = what
		}
	}
	head := func(from, to token.Pos, doc *ast.CommentGroup) {
		for _, group := range slices.Backward(file.Comments) {
			if from < group.Pos() && group.Pos() < to && group != doc {
				p.heads[group] = true
				return
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			note(n.Doc, "the documentation of "+n.Name.Name)
		case *ast.GenDecl:
			what := "the documentation of a declaration"
			if len(n.Specs) == 1 {
				if spec, ok := n.Specs[0].(*ast.TypeSpec); ok {
					what = "the documentation of " + spec.Name.Name
				}
			}
			note(n.Doc, what)
			if from := n.Lparen; from.IsValid() && n.Tok == token.TYPE {
				for _, spec := range n.Specs {
					head(from, spec.Pos(), spec.(*ast.TypeSpec).Doc)
					from = spec.End()
				}
			}
		case *ast.TypeSpec:
			note(n.Doc, "the documentation of "+n.Name.Name)
			note(n.Comment, "a comment behind "+n.Name.Name)
		case *ast.ValueSpec:
			note(n.Doc, "the documentation of a declaration")
			note(n.Comment, "a comment behind a declaration")
		case *ast.ImportSpec:
			note(n.Doc, "the documentation of an import")
			note(n.Comment, "a comment behind an import")
		case *ast.Field:
			note(n.Doc, "the documentation of a field")
			note(n.Comment, "a comment behind a field")
		}
		return true
	})
	return p
}

// inert tells why controller-gen does not take the markers of a comment for the
// package's: it takes those that stand free, and those before the package clause.
func (p *places) inert(file *ast.File, i int) string {
	group := file.Comments[i]
	if group == file.Doc {
		return ""
	}
	if what := p.docs[group]; what != "" {
		return what
	}
	for _, decl := range p.decls {
		if decl.Pos() <= group.Pos() && group.Pos() < decl.End() && !p.heads[group] {
			if fn, ok := decl.(*ast.FuncDecl); ok {
				return "the body of " + fn.Name.Name
			}
			return "a declaration"
		}
	}
	return ""
}
