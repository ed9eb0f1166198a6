package cachemutation

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/cached"
	"github.com/opvet/opvet/internal/kubeapi"
)

// message words the finding.
func (c *checker) message(g group) string {
	v := g[0]
	consequence := "everything that reads the cache sees the change, and may read while it is made"
	remedy := "change a DeepCopy"
	if v.Helper != "" {
		remedy = "hand it a DeepCopy"
	}
	switch category(v) {
	case shallowCopy:
		return fmt.Sprintf("%s%s changes the informer cache's own object: a copy by value shares its maps, slices and pointers, and this one is of %s; use DeepCopy",
			c.act(v), c.others(g), c.came(v))
	case sliceInPlace:
		remedy = "sort or filter a copy (slices.Clone)"
		if v.Capacity {
			return fmt.Sprintf("appending to %s may write into the array of the informer cache's own object, %s: two that do so overwrite each other's elements; append to a copy (slices.Clone)",
				c.Expression(v.Instr), c.came(v))
		}
	}
	return fmt.Sprintf("%s%s changes the informer cache's own object, %s: %s; %s", c.act(v), c.others(g), c.came(v), consequence, remedy)
}

var gerunds = map[string]string{
	kubeapi.WriteSet: "writing to", kubeapi.WriteSort: "reordering", kubeapi.WriteDelete: "deleting from",
	kubeapi.WriteDecode: "decoding into", kubeapi.WriteOverlap: "overwriting",
}

// act says what the write does, or the helper that is called.
func (c *checker) act(v cached.Violation) string {
	if v.Helper == "" {
		what := c.Expression(v.Instr)
		if what == "" {
			what = "the object"
		}
		return gerunds[v.How] + " " + what
	}
	what := v.Inner.What
	if what == "" {
		what = "it"
	}
	where := v.Inner.Place
	if v.Inner.Func != v.Helper {
		where = v.Inner.Func + ", " + where
	}
	return fmt.Sprintf("%s, which %s %s (%s),", v.Helper, v.Inner.How, what, where)
}

// others names the lines of the group's other writes.
func (c *checker) others(g group) string {
	first := c.line(c.start(g[0]))
	var lines []string
	for _, v := range g[1:] {
		line := fmt.Sprint(c.line(c.start(v)))
		if c.line(c.start(v)) != first && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	switch {
	case len(lines) == 0:
		return ""
	case len(lines) == 1:
		return " (and again on line " + lines[0] + ")"
	case len(lines) > 4:
		lines = append(lines[:4], "…")
	}
	return " (and again on lines " + strings.Join(lines, ", ") + ")"
}

// came says where the object came from.
func (c *checker) came(v cached.Violation) string {
	o := v.Origin
	line := c.line(o.Pos)
	switch o.Source {
	case kubeapi.HandlerObject:
		return o.What
	case kubeapi.UncopiedObject:
		return fmt.Sprintf("which %s read without a copy on line %d", o.What, line)
	}
	text := fmt.Sprintf("which %s returned on line %d", o.What, line)
	if category(v) == shallowCopy {
		text = fmt.Sprintf("what %s returned on line %d", o.What, line)
	}
	if o.Through != "" {
		text += fmt.Sprintf(" (from %s, %s)", o.Through, o.ThroughPlace)
	}
	return text
}

// maxRelated bounds the related places of a finding, and maxInner those in one
// helper.
const (
	maxRelated = 24
	maxInner   = 3
)

// related has the source and all writes.
func (c *checker) related(g group) []analysis.RelatedInformation {
	var info []analysis.RelatedInformation
	seen := make(map[token.Pos]bool)
	add := func(pos token.Pos, format string, args ...any) bool {
		if !pos.IsValid() || seen[pos] || len(info) >= maxRelated {
			return false
		}
		seen[pos] = true
		info = append(info, analysis.RelatedInformation{Pos: pos, Message: fmt.Sprintf(format, args...)})
		return true
	}
	add(g[0].Origin.Pos, "the object comes from here")
	inner := make(map[ssa.Instruction]int)
	for i, v := range g {
		if i > 0 && c.start(v) != c.start(g[0]) {
			add(c.start(v), "changed here, too")
		}
		if v.Helper != "" && inner[v.Instr] < maxInner && add(v.InnerPos, "%s %s %s", v.Inner.Func, v.Inner.How, v.Inner.What) {
			inner[v.Instr]++
		}
	}
	return info
}

func (c *checker) start(v cached.Violation) token.Pos {
	pos, _ := c.span(v)
	return pos
}

func (c *checker) line(pos token.Pos) int { return c.pass.Fset.Position(pos).Line }
