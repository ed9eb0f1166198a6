package processes

import (
	"maps"
	"path"
	"slices"
	"strconv"
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

// Unused reports whether a function is in an internal package that nothing of the module imports,
// though the module has a program.
func (p *Program) Unused(fn string) bool {
	i, ok := p.nodes[fn]
	if !ok || !p.funcs[i].known || p.funcs[i].pkg == 0 || !slices.ContainsFunc(p.mains, func(m main) bool { return !m.aside }) {
		return false
	}
	pkg := p.funcs[i].pkg
	return !p.linked[pkg] && !p.used[pkg] && isInternal(p.paths[pkg])
}

// RunsOnce reports whether every process that runs a function runs it once, as what sets
// the process up.
func (p *Program) RunsOnce(fn string) bool {
	i, ok := p.nodes[fn]
	return ok && p.funcs[i].known && p.marks[i] != 0 && p.marks[i]&byAnybody == 0 && !p.repeats[i]
}

// Leaves reports whether the program of a package, or any if that is none, certainly runs
// nothing of some places, each named as in "dir/file.go:12". Of a program that goes on, what
// its commands run that end by themselves does not count: people run those, and jobs with
// roles of their own. So it is with all that a tool runs which people type the name of.
func (p *Program) Leaves(program string, places []string) bool {
	at := slices.IndexFunc(p.mains, func(m main) bool { return m.path == program })
	return !slices.ContainsFunc(places, func(place string) bool {
		i := p.at(place)
		if i < 0 || !p.funcs[i].known || p.marks[i]&byAnybody != 0 {
			return true
		}
		if at < 0 {
			return p.marks[i] != 0
		}
		may := p.mains[at].goesOn
		return i >= len(may) || may[i]
	})
}

// at returns the innermost function around a place; none for -1, or if packages have
// files of one name.
func (p *Program) at(place string) int {
	file, number, _ := strings.Cut(place, ":")
	line, err := strconv.Atoi(number)
	if err != nil {
		return -1
	}
	found := span{node: -1}
	for _, s := range p.spans[file] {
		if p.funcs[s.node].pkg != p.funcs[p.spans[file][0].node].pkg {
			return -1
		}
		if s.from <= line && line <= s.to && (found.node < 0 || s.to-s.from < found.to-found.from) {
			found = s
		}
	}
	return found.node
}

// repeat marks what may run again and again: what a loop runs, or somebody who was given
// the function, and all that these run.
func (p *Program) repeat() {
	var from []int
	for i, n := range p.funcs {
		if p.reached[i] {
			from = append(from, n.again...)
		}
	}
	p.repeats = spread(from, p.after(true), nil)
}

// Mains returns how many programs there are and, of several, the packages of those that may run a
// function, sorted; those that do not count (see [Options.Aside]) are none.
func (p *Program) Mains(fn string) (paths []string, of int) {
	for _, m := range p.mains {
		if !m.aside {
			of++
		}
	}
	if i, ok := p.nodes[fn]; ok && of > 1 {
		for _, m := range p.mains {
			if !m.aside && i < len(m.may) && m.may[i] {
				paths = append(paths, m.path)
			}
		}
	}
	slices.Sort(paths)
	return paths, of
}

// Commands names the commands that run a function, sorted.
func (p *Program) Commands(fn string) []string {
	to, ok := p.nodes[fn]
	if !ok {
		return nil
	}
	before := p.before(false)
	var names []string
	for _, c := range p.processes {
		if c.ends && c.name != "" && to < len(c.may) && c.may[to] && !slices.Contains(names, c.name) && spread([]int{to}, before, c.may)[c.node] {
			names = append(names, c.name)
		}
	}
	slices.Sort(names)
	return names
}

// after returns, for each node, those that it runs; as commands as well, if asked.
func (p *Program) after(commands bool) [][]int {
	after := make([][]int, len(p.funcs))
	for i, n := range p.funcs {
		after[i] = n.next
		if n.commands >= 0 && commands {
			after[i] = append(slices.Clip(n.next), n.commands)
		}
	}
	return after
}

// before returns, for each node, those that run it.
func (p *Program) before(commands bool) [][]int {
	before := make([][]int, len(p.funcs))
	for i, next := range p.after(commands) {
		for _, to := range next {
			before[to] = append(before[to], i)
		}
	}
	return before
}

// spread returns what is reached from some nodes without leaving others; nil for none to
// be left.
func spread(from []int, next [][]int, within []bool) []bool {
	seen := make([]bool, len(next))
	var work []int
	reach := func(i int) {
		if !seen[i] && (within == nil || i < len(within) && within[i]) {
			seen[i] = true
			work = append(work, i)
		}
	}
	for _, i := range from {
		reach(i)
	}
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		for _, to := range next[i] {
			reach(to)
		}
	}
	return seen
}

// minTool is the number of commands that make a program, if none of them operates, one that
// people type the name of: what such a command waits for, they wait for, too.
const minTool = 8

// judge marks what the processes of each program run, and reports whether one of the
// programs that count goes on. The types that one program makes are none of another's
// that is not linked with their package.
func (p *Program) judge() (served bool) {
	p.marks = make([]mark, len(p.funcs))
	var operating, serving []int
	for i, n := range p.funcs {
		if n.operates && p.reached[i] {
			operating = append(operating, i)
		}
		if n.serves && p.reached[i] {
			serving = append(serving, i)
		}
	}
	after, before, all, around := p.after(false), p.before(false), p.after(true), p.before(true)
	for at, m := range p.mains {
		linked := make([]bool, len(p.funcs))
		for i, n := range p.funcs {
			linked[i] = n.pkg == 0 || m.linked[n.pkg]
		}
		may := spread([]int{m.node}, all, linked)
		p.mains[at].may = may
		operates, serves := spread(operating, before, may), spread(serving, before, may)
		// What a program does around its commands belongs to all of them.
		operates[m.node] = operates[m.node] || spread(operating, around, may)[m.node]
		serves[m.node] = serves[m.node] || spread(serving, around, may)[m.node]
		served = served || serves[m.node] && !m.aside
		by := make(map[mark][]int)
		commands := slices.DeleteFunc(slices.Sorted(maps.Keys(p.use)), func(node int) bool { return !may[node] })
		tool := len(commands) >= minTool && !slices.ContainsFunc(append(commands, m.node), func(node int) bool { return operates[node] })
		begin := func(node int, name string) {
			c := process{node: node, name: name, may: may}
			switch {
			case operates[node]:
				by[byServer] = append(by[byServer], node)
			case serves[node] && !tool:
				by[byLasting] = append(by[byLasting], node)
			default:
				c.ends = true
				by[byCommand] = append(by[byCommand], node)
			}
			p.processes = append(p.processes, c)
		}
		begin(m.node, path.Base(m.path))
		for _, node := range commands {
			begin(node, p.use[node])
		}
		switch lasting := slices.Concat(by[byServer], by[byLasting]); {
		case len(lasting) > 0:
			p.mains[at].goesOn = spread(lasting, after, may)
		case tool:
			p.mains[at].goesOn = make([]bool, len(p.funcs)) // people run all of it
		default:
			p.mains[at].goesOn = may
		}
		for mark, nodes := range by {
			for i, reached := range spread(nodes, after, may) {
				if reached {
					p.marks[i] |= mark
				}
			}
		}
	}
	return served
}

// askOthers follows what somebody may run who is not known; if open, what other modules can
// import. Packages of tests and examples, which no program has in it, are nobody.
func (p *Program) askOthers(summaries []*Summary, open bool, aside func(pkg string) bool) {
	elsewhere := make(map[string]bool)
	for _, s := range summaries {
		for _, name := range s.Elsewhere {
			elsewhere[name] = true
		}
	}
	var from []int
	for i, n := range p.funcs {
		if !n.known || n.pkg == 0 {
			continue
		}
		switch {
		case !p.linked[n.pkg] && (aside == nil || !aside(p.paths[n.pkg])),
			open && n.exported && !isInternal(p.paths[n.pkg]),
			elsewhere[p.names[i][strings.LastIndexByte(p.names[i], '.')+1:]]:
			from = append(from, i)
		}
	}
	for _, i := range from {
		p.reach(i)
	}
	p.follow()
	p.marks = append(p.marks, make([]mark, len(p.funcs)-len(p.marks))...)
	for i, reached := range spread(from, p.after(true), nil) {
		if reached {
			p.marks[i] |= byAnybody
		}
	}
}

// isInternal reports whether other modules cannot import a package.
func isInternal(pkg string) bool {
	return slices.Contains(strings.Split(pkg, "/"), "internal")
}
