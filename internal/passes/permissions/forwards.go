package permissions

import (
	"cmp"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/kubeapi/rbac"
)

// Forward is a need of a helper that leaves the subresource to its callers:
//
//	func patch(client Interface, …, subresources ...string)
type Forward struct {
	Need
	Helper string
}

// Subresource is what a function's last parameter, of strings, is called with.
type Subresource struct {
	Func string
	// Name is the first of the strings, empty if there is none, and "?" if it is not known.
	Name string
}

// forward notes a call of which the subresource is a parameter of the function around.
func (g *gatherer) forward(call ssa.CallInstruction, typed kubeapi.TypedCall) {
	fn, _ := typed.Given.Parent().Object().(*types.Func)
	if fn == nil {
		g.unknown(call, typed.Verb)
		return
	}
	before := len(g.Direct)
	g.typed(call, typed.Kind, typed.Verb, "")
	for _, n := range g.Direct[before:] {
		g.Forwards = append(g.Forwards, Forward{n, kubeapi.FullName(fn.Origin())})
	}
	g.Direct = g.Direct[:before]
}

// subresources notes what a function of the user's is called with that may be
// subresources.
func (g *gatherer) subresources(common *ssa.CallCommon) {
	callee := common.StaticCallee()
	if callee == nil || !callee.Signature.Variadic() || len(common.Args) == 0 {
		return
	}
	declared, abstract := calls.Unwrap(callee)
	if declared == nil {
		return // a method value of an interface
	}
	fn, _ := declared.Object().(*types.Func)
	last := common.Args[len(common.Args)-1]
	slice, isSlice := last.Type().Underlying().(*types.Slice)
	if abstract != nil || fn == nil || !isSlice || !types.Identical(slice.Elem(), types.Typ[types.String]) || !g.calls.SameModule(fn.Pkg()) {
		return
	}
	s := Subresource{Func: kubeapi.FullName(fn.Origin()), Name: "?"}
	if names, known := kubeapi.VariadicArgs(last); known {
		s.Name = ""
		if len(names) > 0 {
			if s.Name, known = kubeapi.ConstString(names[0]); !known {
				s.Name = "?"
			}
		}
	}
	if s.Name == "?" || strings.Trim(s.Name, "abcdefghijklmnopqrstuvwxyz") == "" {
		g.Subresources = append(g.Subresources, s) // no text for people, as most strings are
	}
}

// composeForwards adds what the callers of helpers need.
func (p *Permissions) composeForwards(reached func(string) bool) {
	own := p.Remote == "" && len(p.Program.Managers) <= 1
	for _, f := range p.Forwards {
		if !reached(f.Func) {
			continue
		}
		called := false
		for _, s := range p.Subresources {
			if s.Func != f.Helper {
				continue
			}
			called = true
			if s.Name == "?" {
				p.unknown = append(p.unknown, Unknown{What: f.What, Where: f.Where})
				continue
			}
			n := f.Need
			n.Permission = rbac.Permission{Group: n.Group, Resource: n.Resource, Sub: s.Name, Verb: n.Verb}
			n.Certain = own
			p.needs = append(p.needs, n)
		}
		if !called {
			p.unknown = append(p.unknown, Unknown{What: f.What, Where: f.Where})
		}
	}
}

func normalizeForwards(forwards []Forward, subresources []Subresource) ([]Forward, []Subresource) {
	slices.SortStableFunc(forwards, func(a, b Forward) int {
		return cmp.Or(strings.Compare(a.Helper, b.Helper), compareNeeds(a.Need, b.Need))
	})
	forwards = slices.CompactFunc(forwards, func(a, b Forward) bool { return a.Helper == b.Helper && compareNeeds(a.Need, b.Need) == 0 })
	slices.SortFunc(subresources, func(a, b Subresource) int {
		return cmp.Or(strings.Compare(a.Func, b.Func), strings.Compare(a.Name, b.Name))
	})
	return forwards, slices.Compact(subresources)
}
