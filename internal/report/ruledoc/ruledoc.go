// Package ruledoc takes the documentation of an analyzer apart.
package ruledoc

import (
	"go/doc/comment"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// Parse returns an analyzer's documentation without its title.
func Parse(a *analysis.Analyzer) *comment.Doc {
	_, body, _ := strings.Cut(a.Doc, "\n\n")
	return new(comment.Parser).Parse(body)
}

// Section returns what stands under a heading, and whether there is one.
func Section(doc *comment.Doc, heading string) (*comment.Doc, bool) {
	section := &comment.Doc{Links: doc.Links}
	found := false
	for _, block := range doc.Content {
		if h, ok := block.(*comment.Heading); ok {
			if found {
				break
			}
			found = HeadingText(h) == heading
			continue
		}
		if found {
			section.Content = append(section.Content, block)
		}
	}
	return section, found
}

// HeadingText returns the words of a heading.
func HeadingText(h *comment.Heading) string {
	var b strings.Builder
	for _, text := range h.Text {
		if plain, ok := text.(comment.Plain); ok {
			b.WriteString(string(plain))
		}
	}
	return b.String()
}

// Markdown renders a doc comment, with fences around code so that it is
// coloured.
func Markdown(doc *comment.Doc) string {
	printer := &comment.Printer{HeadingLevel: 2, HeadingID: func(*comment.Heading) string { return "" }}
	var blocks []string
	for _, block := range doc.Content {
		if code, ok := block.(*comment.Code); ok {
			blocks = append(blocks, "```go\n"+strings.TrimRight(code.Text, "\n")+"\n```\n")
			continue
		}
		one := &comment.Doc{Content: []comment.Block{block}, Links: doc.Links}
		blocks = append(blocks, string(printer.Markdown(one)))
	}
	return strings.Join(blocks, "\n")
}

// Text renders a doc comment as plain text.
func Text(doc *comment.Doc) string {
	return string(new(comment.Printer).Text(doc))
}
