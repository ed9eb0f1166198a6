package processes

import (
	"slices"
	"strings"

	"github.com/opvet/opvet/internal/kubeapi"
)

// Program is the call graph of a module: what each of its processes may run.
//
// An interface's method stands between those who call it and those who have it, so that
// the graph grows with the code and not with its square. A type's methods are called
// through an interface once a function that is run makes a value of that one of it, or of one
// that becomes it.
type Program struct {
	nodes   map[string]int
	names   []string
	funcs   []node
	ifaces  []iface
	byKeys  map[string]int   // of ifaces
	byKey   map[string][]int // the ifaces that have a method
	types   map[string]*typ
	alive   map[string]bool // types of which values may be in any interface that they implement
	held    map[holder]bool
	spans   map[string][]span // of functions, by file
	paths   []string          // of packages, from 1
	linked  []bool            // packages that a program of the module is linked with
	used    []bool            // packages that others of the module import
	reached []bool
	// finalized are the kinds that get finalizers; see [Summary.Finalized].
	finalized map[string]bool
	// statuses are the kinds whose status is mentioned; see [Summary.Statuses].
	statuses map[string]bool
	// unfinalized are the packages that may take a finalizer off, by its name.
	unfinalized map[string][]string
	numbers     map[string][]handed        // by the parameter that gets them
	told        map[string]map[string]bool // functions, by what rules say of them
	abstract    map[int]bool               // interfaces' methods
	lives       []life                     // of the contexts that functions are given; nil until somebody asks
	work        []int                      // reached, and not looked at yet
	marks       []mark

	repeats []bool // runs more than once in a process, as far as is known

	mains     []main
	use       map[int]string // what users call the commands that a node stands for
	processes []process
}

// main is a program of the module.
type main struct {
	node   int
	path   string
	aside  bool   // it does not count; see [Options.Aside]
	linked []bool // packages
	may    []bool // what it may run
	// goesOn is what it may run but for commands that end by themselves, if anything goes on.
	goesOn []bool
}

// span is where a function is in its file.
type span struct{ from, to, node int }

// process is one that a program becomes, by itself or by one of its commands.
type process struct {
	node int
	name string // that users call it by, perhaps empty
	ends bool
	may  []bool // what the program may run
}

type node struct {
	known    bool // it is a function of the module that was looked into, or an interface's method
	exported bool
	pkg      int // in paths; 0 for what stands for several functions
	serves   bool
	operates bool
	next     []int // functions and interfaces' methods
	again    []int // those of them that may run more than once each time this does
	commands int   // a node that stands for its commands; none for -1
	converts []conversion
	context  bool          // it is given one
	hands    map[int][]int // see [Hand]: of which nodes the context is that a node is handed
}

type conversion struct {
	typ   string
	to    Target
	iface int
}

// holder is a type of which values are in an interface.
type holder struct {
	typ   string
	iface int
}

type iface struct {
	keys    []string
	methods map[string]int // nodes, of those that are called
	flows   []int          // the interfaces that its values become
	leaks   bool           // they may become those of any
}

type typ struct {
	methods map[string]int
	once    map[string]bool // methods that others run once
	parts   []string
}

// mark says who runs a function, of what is known.
type mark uint8

const (
	byServer  mark = 1 << iota
	byLasting      // by a process that may go on
	byCommand      // by a process that ends
	byAnybody      // by somebody who is not known
)

// Options say what is known of a module beside its packages.
type Options struct {
	// Imported tells that other modules import packages of this one.
	Imported bool
	// Aside tells of a package that what it is for does not count, such as an example.
	Aside func(pkg string) bool
}

// Link puts the summaries of all packages of a module together.
func Link(summaries []*Summary, opts Options) *Program {
	p := &Program{
		nodes: make(map[string]int), byKeys: make(map[string]int), byKey: make(map[string][]int),
		types: make(map[string]*typ), alive: make(map[string]bool), held: make(map[holder]bool), spans: make(map[string][]span), use: make(map[int]string), paths: []string{""},
		finalized: make(map[string]bool), statuses: make(map[string]bool), unfinalized: make(map[string][]string), numbers: make(map[string][]handed), told: make(map[string]map[string]bool), abstract: make(map[int]bool),
	}
	for _, s := range summaries {
		p.add(s)
		for _, name := range s.Unfinalized {
			p.unfinalized[name] = append(p.unfinalized[name], s.Path)
		}
		for _, n := range s.Numbers {
			p.numbers[n.To] = append(p.numbers[n.To], handed{n.From, s.Path})
		}
		for property, fns := range s.Told {
			if p.told[property] == nil {
				p.told[property] = make(map[string]bool)
			}
			for _, fn := range fns {
				p.told[property][fn] = true
			}
		}
		for _, kind := range s.Finalized {
			p.finalized[kind] = true
		}
		for _, kind := range s.Statuses {
			p.statuses[kind] = true
		}
	}
	p.begin(summaries, opts)
	p.reached = make([]bool, len(p.funcs))
	for _, m := range p.mains {
		p.reach(m.node)
	}
	p.follow()
	served := p.judge()
	p.askOthers(summaries, opts.Imported || !served, opts.Aside)
	p.repeat()
	return p
}

func (p *Program) node(name string) int {
	i, ok := p.nodes[name]
	if !ok {
		i = len(p.funcs)
		p.nodes[name] = i
		p.funcs = append(p.funcs, node{commands: -1})
		p.names = append(p.names, name)
	}
	return i
}

func (p *Program) addEdge(from, to int) { p.funcs[from].next = append(p.funcs[from].next, to) }

// add adds a package.
func (p *Program) add(s *Summary) {
	p.paths = append(p.paths, s.Path)
	ifaces := make([]int, len(s.Ifaces))
	for i, numbers := range s.Ifaces {
		keys := make([]string, len(numbers))
		for j, n := range numbers {
			keys[j] = s.Names[n]
		}
		ifaces[i] = p.iface(keys)
	}
	for _, f := range s.Flows {
		from := &p.ifaces[ifaces[f.From]]
		from.flows = append(from.flows, ifaces[f.To])
	}
	for _, i := range s.Leaks {
		p.ifaces[ifaces[i]].leaks = true
	}
	for _, t := range s.Types {
		known := &typ{methods: make(map[string]int), once: make(map[string]bool)}
		for _, m := range t.Methods {
			known.once[s.Names[m.Key]] = m.Once
			if m.Iface > 0 {
				known.methods[s.Names[m.Key]] = p.method(ifaces[m.Iface-1], s.Names[m.Key])
			} else {
				known.methods[s.Names[m.Key]] = p.node(s.Names[m.Func])
			}
		}
		for _, part := range t.Parts {
			known.parts = append(known.parts, s.Names[part])
		}
		p.types[s.Names[t.Name]] = known
	}
	for _, f := range s.Funcs {
		i := p.node(s.Names[f.Name])
		n := node{known: true, exported: f.Exported, pkg: len(p.paths) - 1, serves: f.Serves, operates: f.Operates, commands: -1}
		for _, to := range f.Runs {
			n.next = append(n.next, p.node(s.Names[to]))
		}
		for _, to := range f.Again {
			n.again = append(n.again, p.node(s.Names[to]))
		}
		for _, call := range f.Invokes {
			to := p.method(ifaces[call.Iface], s.Names[call.Method])
			n.next = append(n.next, to)
			if call.Again {
				n.again = append(n.again, to)
			}
		}
		n.context = f.Context
		for _, h := range f.Hands {
			to, of := NoFunc, NoFunc
			if h.To != NoFunc {
				to = p.node(s.Names[h.To])
			} else {
				to = p.method(ifaces[h.Iface], s.Names[h.Method])
			}
			if h.Of != NoFunc {
				of = p.node(s.Names[h.Of])
			}
			if n.hands == nil {
				n.hands = make(map[int][]int)
			}
			n.hands[to] = append(n.hands[to], of)
		}
		for _, c := range f.Converts {
			to := conversion{typ: s.Names[c.Type], to: c.To}
			if c.To == Module {
				to.iface = ifaces[c.Iface]
			}
			n.converts = append(n.converts, to)
		}
		if len(f.Commands)+len(f.Bound) > 0 {
			n.commands = p.node(s.Names[f.Name] + " (commands)")
			for _, to := range f.Commands {
				p.addEdge(n.commands, p.node(s.Names[to]))
			}
			for _, call := range f.Bound {
				p.addEdge(n.commands, p.method(ifaces[call.Iface], s.Names[call.Method]))
			}
			p.use[n.commands] = f.Use
		}
		p.funcs[i] = n
		if f.To > 0 {
			p.spans[s.Names[f.File]] = append(p.spans[s.Names[f.File]], span{f.From, f.To, i})
		}
	}
}

// iface returns the number of an interface with these methods.
func (p *Program) iface(keys []string) int {
	slices.Sort(keys)
	text := strings.Join(keys, " ")
	i, ok := p.byKeys[text]
	if !ok {
		i = len(p.ifaces)
		p.byKeys[text] = i
		p.ifaces = append(p.ifaces, iface{keys: keys, methods: make(map[string]int)})
		if len(keys) > 0 {
			// The longest name is the rarest.
			rare := slices.MaxFunc(keys, func(a, b string) int { return len(a) - len(b) })
			p.byKey[rare] = append(p.byKey[rare], i)
		}
	}
	return i
}

// method returns the node of an interface's method.
func (p *Program) method(i int, key string) int {
	n, ok := p.ifaces[i].methods[key]
	if !ok {
		n = p.node(abstractName(p.ifaces[i].keys, key))
		p.ifaces[i].methods[key] = n
		p.abstract[n] = true
	}
	return n
}

// begin finds with what the programs of the module begin, and which packages they are
// linked with.
func (p *Program) begin(summaries []*Summary, opts Options) {
	number := make(map[string]int)
	for i, path := range p.paths {
		number[path] = i
	}
	p.linked, p.used = make([]bool, len(p.paths)), make([]bool, len(p.paths))
	for _, s := range summaries {
		for _, imported := range s.Imports {
			p.used[number[imported]] = true
		}
		if !s.Program {
			continue
		}
		m := main{node: p.node(s.Path + ".main"), path: s.Path, linked: make([]bool, len(p.paths)), aside: opts.Aside != nil && opts.Aside(s.Path)}
		work := []int{number[s.Path]}
		m.linked[number[s.Path]] = true
		for len(work) > 0 {
			at := work[len(work)-1]
			work = work[:len(work)-1]
			p.linked[at] = true
			// What is initialised belongs to the process, as what main does.
			p.addEdge(m.node, p.node(p.paths[at]+".init"))
			for _, imported := range summaries[at-1].Imports {
				if i := number[imported]; i > 0 && !m.linked[i] {
					m.linked[i] = true
					work = append(work, i)
				}
			}
		}
		p.mains = append(p.mains, m)
	}
}

// follow follows what was reached.
func (p *Program) follow() {
	for len(p.work) > 0 {
		i := p.work[len(p.work)-1]
		p.work = p.work[:len(p.work)-1]
		n := p.funcs[i]
		for _, to := range n.next {
			p.reach(to)
		}
		if n.commands >= 0 {
			p.reach(n.commands)
		}
		for _, c := range n.converts {
			p.converted(i, c)
		}
	}
}

func (p *Program) reach(i int) {
	if !p.reached[i] {
		p.reached[i] = true
		p.work = append(p.work, i)
	}
}

// converted makes the methods of a type callable.
func (p *Program) converted(at int, c conversion) {
	t := p.types[c.typ]
	if t == nil {
		return
	}
	if c.to == Module {
		p.hold(c.typ, t, c.iface)
		return
	}
	if c.to != Printers {
		p.enliven(c.typ, t)
	}
	p.link(at, p.handedOut(c.typ, t, c.to))
}

// handedOut returns the node that stands for what others may call of a type's values.
func (p *Program) handedOut(name string, t *typ, to Target) int {
	suffix := " (methods)"
	switch to {
	case Anyone:
		suffix = " (methods inside)"
	case Printers:
		suffix = " (methods that print)"
	}
	known := len(p.funcs)
	i := p.node(name + suffix)
	if i < known {
		return i
	}
	p.reached = append(p.reached, false)
	for key, method := range t.methods {
		if isExportedKey(key) && (to != Printers || kubeapi.IsPrinting(methodName(key))) {
			p.addEdge(i, method)
			if !t.once[key] {
				p.funcs[i].again = append(p.funcs[i].again, method)
			}
		}
	}
	if to == Anyone {
		p.enliven(name, t)
	}
	if to == Anyone || to == Printers {
		for _, part := range t.parts {
			if inside := p.types[part]; inside != nil {
				p.addEdge(i, p.handedOut(part, inside, to))
			}
		}
	}
	return i
}

// link adds an edge to a function that is being followed.
func (p *Program) link(from, to int) {
	p.addEdge(from, to)
	if p.reached[from] {
		p.reach(to)
	}
}

// hold lets the methods of an interface, and of those that its values become, run those
// of the type.
func (p *Program) hold(name string, t *typ, i int) {
	f := &p.ifaces[i]
	if p.alive[name] || p.held[holder{name, i}] || !t.implements(f) {
		return
	}
	p.held[holder{name, i}] = true
	if f.leaks {
		p.enliven(name, t)
		return
	}
	p.call(t, f)
	for _, to := range f.flows {
		p.hold(name, t, to)
	}
}

func (t *typ) implements(f *iface) bool {
	return !slices.ContainsFunc(f.keys, func(key string) bool { _, ok := t.methods[key]; return !ok })
}

// call lets an interface's methods run those of the type.
func (p *Program) call(t *typ, f *iface) {
	for key, n := range f.methods {
		p.funcs[n].known = true
		p.link(n, t.methods[key])
	}
}

// enliven lets the methods of all interfaces run those of the type.
func (p *Program) enliven(name string, t *typ) {
	if p.alive[name] {
		return
	}
	p.alive[name] = true
	for key := range t.methods {
		for _, i := range p.byKey[key] {
			if f := &p.ifaces[i]; t.implements(f) {
				p.call(t, f)
			}
		}
	}
}

func isExportedKey(key string) bool { return !strings.Contains(methodName(key), ".") }

// methodName is the name in a method's key.
func methodName(key string) string {
	name, _, _ := strings.Cut(key, "/")
	return name
}
