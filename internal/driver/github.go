package driver

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// githubFormat prints the findings for those who read a job's log, which shows no
// files of annotations, and then, folded away, the workflow commands of which GitHub
// Actions makes annotations of the changed files.
type githubFormat struct{}

func (githubFormat) write(out io.Writer, r *report) error {
	if err := (prettyFormat{}).write(out, r); err != nil {
		return err
	}
	if len(r.Findings)+len(r.Problems) == 0 {
		return nil
	}
	w := bufio.NewWriter(out)
	fmt.Fprintln(w, "::group::annotations")
	for _, f := range r.Findings {
		file, _ := r.root.rel(f.Posn.Filename)
		properties := []string{
			"file=" + escapeProperty(file),
			fmt.Sprintf("line=%d", f.Posn.Line),
			fmt.Sprintf("endLine=%d", f.End.Line),
		}
		// GitHub takes columns only of what is on one line; there is none if a
		// line directive names none.
		if f.Posn.Line == f.End.Line && f.Posn.Column > 0 {
			properties = append(properties, fmt.Sprintf("col=%d", r.sources.column(f.Posn)))
			if f.Posn != f.End {
				properties = append(properties, fmt.Sprintf("endColumn=%d", r.sources.column(f.End)))
			}
		}
		properties = append(properties, "title="+escapeProperty(f.ruleID()))
		fmt.Fprintf(w, "::%s %s::%s\n", severityOf(f.Harm).command, strings.Join(properties, ","), escapeData(f.Diagnostic.Message))
	}
	for i, problem := range r.Problems {
		properties := []string{"title=opvet"}
		if posn, ok := r.place(i); ok {
			file, _ := r.root.rel(posn.Filename)
			properties = []string{"file=" + escapeProperty(file), fmt.Sprintf("line=%d", posn.Line), "title=opvet%3A not analysed"}
		}
		fmt.Fprintf(w, "::error %s::%s\n", strings.Join(properties, ","), escapeData(problem))
	}
	fmt.Fprintln(w, "::endgroup::")
	return w.Flush()
}

var (
	dataEscapes     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func escapeData(text string) string     { return dataEscapes.Replace(text) }
func escapeProperty(text string) string { return propertyEscapes.Replace(text) }
