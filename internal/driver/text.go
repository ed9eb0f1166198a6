package driver

import (
	"bufio"
	"fmt"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// textFormat prints each finding on a line of its own, and after it, indented,
// the places that explain it; at the end a line with the numbers.
type textFormat struct{}

func (textFormat) write(out io.Writer, r *report) error {
	w := bufio.NewWriter(out)
	findings, more := r.printed()
	for _, f := range findings {
		fmt.Fprintf(w, "%s: %s: %s\n", displayPosn(f.Posn), f.Harm, f.Diagnostic.Message)
		if runs := f.runsIn(); runs != "" {
			fmt.Fprintf(w, "\t%s\n", runs)
		}
		for _, related := range f.Diagnostic.Related {
			fmt.Fprintf(w, "\t%s: %s\n", displayPosn(f.Fset.Position(related.Pos)), related.Message)
		}
	}
	if more > 0 {
		fmt.Fprintln(w, rest(more))
	}
	if dead := r.dead(); dead != "" {
		fmt.Fprintln(w, dead)
	}
	fmt.Fprintln(w, r.summary())
	return w.Flush()
}

func displayPosn(posn token.Position) string {
	posn.Filename = relative(posn.Filename)
	return posn.String()
}

// relativePosn makes the file name of a "file:line:col" text relative.
func relativePosn(text string) string {
	name, place, ok := strings.Cut(text, ".go:")
	if !ok {
		return relative(text)
	}
	return relative(name+".go") + ":" + place
}

// relative returns a file name relative to the current directory if that is
// shorter.
func relative(name string) string {
	dir := workingDir()
	if dir == "" || !filepath.IsAbs(name) {
		return name
	}
	if rel, err := filepath.Rel(dir, name); err == nil && len(rel) < len(name) {
		return rel
	}
	return name
}

// workingDir returns the current directory, or nothing if it is unknown.
func workingDir() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	return dir
}
