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
// next line; one at or above the package clause covers the file.
func parseIgnores(fset *token.FileSet, file *ast.File) *ignores {
	result := new(ignores)
	var lines *codeLines // made on demand
	for _, group := range file.Comments {
		for _, comment := range group.List {
			names, wholeFile, ok := parseIgnore(comment.Text)
			if !ok {
				continue
			}
			if lines == nil {
				lines = newCodeLines(fset, file)
			}
			line := fset.Position(comment.Pos()).Line
			span := ignoreSpan{names: names, first: line, end: lines.extent(line)}
			switch {
			case wholeFile || comment.Pos() < file.Package || line == fset.Position(file.Package).Line:
				span.first, span.end = 1, fset.Position(file.FileEnd).Line
			case !lines.code[line]:
				span.end = lines.extent(fset.Position(group.End()).Line + 1)
			}
			result.spans = append(result.spans, span)
		}
	}
	return result
}

// parseIgnore reads one comment. It reads //nolint as golangci-lint does, so
// that a comment means the same whichever of the two filters.
func parseIgnore(text string) (names []string, wholeFile, ok bool) {
	for directive, whole := range map[string]bool{"//lint:ignore ": false, "//lint:file-ignore ": true} {
		if rest, found := strings.CutPrefix(text, directive); found {
			fields := strings.Fields(rest)
			if len(fields) < 2 { // staticcheck demands a reason, and so do we
				return nil, false, false
			}
			return splitNames(fields[0]), whole, true
		}
	}
	text, found := strings.CutPrefix(text, "//")
	if !found {
		return nil, false, false
	}
	rest, found := strings.CutPrefix(strings.TrimLeft(text, " "), "nolint")
	if !found {
		return nil, false, false
	}
	rest, _, _ = strings.Cut(rest, "//")
	list, found := strings.CutPrefix(rest, ":")
	if !found {
		if rest != "" && !strings.HasPrefix(rest, " ") {
			return nil, false, false // another word
		}
		return []string{"all"}, false, true
	}
	names = splitNames(list)
	return names, false, len(names) > 0
}

func splitNames(list string) []string {
	var names []string
	for item := range strings.SplitSeq(list, ",") {
		fields := strings.Fields(item)
		if len(fields) == 0 {
			continue
		}
		// opvet/statusupdate is how SARIF viewers show the rule. What follows
		// the name is a reason without its slashes.
		names = append(names, strings.ToLower(strings.TrimPrefix(fields[0], suite+"/")))
	}
	return names
}

// codeLines tells where in a file there is code, and how far it reaches.
type codeLines struct {
	code    map[int]bool // lines on which something begins or ends
	extents map[int]int  // first line of a declaration, statement or element -> its last line
}

// newCodeLines surveys a file. Where several nodes begin on a line, the
// largest counts; a function literal's body is part of the statement that it
// stands in.
func newCodeLines(fset *token.FileSet, file *ast.File) *codeLines {
	lines := &codeLines{code: make(map[int]bool), extents: make(map[int]int)}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n.(type) {
		case nil, *ast.CommentGroup, *ast.Comment:
			return false
		case *ast.File:
			return true
		}
		first, last := fset.Position(n.Pos()).Line, fset.Position(n.End()).Line
		lines.code[first], lines.code[last] = true, true
		switch n.(type) {
		case ast.Decl, ast.Stmt, ast.Spec, *ast.Field, *ast.KeyValueExpr:
			lines.extents[first] = max(lines.extents[first], last)
		}
		return true
	})
	return lines
}

// extent returns the last line of what begins on the given one.
func (c *codeLines) extent(line int) int { return max(line, c.extents[line]) }
