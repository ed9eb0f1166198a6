package reads

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/blocks"
	"github.com/opvet/opvet/internal/ir/calls"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/managers"
)

// Label is what is at a place.
type Label struct {
	// Name is labelManager with an ID, labelLive, labelUnknown, or labelKind with
	// a form and a kind.
	Name string
	// Where is where a kind comes from, if not from the place itself.
	Where string
}

// Labels that end a flow.
const (
	labelManager = "manager:"
	labelKind    = "kind:"
	labelLive    = "live:"
	labelUnknown = "unknown:"
)

// Labels that only [Program.Given] asks for, beside what else is at a place.
const (
	// labelOwn is at what a manager or a framework gives, though it may not be known which.
	labelOwn = "own:"
	// labelKeyed is at what a method of the project's own gives for a key; the place of
	// the method's result follows.
	labelKeyed = "keyed:"
)

// At returns what may be at a place.
func (p *Program) At(place string) []Label {
	found := make(map[Label]bool)
	seen := make(map[string]bool)
	var visit func(place, where string)
	visit = func(place, where string) {
		prefix, _, _ := strings.Cut(place, ":")
		switch prefix + ":" {
		case labelManager, labelKind, labelLive, labelUnknown:
			found[Label{place, where}] = true
			return
		case labelOwn, labelKeyed:
			return
		}
		if seen[place] {
			return
		}
		seen[place] = true
		flows := p.into[place]
		if len(flows) == 0 {
			switch prefix {
			case placeResult, placeMethodResult, placeFuncResult:
				found[Label{Name: labelUnknown}] = true
			}
		}
		for _, f := range flows {
			visit(f.From, f.Where)
		}
	}
	visit(place, "")
	return slices.SortedFunc(maps.Keys(found), func(a, b Label) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Where, b.Where))
	})
}

// Manager returns the ID of the one manager that a client, cache or builder
// belongs to, or that stands for it; empty if it may be another client, or is not known.
func (p *Program) Manager(place string) string {
	if place == "" {
		return ""
	}
	var id string
	for _, l := range p.At(place) {
		m, ok := strings.CutPrefix(l.Name, labelManager)
		if m = p.StandsFor(m); !ok || id != "" && id != m {
			return ""
		}
		id = m
	}
	return id
}

// StandsFor returns the ID of the manager that stands for another one: that which another
// implementation of the same method makes, with the same options. A manager by itself
// stands for itself.
func (p *Program) StandsFor(id string) string {
	p.agree.Do(func() {
		p.standsFor = make(map[string]string)
		for _, place := range slices.Sorted(maps.Keys(p.into)) {
			if prefix, _, _ := strings.Cut(place, ":"); prefix == placeMethodResult {
				p.agreeAt(place)
			}
		}
	})
	if other, ok := p.standsFor[id]; ok {
		return other
	}
	return id
}

// agreeAt notes the managers that may be at a place, if they are alike.
func (p *Program) agreeAt(place string) {
	var first *managers.Manager
	var others []string
	for _, l := range p.At(place) {
		id, isManager := strings.CutPrefix(l.Name, labelManager)
		i := slices.IndexFunc(p.Managers, func(m managers.Manager) bool { return m.ID == id })
		switch {
		case !isManager || i < 0, first != nil && !first.Alike(&p.Managers[i]):
			return
		case first == nil:
			first = &p.Managers[i]
		default:
			others = append(others, id)
		}
	}
	for _, id := range others {
		if _, known := p.standsFor[id]; !known {
			p.standsFor[id] = cmp.Or(p.standsFor[first.ID], first.ID)
		}
	}
}

// MayBelong reports whether a client, cache or builder may be of a manager.
func (p *Program) MayBelong(place, id string) bool {
	if place == "" {
		return true
	}
	return slices.ContainsFunc(p.At(place), func(l Label) bool { return l.Name == labelManager+id || l.Name == labelUnknown })
}

// Live reports whether a client certainly goes past all caches.
func (p *Program) Live(place string) bool {
	if place == "" {
		return false
	}
	labels := p.At(place)
	return len(labels) > 0 && !slices.ContainsFunc(labels, func(l Label) bool { return l.Name != labelLive })
}

// Given reports whether a client comes in as a parameter and is not certainly a manager's, or
// from a method that gives one for a key, and nothing that is known of the callers shows
// whose it is.
func (p *Program) Given(place string) bool {
	if prefix, _, _ := strings.Cut(place, ":"); prefix == placeParam || prefix == placeMethodParam {
		return p.Manager(place) == ""
	}
	given := false
	type step struct {
		place, sig string
		keyed      bool // a method gives it for a key
	}
	seen := make(map[step]bool)
	// visit returns false at what shows that the client is the program's own, or where
	// its track is lost.
	var visit func(s step) bool
	visit = func(s step) bool {
		if seen[s] {
			return true
		}
		seen[s] = true
		if s.keyed && p.Manager(s.place) == "" {
			given = true
			return true
		}
		flows := slices.DeleteFunc(slices.Clone(p.into[s.place]), func(f Flow) bool { return f.Sig != "" && s.sig != "" && f.Sig != s.sig })
		if len(flows) == 0 {
			switch prefix, _, _ := strings.Cut(s.place, ":"); prefix {
			case placeParam, placeMethodParam:
				given = true
				return true
			}
			return false
		}
		for _, f := range flows {
			if strings.HasPrefix(f.From, labelKeyed) {
				continue
			}
			next := step{place: f.From, keyed: slices.ContainsFunc(flows, func(other Flow) bool { return other.From == labelKeyed+f.From })}
			if strings.HasPrefix(f.From, placeMethodParam+":") {
				next.sig = f.Sig
			}
			if !visit(next) {
				return false
			}
		}
		return true
	}
	return place != "" && visit(step{place: place}) && given
}

// Kind is a kind in one of its forms.
type Kind struct {
	Form Form
	ID   string // empty if it is not known
	// Where is where the object comes from if it is handed to a helper.
	Where string
}

// Kinds returns the kinds that the object of a use may have.
func (p *Program) Kinds(u Use) []Kind {
	var kinds []Kind
	for _, l := range p.At(u.Object) {
		rest, ok := strings.CutPrefix(l.Name, labelKind)
		if !ok {
			kinds = append(kinds, Kind{})
			continue
		}
		form, id, _ := strings.Cut(rest, "|")
		if u.Metadata {
			form = string(Metadata)
		}
		kinds = append(kinds, Kind{Form(form), id, l.Where})
	}
	return kinds
}

// leave finds out which managers of this package get to those that import it:
// an exported function returns them.
func (p *Program) leave(pass *analysis.Pass) {
	if pass.Pkg.Name() == "main" {
		return
	}
	p.passedOn = make(map[string]bool)
	for _, place := range p.handsOn {
		for _, l := range p.At(place) {
			if id, isManager := strings.CutPrefix(l.Name, labelManager); isManager {
				p.passedOn[id] = true
				if p.Made[id] != nil {
					p.Left = append(p.Left, id)
				}
			}
		}
	}
	slices.Sort(p.Left)
	p.Left = slices.Compact(p.Left)
}

// Decides returns where a finding about a manager stands if the package puts
// the program together that the manager is of: it makes it or gets it from another
// package, and keeps it. It returns nil for all others.
func (p *Program) Decides(id string) ssa.CallInstruction {
	_, left := slices.BinarySearch(p.Left, id)
	if call := p.Made[id]; call != nil && !left {
		return call
	}
	if !left || p.passedOn[id] || p.Calls == nil {
		return nil
	}
	for _, fn := range p.Calls.Funcs {
		for instr := range blocks.Instrs(fn) {
			if call, ok := instr.(*ssa.Call); ok && p.gets(call, id) {
				return call
			}
		}
	}
	return nil
}

// gets reports whether a manager is a result of a call.
func (p *Program) gets(call *ssa.Call, id string) bool {
	place := func(i int) string { return methodResult(call.Call.Method.Name(), len(call.Call.Args), i) }
	if !call.Call.IsInvoke() {
		if call.Call.StaticCallee() == nil {
			return false
		}
		callee, abstract := calls.Unwrap(call.Call.StaticCallee())
		if abstract != nil {
			return false
		}
		place = func(i int) string { return resultPlace(callee, i) }
	}
	for i := range call.Call.Signature().Results().Len() {
		if kubeapi.IsManager(call.Call.Signature().Results().At(i).Type()) && p.Manager(place(i)) == id {
			return true
		}
	}
	return false
}
