package objects

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/values"
	"github.com/opvet/opvet/internal/kubeapi"
)

// NamesRequest reports whether the key of a Get is the name in the request.
func (s *Summaries) NamesRequest(common *ssa.CallCommon, request *ssa.Parameter) bool {
	_, args := kubeapi.Args(common)
	for _, arg := range args {
		if kubeapi.IsNamed(arg.Type(), "k8s.io/apimachinery/pkg/types", "NamespacedName") {
			return s.isKey(arg, request)
		}
	}
	return false
}

func (s *Summaries) isKey(key ssa.Value, request *ssa.Parameter) bool {
	p := s.Resolve.Place(key)
	if s.isRequest(p.Object.Root, request) {
		return slices.Equal(p.FullPath(), []string{"NamespacedName"})
	}
	// types.NamespacedName{Namespace: req.Namespace, Name: req.Name}
	literal, ok := p.Object.Root.(*ssa.Alloc)
	if !ok || p.Object.Path != "" {
		return false
	}
	named := false
	for field := range blocks.UsesOf[*ssa.FieldAddr](literal) {
		for store := range blocks.Stores(field) {
			from := s.Resolve.Place(store.Val)
			path := from.FullPath()
			if !s.isRequest(from.Object.Root, request) || len(path) == 0 {
				return false
			}
			named = named || path[len(path)-1] == "Name"
		}
	}
	return named
}

// ForOneName reports whether a block is reached only where the name in a request was found to be a
// certain one.
func (s *Summaries) ForOneName(block *ssa.BasicBlock, request *ssa.Parameter) bool {
	for branch, holds := range blocks.Decided(block) {
		compare, ok := branch.Cond.(*ssa.BinOp)
		if ok && (compare.Op == token.EQL) == holds && (compare.Op == token.EQL || compare.Op == token.NEQ) &&
			s.isName(compare.X, request) != s.isName(compare.Y, request) {
			return true
		}
	}
	return false
}

// isName reports whether a value is the name in a request.
func (s *Summaries) isName(v ssa.Value, request *ssa.Parameter) bool {
	p := s.Resolve.Place(v)
	path := p.FullPath()
	return len(path) > 0 && path[len(path)-1] == "Name" && s.isRequest(p.Object.Root, request)
}

// isRequest reports whether v is the request, or what all callers of a helper give it for
// theirs.
func (s *Summaries) isRequest(v ssa.Value, request *ssa.Parameter) bool {
	given := values.Relation{Calls: s.Calls, Steps: values.Package | values.Selected, More: holding}
	return given.All(v, func(v ssa.Value) bool {
		p, ok := v.(*ssa.Parameter)
		return ok && (p == request || types.Identical(p.Type(), request.Type()) && len(s.Calls.Callers(p.Parent())) == 0)
	})
}

// holding returns what a variable holds that is assigned once, as a whole.
func holding(v ssa.Value) []ssa.Value {
	cell, ok := v.(*ssa.Alloc)
	if !ok {
		return nil
	}
	for field := range blocks.UsesOf[*ssa.FieldAddr](cell) {
		if blocks.IsStoredTo(field) {
			return nil // request.Name = …
		}
	}
	return values.StoredOnce(cell)
}
