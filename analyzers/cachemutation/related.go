package cachemutation

import (
	"fmt"
	"go/token"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/passes/cacheobjects"
)

// maxRelated bounds the related places of a finding, and maxInner those in one
// helper.
const (
	maxRelated = 24
	maxInner   = 3
)

// places gathers related places, each once.
type places struct {
	seen map[token.Pos]bool
	info []analysis.RelatedInformation
}

func (p *places) add(pos token.Pos, format string, args ...any) bool {
	if !pos.IsValid() || p.seen[pos] || len(p.info) >= maxRelated {
		return false
	}
	if p.seen == nil {
		p.seen = make(map[token.Pos]bool)
	}
	p.seen[pos] = true
	p.info = append(p.info, analysis.RelatedInformation{Pos: pos, Message: fmt.Sprintf(format, args...)})
	return true
}

// related has the source and all writes, and those of other groups with the same cause.
func (c *checker) related(g, others group) []analysis.RelatedInformation {
	var p places
	p.add(g[0].Origin.Pos, "the object comes from here")
	inner := make(map[ssa.Instruction]int)
	for i, v := range g {
		if i > 0 && c.start(v) != c.start(g[0]) {
			p.add(c.start(v), "changed here, too")
		}
		if v.Helper != "" && inner[v.Instr] < maxInner && p.add(v.InnerPos, "%s %s %s", v.Inner.Func, v.Inner.How, v.Inner.What) {
			inner[v.Instr]++
		}
	}
	for _, v := range others {
		p.add(c.start(v), "an object from there is changed here, too")
	}
	return p.info
}

// callers has the places that hand a function objects of the cache.
func (c *checker) callers(vs []cacheobjects.Violation) []analysis.RelatedInformation {
	var p places
	for _, v := range vs {
		p.add(c.start(v), "handed an object of the cache here")
		p.add(v.Origin.Pos, "which comes from here")
	}
	return p.info
}

func (c *checker) start(v cacheobjects.Violation) token.Pos {
	pos, _ := c.span(v)
	return pos
}

func (c *checker) line(pos token.Pos) int { return c.pass.Fset.Position(pos).Line }
