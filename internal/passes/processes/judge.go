package processes

import (
	"slices"
	"strings"
)

// Runner says who runs a function.
type Runner uint8

const (
	// Unknown is for a function of which nobody can tell: other modules may call it, or
	// files that this build leaves out.
	Unknown Runner = iota
	// Server is an operator or another server of a cluster.
	Server
	// Lasting is a process that may be one, or a program that a user runs and that waits
	// for something.
	Lasting
	// Command is a process that ends by itself, or several such.
	Command
	// Nobody runs what no program of the module reaches, tests aside.
	Nobody
)

// Of tells who runs a function, by its name as of [syntax.FuncAt].
func (p *Program) Of(fn string) Runner {
	i, ok := p.nodes[fn]
	if !ok || !p.funcs[i].known {
		return Unknown
	}
	switch m := p.marks[i]; {
	case m&byServer != 0:
		return Server
	case m&byLasting != 0:
		return Lasting
	case m&byAnybody != 0:
		return Unknown
	case m&byCommand != 0:
		return Command
	case p.reached[i] || !p.linked[p.funcs[i].pkg]:
		return Unknown
	}
	return Nobody
}

// Commands names the commands that run a function, sorted.
func (p *Program) Commands(fn string) []string {
	to, ok := p.nodes[fn]
	if !ok {
		return nil
	}
	before := p.before(false)
	reaching := spread(len(p.funcs), []int{to}, func(i int) []int { return before[i] })
	var names []string
	for _, r := range p.roots {
		if r.ends && reaching[r.node] && r.name != "" {
			names = append(names, r.name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// before returns, for each node, those that run it; as commands as well, if asked.
func (p *Program) before(commands bool) [][]int {
	before := make([][]int, len(p.funcs))
	for i, n := range p.funcs {
		for _, to := range n.next {
			before[to] = append(before[to], i)
		}
		if n.commands >= 0 && commands {
			before[n.commands] = append(before[n.commands], i)
		}
	}
	return before
}

// spread returns what is reached from some nodes.
func spread(count int, from []int, next func(int) []int) []bool {
	seen := make([]bool, count)
	work := slices.Clone(from)
	for _, i := range from {
		seen[i] = true
	}
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		for _, to := range next(i) {
			if !seen[to] {
				seen[to] = true
				work = append(work, to)
			}
		}
	}
	return seen
}

// judge marks what servers and other processes run.
func (p *Program) judge() {
	p.marks = make([]mark, len(p.funcs))
	operating := p.leadTo(func(n node) bool { return n.operates })
	lasting := p.leadTo(func(n node) bool { return n.serves })
	var servers, unclear, commands []int
	for i := range p.roots {
		r := &p.roots[i]
		switch {
		case !p.reached[r.node]:
		case operating[i]:
			servers = append(servers, r.node)
		case lasting[i]:
			unclear = append(unclear, r.node)
		default:
			r.ends = true
			commands = append(commands, r.node)
		}
	}
	p.mark(servers, byServer)
	p.mark(unclear, byLasting)
	p.mark(commands, byCommand)
}

// leadTo tells of each root whether it runs such a function. What a program does around
// its commands belongs to all of them: it leads where one of them does.
func (p *Program) leadTo(is func(node) bool) []bool {
	var targets []int
	for i, n := range p.funcs {
		if is(n) && p.reached[i] {
			targets = append(targets, i)
		}
	}
	before := p.before(false)
	direct := spread(len(p.funcs), targets, func(i int) []int { return before[i] })
	around := p.before(true)
	somehow := spread(len(p.funcs), targets, func(i int) []int { return around[i] })
	leads := make([]bool, len(p.roots))
	for i, r := range p.roots {
		leads[i] = direct[r.node] || r.main && somehow[r.node]
	}
	return leads
}

func (p *Program) mark(from []int, m mark) {
	for i, reached := range spread(len(p.funcs), from, func(i int) []int { return p.funcs[i].next }) {
		if reached {
			p.marks[i] |= m
		}
	}
}

// askOthers follows what somebody may run who is not known.
func (p *Program) askOthers(summaries []*Summary, opts Options) {
	served := slices.ContainsFunc(p.roots, func(r root) bool {
		return r.main && !r.ends && p.reached[r.node] && (opts.Aside == nil || !opts.Aside(r.pkg))
	})
	open := opts.Imported || !served
	elsewhere := make(map[string]bool)
	for _, s := range summaries {
		for _, name := range s.Elsewhere {
			elsewhere[name] = true
		}
	}
	var from []int
	for i, n := range p.funcs {
		if !n.known || n.pkg == "" {
			continue
		}
		switch {
		case !p.linked[n.pkg],
			open && n.exported && !isInternal(n.pkg),
			elsewhere[p.names[i][strings.LastIndexByte(p.names[i], '.')+1:]]:
			from = append(from, i)
		}
	}
	for _, i := range from {
		p.reach(i)
	}
	p.follow()
	p.marks = append(p.marks, make([]mark, len(p.funcs)-len(p.marks))...)
	for i, reached := range spread(len(p.funcs), from, func(i int) []int {
		if c := p.funcs[i].commands; c >= 0 {
			return append(slices.Clip(p.funcs[i].next), c)
		}
		return p.funcs[i].next
	}) {
		if reached {
			p.marks[i] |= byAnybody
		}
	}
}

// isInternal reports whether other modules cannot import a package.
func isInternal(pkg string) bool {
	return slices.Contains(strings.Split(pkg, "/"), "internal")
}
