package picture

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// What a renderer of Mermaid accepts by default, GitHub's too.
const (
	mermaidEdges = 500
	mermaidText  = 50_000
)

// Mermaid writes a flowchart, as GitHub shows it in Markdown. What is too large for
// that is drawn without reads, and then without labels; left says what is missing.
func Mermaid(out io.Writer, m *Map) (left string, err error) {
	g := newGraph(m)
	text := g.mermaid(true)
	fits := func() bool { return len(g.joined()) <= mermaidEdges && len(text) <= mermaidText }
	if !fits() {
		left = "reads are left out, for Mermaid would refuse the picture; -focus, or -format html, shows them"
		g.dropReads()
		text = g.mermaid(true)
	}
	if !fits() {
		left = "reads and labels are left out, for Mermaid would refuse the picture; -focus, or -format html, shows them"
		text = g.mermaid(false)
	}
	if !fits() {
		left = "the picture is larger than Mermaid accepts by default; use -focus, or -format html"
	}
	_, err = io.WriteString(out, text)
	return left, err
}

// dropReads takes out the reads, and the kinds that are only read.
func (g *graph) dropReads() {
	g.Edges = slices.DeleteFunc(g.Edges, func(e *edge) bool { return e.Class == reads })
	used := make(map[string]bool)
	for _, e := range g.Edges {
		used[e.From], used[e.To] = true, true
	}
	g.Nodes = slices.DeleteFunc(g.Nodes, func(n *node) bool {
		return !used[n.ID] && n.Class != controllerNode && n.Class != webhookNode
	})
}

var mermaidShapes = map[nodeClass][2]string{
	controllerNode: {"[", "]"}, kindNode: {"([", "])"}, ownKindNode: {"([", "])"},
	webhookNode: {"{{", "}}"}, sourceNode: {">", "]"}, unknownNode: {"((", "))"},
}

// The colours are readable on a light page and on a dark one.
var mermaidStyles = []struct {
	class nodeClass
	style string
}{
	{controllerNode, "fill:#2d5fa8,stroke:#1b3d70,color:#fff"},
	{ownKindNode, "fill:#cfe8d5,stroke:#2f7d45,color:#10331b"},
	{kindNode, "fill:#eceff2,stroke:#77818c,color:#1c2128"},
	{webhookNode, "fill:#f6dcc0,stroke:#b0661b,color:#3d2206"},
	{sourceNode, "fill:#e4dcf3,stroke:#6d4fa3,color:#26183f"},
	{unknownNode, "fill:#fff,stroke:#b3122b,color:#b3122b,stroke-dasharray:4 3"},
}

var mermaidArrows = map[edgeClass]string{wakes: "==>", owned: "-->", watched: "-.->", writes: "-->", reads: "-.->", admits: "--o"}

func (g *graph) mermaid(labels bool) string {
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	names := make(map[string]string)
	for i, n := range g.Nodes {
		names[n.ID] = fmt.Sprintf("n%d", i)
	}
	draw := func(indent string, n *node) {
		shape := mermaidShapes[n.Class]
		text := mermaidEscape(n.Title)
		if n.Class == controllerNode {
			text = "<b>" + text + "</b>"
		}
		for _, line := range n.Lines {
			text += "<br/>" + mermaidEscape(line)
		}
		fmt.Fprintf(&b, "%s%s%s\"%s\"%s:::%s\n", indent, names[n.ID], shape[0], text, shape[1], n.Class)
	}
	g.eachGroup(func(program int, open bool) {
		if !open {
			b.WriteString("  end\n")
			return
		}
		fmt.Fprintf(&b, "  subgraph p%d[\"%s\"]\n", program, mermaidEscape(g.Programs[program]))
	}, func(index int, members []*node) {
		fmt.Fprintf(&b, "    subgraph g%d[\"%s\"]\n", index, mermaidEscape(g.Groups[index].Title))
		for _, n := range members {
			draw("      ", n)
		}
		b.WriteString("    end\n")
	})
	for _, n := range g.Nodes {
		if n.Group < 0 {
			draw("  ", n)
		}
	}
	for _, e := range g.joined() {
		arrow := mermaidArrows[e.Class]
		if e.both {
			arrow = "<" + arrow
		}
		if labels && len(e.Labels) > 0 {
			var escaped []string
			for _, label := range e.Labels {
				escaped = append(escaped, mermaidEscape(label))
			}
			arrow += "|\"" + strings.Join(escaped, "<br/>") + "\"|"
		}
		fmt.Fprintf(&b, "  %s %s %s\n", names[e.From], arrow, names[e.To])
	}
	for _, s := range mermaidStyles {
		fmt.Fprintf(&b, "  classDef %s %s\n", s.class, s.style)
	}
	return b.String()
}

// eachGroup visits the groups by program: program is called when one begins and ends,
// group for each package.
func (g *graph) eachGroup(program func(index int, open bool), group func(index int, members []*node)) {
	members := make([][]*node, len(g.Groups))
	for _, n := range g.Nodes {
		if n.Group >= 0 {
			members[n.Group] = append(members[n.Group], n)
		}
	}
	for i := range g.Programs {
		program(i, true)
		for j, of := range g.Groups {
			if of.Program == i && len(members[j]) > 0 {
				group(j, members[j])
			}
		}
		program(i, false)
	}
}

// mermaidEscape keeps a text from being read as markup. Mermaid knows characters by
// number, as in #35;.
func mermaidEscape(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case strings.ContainsRune("#&<>\"`\\[]{}|*_;", r):
			fmt.Fprintf(&b, "#%d;", r)
		case r < ' ':
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
