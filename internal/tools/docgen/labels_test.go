package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/opvet/opvet/analyzers"
)

func TestBazelLabelsAreUpToDate(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, bazelName))
	if err != nil {
		t.Fatal(err)
	}
	want, err := bazelPage(analyzers.All(), string(page))
	if err != nil {
		t.Fatal(err)
	}
	if string(page) != want {
		t.Errorf("%s is out of date: run make docs", bazelName)
	}
	if _, err := bazelPage(nil, "no table here"); err == nil {
		t.Error("no error about a page without table")
	}
}
