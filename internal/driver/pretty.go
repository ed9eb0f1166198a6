package driver

import (
	"bufio"
	"fmt"
	"go/token"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/opvet/opvet/internal/report/rule"
)

// prettyFormat prints the findings for people at a terminal: each with its line, and
// the places that explain it with theirs; at the end what to type next.
type prettyFormat struct{}

func (prettyFormat) write(out io.Writer, r *report) error {
	w := bufio.NewWriter(out)
	p := &prettyPrinter{w, r, paint(out)}
	findings, more := r.printed()
	for _, f := range findings {
		p.finding(f)
	}
	if more > 0 {
		fmt.Fprintf(p, "%s\n\n", rest(more))
	}
	p.end()
	return w.Flush()
}

// autoFormat is pretty at a terminal and plain elsewhere.
type autoFormat struct{}

func (autoFormat) write(out io.Writer, r *report) error {
	if isTerminal(out) {
		return prettyFormat{}.write(out, r)
	}
	return textFormat{}.write(out, r)
}

type prettyPrinter struct {
	*bufio.Writer
	*report
	palette
}

// finding prints one: its harm and message, its place with the line, and the way that
// leads there or from there.
func (p *prettyPrinter) finding(f Finding) {
	message, ruleID := splitMessage(f)
	fix := ""
	if len(f.Diagnostic.SuggestedFixes) > 0 {
		fix = " " + p.green("[fix]")
	}
	fmt.Fprintf(p, "%s %s%s %s\n", p.harm(f.Harm), p.bold(message), fix, p.faint(ruleID))
	p.place("  ", f.Posn, f.End, "")
	if runs := f.runsIn(); runs != "" {
		fmt.Fprintf(p, "      %s\n", p.faint(runs))
	}
	for _, related := range f.Diagnostic.Related {
		p.place("      ", f.Fset.Position(related.Pos), f.Fset.Position(endOr(related.End, related.Pos)), related.Message)
	}
	fmt.Fprintln(p)
}

// splitMessage takes the name of the category off the end of the message.
func splitMessage(f Finding) (message, ruleID string) {
	ruleID = "(" + f.ruleID() + ")"
	message, found := strings.CutSuffix(f.Diagnostic.Message, " "+ruleID)
	if !found {
		return message, ""
	}
	return message, ruleID
}

// place prints a place with its line, in which what the place is about is underlined.
// No colon follows the place: what watches the logs of CI for compilers' errors would
// take it for one.
func (p *prettyPrinter) place(indent string, start, end token.Position, text string) {
	if text != "" {
		text = "  " + text
	}
	fmt.Fprintf(p, "%s%s%s\n", indent, p.cyan(displayPosn(start)), text)
	line := p.sources.line(start.Filename, start.Line)
	if strings.TrimSpace(line) == "" {
		return
	}
	number := fmt.Sprint(start.Line)
	fmt.Fprintf(p, "%s%s %s\n", indent, p.faint(number+" |"), expand(line))
	if before, under := underline(line, start, end); under > 0 {
		fmt.Fprintf(p, "%s%s %s%s\n", indent, p.faint(strings.Repeat(" ", len(number))+" |"), strings.Repeat(" ", before), p.red(strings.Repeat("^", under)))
	}
}

// underline returns how many columns of a line lie before what is from start to end,
// and how many it takes there.
func underline(line string, start, end token.Position) (before, under int) {
	from := start.Column - 1
	if from < 0 || from > len(line) {
		return 0, 0
	}
	to := len(strings.TrimRight(line, " \t"))
	if end.Line == start.Line && end.Column-1 <= to {
		to = end.Column - 1
	}
	before = utf8.RuneCountInString(expand(line[:from]))
	return before, max(1, utf8.RuneCountInString(expand(line[:max(from, to)]))-before)
}

// expand puts spaces in the place of tabs.
func expand(line string) string { return strings.ReplaceAll(line, "\t", "    ") }

// end prints the numbers, and what to type next.
func (p *prettyPrinter) end() {
	if dead := p.dead(); dead != "" {
		fmt.Fprintln(p, dead)
	}
	fmt.Fprintln(p, p.bold(p.summary()))
	if len(p.Findings) == 0 {
		return
	}
	worst := p.Findings[0]
	for _, f := range p.Findings {
		if f.Harm > worst.Harm {
			worst = f
		}
	}
	type hint struct{ command, does string }
	hints := []hint{{"opvet help " + worst.ruleID(), "why it matters, and what is right"}}
	for _, f := range p.Findings {
		if len(f.Diagnostic.SuggestedFixes) > 0 {
			hints = append(hints, hint{"opvet -diff", "shows the fixes; -fix applies them"})
			break
		}
	}
	const many = 20
	if len(p.Findings) > many {
		hints = append(hints,
			hint{"opvet -harm=" + rule.Loss.String(), "only what crashes or loses something"},
			hint{"opvet -write-baseline", "leaves what is there today for later"})
	}
	width := 0
	for _, h := range hints {
		width = max(width, len(h.command))
	}
	for _, h := range hints {
		fmt.Fprintf(p, "  %s  %s\n", p.cyan(fmt.Sprintf("%-*s", width, h.command)), p.faint(h.does))
	}
}

// palette colours text, or leaves it as it is.
type palette bool

// paint tells whether to colour what goes to out: at a terminal, unless the user asks
// for none, and elsewhere if the user asks for it; see no-color.org and
// bixense.com/clicolors.
func paint(out io.Writer) palette {
	switch {
	case os.Getenv("NO_COLOR") != "":
		return false
	case os.Getenv("CLICOLOR_FORCE") != "" && os.Getenv("CLICOLOR_FORCE") != "0":
		return true
	}
	return palette(isTerminal(out))
}

func (p palette) in(code, text string) string {
	if !p || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (p palette) bold(text string) string  { return p.in("1", text) }
func (p palette) faint(text string) string { return p.in("2", text) }
func (p palette) red(text string) string   { return p.in("31", text) }
func (p palette) green(text string) string { return p.in("32", text) }
func (p palette) cyan(text string) string  { return p.in("36", text) }

func (p palette) harm(h rule.Harm) string {
	code := "34" // blue
	switch {
	case h >= rule.Stuck:
		code = "1;31" // red
	case h >= rule.Load:
		code = "1;33" // yellow
	}
	return p.in(code, h.String()+":")
}
