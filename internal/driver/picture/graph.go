package picture

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// nodeClass is what a node of the picture stands for.
type nodeClass string

const (
	controllerNode nodeClass = "controller"
	kindNode       nodeClass = "kind"
	ownKindNode    nodeClass = "own"     // a kind of the module's
	webhookNode    nodeClass = "webhook" // what the API server asks
	sourceNode     nodeClass = "source"  // events that are no kind's
	unknownNode    nodeClass = "unknown" // a kind that is not known
)

// edgeClass is what an edge stands for.
type edgeClass string

const (
	wakes   edgeClass = "wakes" // For
	owned   edgeClass = "owned" // Owns
	watched edgeClass = "watched"
	writes  edgeClass = "writes"
	reads   edgeClass = "reads"
	admits  edgeClass = "admits" // a webhook
)

// node is one thing in the picture.
type node struct {
	ID    string    `json:"id"`
	Class nodeClass `json:"class"`
	Title string    `json:"title"`
	// Lines say more about it.
	Lines []string `json:"lines,omitempty"`
	// Group is the index of its group, or -1.
	Group int `json:"group"`
	// Details are shown for a node that is chosen.
	Details []detail `json:"details,omitempty"`
	// Findings are those that concern it.
	Findings []Finding `json:"findings,omitempty"`
}

// detail is a line about a node, and where it is in the source.
type detail struct {
	Text string `json:"text"`
	At   string `json:"at,omitempty"`
}

// edge leads from what acts to what it acts on; those of watches lead from the kind to
// the controller.
type edge struct {
	From  string    `json:"from"`
	To    string    `json:"to"`
	Class edgeClass `json:"class"`
	// Labels say how, each once.
	Labels []string `json:"labels,omitempty"`

	both bool // it leads back, too; see joined
}

// group is a package of a program.
type group struct {
	Program int    `json:"program"` // its index
	Title   string `json:"title"`
}

// graph is what is drawn.
type graph struct {
	Title    string   `json:"title"`
	Programs []string `json:"programs"` // a title for each program
	Groups   []group  `json:"groups"`
	Nodes    []*node  `json:"nodes"`
	Edges    []*edge  `json:"edges"`

	m     *Map
	byID  map[string]*node
	kinds map[string]Kind
	edges map[string]*edge
}

var majorSuffix = regexp.MustCompile(`/v\d+$`)

// newGraph makes the picture of a map.
func newGraph(m *Map) *graph {
	g := &graph{Title: path.Base(majorSuffix.ReplaceAllString(m.Module, "")), m: m, byID: make(map[string]*node), kinds: make(map[string]Kind), edges: make(map[string]*edge)}
	for _, k := range m.Kinds {
		g.kinds[k.ID] = k
	}
	for i, p := range m.Programs {
		g.Programs = append(g.Programs, programTitle(p))
		for j := range p.Controllers {
			g.controller(i, j, &p.Controllers[j])
		}
		for j := range p.Webhooks {
			g.webhook(i, j, &p.Webhooks[j])
		}
	}
	return g
}

func programTitle(p Program) string {
	title := path.Base(p.Package)
	if p.Package == "" {
		return "no program"
	}
	for _, m := range p.Managers {
		switch m.LeaderElection {
		case "yes":
			return title + " (elects a leader)"
		case "configured":
			return title + " (elects a leader if configured)"
		case "unknown":
			title = path.Base(p.Package) + " (leader election: ?)"
		}
	}
	return title
}

// groupOf returns the index of a package's group.
func (g *graph) groupOf(program int, pkg string) int {
	title := pkg
	if rest, ok := strings.CutPrefix(pkg, g.m.Module); ok && g.m.Module != "" {
		title = strings.TrimPrefix(rest, "/")
	}
	wanted := group{program, cmp.Or(title, ".")}
	i := slices.Index(g.Groups, wanted)
	if i < 0 {
		i = len(g.Groups)
		g.Groups = append(g.Groups, wanted)
	}
	return i
}

func (g *graph) node(n *node) *node {
	if known := g.byID[n.ID]; known != nil {
		return known
	}
	g.byID[n.ID] = n
	g.Nodes = append(g.Nodes, n)
	return n
}

func (g *graph) edge(from, to *node, class edgeClass, labels ...string) {
	key := from.ID + " " + to.ID + " " + string(class)
	e := g.edges[key]
	if e == nil {
		e = &edge{From: from.ID, To: to.ID, Class: class}
		g.edges[key] = e
		g.Edges = append(g.Edges, e)
	}
	for _, label := range labels {
		if label != "" && !slices.Contains(e.Labels, label) {
			e.Labels = append(e.Labels, label)
		}
	}
}

// kind returns the node of a kind, or one of a kind that is not known, which belongs to
// one controller or webhook.
func (g *graph) kind(id string, by *node) *node {
	k, ok := g.kinds[id]
	if !ok {
		return g.node(&node{ID: by.ID + "?", Class: unknownNode, Title: "?", Lines: []string{"kind not known"}, Group: by.Group})
	}
	n := &node{ID: "k " + id, Class: kindNode, Title: k.Name, Group: -1}
	if k.Own {
		n.Class = ownKindNode
	}
	if where := strings.Trim(k.Group+"/"+k.Version, "/"); where != "" {
		n.Lines = []string{where}
	}
	return g.node(n)
}

func (g *graph) controller(program, index int, c *Controller) {
	n := g.node(&node{ID: fmt.Sprintf("c %d %d", program, index), Class: controllerNode, Title: c.Name, Group: g.groupOf(program, c.Package), Findings: c.Findings})
	n.Lines = controllerLines(c)
	n.detail(c.At, "put together with %s", frameworkText[c.Framework])
	for i := range c.Watches {
		g.watch(c, n, i)
	}
	g.uses(c, n)
}

var frameworkText = map[string]string{
	"builder": "controller-runtime's builder", "controller": "controller-runtime's controller.New",
	"client-go": "client-go's informers and a queue",
	"knative":   "knative's NewImpl and informers",
}

func (n *node) detail(at *Place, format string, args ...any) {
	n.Details = append(n.Details, detail{fmt.Sprintf(format, args...), at.String()})
}

// String is "dir/file.go:12"; empty for no place.
func (p *Place) String() string {
	if p == nil {
		return ""
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// controllerLines say what a controller is beside its edges.
func controllerLines(c *Controller) []string {
	var lines []string
	if _, name := path.Split(c.Reconciler); name != "" {
		lines = append(lines, name)
	} else if _, name := path.Split(c.Reconcile); name != "" {
		lines = append(lines, name)
	}
	switch w := c.Workers; {
	case w.Number > 1 || w.Number == 1 && !w.Default:
		lines = append(lines, fmt.Sprintf("workers: %d", w.Number))
	case w.Number == 0 && w.From != "":
		lines = append(lines, "workers: from a "+w.From)
	case w.Number == 0:
		lines = append(lines, "workers: ?")
	}
	if c.RateLimiter {
		lines = append(lines, "own rate limiter")
	}
	if c.LeaderElection == "no" {
		lines = append(lines, "without leadership")
	}
	if c.Filter != nil {
		lines = append(lines, "only if: "+filterText(c.Filter))
	}
	for _, name := range finalizersOf(c) {
		lines = append(lines, "finalizer "+name)
	}
	if c.OpenSetup {
		lines = append(lines, "? set-up goes on out of sight")
	}
	if c.OpenUses {
		lines = append(lines, "? some calls not followed")
	}
	return lines
}

// finalizersOf names the finalizers that a controller puts on or takes off.
func finalizersOf(c *Controller) []string {
	type acts struct{ on, off bool }
	var names []string
	known := make(map[string]*acts)
	for _, u := range c.Uses {
		if u.Act != "addFinalizer" && u.Act != "removeFinalizer" {
			continue
		}
		name := cmp.Or(u.Finalizer, "?")
		if known[name] == nil {
			known[name] = new(acts)
			names = append(names, name)
		}
		known[name].on = known[name].on || u.Act == "addFinalizer"
		known[name].off = known[name].off || u.Act == "removeFinalizer"
	}
	slices.Sort(names)
	for i, name := range names {
		switch a := known[name]; {
		case !a.off:
			names[i] += " (put on)"
		case !a.on:
			names[i] += " (taken off)"
		default:
			names[i] += " (put on, taken off)"
		}
	}
	return names
}

// filterText words what a filter lets through, shortly.
func filterText(f *Filter) string {
	const most = 60
	text := strings.Join(f.Names, " and ")
	if len(text) > most {
		text = text[:most] + "…"
	}
	return text
}

func (g *graph) watch(c *Controller, n *node, index int) {
	w := &c.Watches[index]
	from := g.watched(w, n, index)
	class, label := watched, "watches"
	switch w.Role {
	case "for":
		class, label = wakes, "for"
	case "owns":
		class, label = owned, "owns"
	case "raw":
		label = "raw source"
	}
	switch _, fn := path.Split(w.Func); {
	case w.Handler == "mapped" && fn != "":
		label += ", mapped by " + shortFunc(fn)
	case w.Handler == "mapped":
		label += ", mapped"
	case w.Handler == "owner" && w.Role != "owns":
		label += ", by owner"
	case w.Handler == "custom":
		label += ", own handler"
	case w.Handler == "unknown":
		label += ", handler: ?"
	}
	if w.Filter != nil {
		label += ", if " + filterText(w.Filter)
	}
	if w.Conditional {
		label += ", sometimes"
	}
	g.edge(from, n, class, label)
	n.detail(w.At, "%s: %s", from.Title, label)
	if w.Filter != nil {
		n.detail(nil, "… update: %s; create: %s; delete: %s", w.Filter.Update, w.Filter.Create, w.Filter.Delete)
	}
	if from.Class != unknownNode && from.Class != sourceNode {
		from.detail(w.At, "%s: %s", n.Title, label)
	}
}

// watched is the node whose events a watch is for.
func (g *graph) watched(w *Watch, n *node, index int) *node {
	if w.Role == "raw" && w.Kind == "" {
		return g.node(&node{ID: fmt.Sprintf("%s source %d", n.ID, index), Class: sourceNode, Title: "channel or function", Group: n.Group})
	}
	return g.kind(w.Kind, n)
}

// shortFunc is the name of a function without its package.
func shortFunc(full string) string {
	return strings.TrimPrefix(full[strings.LastIndex(full, ".")+1:], "(")
}

// uses adds what a controller does to objects. Reads of what it watches are not drawn:
// the watch says it, unless they go past the cache.
func (g *graph) uses(c *Controller, n *node) {
	seen := make(map[string]bool)
	for _, w := range c.Watches {
		seen[w.Kind] = true
	}
	for i := range c.Uses {
		u := &c.Uses[i]
		isRead := u.Act == "get" || u.Act == "list"
		text := useText(u)
		n.detail(u.At, "%s %s", text, cmp.Or(g.kinds[u.Kind].Name, "? (kind not known)"))
		if isRead && seen[u.Kind] && u.Source != "api" {
			continue
		}
		to := g.kind(u.Kind, n)
		class := writes
		if isRead {
			class = reads
		}
		g.edge(n, to, class, text)
		if to.Class != unknownNode {
			to.detail(u.At, "%s: %s", n.Title, text)
		}
	}
}

var actText = map[string]string{
	"createOrUpdate": "create or update", "addFinalizer": "put finalizer on", "removeFinalizer": "take finalizer off",
	"setController": "own as controller", "setOwner": "own",
}

// useText words a use: "update status", "list (API)".
func useText(u *Use) string {
	text := cmp.Or(actText[u.Act], u.Act)
	switch u.Endpoint {
	case "status":
		text += " status"
	case "both":
		text += " with status"
	case "other":
		text += " subresource"
	}
	switch u.Source {
	case "api":
		text += " (API)"
	case "cache":
		text += " (cache)"
	}
	return text
}

func (g *graph) webhook(program, index int, w *Webhook) {
	n := g.node(&node{ID: fmt.Sprintf("w %d %d", program, index), Class: webhookNode, Title: "webhook", Group: g.groupOf(program, w.Package), Findings: w.Findings})
	if w.Path != "" {
		n.Lines = []string{w.Path}
	}
	does := strings.Join(w.Does, ", ")
	n.detail(w.At, "webhook: %s", cmp.Or(does, "?"))
	if len(w.Does) == 1 && w.Does[0] == "handle" {
		if w.Path == "" {
			n.Lines = []string{"path: ?"}
		}
		return
	}
	to := g.kind(w.Kind, n)
	g.edge(n, to, admits, cmp.Or(does, "?"))
	if to.Class != unknownNode {
		to.detail(w.At, "webhook: %s", cmp.Or(does, "?"))
	}
}

// joined returns the edges with one for each pair of nodes, since layouts from the left to the
// right cannot do much with cycles: what wakes a controller stands before it, what
// it owns and writes behind it.
func (g *graph) joined() []*edge {
	var joined []*edge
	pairs := make(map[[2]string]*edge)
	for _, e := range g.Edges {
		key := [2]string{min(e.From, e.To), max(e.From, e.To)}
		first := pairs[key]
		if first == nil {
			first = &edge{From: e.From, To: e.To, Class: e.Class, Labels: slices.Clone(e.Labels)}
			pairs[key] = first
			joined = append(joined, first)
			continue
		}
		first.Labels = append(first.Labels, e.Labels...)
		if first.Class == reads {
			first.Class = e.Class
		}
		if first.From != e.From && e.Class != reads && !first.both {
			first.both = true
			if first.Class == owned {
				first.From, first.To = first.To, first.From
			}
		}
	}
	return joined
}
