// Docgen writes what follows from the analyzers' own documentation and
// metadata: a page for each in docs/analyzers, the tables in README.md and
// docs/bazel.md, and the severities in docs/golangci-lint.md.
//
//	go run ./internal/tools/docgen
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/opvet/opvet/analyzers"
)

func main() {
	if err := write("."); err != nil {
		fmt.Fprintf(os.Stderr, "docgen: %v\n", err)
		os.Exit(1)
	}
}

// write brings the generated documentation below root up to date.
func write(root string) error {
	readme, err := os.ReadFile(filepath.Join(root, readmeName))
	if err != nil {
		return err
	}
	files, err := generate(analyzers.All(), string(readme))
	if err != nil {
		return err
	}
	bazel, err := os.ReadFile(filepath.Join(root, bazelName))
	if err != nil {
		return err
	}
	if files[bazelName], err = bazelPage(analyzers.All(), string(bazel)); err != nil {
		return err
	}
	golangci, err := os.ReadFile(filepath.Join(root, golangciName))
	if err != nil {
		return err
	}
	if files[golangciName], err = golangciPage(analyzers.All(), string(golangci)); err != nil {
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
