package fixes

import (
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
)

// source is a file to fix, and the fixes replace texts of it.
type source struct {
	t    *testing.T
	name string
	text string
	fset *token.FileSet
	file *ast.File
	pkg  *types.Package
	set  Set
}

var std = importer.ForCompiler(token.NewFileSet(), "source", nil)

func newSource(t *testing.T, text string) *source {
	t.Helper()
	s := &source{t: t, name: filepath.Join(t.TempDir(), "m.go"), text: text, fset: token.NewFileSet()}
	if err := os.WriteFile(s.name, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
	var err error
	if s.file, err = parser.ParseFile(s.fset, s.name, nil, parser.ParseComments); err != nil {
		t.Fatal(err)
	}
	conf := types.Config{Importer: std}
	if s.pkg, err = conf.Check("example.com/m", s.fset, []*ast.File{s.file}, nil); err != nil {
		t.Fatal(err)
	}
	return s
}

// edit replaces a text that occurs once.
func (s *source) edit(old, new string) analysis.TextEdit {
	s.t.Helper()
	if strings.Count(s.text, old) != 1 {
		s.t.Fatalf("%q does not occur once", old)
	}
	pos := s.file.FileStart + token.Pos(strings.Index(s.text, old))
	return analysis.TextEdit{Pos: pos, End: pos + token.Pos(len(old)), NewText: []byte(new)}
}

func (s *source) add(edits ...analysis.TextEdit) error {
	return s.set.Add(Fix{SuggestedFix: analysis.SuggestedFix{TextEdits: edits}, Fset: s.fset, Pkg: s.pkg})
}

func (s *source) want(want string) {
	s.t.Helper()
	changes, err := s.set.Changes()
	if err != nil {
		s.t.Fatal(err)
	}
	if len(changes) != 1 || changes[0].File != s.name || string(changes[0].Old) != s.text {
		s.t.Fatalf("changes %v", changes)
	}
	if got := string(changes[0].New); got != want {
		s.t.Errorf("fixed to\n%s\nwant\n%s", got, want)
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestFormatStays(t *testing.T) {
	s := newSource(t, "package m\n\nvar (\n\ta  = 1\n\tbb = 2\n)\n")
	check(t, s.add(s.edit("a ", "long ")))
	s.want("package m\n\nvar (\n\tlong = 1\n\tbb   = 2\n)\n")
}

func TestUnformattedIsLeftAlone(t *testing.T) {
	s := newSource(t, "package m\nvar (\n\ta  = 1\n\tbb=2\n)\n")
	check(t, s.add(s.edit("bb", "c")))
	s.want("package m\nvar (\n\ta  = 1\n\tc=2\n)\n")
}

func TestImports(t *testing.T) {
	for name, test := range map[string]struct{ imports, want string }{
		"one":       {"import \"os\"\n", ""},
		"commented": {"// For files.\nimport \"os\" // here\n", ""},
		"group":     {"import (\n\t\"io\"\n\t\"os\"\n)\n", "import (\n\t\"io\"\n)\n"},
		"renamed":   {"import (\n\tos \"os\"\n\t\"io\"\n)\n", "import (\n\t\"io\"\n)\n"},
		"last":      {"import (\n\t\"io\"\n\n\t// For files.\n\t\"os\" // here\n)\n", "import (\n\t\"io\"\n)\n"},
		"blank":     {"import (\n\t_ \"embed\"\n\t\"os\"\n)\n", "import (\n\t_ \"embed\"\n)\n"},
		"one line":  {"import (\"io\"; \"os\")\n", "import (\"io\"; )\n"},
		"two":       {"import \"io\"\nimport \"os\"\n", "import \"io\"\n"},
	} {
		t.Run(name, func(t *testing.T) {
			body := "\nfunc f() { os.Getpid() }\n"
			if strings.Contains(test.imports, `"io"`) {
				body += "\nvar _ io.Reader\n"
			}
			s := newSource(t, "package m\n\n"+test.imports+body)
			check(t, s.add(s.edit("os.Getpid()", "print()")))
			want := "package m\n\n" + test.want + strings.Replace(body, "os.Getpid()", "print()", 1)
			s.want(strings.Replace(want, "\n\n\n", "\n\n", 1))
		})
	}
}

func TestImportsThatAreKept(t *testing.T) {
	s := newSource(t, "package m\n\nimport \"os\"\n\nvar a, b = os.Getpid(), os.Getuid()\n")
	check(t, s.add(s.edit("os.Getpid()", "fmt.Sprint()"), s.edit("\"os\"\n", "\"os\"\nimport \"fmt\"\n")))
	s.want("package m\n\nimport \"os\"\nimport \"fmt\"\n\nvar a, b = fmt.Sprint(), os.Getuid()\n")
}

func TestImportThatIsShadowed(t *testing.T) {
	s := newSource(t, "package m\n\nimport \"os\"\n\nvar a = os.Getpid()\n\nfunc f(os struct{ X int }) int { return os.X }\n")
	check(t, s.add(s.edit("os.Getpid()", "0")))
	s.want("package m\n\nvar a = 0\n\nfunc f(os struct{ X int }) int { return os.X }\n")
}

func TestOverlap(t *testing.T) {
	s := newSource(t, "package m\n\nvar a = 1 + 2\n")
	imports := s.edit("\n\nvar", "\n\nimport _ \"os\"\n\nvar")
	check(t, s.add(imports, s.edit("1", "10")))
	check(t, s.add(imports, s.edit("2", "20")))
	if err := s.add(s.edit("1 + 2", "3"), s.edit("var a", "var b")); !errors.Is(err, ErrOverlap) {
		t.Errorf("error %v", err)
	}
	s.want("package m\n\nimport _ \"os\"\n\nvar a = 10 + 20\n")
}

func TestBadFixes(t *testing.T) {
	s := newSource(t, "package m\n\nvar a = 1\n")
	if err := s.add(); err == nil {
		t.Error("a fix without edits is accepted")
	}
	if err := s.add(analysis.TextEdit{Pos: s.file.FileEnd + 100}); err == nil {
		t.Error("an edit outside of the file is accepted")
	}
	if err := s.add(analysis.TextEdit{Pos: s.file.FileEnd, End: s.file.FileEnd + 100}); err == nil {
		t.Error("an edit over the end of the file is accepted")
	}
	check(t, os.WriteFile(s.name, []byte("package m\n"), 0o640))
	if err := s.add(s.edit("var a", "var b")); err == nil || !strings.Contains(err.Error(), "has changed") {
		t.Errorf("error %v about a file that has changed", err)
	}
}

func TestGenerated(t *testing.T) {
	s := newSource(t, "// Code generated by hand. DO NOT EDIT.\n\npackage m\n\nvar b = 1\n")
	fix := Fix{SuggestedFix: analysis.SuggestedFix{TextEdits: []analysis.TextEdit{s.edit("b = 1", "b = 2")}}, Fset: s.fset, Pkg: s.pkg}
	if err := s.set.Add(fix); err == nil {
		t.Error("a generated file is changed")
	}
	if changes, err := s.set.Changes(); err != nil || len(changes) > 0 {
		t.Errorf("changes %v, %v", changes, err)
	}
	fix.Generated = true
	check(t, s.set.Add(fix))
}

func TestWrite(t *testing.T) {
	s := newSource(t, "package m\n\nvar a = 1\n")
	link := filepath.Join(t.TempDir(), "link.go")
	check(t, os.Symlink(s.name, link))
	check(t, Change{File: link, New: []byte("package m\n")}.Write())
	content, err := os.ReadFile(s.name)
	check(t, err)
	info, err := os.Stat(s.name)
	check(t, err)
	if string(content) != "package m\n" || info.Mode().Perm() != 0o640 {
		t.Errorf("%q, %v", content, info.Mode())
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info, err)
	}
	if entries, err := os.ReadDir(filepath.Dir(s.name)); err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
	if err := (Change{File: filepath.Join(t.TempDir(), "absent.go")}).Write(); err == nil {
		t.Error("no error")
	}
}
