package sleeps

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/internal/passes/waits"
	"github.com/opvet/opvet/internal/report/rule"
	"github.com/opvet/opvet/internal/report/wording"
)

// style collects the pauses that hold a worker or a handler. Who waits in place does so
// again and again: the pauses of one file are one finding, at the longest.
type style []pause

type pause struct {
	rule.Finding
	longest time.Duration // known to be
	line    int
}

func (s *style) add(f rule.Finding, p *waits.Pause) {
	longest := p.For
	if total, known := p.Total(); known {
		longest = total
	}
	*s = append(*s, pause{Finding: f, longest: longest})
}

func (s style) report(u *unit) {
	files := make(map[string][]pause)
	for _, p := range s {
		at := u.Pass.Fset.Position(p.Pos)
		p.line = at.Line
		files[at.Filename] = append(files[at.Filename], p)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		pauses := files[name]
		slices.SortStableFunc(pauses, func(a, b pause) int {
			return cmp.Or(cmp.Compare(b.Harm, a.Harm), cmp.Compare(b.longest, a.longest), cmp.Compare(a.line, b.line))
		})
		u.Report.Report(together(pauses))
	}
}

// together makes one finding of the pauses of a file, of which the worst comes first.
func together(pauses []pause) rule.Finding {
	f := pauses[0].Finding
	var lines []string
	for _, p := range pauses[1:] {
		lines = append(lines, fmt.Sprint(p.line))
		f.Related = append(slices.Clip(f.Related), analysis.RelatedInformation{Pos: p.Pos, Message: "here, too"})
	}
	if len(lines) == 0 {
		return f
	}
	what, remedy, _ := strings.Cut(f.Message, "; ")
	if told := fmt.Sprintf("%s, as %s; %s", what, others(lines), remedy); utf8.RuneCountInString(told) <= wording.Max {
		f.Message = told
	}
	return f
}

// others says where else it is done: "line 12 does", "lines 12 and 20 do".
func others(lines []string) string {
	last := len(lines) - 1
	if last == 0 {
		return "line " + lines[0] + " does"
	}
	return "lines " + strings.Join(lines[:last], ", ") + " and " + lines[last] + " do"
}
