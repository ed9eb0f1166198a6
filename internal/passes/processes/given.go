package processes

import (
	"go/types"
	"slices"
	"strings"
)

// life says what is known of the context that a function is given.
type life uint8

const (
	lifeUnknown life = iota
	// dead is a context that nothing ends: all that call the function make it up, or have
	// such a one themselves.
	dead
	// live is another one: somebody hands it over of whom that is not so.
	live
)

// NeverEnds reports whether nothing ends the context that a function is given, by its name as
// of [syntax.FuncAt]: all that run it are known, and none has one that ends.
func (p *Program) NeverEnds(fn string) bool {
	i, ok := p.nodes[fn]
	if !ok || !p.funcs[i].known || !p.funcs[i].context {
		return false
	}
	if p.lives == nil {
		p.lives = p.findLives()
	}
	return p.lives[i] == dead
}

// findLives follows contexts that may end from who has them to all that are handed them.
// What is left, and is called, has one that does not.
func (p *Program) findLives() []life {
	lives := make([]life, len(p.funcs))
	handedOn := make(map[int][]int) // from those who are given a context to those who get it from them
	var work []int
	may := func(i int) {
		if lives[i] != live {
			lives[i] = live
			work = append(work, i)
		}
	}
	for from := range p.funcs {
		n := &p.funcs[from]
		if p.byOthers(from) {
			may(from)
		}
		if !p.reached[from] {
			continue // its calls are none
		}
		for _, to := range n.next {
			of, known := n.hands[to]
			switch {
			case p.abstract[from]:
				handedOn[from] = append(handedOn[from], to)
			case !known:
				may(to)
			}
			for _, owner := range of {
				if owner != NoFunc {
					handedOn[owner] = append(handedOn[owner], to)
				}
			}
			if lives[to] == lifeUnknown {
				lives[to] = dead
			}
		}
	}
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		for _, to := range handedOn[i] {
			may(to)
		}
	}
	return lives
}

// byOthers reports whether somebody may call a function who is not known.
func (p *Program) byOthers(i int) bool { return i >= len(p.marks) || p.marks[i]&byAnybody != 0 }

// All reports whether all that the module has of an interface's method, as of
// [AbstractName], are functions of which a rule has told something; not if there is none, nor if
// others may call it with more.
func (p *Program) All(method, property string) bool {
	i, ok := p.nodes[method]
	if !ok || !p.abstract[i] || p.byOthers(i) {
		return false
	}
	found := 0
	for _, to := range p.funcs[i].next {
		if !p.reached[to] || !p.told[property][p.names[to]] {
			return false
		}
		found++
	}
	return found > 0
}

// TakenOffElsewhere reports whether another package than one takes a finalizer off, or some
// finalizer off objects of the kind, as of [kubeapi.KindID], in a program of the module.
func (p *Program) TakenOffElsewhere(name, kind, pkg string) bool {
	others := func(path string) bool {
		return path != pkg && p.linked[slices.Index(p.paths, path)]
	}
	if name == "" && slices.ContainsFunc(p.unfinalized[NamedFinalizerOf+kind], others) {
		return true
	}
	return slices.ContainsFunc(p.unfinalized[name], others) || slices.ContainsFunc(p.unfinalized[AnyFinalizerOf+kind], others)
}

// AbstractName names an interface's method for the whole program, as [Program.All] knows it.
func AbstractName(iface *types.Interface, method *types.Func) string {
	keys := make([]string, 0, iface.NumMethods())
	for m := range iface.Methods() {
		keys = append(keys, methodKey(m))
	}
	slices.Sort(keys)
	return abstractName(keys, methodKey(method))
}

func abstractName(keys []string, key string) string {
	return "(" + strings.Join(keys, " ") + ")." + key
}
