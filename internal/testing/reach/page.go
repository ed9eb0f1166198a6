package reach

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

const (
	tableBegin = "<!-- table: written by the tests of internal/testing/reach -->\n"
	tableEnd   = "<!-- /table -->\n"
)

// Table writes the rows as a table of found/hidden for each rule and form, with
// the number of traps that are reported after an exclamation mark.
func Table(forms []Form, rows []*Row) string {
	var b strings.Builder
	b.WriteString("| rule |")
	for _, f := range forms {
		b.WriteString(" " + f.Name + " |")
	}
	b.WriteString(" all | % |\n| --- |" + strings.Repeat(" --- |", len(forms)+2) + "\n")
	rows = slices.SortedFunc(slices.Values(rows), func(a, b *Row) int { return strings.Compare(a.Rule, b.Rule) })
	sums := &Row{Rule: "**all**", Cells: make([]Cell, len(forms))}
	for _, row := range rows {
		row.write(&b)
		for i, c := range row.Cells {
			sums.Cells[i].add(c)
		}
	}
	sums.write(&b)
	return b.String()
}

func (r *Row) write(b *strings.Builder) {
	b.WriteString("| " + r.Rule + " |")
	for _, c := range append(append([]Cell(nil), r.Cells...), r.sum()) {
		b.WriteString(" " + c.String() + " |")
	}
	fmt.Fprintf(b, " %d |\n", r.share())
}

func (c *Cell) add(other Cell) {
	c.Found, c.Lost = c.Found+other.Found, c.Lost+other.Lost
	c.Traps, c.Tried = c.Traps+other.Traps, c.Tried+other.Tried
}

// String is what a cell of the table says.
func (c Cell) String() string {
	if c.Found+c.Lost == 0 && c.Traps == 0 {
		return "–"
	}
	text := fmt.Sprintf("%d/%d", c.Found, c.Found+c.Lost)
	if c.Traps > 0 {
		text += fmt.Sprintf(" !%d", c.Traps)
	}
	return text
}

func (r *Row) sum() Cell {
	var sum Cell
	for _, c := range r.Cells {
		sum.add(c)
	}
	return sum
}

// share is how many of a hundred hidden mistakes are found.
func (r *Row) share() int {
	sum := r.sum()
	if sum.Found+sum.Lost == 0 {
		return 100
	}
	return 100 * sum.Found / (sum.Found + sum.Lost)
}

// pageShare reads the share of a rule out of the page.
func pageShare(text, rule string) (share int, ok bool) {
	_, line, ok := strings.Cut(text, "\n| "+rule+" |")
	if !ok {
		return 0, false
	}
	line, _, _ = strings.Cut(line, "\n")
	cells := strings.Split(strings.TrimSuffix(line, " |"), "|")
	_, err := fmt.Sscan(cells[len(cells)-1], &share)
	return share, err == nil
}

// readRow reads a row of a table; nil if the line is none of a rule.
func readRow(line string) *Row {
	cells := strings.Split(strings.Trim(line, "| "), " | ")
	if !strings.HasPrefix(line, "| ") || len(cells) != len(Forms)+3 || cells[0] == "rule" || cells[0] == "---" || cells[0] == "**all**" {
		return nil
	}
	row := &Row{Rule: cells[0], Cells: make([]Cell, len(Forms))}
	for i := range Forms {
		var c Cell
		all := 0
		// A cell without mistakes and traps is a dash.
		if n, _ := fmt.Sscanf(cells[1+i], "%d/%d !%d", &c.Found, &all, &c.Traps); n >= 2 {
			c.Lost = all - c.Found
		}
		row.Cells[i] = c
	}
	return row
}

// writePage replaces the rows of the page's table that have been measured.
func writePage(name string, forms []Form, rows []*Row) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	before, rest, found := strings.Cut(string(text), tableBegin)
	table, after, closed := strings.Cut(rest, tableEnd)
	if !found || !closed {
		return fmt.Errorf("%s has no table between %q and %q", name, tableBegin, tableEnd)
	}
	for line := range strings.Lines(table) {
		old := readRow(strings.TrimSpace(line))
		if old != nil && !slices.ContainsFunc(rows, func(r *Row) bool { return r.Rule == old.Rule }) {
			rows = append(rows, old)
		}
	}
	return os.WriteFile(name, []byte(before+tableBegin+"\n"+Table(forms, rows)+"\n"+tableEnd+after), 0o666)
}
