// Package suppress reads the comments that silence findings:
//
//	//nolint, //nolint:opvet, //nolint:<analyzer>,… // reason   (golangci-lint's)
//	//lint:ignore <analyzer>,… reason                           (staticcheck's)
//	//lint:file-ignore <analyzer>,… reason
//
// In place of an analyzer there may be its group, as in status, or one of its
// categories, as in statusupdate/dropped-by-update, which is how messages end.
//
// A comment at the end of a line covers the statement or declaration that
// begins on that line; one on a line of its own covers what begins on the
// next line; one at or above the package clause covers the file.
package suppress

import (
	"bytes"
	"go/ast"
	"go/token"
	"strings"
	"unicode"
)

// Suite is the name that stands for all analyzers.
const Suite = "opvet"

// Form is the way a suppression is written.
type Form int

const (
	Nolint Form = iota // golangci-lint's //nolint
	Ignore             // staticcheck's //lint:ignore and //lint:file-ignore
)

// Directive is one suppression comment.
type Directive struct {
	Comment *ast.Comment
	Form    Form
	Names   []Name // what it silences; none if it silences everything
	// Problem says why the comment does not count although it was surely
	// meant to; empty if it does.
	Problem string

	first, last int // lines
}

// Name is what one item of a directive's list names.
type Name struct {
	Text     string // in lower case, without "opvet/" before it
	Pos, End token.Pos
	InSuite  bool // written with "opvet/" before it
}

// Covers reports whether findings on the line are meant.
func (d *Directive) Covers(line int) bool {
	return d.Problem == "" && d.first <= line && line <= d.last
}

// Matches reports whether n stands for a category of an analyzer that belongs to
// a group.
func (n Name) Matches(group, analyzer, category string) bool {
	return n.IsSuite() || n.IsGroup(group) || n.Text == analyzer || n.Text == analyzer+"/"+category
}

// IsGroup reports whether n stands for the group.
func (n Name) IsGroup(group string) bool { return group != "" && n.Text == group }

// IsSuite reports whether n stands for all analyzers.
func (n Name) IsSuite() bool { return n.Text == Suite || n.Text == "all" }

// Parse returns the suppression comments of a file.
func Parse(fset *token.FileSet, file *ast.File) []*Directive {
	var directives []*Directive
	var lines *codeLines // made on demand
	for _, group := range file.Comments {
		for _, comment := range group.List {
			d, wholeFile := parse(comment)
			if d == nil {
				continue
			}
			if lines == nil {
				lines = newCodeLines(fset, file)
			}
			line := lineOf(fset, comment.Pos())
			d.first, d.last = line, lines.extent(line)
			switch {
			case wholeFile || comment.Pos() < file.Package || line == lineOf(fset, file.Package):
				d.first, d.last = 1, lineOf(fset, file.FileEnd)
			case !lines.code[line]:
				d.last = lines.extent(lineOf(fset, group.End()) + 1)
			}
			directives = append(directives, d)
		}
	}
	return directives
}

// Written returns what may be suppression comments in the text of a file: all that [Parse]
// finds, and what looks like one in strings. They have no places.
func Written(src []byte) []*Directive {
	var found []*Directive
	for at := bytes.Index(src, []byte("lint")); at >= 0; at = bytes.Index(src, []byte("lint")) {
		from, to := bytes.LastIndexByte(src[:at], '\n')+1, len(src)
		if end := bytes.IndexByte(src[at:], '\n'); end >= 0 {
			to = at + end
		}
		line := string(src[from:to])
		for i := range line {
			if strings.HasPrefix(line[i:], "//") {
				if d, _ := parse(&ast.Comment{Text: line[i:]}); d != nil {
					found = append(found, d)
				}
			}
		}
		src = src[to:]
	}
	return found
}

// lineOf returns the line of a place in the file itself: line directives may
// count those of several others.
func lineOf(fset *token.FileSet, pos token.Pos) int { return fset.PositionFor(pos, false).Line }

// parse reads one comment, and returns nil if it is no suppression.
func parse(comment *ast.Comment) (d *Directive, wholeFile bool) {
	text, found := strings.CutPrefix(comment.Text, "//")
	if !found {
		return nil, false
	}
	if rest, ok := strings.CutPrefix(strings.TrimLeft(text, " "), "nolint"); ok {
		return parseNolint(comment, rest), false
	}
	word, rest := cutWord(strings.TrimLeft(text, " "))
	if word != "lint:ignore" && word != "lint:file-ignore" {
		return nil, false
	}
	return parseLint(comment, word, rest), word == "lint:file-ignore"
}

// parseNolint reads what follows the word as golangci-lint does, so that a
// comment means the same whichever of the two filters.
func parseNolint(comment *ast.Comment, rest string) *Directive {
	d := &Directive{Comment: comment, Form: Nolint}
	rest, _, _ = strings.Cut(rest, "//")
	list, found := strings.CutPrefix(rest, ":")
	if !found {
		if rest != "" && !strings.HasPrefix(rest, " ") {
			return nil // another word
		}
		return d
	}
	d.Names = splitNames(comment, "nolint:", list)
	if len(d.Names) == 0 {
		return nil
	}
	return d
}

// parseLint reads what follows the word. Staticcheck demands a reason, and no
// space before the word, and so do we.
func parseLint(comment *ast.Comment, keyword, rest string) *Directive {
	list, reason := cutWord(rest)
	d := &Directive{Comment: comment, Form: Ignore, Names: splitNames(comment, keyword, list)}
	switch {
	case len(d.Names) == 0:
		return nil
	case !strings.HasPrefix(comment.Text, "//"+keyword):
		d.Problem = "there must be no space after the slashes"
	case reason == "":
		d.Problem = "it needs a reason after the name"
	}
	return d
}

// cutWord returns the first word of a text, and what follows it and the space
// behind it.
func cutWord(text string) (word, rest string) {
	text = strings.TrimLeftFunc(text, unicode.IsSpace)
	end := strings.IndexFunc(text, unicode.IsSpace)
	if end < 0 {
		return text, ""
	}
	return text[:end], strings.TrimSpace(text[end:])
}

// splitNames reads a list, which must follow the keyword in the comment.
func splitNames(comment *ast.Comment, keyword, list string) []Name {
	var names []Name
	offset := strings.Index(comment.Text, keyword) + len(keyword)
	offset += strings.Index(comment.Text[offset:], list)
	for item := range strings.SplitSeq(list, ",") {
		// What follows the name is a reason without its slashes.
		if word, _ := cutWord(item); word != "" {
			pos := comment.Pos() + token.Pos(offset+strings.Index(item, word))
			text, inSuite := strings.CutPrefix(strings.ToLower(word), Suite+"/")
			names = append(names, Name{Text: text, Pos: pos, End: pos + token.Pos(len(word)), InSuite: inSuite})
		}
		offset += len(item) + 1
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
		first, last := lineOf(fset, n.Pos()), lineOf(fset, n.End())
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
