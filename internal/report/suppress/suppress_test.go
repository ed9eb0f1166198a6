package suppress

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, test := range []struct {
		comment string
		names   string // joined by spaces; empty if it is no suppression
		whole   bool
	}{
		{"//nolint", "everything", false},
		{"//nolint // because", "everything", false},
		{"//nolint:all", "all", false},
		{"//nolint:opvet", "opvet", false},
		{"//nolint:opvet // because", "opvet", false},
		{"//nolint:statusupdate,handlergoroutine", "statusupdate handlergoroutine", false},
		{"//nolint: statusupdate, handlergoroutine // because", "statusupdate handlergoroutine", false},
		{"//nolint:statusupdate because", "statusupdate", false},
		{"//nolint:StatusUpdate", "statusupdate", false},
		{"//nolint:opvet/statusupdate", "statusupdate", false},
		{"//lint:ignore statusupdate because", "statusupdate", false},
		{"//lint:ignore statusupdate,opvet because of this", "statusupdate opvet", false},
		{"//lint:file-ignore statusupdate because", "statusupdate", true},
		{"//nolint:statusupdate/dropped-by-update", "statusupdate/dropped-by-update", false},
		{"//lint:ignore\tlint:ignore\tbecause", "lint:ignore", false},
		{"//nolint:nolint,n", "nolint n", false},

		{"// nolint is discouraged", "everything", false}, // as golangci-lint has it
		{"// nolint", "everything", false},                // golangci-lint takes a space too
		{"// nolint:opvet", "opvet", false},
		{"//nolintlint:statusupdate", "", false},
		{"//nolint because", "everything", false},
		{"//nolint:", "", false},
		{"//nolint://because", "", false},
		{"//lint:ignore statusupdate", "", false}, // without a reason
		{"//lint:ignore", "", false},
		{"// lint:ignore statusupdate because", "", false},
		{"//lint:ignored statusupdate because", "", false},
		{"/* nolint:opvet */", "", false},
		{"// statusupdate", "", false},
	} {
		const before = 100 // the position of the comment
		var names []string
		d, whole := parse(&ast.Comment{Slash: before, Text: test.comment})
		if d != nil && d.Problem == "" {
			for _, name := range d.Names {
				names = append(names, name.Text)
				if written := strings.ToLower(test.comment[name.Pos-before : name.End-before]); strings.TrimPrefix(written, "opvet/") != name.Text {
					t.Errorf("%s: name %q at %q", test.comment, name.Text, written)
				}
			}
			if len(d.Names) == 0 {
				names = []string{"everything"}
			}
		}
		if strings.Join(names, " ") != test.names || whole != test.whole {
			t.Errorf("%s: got names %q, whole file %t", test.comment, names, whole)
		}
	}
}

// Each line of the sources below whose text ends in "// +" or that is marked
// so within must be suppressed for the analyzer "one", all others must not.
func TestIgnoredLines(t *testing.T) {
	for name, src := range map[string]string{
		"none": `package p
func f() {
	g()
}`,
		"end of line": `package p
func f() {
	g()
	g() //nolint:one // +
	g()
}`,
		"line of its own": `package p
func f() {
	g()
	//nolint:one // +
	g() // +
	g()
}`,
		"staticcheck's": `package p
func f() {
	//lint:ignore one reason // +
	g() // +
	g()
	//lint:ignore two reason
	g()
}`,
		"several comments above": `package p
func f() {
	//nolint:one // +
	// and why // +
	g() // +
	g()
}`,
		"statement of several lines": `package p
func f() {
	g( //nolint:one // +
		1, // +
		2, // +
	) // +
	g()
}`,
		"above a statement of several lines": `package p
func f() {
	//nolint:one // +
	go func() { // +
		g() // +
	}() // +
	g()
}`,
		"function": `package p
//nolint:one // +
func f() { // +
	g() // +
} // +
func g() {
}`,
		"doc comment": `package p
// f does it.
//
//nolint:one // +
func f() { // +
	g() // +
} // +
func g() {
}`,
		"on the line of a function": `package p
func f() { //nolint:one // +
	g() // +
} // +
func h() {
}`,
		"closing line": `package p
func f() {
	g(
		1,
	) //nolint:one // +
	g()
}`,
		"struct field": `package p
type T struct {
	a int //nolint:one // +
	b int
	//nolint:one // +
	c int // +
	d int
}`,
		"type": `package p
//nolint:one // +
type T struct { // +
	a int // +
} // +
type U struct {
}`,
		"file, before the package clause": `//nolint:one // +
// +
package p // +
func f() {} // +
// +`,
		"file, at the package clause": `package p //nolint:one // +

func f() {} // +`,
		"file": `package p // +
func f() { // +
	//lint:file-ignore one reason // +
	g() // +
} // +`,
		"another analyzer": `package p
func f() {
	g() //nolint:two
	g() //nolint:oneself
	g() //nolint:two,one // +
}`,
		"blank line between": `package p
func f() {
	//nolint:one // +

	g()
}`,
		"composite literal": `package p
var x = T{
	A: 1, //nolint:one // +
	B: 2,
	//nolint:one // +
	C: func() { // +
		g() // +
	}, // +
}`,
		"element of a call": `package p
func f() {
	g(
		h(1), //nolint:one // +
		h(2),
	)
}`,
		"case": `package p
func f() {
	switch {
	case a: //nolint:one // +
		g() // +
	case b:
		g()
	}
}`,
		"else": `package p
func f() {
	if a { //nolint:one // +
		g() // +
	} else { // +
		g() // +
	} // +
}`,
	} {
		t.Run(name, func(t *testing.T) {
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, "p.go", src, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			for i, line := range strings.Split(src, "\n") {
				want := strings.HasSuffix(line, "// +")
				if got := covered(fset, file, "one", i+1); got != want && line != "" {
					t.Errorf("line %d, %q: suppressed %t, want %t", i+1, line, got, want)
				}
			}
		})
	}
}

// covered reports whether a finding of the analyzer on the line is silenced.
func covered(fset *token.FileSet, file *ast.File, analyzer string, line int) bool {
	for _, d := range Parse(fset, file) {
		if d.Covers(line) && (len(d.Names) == 0 || slices.ContainsFunc(d.Names, func(n Name) bool { return n.Matches("group", analyzer, "category") })) {
			return true
		}
	}
	return false
}

func TestNamesOfTheWholeSuite(t *testing.T) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", "package p\n\nvar a = 1 //nolint:opvet\nvar b = 1 //nolint\nvar c = 1 //nolint:all\nvar d = 1 //nolint:one/category\nvar e = 1 //nolint:one/other\n", parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[int]bool{1: false, 3: true, 4: true, 5: true, 6: true, 7: false} {
		if got := covered(fset, file, "one", line); got != want {
			t.Errorf("line %d: suppressed %t, want %t", line, got, want)
		}
	}
}

func TestProblems(t *testing.T) {
	for comment, want := range map[string]string{
		"//lint:ignore statusupdate":          "reason",
		"//lint:file-ignore statusupdate":     "reason",
		"// lint:ignore statusupdate because": "space",
		"//lint:ignore statusupdate because":  "",
		"// nolint:statusupdate":              "",
	} {
		d, _ := parse(&ast.Comment{Text: comment})
		if d == nil || (want == "") != (d.Problem == "") || !strings.Contains(d.Problem, want) {
			t.Errorf("%s: %+v, want a problem with %q", comment, d, want)
		}
	}
}
