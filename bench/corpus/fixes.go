package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/opvet/opvet/analyzers"
	"github.com/opvet/opvet/internal/report/rule"
)

// A Fix is a mistake that an operator's maintainers have fixed: the place where
// it stood before, found in the project's history by readers who had not asked
// opvet.
type Fix struct {
	fixPlace
	Parent string `json:"parent"` // the commit before the fix
	Func   string `json:"func,omitempty"`
	Why    string `json:"why"`
	// SetAside tells that nobody learns from it: it is measured, and its miss
	// mends no rule.
	SetAside bool `json:"set_aside"`
}

// A fixPlace tells fixes apart.
type fixPlace struct {
	Repo     string `json:"repo"`
	Fix      string `json:"fix"`
	File     string `json:"file"` // at the parent
	Line     int    `json:"line"`
	Rule     string `json:"rule"`
	Category string `json:"category"`
}

func (p fixPlace) class() string { return p.Rule + "/" + p.Category }

// parseFixes reads one JSON object a line.
func parseFixes(r io.Reader) ([]Fix, error) {
	known := classes()
	seen := make(map[fixPlace]bool)
	commits := make(map[string]Fix)
	return parseLines(r, func(f Fix) error {
		first, ok := commits[f.Repo+f.Fix]
		commits[f.Repo+f.Fix] = f
		switch {
		case !repoSyntax.MatchString(f.Repo), !commitSyntax.MatchString(f.Fix), !commitSyntax.MatchString(f.Parent):
			return fmt.Errorf("want a repo and two commits")
		case f.File == "" || f.File != path.Clean(f.File) || path.IsAbs(f.File) || strings.HasPrefix(f.File, "../") || f.Line < 1:
			return fmt.Errorf("%s:%d is no place in a repository", f.File, f.Line)
		case !known[f.class()]:
			return fmt.Errorf("opvet has no category %s", f.class())
		case f.Why == "":
			return fmt.Errorf("why is empty")
		case seen[f.fixPlace]:
			return fmt.Errorf("%s:%d of %.10s is there already", f.File, f.Line, f.Fix)
		case ok && (first.Parent != f.Parent || first.SetAside != f.SetAside):
			return fmt.Errorf("the places of %.10s differ in their parent or in what is set aside", f.Fix)
		}
		seen[f.fixPlace] = true
		return nil
	})
}

// classes returns all rule/category that opvet has.
func classes() map[string]bool {
	known := make(map[string]bool)
	for _, a := range analyzers.All() {
		for _, c := range rule.Of(a).Categories {
			known[a.Name+"/"+c.Name] = true
		}
	}
	return known
}

// parseLines reads a JSON object of each line that is not empty. A mistake is
// an error that names its line.
func parseLines[T any](r io.Reader, check func(T) error) ([]T, error) {
	var values []T
	scanner := bufio.NewScanner(r)
	scanner.Buffer(nil, 1<<20)
	for n := 1; scanner.Scan(); n++ {
		line := bytes.TrimSpace(scanner.Bytes())
		if len(line) == 0 {
			continue
		}
		var value T
		decoder := json.NewDecoder(bytes.NewReader(line))
		decoder.DisallowUnknownFields()
		err := decoder.Decode(&value)
		if err == nil {
			err = check(value)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		values = append(values, value)
	}
	return values, scanner.Err()
}
