// Docgen writes what follows from the analyzers' own documentation and
// metadata: a page for each in docs/analyzers, the tables in README.md and
// docs/bazel.md, the severities in docs/golangci-lint.md, and the schemas of
// .opvet.yml and of maps. docs/packages.md it makes of the package comments.
//
//	go run ./internal/tools/docgen
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/opvet/opvet/analyzers"
	"github.com/opvet/opvet/internal/driver/config"
	"github.com/opvet/opvet/internal/driver/picture"
)

// schemaName is the schema of .opvet.yml.
const schemaName = "docs/opvet.schema.json"

// mapSchemaName is the schema of what opvet map -format json prints.
const mapSchemaName = "docs/map.schema.json"

func main() {
	if err := write("."); err != nil {
		fmt.Fprintf(os.Stderr, "docgen: %v\n", err)
		os.Exit(1)
	}
}

// write brings the generated documentation below root up to date.
func write(root string) error {
	files, err := everything(root)
	if err != nil {
		return err
	}
	stale, err := stalePages(root, files)
	if err != nil {
		return err
	}
	for _, name := range stale {
		if err := os.Remove(filepath.Join(root, name)); err != nil {
			return err
		}
	}
	for name, text := range files {
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// everything returns the generated files below root by their names from there.
// Where a part of a file is generated, the rest is read.
func everything(root string) (map[string]string, error) {
	var failed error
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil && failed == nil {
			failed = err
		}
		return string(text)
	}
	suite := analyzers.All()
	readme, bazel, golangci, accuracy := read(readmeName), read(bazelName), read(golangciName), read(accuracyName)
	if failed != nil {
		return nil, failed
	}
	line, err := figures(accuracy)
	if err != nil {
		return nil, err
	}
	if readme, err = between(readmeName, readme, figuresBegin, figuresEnd, line); err != nil {
		return nil, err
	}
	files, err := generate(suite, readme)
	if err != nil {
		return nil, err
	}
	schema, err := config.Schema(suite)
	if err != nil {
		return nil, err
	}
	files[schemaName] = string(schema)
	if schema, err = picture.Schema(); err != nil {
		return nil, err
	}
	files[mapSchemaName] = string(schema)
	if files[bazelName], err = bazelPage(suite, bazel); err != nil {
		return nil, err
	}
	if files[golangciName], err = golangciPage(suite, golangci); err != nil {
		return nil, err
	}
	if files[packagesName], err = packagesPage(root); err != nil {
		return nil, err
	}
	return files, nil
}

// stalePages returns the pages that no analyzer has any more.
func stalePages(root string, files map[string]string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(root, pagesDir))
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var stale []string
	for _, entry := range entries {
		name := filepath.Join(pagesDir, entry.Name())
		if _, ok := files[name]; !ok && filepath.Ext(name) == ".md" {
			stale = append(stale, name)
		}
	}
	return stale, nil
}
