package objects

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
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
	if isRequest(p.Object.Root, request) {
		return slices.Equal(p.FullPath(), []string{"NamespacedName"})
	}
	// types.NamespacedName{Namespace: req.Namespace, Name: req.Name}
	literal, ok := p.Object.Root.(*ssa.Alloc)
	if !ok || p.Object.Path != "" || literal.Referrers() == nil {
		return false
	}
	named := false
	for field := range blocks.UsesOf[*ssa.FieldAddr](literal) {
		if field.Referrers() == nil {
			continue
		}
		for store := range blocks.Stores(field) {
			from := s.Resolve.Place(store.Val)
			path := from.FullPath()
			if !isRequest(from.Object.Root, request) || len(path) == 0 {
				return false
			}
			named = named || path[len(path)-1] == "Name"
		}
	}
	return named
}

// isRequest reports whether v is the request, or the variable that it is in.
func isRequest(v ssa.Value, request *ssa.Parameter) bool {
	if v == request {
		return true
	}
	cell, ok := v.(*ssa.Alloc)
	if !ok || cell.Referrers() == nil {
		return false
	}
	stores := 0
	is := false
	for _, ref := range *cell.Referrers() {
		switch ref := ref.(type) {
		case *ssa.Store:
			stores++
			is = is || ref.Addr == cell && ref.Val == request
		case *ssa.FieldAddr:
			if blocks.IsStoredTo(ref) {
				return false // request.Name = …
			}
		}
	}
	return is && stores == 1
}
