package main

import (
	"fmt"
	"go/build"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const packagesName = "docs/packages.md"

// roots are the directories whose packages make up the project. The analyzers
// themselves have pages of their own.
var roots = []string{"cmd", "plugin", "analyzers", "internal", "bench"}

// packagesPage lists what the project's packages do, in the words of their
// package comments.
func packagesPage(root string) (string, error) {
	var b strings.Builder
	b.WriteString("<!-- Written by make docs from the package comments; do not edit. -->\n\n# Packages\n\n" +
		"What each package does, by the first sentence of its comment. The [rules](analyzers/README.md) have pages of their\n" +
		"own; [architecture.md](architecture.md) says how all this fits together.\n\n| package | |\n| --- | --- |\n")
	for _, top := range roots {
		err := filepath.WalkDir(filepath.Join(root, top), func(dir string, entry fs.DirEntry, err error) error {
			if os.IsNotExist(err) {
				return nil // a copy of a part of the project
			}
			if err != nil || !entry.IsDir() {
				return err
			}
			if name := entry.Name(); name == "testdata" || name == "templates" {
				return fs.SkipDir
			}
			rel, err := filepath.Rel(root, dir)
			if err != nil {
				return err
			}
			rel = filepath.ToSlash(rel)
			if rule, _ := filepath.Match("analyzers/*", rel); rule {
				return nil
			}
			text, err := synopsis(dir)
			if err != nil || text == "" {
				return err
			}
			fmt.Fprintf(&b, "| [%s](../%s) | %s |\n", rel, rel, cell(text))
			return nil
		})
		if err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

// synopsis returns the first sentence of the comment of the package in dir, or
// "" if there is no package.
func synopsis(dir string) (string, error) {
	pkg, err := build.ImportDir(dir, 0)
	if _, ok := err.(*build.NoGoError); ok {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	fset := token.NewFileSet()
	for _, name := range pkg.GoFiles {
		file, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, parser.ParseComments|parser.PackageClauseOnly)
		if err != nil {
			return "", err
		}
		if text := new(doc.Package).Synopsis(file.Doc.Text()); text != "" {
			return text, nil
		}
	}
	return "", fmt.Errorf("the package in %s has no comment", dir)
}
