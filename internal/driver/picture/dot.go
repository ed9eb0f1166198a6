package picture

import (
	"fmt"
	"io"
	"strings"
)

var dotNodes = map[nodeClass]string{
	controllerNode: `shape=box, style="filled,rounded", fillcolor="#2d5fa8", fontcolor="white"`,
	kindNode:       `shape=box, style="filled", fillcolor="#eceff2"`,
	ownKindNode:    `shape=box, style="filled", fillcolor="#cfe8d5"`,
	webhookNode:    `shape=hexagon, style="filled", fillcolor="#f6dcc0"`,
	sourceNode:     `shape=cds, style="filled", fillcolor="#e4dcf3"`,
	unknownNode:    `shape=circle, style="dashed", color="#b3122b", fontcolor="#b3122b"`,
}

var dotEdges = map[edgeClass]string{
	wakes: `penwidth=2.5`, owned: `color="#2f7d45"`, watched: `color="#6d4fa3", style=dashed`,
	writes: `color="#b0661b"`, reads: `color="#77818c", style=dotted`, admits: `color="#b0661b", arrowhead=odot`,
}

// DOT writes a graph for Graphviz.
func DOT(out io.Writer, m *Map) error {
	g := newGraph(m)
	var b strings.Builder
	fmt.Fprintf(&b, "digraph %s {\n  rankdir=LR; compound=true; fontname=\"sans-serif\";\n", dotQuote(g.Title))
	b.WriteString("  node [fontname=\"sans-serif\", fontsize=11]; edge [fontname=\"sans-serif\", fontsize=9];\n")
	draw := func(indent string, n *node) {
		fmt.Fprintf(&b, "%s%s [label=%s, %s];\n", indent, dotQuote(n.ID), dotQuote(strings.Join(append([]string{n.Title}, n.Lines...), "\n")), dotNodes[n.Class])
	}
	g.eachGroup(func(program int, open bool) {
		if open {
			fmt.Fprintf(&b, "  subgraph cluster_p%d {\n    label=%s;\n", program, dotQuote(g.Programs[program]))
		} else {
			b.WriteString("  }\n")
		}
	}, func(index int, members []*node) {
		fmt.Fprintf(&b, "    subgraph cluster_g%d {\n      label=%s; style=rounded; color=\"#77818c\";\n", index, dotQuote(g.Groups[index].Title))
		for _, n := range members {
			draw("      ", n)
		}
		b.WriteString("    }\n")
	})
	for _, n := range g.Nodes {
		if n.Group < 0 {
			draw("  ", n)
		}
	}
	for _, e := range g.joined() {
		style := dotEdges[e.Class]
		if e.both {
			style += ", dir=both"
		}
		fmt.Fprintf(&b, "  %s -> %s [label=%s, %s];\n", dotQuote(e.From), dotQuote(e.To), dotQuote(strings.Join(e.Labels, "\n")), style)
	}
	b.WriteString("}\n")
	_, err := io.WriteString(out, b.String())
	return err
}

func dotQuote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(text) + `"`
}
