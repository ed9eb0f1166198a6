package soak

import (
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/go/packages"

	"github.com/opvet/opvet/analyzers"
)

// TestCompilerCases runs the suite over what the type checker, the builder of
// the SSA form and x/tools' analyzers are tested with: all that the language
// allows. Most of the type checker's cases are wrong on purpose, and no driver
// analyses a package that does not compile: of those, the declarations that are
// wrong are left out.
func TestCompilerCases(t *testing.T) {
	start := time.Now()
	cases := &compilerCases{fset: token.NewFileSet()}
	cases.std = importer.ForCompiler(cases.fset, "gc", nil)
	var files []string
	for _, root := range []string{
		filepath.Join(goList(t, "-f", "{{.Root}}", "fmt"), "src/internal/types/testdata"),
		filepath.Join(goList(t, "-m", "-f", "{{.Dir}}", "golang.org/x/tools"), "go/ssa/testdata"),
		filepath.Join(goList(t, "-m", "-f", "{{.Dir}}", "golang.org/x/tools"), "go/ssa/interp/testdata"),
		filepath.Join(goList(t, "-m", "-f", "{{.Dir}}", "golang.org/x/tools"), "go/callgraph"),
		filepath.Join(goList(t, "-m", "-f", "{{.Dir}}", "golang.org/x/tools"), "go/analysis/passes"),
	} {
		files = append(files, goFiles(t, root)...)
	}
	const sample = 8 // one of so many files, if not all
	var pkgs []*packages.Package
	for i, file := range files {
		if *full || i%sample == 0 {
			if pkg := cases.load(file); pkg != nil {
				pkgs = append(pkgs, pkg)
			}
		}
	}
	t.Logf("%d files, %d of them in part, without %d declarations that do not compile",
		len(pkgs), cases.cut, cases.dropped)
	if len(pkgs) < 50 {
		t.Fatalf("too few cases: %d", len(pkgs))
	}
	asUserCode(pkgs)
	analyse(t, analyzers.All(), pkgs, time.Since(start))
}

func goList(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list"}, args...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// goFiles lists the Go files in the testdata directories at and below root.
func goFiles(t *testing.T, root string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".go") && strings.Contains(filepath.ToSlash(path), "/testdata/") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// compilerCases makes a package of each file.
type compilerCases struct {
	fset         *token.FileSet
	std          types.Importer
	cut, dropped int
}

// load returns nil if nothing is left of a file.
func (c *compilerCases) load(name string) *packages.Package {
	file, err := parser.ParseFile(c.fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil // also a case, of the parser
	}
	declared := len(file.Decls)
	const rounds = 20 // what is left out may be wanted by others
	for range rounds {
		pkg, wrong := c.check(name, file)
		if len(wrong) == 0 {
			if dropped := declared - len(file.Decls); dropped > 0 {
				c.cut++
				c.dropped += dropped
			}
			if len(file.Decls) == 0 {
				return nil
			}
			return pkg
		}
		kept := slices.DeleteFunc(slices.Clone(file.Decls), func(decl ast.Decl) bool {
			return slices.ContainsFunc(wrong, func(pos token.Pos) bool { return decl.Pos() <= pos && pos <= decl.End() })
		})
		if len(kept) == len(file.Decls) {
			return nil // the mistake is in the file as a whole
		}
		file.Decls = kept
	}
	return nil
}

// check returns where a file does not compile.
func (c *compilerCases) check(name string, file *ast.File) (pkg *packages.Package, wrong []token.Pos) {
	sizes := types.SizesFor("gc", runtime.GOARCH)
	info := &types.Info{
		Types: make(map[ast.Expr]types.TypeAndValue), Defs: make(map[*ast.Ident]types.Object),
		Uses: make(map[*ast.Ident]types.Object), Implicits: make(map[ast.Node]types.Object),
		Instances: make(map[*ast.Ident]types.Instance), Scopes: make(map[ast.Node]*types.Scope),
		Selections: make(map[*ast.SelectorExpr]*types.Selection), FileVersions: make(map[*ast.File]string),
	}
	conf := types.Config{
		Importer: c.std, Sizes: sizes,
		Error: func(err error) {
			if e := (types.Error{}); errors.As(err, &e) && !strings.Contains(e.Msg, "and not used") {
				wrong = append(wrong, e.Pos)
			}
		},
	}
	path := "example.com/soak/" + filepath.ToSlash(name)
	checked, _ := conf.Check(path, c.fset, []*ast.File{file}, info) // errors are counted above
	return &packages.Package{
		ID: path, PkgPath: path, Name: file.Name.Name, GoFiles: []string{name}, Fset: c.fset,
		Syntax: []*ast.File{file}, Types: checked, TypesInfo: info, TypesSizes: sizes, Imports: make(map[string]*packages.Package),
	}, wrong
}
