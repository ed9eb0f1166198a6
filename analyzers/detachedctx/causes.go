package detachedctx

import (
	"fmt"
	"go/token"
	"go/types"
	"path"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/opvet/opvet/internal/ir/paths"
	"github.com/opvet/opvet/internal/ir/syntax"
	"github.com/opvet/opvet/internal/kubeapi"
	"github.com/opvet/opvet/internal/passes/contexts"
	"github.com/opvet/opvet/internal/passes/detachedcalls"
)

// cause is what one change mends: all calls under it get the live context then.
type cause struct {
	category string
	// Pos is where the change begins.
	pos token.Pos
	// fn is the function that drops its context, or takes none; nil if it lies in
	// another package.
	fn *ssa.Function
	// name is how users know the function, or the type if methods is not 0.
	name    string
	methods int // how many of a type take no context
	callers int // how many functions lead to the package of that name, which takes none
	sites   []*detachedcalls.Site
}

// worst returns the call that is most worth telling of, and its site.
func (c *cause) worst() (*detachedcalls.Site, detachedcalls.Called) {
	var site *detachedcalls.Site
	var worst detachedcalls.Called
	for _, s := range c.sites {
		for _, called := range s.Calls {
			h, g := harmOf(s, called), least
			if site != nil {
				g = harmOf(site, worst)
			}
			if site == nil || h > g || h == g && called.Work.Worse(worst.Work) {
				site, worst = s, called
			}
		}
	}
	return site, worst
}

// calls is the number of calls under the cause.
func (c *cause) calls() int {
	n := 0
	for _, s := range c.sites {
		if s.Elsewhere != nil {
			n += max(1, s.Elsewhere.Calls)
		} else {
			n += len(s.Calls)
		}
	}
	return n
}

// causes puts the sites together that have one cause, in the order of the first.
func (c *checker) causes(sites []*detachedcalls.Site) []*cause {
	var list []*cause
	byKey := make(map[any]*cause)
	for _, site := range sites {
		key, made := c.causeOf(site)
		known, ok := byKey[key]
		if !ok {
			known = made
			byKey[key] = known
			list = append(list, known)
		}
		known.sites = append(known.sites, site)
	}
	return byMaker(c.byType(list))
}

// parameterOf identifies the context parameter, or what hangs on one, that the
// calls of a function ignore.
type parameterOf struct {
	param *ssa.Parameter
	expr  string
}

// causeOf returns what identifies the cause of a site, and the cause without its
// sites.
func (c *checker) causeOf(site *detachedcalls.Site) (key any, made *cause) {
	live := site.Live
	switch {
	case live.Blank:
		owner, pos := live.Param.Parent(), paramPos(live.Param)
		if !c.isWanted(pos) {
			pos = site.Pos()
		}
		return live.Param, &cause{category: "ctx-blank", pos: pos, fn: owner, name: ownName(owner)}
	case site.Caller != nil:
		first, pos := site.First, site.First.Pos()
		if !c.isWanted(pos) {
			pos = site.Pos() // of what is generated, the call counts
		}
		return first, &cause{category: "helper", pos: pos, fn: first, name: ownName(first)}
	case site.Elsewhere != nil:
		callee := kubeapi.Callee(site.Call.Common())
		return culprit(callee, site.Elsewhere), &cause{category: "helper", pos: site.Call.Pos(), name: callee.Name()}
	}
	owner := live.Param.Parent()
	category := "ctx-ignored"
	if live.Kind == contexts.FromField {
		category = "field-ignored"
		owner = paths.Outermost(site.Fn())
	}
	return parameterOf{live.Param, live.Expr}, &cause{category: category, pos: site.Pos(), fn: owner, name: ownName(owner)}
}

// culprit identifies what one finding in this package is enough for: the function
// of the other package or, if layers lie between it and the made-up context, the
// file.
func culprit(callee *types.Func, fact *detachedcalls.Invents) any {
	if len(fact.Via) == 0 {
		return callee.Origin()
	}
	return fileOfPlace(fact.Where)
}

// fewMethods is how many methods of a type, each without a context, are still a
// matter of their own.
const fewMethods = 2

// byType puts the causes together that are methods of one type, if they are many:
// then the type is not made for contexts.
func (c *checker) byType(list []*cause) []*cause {
	return together(list, typeOf, func(at *cause, named *types.Named, methods int) {
		at.name, at.methods = named.Obj().Name(), methods
		if at.fn != nil && c.isWanted(named.Obj().Pos()) {
			at.pos = named.Obj().Pos()
		}
	})
}

// byMaker puts the causes together whose calls all end in another package that
// makes contexts up, if they are many: there is where contexts stop, whatever
// the functions are called through which it is reached.
func byMaker(list []*cause) []*cause {
	return together(list, makerOf, func(at *cause, maker string, callers int) {
		at.name, at.callers = maker, callers
	})
}

// together makes one cause of those that have a key in common, if they are many;
// describe says of the first of them what it is now. The zero key is none.
func together[K comparable](list []*cause, keyOf func(*cause) K, describe func(first *cause, key K, count int)) []*cause {
	var none K
	count := make(map[K]int)
	for _, at := range list {
		count[keyOf(at)]++
	}
	merged := make(map[K]*cause)
	var result []*cause
	for _, at := range list {
		key := keyOf(at)
		if key == none || count[key] <= fewMethods {
			result = append(result, at)
			continue
		}
		known, ok := merged[key]
		if !ok {
			known = &cause{category: at.category, pos: at.pos, fn: at.fn}
			describe(known, key, count[key])
			merged[key] = known
			result = append(result, known)
		}
		known.sites = append(known.sites, at.sites...)
	}
	return result
}

// makerOf returns the folder, as places name it, of the package where all calls of
// a cause are, or "".
func makerOf(at *cause) string {
	if at.category != "helper" {
		return ""
	}
	maker := ""
	for _, site := range at.sites {
		if site.Elsewhere == nil {
			return ""
		}
		dir := path.Dir(site.Elsewhere.Where)
		if dir == "." || maker != "" && dir != maker {
			return ""
		}
		maker = dir
	}
	return maker
}

// typeOf returns the type whose method a cause is that takes no context, or nil.
func typeOf(at *cause) *types.Named {
	if at.category != "helper" {
		return nil
	}
	var obj *types.Func
	if at.fn != nil {
		obj, _ = at.fn.Object().(*types.Func)
	} else {
		obj = kubeapi.Callee(at.sites[0].Call.Common())
	}
	if obj == nil || obj.Signature().Recv() == nil {
		return nil
	}
	return kubeapi.Named(obj.Signature().Recv().Type())
}

// isWanted reports whether findings are reported in the file at pos.
func (c *checker) isWanted(pos token.Pos) bool {
	file := syntax.FileOf(c.pass.Files, pos)
	return file != nil && c.report.Wants(file)
}

// paramPos is where a parameter is declared; one without a name has no position of
// its own, so that its function's stands for it.
func paramPos(p *ssa.Parameter) token.Pos {
	if p.Pos().IsValid() {
		return p.Pos()
	}
	return p.Parent().Pos()
}

// keep drops the sites that a comment gives a reason for, and those that are
// doubtful.
func (c *checker) keep(sites []*detachedcalls.Site) []*detachedcalls.Site {
	return slices.DeleteFunc(slices.Clone(sites), func(site *detachedcalls.Site) bool {
		return isDoubtful(site) && !c.report.Strict() || detachedcalls.Excused(c.pass, site.Pos())
	})
}

// heard drops the sites of a cause that a comment on their own line silences. The
// line of the finding is left to the reporter: a comment there silences them all.
func (c *checker) heard(at *cause) bool {
	line := c.line(c.finding(at).Pos)
	at.sites = slices.DeleteFunc(at.sites, func(site *detachedcalls.Site) bool {
		return c.line(site.Pos()) != line && c.report.Silenced(site.Pos(), category(site))
	})
	return len(at.sites) > 0
}

func (c *checker) line(pos token.Pos) string {
	at := c.pass.Fset.Position(pos)
	return fmt.Sprint(at.Filename, at.Line)
}
