package rule

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// suite is the name under which all analyzers can be suppressed at once.
const suite = "opvet"

// ignores are the suppression comments of one file.
type ignores struct {
	spans []ignoreSpan
}

// ignoreSpan suppresses the named analyzers from one line to another.
type ignoreSpan struct {
	names      []string
	first, end int
}

func (ig *ignores) match(analyzer string, line int) bool {
	for _, s := range ig.spans {
		if s.first <= line && line <= s.end &&
			(slices.Contains(s.names, analyzer) || slices.Contains(s.names, suite) || slices.Contains(s.names, "all")) {
			return true
		}
	}
	return false
}

// parseIgnores collects the suppression comments of a file:
//
//	//nolint, //nolint:opvet, //nolint:<analyzer>,… // reason   (golangci-lint's)
//	//lint:ignore <analyzer>,… reason                           (staticcheck's)
//	//lint:file-ignore <analyzer>,… reason
//
// A comment at the end of a line covers the statement or declaration that
// begins on that line; one on a line of its own covers what begins on the
// next line.
func parseIgnores(fset *token.FileSet, file *ast.File) *ignores {
	result := new(ignores)
	var extents map[int]int // first line of a node -> its last line; made on demand
	for _, group := range file.Comments {
		for _, comment := range group.List {
			names, wholeFile, ok := parseIgnore(comment.Text)
			if !ok {
				continue
			}
			if extents == nil {
				extents = nodeExtents(fset, file)
			}
			line := fset.Position(comment.Pos()).Line
			span := ignoreSpan{names: names, first: line, end: max(line, extents[line])}
			if wholeFile || comment.Pos() < file.Package {
				span.first, span.end = 1, fset.Position(file.FileEnd).Line
			} else if extents[line] == 0 {
				next := fset.Position(group.End()).Line + 1
				span.end = max(next, extents[next])
			}
			result.spans = append(result.spans, span)
		}
	}
	return result
}

// parseIgnore reads one comment.
func parseIgnore(text string) (names []string, wholeFile, ok bool) {
	if rest, found := strings.CutPrefix(text, "//nolint"); found {
		rest, _, _ = strings.Cut(rest, "//")
		rest = strings.TrimSpace(rest)
		if rest == "" {
			return []string{"all"}, false, true
		}
		list, found := strings.CutPrefix(rest, ":")
		if !found {
			return nil, false, false
		}
		list, _, _ = strings.Cut(strings.TrimSpace(list), " ")
		return splitNames(list), false, true
	}
	for directive, whole := range map[string]bool{"//lint:ignore ": false, "//lint:file-ignore ": true} {
		if rest, found := strings.CutPrefix(text, directive); found {
			fields := strings.Fields(rest)
			if len(fields) < 2 { // staticcheck demands a reason, and so do we
				return nil, false, false
			}
			return splitNames(fields[0]), whole, true
		}
	}
	return nil, false, false
}

func splitNames(list string) []string {
	var names []string
	for name := range strings.SplitSeq(list, ",") {
		// opvet/statusupdate is how SARIF viewers show the rule.
		name = strings.TrimPrefix(strings.TrimSpace(name), suite+"/")
		names = append(names, strings.ToLower(name))
	}
	return names
}

// nodeExtents maps each line on which a declaration, statement or element
// begins to the last line of the largest such node. A function literal's
// body counts as part of the statement that it stands in.
func nodeExtents(fset *token.FileSet, file *ast.File) map[int]int {
	extents := make(map[int]int)
	ast.Inspect(file, func(n ast.Node) bool {
		switch n.(type) {
		case ast.Decl, ast.Stmt, ast.Spec, *ast.Field, *ast.KeyValueExpr:
			first, last := fset.Position(n.Pos()).Line, fset.Position(n.End()).Line
			extents[first] = max(extents[first], last)
		}
		return true
	})
	return extents
}
