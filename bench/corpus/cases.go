package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"
)

// A Case is one judged place.
type Case struct {
	Repo     string `json:"repo"`   // owner/name
	Commit   string `json:"commit"` // 40 hex digits
	File     string `json:"file"`   // slash-separated, relative to the repository's root
	Line     int    `json:"line"`
	Category string `json:"category"` // a key of analyzersOf
	Verdict  string `json:"verdict"`  // verdictBug or verdictOK
	// FixedIn is the commit that mended a bug, or nil while it stands.
	FixedIn *string `json:"fixed_in"`
	Func    string  `json:"func"` // the enclosing function, as Name or Type.Name
	Why     string  `json:"why"`  // the judgement, in a sentence or two
	// SnippetShape is the shape of the code in words, never the code.
	SnippetShape string `json:"snippet_shape"`
	Sub          string `json:"sub,omitempty"` // the kind of mistake or of trap
	// Analyzer is the one that the judgement is about, if another one of the
	// category may say something else of the place.
	Analyzer string `json:"analyzer,omitempty"`
	// Grade says of a bug at an operator's current commit what a maintainer makes
	// of being told: gradeA, gradeB or gradeC.
	Grade string `json:"grade,omitempty"`
	// Limit says why opvet is silent about a bug on purpose.
	Limit string `json:"limit,omitempty"`
}

const (
	verdictBug = "bug"
	verdictOK  = "ok"

	gradeA = "A" // would mend it soon
	gradeB = "B" // would accept a change
	gradeC = "C" // right, and noise
)

// analyzersOf says which analyzers answer for the cases of a category. A bug
// counts as found when any of them reports it.
var analyzersOf = map[string][]string{
	"S1": {"statusupdate"},
	"S2": {"finalizerremoval", "finalizeradd", "finalizerpatch"},
	"S3": {"conflictretry", "reconcileresult"},
	"S4": {"ownerref"},
	"S5": {"deletiontimestamp"},
	"G1": {"handlergoroutine"},
	"G2": {"ctxdone"},
	"G3": {"nestedtimeout"},
	"G4": {"detachedctx"},
	"G5": {"informerlifecycle", "cachesync", "reconcileclient"},
	"C1": {"cachemutation"},
	"C2": {"cacheretention"},
	"C3": {"tombstone"},
	"C4": {"workqueue"},
	"C5": {"restconfig", "reconcileclient"},
	"C6": {"unstructuredassert"},
	"C7": {"cachewrite"},
	"C8": {"resync", "cachescope"},
	"C9": {"schemeregister"},
	"W1": {"maporder"},
	"W2": {"semanticequal"},
	"W3": {"createorupdate", "updateunread", "duplicatecreate"},
	"W4": {"jobdelete"},
	"W5": {"nilmap"},
	"W6": {"emptykind"},
	"B1": {"eventfilter", "selftrigger", "unwatched"},
	"B2": {"reconcilerstate"},
	"B3": {"webhookdelete"},
	"B4": {"rbac"},
}

var (
	repoSyntax   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9._-]+$`)
	commitSyntax = regexp.MustCompile(`^[0-9a-f]{40}$`)
)

// parseCases reads one JSON object a line. Every mistake in the input is an
// error that names its line, because a case that is silently dropped would
// flatter the numbers.
func parseCases(r io.Reader) ([]Case, error) {
	var cases []Case
	seen := make(map[string]int)
	scanner := bufio.NewScanner(r)
	scanner.Buffer(nil, 1<<20)
	for n := 1; scanner.Scan(); n++ {
		line := bytes.TrimSpace(scanner.Bytes())
		if len(line) == 0 {
			continue
		}
		c, err := parseCase(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		key := c.String() + " " + c.Category
		if first, ok := seen[key]; ok {
			return nil, fmt.Errorf("line %d: %s was judged already on line %d", n, key, first)
		}
		seen[key] = n
		cases = append(cases, c)
	}
	return cases, scanner.Err()
}

func parseCase(line []byte) (Case, error) {
	var c Case
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&c); err != nil {
		return c, err
	}
	switch {
	case !repoSyntax.MatchString(c.Repo):
		return c, fmt.Errorf("repo %q is not owner/name", c.Repo)
	case !commitSyntax.MatchString(c.Commit):
		return c, fmt.Errorf("commit %q is not 40 hex digits", c.Commit)
	case c.File == "" || c.File != path.Clean(c.File) || path.IsAbs(c.File) || strings.HasPrefix(c.File, "../"):
		return c, fmt.Errorf("file %q is not a clean path relative to the repository", c.File)
	case c.Line < 1:
		return c, fmt.Errorf("line %d is not positive", c.Line)
	case analyzersOf[c.Category] == nil:
		return c, fmt.Errorf("unknown category %q", c.Category)
	case c.Verdict != verdictBug && c.Verdict != verdictOK:
		return c, fmt.Errorf("verdict %q is neither %q nor %q", c.Verdict, verdictBug, verdictOK)
	case c.Analyzer != "" && !slices.Contains(analyzersOf[c.Category], c.Analyzer):
		return c, fmt.Errorf("%q is none of the analyzers of %s", c.Analyzer, c.Category)
	case c.Why == "":
		return c, fmt.Errorf("why is empty")
	case c.Grade != "" && (c.Verdict != verdictBug || !slices.Contains([]string{gradeA, gradeB, gradeC}, c.Grade)):
		return c, fmt.Errorf("grade %q: bugs have one of A, B and C, and others none", c.Grade)
	case c.Limit != "" && c.Verdict != verdictBug:
		return c, fmt.Errorf("limit belongs to bugs only")
	}
	return c, nil
}

// about reports whether the case can judge a finding of the analyzer.
func (c Case) about(analyzer string) bool {
	if c.Analyzer != "" {
		return c.Analyzer == analyzer
	}
	return slices.Contains(analyzersOf[c.Category], analyzer)
}

// String returns the case's place.
func (c Case) String() string {
	return fmt.Sprintf("%s@%.10s %s:%d", c.Repo, c.Commit, c.File, c.Line)
}

// selectCases returns the cases of the wanted categories that some wanted
// analyzer answers for. An empty list wants all.
func selectCases(cases []Case, categories, analyzers []string) ([]Case, error) {
	known := make(map[string]bool)
	for _, names := range analyzersOf {
		for _, name := range names {
			known[name] = true
		}
	}
	for _, name := range analyzers {
		if !known[name] {
			return nil, fmt.Errorf("no category is served by an analyzer %q", name)
		}
	}
	for _, category := range categories {
		if analyzersOf[category] == nil {
			return nil, fmt.Errorf("unknown category %q", category)
		}
	}
	var selected []Case
	for _, c := range cases {
		if len(categories) > 0 && !slices.Contains(categories, c.Category) {
			continue
		}
		if len(wantedAnalyzers(c.Category, analyzers)) == 0 {
			continue
		}
		selected = append(selected, c)
	}
	return selected, nil
}

// wantedAnalyzers returns those of the category's analyzers that are in
// wanted, or all of them if wanted is empty.
func wantedAnalyzers(category string, wanted []string) []string {
	if len(wanted) == 0 {
		return analyzersOf[category]
	}
	var names []string
	for _, name := range analyzersOf[category] {
		if slices.Contains(wanted, name) {
			names = append(names, name)
		}
	}
	return names
}
