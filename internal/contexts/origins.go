package contexts

import (
	"time"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/callgraph"
)

// Returns is a fact about a function that returns contexts.
type Returns struct{}

// AFact marks Returns as a fact.
func (*Returns) AFact() {}

type result struct{}

func run(pass *analysis.Pass) (any, error) {
	return &Info{pass: pass, graph: pass.ResultOf[callgraph.Analyzer].(*callgraph.Graph)}, nil
}

// Origins returns where a context may come from.
func (i *Info) Origins(ctx ssa.Value) []Origin { return []Origin{{Root: ctx}} }

// Duration returns the constant duration that v is known to have.
func (i *Info) Duration(v ssa.Value) (time.Duration, bool) { return 0, false }
