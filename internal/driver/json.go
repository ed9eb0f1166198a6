package driver

import (
	"encoding/json"
	"go/token"
	"io"
	"slices"

	"golang.org/x/tools/go/analysis"
)

// jsonFormat prints the tree that x/tools' checkers and go vet -json print:
// package ID, then analyzer, then the diagnostics or an error. The harm of a
// diagnostic, what the whole module has told of it, the programs that run it, whether its category is on trial,
// and the url are additions.
type jsonFormat struct{}

type (
	jsonDiagnostic struct {
		Category       string        `json:"category,omitempty"`
		Posn           string        `json:"posn"`
		End            string        `json:"end"`
		Message        string        `json:"message"`
		Harm           string        `json:"harm"`
		Settled        string        `json:"settled,omitempty"`
		Programs       []string      `json:"programs,omitempty"`
		OnTrial        bool          `json:"on_trial,omitempty"`
		URL            string        `json:"url,omitempty"`
		SuggestedFixes []jsonFix     `json:"suggested_fixes,omitempty"`
		Related        []jsonRelated `json:"related,omitempty"`
	}
	jsonRelated struct {
		Posn    string `json:"posn"`
		End     string `json:"end"`
		Message string `json:"message"`
	}
	jsonFix struct {
		Message string         `json:"message"`
		Edits   []jsonTextEdit `json:"edits"`
	}
	// jsonTextEdit counts Start and End in bytes from the start of the file.
	jsonTextEdit struct {
		Filename string `json:"filename"`
		Start    int    `json:"start"`
		End      int    `json:"end"`
		New      string `json:"new"`
	}
	jsonError struct {
		Err string `json:"error"`
	}
)

func (jsonFormat) write(out io.Writer, r *report) error {
	tree := make(map[string]map[string]any)
	add := func(pkg, analyzer string, value any) {
		if tree[pkg] == nil {
			tree[pkg] = make(map[string]any)
		}
		tree[pkg][analyzer] = value
	}
	// In the order of the places, as go vet has it.
	for _, f := range slices.SortedStableFunc(slices.Values(r.Findings), compareFindings) {
		known, _ := tree[f.PackageID][f.Analyzer.Name].([]jsonDiagnostic)
		add(f.PackageID, f.Analyzer.Name, append(known, toJSON(f)))
	}
	for pkg, failures := range r.errors {
		for analyzer, err := range failures {
			add(pkg, analyzer, jsonError{Err: err.Error()})
		}
	}
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "\t")
	return encoder.Encode(tree)
}

func toJSON(f Finding) jsonDiagnostic {
	d := jsonDiagnostic{
		Category: f.Diagnostic.Category,
		Posn:     f.Posn.String(),
		End:      f.End.String(),
		Message:  f.Diagnostic.Message,
		Harm:     f.Harm.String(),
		Settled:  f.Settled,
		Programs: f.Programs,
		OnTrial:  f.OnTrial,
		URL:      f.Diagnostic.URL,
	}
	for _, related := range f.Diagnostic.Related {
		d.Related = append(d.Related, jsonRelated{
			Posn:    f.Fset.Position(related.Pos).String(),
			End:     f.Fset.Position(endOr(related.End, related.Pos)).String(),
			Message: related.Message,
		})
	}
	for _, fix := range f.Diagnostic.SuggestedFixes {
		d.SuggestedFixes = append(d.SuggestedFixes, fixToJSON(f.Fset, fix))
	}
	return d
}

func fixToJSON(fset *token.FileSet, fix analysis.SuggestedFix) jsonFix {
	out := jsonFix{Message: fix.Message}
	for _, edit := range fix.TextEdits {
		start, end := fset.Position(edit.Pos), fset.Position(endOr(edit.End, edit.Pos))
		out.Edits = append(out.Edits, jsonTextEdit{
			Filename: start.Filename, Start: start.Offset, End: end.Offset, New: string(edit.NewText),
		})
	}
	return out
}

func endOr(end, pos token.Pos) token.Pos {
	if end.IsValid() {
		return end
	}
	return pos
}
