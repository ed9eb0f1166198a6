package main

import (
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// home is where the documents are read; links that lead there are links between
// documents, too.
const home = "https://github.com/opvet/opvet/"

// TestLinksResolve follows the links between all documents of the repository:
// each leads to a file or directory that there is, and if it names a heading,
// to one that there is.
func TestLinksResolve(t *testing.T) {
	documents, err := readDocuments(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"README.md", "docs/architecture.md", "docs/bazel.md", "docs/analyzers/statusupdate.md", "bench/corpus/README.md", "testdata/demo/README.md"} {
		if documents[name] == nil {
			t.Errorf("%s is not among the documents", name)
		}
	}
	for _, problem := range brokenLinks(os.DirFS(root), documents) {
		t.Error(problem)
	}
}

func TestBrokenLinksAreFound(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"README.md": "# A `b` c\n\n# A b c\n\n## What's on?\n\n[ok](docs/a.md#one) [ok](docs) [ok](#a-b-c-1) [ok](#whats-on) [ok](https://example.com/x#y)\n" +
			"[no](docs/b.md) [no](docs/a.md#two) [no](#a-b-c-2) ![no](logo.png) [no][ref]\n\n[ref]: https://github.com/opvet/opvet/blob/main/docs/c.md\n",
		"docs/a.md": "# One\n\n[ok](../README.md) [no](README.md) [no](../../outside.md)\n\n    [no link](nowhere.md)\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	documents, err := readDocuments(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	got := brokenLinks(os.DirFS(dir), documents)
	want := []string{
		"README.md: docs/b.md: there is no docs/b.md",
		"README.md: docs/a.md#two: docs/a.md has no heading of that name",
		"README.md: #a-b-c-2: README.md has no heading of that name",
		"README.md: logo.png: there is no logo.png",
		"README.md: https://github.com/opvet/opvet/blob/main/docs/c.md: there is no docs/c.md",
		"docs/a.md: README.md: there is no docs/README.md",
		"docs/a.md: ../../outside.md: it leads out of the repository",
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("broken links:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// document is what a Markdown file links to, and what can be linked to in it.
type document struct {
	links    []string
	headings map[string]bool
}

// readDocuments reads all Markdown files below root, by name.
func readDocuments(root fs.FS) (map[string]*document, error) {
	markdown := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID()))
	documents := make(map[string]*document)
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name == ".git" || name == "bin" {
				return fs.SkipDir
			}
			return nil
		}
		if path.Ext(name) != ".md" {
			return nil
		}
		source, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		tree := markdown.Parser().Parse(text.NewReader(source), parser.WithContext(parser.NewContext(parser.WithIDs(make(slugs)))))
		documents[name] = read(tree)
		return nil
	})
	return documents, err
}

func read(tree ast.Node) *document {
	d := &document{headings: make(map[string]bool)}
	// The walk never fails, since visit does not.
	_ = ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			d.links = append(d.links, string(n.Destination))
		case *ast.Image:
			d.links = append(d.links, string(n.Destination))
		case *ast.Heading:
			if id, ok := n.AttributeString("id"); ok {
				d.headings[string(id.([]byte))] = true
			}
		}
		return ast.WalkContinue, nil
	})
	return d
}

// slugs names headings as GitHub does: lower-case letters, digits, hyphens and
// underscores, hyphens for spaces, and a number for what is there already.
type slugs map[string]int

func (s slugs) Generate(value []byte, _ ast.NodeKind) []byte {
	slug := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
			return unicode.ToLower(r)
		case r == ' ':
			return '-'
		}
		return -1
	}, strings.TrimSpace(string(value)))
	n := s[slug]
	s[slug]++
	if n > 0 {
		slug = fmt.Sprintf("%s-%d", slug, n)
	}
	return []byte(slug)
}

func (s slugs) Put(value []byte) { s[string(value)]++ }

// brokenLinks returns a sentence for each link that leads nowhere, sorted.
func brokenLinks(root fs.FS, documents map[string]*document) []string {
	var problems []string
	for name, d := range documents {
		for _, link := range d.links {
			if why := broken(root, documents, name, link); why != "" {
				problems = append(problems, fmt.Sprintf("%s: %s: %s", name, link, why))
			}
		}
	}
	slices.Sort(problems)
	return problems
}

// broken says why a link of a document leads nowhere, if it does.
func broken(root fs.FS, documents map[string]*document, from, link string) string {
	u, err := url.Parse(link)
	if err != nil {
		return err.Error()
	}
	target := from
	switch {
	case strings.HasPrefix(link, home):
		for _, view := range []string{"blob/main/", "tree/main/"} {
			if rest, ok := strings.CutPrefix(strings.TrimPrefix(link, home), view); ok {
				target, _, _ = strings.Cut(rest, "#")
			}
		}
		if target == from {
			return "" // an issue, a release
		}
	case u.Scheme != "":
		return "" // elsewhere
	case u.Path != "":
		target = path.Join(path.Dir(from), u.Path)
	}
	if !fs.ValidPath(target) {
		return "it leads out of the repository"
	}
	if _, err := fs.Stat(root, target); err != nil {
		return "there is no " + target
	}
	if d := documents[target]; u.Fragment != "" && d != nil && !d.headings[u.Fragment] {
		return target + " has no heading of that name"
	}
	return ""
}
